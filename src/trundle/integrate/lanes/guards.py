"""Guards along the steps of the runs in lanes (compiled), as those of a single run (`integrate.guards`).

Their values at the end of a step are computed together with the slopes there, at nearly no cost, so all lanes are
checked after every step. If one guard has not changed evenly, all are checked in the middles of their steps, and at
more points if one changes much. A run with an alarm is stopped and repeated as a single run.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.codes import MUCH
from trundle.integrate.guards import GRAZES, PARTS, cubic
from trundle.integrate.record import LaneRecord
from trundle.kernel.pointers import Pointer, call, inner, shifted


@inner
def evaluate_guards(run: LaneRecord, s: float, found: Pointer) -> None:
    """Guards of all lanes at a fraction of their steps."""
    w, n_x, t, h, clock = run.lanes, run.n_x, run.t, run.h, run.clock
    flat = n_x * w
    for lane in range(w):
        clock[lane] = t[lane] + s * h[lane]
    if s == 1.0:
        call(run.guards_kernel, clock, run.x_new, run.p, found, run.work)
        return
    x, end, place = run.x, run.x_new, run.scratch
    first, last = run.k, shifted(run.k, run.stages * flat)
    whole, left, right = cubic(s)
    for i in range(flat):
        place[i] = x[i] + whole * (end[i] - x[i]) + left * first[i] + right * last[i]
    call(run.guards_kernel, clock, place, run.p, found, run.work)


@inner
def mark_violated(run: LaneRecord, found: Pointer) -> None:
    """Mark lanes in which a guard is violated as ALARMED."""
    w, sign, accept = run.lanes, run.guard_sign, run.accept
    for g in range(run.n_guards):
        for lane in range(w):
            if accept[lane] == at.ACCEPTED and sign[g * w + lane] * found[g * w + lane] < 0.0:
                accept[lane] = at.ALARMED


@inner
def check_closer(run: LaneRecord) -> None:
    """Check more points of the steps of all lanes; `guard_known` and `guard_probe` have the values at their ends."""
    w, flat, accept = run.lanes, run.n_guards * run.lanes, run.accept
    before, place, after, sign = run.guard_known, run.guard_middle, run.guard_probe, run.guard_sign
    low, high = run.guard_low, run.guard_high
    for i in range(flat):
        low[i] = min(sign[i] * before[i], sign[i] * after[i])
        high[i] = max(sign[i] * before[i], sign[i] * after[i])
    for part in range(1, PARTS):
        evaluate_guards(run, part / PARTS, place)
        mark_violated(run, place)
        for i in range(flat):
            low[i], high[i] = min(low[i], sign[i] * place[i]), max(high[i], sign[i] * place[i])
    for i in range(flat):
        if accept[i % w] == at.ACCEPTED and sign[i] != 0.0 and low[i] < GRAZES * (high[i] - low[i]):
            accept[i % w] = at.ALARMED


@inner
def start_guards(run: LaneRecord) -> None:
    """Set signs and values of the guards of new jobs at the start of their first accepted step."""
    w, n, job, signed, known, found = run.lanes, run.n_guards, run.job, run.guard_job, run.guard_known, run.guard_middle
    for lane in range(w):
        run.clock[lane] = run.t[lane]
    call(run.guards_kernel, run.clock, run.x, run.p, found, run.work)
    run.guard_news = 0
    for lane in range(w):
        if signed[lane] != job[lane] and run.accept[lane] == at.ACCEPTED:
            signed[lane], known[3 * n * w + lane] = job[lane], 1.0
            for g in range(n):
                value = found[g * w + lane]
                known[g * w + lane], known[(n + g) * w + lane], known[(2 * n + g) * w + lane] = value, 0.0, math.inf
                run.guard_sign[g * w + lane] = math.copysign(1.0, value) if abs(value) > 0.0 else 0.0
        elif signed[lane] != job[lane] and job[lane] >= 0:
            run.guard_news = 1


@inner
def moves_evenly_in_all(run: LaneRecord) -> bool:
    """Whether the guards of all lanes with an accepted step have changed evenly and keep their signs; `guard_later`
    becomes their state after it (see `judge`).
    """
    w, n, found, uneven = run.lanes, run.n_guards, run.guard_later, 0
    call(run.judge_kernel, run.clock, run.guard_probe, run.guard_known, found, run.work)
    for lane in range(w):
        uneven |= int(found[(3 * n + 1) * w + lane] != 0.0)
    return uneven == 0


@inner
def judge_middles(run: LaneRecord) -> tuple[bool, bool]:
    """Update curvatures from the values in the middles of the steps; return whether a guard is violated, and whether
    one has changed much. Curvatures may also grow in lanes without an accepted step.
    """
    w, n, before, middle, after = run.lanes, run.n_guards, run.guard_known, run.guard_middle, run.guard_probe
    turn, sign, taken, broken, much = shifted(run.guard_later, 2 * n * w), run.guard_sign, run.taken, 0, 0
    for g in range(n):
        for lane in range(w):
            i = g * w + lane
            start, half, end, known, on = before[i], middle[i], after[i], turn[i], taken[lane] * sign[i]
            change, least = max(abs(half - start), abs(end - half)), min(abs(start), abs(half), abs(end))
            much |= int((on != 0.0) & ~(change <= MUCH * least))
            broken |= int((on * half < 0.0) | (on * end < 0.0))
            found = 4.0 * abs(start - 2.0 * half + end)
            turn[i] = max(found, known if known < math.inf else 0.0)
    return broken != 0, much != 0


@inner
def watch_lanes(run: LaneRecord) -> None:
    """Check the accepted steps of all lanes, before they are completed."""
    if run.guard_news == 1:
        start_guards(run)
    if run.guarded_kernel == 0:
        evaluate_guards(run, 1.0, run.guard_probe)
    if not moves_evenly_in_all(run):
        evaluate_guards(run, 0.5, run.guard_middle)
        broken, much = judge_middles(run)
        if broken:
            mark_violated(run, run.guard_middle)
            mark_violated(run, run.guard_probe)
        if much:
            check_closer(run)
    run.guard_known, run.guard_later = run.guard_later, run.guard_known
