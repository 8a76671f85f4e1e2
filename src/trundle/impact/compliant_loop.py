"""Compiled collision of a body with two compliant feet: Runge-Kutta steps of order 8 from one transition to the next.

All quantities are free of units (mass, stiffness and approach speed are 1). The transitions are found by halving the
step, so that each is as exact as the motion itself.
"""

import math

from numba import njit

from trundle.impact import compliant_layout as at
from trundle.kernel.pointers import Pointer, copy, part, reals, shifted, wholes

PASSED = 4e-15  # an indicator below minus this has changed its sign; round-off has not
CONE = 1e-12  # relative widening of the friction cone: at the critical coefficient the contact sticks
MOST_STEPS = 200_000
SHRINK, GROWTH, SAFETY, ORDER = 0.2, 4.0, 0.9, 8.0

inner = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)


@inner
def elastic(p: Pointer, d: float) -> float:
    """d^n, continued as an odd function: a step may look beyond the moment at which the foot leaves."""
    if p[at.EXPONENT] == 1.0:
        return d
    size = abs(d)
    value = size * math.sqrt(size) if p[at.EXPONENT] == 1.5 else size ** p[at.EXPONENT]
    return value if d > 0.0 else -value


@inner
def pushed(p: Pointer, mode: int, d: float, rate: float) -> float:
    """Force of a foot that compresses or expands."""
    stiffness = p[at.HIGH] if mode == at.COMPRESSES else p[at.LOW]
    return stiffness * elastic(p, d) * (1.0 + p[at.FACTOR] * rate) + p[at.DAMPER] * rate


@inner
def coupling(p: Pointer, slide: int, i: int, j: int) -> float:
    """Rise of the normal speed of foot i by a unit impulse at foot j, with the friction which that brings."""
    normal = p[at.W_FB] if i != j else (p[at.W_FF] if i == 0 else p[at.W_BB])
    lever_i, lever_j = (p[at.W_FT] if i == 0 else p[at.W_BT]), (p[at.W_FT] if j == 0 else p[at.W_BT])
    tangent = -slide * p[at.MU] if slide != 0 else -lever_j / p[at.W_TT]
    return normal + lever_i * tangent


@inner
def find_forces(p: Pointer, mode: Pointer, y: Pointer, force: Pointer) -> None:
    """Normal forces of both feet and the friction of both together.

    The feet share one tangential speed, so they stick or slide together; only the sum of their friction is determined.
    """
    slide = mode[at.SLIDE]
    for i in range(2):
        state = mode[at.FRONT + i]
        moves = state == at.COMPRESSES or state == at.EXPANDS
        force[i] = pushed(p, state, y[at.D_F + i], -y[at.V_F + i]) if moves else 0.0
    if mode[at.FRONT] == at.HELD and mode[at.BACK] == at.HELD:
        a, b = coupling(p, slide, 0, 0), coupling(p, slide, 0, 1)
        c, d = coupling(p, slide, 1, 0), coupling(p, slide, 1, 1)
        force[0] = p[at.GRAVITY] * (d - b) / (a * d - b * c)
        force[1] = p[at.GRAVITY] * (a - c) / (a * d - b * c)
    else:
        for i in range(2):
            if mode[at.FRONT + i] == at.HELD:
                rest = p[at.GRAVITY] - coupling(p, slide, i, 1 - i) * force[1 - i]
                force[i] = rest / coupling(p, slide, i, i)
    if slide != 0:
        force[2] = -slide * p[at.MU] * (force[0] + force[1])
    else:
        force[2] = -(p[at.W_FT] * force[0] + p[at.W_BT] * force[1]) / p[at.W_TT]


@inner
def rise(p: Pointer, force: Pointer, i: int) -> float:
    """Upward acceleration of a foot."""
    if i == 0:
        return p[at.W_FF] * force[0] + p[at.W_FB] * force[1] + p[at.W_FT] * force[2] - p[at.GRAVITY]
    return p[at.W_FB] * force[0] + p[at.W_BB] * force[1] + p[at.W_BT] * force[2] - p[at.GRAVITY]


@inner
def find_rates(p: Pointer, mode: Pointer, y: Pointer, force: Pointer, out: Pointer) -> None:
    """Time derivative of the state."""
    find_forces(p, mode, y, force)
    for i in range(2):
        held = mode[at.FRONT + i] == at.HELD
        out[at.D_F + i] = 0.0 if held else -y[at.V_F + i]
        out[at.V_F + i] = 0.0 if held else rise(p, force, i)
        out[at.E_F + i] = -force[i] * y[at.V_F + i]
        out[at.P_F + i] = force[i]
    slip = p[at.W_FT] * force[0] + p[at.W_BT] * force[1] + p[at.W_TT] * force[2]
    out[at.V_T] = slip if mode[at.SLIDE] != 0 else 0.0
    out[at.E_T] = -force[2] * y[at.V_T]
    out[at.P_T] = force[2]


@inner
def cone_margin(p: Pointer, force: Pointer) -> float:
    """Above zero while the friction of sticking feet lies inside the cone; where nothing presses there is none."""
    normal = force[0] + force[1]
    return p[at.MU] * normal * (1.0 + CONE) + PASSED - abs(force[2]) if normal > 0.0 else math.inf


@inner
def find_indicators(p: Pointer, mode: Pointer, y: Pointer, force: Pointer, out: Pointer) -> None:
    """Numbers that stay above zero while the modes hold: friction, turning of both feet, contact of both feet."""
    find_forces(p, mode, y, force)
    out[0] = mode[at.SLIDE] * y[at.V_T] if mode[at.SLIDE] != 0 else cone_margin(p, force)
    for i in range(2):
        state, d, rate = mode[at.FRONT + i], y[at.D_F + i], -y[at.V_F + i]
        out[1 + i], out[3 + i] = math.inf, math.inf
        if state == at.HELD:
            spring = elastic(p, d)
            out[1 + i] = min(force[i] - p[at.LOW] * spring, p[at.HIGH] * spring - force[i]) + PASSED
        elif state == at.COMPRESSES:
            out[1 + i] = rate
        else:
            # What must be above zero for the foot to press: it overlaps with the ground, and its law pushes.
            presses = d
            if p[at.DAMPER] > 0.0:
                wanted = pushed(p, at.EXPANDS, d, rate)
                presses = wanted if state == at.EXPANDS else min(d, wanted)
            elif p[at.FACTOR] > 0.0:
                presses = min(d, 1.0 + p[at.FACTOR] * rate)
            elif p[at.LOW] == 0.0:
                presses = min(d, rate)
            out[3 + i] = presses if state == at.EXPANDS else -presses
            if state == at.EXPANDS:
                out[1 + i] = -rate


@inner
def decide_friction(p: Pointer, mode: Pointer, y: Pointer, force: Pointer) -> bool:
    """Feet at rest along the ground stick if friction can hold them, else they start to slide; True if this changed."""
    before = mode[at.SLIDE]
    mode[at.SLIDE] = 0
    find_forces(p, mode, y, force)
    if cone_margin(p, force) < 0.0:
        mode[at.SLIDE] = -1 if force[2] > 0.0 else 1
    return bool(before != mode[at.SLIDE])


@inner
def decide_turn(p: Pointer, mode: Pointer, y: Pointer, force: Pointer, i: int) -> bool:
    """What a foot does whose deformation is at rest: it turns, goes on, or is held by the dry friction inside it."""
    place = at.FRONT + i
    before = mode[place]
    if before != at.HELD:
        mode[place] = at.EXPANDS if before == at.COMPRESSES else at.COMPRESSES
    find_forces(p, mode, y, force)
    spring = elastic(p, y[at.D_F + i])
    if before == at.HELD:
        if force[i] > p[at.HIGH] * spring + PASSED:
            mode[place] = at.COMPRESSES
        elif force[i] < p[at.LOW] * spring - PASSED:
            mode[place] = at.EXPANDS
    elif p[at.HIGH] != p[at.LOW]:
        up = rise(p, force, i)
        if up < 0.0 if mode[place] == at.EXPANDS else up > 0.0:
            mode[place] = at.HELD
    if mode[place] == at.EXPANDS and p[at.LOW] == 0.0:
        mode[place] = at.OPEN
    return bool(before != mode[place])


@inner
def change_modes(p: Pointer, mode: Pointer, y: Pointer, force: Pointer, passed: Pointer) -> None:
    """Carry out the transitions whose indicators have passed zero, and those that follow from them."""
    if passed[0] < -PASSED and mode[at.SLIDE] != 0:
        y[at.V_T] = 0.0
    for i in range(2):
        if passed[3 + i] < -PASSED:
            passed[1 + i] = 0.0
            if mode[at.FRONT + i] != at.OPEN:
                mode[at.FRONT + i] = at.OPEN
            else:
                mode[at.FRONT + i] = at.COMPRESSES if y[at.V_F + i] < 0.0 else at.EXPANDS
        elif passed[1 + i] < -PASSED:
            y[at.V_F + i] = 0.0
    for attempt in range(6):
        changed = False
        for i in range(2):
            if mode[at.FRONT + i] == at.HELD or (attempt == 0 and passed[1 + i] < -PASSED):
                changed = decide_turn(p, mode, y, force, i) or changed
        if y[at.V_T] == 0.0:
            changed = decide_friction(p, mode, y, force) or changed
        if not changed:
            break
    find_forces(p, mode, y, force)


@inner
def step(
    p: Pointer,
    mode: Pointer,
    count: Pointer,
    a: Pointer,
    h: float,
    y: Pointer,
    force: Pointer,
    k: Pointer,
    new: Pointer,
) -> None:
    """One Runge-Kutta step."""
    stages, width, n_y = count[at.STAGES], count[at.WIDTH], count[at.LENGTH]
    for i in range(stages + 1):
        row = i * width if i < stages else stages * width + stages
        copy(y, new, n_y)
        for j in range(i):
            factor = h * a[row + j]
            if factor != 0.0:
                slope = shifted(k, j * n_y)
                for m in range(n_y):
                    new[m] += factor * slope[m]
        if i < stages:
            find_rates(p, mode, new, force, shifted(k, i * n_y))


@inner
def error_of_step(p: Pointer, count: Pointer, a: Pointer, h: float, k: Pointer) -> float:
    """Error in units of the tolerance; two estimates are combined as in [Hairer 1993, section II.10]."""
    stages, width, n_y = count[at.STAGES], count[at.WIDTH], count[at.LENGTH]
    row = stages * width + stages + width
    first, second = 0.0, 0.0
    for m in range(n_y):
        fifth, third = 0.0, 0.0
        for j in range(stages):
            fifth += a[row + j] * k[j * n_y + m]
            third += a[row + width + j] * k[j * n_y + m]
        first += (fifth / p[at.TOLERANCE]) ** 2
        second += (third / p[at.TOLERANCE]) ** 2
    if first == 0.0:
        return 0.0
    return h * first / math.sqrt(n_y * (first + 0.01 * second))


@inner
def lowest(values: Pointer) -> float:
    """The indicator that is nearest to its transition, or has passed it furthest."""
    least = values[0]
    for i in range(1, 5):
        least = min(least, values[i])
    return least


@inner
def record(count: Pointer, mode: Pointer, t: float, y: Pointer, force: Pointer, out: Pointer) -> None:
    """Add a row of the motion; without room the run is told to stop."""
    if count[at.ROWS] == count[at.CAPACITY]:
        count[at.STATUS] = at.FULL
        return
    row = shifted(out, count[at.ROWS] * at.R_SIZE)
    row[at.R_T] = t
    copy(y, shifted(row, at.R_Y), at.N_Y)
    copy(force, shifted(row, at.R_FORCE), 3)
    for i in range(3):
        row[at.R_MODE + i] = mode[i]
    count[at.ROWS] += 1


@inner
def finish(p: Pointer, mode: Pointer, count: Pointer, t: float, y: Pointer, force: Pointer) -> None:
    """See whether the collision is over."""
    if count[at.STATUS] == at.FULL:
        return
    still = True  # both feet have left, or rest where they were pressed to
    for i in range(2):
        still = still and (mode[at.FRONT + i] == at.OPEN or mode[at.FRONT + i] == at.HELD)
    if still and force[0] + force[1] <= 0.0:
        count[at.STATUS] = at.RELEASED
    elif mode[at.FRONT] == at.HELD and mode[at.BACK] == at.HELD and mode[at.SLIDE] == 0:
        count[at.STATUS] = at.AT_REST
    elif t >= p[at.END]:
        count[at.STATUS] = at.TIME_OVER
    elif count[at.STEPS] > MOST_STEPS or not abs(y[at.V_F] + y[at.V_B] + y[at.V_T]) < math.inf:
        count[at.STATUS] = at.LOST


@part
def collide_feet(table: Pointer) -> None:
    """From the first touch until no foot presses, the feet rest, or the time is over."""
    p, mode, count = reals(table[at.M_P]), wholes(table[at.M_MODE]), wholes(table[at.M_COUNT])
    y, new, k = reals(table[at.M_Y]), reals(table[at.M_Y_NEW]), reals(table[at.M_K])
    passed, force, out = reals(table[at.M_SCRATCH]), reals(table[at.M_FORCE]), reals(table[at.M_OUT])
    a = reals(table[at.M_COEFFICIENTS])
    t, h, longer = 0.0, p[at.STEP], p[at.STEP]
    low, high = 0.0, 0.0  # parts of the step before and after the next transition; high is zero as long as none is seen
    record(count, mode, t, y, force, out)
    while count[at.STATUS] == at.RUNNING:
        h = min(h, p[at.STEP], p[at.END] - t)
        middle = 0.5 * (low + high)
        found = high > 0.0 and not low < middle < high
        taken = h if high == 0.0 else (high if found else middle)
        step(p, mode, count, a, taken, y, force, k, new)
        count[at.STEPS] += 1
        if high == 0.0:
            error = error_of_step(p, count, a, h, k)
            better = SAFETY * error ** (-1.0 / ORDER) if error > 0.0 else GROWTH
            if not error <= 1.0 and h > 1e-12:
                h *= max(SHRINK, better) if error < math.inf else SHRINK
                continue
            longer = h * min(GROWTH, better)
        find_indicators(p, mode, new, force, passed)
        happens = lowest(passed) < -PASSED
        if happens and not found:
            high = taken
            continue
        if high > 0.0 and not found:
            low = taken
            continue
        t, h, low, high = t + taken, longer, 0.0, 0.0
        copy(new, y, at.N_Y)
        for after in range(2 if found else 1):  # the forces before a transition are those of the indicators
            if after:
                change_modes(p, mode, y, force, passed)
            record(count, mode, t, y, force, out)
        finish(p, mode, count, t, y, force)
