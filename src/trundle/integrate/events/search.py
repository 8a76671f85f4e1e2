"""Search for events inside a step (compiled): bracketed on the dense output, refined by real steps."""

from numba import njit

from trundle.integrate import layout as at
from trundle.integrate.events.locate import NO_GAP, NONE, POINTS, SAME_TIME, crossing, sign_of, values_at
from trundle.integrate.events.refine import aim_of, cut_step, is_inexact, really, refine
from trundle.integrate.events.round_off import round_off
from trundle.kernel.pointers import Pointer, call, call_table, part, reals, shifted, wholes


@njit(error_model="numpy")
def has_passed(table: Pointer, e: int) -> bool:
    """Whether an event has changed its sign by the end of the step though no root was found before: it is due at this
    same time but for round-off.
    """
    n_events = wholes(table[at.M_N])[at.EVENTS]
    g, flags = reals(table[at.M_G]), wholes(table[at.M_FLAGS])
    after, direction = sign_of(g[at.G_START * n_events + e]), flags[at.DIRECTION * n_events + e]
    return after != 0 and after == -flags[at.SIGN * n_events + e] and (direction == 0 or direction == after)


@part
def find_event(table: Pointer) -> None:
    """Find the first event in the step; HIT counts the events that fire there.

    HIT is -1 where no step reaches the event, and -2 where an event that has just jumped comes back in less time than
    can be told: firing it again would act on a state that has not moved.
    """
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    g, flags, x_new = reals(table[at.M_G]), wholes(table[at.M_FLAGS]), reals(table[at.M_X_NEW])
    p, clock, work = reals(table[at.M_P]), reals(table[at.M_CLOCK]), reals(table[at.M_WORK])
    events, n_events, full = wholes(table[at.M_ADDRESS])[at.A_EVENTS], n[at.EVENTS], r[at.STEP]
    for e in range(n_events):
        g[at.G_LEFT * n_events + e] = g[at.G_START * n_events + e]
        flags[at.NOW * n_events + e] = flags[at.SIGN * n_events + e]
        flags[at.FIRED * n_events + e] = 0
    first, which, watched = NONE, -1, n[at.WATCHED]
    for i in range(1, POINTS + 1 if n_events > watched else 0):
        if i < POINTS:
            values_at(table, float(i) / POINTS, at.G_RIGHT)
        else:
            clock[0] = r[at.T] + full
            call(events, clock, x_new, p, shifted(g, at.G_RIGHT * n_events), work)
        for e in range(watched, n_events):
            root = crossing(table, e, i)
            g[at.G_ROOT * n_events + e] = root
            if root < first:
                first, which = root, e
        if which >= 0:
            break
        for e in range(n_events):
            g[at.G_BEFORE * n_events + e] = g[at.G_LEFT * n_events + e]
            g[at.G_LEFT * n_events + e] = g[at.G_RIGHT * n_events + e]
    together = SAME_TIME * max(1.0, abs(r[at.T])) / full
    if watched > 0:
        r[at.LIMIT] = min(1.0, first + together)
        call_table(wholes(table[at.M_ADDRESS])[at.A_BOUNDED], table)
        if r[at.ROOT] < first:
            first, which = r[at.ROOT], c[at.WHICH]
        elif r[at.CLEARED] < r[at.LIMIT]:
            cut_step(table)
            return
    if which < 0:
        for e in range(n_events):
            g[at.G_START * n_events + e] = g[at.G_RIGHT * n_events + e]
            if aim_of(table, e) == 0.0 or abs(g[at.G_RIGHT * n_events + e]) > -at.OVERDUE:
                # (what was not known stays so where only the dense output has left zero)
                flags[at.SIGN * n_events + e] = flags[at.NOW * n_events + e]
            flags[at.JUST * n_events + e] = 0
        return

    if not refine(table, which, first) or not really(table, which, full) or is_inexact(table):
        c[at.HIT] = -1
        return
    if r[at.STEP] == 0.0 and flags[at.JUST * n_events + which] == 1:
        if flags[at.KIND * n_events + which] != at.STRIKE:
            c[at.HIT] = -2
            return
        c[at.PLASTIC] = 1  # bounces too small to be told from each other: the body comes to rest
    clock[0] = r[at.T] + r[at.STEP]
    call(events, clock, x_new, p, shifted(g, at.G_START * n_events), work)
    for e in range(n_events):
        # A jump at the start of the step that is due again is no coincidence: at the time of the other it would act on
        # a state that has not come to it yet, and be lost.
        again = flags[at.JUST * n_events + e] == 1 and flags[at.KIND * n_events + e] in (at.JUMP, at.STRIKE)
        flags[at.JUST * n_events + e] = 0
        if e == which or (g[at.G_ROOT * n_events + e] <= first + together and not again):
            # What passes through zero is on the other side from now on (a jump may change that).
            flags[at.FIRED * n_events + e] = 1
            flags[at.SIGN * n_events + e] = flags[at.NOW * n_events + e]
            c[at.HIT] += 1
        elif e < watched and abs(g[at.G_START * n_events + e]) <= round_off(table, e, x_new):
            continue  # its sign is round-off
        elif e < watched and not again and r[at.STEP] > together * full and has_passed(table, e):
            flags[at.FIRED * n_events + e] = 1
            flags[at.SIGN * n_events + e] = -flags[at.SIGN * n_events + e]
            c[at.HIT] += 1
        elif flags[at.KIND * n_events + e] == at.STRIKE and g[at.G_START * n_events + e] < NO_GAP:
            continue  # its sign is round-off, or it overlaps a little
        elif sign_of(g[at.G_START * n_events + e]) != 0:
            flags[at.SIGN * n_events + e] = sign_of(g[at.G_START * n_events + e])
