"""Projection onto the constraints (compiled), and the watch over loops that come near a singular position."""

import math

from numba import njit

from trundle.integrate import layout as at
from trundle.kernel.pointers import Pointer, call, call_table, copy, part, reals, shifted, wholes

PROJECTION_LIMIT = 10
THIRD = 1.0 / 3.0
WORTH_A_SEARCH = 0.5  # monitors that stay above are far from a fold
SEARCH_LIMIT = 24  # evaluations in the search for the pose nearest to a fold
CUTS = 4  # two evaluations each
RATIO = 0.6  # of the cuts; not the golden one, whose points would coincide
GOOD_ENOUGH = 1e-9  # residual that is accepted when round-off keeps it from falling further


@part
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


@njit(error_model="numpy")
def keep_lowest(n: Pointer, passage: Pointer, monitors: Pointer, t: float) -> None:
    """Remember the smallest monitor of each loop in this passage and its time."""
    for loop in range(n[at.MONITORS]):
        if monitors[loop] < passage[at.PASSAGE * loop]:
            passage[at.PASSAGE * loop] = monitors[loop]
            passage[at.PASSAGE * loop + 1] = t


@njit(error_model="numpy")
def values_between(table: Pointer, s: float, exact: bool) -> None:
    """Monitors at a point inside the step, on the cubic between its ends or, exactly, on the dense output."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    x, x_new, k, probe = (
        reals(table[at.M_X]),
        reals(table[at.M_X_NEW]),
        reals(table[at.M_K]),
        reals(table[at.M_SAMPLE]),
    )
    clock, out = reals(table[at.M_CLOCK]), reals(table[at.M_JUMPED])
    n_x, h = n[at.N_X], r[at.STEP]
    slope = shifted(k, n[at.END_ROW] * n_x)
    u, v = s * s * (3.0 - 2.0 * s), s - 1.0
    if exact:
        dense, last = reals(table[at.M_DENSE]), n[at.DENSE] - 1
        for m in range(n_x):
            y = dense[last * n_x + m]
            for j in range(last - 1, -1, -1):
                y = dense[j * n_x + m] + (1.0 - s if j % 2 == 0 else s) * y
            probe[m] = x[m] + s * y
    else:
        for m in range(n_x):
            cubic = (1.0 - u) * x[m] + u * x_new[m]
            probe[m] = cubic + h * s * v * (v * k[m] + s * slope[m])
    clock[0] = r[at.T] + s * h
    project, p, work = wholes(table[at.M_ADDRESS])[at.A_PROJECT], reals(table[at.M_P]), reals(table[at.M_WORK])
    call(project, clock, probe, p, out, work)
    c[at.PROJECTIONS] += 1
    keep_lowest(n, reals(table[at.M_PASSAGE]), shifted(out, n_x + 2), clock[0])


@part
def watch(table: Pointer) -> None:
    """Follow the monitors of the loops; each passage through a minimum below the limit is logged with its time.

    A linkage folds between two steps: where a monitor has a minimum inside a step, as values and slopes tell, it is
    looked for on the dense output.
    """
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    corrected, passage, near = reals(table[at.M_CORRECTED]), reals(table[at.M_PASSAGE]), reals(table[at.M_NEAR])
    clock, p, work = reals(table[at.M_CLOCK]), reals(table[at.M_P]), reals(table[at.M_WORK])
    x_new, k = reals(table[at.M_X_NEW]), reals(table[at.M_K])
    probe, out = reals(table[at.M_SAMPLE]), reals(table[at.M_JUMPED])
    project = wholes(table[at.M_ADDRESS])[at.A_PROJECT]
    n_x, n_m, h = n[at.N_X], n[at.MONITORS], r[at.STEP]
    if n_m == 0 or c[at.PENDING] == 1:
        return
    before, first = shifted(corrected, n_x + 2 + n_m), shifted(corrected, n_x + 2 + 2 * n_m)  # room for two per loop
    slope = shifted(k, n[at.END_ROW] * n_x)
    t_new, ahead = clock[0], 1e-4 * h
    now = shifted(corrected, n_x + 2)
    monitors = shifted(out, n_x + 2)
    if n[at.PROJECTION] != at.BY_KERNEL:  # the metric of the stiff method has no monitors of its own
        call(project, clock, x_new, p, out, work)
        copy(monitors, now, n_m)
    keep_lowest(n, passage, now, t_new)
    for m in range(n_x):
        probe[m] = x_new[m] + ahead * slope[m]
    clock[0] = t_new + ahead
    call(project, clock, probe, p, out, work)
    # Values at two points inside, slopes at both ends: where lies a minimum?
    turning, low, high = -1, 0.0, 1.0
    for loop in range(n_m):
        passage[at.PASSAGE * loop + 2], before[loop] = monitors[loop] - now[loop], passage[at.PASSAGE * loop + 2]
    values_between(table, THIRD, False)
    for loop in range(n_m):
        first[loop] = monitors[loop]
    values_between(table, 2.0 * THIRD, False)
    for loop in range(n_m):
        start, one, two, end = passage[at.PASSAGE * loop + 3], first[loop], monitors[loop], now[loop]
        if turning < 0 and start < math.inf and min(start, one, two, end) < WORTH_A_SEARCH:
            if before[loop] < 0.0 and one >= start:
                turning, high = loop, THIRD
            elif one < start and one <= two:
                turning, high = loop, 2.0 * THIRD
            elif two < one and two <= end:
                turning, low = loop, THIRD
            elif two > end and passage[at.PASSAGE * loop + 2] > 0.0:
                turning, low = loop, 2.0 * THIRD
        passage[at.PASSAGE * loop + 3] = end
    if turning >= 0:
        call_table(wholes(table[at.M_ADDRESS])[at.A_DENSE], table)
        low, high = max(0.0, low - 0.5 * THIRD), min(1.0, high + 0.5 * THIRD)  # the cubic was only a hint
        # A few cuts of the interval, then parabolas through the last three points: near a fold it is one.
        inner = math.inf
        s0, s1, s2, f0, f1, f2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for trial in range(SEARCH_LIMIT):
            if trial < 2 * CUTS:
                s = high - RATIO * (high - low) if trial % 2 == 0 else low + RATIO * (high - low)
            else:
                left, right = (s1 - s0) * (f1 - f2), (s1 - s2) * (f1 - f0)
                if left == right:
                    break
                s = s1 - 0.5 * ((s1 - s0) * left - (s1 - s2) * right) / (left - right)
                s = min(max(s, low), high)
                if abs(s - s2) < 1e-10:
                    break
            values_between(table, s, True)
            s0, s1, s2, f0, f1, f2 = s1, s2, s, f1, f2, monitors[turning]
            if trial < 2 * CUTS:
                if trial % 2 == 0:
                    inner = f2
                elif inner < f2:
                    high = s2
                else:
                    low = s1
    clock[0] = t_new
    for loop in range(n_m):
        lowest = passage[at.PASSAGE * loop]
        if now[loop] > r[at.SINGULAR]:
            if lowest < r[at.SINGULAR]:
                entry = shifted(near, 3 * c[at.NEAR])
                entry[0], entry[1], entry[2] = loop, passage[at.PASSAGE * loop + 1], lowest
                c[at.NEAR] += 1
            passage[at.PASSAGE * loop] = math.inf
