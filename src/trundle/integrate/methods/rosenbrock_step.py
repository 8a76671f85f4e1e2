"""One step of any Rosenbrock method (compiled); the control loop calls it by its address."""

import math

from trundle.integrate.linear import factorise, solve
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, call_table, copy, inner, part_of, shifted


@inner
def factorise_step(run: LoopRecord) -> bool:
    """L U of 1 / (h gamma) - J; the Jacobian is reused if the start is the same. False if the matrix is singular."""
    n_x, stages, jacobian = run.n_x, run.stages, run.matrix
    lu = shifted(jacobian, n_x * n_x + n_x)
    if run.fresh == 0:
        run.clock[0] = run.t
        if run.jacobian_kernel != 0:
            call(run.jacobian_kernel, run.clock, run.x, run.p, jacobian, run.work)
        else:
            call_table(run.difference_part, run)
        run.fresh = 1
        run.jacobians += 1
    gamma = run.coefficients[2 * stages * stages + 4 * stages]
    diagonal = 1.0 / (run.step * gamma)
    for i in range(n_x):
        for j in range(n_x):
            lu[i * n_x + j] = -jacobian[j * n_x + i]
        lu[i * n_x + i] += diagonal
    run.factorisations += 1
    return factorise(lu, run.pivots, n_x)


@inner
def add_stages(factors: Pointer, count: int, over: float, k: Pointer, n_x: int, out: Pointer) -> None:
    """out += sum_j (factors[j] / over) k[1 + j]."""
    for j in range(count):
        factor = factors[j] / over
        if factor != 0.0:
            other = shifted(k, (1 + j) * n_x)
            for m in range(n_x):
                out[m] += factor * other[m]


@inner
def finish_step(run: LoopRecord) -> None:
    """x_new from all stages, and the scaled error."""
    x, x_new, k = run.x, run.x_new, run.k
    n_x, stages = run.n_x, run.stages
    weights = shifted(run.coefficients, 2 * stages * stages + 2 * stages)
    error_weights = shifted(weights, stages)
    total, works = 0.0, 0.0
    for m in range(n_x):
        end, error = x[m], 0.0
        for i in range(stages):
            v_i = k[(1 + i) * n_x + m]
            end += weights[i] * v_i
            error += error_weights[i] * v_i
        x_new[m] = end
        scale = run.atol[m] + run.rtol * max(abs(x[m]), abs(end)) + 1e-300
        total += run.weight[m] * (error / scale) ** 2 + 0.0 * end
        if 0 < run.n_q + run.n_u <= m:
            works += abs(error)
    run.work_error = works
    error = math.sqrt(total / max(run.weighted, 1))
    run.error = error if error < math.inf else math.inf


@part_of(LoopRecord)
def rosenbrock_step(run: LoopRecord) -> None:
    """From x at T with slope k[0] to x_new at T + STEP.

    Coefficients: stages, coupling, nodes, weights of df/dt, weights, error weights, gamma.
    """
    x, x_new, p, k = run.x, run.x_new, run.p, run.k
    clock, work = run.clock, run.work
    n_x, stages, h = run.n_x, run.stages, run.step
    rate = shifted(run.matrix, n_x * n_x)
    lu = shifted(rate, n_x)
    a = run.coefficients
    coupling = shifted(a, stages * stages)
    nodes = shifted(coupling, stages * stages)
    time_weights = shifted(nodes, stages)
    if not factorise_step(run):
        run.error = math.inf
        return
    for i in range(stages):
        v = shifted(k, (1 + i) * n_x)
        if i == 0:
            copy(k, v, n_x)
        else:
            copy(x, x_new, n_x)
            add_stages(shifted(a, i * stages), i, 1.0, k, n_x, x_new)
            clock[0] = run.t + nodes[i] * h
            call(run.rhs_kernel, clock, x_new, p, v, work)
            run.rhs_calls += 1
            add_stages(shifted(coupling, i * stages), i, h, k, n_x, v)
        factor = h * time_weights[i]
        if factor != 0.0:
            for m in range(n_x):
                v[m] += factor * rate[m]
        solve(lu, run.pivots, n_x, v)
    finish_step(run)
