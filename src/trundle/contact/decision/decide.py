"""What all contacts of a model do from now on (compiled), decided at once where one of them may change.

Contacts that touch and do not part have accelerations a = a_0 + D f with the inverse masses D. Wanted are forces f in
the cones: normals push or their contact opens, a slip at rest stays at rest or begins against its friction, one that
slides has friction against it. Rigid bodies leave forces open that do nothing together (a table on four feet): of all
that do, the smallest are taken. Where these leave a cone, others within all cones are searched, in a plane exactly,
in space by projections, and are kept as shares, which act in the equations of motion: the load of a contact that slides
brings its friction with it. A body slides if there are none. In a plane the loads of contacts that slide are not
raised to hold others.
"""

import math

from trundle.contact.collision import layout as numbers
from trundle.contact.collision.layout import (
    AHEAD_X,
    AHEAD_Y,
    AT_END,
    BEGINS,
    CHOICE,
    CLOSED,
    ENDS,
    NO_DIRECTION,
    SHARE_X,
    SLIDES_SLOWLY,
    SLOW_SLIP,
    STICK,
    WIDTH,
)
from trundle.contact.decision.at_rest import changes, find_rest, stop
from trundle.contact.decision.cones import in_cones, start_again
from trundle.contact.decision.memory import geared_in, impulses_in, tentative_in
from trundle.contact.decision.newton import polished
from trundle.contact.decision.pivots import pivoted
from trundle.contact.decision.pivots_in_space import found_in_space
from trundle.contact.decision.settle import (
    BEGUN,
    NONE,
    begin_sliding,
    hold,
    keep,
    set_sliding,
    settle_from,
    slip_ahead,
    slip_aside,
)
from trundle.contact.decision.several import mark_choice
from trundle.contact.decision.share import shared_load
from trundle.contact.decision.slow_slip import LEVERS, can_rest
from trundle.contact.decision.smallest import EDGE
from trundle.contact.decision.soon import LEFT, end_soon, in_a_plane
from trundle.contact.decision.unique import diverges, is_unique
from trundle.kernel.pointers import Pointer, float_ptr, int_ptr, part, shifted, strict
from trundle.kernel.record import Ints

SLOW = 1e-6  # of the speed of the run: a slip, or a speed of parting, that is at rest
AT_LEVEL = 1.2  # how exactly a slow slip is distinguished
ROUNDS = 5  # of decisions, each after what the one before has stopped
TURNED = 0.5  # for `stick`: to be stopped, and to slide then
PROJECTED, PLANAR, SPATIAL = range(3)  # ways to find forces
ASIDE = 1e-16  # of the speed of the run: across its direction a slip that begins has none
BEYOND = 1e-3  # of the cones, beyond which a body slides for certain


@strict
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
        geared_in(w, contacts)[i], mode[WIDTH * i + CHOICE] = 0.0, 0.0
    impulses = impulses_in(w, contacts)
    for j in range(3 * contacts):
        impulses[j] = 0.0
    for _ in range(ROUNDS):
        find_modes(b, free, mode, w, contacts, speed)
        if not stop_rests(b, mode, impulses, w, contacts, speed):
            return


@strict
def stop_rests(b: Pointer, mode: Pointer, impulses: Pointer, w: Pointer, contacts: int, speed: float) -> bool:
    """Stop the rests of motion of what is held, and of slips that are not along the direction in which they begin,
    unless that would stop a faster motion, which takes them along. Whether another slip is stopped or turned, so that
    the modes are to be decided anew.
    """
    n, geared = 3 * contacts, geared_in(w, contacts)
    state, more = shifted(w, 3 * n + 4 * contacts), shifted(w, 5 * n + (5 + WIDTH) * contacts)
    turned = False
    for i in range(contacts):
        astray = slip_ahead(b, mode, i) < -BEGUN * speed or slip_aside(b, mode, i) > ASIDE * speed
        if state[i] == 2.0 and astray and mode[WIDTH * i + STICK] == 0.0:
            mode[WIDTH * i + STICK], turned = TURNED, True
    rows, p, change = more, shifted(more, 2 * n), shifted(more, 6 * n)
    m = stop(b, mode, more, contacts)
    if turned and changes(b, state, change, contacts, SLOW * speed, LEVERS * SLOW * speed):
        for i in range(contacts):
            if mode[WIDTH * i + STICK] == TURNED:
                mode[WIDTH * i + STICK], geared[i] = 0.0, 1.0
        return True
    for k in range(m):
        impulses[int(rows[k])] += p[k]
    again = False
    for i in range(contacts):
        if mode[WIDTH * i + STICK] == TURNED:
            mode[WIDTH * i + STICK] = 0.0
        elif mode[WIDTH * i + CLOSED] == 1.0 and mode[WIDTH * i + STICK] == 0.0:
            before = slip_ahead(b, mode, i)
            after = before + slip_ahead(change, mode, i)
            again = again or after < (LEFT * before if state[i] == 1.0 else -BEGUN * speed)
    for j in range(n):
        b[j] += change[j]
    return again


@strict
def find_touching(
    b: Pointer, free: Pointer, mode: Pointer, mu: Pointer, mu_k: Pointer, state: Pointer, contacts: int, speed: float
) -> float:
    """Contacts that touch are closed, and stick where each by itself is slow enough: `state` is 2 there, 1 where they
    slide, 0 for others. Returns the largest acceleration without forces.
    """
    n = 3 * contacts
    D, data = n, n + n * n
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
    return scale


@strict
def find_modes(b: Pointer, free: Pointer, mode: Pointer, w: Pointer, contacts: int, speed: float) -> None:
    """Which contacts are closed, stick, and where the others slide; and the shares."""
    n = 3 * contacts
    D, data = n, n + n * n
    f, g, a = w, shifted(w, n + 2 * contacts), shifted(w, 2 * n + 2 * contacts)
    mu, mu_k = shifted(w, 3 * n + 2 * contacts), shifted(w, 3 * n + 3 * contacts)
    state = shifted(w, 3 * n + 4 * contacts)
    more = shifted(w, 5 * n + (5 + WIDTH) * contacts)
    scale = find_touching(b, free, mode, mu, mu_k, state, contacts, speed)
    plane = scale > 0.0 and in_a_plane(b, data, mu, state, contacts)
    if not (plane and end_soon(b, D, free, mode, g, a, f, mu, mu_k, state, more, contacts, scale, SLOW * speed)):
        find_rest(b, mode, state, more, contacts, SLOW * speed)
    for i in range(contacts):
        if state[i] == 2.0 and geared_in(w, contacts)[i] == 1.0:
            state[i] = 1.0
        if state[i] == 1.0:
            set_sliding(mode, i, b[3 * i], b[3 * i + 1])
    if is_unique(b, D, mode, mu_k, more, contacts):
        if not hold(b, D, data, free, mode, f, g, mu_k, more, contacts, scale, plane):
            find_others(b, free, mode, w, contacts, scale, speed, plane, True)
    elif not diverges(b, D, data, free, mode, mu_k, f, more, contacts):
        first = tentative_in(w, contacts)
        for j in range(WIDTH * contacts):
            first[j] = mode[j]
        find_others(b, free, mode, w, contacts, scale, speed, plane, False)
        mark_choice(b, free, mode, w, contacts, scale, plane)


@strict
def find_others(
    b: Pointer, free: Pointer, mode: Pointer, w: Pointer, contacts: int, scale: float, speed: float, plane: bool,
    sure: bool,
) -> None:  # fmt: skip
    """Modes other than those with all that touch, by forces within the cones; `sure` where those are unique."""
    n = 3 * contacts
    D, data = n, n + n * n
    f, g, a = w, shifted(w, n + 2 * contacts), shifted(w, 2 * n + 2 * contacts)
    mu, mu_k = shifted(w, 3 * n + 2 * contacts), shifted(w, 3 * n + 3 * contacts)
    state = shifted(w, 3 * n + 4 * contacts)
    found, kept = shifted(w, 3 * n + 5 * contacts), shifted(w, 4 * n + 5 * contacts)
    more = shifted(w, 5 * n + (5 + WIDTH) * contacts)
    way = PLANAR if plane else SPATIAL
    exact = forces_in_cones(b, D, data, free, mode, a, f, mu, mu_k, state, more, contacts, scale, way)
    if not exact:
        if not sure and hold(b, D, data, free, mode, f, g, mu_k, more, contacts, scale, plane):
            return
        forces_in_cones(b, D, data, free, mode, a, f, mu, mu_k, state, more, contacts, scale, PROJECTED)
        exact = not plane and polished(b, D, free, a, f, mu, state, more, contacts, scale)
    for j in range(n):
        found[j] = f[j]
    if not (begin_slips(b, data, mode, a, f, mu, state, contacts, scale, speed, exact) or exact):
        slide_beyond(b, D, data, free, mode, a, f, mu, state, contacts, scale, speed)
    if exact and keep_slips(b, D, data, free, mode, f, state, w, contacts, scale, plane):
        return
    if not settle_from(b, D, data, free, mode, kept, w, contacts, scale, speed):
        # Neither open nor closed is possible: closed, the equations say whether this is Painleve's paradox.
        for i in range(contacts):
            if state[i] == 1.0:
                mode[WIDTH * i + CLOSED] = 1.0


@strict
def keep_slips(
    b: Pointer, D: int, data: int, free: Pointer, mode: Pointer, f: Pointer, state: Pointer, w: Pointer, contacts: int,
    scale: float, plane: bool,
) -> bool:  # fmt: skip
    """Keep modes that were found with exact forces, slips going on along their rests, or else, in space, along the
    accelerations that were found behind the forces: their rests are stopped then.
    """
    if keep(b, D, data, free, mode, w, contacts, scale, plane):
        return True
    if plane:
        return False
    for i in range(contacts):
        begins = state[i] == 2.0 and mode[WIDTH * i + CLOSED] == 1.0 and mode[WIDTH * i + STICK] == 0.0
        if begins:
            set_sliding(mode, i, f[3 * contacts + 2 * i], f[3 * contacts + 2 * i + 1])
    return keep(b, D, data, free, mode, w, contacts, scale, plane)


@strict
def forces_in_cones(
    b: Pointer, D: int, data: int, free: Pointer, mode: Pointer, a: Pointer, f: Pointer, mu: Pointer, mu_k: Pointer,
    state: Pointer, w: Pointer, contacts: int, scale: float, way: int,
) -> bool:  # fmt: skip
    """Forces within the cones, and accelerations with them: exact ones by pivots, or by projections of those that are
    given; where a slip begins, its friction is the kinetic one. False where pivots find none.
    """
    n = 3 * contacts
    for i in range(contacts):
        f[n + 2 * i], f[n + 2 * i + 1] = mode[WIDTH * i + AHEAD_X], mode[WIDTH * i + AHEAD_Y]
        mu[i] = mu_k[i] if state[i] == 1.0 else b[data + numbers.DATA * i + numbers.MU_STATIC]
    for _ in range(contacts + 1):
        if way == PROJECTED:
            start_again(b, D, data, free, a, f, mu, state, contacts)
            in_cones(b, D, a, f, mu, state, contacts, scale)
            found = True
        elif way == PLANAR:
            found = pivoted(b, D, free, a, f, mu, state, w, contacts)
        else:
            found = found_in_space(b, D, free, a, f, mu, state, w, contacts, scale)
        if not found:
            return False
        begins = False
        for i in range(contacts):
            moves = math.hypot(a[3 * i], a[3 * i + 1]) > NONE * scale
            if state[i] == 2.0 and f[3 * i + 2] > 0.0 and moves and mu[i] > mu_k[i]:
                mu[i], begins = mu_k[i], True
        if not begins:
            break
    return True


@strict
def begin_slips(
    b: Pointer, data: int, mode: Pointer, a: Pointer, f: Pointer, mu: Pointer, state: Pointer, contacts: int,
    scale: float, speed: float, exact: bool,
) -> bool:  # fmt: skip
    """Contacts that part open, and slips at rest that move begin. Whether one has begun."""
    n, begun = 3 * contacts, False
    for i in range(contacts):
        if state[i] == 0.0:
            continue
        size = shared_load(b, data, f, contacts, i)
        mode[WIDTH * i + CLOSED] = 0.0 if a[3 * i + 2] > NONE * scale and f[3 * i + 2] <= EDGE * size else 1.0
        mode[WIDTH * i + STICK] *= mode[WIDTH * i + CLOSED]
        moves = math.hypot(a[3 * i], a[3 * i + 1]) > NONE * scale
        if exact:
            moves = f[n + 2 * i] != 0.0 or f[n + 2 * i + 1] != 0.0
        held = math.hypot(f[3 * i], f[3 * i + 1]) < (1.0 - EDGE) * mu[i] * f[3 * i + 2]
        if moves and not held and state[i] == 2.0 and mode[WIDTH * i + STICK] == 1.0:
            begin_sliding(b, mode, i, a[3 * i], a[3 * i + 1], speed)
            begun = True
    return begun


@strict
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


@part
def decide_once(table: Ints) -> None:
    """Decide for the data that the table has the addresses of: number of contacts, data of a collision, free
    accelerations, modes (changed), memory, and the speed of the run with the shift of the multiplier block.
    """
    speed, shift = float_ptr(table[5])[0], float_ptr(table[5])[1]
    near, contacts = NO_DIRECTION * speed * math.sqrt(shift), int_ptr(table[0])[0]
    decide(float_ptr(table[1]), float_ptr(table[2]), float_ptr(table[3]), float_ptr(table[4]), contacts, near, speed)
