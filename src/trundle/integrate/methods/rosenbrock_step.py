"""One step of any Rosenbrock method, compiled once; the control loop calls it by its address."""

import math

from trundle.integrate import layout as at
from trundle.integrate.linear import factorise, solve
from trundle.kernel.pointers import Pointer, call, copy, part, reals, shifted, wholes


@part
def rosenbrock_step(table: Pointer) -> None:
    """From x at T with slope k[0] to x_new at T + STEP; the Jacobian is kept while the start is the same."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    address = wholes(table[at.M_ADDRESS])
    x, x_new, p, k = reals(table[at.M_X]), reals(table[at.M_X_NEW]), reals(table[at.M_P]), reals(table[at.M_K])
    clock, work, pivots = reals(table[at.M_CLOCK]), reals(table[at.M_WORK]), wholes(table[at.M_PIVOTS])
    atol, weight = reals(table[at.M_ATOL]), reals(table[at.M_WEIGHT])
    n_x, stages, h = n[at.N_X], n[at.STAGES], r[at.STEP]
    jacobian = reals(table[at.M_MATRIX])
    rate = shifted(jacobian, n_x * n_x)
    lu = shifted(rate, n_x)
    a = reals(table[at.M_COEFFICIENTS])
    coupling = shifted(a, stages * stages)
    nodes = shifted(coupling, stages * stages)
    time_weights = shifted(nodes, stages)
    weights = shifted(time_weights, stages)
    error_weights = shifted(weights, stages)
    gamma = error_weights[stages]

    if c[at.FRESH] == 0:
        clock[0] = r[at.T]
        call(address[at.A_JACOBIAN], clock, x, p, jacobian, work)
        c[at.FRESH] = 1
        c[at.JACOBIANS] += 1
    diagonal = 1.0 / (h * gamma)
    for i in range(n_x):
        for j in range(n_x):
            lu[i * n_x + j] = -jacobian[j * n_x + i]
        lu[i * n_x + i] += diagonal
    c[at.FACTORISATIONS] += 1
    if not factorise(lu, pivots, n_x):
        r[at.ERROR] = math.inf
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
            clock[0] = r[at.T] + nodes[i] * h
            call(address[at.A_RHS], clock, x_new, p, v, work)
            c[at.RHS] += 1
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
        scale = atol[m] + r[at.RTOL] * max(abs(x[m]), abs(end)) + 1e-300
        total += weight[m] * (error / scale) ** 2 + 0.0 * end
        if 0 < n[at.N_Q] + n[at.N_U] <= m:
            works += abs(error)
    r[at.WORK_ERROR] = works
    error = math.sqrt(total / max(n[at.WEIGHTED], 1))
    r[at.ERROR] = error if error < math.inf else math.inf
