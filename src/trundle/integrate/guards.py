"""Guards along the steps of a run (compiled): values that must keep the sign which they have at the start.

Each is looked at at the end of every step, in its middle unless all have changed little in this step and in the last
one, and in more places where one changes much in comparison with itself; one that comes so near to zero that it might
cross between two of these counts as broken too. States in the step are those of the cubic through both ends: enough to
raise an alarm. Python then finds the place, or that there is none.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.record import LaneRecord, LoopRecord
from trundle.kernel.pointers import Pointer, call, copy, inner, part_of, shifted

PARTS = 8  # of a step, at whose ends a closer look is taken
GRAZES = 1.5 / PARTS**2  # of the change in a step: a parabola may reach lower between two places by two thirds of it
MUCH = 0.5  # change over the smallest value that asks for a closer look
LITTLE = 0.1  # change in a step over the smallest value


@inner
def cubic(s: float) -> tuple[float, float, float]:
    """Weights of the change over the step, and of the slopes at both ends times its length, at the fraction s."""
    return s * s * (3.0 - 2.0 * s), s * (1.0 - s) * (1.0 - s), -s * s * (1.0 - s)


@inner
def moves_much(before: float, middle: float, after: float) -> bool:
    """Whether a value might have changed its sign and changed it back between the places looked at."""
    change = max(abs(middle - before), abs(after - middle))
    return not change <= MUCH * min(abs(before), abs(middle), abs(after))


@inner
def moves_little(before: float, after: float) -> bool:
    """Whether a value is at the end of a step nearly what it was at its start."""
    return abs(after - before) <= LITTLE * min(abs(before), abs(after))


# -- a run alone -------------------------------------------------------------------------------------------------------


@inner
def broken_at(run: LoopRecord, s: float) -> bool:
    """Whether a guard has left its sign at a fraction of the step; the values there are in `guard_probe`."""
    n_x, sign, found = run.n_x, run.guard_sign, run.guard_probe
    run.clock[0] = run.t + s * run.step
    if s == 1.0:
        call(run.guards_kernel, run.clock, run.x_new, run.p, found, run.work)
    else:
        x, end, place = run.x, run.x_new, run.sample
        first, last = run.k, shifted(run.k, run.end_row * n_x)
        whole, left, right = cubic(s)
        for m in range(n_x):
            place[m] = x[m] + whole * (end[m] - x[m]) + run.step * (left * first[m] + right * last[m])
        call(run.guards_kernel, run.clock, place, run.p, found, run.work)
    broken = False
    for g in range(run.n_guards):
        broken = broken or sign[g] * found[g] < 0.0
    return broken


@inner
def first_broken(run: LoopRecord) -> float:
    """The first place in the step at which a guard is broken; infinite where none is."""
    n, before, after, middle = run.n_guards, run.guard_before, run.guard_middle, run.guard_probe
    closer, was_calm = broken_at(run, 1.0), run.guards_calm == 1
    copy(run.guard_probe, after, n)
    calm = not closer
    for g in range(n):
        calm = calm and moves_little(before[g], after[g])
    run.guards_calm = 1 if calm else 0
    if not (calm and was_calm):
        closer = broken_at(run, 0.5) or closer
        for g in range(n):
            closer = closer or (run.guard_sign[g] != 0.0 and moves_much(before[g], middle[g], after[g]))
    if not closer:
        copy(after, before, n)
        return math.inf
    low, high, probe, sign = run.guard_low, run.guard_high, run.guard_probe, run.guard_sign
    for g in range(n):
        low[g] = high[g] = sign[g] * before[g]
    for i in range(1, PARTS + 1):
        if broken_at(run, i / PARTS):
            return i / PARTS
        for g in range(n):
            low[g], high[g] = min(low[g], sign[g] * probe[g]), max(high[g], sign[g] * probe[g])
    copy(probe, before, n)
    for g in range(n):
        if sign[g] != 0.0 and low[g] < GRAZES * (high[g] - low[g]):
            return 1.0
    return math.inf


@part_of(LoopRecord)
def watch_guards(run: LoopRecord) -> None:
    """Look at the step from `x` to `x_new`; where a guard is broken the run ends with an alarm."""
    n, sign, before = run.n_guards, run.guard_sign, run.guard_before
    if run.guards_known < 2:  # at the start, or after a jump
        run.clock[0] = run.t
        call(run.guards_kernel, run.clock, run.x, run.p, before, run.work)
        for g in range(n):
            if run.guards_known == 0:
                sign[g] = math.copysign(1.0, before[g]) if abs(before[g]) > 0.0 else 0.0
        run.guards_known, run.guards_calm = 2, 0
    s = first_broken(run)
    if s <= 1.0:
        run.alarm_since, run.alarm_until = run.t, run.t_new if s == 1.0 else run.t + s * run.step
        run.answer = at.ALARM


# -- lanes -------------------------------------------------------------------------------------------------------------


@inner
def look_at_lanes(run: LaneRecord, s: float, found: Pointer) -> None:
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
def note_broken(run: LaneRecord, found: Pointer) -> None:
    """Lanes in which a guard has left its sign become ALARMED."""
    w, sign, accept = run.lanes, run.guard_sign, run.accept
    for g in range(run.n_guards):
        for lane in range(w):
            if accept[lane] == at.ACCEPTED and sign[g * w + lane] * found[g * w + lane] < 0.0:
                accept[lane] = at.ALARMED


@inner
def look_closer(run: LaneRecord) -> None:
    """More places of the steps of all lanes; `guard_before` and `guard_probe` have the values at their ends."""
    w, flat, accept = run.lanes, run.n_guards * run.lanes, run.accept
    before, place, after, sign = run.guard_before, run.guard_middle, run.guard_probe, run.guard_sign
    low, high = run.guard_low, run.guard_high
    for i in range(flat):
        low[i] = min(sign[i] * before[i], sign[i] * after[i])
        high[i] = max(sign[i] * before[i], sign[i] * after[i])
    for part in range(1, PARTS):
        look_at_lanes(run, part / PARTS, place)
        note_broken(run, place)
        for i in range(flat):
            low[i], high[i] = min(low[i], sign[i] * place[i]), max(high[i], sign[i] * place[i])
    for i in range(flat):
        if accept[i % w] == at.ACCEPTED and sign[i] != 0.0 and low[i] < GRAZES * (high[i] - low[i]):
            accept[i % w] = at.ALARMED


@inner
def all_calm(run: LaneRecord) -> bool:
    """Whether the guards of all lanes with an accepted step keep their signs, and change little in it and in the last
    one.
    """
    w, before, after, sign, calm = run.lanes, run.guard_before, run.guard_probe, run.guard_sign, run.guard_calm
    found = True
    for lane in range(w):
        if run.accept[lane] == at.ACCEPTED:
            now = 1
            for g in range(run.n_guards):
                i = g * w + lane
                if sign[i] * after[i] < 0.0 or not moves_little(before[i], after[i]):
                    now = 0
            found = found and now == 1 and calm[lane] == 1
            calm[lane] = now
    return found


@inner
def watch_lanes(run: LaneRecord) -> None:
    """Look at the accepted steps of all lanes, before they are taken."""
    w, n, accept, job, known = run.lanes, run.n_guards, run.accept, run.job, run.guard_job
    before, middle, after, sign = run.guard_before, run.guard_middle, run.guard_probe, run.guard_sign
    fresh = False
    for lane in range(w):
        fresh = fresh or (accept[lane] == at.ACCEPTED and known[lane] != job[lane])
    if fresh:
        for lane in range(w):
            run.clock[lane] = run.t[lane]
        call(run.guards_kernel, run.clock, run.x, run.p, after, run.work)
        for lane in range(w):
            if accept[lane] == at.ACCEPTED and known[lane] != job[lane]:
                known[lane], run.guard_calm[lane] = job[lane], 0
                for g in range(n):
                    value = after[g * w + lane]
                    before[g * w + lane] = value
                    sign[g * w + lane] = math.copysign(1.0, value) if abs(value) > 0.0 else 0.0
    look_at_lanes(run, 1.0, after)
    if not all_calm(run):
        look_at_lanes(run, 0.5, middle)
        closer = False
        for g in range(n):
            for lane in range(w):
                i = g * w + lane
                if accept[lane] == at.ACCEPTED and sign[i] != 0.0:
                    closer = closer or moves_much(before[i], middle[i], after[i])
        note_broken(run, middle)
        note_broken(run, after)
        if closer:
            look_closer(run)
    for g in range(n):
        for lane in range(w):
            if accept[lane] == at.ACCEPTED:
                before[g * w + lane] = after[g * w + lane]
