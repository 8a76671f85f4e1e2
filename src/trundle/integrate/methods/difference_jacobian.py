"""The Jacobian of a stiff step by finite differences (compiled), if the equations have no kernel for it."""

import math

from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, copy, part_of, shifted, strict

RESOLVED = 3e-3  # difference, relative to the change of a state over which its fastest slope varies
MOST = 1e-6  # largest difference, relative to the size of a state
LATER = 1e-3  # interval for the derivative with respect to time, relative to the step
ATTEMPTS = 6  # to find differences short enough for the rates that result
TOO_FAST = 3.0  # ratio of the resulting rate to the expected one above which differences were too long
ITERATIONS = 12  # of the power method for the largest eigenvalue of the Jacobian


@strict
def scale_of(run: LoopRecord, m: int) -> float:
    return run.atol[m] + run.rtol * abs(run.x[m]) + 1e-300


@strict
def scaled_size(run: LoopRecord, v: Pointer) -> float:
    total = 0.0
    for m in range(run.n_x):
        total += run.weight[m] * (v[m] / scale_of(run, m)) ** 2
    return math.sqrt(total)


@strict
def fastest_rate(run: LoopRecord) -> float:
    """Size of the largest eigenvalue of the Jacobian (1/s), by iteration."""
    n_x, v, w, rate = run.n_x, run.scratch, shifted(run.scratch, run.n_x), 0.0
    for m in range(n_x):
        v[m] = run.weight[m] * scale_of(run, m)
    for _ in range(ITERATIONS):
        before = scaled_size(run, v)
        for i in range(n_x):
            w[i] = 0.0
            for m in range(n_x):
                w[i] += run.matrix[m * n_x + i] * v[m] / before
        for i in range(n_x):
            v[i] = run.weight[i] * w[i]
        rate = scaled_size(run, v)
        if not rate > 0.0:
            return 0.0
    return rate


@strict
def differentiate(run: LoopRecord, part: float) -> None:
    """df/dx by central differences of fourth order, column-major, with steps relative to the size of each state."""
    n_x, x, f = run.n_x, run.x_new, run.scratch
    before = shifted(f, n_x)
    copy(run.x, x, n_x)
    for m in range(n_x):
        column, by = shifted(run.matrix, m * n_x), part * run.sizes[m]
        if run.weight[m] == 0.0:  # states without weight influence nothing
            for i in range(n_x):
                column[i] = 0.0
            continue
        for i in range(n_x):
            column[i] = 0.0
        for side in range(2):  # at one and at two differences
            far = by * (1 + side)
            x[m] = run.x[m] - far
            call(run.rhs_kernel, run.clock, x, run.p, before, run.work)
            x[m] = run.x[m] + far
            call(run.rhs_kernel, run.clock, x, run.p, f, run.work)
            factor = (8.0 - 9.0 * side) / (12.0 * by)
            for i in range(n_x):
                column[i] += factor * (f[i] - before[i])
        x[m] = run.x[m]
        run.rhs_calls += 4


@part_of(LoopRecord)
def difference_jacobian(run: LoopRecord) -> None:
    """df/dx, then df/dt by a forward difference that crosses no break; `rate` becomes its fastest rate.

    If the direction of a slip settles at this rate, the slip is about the acceleration of the run divided by the rate:
    longer differences do not resolve its rotation, much shorter ones are dominated by round-off.
    """
    n_x, f, least = run.n_x, run.scratch, RESOLVED * run.least_slip
    run.clock[0] = run.t
    for _ in range(ATTEMPTS):
        part = max(least, min(MOST, RESOLVED / (run.time_scale * max(run.rate, 1e-300))))
        expected = run.rate
        differentiate(run, part)
        run.rate = fastest_rate(run)
        if part == least or not run.rate > TOO_FAST * expected:
            break
    later = LATER * run.step
    run.clock[0] = run.t + later
    call(run.rhs_kernel, run.clock, run.x, run.p, f, run.work)
    run.rhs_calls += 1
    for i in range(n_x):
        run.matrix[n_x * n_x + i] = (f[i] - run.k[i]) / later
