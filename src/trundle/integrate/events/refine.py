"""The end of a step moved onto an event by real steps of the method (compiled)."""

import math

from numba import njit

from trundle.integrate import layout as at
from trundle.integrate.events.locate import SAME_TIME, sign_of, value_at
from trundle.kernel.pointers import Pointer, call, call_table, copy, reals, shifted, wholes

REFINEMENTS = 8  # secant steps onto an event
HALVINGS = 60  # of the steps between which an event lies, where the secant does not come to it


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
    """Move the end of the step onto the event by secant steps in h; False where a step fails.

    Where the slope jumps in the step, as at the end of sliding, the dense output and the secant can be far off: then
    the steps before and behind the event that were seen are halved.
    """
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
    flags = wholes(table[at.M_FLAGS])
    abrupt = e < n[at.WATCHED] and flags[at.ABRUPT * n_events + e] == 1
    near_sign = flags[at.SIGN * n_events + e]
    crosses = near_sign != 0 and flags[at.NOW * n_events + e] == -near_sign
    before, behind = 0.0, math.inf
    for i in range(REFINEMENTS + HALVINGS):
        if not real_step(table, h):
            return False
        call(address[at.A_EVENTS], clock, x_new, p, shifted(g, at.G_PROBE * n_events), work)
        g_h = g[at.G_PROBE * n_events + e] - aim
        if abrupt:  # a function that jumps has no root
            break
        if sign_of(g_h) == near_sign:
            before = max(before, h)
        else:
            behind = min(behind, h)
        if i > 0 and g_h != last_g:
            secant = (g_h - last_g) / (h - last_h)
            # Near the root the difference is round-off: keep the slope where the two disagree.
            if 0.5 < secant / slope < 2.0:
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
        h = min(full, max(0.5 * h, h + change))
        if flags[at.KIND * n_events + e] == at.STRIKE:
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
def is_inexact(table: Pointer) -> bool:
    """Whether the step that ends at the event misses the tolerance, though the whole step did not: slopes change fast
    there, as in the last of a slip, and shorter steps must come closer first.
    """
    return wholes(table[at.M_N])[at.FIXED] == 0 and reals(table[at.M_R])[at.ERROR] > 1.0


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
