"""One step of any explicit Runge-Kutta method, compiled once; the control loop calls it by its address."""

import math

from numba import njit

from trundle.integrate import layout as at
from trundle.kernel.pointers import Pointer, call, part, reals, shifted, wholes

ROUND_OFF_FELT = 1e-8  # tolerance below which magnified round-off can reject a step
SMALL_ENOUGH = 10.0  # error across the constraints, in units of the tolerance, that may be left to the projection


@njit(error_model="numpy")
def estimate(n: Pointer, a: Pointer, k: Pointer, out: Pointer, row: int, last: int) -> None:
    """Difference of the two solutions, divided by h."""
    n_x = n[at.N_X]
    for m in range(n_x):
        out[m] = 0.0
    for j in range(last):
        factor = a[row + j]
        if factor != 0.0:
            slope = shifted(k, j * n_x)
            for m in range(n_x):
                out[m] += factor * slope[m]


@njit(error_model="numpy")
def combined(n: Pointer, h: float, first: float, second: float) -> float:
    """RMS over the weighted components; two estimates are combined as in [Hairer 1993, section II.10]."""
    counted = max(n[at.WEIGHTED], 1)
    if n[at.ERROR_ROWS] == 1 or first == 0.0:
        return h * math.sqrt(first / counted)
    return h * first / math.sqrt(counted * (first + 0.01 * second))


@njit(error_model="numpy")
def scaled_error(
    n: Pointer, r: Pointer, a: Pointer, k: Pointer, x: Pointer, x_new: Pointer, atol: Pointer, weight: Pointer,
    scratch: Pointer, weights: int, last: int,
) -> float:  # fmt: skip
    """Error of the step in units of the tolerance."""
    first, second = 0.0, 0.0
    for which in range(n[at.ERROR_ROWS]):
        estimate(n, a, k, scratch, weights + (which + 1) * n[at.ROWS], last)
        total = 0.0
        for m in range(n[at.N_X]):
            scale = atol[m] + r[at.RTOL] * max(abs(x[m]), abs(x_new[m])) + 1e-300
            total += weight[m] * (scratch[m] / scale) ** 2
        if which == 0:
            first = total
        else:
            second = total
    return combined(n, r[at.STEP], first, second)


@njit(error_model="numpy")
def error_of_work(n: Pointer, a: Pointer, k: Pointer, h: float, weights: int, last: int) -> float:
    """Error of the integrals of work, which do not steer the step."""
    n_x, rows, total = n[at.N_X], n[at.ROWS], 0.0
    for m in range(n[at.N_Q] + n[at.N_U], n_x):
        first, second = 0.0, 0.0
        for j in range(last):
            first += a[weights + rows + j] * k[j * n_x + m]
            if n[at.ERROR_ROWS] == 2:
                second += a[weights + 2 * rows + j] * k[j * n_x + m]
        size = math.sqrt(first**2 + 0.01 * second**2)
        total += h * first**2 / size if size > 0.0 else 0.0
    return total


@part
def explicit_step(table: Pointer) -> None:
    """From x at T with slope k[0] to x_new at T + STEP; ERROR becomes the scaled error, infinite where not a number."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    rhs = wholes(table[at.M_ADDRESS])[at.A_RHS]
    x, x_new, p = reals(table[at.M_X]), reals(table[at.M_X_NEW]), reals(table[at.M_P])
    k, a = reals(table[at.M_K]), reals(table[at.M_COEFFICIENTS])
    clock, scratch, work = reals(table[at.M_CLOCK]), reals(table[at.M_SCRATCH]), reals(table[at.M_WORK])
    atol, weight = reals(table[at.M_ATOL]), reals(table[at.M_WEIGHT])
    n_x, width, stages, h = n[at.N_X], n[at.ROWS], n[at.STAGES], r[at.STEP]
    nodes = stages * width
    weights = nodes + stages
    last = stages + n[at.END_IN_STEP]
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
            clock[0] = r[at.T] + (a[nodes + i] * h if i < stages else h)
            call(rhs, clock, x_new, p, shifted(k, i * n_x), work)
    c[at.RHS] += last - 1

    error = scaled_error(n, r, a, k, x, x_new, atol, weight, scratch, weights, last)
    noisy = r[at.RTOL] < ROUND_OFF_FELT and error < SMALL_ENOUGH
    if error > 1.0 and noisy and n[at.PROJECTION] == at.BY_KERNEL:
        # What the projection takes out again is no error: near a fold of a linkage round-off across the constraints is
        # magnified, and a step must not be refused for a little of it.
        clock[0] = r[at.T] + h
        project, y = wholes(table[at.M_ADDRESS])[at.A_PROJECT], reals(table[at.M_SAMPLE])
        base, moved = reals(table[at.M_JUMPED]), reals(table[at.M_CORRECTED])
        call(project, clock, x_new, p, base, work)
        sums = scratch  # of one estimate after the other
        first, second = 0.0, 0.0
        for which in range(n[at.ERROR_ROWS]):
            estimate(n, a, k, sums, weights + (which + 1) * width, last)
            for m in range(n_x):
                y[m] = x_new[m] + h * sums[m]
            call(project, clock, y, p, moved, work)
            total = 0.0
            for m in range(n_x):
                scale = atol[m] + r[at.RTOL] * max(abs(x[m]), abs(x_new[m])) + 1e-300
                total += weight[m] * ((moved[m] - base[m]) / (h * scale)) ** 2
            if which == 0:
                first = total
            else:
                second = total
        c[at.PROJECTIONS] += n[at.ERROR_ROWS] + 1
        along = combined(n, h, first, second)
        if along < error:
            error = along
    if 0 < n[at.N_Q] + n[at.N_U] < n_x:
        r[at.WORK_ERROR] = error_of_work(n, a, k, h, weights, last)
    # Components outside the norm must be finite too.
    for m in range(n_x):
        error += 0.0 * x_new[m]
    r[at.ERROR] = error if error < math.inf else math.inf
