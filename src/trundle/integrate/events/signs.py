"""Signs of the event functions at the start and after a jump (compiled)."""

from trundle.integrate import codes as at
from trundle.integrate.events.zero import NO_GAP, POINTS, at_limit, same_time, sign_of
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, copy, part_of, shifted, strict

NO_SPEED = 1e-9  # of the typical speed of the run: a slower approach is round-off
AT_ROOT = 1e-5  # of the change over the short interval ahead: an event closer to its root has not been moved


@strict
def rates_now(run: LoopRecord) -> None:
    """Rates of the user's event functions at the present state, by bounds over a box that is this point."""
    box = run.box
    n_x = run.n_x
    upper = shifted(box, 1 + 2 * n_x)
    for side in (box, upper):
        side[0] = run.t
        copy(run.x, shifted(side, 1), n_x)
        copy(run.k, shifted(side, 1 + n_x), n_x)
    address = run.enclosure_kernel
    call(address, run.clock, box, run.p, run.bounds, run.work)


@strict
def sign_after_jump(run: LoopRecord, e: int) -> int:
    """Sign of a user's event function at the start or after a jump: that of its rate if it is still at its root."""
    here, rate = run.g_start[e], run.bounds[2 * run.watched + e]
    reach = abs(rate) * same_time(run, run.t)
    if run.abrupt[e] == 0:
        reach = max(reach, 2.0 * run.g_root[e])
    at_root = here == 0.0 or (run.fired[e] == 1 and abs(here) <= reach)
    return sign_of(rate) if at_root else sign_of(here)


@part_of(LoopRecord)
def set_signs(run: LoopRecord) -> None:
    """Set the signs of the event functions at the start or after a jump: for an event that has fired and is still at
    its root by its slope, for one that its jump has moved away by its value.

    A jump may make others negative without a crossing: of those that must not be negative the lowest fires (HIT is 1).
    """
    x, p, k, sample = run.x, run.p, run.k, run.sample
    clock, work = run.clock, run.work
    events, n_events = run.events_kernel, run.n_events
    for e in range(n_events):
        # How far from zero an event was when it fired: what the search left of it.
        run.g_root[e] = abs(run.g_start[e]) if run.fired[e] == 1 else 0.0
    call(events, clock, x, p, run.g_start, work)
    # A state shortly ahead: close relative to the step, far relative to round-off.
    ahead = 1e-7 * run.h
    for m in range(run.n_x):
        sample[m] = x[m] + ahead * k[m]
    clock[0] = run.t + ahead
    call(events, clock, sample, p, run.g_probe, work)
    clock[0] = run.t
    if run.watched > 0:
        rates_now(run)
    impact, contact, evaluated = run.impact, -1, False
    for e in range(n_events):
        here, there = run.g_start[e], run.g_probe[e]
        strikes = run.kind[e] == at.STRIKE
        contact += int(strikes)
        if e < run.watched:
            run.sign[e] = sign_after_jump(run, e)
        elif strikes and abs(here) < NO_GAP:
            # An open contact without a gap separates, or strikes at once: in both cases its sign is positive. The sign
            # of one that only begins to separate is known as soon as there is a gap.
            if not evaluated:
                evaluated = True
                call(run.impact_kernel, clock, x, p, impact, work)
            run.sign[e] = int(abs(impact[3 * contact + 2]) > NO_SPEED * run.speed_scale)
        elif strikes:
            run.sign[e] = int(here > 0.0)  # an overlap is unknown until it grows
            if here > 0.0 and there < here:  # a long step might miss the landing, if the contact opens again
                run.h = max(min(run.h, 2.0 * POINTS * ahead * here / (here - there)), run.h_min)
        elif run.due[e] == 1 or at_limit(run, e):
            # Positive, or else it fires below or is beyond its limit, or its sign is unknown, too close to zero.
            run.sign[e] = int(here > -at.OVERDUE) if run.due[e] == 1 else int(here > NO_GAP) - int(here < -NO_GAP)
        elif abs(here) <= 2.0 * run.g_root[e] or (run.fired[e] == 1 and abs(here) <= AT_ROOT * abs(there - here)):
            run.sign[e] = sign_of(there - here)
        else:
            run.sign[e] = sign_of(here)
        run.just[e] = run.fired[e]
        run.fired[e] = 0
    lowest, which = at.OVERDUE, -1
    for e in range(n_events):
        if run.due[e] == 1 and run.g_start[e] < lowest:
            lowest, which = run.g_start[e], e
    run.hit = 0
    if which >= 0:
        run.fired[which] = 1
        run.g_start[which] = 0.0  # it is not at a root
        run.hit = 1
