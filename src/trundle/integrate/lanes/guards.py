"""Guards along the steps of the runs in lanes (compiled), as those of a run alone (`integrate.guards`).

All lanes are looked at together: where one of them wants a look, so do the others. A lane with an alarm is given up, to
be run again alone.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.guards import (
    EVEN,
    FADES,
    GRAZES,
    IN_TIME,
    MUCH,
    PARTS,
    REST,
    SHORTER,
    bend_in_middle,
    cubic,
    is_unforeseen,
    moves_much,
    time_to_rest,
)
from trundle.integrate.record import LaneRecord
from trundle.kernel.pointers import Pointer, call, inner, shifted


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
def all_rest(run: LaneRecord) -> bool:
    """Whether the guards need not be looked at after the accepted step of any lane; a job that is new in its lane has
    none that rest.
    """
    found = True
    for lane in range(run.lanes):
        if run.accept[lane] == at.ACCEPTED:
            t, h = run.t[lane], run.h[lane]
            found = (
                found
                and run.guard_job[lane] == run.job[lane]
                and t + (1.0 + IN_TIME) * h <= run.guard_until[lane]
                and h < run.job_end[run.job[lane]] - t
                and run.guard_rested[lane] < REST
                and h >= SHORTER * run.guard_step[lane]
            )
    return found


@inner
def meet_jobs(run: LaneRecord) -> None:
    """Signs and values of the guards of jobs that are new in their lanes, at their starts."""
    w, accept, job, known, found = run.lanes, run.accept, run.job, run.guard_job, run.guard_probe
    fresh = False
    for lane in range(w):
        fresh = fresh or (accept[lane] == at.ACCEPTED and known[lane] != job[lane])
    if not fresh:
        return
    for lane in range(w):
        run.clock[lane] = run.t[lane]
    call(run.guards_kernel, run.clock, run.x, run.p, found, run.work)
    for lane in range(w):
        if accept[lane] == at.ACCEPTED and known[lane] != job[lane]:
            known[lane], run.guard_seen[lane] = job[lane], run.t[lane]
            run.guard_rated[lane], run.guard_rested[lane], run.guard_lapse[lane] = 0, 0, 0.0
            for g in range(run.n_guards):
                i, value = g * w + lane, found[g * w + lane]
                run.guard_before[i], run.guard_bend[i] = value, 0.0
                run.guard_sign[i] = math.copysign(1.0, value) if abs(value) > 0.0 else 0.0


@inner
def learn_lanes(run: LaneRecord) -> bool:
    """Rates and bends of the guards in all lanes with an accepted step; whether all have moved evenly and keep their
    signs.
    """
    w, before, after, rate, bend = run.lanes, run.guard_before, run.guard_probe, run.guard_rate, run.guard_bend
    lapse, per_time, per_turn, sign = run.guard_lapse, run.guard_per_time, run.guard_per_turn, run.guard_sign
    t, h, seen, accept, rated = run.t, run.h, run.guard_seen, run.accept, run.guard_rated
    uneven = 0
    for lane in range(w):
        last, on, known = lapse[lane], accept[lane] == at.ACCEPTED, rated[lane]
        now = t[lane] + h[lane] - seen[lane]
        lapse[lane] = now if on else last
        per_time[lane] = 1.0 / now if on else 0.0
        per_turn[lane] = known * 2.0 / (now + last)
        uneven |= int(on) & (1 - known)
        rated[lane] = known | int(on)
    for g in range(run.n_guards):
        for lane in range(w):
            i, on = g * w + lane, per_time[lane] > 0.0
            change = after[i] - before[i]
            now, least = change * per_time[lane], min(abs(before[i]), abs(after[i]))
            found = max(FADES * bend[i], per_turn[lane] * abs(now - rate[i]))
            even = (abs(change) <= MUCH * least) & (found * lapse[lane] * lapse[lane] <= EVEN * least)
            uneven |= int(on & ~(even & (sign[i] * after[i] >= 0.0)))
            rate[i] = now if on else rate[i]
            bend[i] = found if on else bend[i]
    return uneven == 0


@inner
def end_rests(run: LaneRecord) -> None:
    """Look at the guards that rest at the present states, before the steps; lanes in which one is broken or has changed
    by more than was foreseen become ALARMED.
    """
    w, before, now, after = run.lanes, run.guard_before, run.guard_middle, run.guard_probe
    rested = False
    for lane in range(w):
        rested = rested or (run.accept[lane] == at.ACCEPTED and run.guard_rested[lane] > 0)
    if not rested:
        return
    for lane in range(w):
        run.clock[lane] = run.t[lane]
    call(run.guards_kernel, run.clock, run.x, run.p, now, run.work)
    for lane in range(w):
        if run.accept[lane] == at.ACCEPTED and run.guard_rested[lane] > 0:
            for g in range(run.n_guards):
                i = g * w + lane
                if run.guard_sign[i] != 0.0 and is_unforeseen(before[i], now[i]):
                    run.accept[lane] = at.ALARMED
                before[i], run.guard_rate[i] = now[i], (after[i] - now[i]) / run.h[lane]
            run.guard_seen[lane], run.guard_lapse[lane], run.guard_rested[lane] = run.t[lane], run.h[lane], 0


@inner
def judge_middles(run: LaneRecord) -> bool:
    """Bends by the values in the middles of the steps; whether a guard has moved much."""
    w, before, middle, after = run.lanes, run.guard_before, run.guard_middle, run.guard_probe
    closer = False
    for g in range(run.n_guards):
        for lane in range(w):
            i = g * w + lane
            if run.accept[lane] == at.ACCEPTED and run.guard_sign[i] != 0.0:
                closer = closer or moves_much(before[i], middle[i], after[i])
                found = bend_in_middle(before[i], middle[i], after[i], run.h[lane])
                run.guard_bend[i] = max(run.guard_bend[i], found)
    return closer


@inner
def rest_lanes(run: LaneRecord) -> None:
    """The values of this look are kept, and say for how long the guards of each lane rest."""
    w, after, bend, lapse, shortest = run.lanes, run.guard_probe, run.guard_bend, run.guard_lapse, run.guard_per_time
    rate, sign, before, accept = run.guard_rate, run.guard_sign, run.guard_before, run.accept
    for lane in range(w):
        shortest[lane] = math.inf
    for g in range(run.n_guards):
        for lane in range(w):
            i = g * w + lane
            time = time_to_rest(after[i], abs(rate[i]) + 0.5 * lapse[lane] * bend[i], bend[i])
            shortest[lane] = min(shortest[lane], time if sign[i] != 0.0 else math.inf)
        for lane in range(w):
            i = g * w + lane
            before[i] = after[i] if accept[lane] == at.ACCEPTED else before[i]
    t, h, seen, until, step, rested = run.t, run.h, run.guard_seen, run.guard_until, run.guard_step, run.guard_rested
    for lane in range(w):
        on, t_new = accept[lane] == at.ACCEPTED, t[lane] + h[lane]
        seen[lane] = t_new if on else seen[lane]
        until[lane] = t_new + shortest[lane] if on else until[lane]
        step[lane] = h[lane] if on else step[lane]
        rested[lane] = 0 if on else rested[lane]


@inner
def watch_lanes(run: LaneRecord) -> None:
    """Look at the accepted steps of all lanes, before they are taken."""
    if all_rest(run):
        for lane in range(run.lanes):
            if run.accept[lane] == at.ACCEPTED:
                run.guard_rested[lane] += 1
        return
    meet_jobs(run)
    look_at_lanes(run, 1.0, run.guard_probe)
    if not learn_lanes(run):
        end_rests(run)
        look_at_lanes(run, 0.5, run.guard_middle)
        closer = judge_middles(run)
        note_broken(run, run.guard_middle)
        note_broken(run, run.guard_probe)
        if closer:
            look_closer(run)
    rest_lanes(run)
