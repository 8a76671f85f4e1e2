"""One step of all lanes (compiled): slopes, stages, error, projection."""

import math

from trundle.integrate import codes as at
from trundle.integrate.record import LaneRecord
from trundle.kernel.pointers import Pointer, call, inner, shifted
from trundle.kernel.record import Ints

PROJECTION_LIMIT = 10
GOOD_ENOUGH = 1e-9


@inner
def combine(start: Pointer, factors: Pointer, count: int, k: Pointer, flat: int, out: Pointer) -> None:
    """out = start + sum_j factors[j] k[j]."""
    for i in range(flat):
        out[i] = start[i]
    for j in range(count):
        factor = factors[j]
        if factor != 0.0:
            row = shifted(k, j * flat)
            for i in range(flat):
                out[i] += factor * row[i]


@inner
def evaluate(run: LaneRecord, x: Pointer, out: Pointer, times_h: bool) -> None:
    """Slopes at the times in CLOCK, optionally times the step of each lane."""
    spread = run.spread
    rhs = run.rhs_kernel
    call(rhs, run.clock, x, run.p, out, run.work)
    if times_h:
        for i in range(run.n_x * run.lanes):
            out[i] *= spread[i]


@inner
def evaluate_at_end(run: LaneRecord) -> None:
    """Write slopes at the ends of the steps to SCRATCH, followed by the guards if there is a kernel for both."""
    kernel = run.guarded_kernel if run.guarded_kernel != 0 else run.rhs_kernel
    call(kernel, run.clock, run.x_new, run.p, run.scratch, run.work)


@inner
def project(run: LaneRecord, x: Pointer, accept: Ints) -> None:
    """Project the states of the accepted lanes onto the constraints; lanes for which that fails become UNPROJECTED."""
    corrected = run.corrected
    kernel = run.project_kernel
    w, n_x = run.lanes, run.n_x
    for attempt in range(PROJECTION_LIMIT):
        call(kernel, run.clock, x, run.p, corrected, run.work)
        open_lanes = 0
        for lane in range(w):
            position, velocity = corrected[n_x * w + lane], corrected[(n_x + 1) * w + lane]
            if accept[lane] == at.ACCEPTED:
                if not position + velocity < math.inf:
                    accept[lane] = at.UNPROJECTED
                elif position >= run.position_tol or velocity >= run.velocity_tol:
                    open_lanes += 1
                    if attempt == PROJECTION_LIMIT - 1 and (position > GOOD_ENOUGH or velocity > GOOD_ENOUGH):
                        accept[lane] = at.UNPROJECTED
        for i in range(n_x * w):
            x[i] = corrected[i]
        if open_lanes == 0:
            return


@inner
def measure_error(run: LaneRecord) -> None:
    """ERROR becomes the scaled error of each lane."""
    a, error, scratch = run.coefficients, run.error, run.scratch
    x, x_new, atol, weight = run.x, run.x_new, run.atol, run.weight
    w, n_x, width, stages, rtol = run.lanes, run.n_x, run.rows, run.stages, run.rtol
    flat, weights = n_x * w, stages * width + stages
    for lane in range(w):
        error[lane] = 0.0
        error[w + lane] = 0.0
    for which in range(run.error_rows):
        for i in range(flat):
            scratch[i] = 0.0
        combine(scratch, shifted(a, weights + (1 + which) * width), stages + run.end_in_step, run.k, flat, scratch)
        for i in range(flat):
            e = scratch[i] / (atol[i] + rtol * max(abs(x[i]), abs(x_new[i])) + 1e-300)
            scratch[i] = weight[i] * e * e + 0.0 * x_new[i]
        for m in range(n_x):
            for lane in range(w):
                error[which * w + lane] += scratch[m * w + lane]
    counted = max(run.weighted, 1)
    for lane in range(w):
        first, second = error[lane], error[w + lane]
        if run.error_rows == 1 or first == 0.0:
            error[lane] = math.sqrt(first / counted)
        else:
            error[lane] = first / math.sqrt(counted * (first + 0.01 * second))


@inner
def attempt(run: LaneRecord) -> None:
    """One step of all lanes; ERROR becomes the scaled error of each lane."""
    a = run.coefficients
    t, h, clock = run.t, run.h, run.clock
    x, x_new, k, slope = run.x, run.x_new, run.k, run.slope
    spread = run.spread
    w, n_x, width, stages = run.lanes, run.n_x, run.rows, run.stages
    flat, nodes = n_x * w, stages * width
    weights = nodes + stages
    for m in range(n_x):
        for lane in range(w):
            spread[m * w + lane] = h[lane]
    for i in range(flat):
        k[i] = spread[i] * slope[i]
    for i in range(1, stages):
        combine(x, shifted(a, i * width), i, k, flat, x_new)
        for lane in range(w):
            clock[lane] = t[lane] + a[nodes + i] * h[lane]
        evaluate(run, x_new, shifted(k, i * flat), True)
    combine(x, shifted(a, weights), stages, k, flat, x_new)
    for lane in range(w):
        clock[lane] = t[lane] + h[lane]
    if run.end_in_step == 1 and run.projecting == 1:
        evaluate(run, x_new, shifted(k, stages * flat), True)
    elif run.end_in_step == 1:
        evaluate_at_end(run)
        for i in range(flat):
            k[stages * flat + i] = run.scratch[i] * spread[i]
    measure_error(run)
