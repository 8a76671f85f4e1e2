"""The end of a step moved onto an event by real steps of the method (compiled)."""

import math

from trundle.integrate import codes as at
from trundle.integrate.events.locate import value_at
from trundle.integrate.events.zero import round_off, same_time, sign_of
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, call_table, copy, shifted, strict

REFINEMENTS = 8  # secant steps onto an event
NEAREST, FARTHEST = 1e-8, 2e-6  # of the step, behind an event that jumps there
HALVINGS = 60  # of the steps between which an event lies, where the secant does not come to it


@strict
def real_step(run: LoopRecord, h: float) -> bool:
    """Take a step of the method from the start of the step; False where it fails."""
    x_new, sample, clock = run.x_new, run.sample, run.clock
    run.step = h
    call_table(run.step_part, run)
    if run.error == math.inf:
        return False
    clock[0] = run.t + h
    if run.projection != at.NO_PROJECTION:
        copy(x_new, sample, run.n_x)
        call_table(run.project_part, run)
        if run.projected == 0:
            return False
        copy(sample, x_new, run.n_x)
    return True


@strict
def aim_of(run: LoopRecord, e: int) -> float:
    """Value at which an event fires: zero, or clearly below where it is due and begins so close to zero that its sign
    is not known.
    """
    return at.OVERDUE if run.due[e] == 1 and run.sign[e] == 0 else 0.0


@strict
def slope_before(run: LoopRecord, e: int, s: float) -> float:
    """Rate of an event function just before its root at the fraction s; closer to it, where it is so steep that it
    turns within a short way.
    """
    near, g_s = 1e-4 * s, value_at(run, e, s)
    slope = (g_s - value_at(run, e, s - near)) / (near * run.step)
    if e < run.watched:
        near = 1e-7 * s
        change = g_s - value_at(run, e, s - near)
        if abs(change) > 10.0 * round_off(run, e, run.sample) and abs(change / (near * run.step)) > 2.0 * abs(slope):
            return change / (near * run.step)
    return slope


@strict
def refine(run: LoopRecord, e: int, s: float) -> bool:
    """Move the end of the step onto the event by secant steps in h; False where a step fails.

    Where the slope jumps in the step, as at the end of sliding, the dense output and the secant can be far off: then
    the steps before and behind the event that were seen are halved.
    """
    x, x_new, k = run.x, run.x_new, run.k
    p, work, clock = run.p, run.work, run.clock
    n_x, full, aim = run.n_x, run.step, aim_of(run, e)
    resolution = 2.0 * 2.2e-16 * max(abs(run.t), 1e-300)
    h = s * full
    if h <= resolution:
        # The event is at the start of the step itself.
        run.step = 0.0
        copy(x, x_new, n_x)
        copy(k, shifted(k, run.end_row * n_x), n_x)
        return True
    slope = slope_before(run, e, s)
    last_h, last_g = 0.0, 0.0
    abrupt = e < run.watched and run.abrupt[e] != 0
    near_sign = run.sign[e]
    crosses = near_sign != 0 and run.now[e] == -near_sign
    before, behind = 0.0, math.inf
    latest = run.limit * full if e < run.watched else full  # there comes the first transition of a contact
    for i in range(REFINEMENTS + HALVINGS):
        if not real_step(run, h):
            return False
        call(run.events_kernel, clock, x_new, p, run.g_probe, work)
        g_h = run.g_probe[e] - aim
        if abrupt:  # a function that jumps has no root
            break
        if sign_of(g_h) == near_sign:
            before = max(before, h)
        else:
            behind = min(behind, h)
        if i > 0 and g_h != last_g:
            secant = (g_h - last_g) / (h - last_h)
            # Near the root the difference is round-off: keep the slope where the two disagree.
            known = e < run.watched and abs(g_h - last_g) > 10.0 * round_off(run, e, x_new)
            if known or 0.5 < secant / slope < 2.0:
                slope = secant
        change = -g_h / slope if slope != 0.0 else 0.0
        halves = crosses and before < behind < math.inf
        if g_h == 0.0 or not abs(change) > resolution or (i >= REFINEMENTS - 1 and not halves):
            break
        last_h, last_g = h, g_h
        if i >= REFINEMENTS - 1:
            if behind - before <= resolution:
                break
            h = 0.5 * (before + behind)
            continue
        # Of a gap that is nearly round-off the slope is not known: the root stays near where the dense output has it.
        h = min(latest, max(0.5 * h, h + change))
        if run.kind[e] == at.STRIKE:
            h = min(max(h, 0.5 * s * full), 1.5 * s * full)
        if h == last_h:
            break
    if abrupt and not get_past(run, e):
        return False
    if run.projection != at.NO_PROJECTION or run.end_in_step == 0:
        call(run.rhs_kernel, clock, x_new, p, shifted(k, run.end_row * n_x), work)
        run.rhs_calls += 1
    return True


@strict
def is_inexact(run: LoopRecord) -> bool:
    """Whether the step that ends at the event misses the tolerance, though the whole step did not: slopes change fast
    there, as in the last of a slip, and shorter steps must come closer first.
    """
    return run.fixed == 0 and run.error > 1.0


@strict
def really(run: LoopRecord, e: int, full: float) -> bool:
    """Whether the function of an event that must not be negative has reached zero at the end of the step, or just
    behind it where it jumps there (the step is then made to end behind).

    Where equations are stiff the dense output of the whole step may show a root that no shorter step has.
    """
    p = run.p
    clock, work, x_new = run.clock, run.work, run.x_new
    h = run.step
    if run.due[e] == 0 or h == 0.0:
        return True
    probe, aim = run.g_probe, aim_of(run, e)
    clock[0] = run.t + h
    call(run.events_kernel, clock, x_new, p, probe, work)
    if probe[e] < (0.5 * aim if aim < 0.0 else -at.OVERDUE):
        return True
    # No farther than it has to be: from the resolution of the time on, or less where a whole step is hardly longer.
    further = min(1e-14 * max(abs(run.t), full), NEAREST * full)
    while further < FARTHEST * full:
        if not real_step(run, min(full, h + further)):
            return False
        call(run.events_kernel, clock, x_new, p, probe, work)
        if probe[e] < 0.5 * aim:
            call(run.rhs_kernel, clock, x_new, p, shifted(run.k, run.end_row * run.n_x), work)
            return True
        further *= 10.0
    return False


@strict
def get_past(run: LoopRecord, e: int) -> bool:
    """Make the step end behind the jump of an event function that has been looked at; False where a step fails."""
    p, work, clock = run.p, run.work, run.clock
    h = run.step
    after, further = run.now[e], same_time(run, run.t)
    while sign_of(run.g_probe[e]) == -after and further < 1e-3 * h:
        if not real_step(run, h + further):
            return False
        call(run.events_kernel, clock, run.x_new, p, run.g_probe, work)
        further *= 4.0
    return True


@strict
def cut_step(run: LoopRecord) -> None:
    """End the step where the search for events has come to, without an event; HIT is -1 where that fails."""
    x_new = run.x_new
    k, p, work, clock = run.k, run.p, run.work, run.clock
    n_events = run.n_events
    if not real_step(run, run.cleared * run.step):
        run.hit = -1
        return
    if run.projection != at.NO_PROJECTION or run.end_in_step == 0:
        call(run.rhs_kernel, clock, x_new, p, shifted(k, run.end_row * run.n_x), work)
        run.rhs_calls += 1
    call(run.events_kernel, clock, x_new, p, run.g_start, work)
    for e in range(n_events):
        after = sign_of(run.g_start[e])
        if e < run.watched:
            run.sign[e] = run.now[e]
        elif after != 0:
            run.sign[e] = after
        run.just[e] = 0
