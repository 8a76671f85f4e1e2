"""Search for events inside a step (compiled): bracketed on the dense output, refined by real steps."""

import math

from numba import njit

from trundle.integrate import layout as at
from trundle.integrate.bookkeeping import before_jump
from trundle.kernel.pointers import Pointer, call, call_table, copy, part, reals, shifted, wholes

POINTS = 7  # places in a step where the event functions are looked at: six inside and the end
NONE = 2.0  # a fraction of the step that means: no root
REFINEMENTS = 8
CLOSE_LIMIT = 20  # so many events in a row within the smallest step are an accumulation
NO_GAP = 1e-12  # m, which is round-off
NO_SPEED = 1e-9  # m/s, likewise
AT_ROOT = 1e-5  # of the short way that tells a slope: an event closer to its root than this has not been moved
SAME_TIME = 1e-12  # events closer than this (relative to the time) happen together


@njit(error_model="numpy")
def sign_of(value: float) -> int:
    return int(value > 0.0) - int(value < 0.0)


@njit(error_model="numpy", fastmath={"contract"})
def values_at(table: Pointer, s: float, row: int) -> None:
    """Event functions at the fraction `s` of the step by dense output, into a row of g."""
    n, r, g = wholes(table[at.M_N]), reals(table[at.M_R]), reals(table[at.M_G])
    x, dense, sample = reals(table[at.M_X]), reals(table[at.M_DENSE]), reals(table[at.M_SAMPLE])
    clock = reals(table[at.M_CLOCK])
    n_x, last = n[at.N_X], n[at.DENSE] - 1
    for m in range(n_x):
        y = dense[last * n_x + m]
        for j in range(last - 1, -1, -1):
            y = dense[j * n_x + m] + (1.0 - s if j % 2 == 0 else s) * y
        sample[m] = x[m] + s * y
    clock[0] = r[at.T] + s * r[at.STEP]
    address = wholes(table[at.M_ADDRESS])[at.A_EVENTS]
    call(address, clock, sample, reals(table[at.M_P]), shifted(g, row * n[at.EVENTS]), reals(table[at.M_WORK]))


@njit(error_model="numpy")
def value_at(table: Pointer, e: int, s: float) -> float:
    values_at(table, s, at.G_PROBE)
    return reals(table[at.M_G])[at.G_PROBE * wholes(table[at.M_N])[at.EVENTS] + e]


@njit(error_model="numpy")
def locate(table: Pointer, e: int, a: float, b: float, before: int) -> float:
    """Root of event function e between the fractions a and b; its sign is `before` just after a and the other at b."""
    g_a, g_b = value_at(table, e, a), value_at(table, e, b)
    n_events, flags = wholes(table[at.M_N])[at.EVENTS], wholes(table[at.M_FLAGS])
    no_gap = flags[at.KIND * n_events + e] == at.STRIKE and abs(g_a) < NO_GAP
    if sign_of(g_a) != before or no_gap:
        # At a the function is zero but for round-off (an event just happened): look for its true sign closer to a.
        width, found = b - a, False
        for _ in range(60):
            width *= 0.5
            g_s = value_at(table, e, a + width)
            if sign_of(g_s) == before:
                a, g_a, found = a + width, g_s, True
                break
            b, g_b = a + width, g_s
        if not found:
            return a
    side = 0
    for _ in range(80):
        if b - a <= 1e-14 * b:
            break
        s = (a * g_b - b * g_a) / (g_b - g_a)  # Illinois: the end that stays is given half its value
        if not a < s < b:
            s = 0.5 * (a + b)
        g_s = value_at(table, e, s)
        if g_s == 0.0:
            return s
        if sign_of(g_s) == before:
            a, g_a = s, g_s
            if side == 1:
                g_b *= 0.5
            side = 1
        else:
            b, g_b = s, g_s
            if side == -1:
                g_a *= 0.5
            side = -1
    return b


@njit(error_model="numpy")
def overlap(table: Pointer, e: int, a: float, b: float, deepest: float) -> float:
    """Where a value has fallen below `deepest`, which it is at b."""
    for _ in range(60):
        s = 0.5 * (a + b)
        if value_at(table, e, s) < deepest:
            b = s
        else:
            a = s
    return b


@njit(error_model="numpy")
def crossing(table: Pointer, e: int, i: int) -> float:
    """Root of event function e in the cell that ends at point i, or where it dips through zero and back around it.

    NOW becomes the sign on the far side of the root.
    """
    n_events = wholes(table[at.M_N])[at.EVENTS]
    g, flags = reals(table[at.M_G]), wholes(table[at.M_FLAGS])
    now, direction = flags[at.NOW * n_events + e], flags[at.DIRECTION * n_events + e]
    left, right = g[at.G_LEFT * n_events + e], g[at.G_RIGHT * n_events + e]
    after = sign_of(right)
    if now == 0:
        # Unknown until it has clearly left zero; what must not be below zero fires when it is.
        if flags[at.KIND * n_events + e] == at.STRIKE or flags[at.DUE * n_events + e] == 1:
            least = NO_GAP if flags[at.KIND * n_events + e] == at.STRIKE else -at.OVERDUE
            if abs(right) > least:
                flags[at.NOW * n_events + e] = after
            deepest = -least
            if flags[at.KIND * n_events + e] == at.STRIKE:
                # An open contact may overlap a little, where another one has closed: it strikes as soon as that grows.
                deepest += min(g[at.G_START * n_events + e], 0.0)
                flags[at.NOW * n_events + e] = int(right > NO_GAP)
            return overlap(table, e, (i - 1.0) / POINTS, float(i) / POINTS, deepest) if right < deepest else NONE
        if abs(right) > 4.0 * abs(g[at.G_START * n_events + e]):
            flags[at.NOW * n_events + e] = after
        return NONE
    if after == -now:
        flags[at.NOW * n_events + e] = after
        if direction == 0 or direction == after:
            return locate(table, e, (i - 1.0) / POINTS, float(i) / POINTS, now)
        return NONE
    before = g[at.G_BEFORE * n_events + e]
    # At the start of the step the value may be round-off: there the remembered sign counts.
    sign_before = flags[at.SIGN * n_events + e] if i == 2 else sign_of(before)
    if i < 2 or after != now or sign_before != now:
        return NONE
    # All three points lie on one side: does the parabola through them come near zero between them?
    bend = 0.5 * (before - 2.0 * left + right)
    slope = 0.5 * (right - before)
    if now * bend <= 0.0 or abs(slope) >= 2.0 * abs(bend):
        return NONE
    lowest = left - slope * slope / (4.0 * bend)
    if now * lowest > 0.3 * min(abs(before), abs(left), abs(right)):
        return NONE
    bottom = (i - 1.0 - slope / (2.0 * bend)) / POINTS
    if sign_of(value_at(table, e, bottom)) != -now:
        return NONE
    if direction == now:
        return locate(table, e, bottom, float(i) / POINTS, -now)
    flags[at.NOW * n_events + e] = -now
    return locate(table, e, (i - 2.0) / POINTS, bottom, now)


@njit(error_model="numpy")
def real_step(table: Pointer, h: float) -> bool:
    """Take a step of the method from the start of the step; False where it fails."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    x_new, sample, clock = reals(table[at.M_X_NEW]), reals(table[at.M_SAMPLE]), reals(table[at.M_CLOCK])
    address = wholes(table[at.M_ADDRESS])
    r[at.STEP] = h
    call_table(address[at.A_STEP], table)
    if r[at.ERROR] == math.inf:
        return False
    clock[0] = r[at.T] + h
    if n[at.PROJECTION] != at.NO_PROJECTION:
        copy(x_new, sample, n[at.N_X])
        call_table(address[at.A_BRING], table)
        if c[at.PROJECTED] == 0:
            return False
        copy(sample, x_new, n[at.N_X])
    return True


@njit(error_model="numpy")
def aim_of(table: Pointer, e: int) -> float:
    """Value at which an event fires: zero, or clearly below where it is due and begins so close to zero that its sign
    is not known.
    """
    n_events, flags = wholes(table[at.M_N])[at.EVENTS], wholes(table[at.M_FLAGS])
    return at.OVERDUE if flags[at.DUE * n_events + e] == 1 and flags[at.SIGN * n_events + e] == 0 else 0.0


@njit(error_model="numpy")
def refine(table: Pointer, e: int, s: float) -> bool:
    """Move the end of the step onto the event by secant steps in h; False where a step fails."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    x, x_new, k = reals(table[at.M_X]), reals(table[at.M_X_NEW]), reals(table[at.M_K])
    g, p, work, clock = reals(table[at.M_G]), reals(table[at.M_P]), reals(table[at.M_WORK]), reals(table[at.M_CLOCK])
    address = wholes(table[at.M_ADDRESS])
    n_x, n_events, full, aim = n[at.N_X], n[at.EVENTS], r[at.STEP], aim_of(table, e)
    resolution = 2.0 * 2.2e-16 * max(abs(r[at.T]), 1e-300)
    h = s * full
    if h <= resolution:
        # The event is at the start of the step itself.
        r[at.STEP] = 0.0
        copy(x, x_new, n_x)
        copy(k, shifted(k, n[at.END_ROW] * n_x), n_x)
        return True
    near = 1e-4 * s
    slope = (value_at(table, e, s) - value_at(table, e, s - near)) / (near * full)
    last_h, last_g = 0.0, 0.0
    abrupt = e < n[at.WATCHED] and wholes(table[at.M_FLAGS])[at.ABRUPT * n_events + e] == 1
    for i in range(REFINEMENTS):
        if not real_step(table, h):
            return False
        call(address[at.A_EVENTS], clock, x_new, p, shifted(g, at.G_PROBE * n_events), work)
        g_h = g[at.G_PROBE * n_events + e] - aim
        if abrupt:  # a function that jumps has no root
            break
        if i > 0 and g_h != last_g:
            secant = (g_h - last_g) / (h - last_h)
            # Near the root the difference is round-off: keep the slope where the two disagree.
            if 0.5 < secant / slope < 2.0:
                slope = secant
        change = -g_h / slope if slope != 0.0 else 0.0
        if g_h == 0.0 or not abs(change) > resolution or i == REFINEMENTS - 1:
            break
        last_h, last_g = h, g_h
        # Of a gap that is nearly round-off the slope is not known: the root stays near where the dense output has it.
        h = min(full, max(0.5 * h, h + change))
        if wholes(table[at.M_FLAGS])[at.KIND * n_events + e] == at.STRIKE:
            h = min(max(h, 0.5 * s * full), 1.5 * s * full)
        if h == last_h:
            break
    if abrupt and not get_past(table, e):
        return False
    if n[at.PROJECTION] != at.NO_PROJECTION or n[at.END_IN_STEP] == 0:
        call(address[at.A_RHS], clock, x_new, p, shifted(k, n[at.END_ROW] * n_x), work)
        c[at.RHS] += 1
    return True


@njit(error_model="numpy")
def really(table: Pointer, e: int, full: float) -> bool:
    """Whether an event that must not be below zero has come to zero at the end of the step, or just behind it where it
    jumps there (the step is then made to end behind).

    Where equations are stiff the dense output of the whole step may show a root that no shorter step has.
    """
    n, r = wholes(table[at.M_N]), reals(table[at.M_R])
    g, flags, p = reals(table[at.M_G]), wholes(table[at.M_FLAGS]), reals(table[at.M_P])
    clock, work, x_new = reals(table[at.M_CLOCK]), reals(table[at.M_WORK]), reals(table[at.M_X_NEW])
    address, n_events, h = wholes(table[at.M_ADDRESS]), n[at.EVENTS], r[at.STEP]
    if flags[at.DUE * n_events + e] == 0 or h == 0.0:
        return True
    probe, aim = shifted(g, at.G_PROBE * n_events), aim_of(table, e)
    clock[0] = r[at.T] + h
    call(address[at.A_EVENTS], clock, x_new, p, probe, work)
    if probe[e] < (0.5 * aim if aim < 0.0 else -at.OVERDUE):
        return True
    if not real_step(table, min(full, h + 1e-6 * full)):
        return False
    call(address[at.A_EVENTS], clock, x_new, p, probe, work)
    slope = shifted(reals(table[at.M_K]), n[at.END_ROW] * n[at.N_X])
    call(address[at.A_RHS], clock, x_new, p, slope, work)
    return probe[e] < 0.5 * aim


@njit(error_model="numpy")
def get_past(table: Pointer, e: int) -> bool:
    """Make the step end behind the jump of an event function that has been looked at; False where a step fails."""
    n, r = wholes(table[at.M_N]), reals(table[at.M_R])
    g, p, work, clock = reals(table[at.M_G]), reals(table[at.M_P]), reals(table[at.M_WORK]), reals(table[at.M_CLOCK])
    n_events, h = n[at.EVENTS], r[at.STEP]
    after, further = wholes(table[at.M_FLAGS])[at.NOW * n_events + e], SAME_TIME * max(1.0, abs(r[at.T]))
    address = wholes(table[at.M_ADDRESS])
    while sign_of(g[at.G_PROBE * n_events + e]) == -after and further < 1e-3 * h:
        if not real_step(table, h + further):
            return False
        call(address[at.A_EVENTS], clock, reals(table[at.M_X_NEW]), p, shifted(g, at.G_PROBE * n_events), work)
        further *= 4.0
    return True


@njit(error_model="numpy")
def round_off(table: Pointer, e: int, state: Pointer) -> float:
    """A bound of the round-off in the value of a user's event function at a state and the time of CLOCK."""
    n, g, clock = wholes(table[at.M_N]), reals(table[at.M_G]), reals(table[at.M_CLOCK])
    address = wholes(table[at.M_ADDRESS])[at.A_ROUND_OFF]
    noise = shifted(g, at.G_NOISE * n[at.EVENTS])
    call(address, clock, state, reals(table[at.M_P]), noise, reals(table[at.M_WORK]))
    return 4.0 * noise[e]


@njit(error_model="numpy")
def has_passed(table: Pointer, e: int) -> bool:
    """Whether an event has changed its sign by the end of the step though no root was found before: it is due at this
    same time but for round-off.
    """
    n_events = wholes(table[at.M_N])[at.EVENTS]
    g, flags = reals(table[at.M_G]), wholes(table[at.M_FLAGS])
    after, direction = sign_of(g[at.G_START * n_events + e]), flags[at.DIRECTION * n_events + e]
    return after != 0 and after == -flags[at.SIGN * n_events + e] and (direction == 0 or direction == after)


@njit(error_model="numpy")
def cut_step(table: Pointer) -> None:
    """End the step where the search for events has come to, without an event; HIT is -1 where that fails."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    g, flags, x_new = reals(table[at.M_G]), wholes(table[at.M_FLAGS]), reals(table[at.M_X_NEW])
    k, p, work, clock = reals(table[at.M_K]), reals(table[at.M_P]), reals(table[at.M_WORK]), reals(table[at.M_CLOCK])
    address, n_events = wholes(table[at.M_ADDRESS]), n[at.EVENTS]
    if not real_step(table, r[at.CLEARED] * r[at.STEP]):
        c[at.HIT] = -1
        return
    if n[at.PROJECTION] != at.NO_PROJECTION or n[at.END_IN_STEP] == 0:
        call(address[at.A_RHS], clock, x_new, p, shifted(k, n[at.END_ROW] * n[at.N_X]), work)
        c[at.RHS] += 1
    call(address[at.A_EVENTS], clock, x_new, p, shifted(g, at.G_START * n_events), work)
    for e in range(n_events):
        after = sign_of(g[at.G_START * n_events + e])
        if e < n[at.WATCHED]:
            flags[at.SIGN * n_events + e] = flags[at.NOW * n_events + e]
        elif after != 0:
            flags[at.SIGN * n_events + e] = after
        flags[at.JUST * n_events + e] = 0


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

    if not refine(table, which, first) or not really(table, which, full):
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


@njit(error_model="numpy")
def rates_now(table: Pointer) -> None:
    """Rates of the user's event functions at the present state, by bounds over a box that is this point."""
    n, r, box = wholes(table[at.M_N]), reals(table[at.M_R]), reals(table[at.M_BOX])
    n_x = n[at.N_X]
    upper = shifted(box, 1 + 2 * n_x)
    for side in (box, upper):
        side[0] = r[at.T]
        copy(reals(table[at.M_X]), shifted(side, 1), n_x)
        copy(reals(table[at.M_K]), shifted(side, 1 + n_x), n_x)
    address = wholes(table[at.M_ADDRESS])[at.A_ENCLOSURE]
    call(
        address, reals(table[at.M_CLOCK]), box, reals(table[at.M_P]), reals(table[at.M_BOUNDS]), reals(table[at.M_WORK])
    )


@njit(error_model="numpy")
def sign_after_jump(table: Pointer, e: int) -> int:
    """Sign of a user's event function at the start or after a jump: that of its rate where it is still at its root."""
    n, r, g = wholes(table[at.M_N]), reals(table[at.M_R]), reals(table[at.M_G])
    flags, n_events = wholes(table[at.M_FLAGS]), n[at.EVENTS]
    here, rate = g[at.G_START * n_events + e], reals(table[at.M_BOUNDS])[2 * n[at.WATCHED] + e]
    reach = abs(rate) * SAME_TIME * max(1.0, abs(r[at.T]))
    if flags[at.ABRUPT * n_events + e] == 0:
        reach = max(reach, 2.0 * g[at.G_ROOT * n_events + e])
    at_root = here == 0.0 or (flags[at.FIRED * n_events + e] == 1 and abs(here) <= reach)
    return sign_of(rate) if at_root else sign_of(here)


@part
def set_signs(table: Pointer) -> None:
    """Signs of the event functions at the start or after a jump; one that has fired and is still at its root is known
    by its slope, one that its own jump has moved away by its value.

    A jump may put others beyond zero without a crossing: of those that are due then the lowest fires (HIT is 1).
    """
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    g, flags = reals(table[at.M_G]), wholes(table[at.M_FLAGS])
    x, p, k, sample = reals(table[at.M_X]), reals(table[at.M_P]), reals(table[at.M_K]), reals(table[at.M_SAMPLE])
    clock, work = reals(table[at.M_CLOCK]), reals(table[at.M_WORK])
    events, n_events = wholes(table[at.M_ADDRESS])[at.A_EVENTS], n[at.EVENTS]
    for e in range(n_events):
        # How far from zero an event was when it fired: what the search left of it.
        g[at.G_ROOT * n_events + e] = abs(g[at.G_START * n_events + e]) if flags[at.FIRED * n_events + e] == 1 else 0.0
    call(events, clock, x, p, shifted(g, at.G_START * n_events), work)
    # A short way along the slope: short against the step, long against round-off.
    ahead = 1e-7 * r[at.H]
    for m in range(n[at.N_X]):
        sample[m] = x[m] + ahead * k[m]
    clock[0] = r[at.T] + ahead
    call(events, clock, sample, p, shifted(g, at.G_PROBE * n_events), work)
    clock[0] = r[at.T]
    if n[at.WATCHED] > 0:
        rates_now(table)
    impact, contact, asked = reals(table[at.M_IMPACT]), -1, False
    for e in range(n_events):
        here, there = g[at.G_START * n_events + e], g[at.G_PROBE * n_events + e]
        strikes = flags[at.KIND * n_events + e] == at.STRIKE
        contact += int(strikes)
        if e < n[at.WATCHED]:
            flags[at.SIGN * n_events + e] = sign_after_jump(table, e)
        elif strikes and abs(here) < NO_GAP:
            # A contact without a gap that is open leaves, or strikes at once: either way it comes from above. One that
            # only begins to leave is known when there is a gap.
            if not asked:
                asked = True
                call(wholes(table[at.M_ADDRESS])[at.A_IMPACT], clock, x, p, impact, work)
            flags[at.SIGN * n_events + e] = int(abs(impact[3 * contact + 2]) > NO_SPEED)
        elif strikes:
            flags[at.SIGN * n_events + e] = int(here > 0.0)  # an overlap is unknown until it grows
            if here > 0.0 and there < here:  # a long step would look for it too late, when it may be back
                r[at.H] = max(min(r[at.H], 2.0 * POINTS * ahead * here / (here - there)), r[at.H_MIN])
        elif flags[at.DUE * n_events + e] == 1:
            # What must not be below zero is above it, or else due, or so close that this has to show.
            flags[at.SIGN * n_events + e] = int(here > -at.OVERDUE)
        elif abs(here) <= 2.0 * g[at.G_ROOT * n_events + e] or (
            flags[at.FIRED * n_events + e] == 1 and abs(here) <= AT_ROOT * abs(there - here)
        ):
            flags[at.SIGN * n_events + e] = sign_of(there - here)
        else:
            flags[at.SIGN * n_events + e] = sign_of(here)
        flags[at.JUST * n_events + e] = flags[at.FIRED * n_events + e]
        flags[at.FIRED * n_events + e] = 0
    lowest, which = at.OVERDUE, -1
    for e in range(n_events):
        if flags[at.DUE * n_events + e] == 1 and g[at.G_START * n_events + e] < lowest:
            lowest, which = g[at.G_START * n_events + e], e
    c[at.HIT] = 0
    if which >= 0:
        flags[at.FIRED * n_events + which] = 1
        g[at.G_START * n_events + which] = 0.0  # it has not come to a root
        c[at.HIT] = 1


@part
def fire(table: Pointer) -> None:
    """Log the events that fired at the present time, in the order of their index, and do what their kind asks."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    x, p, clock, work = reals(table[at.M_X]), reals(table[at.M_P]), reals(table[at.M_CLOCK]), reals(table[at.M_WORK])
    flags, jumps, jumped = wholes(table[at.M_FLAGS]), wholes(table[at.M_JUMPS]), reals(table[at.M_JUMPED])
    event_index, event_t = wholes(table[at.M_EVENT_INDEX]), reals(table[at.M_EVENT_T])
    event_x, event_p = reals(table[at.M_EVENT_X]), reals(table[at.M_EVENT_P])
    event_work, event_lost = reals(table[at.M_EVENT_WORK]), reals(table[at.M_EVENT_LOST])
    n_x, n_events = n[at.N_X], n[at.EVENTS]
    last = False  # what ends the run happens alone
    for e in range(n_events):
        last = last or (flags[at.FIRED * n_events + e] == 1 and flags[at.KIND * n_events + e] == at.STOP)
    for e in range(n_events):
        if flags[at.FIRED * n_events + e] == 1 and (not last or flags[at.KIND * n_events + e] in (at.STOP, at.RECORD)):
            row = c[at.LOGGED]
            event_index[row] = e
            event_t[row] = r[at.T]
            copy(x, shifted(event_x, row * n_x), n_x)
            copy(p, shifted(event_p, row * n[at.N_P]), n[at.N_P])
            event_work[row], event_lost[row] = 0.0, 0.0
            c[at.LOGGED] += 1
            kind = flags[at.KIND * n_events + e]
            if kind == at.STOP:
                c[at.ANSWER] = at.EVENT_STOP
            elif kind == at.RETURN and c[at.ANSWER] == at.RUNNING:
                c[at.ANSWER] = at.EVENT_RETURN
                before_jump(table)
            elif kind == at.JUMP:
                if e < n[at.GIVEN]:
                    before_jump(table)
                clock[0] = r[at.T]
                call(jumps[e], clock, x, p, jumped, work)
                copy(jumped, x, n_x)
                copy(shifted(jumped, n_x), p, n[at.N_P])
            elif kind == at.STRIKE:
                call_table(wholes(table[at.M_ADDRESS])[at.A_STRIKE], table)
            elif kind == at.DECIDE:
                call_table(wholes(table[at.M_ADDRESS])[at.A_DECIDE], table)
            if kind != at.RECORD:
                c[at.PENDING] = 1
    close = r[at.T] - r[at.T_EVENT] <= max(r[at.H_MIN], 1e-14 * abs(r[at.T]))
    c[at.CLOSE] = c[at.CLOSE] + 1 if close else 0
    r[at.T_EVENT] = r[at.T]
    if c[at.CLOSE] >= CLOSE_LIMIT:
        c[at.ANSWER] = at.ZENO
    if c[at.LOGGED] >= n[at.MAX_EVENTS] and c[at.ANSWER] == at.RUNNING:
        c[at.ANSWER] = at.TOO_MANY_EVENTS
