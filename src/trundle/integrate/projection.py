"""Projection onto the constraints, and monitoring of loops near singular positions (compiled)."""

import math

from trundle.integrate import codes as at
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, call_table, copy, inner, part_of, shifted, strict

PROJECTION_LIMIT = 10
THIRD = 1.0 / 3.0
WORTH_A_SEARCH = 0.5  # monitors above are far from a fold
SEARCH_LIMIT = 24  # evaluations in the search for the pose nearest to a fold
CUTS = 4  # reductions of the interval, two evaluations each
RATIO = 0.6  # of the reductions; not the golden ratio, for which points would coincide
GOOD_ENOUGH = 1e-9  # residual that is accepted if round-off prevents a smaller one


@part_of(LoopRecord)
def project_sample(run: LoopRecord) -> None:
    """Project the state in SAMPLE onto the constraints at the time in CLOCK; PROJECTED: whether that converged."""
    x, p, corrected = run.sample, run.p, run.corrected
    clock, work = run.clock, run.work
    n_x = run.n_x
    last = math.inf
    run.projected = 0
    for _ in range(PROJECTION_LIMIT):
        if run.projection == at.BY_KERNEL:
            call(run.project_kernel, clock, x, p, corrected, work)
        else:
            call_table(run.correct_part, run)
        run.projections += 1
        position, velocity = corrected[n_x], corrected[n_x + 1]
        total = 0.0 * position + 0.0 * velocity
        for m in range(n_x):
            total += 0.0 * corrected[m]
        if total != 0.0:  # only if a value is NaN
            return
        copy(corrected, x, n_x)
        size = max(position / run.position_tol, velocity / run.velocity_tol)
        near = position < GOOD_ENOUGH and velocity < GOOD_ENOUGH
        run.projected = int(near)
        if size < 1.0 or (near and size >= last):
            return
        last = size


@strict
def keep_lowest(run: LoopRecord, monitors: Pointer, t: float) -> None:
    """Store the smallest monitor of each loop in this passage and its time."""
    passage = run.passage
    for loop in range(run.n_monitors):
        if monitors[loop] < passage[at.PASSAGE * loop]:
            passage[at.PASSAGE * loop] = monitors[loop]
            passage[at.PASSAGE * loop + 1] = t


@strict
def values_between(run: LoopRecord, s: float, exact: bool) -> None:
    """Monitors at a point inside the step, on the cubic between its ends or, exactly, on the dense output."""
    x, x_new, k, probe = run.x, run.x_new, run.k, run.sample
    clock, out = run.clock, run.jumped
    n_x, h = run.n_x, run.step
    slope = shifted(k, run.end_row * n_x)
    u, v = s * s * (3.0 - 2.0 * s), s - 1.0
    if exact:
        dense, last = run.dense, run.dense_rows - 1
        for m in range(n_x):
            y = dense[last * n_x + m]
            for j in range(last - 1, -1, -1):
                y = dense[j * n_x + m] + (1.0 - s if j % 2 == 0 else s) * y
            probe[m] = x[m] + s * y
    else:
        for m in range(n_x):
            cubic = (1.0 - u) * x[m] + u * x_new[m]
            probe[m] = cubic + h * s * v * (v * k[m] + s * slope[m])
    clock[0] = run.t + s * h
    project, p, work = run.project_kernel, run.p, run.work
    call(project, clock, probe, p, out, work)
    run.projections += 1
    keep_lowest(run, shifted(out, n_x + 2), clock[0])


@inner
def minimum_inside(run: LoopRecord, before: Pointer, first: Pointer) -> tuple[int, float, float]:
    """The first loop whose monitor has a minimum inside the step, judged by values at two inner points and slopes at
    both ends, and an interval of the minimum; -1 if there is none. `before` has the slopes at the start of the step;
    `first` is scratch memory.
    """
    passage, now = run.passage, shifted(run.corrected, run.n_x + 2)
    monitors = shifted(run.jumped, run.n_x + 2)
    turning, low, high = -1, 0.0, 1.0
    values_between(run, THIRD, False)
    for loop in range(run.n_monitors):
        first[loop] = monitors[loop]
    values_between(run, 2.0 * THIRD, False)
    for loop in range(run.n_monitors):
        start, one, two, end = passage[at.PASSAGE * loop + 3], first[loop], monitors[loop], now[loop]
        if turning < 0 and start < math.inf and min(start, one, two, end) < WORTH_A_SEARCH:
            if before[loop] < 0.0 and one >= start:
                turning, high = loop, THIRD
            elif one < start and one <= two:
                turning, high = loop, 2.0 * THIRD
            elif two < one and two <= end:
                turning, low = loop, THIRD
            elif two > end and passage[at.PASSAGE * loop + 2] > 0.0:
                turning, low = loop, 2.0 * THIRD
        passage[at.PASSAGE * loop + 3] = end
    return turning, low, high


@inner
def search_minimum(run: LoopRecord, turning: int, low: float, high: float) -> None:
    """Search the minimum of a monitor between two fractions of the step, on the dense output; `keep_lowest` stores it.

    First the interval is reduced a few times, then parabolas through the last three points are used: near a fold the
    monitor is a parabola.
    """
    monitors = shifted(run.jumped, run.n_x + 2)
    call_table(run.dense_part, run)
    low, high = max(0.0, low - 0.5 * THIRD), min(1.0, high + 0.5 * THIRD)  # the cubic is only approximate
    inside = math.inf
    s0, s1, s2, f0, f1, f2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for trial in range(SEARCH_LIMIT):
        if trial < 2 * CUTS:
            s = high - RATIO * (high - low) if trial % 2 == 0 else low + RATIO * (high - low)
        else:
            left, right = (s1 - s0) * (f1 - f2), (s1 - s2) * (f1 - f0)
            if left == right:
                break
            s = s1 - 0.5 * ((s1 - s0) * left - (s1 - s2) * right) / (left - right)
            s = min(max(s, low), high)
            if abs(s - s2) < 1e-10:
                break
        values_between(run, s, True)
        s0, s1, s2, f0, f1, f2 = s1, s2, s, f1, f2, monitors[turning]
        if trial < 2 * CUTS:
            if trial % 2 == 0:
                inside = f2
            elif inside < f2:
                high = s2
            else:
                low = s1


@inner
def log_passages(run: LoopRecord) -> None:
    """Log the passages near a singular position that have ended by the end of the step."""
    passage, now = run.passage, shifted(run.corrected, run.n_x + 2)
    for loop in range(run.n_monitors):
        lowest = passage[at.PASSAGE * loop]
        if now[loop] > run.singular:
            if lowest < run.singular:
                entry = shifted(run.near, 3 * run.passages)
                entry[0], entry[1], entry[2] = loop, passage[at.PASSAGE * loop + 1], lowest
                run.passages += 1
            passage[at.PASSAGE * loop] = math.inf


@part_of(LoopRecord)
def watch(run: LoopRecord) -> None:
    """Update the monitors of the loops; each passage through a minimum below the limit is logged with its time.

    A linkage may fold between two steps: if values and slopes show that a monitor has a minimum inside a step, it is
    searched on the dense output.
    """
    corrected, passage = run.corrected, run.passage
    clock, p, work = run.clock, run.p, run.work
    x_new, probe, out, project = run.x_new, run.sample, run.jumped, run.project_kernel
    n_x, n_m = run.n_x, run.n_monitors
    if n_m == 0 or run.pending == 1:
        return
    before, first = shifted(corrected, n_x + 2 + n_m), shifted(corrected, n_x + 2 + 2 * n_m)  # room for two per loop
    slope = shifted(run.k, run.end_row * n_x)
    t_new, ahead = clock[0], 1e-4 * run.step
    now = shifted(corrected, n_x + 2)
    monitors = shifted(out, n_x + 2)
    if run.projection != at.BY_KERNEL:  # the metric of the stiff method has no monitors of its own
        call(project, clock, x_new, p, out, work)
        copy(monitors, now, n_m)
    keep_lowest(run, now, t_new)
    for m in range(n_x):
        probe[m] = x_new[m] + ahead * slope[m]
    clock[0] = t_new + ahead
    call(project, clock, probe, p, out, work)
    for loop in range(n_m):
        passage[at.PASSAGE * loop + 2], before[loop] = monitors[loop] - now[loop], passage[at.PASSAGE * loop + 2]
    turning, low, high = minimum_inside(run, before, first)
    if turning >= 0:
        search_minimum(run, turning, low, high)
    clock[0] = t_new
    log_passages(run)
