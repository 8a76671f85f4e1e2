"""Roots of event functions on the dense output of a step (compiled)."""

from numba import njit

from trundle.integrate import layout as at
from trundle.kernel.pointers import Pointer, call, reals, shifted, wholes

POINTS = 7  # places in a step where the event functions are looked at: six inside and the end
NONE = 2.0  # a fraction of the step that means: no root
NO_GAP = 1e-12  # m, which is round-off
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
