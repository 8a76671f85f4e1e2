"""Guards along the steps of a run (compiled): values that must keep the sign that they have at the start.

Each is checked at the end of a step, in its middle unless it has changed evenly and little relative to its size, and at
more points if it has changed much; one that comes so close to zero that it might cross between two of these points
counts as violated too. States in the step are those of the cubic through both ends, which is sufficient for an alarm.
Python then locates the violation, or finds that there is none.

After a check the guards are not evaluated for up to REST steps: until one of them could be zero if it changed SAFE
times as much as predicted by its rate and its curvature (the largest recent second derivative). The next check comes
earlier if a step is shorter than that at the last check, if an event, a break or the end of the run is reached, and
before the loop returns to Python for any other reason. If a guard has changed by more than twice the predicted maximum,
that is an alarm too.
In lanes, where each lane is another run, see `lanes.guards`.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.codes import EVEN, FADES, MUCH
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, copy, inner, part_of, shifted

PARTS = 8  # of a step, for a closer check
GRAZES = 1.5 / PARTS**2  # of the change in a step: a parabola may reach lower between two points by two thirds of this
SAFE = 3.0  # factor by which the change of a guard may exceed the prediction
REST = 5  # most steps without a check
IN_TIME = 0.5  # part of the next step for which the prediction must still hold
SHORTER = 0.7  # length of a step, relative to that at the last check, below which the next check is made


@inner
def cubic(s: float) -> tuple[float, float, float]:
    """Hermite weights at the fraction s: of the change over the step, and of the slopes at both ends (times h)."""
    return s * s * (3.0 - 2.0 * s), s * (1.0 - s) * (1.0 - s), -s * s * (1.0 - s)


@inner
def moves_much(before: float, middle: float, after: float) -> bool:
    """Whether a value might have changed its sign twice between the checked points."""
    change = max(abs(middle - before), abs(after - middle))
    return not change <= MUCH * min(abs(before), abs(middle), abs(after))


@inner
def moves_evenly(before: float, after: float, bend: float, lapse: float) -> bool:
    """Whether a value has changed little during the time `lapse`, and nearly linearly."""
    least = min(abs(before), abs(after))
    return abs(after - before) <= MUCH * least and bend * lapse * lapse <= EVEN * least


@inner
def bend_in_middle(before: float, middle: float, after: float, lapse: float) -> float:
    """Absolute second derivative of a value, from its values at the ends and in the middle of an interval."""
    return 4.0 * abs(before - 2.0 * middle + after) / (lapse * lapse)


@inner
def is_unpredicted(before: float, now: float) -> bool:
    """Whether a value has changed while it was not checked by more than twice the predicted maximum."""
    return not abs(now - before) <= 2.0 / SAFE * abs(before)


@inner
def time_to_rest(value: float, rate: float, bend: float) -> float:
    """Time during which a value cannot become zero, even if it changes SAFE times as much as predicted."""
    pull = SAFE * rate
    return 2.0 * abs(value) / (pull + math.sqrt(pull * pull + 2.0 * SAFE * bend * abs(value)))


@inner
def violated_at(run: LoopRecord, s: float) -> bool:
    """Whether a guard is violated at a fraction of the step; writes the values there to `guard_probe`."""
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
def learn_rates(run: LoopRecord, after: Pointer) -> bool:
    """Update rates and curvatures of the guards from this check and the last ones; whether all changed evenly."""
    before, rate, bend, lapse = run.guard_before, run.guard_rate, run.guard_bend, run.t_new - run.guards_seen
    calm = run.guards_rated == 1
    for g in range(run.n_guards):
        now = (after[g] - before[g]) / lapse
        bend[g] = FADES * bend[g]
        if run.guards_rated == 1:
            bend[g] = max(bend[g], 2.0 * abs(now - rate[g]) / (lapse + run.guards_lapse))
        rate[g] = now
        calm = calm and moves_evenly(before[g], after[g], bend[g], lapse)
    run.guards_rated = 1
    return calm


@inner
def schedule_check(run: LoopRecord, after: Pointer) -> None:
    """Store the values of this check, and compute how long the guards need no further check."""
    n, lapse, shortest = run.n_guards, run.t_new - run.guards_seen, math.inf
    for g in range(n):
        if run.guard_sign[g] != 0.0:
            bend = run.guard_bend[g]
            shortest = min(shortest, time_to_rest(after[g], abs(run.guard_rate[g]) + 0.5 * lapse * bend, bend))
    copy(after, run.guard_before, n)
    run.guards_seen, run.guards_lapse, run.guards_until = run.t_new, lapse, run.t_new + shortest
    run.guards_step, run.guards_rested = run.step, 0


@inner
def changed_unchecked(run: LoopRecord) -> bool:
    """Check the guards at the present state, before the step: whether one is violated, or has changed more than
    predicted since the last check.
    """
    found, now, before = False, run.guard_probe, run.guard_before
    run.clock[0] = run.t
    call(run.guards_kernel, run.clock, run.x, run.p, now, run.work)
    for g in range(run.n_guards):
        found = found or (run.guard_sign[g] != 0.0 and is_unpredicted(before[g], now[g]))
    if not found:
        copy(now, before, run.n_guards)
        run.guards_seen, run.guards_rested = run.t, 0
    return found


@inner
def first_violated(run: LoopRecord) -> float:
    """The first fraction of the step at which a guard is violated, zero if one may have been before; or infinite."""
    n, before, after, middle = run.n_guards, run.guard_before, run.guard_middle, run.guard_probe
    closer = violated_at(run, 1.0)
    copy(run.guard_probe, after, n)
    if not learn_rates(run, after) or closer:
        if run.guards_rested > 0:
            if changed_unchecked(run):
                return 0.0
            for g in range(n):
                run.guard_rate[g] = (after[g] - before[g]) / run.step
        closer = violated_at(run, 0.5) or closer
        for g in range(n):
            closer = closer or (run.guard_sign[g] != 0.0 and moves_much(before[g], middle[g], after[g]))
            found = bend_in_middle(before[g], middle[g], after[g], run.step)
            run.guard_bend[g] = max(run.guard_bend[g], found)
    if closer:
        return check_inside_step(run)
    schedule_check(run, after)
    return math.inf


@inner
def check_inside_step(run: LoopRecord) -> float:
    """The same by checks at more points; the end of the step if a guard may be violated between them; or infinite."""
    n, low, high, probe, sign = run.n_guards, run.guard_low, run.guard_high, run.guard_probe, run.guard_sign
    for g in range(n):
        low[g] = high[g] = sign[g] * run.guard_before[g]
    for i in range(1, PARTS + 1):
        if violated_at(run, i / PARTS):
            return i / PARTS
        for g in range(n):
            low[g], high[g] = min(low[g], sign[g] * probe[g]), max(high[g], sign[g] * probe[g])
    schedule_check(run, probe)
    for g in range(n):
        if sign[g] != 0.0 and low[g] < GRAZES * (high[g] - low[g]):
            return 1.0
    return math.inf


@inner
def may_skip_check(run: LoopRecord) -> bool:
    """Whether the guards need not be checked after this step, because a check after the next one is early enough."""
    return (
        run.t_new + IN_TIME * run.step <= run.guards_until
        and run.guards_rested < REST
        and run.t_new < run.t_stop
        and run.hit == 0
        and run.step >= SHORTER * run.guards_step
    )


@part_of(LoopRecord)
def watch_guards(run: LoopRecord) -> None:
    """Check the step from `x` to `x_new`, or `x` if the loop is about to return; the run ends with an alarm if a guard
    is violated.
    """
    n, sign, before = run.n_guards, run.guard_sign, run.guard_before
    if run.status != at.RUNNING:
        since = run.guards_seen
        if changed_unchecked(run):
            run.alarm_since, run.alarm_until, run.status = since, run.t, at.ALARM
        run.guards_until, run.guards_rated = run.t, 0
        return
    if run.guards_known < 2:  # at the start, or after a jump
        run.clock[0] = run.t
        call(run.guards_kernel, run.clock, run.x, run.p, before, run.work)
        for g in range(n):
            run.guard_bend[g] = 0.0
            if run.guards_known == 0:
                sign[g] = math.copysign(1.0, before[g]) if abs(before[g]) > 0.0 else 0.0
        run.guards_known, run.guards_rated, run.guards_rested = 2, 0, 0
        run.guards_seen = run.guards_until = run.t
    if run.t_new <= run.guards_from:  # up to here an alarm was false
        run.guards_known = 1
        return
    if may_skip_check(run):
        run.guards_rested += 1
        return
    s = first_violated(run)
    if s <= 1.0:
        run.alarm_since = run.guards_seen if s == 0.0 else run.t
        run.alarm_until = run.t_new if s == 1.0 else run.t + s * run.step
        run.status = at.ALARM
