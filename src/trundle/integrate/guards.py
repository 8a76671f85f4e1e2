"""Guards along the steps of a run (compiled): values that must keep the sign which they have at the start.

Each is looked at at the end of a step, in its middle unless it has changed evenly and not much in comparison with
itself, and in more places where it has changed much; one that comes so near to zero that it might cross between two of
these counts as broken too. States in the step are those of the cubic through both ends: enough to raise an alarm.
Python then finds the place, or that there is none.

After a look the guards rest for up to REST steps: until one of them could be zero if it changed SAFE times as much as
its rate and its bend (the largest second derivative met lately) foresee. A rest ends at once where a step is shorter
than that at the last look, where an event, a break or the end of the run is reached, and before the loop returns to
Python for anything else. Where a guard has changed by more than twice what was foreseen at most, that is an alarm too.
In lanes, where each lane is another run, see `lanes.guards`.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.codes import EVEN, FADES, MUCH
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, copy, inner, part_of, shifted

PARTS = 8  # of a step, at whose ends a closer look is taken
GRAZES = 1.5 / PARTS**2  # of the change in a step: a parabola may reach lower between two places by two thirds of it
SAFE = 3.0  # times as much as it is foreseen to, a guard at rest may change
REST = 5  # most steps without a look
IN_TIME = 0.5  # of a step: part of the next one that must still belong to a rest
SHORTER = 0.7  # step over that at the last look which ends a rest


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
def moves_evenly(before: float, after: float, bend: float, lapse: float) -> bool:
    """Whether a value has not changed much in a time, and nearly evenly."""
    least = min(abs(before), abs(after))
    return abs(after - before) <= MUCH * least and bend * lapse * lapse <= EVEN * least


@inner
def bend_in_middle(before: float, middle: float, after: float, lapse: float) -> float:
    """Size of the second derivative of a value, by those at the ends and in the middle of a time."""
    return 4.0 * abs(before - 2.0 * middle + after) / (lapse * lapse)


@inner
def is_unforeseen(before: float, now: float) -> bool:
    """Whether a value has changed at rest by more than twice what was foreseen at most."""
    return not abs(now - before) <= 2.0 / SAFE * abs(before)


@inner
def time_to_rest(value: float, rate: float, bend: float) -> float:
    """For how long a value cannot become zero, even if it changes SAFE times as much as foreseen."""
    pull = SAFE * rate
    return 2.0 * abs(value) / (pull + math.sqrt(pull * pull + 2.0 * SAFE * bend * abs(value)))


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
def learn_rates(run: LoopRecord, after: Pointer) -> bool:
    """Rates and bends of the guards, by their values at this look and the last ones; whether all have moved evenly."""
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
def rest_from_here(run: LoopRecord, after: Pointer) -> None:
    """The values of this look are kept, and say for how long the guards rest."""
    n, lapse, shortest = run.n_guards, run.t_new - run.guards_seen, math.inf
    for g in range(n):
        if run.guard_sign[g] != 0.0:
            bend = run.guard_bend[g]
            shortest = min(shortest, time_to_rest(after[g], abs(run.guard_rate[g]) + 0.5 * lapse * bend, bend))
    copy(after, run.guard_before, n)
    run.guards_seen, run.guards_lapse, run.guards_until = run.t_new, lapse, run.t_new + shortest
    run.guards_step, run.guards_rested = run.step, 0


@inner
def changed_at_rest(run: LoopRecord) -> bool:
    """Look at the guards at the present state, before the step: whether one is broken or has changed while they rested
    by more than was foreseen.
    """
    found, now, before = False, run.guard_probe, run.guard_before
    run.clock[0] = run.t
    call(run.guards_kernel, run.clock, run.x, run.p, now, run.work)
    for g in range(run.n_guards):
        found = found or (run.guard_sign[g] != 0.0 and is_unforeseen(before[g], now[g]))
    if not found:
        copy(now, before, run.n_guards)
        run.guards_seen, run.guards_rested = run.t, 0
    return found


@inner
def first_broken(run: LoopRecord) -> float:
    """The first place in the step at which a guard is broken, zero where one may have been before; or infinite."""
    n, before, after, middle = run.n_guards, run.guard_before, run.guard_middle, run.guard_probe
    closer = broken_at(run, 1.0)
    copy(run.guard_probe, after, n)
    if not learn_rates(run, after) or closer:
        if run.guards_rested > 0:
            if changed_at_rest(run):
                return 0.0
            for g in range(n):
                run.guard_rate[g] = (after[g] - before[g]) / run.step
        closer = broken_at(run, 0.5) or closer
        for g in range(n):
            closer = closer or (run.guard_sign[g] != 0.0 and moves_much(before[g], middle[g], after[g]))
            found = bend_in_middle(before[g], middle[g], after[g], run.step)
            run.guard_bend[g] = max(run.guard_bend[g], found)
    if closer:
        return look_into_step(run)
    rest_from_here(run, after)
    return math.inf


@inner
def look_into_step(run: LoopRecord) -> float:
    """The first of more places in the step at which a guard is broken, its end where one may be; or infinite."""
    n, low, high, probe, sign = run.n_guards, run.guard_low, run.guard_high, run.guard_probe, run.guard_sign
    for g in range(n):
        low[g] = high[g] = sign[g] * run.guard_before[g]
    for i in range(1, PARTS + 1):
        if broken_at(run, i / PARTS):
            return i / PARTS
        for g in range(n):
            low[g], high[g] = min(low[g], sign[g] * probe[g]), max(high[g], sign[g] * probe[g])
    rest_from_here(run, probe)
    for g in range(n):
        if sign[g] != 0.0 and low[g] < GRAZES * (high[g] - low[g]):
            return 1.0
    return math.inf


@inner
def rests(run: LoopRecord) -> bool:
    """Whether the guards need not be looked at after this step: a look after another one will not be late."""
    return (
        run.t_new + IN_TIME * run.step <= run.guards_until
        and run.guards_rested < REST
        and run.t_new < run.t_stop
        and run.hit == 0
        and run.step >= SHORTER * run.guards_step
    )


@part_of(LoopRecord)
def watch_guards(run: LoopRecord) -> None:
    """Look at the step from `x` to `x_new`, or at `x` where the loop is about to return; where a guard is broken the
    run ends with an alarm.
    """
    n, sign, before = run.n_guards, run.guard_sign, run.guard_before
    if run.answer != at.RUNNING:
        since = run.guards_seen
        if changed_at_rest(run):
            run.alarm_since, run.alarm_until, run.answer = since, run.t, at.ALARM
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
    if run.t_new <= run.guards_from:  # here an alarm was false
        run.guards_known = 1
        return
    if rests(run):
        run.guards_rested += 1
        return
    s = first_broken(run)
    if s <= 1.0:
        run.alarm_since = run.guards_seen if s == 0.0 else run.t
        run.alarm_until = run.t_new if s == 1.0 else run.t + s * run.step
        run.answer = at.ALARM
