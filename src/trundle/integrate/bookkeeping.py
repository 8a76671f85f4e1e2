"""Books of a running integration (compiled): energy that events bring, and a trail of states to check the energy by."""

from numba import njit

from trundle.integrate import layout as at
from trundle.kernel.pointers import Pointer, call, copy, reals, shifted, wholes


@njit(error_model="numpy")
def total_energy(table: Pointer) -> float:
    """Kinetic and potential energy of the present state."""
    clock, out = reals(table[at.M_CLOCK]), reals(table[at.M_ENERGY])
    clock[0] = reals(table[at.M_R])[at.T]
    x, p, work = reals(table[at.M_X]), reals(table[at.M_P]), reals(table[at.M_WORK])
    call(wholes(table[at.M_ADDRESS])[at.A_ENERGY], clock, x, p, out, work)
    return out[0] + out[1]


@njit(error_model="numpy")
def before_jump(table: Pointer) -> None:
    """An event of the model is about to change the state: the energy before is kept until the state after is known."""
    c, r = wholes(table[at.M_C]), reals(table[at.M_R])
    if wholes(table[at.M_ADDRESS])[at.A_ENERGY] != 0:
        if c[at.UNBOOKED] == 0:
            r[at.ENERGY_BEFORE] = total_energy(table)
        c[at.UNBOOKED] = c[at.LOGGED]  # the row of this event, counted from one


@njit(error_model="numpy")
def lose(table: Pointer, energy: float, before: float) -> None:
    """The collision logged last has lost this energy. Where drives hold on during a collision their impulses do work,
    which the energy before it tells.
    """
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    row = c[at.LOGGED] - 1
    reals(table[at.M_EVENT_LOST])[row] = energy
    if n[at.DRIVEN] == 1:
        reals(table[at.M_EVENT_WORK])[row] = total_energy(table) - before + energy
    r[at.ENERGY_BEFORE] += reals(table[at.M_EVENT_WORK])[row] - energy


@njit(error_model="numpy")
def book(table: Pointer) -> None:
    """What an event of the model has brought, now that its state lies on the constraints."""
    c, r = wholes(table[at.M_C]), reals(table[at.M_R])
    if c[at.UNBOOKED] > 0:
        reals(table[at.M_EVENT_WORK])[c[at.UNBOOKED] - 1] = total_energy(table) - r[at.ENERGY_BEFORE]
        c[at.UNBOOKED] = 0


@njit(error_model="numpy")
def follow(table: Pointer) -> None:
    """Keep the present state in the trail: every one at first, every second where there is no more room, and so on."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    trail_t, trail_x = reals(table[at.M_TRAIL_T]), reals(table[at.M_TRAIL_X])
    trail_events, n_x = wholes(table[at.M_TRAIL_EVENTS]), n[at.N_X]
    if n[at.TRAIL_ROOM] == 0:
        return
    if c[at.SEEN] % c[at.STRIDE] == 0:
        if c[at.TRAIL] == n[at.TRAIL_ROOM]:
            for row in range(1, n[at.TRAIL_ROOM] // 2):
                trail_t[row], trail_events[row] = trail_t[2 * row], trail_events[2 * row]
                copy(shifted(trail_x, 2 * row * n_x), shifted(trail_x, row * n_x), n_x)
            c[at.TRAIL] //= 2
            c[at.STRIDE] *= 2
        row = c[at.TRAIL]
        trail_t[row], trail_events[row] = r[at.T], c[at.LOGGED]
        copy(reals(table[at.M_X]), shifted(trail_x, row * n_x), n_x)
        c[at.TRAIL] += 1
    c[at.SEEN] += 1
