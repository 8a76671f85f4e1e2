"""Signs of the event functions at the start and after a jump (compiled)."""

from numba import njit

from trundle.integrate import layout as at
from trundle.integrate.events.locate import NO_GAP, POINTS, SAME_TIME, sign_of
from trundle.kernel.pointers import Pointer, call, copy, part, reals, shifted, wholes

NO_SPEED = 1e-9  # m/s, likewise
AT_ROOT = 1e-5  # of the short way that tells a slope: an event closer to its root than this has not been moved


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
