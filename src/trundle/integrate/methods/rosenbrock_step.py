"""One step of any Rosenbrock method, compiled once; the control loop calls it by its address."""

import math

from trundle.integrate.linear import factorise, solve
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, copy, part_of, shifted


@part_of(LoopRecord)
def rosenbrock_step(run: LoopRecord) -> None:
    """From x at T with slope k[0] to x_new at T + STEP; the Jacobian is kept while the start is the same."""
    x, x_new, p, k = run.x, run.x_new, run.p, run.k
    clock, work, pivots = run.clock, run.work, run.pivots
    atol, weight = run.atol, run.weight
    n_x, stages, h = run.n_x, run.stages, run.step
    jacobian = run.matrix
    rate = shifted(jacobian, n_x * n_x)
    lu = shifted(rate, n_x)
    a = run.coefficients
    coupling = shifted(a, stages * stages)
    nodes = shifted(coupling, stages * stages)
    time_weights = shifted(nodes, stages)
    weights = shifted(time_weights, stages)
    error_weights = shifted(weights, stages)
    gamma = error_weights[stages]

    if run.fresh == 0:
        clock[0] = run.t
        call(run.jacobian_kernel, clock, x, p, jacobian, work)
        run.fresh = 1
        run.jacobians += 1
    diagonal = 1.0 / (h * gamma)
    for i in range(n_x):
        for j in range(n_x):
            lu[i * n_x + j] = -jacobian[j * n_x + i]
        lu[i * n_x + i] += diagonal
    run.factorisations += 1
    if not factorise(lu, pivots, n_x):
        run.error = math.inf
        return

    for i in range(stages):
        v = shifted(k, (1 + i) * n_x)
        if i == 0:
            copy(k, v, n_x)
        else:
            copy(x, x_new, n_x)
            for j in range(i):
                factor = a[i * stages + j]
                if factor != 0.0:
                    other = shifted(k, (1 + j) * n_x)
                    for m in range(n_x):
                        x_new[m] += factor * other[m]
            clock[0] = run.t + nodes[i] * h
            call(run.rhs_kernel, clock, x_new, p, v, work)
            run.rhs_calls += 1
            for j in range(i):
                factor = coupling[i * stages + j] / h
                if factor != 0.0:
                    other = shifted(k, (1 + j) * n_x)
                    for m in range(n_x):
                        v[m] += factor * other[m]
        factor = h * time_weights[i]
        if factor != 0.0:
            for m in range(n_x):
                v[m] += factor * rate[m]
        solve(lu, pivots, n_x, v)

    total, works = 0.0, 0.0
    for m in range(n_x):
        end, error = x[m], 0.0
        for i in range(stages):
            v_i = k[(1 + i) * n_x + m]
            end += weights[i] * v_i
            error += error_weights[i] * v_i
        x_new[m] = end
        scale = atol[m] + run.rtol * max(abs(x[m]), abs(end)) + 1e-300
        total += weight[m] * (error / scale) ** 2 + 0.0 * end
        if 0 < run.n_q + run.n_u <= m:
            works += abs(error)
    run.work_error = works
    error = math.sqrt(total / max(run.weighted, 1))
    run.error = error if error < math.inf else math.inf
