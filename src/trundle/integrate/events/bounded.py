"""Search for the events of the user inside a step (compiled), by bounds: no pair of crossings can be stepped over.

The step is halved until in every part each function either has a bound that leaves out zero, or a rate that does, so
that the signs at the ends of the part tell whether there is a root.
"""

import math

from numba import njit

from trundle.integrate import layout as at
from trundle.integrate.events.locate import NONE, POINTS, SAME_TIME, locate, sign_of, values_at
from trundle.integrate.events.round_off import round_off
from trundle.kernel.pointers import Pointer, call, part, reals, shifted, wholes

FLOOR = 2.0**-30  # of the step: what is still undecided in a shorter part is told by the signs at its ends
SHORTEST = 64  # so many of the shortest parts in one step: a function cannot be told from zero
LARGEST_SEARCH = 4000  # parts that are looked at in one step before the step is cut


@njit(error_model="numpy")
def least(w_lo: float, w_hi: float, lo: float) -> float:
    """Least product of a weight between w_lo >= 0 and w_hi with a value whose least is lo."""
    return w_lo * lo if lo > 0.0 else w_hi * lo


@njit(error_model="numpy")
def most(w_lo: float, w_hi: float, hi: float) -> float:
    return w_hi * hi if hi > 0.0 else w_lo * hi


@njit(error_model="numpy")
def enclose(table: Pointer, a: float, b: float) -> None:
    """Bounds of the event functions and their rates between the fractions a and b of the step."""
    n, r = wholes(table[at.M_N]), reals(table[at.M_R])
    x, dense, box = reals(table[at.M_X]), reals(table[at.M_DENSE]), reals(table[at.M_BOX])
    n_x, last, h = n[at.N_X], n[at.DENSE] - 1, r[at.STEP]
    upper = shifted(box, 1 + 2 * n_x)
    box[0], upper[0] = r[at.T] + a * h, r[at.T] + b * h
    for m in range(n_x):
        y_lo = y_hi = dense[last * n_x + m]
        d_lo, d_hi = 0.0, 0.0  # of the derivative of y
        for j in range(last - 1, -1, -1):
            if j % 2 == 0:
                w_lo, w_hi = 1.0 - b, 1.0 - a
                d_lo, d_hi = least(w_lo, w_hi, d_lo) - y_hi, most(w_lo, w_hi, d_hi) - y_lo
            else:
                w_lo, w_hi = a, b
                d_lo, d_hi = least(w_lo, w_hi, d_lo) + y_lo, most(w_lo, w_hi, d_hi) + y_hi
            y_lo, y_hi = dense[j * n_x + m] + least(w_lo, w_hi, y_lo), dense[j * n_x + m] + most(w_lo, w_hi, y_hi)
        box[1 + m], upper[1 + m] = x[m] + least(a, b, y_lo), x[m] + most(a, b, y_hi)
        box[1 + n_x + m] = (y_lo + least(a, b, d_lo)) / h
        upper[1 + n_x + m] = (y_hi + most(a, b, d_hi)) / h
    address = wholes(table[at.M_ADDRESS])[at.A_ENCLOSURE]
    call(
        address, reals(table[at.M_CLOCK]), box, reals(table[at.M_P]), reals(table[at.M_BOUNDS]), reals(table[at.M_WORK])
    )


@njit(error_model="numpy")
def is_decided(table: Pointer, e: int, width: float) -> bool:
    """Whether function e has at most one root in the part that was enclosed last, of this width in time."""
    n, g, bounds = wholes(table[at.M_N]), reals(table[at.M_G]), reals(table[at.M_BOUNDS])
    count = n[at.WATCHED]
    lo, hi, slow, fast = bounds[e], bounds[count + e], bounds[2 * count + e], bounds[3 * count + e]
    if lo > 0.0 or hi < 0.0 or slow > 0.0 or fast < 0.0 or (lo == 0.0 and hi == 0.0):
        return True
    left = g[at.G_LEFT * n[at.EVENTS] + e]
    return left + width * min(slow, 0.0) > 0.0 or left + width * max(fast, 0.0) < 0.0


@njit(error_model="numpy")
def passed(table: Pointer, e: int, a: float, b: float) -> float:
    """Root of function e in a part where it has at most one; NOW becomes the sign on its far side."""
    n_events, watched = wholes(table[at.M_N])[at.EVENTS], wholes(table[at.M_N])[at.WATCHED]
    g, flags, bounds = reals(table[at.M_G]), wholes(table[at.M_FLAGS]), reals(table[at.M_BOUNDS])
    now, direction = flags[at.NOW * n_events + e], flags[at.DIRECTION * n_events + e]
    right = g[at.G_RIGHT * n_events + e]
    after = sign_of(right)
    if now == 0:  # unknown until it has clearly left zero
        if abs(right) > 4.0 * abs(g[at.G_START * n_events + e]):
            flags[at.NOW * n_events + e] = after
        return NONE
    if after != -now:
        return NONE
    if (after < 0 and bounds[2 * watched + e] > 0.0) or (after > 0 and bounds[3 * watched + e] < 0.0):
        return NONE  # against its rate: round-off of an event that has just been
    values_at(table, b, at.G_PROBE)  # brings state and time there
    if abs(right) <= round_off(table, e, reals(table[at.M_SAMPLE])):
        return NONE  # not yet: its sign is round-off
    flags[at.NOW * n_events + e] = after
    flags[at.ABRUPT * n_events + e] = int(not bounds[3 * watched + e] - bounds[2 * watched + e] < math.inf)
    return locate(table, e, a, b, now) if direction == 0 or direction == after else NONE


@njit(error_model="numpy")
def at_the_end(table: Pointer, e: int) -> bool:
    """Whether function e comes to zero at the end of the run itself, as far as times can be told apart."""
    n, r, g = wholes(table[at.M_N]), reals(table[at.M_R]), reals(table[at.M_G])
    flags, bounds, n_events = wholes(table[at.M_FLAGS]), reals(table[at.M_BOUNDS]), n[at.EVENTS]
    now, direction = flags[at.NOW * n_events + e], flags[at.DIRECTION * n_events + e]
    left, rate = g[at.G_RIGHT * n_events + e], bounds[2 * n[at.WATCHED] + e]
    if now == 0 or now * left < 0.0 or not now * rate < 0.0 or direction == now:
        return False
    if abs(left) > abs(rate) * SAME_TIME * max(1.0, abs(r[at.T_END])):
        return False
    flags[at.NOW * n_events + e] = -now
    return True


@part
def find_bounded(table: Pointer) -> None:
    """First root of the user's events before the fraction LIMIT of the step.

    ROOT becomes its fraction (NONE without one), WHICH its event. CLEARED is less than LIMIT where the search was given
    up for its length: up to there is no event.
    """
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    g, flags, ends = reals(table[at.M_G]), wholes(table[at.M_FLAGS]), reals(table[at.M_PARTS])
    p, clock, work = reals(table[at.M_P]), reals(table[at.M_CLOCK]), reals(table[at.M_WORK])
    events, n_events, watched, h = wholes(table[at.M_ADDRESS])[at.A_EVENTS], n[at.EVENTS], n[at.WATCHED], r[at.STEP]
    last_step = r[at.T] + h >= r[at.T_END] - 0.5 * SAME_TIME * max(1.0, abs(r[at.T_END]))
    for e in range(watched):
        g[at.G_LEFT * n_events + e] = g[at.G_START * n_events + e]
    r[at.ROOT], c[at.WHICH], r[at.CLEARED] = NONE, -1, r[at.LIMIT]
    a, top, floor, looked, shortest = 0.0, 0, FLOOR, 0, 0
    ends[0] = r[at.LIMIT]
    while top >= 0:
        b = ends[top]
        enclose(table, a, b)
        looked += 1
        undecided = -1
        for e in range(watched):
            if not is_decided(table, e, (b - a) * h):
                undecided = e
        if undecided >= 0 and b - a > floor:
            if looked < LARGEST_SEARCH or a < FLOOR * LARGEST_SEARCH:
                top += 1
                ends[top] = 0.5 * (a + b)
                continue
            r[at.CLEARED] = a
            return
        if b - a <= 2.0 * FLOOR:
            shortest += 1
        if undecided >= 0 and shortest > SHORTEST and floor == FLOOR:
            flags[at.UNCLEAR * n_events + undecided] += 1
            floor = 1.0 / POINTS
        if b < 1.0:
            values_at(table, b, at.G_RIGHT)
        else:
            clock[0] = r[at.T] + h
            call(events, clock, reals(table[at.M_X_NEW]), p, shifted(g, at.G_RIGHT * n_events), work)
        for e in range(watched):
            root = passed(table, e, a, b)
            g[at.G_ROOT * n_events + e] = root
            if root < r[at.ROOT]:
                r[at.ROOT], c[at.WHICH] = root, e
        if c[at.WHICH] < 0 and b == 1.0 and last_step:
            enclose(table, 1.0, 1.0)
            for e in range(watched):
                if at_the_end(table, e):
                    g[at.G_ROOT * n_events + e], r[at.ROOT], c[at.WHICH] = 1.0, 1.0, e
        if c[at.WHICH] >= 0:
            return
        for e in range(watched):
            g[at.G_LEFT * n_events + e] = g[at.G_RIGHT * n_events + e]
        a = b
        top -= 1
