"""The modes of all contacts inside the time loop (compiled): decided at the present state, written among the
parameters.
"""

from trundle.contact.collision.layout import WIDTH
from trundle.integrate import layout as at
from trundle.kernel.pointers import Pointer, call, call_table, part, reals, wholes


@part
def decide_modes(table: Pointer) -> None:
    """Decide at the present state; p gets the modes."""
    n, r = wholes(table[at.M_N]), reals(table[at.M_R])
    x, p, clock, work = reals(table[at.M_X]), reals(table[at.M_P]), reals(table[at.M_CLOCK]), reals(table[at.M_WORK])
    address, places, inner = wholes(table[at.M_ADDRESS]), wholes(table[at.M_PLACES]), wholes(table[at.M_DECIDE])
    clock[0] = r[at.T]
    data, free, mode, shift = reals(inner[1]), reals(inner[2]), reals(inner[3]), reals(inner[5])
    call(address[at.A_IMPACT], clock, x, p, data, work)
    call(address[at.A_FREE], clock, x, p, free, work)
    for j in range(WIDTH * n[at.CONTACTS]):
        mode[j] = p[places[j]] if places[j] >= 0 else 0.0
    shift[0] = p[n[at.N_P] - 1]
    call_table(address[at.A_DECIDE_ONCE], inner)
    for j in range(WIDTH * n[at.CONTACTS]):
        if places[j] >= 0:
            p[places[j]] = mode[j]
