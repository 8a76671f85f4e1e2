"""Moving the end of a step onto an event by actual steps of the method (compiled)."""

import math

from trundle.integrate import codes as at
from trundle.integrate.events.locate import value_at
from trundle.integrate.events.zero import round_off, same_time, sign_of
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, call_table, copy, shifted, strict

REFINEMENTS = 8  # secant steps onto an event
NEAREST, FARTHEST = 1e-8, 2e-6  # distances after an event function that jumps, relative to the step
HALVINGS = 60  # of the interval that contains an event, if the secant method does not converge


@strict
def real_step(run: LoopRecord, h: float) -> bool:
    """Take a step of this length from the start of the step; False if it fails."""
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
def target_value(run: LoopRecord, e: int) -> float:
    """Value at which an event fires: zero, or clearly below for functions that must not be negative if they start so
    close to zero that their sign is unknown.
    """
    return at.OVERDUE if run.due[e] == 1 and run.sign[e] == 0 else 0.0


@strict
def slope_before(run: LoopRecord, e: int, s: float) -> float:
    """Rate of an event function just before its root at the fraction s, measured over a shorter interval if it changes
    rapidly there.
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
    """Move the end of the step onto the event by the secant method in h; False if a step fails.

    If the slope jumps in the step, as at the end of sliding, the dense output and the secant can be inaccurate: then
    the interval between known steps before and after the event is halved.
    """
    x, x_new, k = run.x, run.x_new, run.k
    p, work, clock = run.p, run.work, run.clock
    n_x, full, aim = run.n_x, run.step, target_value(run, e)
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
    latest = run.limit * full if e < run.watched else full  # the first transition of a contact follows there
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
        # The slope of a gap that is nearly round-off is unknown: the root stays near that of the dense output.
        h = min(latest, max(0.5 * h, h + change))
        if run.kind[e] == at.STRIKE:
            h = min(max(h, 0.5 * s * full), 1.5 * s * full)
        if h == last_h:
            break
    if abrupt and not step_past_jump(run, e):
        return False
    if run.projection != at.NO_PROJECTION or run.end_in_step == 0:
        call(run.rhs_kernel, clock, x_new, p, shifted(k, run.end_row * n_x), work)
        run.rhs_calls += 1
    return True


@strict
def is_inexact(run: LoopRecord) -> bool:
    """Whether the step that ends at the event violates the tolerance although the whole step did not: slopes change
    fast there, as at the end of a slip, and shorter steps must come closer first.
    """
    return run.fixed == 0 and run.error > 1.0


@strict
def is_confirmed(run: LoopRecord, e: int, full: float) -> bool:
    """Whether an event function that must not be negative has reached zero at the end of the step, or just after it
    if it jumps there (then the step is extended).

    With stiff equations the dense output of the whole step may have a root that shorter steps do not have.
    """
    p = run.p
    clock, work, x_new = run.clock, run.work, run.x_new
    h = run.step
    if run.due[e] == 0 or h == 0.0:
        return True
    probe, aim = run.g_probe, target_value(run, e)
    clock[0] = run.t + h
    call(run.events_kernel, clock, x_new, p, probe, work)
    if probe[e] < (0.5 * aim if aim < 0.0 else -at.OVERDUE):
        return True
    # As little as possible: from the resolution of time on, or less if the whole step is hardly longer.
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
def step_past_jump(run: LoopRecord, e: int) -> bool:
    """Extend the step until it ends after the jump of an event function; False if a step fails."""
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
    """End the step at the point that the search for events has reached, without an event; HIT is -1 if that fails."""
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
