"""What of an event function is round-off (compiled)."""

from numba import njit

from trundle.integrate import layout as at
from trundle.kernel.pointers import Pointer, call, reals, shifted, wholes


@njit(error_model="numpy")
def round_off(table: Pointer, e: int, state: Pointer) -> float:
    """A bound of the round-off in the value of a user's event function at a state and the time of CLOCK."""
    n, g, clock = wholes(table[at.M_N]), reals(table[at.M_G]), reals(table[at.M_CLOCK])
    address = wholes(table[at.M_ADDRESS])[at.A_ROUND_OFF]
    noise = shifted(g, at.G_NOISE * n[at.EVENTS])
    call(address, clock, state, reals(table[at.M_P]), noise, reals(table[at.M_WORK]))
    return 4.0 * noise[e]
