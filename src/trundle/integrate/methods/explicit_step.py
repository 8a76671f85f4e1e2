"""One step of any explicit Runge-Kutta method (compiled); the control loop calls it by its address."""

import math

from trundle.integrate import codes as at
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, part_of, shifted, strict

ROUND_OFF_FELT = 1e-8  # tolerance below which magnified round-off can reject a step
SMALL_ENOUGH = 10.0  # largest error, in units of the tolerance, for which the part across the constraints is ignored


@strict
def estimate(run: LoopRecord, k: Pointer, out: Pointer, row: int, last: int) -> None:
    """Difference of the two solutions, divided by h."""
    n_x, a = run.n_x, run.coefficients
    for m in range(n_x):
        out[m] = 0.0
    for j in range(last):
        factor = a[row + j]
        if factor != 0.0:
            slope = shifted(k, j * n_x)
            for m in range(n_x):
                out[m] += factor * slope[m]


@strict
def combined(run: LoopRecord, h: float, first: float, second: float) -> float:
    """RMS over the weighted components; two estimates are combined as in [Hairer 1993, section II.10]."""
    counted = max(run.weighted, 1)
    if run.error_rows == 1 or first == 0.0:
        return h * math.sqrt(first / counted)
    return h * first / math.sqrt(counted * (first + 0.01 * second))


@strict
def scaled_error(run: LoopRecord, weights: int, last: int) -> float:
    """Error of the step in units of the tolerance."""
    k, x, x_new, atol, weight, scratch = run.k, run.x, run.x_new, run.atol, run.weight, run.scratch
    first, second = 0.0, 0.0
    for which in range(run.error_rows):
        estimate(run, k, scratch, weights + (which + 1) * run.rows, last)
        total = 0.0
        for m in range(run.n_x):
            scale = atol[m] + run.rtol * max(abs(x[m]), abs(x_new[m])) + 1e-300
            total += weight[m] * (scratch[m] / scale) ** 2
        if which == 0:
            first = total
        else:
            second = total
    return combined(run, run.step, first, second)


@strict
def error_of_work(run: LoopRecord, h: float, weights: int, last: int) -> float:
    """Error of the integrals of work, which do not control the step."""
    a, k, n_x, rows, total = run.coefficients, run.k, run.n_x, run.rows, 0.0
    for m in range(run.n_q + run.n_u, n_x):
        first, second = 0.0, 0.0
        for j in range(last):
            first += a[weights + rows + j] * k[j * n_x + m]
            if run.error_rows == 2:
                second += a[weights + 2 * rows + j] * k[j * n_x + m]
        size = math.sqrt(first**2 + 0.01 * second**2)
        total += h * first**2 / size if size > 0.0 else 0.0
    return total


@part_of(LoopRecord)
def explicit_step(run: LoopRecord) -> None:
    """From x at T with slope k[0] to x_new at T + STEP; ERROR becomes the scaled error, infinite if it is NaN."""
    rhs = run.rhs_kernel
    x, x_new, p = run.x, run.x_new, run.p
    k, a = run.k, run.coefficients
    clock, scratch, work = run.clock, run.scratch, run.work
    atol, weight = run.atol, run.weight
    n_x, width, stages, h = run.n_x, run.rows, run.stages, run.step
    nodes = stages * width
    weights = nodes + stages
    last = stages + run.end_in_step
    for i in range(1, stages + 1):
        # The row after the last stage holds the weights: its point is the end of the step.
        row = i * width if i < stages else weights
        factor = h * a[row]
        for m in range(n_x):
            x_new[m] = x[m] + factor * k[m]
        for j in range(1, i):
            factor = h * a[row + j]
            if factor != 0.0:
                slope = shifted(k, j * n_x)
                for m in range(n_x):
                    x_new[m] += factor * slope[m]
        if i < last:
            clock[0] = run.t + (a[nodes + i] * h if i < stages else h)
            call(rhs, clock, x_new, p, shifted(k, i * n_x), work)
    run.rhs_calls += last - 1

    error = scaled_error(run, weights, last)
    noisy = run.rtol < ROUND_OFF_FELT and error < SMALL_ENOUGH
    if error > 1.0 and noisy and run.projection == at.BY_KERNEL:
        # Deviations that the projection removes are no error: near a fold of a linkage round-off across the
        # constraints is magnified, and must not cause a rejection.
        clock[0] = run.t + h
        project, y = run.project_kernel, run.sample
        base, moved = run.jumped, run.corrected
        call(project, clock, x_new, p, base, work)
        sums = scratch  # for one estimate at a time
        first, second = 0.0, 0.0
        for which in range(run.error_rows):
            estimate(run, k, sums, weights + (which + 1) * width, last)
            for m in range(n_x):
                y[m] = x_new[m] + h * sums[m]
            call(project, clock, y, p, moved, work)
            total = 0.0
            for m in range(n_x):
                scale = atol[m] + run.rtol * max(abs(x[m]), abs(x_new[m])) + 1e-300
                total += weight[m] * ((moved[m] - base[m]) / (h * scale)) ** 2
            if which == 0:
                first = total
            else:
                second = total
        run.projections += run.error_rows + 1
        along = combined(run, h, first, second)
        if along < error:
            error = along
    if 0 < run.n_q + run.n_u < n_x:
        run.work_error = error_of_work(run, h, weights, last)
    # Components outside the norm must be finite too.
    for m in range(n_x):
        error += 0.0 * x_new[m]
    run.error = error if error < math.inf else math.inf
