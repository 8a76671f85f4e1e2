"""What all contacts of a model do from now on (compiled), decided at once where one of them may change.

Contacts that touch and do not part have accelerations a = a_0 + D f with the inverse masses D. Wanted are forces f in
the cones: normals push or their contact opens, a slip at rest stays at rest or begins against its friction, one that
slides has friction against it. Rigid bodies leave forces open that do nothing together (a table on four feet): of all
that do, the smallest are taken. Where these leave a cone, others within all cones are looked for by projections, and
are kept as shares, which act in the equations of motion: the load of a contact that slides brings its friction with
it. A body slides where there are none.
"""

import math

from numba import njit

from trundle.contact.collision import layout as numbers
from trundle.contact.collision.layout import (
    AHEAD_X,
    AHEAD_Y,
    AT_END,
    BEGINS,
    CLOSED,
    ENDS,
    NO_DIRECTION,
    SHARE_N,
    SHARE_X,
    SHARE_Y,
    SLIDES_SLOWLY,
    SLOW_SLIP,
    STICK,
    WIDTH,
)
from trundle.contact.decision.at_rest import find_rest
from trundle.contact.decision.cones import in_cones, start_again
from trundle.contact.decision.share import shared_load, widest
from trundle.contact.decision.slow_slip import can_rest
from trundle.contact.decision.smallest import EDGE, INSIDE, lightest, smallest, worst
from trundle.kernel.pointers import Pointer, float_ptr, int_ptr, part, shifted
from trundle.kernel.record import Ints

SLOW = 1e-6  # of the speed of the run: a slip, or a speed of parting, that is at rest
BEGUN = 1e-9  # of the speed of the run: a slip that has a direction of its own
NONE = 1e-9  # of the largest acceleration or force: negligible
AT_LEVEL = 1.2  # how exactly a slow slip is distinguished
BACK = 1e-6  # of the largest acceleration, by which a slip may begin backward
BEYOND = 1e-3  # of the cones, beyond which a body slides for certain


@njit(error_model="numpy")
def set_sliding(mode: Pointer, i: int, x: float, y: float) -> None:
    size = math.hypot(x, y)
    mode[WIDTH * i + STICK] = 0.0
    if size > 0.0:
        mode[WIDTH * i + AHEAD_X], mode[WIDTH * i + AHEAD_Y] = x / size, y / size


@njit(error_model="numpy")
def begin_sliding(b: Pointer, mode: Pointer, i: int, x: float, y: float, speed: float) -> None:
    """Sliding begins along (x, y), unless there is a rest of a slip, which has to end first."""
    if math.hypot(b[3 * i], b[3 * i + 1]) > BEGUN * speed:
        set_sliding(mode, i, b[3 * i], b[3 * i + 1])
    else:
        set_sliding(mode, i, x, y)


@njit(error_model="numpy")
def decide(b: Pointer, free: Pointer, mode: Pointer, w: Pointer, contacts: int, near: float, speed: float) -> None:
    """Modes and shares of all contacts: b as for a collision, `free` the accelerations without forces, w memory, `near`
    a slip too small to have a direction, `speed` that of the run.
    """
    for i in range(contacts):
        slow, slip = SLIDES_SLOWLY + WIDTH * i, math.hypot(b[3 * i], b[3 * i + 1])
        if slip < AT_LEVEL * SLOW_SLIP * near:
            slid = mode[WIDTH * i + CLOSED] == 1.0 and mode[WIDTH * i + STICK] == 0.0 and mode[slow] != BEGINS
            mode[slow] = ENDS if slid and slip > AT_END * near else BEGINS
        elif AT_LEVEL * slip > 2.0 * SLOW_SLIP * near:
            mode[slow] = 0.0
    find_modes(b, free, mode, w, contacts, speed)


@njit(error_model="numpy")
def find_modes(b: Pointer, free: Pointer, mode: Pointer, w: Pointer, contacts: int, speed: float) -> None:
    """Which contacts are closed, stick, and where the others slide; and the shares."""
    n = 3 * contacts
    D, data = n, n + n * n
    f, g, a = w, shifted(w, n + 2 * contacts), shifted(w, 2 * n + 2 * contacts)
    mu, mu_k = shifted(w, 3 * n + 2 * contacts), shifted(w, 3 * n + 3 * contacts)
    state = shifted(w, 3 * n + 4 * contacts)
    found, kept = shifted(w, 3 * n + 5 * contacts), shifted(w, 4 * n + 5 * contacts)
    more = shifted(w, 4 * n + (5 + WIDTH) * contacts)
    scale = 0.0
    for i in range(contacts):
        k = data + numbers.DATA * i
        touches = (
            b[k + numbers.TOUCHING] == 1.0
            and abs(b[3 * i + 2]) < SLOW * speed
            and b[D + 3 * i + 2 + n * (3 * i + 2)] > 0.0
        )
        mu[i], mu_k[i] = b[k + numbers.MU_STATIC], b[k + numbers.MU_KINETIC]
        still = can_rest(b, 0, contacts, i, SLOW * speed) or mu[i] <= 0.0
        state[i] = 0.0 if not touches else 2.0 if still else 1.0
        mode[WIDTH * i + CLOSED], mode[WIDTH * i + STICK] = 0.0, 0.0
        if touches:
            mode[WIDTH * i + CLOSED] = 1.0
            if still and mu[i] > 0.0:
                mode[WIDTH * i + STICK] = 1.0
            scale = max(scale, abs(free[3 * i]), abs(free[3 * i + 1]), abs(free[3 * i + 2]))
        for j in range(3):
            mode[WIDTH * i + SHARE_X + j] = 0.0
    find_rest(b, mode, state, more, contacts, SLOW * speed)
    for i in range(contacts):
        if state[i] == 1.0:
            set_sliding(mode, i, b[3 * i], b[3 * i + 1])
    smallest(b, D, free, mode, mu_k, f, more, contacts)
    if worst(b, data, mode, f, contacts) < 0:
        return
    if share(b, D, data, mode, f, g, more, contacts):
        return

    forces_in_cones(b, D, data, free, mode, a, f, mu, mu_k, state, contacts, scale)
    for j in range(n):
        found[j] = f[j]
    if not begin_slips(b, data, mode, a, f, mu, state, contacts, scale, speed):
        slide_beyond(b, D, data, free, mode, a, f, mu, state, contacts, scale, speed)
    if not settle_from(b, D, data, free, mode, kept, w, contacts, scale, speed):
        # Neither open nor closed is possible: closed, the equations say whether this is Painleve's paradox.
        for i in range(contacts):
            if state[i] == 1.0:
                mode[WIDTH * i + CLOSED] = 1.0


@njit(error_model="numpy")
def forces_in_cones(
    b: Pointer, D: int, data: int, free: Pointer, mode: Pointer, a: Pointer, f: Pointer, mu: Pointer, mu_k: Pointer,
    state: Pointer, contacts: int, scale: float,
) -> None:  # fmt: skip
    """Forces within the cones, from those that are not, and accelerations with them; where a slip begins, its friction
    is the kinetic one.
    """
    n = 3 * contacts
    for i in range(contacts):
        f[n + 2 * i], f[n + 2 * i + 1] = mode[WIDTH * i + AHEAD_X], mode[WIDTH * i + AHEAD_Y]
        if state[i] == 1.0:
            mu[i] = mu_k[i]
    for _ in range(contacts + 1):
        start_again(b, D, data, free, a, f, mu, state, contacts)
        in_cones(b, D, a, f, mu, state, contacts, scale)
        begins = False
        for i in range(contacts):
            moves = math.hypot(a[3 * i], a[3 * i + 1]) > NONE * scale
            if state[i] == 2.0 and f[3 * i + 2] > 0.0 and moves and mu[i] > mu_k[i]:
                mu[i], begins = mu_k[i], True
        if not begins:
            return


@njit(error_model="numpy")
def begin_slips(
    b: Pointer, data: int, mode: Pointer, a: Pointer, f: Pointer, mu: Pointer, state: Pointer, contacts: int,
    scale: float, speed: float,
) -> bool:  # fmt: skip
    """Contacts that part open, and slips at rest that move begin. Whether one has begun."""
    begun = False
    for i in range(contacts):
        if state[i] == 0.0:
            continue
        size = shared_load(b, data, f, contacts, i)
        mode[WIDTH * i + CLOSED] = 0.0 if a[3 * i + 2] > NONE * scale and f[3 * i + 2] <= EDGE * size else 1.0
        mode[WIDTH * i + STICK] *= mode[WIDTH * i + CLOSED]
        moves = math.hypot(a[3 * i], a[3 * i + 1]) > NONE * scale
        held = math.hypot(f[3 * i], f[3 * i + 1]) < (1.0 - EDGE) * mu[i] * f[3 * i + 2]
        if moves and not held and state[i] == 2.0 and mode[WIDTH * i + STICK] == 1.0:
            begin_sliding(b, mode, i, a[3 * i], a[3 * i + 1], speed)
            begun = True
    return begun


@njit(error_model="numpy")
def slide_beyond(
    b: Pointer, D: int, data: int, free: Pointer, mode: Pointer, a: Pointer, f: Pointer, mu: Pointer, state: Pointer,
    contacts: int, scale: float, speed: float,
) -> None:  # fmt: skip
    """Slips just beyond the limit begin: with cones that are clearly too small it is seen where."""
    for i in range(contacts):
        if state[i] == 2.0:
            mu[i] = (1.0 - BEYOND) * b[data + numbers.DATA * i + numbers.MU_STATIC]
    start_again(b, D, data, free, a, f, mu, state, contacts)
    in_cones(b, D, a, f, mu, state, contacts, scale)
    for i in range(contacts):
        moves = math.hypot(a[3 * i], a[3 * i + 1]) > 0.01 * BEYOND * scale
        if moves and mode[WIDTH * i + STICK] == 1.0:
            begin_sliding(b, mode, i, a[3 * i], a[3 * i + 1], speed)


@njit(error_model="numpy")
def settle_from(
    b: Pointer, D: int, data: int, free: Pointer, mode: Pointer, kept: Pointer, w: Pointer, contacts: int,
    scale: float, speed: float,
) -> bool:  # fmt: skip
    """Settle with the smallest forces; where with these a slip would begin backward, with those within the cones. False
    where neither has an end: the modes are those of the first attempt then.
    """
    for j in range(WIDTH * contacts):
        kept[j] = mode[j]
    if settle(b, D, data, free, mode, 0.0, w, contacts, scale, speed):
        return True
    for j in range(WIDTH * contacts):
        mode[j], kept[j] = kept[j], mode[j]
    if settle(b, D, data, free, mode, 1.0, w, contacts, scale, speed):
        return True
    for j in range(WIDTH * contacts):
        mode[j] = kept[j]
    return False


@njit(error_model="numpy")
def settle(
    b: Pointer, D: int, data: int, free: Pointer, mode: Pointer, shared: float, w: Pointer, contacts: int,
    scale: float, speed: float,
) -> bool:  # fmt: skip
    """What is left over opens, or slides against the force that held it; what would sink in closes again. False where
    no end is found, or a slip would begin backward. `shared`: how much of the forces within the cones is taken for
    shares.
    """
    n = 3 * contacts
    f, g, a = w, shifted(w, n + 2 * contacts), shifted(w, 2 * n + 2 * contacts)
    mu, mu_k, state = (
        shifted(w, 3 * n + 2 * contacts),
        shifted(w, 3 * n + 3 * contacts),
        shifted(w, 3 * n + 4 * contacts),
    )
    found, more = shifted(w, 3 * n + 5 * contacts), shifted(w, 4 * n + (5 + WIDTH) * contacts)
    for _ in range(4 * contacts):
        for j in range(n):
            mode[WIDTH * (j // 3) + SHARE_X + j % 3] = shared * found[j]
        smallest(b, D, free, mode, mu_k, f, more, contacts)
        i = worst(b, data, mode, f, contacts)
        light = lightest(b, data, mode, f, contacts) if shared > 0.0 else -1
        if light >= 0:
            mode[WIDTH * light + CLOSED], mode[WIDTH * light + STICK] = 0.0, 0.0
        elif i < 0 or share(b, D, data, mode, f, g, more, contacts):
            i = sinking(b, D, free, mode, f, state, a, contacts)
            if not (i >= 0 and a[3 * i + 2] < -NONE * scale):
                return not goes_back(b, mode, state, a, contacts, scale, speed)
            mode[WIDTH * i + CLOSED] = 1.0
            if state[i] == 2.0 and mu[i] > 0.0:
                mode[WIDTH * i + STICK] = 1.0
                if math.hypot(a[3 * i], a[3 * i + 1]) > NONE * scale:
                    begin_sliding(b, mode, i, a[3 * i], a[3 * i + 1], speed)
        elif f[3 * i + 2] < 0.0:
            mode[WIDTH * i + CLOSED], mode[WIDTH * i + STICK] = 0.0, 0.0
        else:
            begin_sliding(b, mode, i, -f[3 * i], -f[3 * i + 1], speed)
    return False


@njit(error_model="numpy")
def goes_back(b: Pointer, mode: Pointer, state: Pointer, a: Pointer, contacts: int, scale: float, speed: float) -> bool:
    """Whether a contact at rest that begins to slide would do so against its direction."""
    for i in range(contacts):
        begins = state[i] == 2.0 and mode[WIDTH * i + CLOSED] == 1.0 and mode[WIDTH * i + STICK] == 0.0
        ahead = a[3 * i] * mode[WIDTH * i + AHEAD_X] + a[3 * i + 1] * mode[WIDTH * i + AHEAD_Y]
        if begins and math.hypot(b[3 * i], b[3 * i + 1]) <= BEGUN * speed and ahead < -BACK * scale:
            return True
    return False


@njit(error_model="numpy")
def sinking(
    b: Pointer, D: int, free: Pointer, mode: Pointer, f: Pointer, state: Pointer, a: Pointer, contacts: int
) -> int:
    """The contact that would overlap most of those that have opened, with the forces f; `a` gets the accelerations. -1
    where none has opened.
    """
    n, which = 3 * contacts, -1
    for j in range(n):
        a[j] = free[j]
        for k in range(n):
            a[j] += b[D + j + n * k] * f[k]
    for i in range(contacts):
        opened = state[i] > 0.0 and mode[WIDTH * i + CLOSED] == 0.0
        if opened and (which < 0 or a[3 * i + 2] < a[3 * which + 2]):
            which = i
    return which


@njit(error_model="numpy")
def share(b: Pointer, D: int, data: int, mode: Pointer, f: Pointer, g: Pointer, w: Pointer, contacts: int) -> bool:
    """Shares with which all that is held lies inside the cones, f being the smallest forces. False where there are
    none.
    """
    for j in range(3 * contacts):
        g[j] = f[j]
    if not widest(b, D, data, mode, g, w, contacts, -INSIDE) >= -INSIDE:
        return False
    for i in range(contacts):
        if mode[WIDTH * i + CLOSED] == 1.0:
            mode[WIDTH * i + SHARE_N] += g[3 * i + 2] - f[3 * i + 2]
        if mode[WIDTH * i + STICK] == 1.0:
            mode[WIDTH * i + SHARE_X] += g[3 * i] - f[3 * i]
            mode[WIDTH * i + SHARE_Y] += g[3 * i + 1] - f[3 * i + 1]
    return True


@part
def decide_once(table: Ints) -> None:
    """Decide for the data that the table has the addresses of: number of contacts, data of a collision, free
    accelerations, modes (changed), memory, and the speed of the run with the shift of the multiplier block.
    """
    speed, shift = float_ptr(table[5])[0], float_ptr(table[5])[1]
    near, contacts = NO_DIRECTION * speed * math.sqrt(shift), int_ptr(table[0])[0]
    decide(float_ptr(table[1]), float_ptr(table[2]), float_ptr(table[3]), float_ptr(table[4]), contacts, near, speed)
