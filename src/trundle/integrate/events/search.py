"""Search for events inside a step (compiled): bracketed on the dense output, refined by actual steps."""

import math

from trundle.integrate import codes as at
from trundle.integrate.events.locate import crossing, relative_gap, values_at
from trundle.integrate.events.refine import cut_step, is_confirmed, is_inexact, refine, target_value
from trundle.integrate.events.zero import NO_GAP, NONE, POINTS, round_off, same_time, sign_of
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, call_table, inner, part_of, strict

UNSEEN = 1.1e-16  # of the largest coordinate: a smaller gap is round-off
DOUBTFUL = 16.0 * UNSEEN  # a smaller gap is round-off if the next bounce is hardly shorter


@strict
def has_passed(run: LoopRecord, e: int) -> bool:
    """Whether an event function has changed its sign by the end of the step although no root was found: up to
    round-off it fires at the same time.
    """
    after, direction = sign_of(run.g_start[e]), run.direction[e]
    return after != 0 and after == -run.turned[e] * run.sign[e] and (direction == 0 or direction == after)


@strict
def record_nan(run: LoopRecord) -> None:
    """Store when the functions of the user's events first were NaN at the end of a step."""
    for e in range(run.watched):
        if math.isnan(run.g_start[e]):
            run.lost[e] = min(run.lost[e], run.t + run.step)


@inner
def is_skipped(run: LoopRecord, e: int) -> bool:
    """Whether a step that ends at an event skips another one: a transition that must happen below zero and whose root
    moved when the step was shortened, or a landing that the whole step reverses before its first point.
    """
    if run.due[e] == 1:
        return run.sign[e] > 0 and run.g_probe[e] < at.OVERDUE
    ends = run.kind[e] == at.STRIKE or run.kind[e] == at.STOP
    return ends and run.g_probe[e] < min(run.g_start[e], 0.0) - NO_GAP


@inner
def first_crossing(run: LoopRecord) -> tuple[float, int]:
    """First root of the events of contacts and inputs, by signs at points along the step: its fraction of the step
    (NONE without one) and its event.
    """
    first, which, n_events, watched = NONE, -1, run.n_events, run.watched
    for i in range(1, POINTS + 1 if n_events > watched else 0):
        if i < POINTS:
            values_at(run, float(i) / POINTS, run.g_right)
        else:
            run.clock[0] = run.t + run.step
            call(run.events_kernel, run.clock, run.x_new, run.p, run.g_right, run.work)
        for e in range(watched, n_events):
            root = crossing(run, e, i)
            run.g_root[e] = root
            if root < first:
                first, which = root, e
        if which >= 0:
            break
        for e in range(n_events):
            run.g_before[e] = run.g_left[e]
            run.g_left[e] = run.g_right[e]
    return first, which


@inner
def accept_full_step(run: LoopRecord) -> None:
    """Accept the full step; signs become those at its end."""
    for e in range(run.n_events):
        run.g_start[e] = run.g_right[e]
        if target_value(run, e) == 0.0 or abs(run.g_right[e]) > -at.OVERDUE:
            # (unknown signs remain unknown if only the dense output has left zero)
            run.sign[e] = run.now[e]
        run.just[e] = 0
    record_nan(run)


@inner
def skips_another(run: LoopRecord, which: int, beyond: float) -> bool:
    """Whether the step that ends at an event skips another one, whose root is after this fraction."""
    run.clock[0] = run.t + run.step
    call(run.events_kernel, run.clock, run.x_new, run.p, run.g_probe, run.work)
    for e in range(run.watched, run.n_events if run.fixed == 0 else run.watched):
        if e != which and run.g_root[e] > beyond and is_skipped(run, e):
            return True
    return False


@inner
def mark_fired(run: LoopRecord, which: int, latest: float, moved: bool) -> None:
    """Mark the event, and those that fire with it: roots up to the fraction `latest`, or passed by a step of non-zero
    length. All signs become those at the end of the step.
    """
    for e in range(run.n_events):
        # A jump at the start of the step that will fire again is not simultaneous: now it would act on a state that
        # has not reached it yet, and be lost.
        again = run.just[e] == 1 and run.kind[e] in (at.JUMP, at.STRIKE)
        run.just[e] = 0
        if e == which or (run.g_root[e] <= latest and not again):
            # The function has the opposite sign from now on (a jump may change that).
            run.fired[e] = 1
            run.sign[e] = run.now[e]
            run.hit += 1
        elif e < run.watched and abs(run.g_start[e]) <= round_off(run, e, run.x_new):
            continue  # its sign is round-off
        elif e < run.watched and not again and moved and has_passed(run, e):
            run.fired[e] = 1
            run.sign[e] = sign_of(run.g_start[e])
            run.hit += 1
        elif run.kind[e] == at.STRIKE and run.g_start[e] < NO_GAP:
            continue  # its sign is round-off, or there is a slight overlap
        elif sign_of(run.g_start[e]) != 0:
            run.sign[e] = sign_of(run.g_start[e])


@part_of(LoopRecord)
def find_event(run: LoopRecord) -> None:
    """Find the first event in the step; HIT is the number of events that fire there.

    HIT is -1 if no step reaches the event, and -2 if an event with a jump repeats in less time than can be resolved:
    firing it again would act on a state that has not moved.
    """
    full = run.step
    for e in range(run.n_events):
        run.g_left[e] = run.g_start[e]
        run.now[e] = run.sign[e]
        run.fired[e] = 0
        run.turned[e] = 1
    first, which = first_crossing(run)
    together = same_time(run, run.t) / full
    if run.watched > 0:
        run.limit = min(1.0, first + together)
        call_table(run.bounded_part, run)
        if run.root < first:
            first, which = run.root, run.which
        elif run.cleared < min(1.0, first):  # a step beyond the first root of a contact would pass it
            cut_step(run)
            return
    if which < 0:
        accept_full_step(run)
        return

    bounces = run.just[which] == 1 and run.kind[which] == at.STRIKE
    gap = relative_gap(run, which, 0.5 * first) if bounces else 1.0
    if not refine(run, which, first) or not is_confirmed(run, which, full) or is_inexact(run):
        run.hit = -1
        return
    if skips_another(run, which, first + together):
        run.hit = -1  # a shorter step will reach it first
        return
    if run.step == 0.0 and run.just[which] == 1:
        if run.kind[which] != at.STRIKE:
            run.hit = -2
            return
        gap = 0.0
    if bounces and (gap <= UNSEEN or (gap <= DOUBTFUL and run.step > 0.999 * run.last_bounce)):
        run.plastic = 1  # bounces too small to be resolved: the body comes to rest
    if run.kind[which] == at.STRIKE:
        run.last_bounce = run.step if bounces else math.inf
    run.clock[0] = run.t + run.step
    call(run.events_kernel, run.clock, run.x_new, run.p, run.g_start, run.work)
    record_nan(run)
    # (a step may be shorter than the resolution of time: events without a root in it do not fire)
    mark_fired(run, which, min(1.0, first + together), run.step > together * full)
