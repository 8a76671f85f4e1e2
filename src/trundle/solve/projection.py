"""Projection onto the constraints (compiled), and the watch over loops that come near a singular position."""

import math

from numba import cfunc

from trundle.solve import layout as at
from trundle.solve.call import Pointer, call, call_table, copy, reals, shifted, table_signature, wholes

PROJECTION_LIMIT = 10
GOOD_ENOUGH = 1e-9  # residual that is accepted when round-off keeps it from falling further


@cfunc(table_signature, cache=True, error_model="numpy", fastmath={"contract"})
def project_sample(table: Pointer) -> None:
    """Bring the state in SAMPLE onto the constraints at the time in CLOCK; PROJECTED tells whether that converged."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    address = wholes(table[at.M_ADDRESS])
    x, p, corrected = reals(table[at.M_SAMPLE]), reals(table[at.M_P]), reals(table[at.M_CORRECTED])
    clock, work = reals(table[at.M_CLOCK]), reals(table[at.M_WORK])
    n_x = n[at.N_X]
    last = math.inf
    c[at.PROJECTED] = 0
    for _ in range(PROJECTION_LIMIT):
        if n[at.PROJECTION] == at.BY_KERNEL:
            call(address[at.A_PROJECT], clock, x, p, corrected, work)
        else:
            call_table(address[at.A_CORRECT], table)
        c[at.PROJECTIONS] += 1
        position, velocity = corrected[n_x], corrected[n_x + 1]
        total = 0.0 * position + 0.0 * velocity
        for m in range(n_x):
            total += 0.0 * corrected[m]
        if total != 0.0:  # only nan differs from zero here
            return
        copy(corrected, x, n_x)
        size = max(position / r[at.POSITION_TOL], velocity / r[at.VELOCITY_TOL])
        near = position < GOOD_ENOUGH and velocity < GOOD_ENOUGH
        c[at.PROJECTED] = int(near)
        if size < 1.0 or (near and size >= last):
            return
        last = size


@cfunc(table_signature, cache=True, error_model="numpy", fastmath={"contract"})
def watch(table: Pointer) -> None:
    """Follow the monitors of the loops; a passage below the limit is logged once, at its smallest value."""
    n, c, t = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_CLOCK])[0]
    corrected, passage, near = reals(table[at.M_CORRECTED]), reals(table[at.M_PASSAGE]), reals(table[at.M_NEAR])
    limit = reals(table[at.M_R])[at.SINGULAR]
    for loop in range(n[at.MONITORS]):
        value = corrected[n[at.N_X] + 2 + loop]
        lowest = passage[2 * loop]
        if value < limit:
            if value < lowest:
                passage[2 * loop] = value
                passage[2 * loop + 1] = t
        elif lowest < math.inf:
            entry = shifted(near, 3 * c[at.NEAR])
            entry[0], entry[1], entry[2] = loop, passage[2 * loop + 1], lowest
            c[at.NEAR] += 1
            passage[2 * loop] = math.inf
