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
from trundle.contact.decision.cones import in_cones, move_into_cones
from trundle.contact.decision.ending_slips import LEFT, find_ending_slips, in_a_plane
from trundle.contact.decision.memory import Contacts, contacts_in, friction_problem
from trundle.contact.decision.newton import polished
from trundle.contact.decision.pivots import pivoted
from trundle.contact.decision.pivots_in_space import pivoted_in_space
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
from trundle.contact.decision.smallest import EDGE, smallest, worst
from trundle.contact.decision.unique import ONE, SEVERAL, diverges, motions
from trundle.kernel.pointers import float_ptr, int_ptr, part, shifted, strict
from trundle.kernel.record import Ints

SLOW = 1e-6  # of the speed of the run: a slip, or a speed of parting, that is at rest
AT_LEVEL = 1.2  # how exactly a slow slip is distinguished
ROUNDS = 5  # of decisions, each after what the one before has stopped
TURNED = 0.5  # for `stick`: to be stopped, and to slide then
PROJECTED, PLANAR, SPATIAL, SMALLEST = range(4)  # ways to find forces
YIELDS = 1e-6  # of the inverse mass of a contact: of forces that rigid bodies leave open the smallest are found
ASIDE = 1e-16  # of the speed of the run: across its direction a slip that begins has none
BEYOND = 1e-3  # of the cones, beyond which a body slides for certain


@strict
def decide(at: Contacts, near: float) -> None:
    """Modes and shares of all contacts; `near` is a slip too small to have a direction."""
    b, mode, contacts = at.b, at.mode, at.contacts
    for i in range(contacts):
        slow, slip = SLIDES_SLOWLY + WIDTH * i, math.hypot(b[3 * i], b[3 * i + 1])
        if slip < AT_LEVEL * SLOW_SLIP * near:
            slid = mode[WIDTH * i + CLOSED] == 1.0 and mode[WIDTH * i + STICK] == 0.0 and mode[slow] != BEGINS
            mode[slow] = ENDS if slid and slip > AT_END * near else BEGINS
        elif AT_LEVEL * slip > 2.0 * SLOW_SLIP * near:
            mode[slow] = 0.0
        at.geared[i], mode[WIDTH * i + CHOICE] = 0.0, 0.0
    for j in range(3 * contacts):
        at.impulses[j] = 0.0
    for _ in range(ROUNDS):
        find_modes(at)
        if not stop_rests(at):
            break
    for i in range(contacts):
        if b[at.data + numbers.DATA * i + numbers.GIVEN] > 0.0:
            settle_given(at, i)


@strict
def settle_given(at: Contacts, i: int) -> None:
    """Where the load is given, the gap says whether a contact is closed, and shares are ratios to the load."""
    b, mode, n = at.b, at.mode, 3 * at.contacts
    load = -at.free[3 * i + 2] / b[at.D + (3 * i + 2) * (n + 1)]
    mode[WIDTH * i + CLOSED] = b[at.data + numbers.DATA * i + numbers.TOUCHING]
    mode[WIDTH * i + STICK] *= mode[WIDTH * i + CLOSED]
    for axis in (SHARE_X, SHARE_X + 1):
        mode[WIDTH * i + axis] = mode[WIDTH * i + axis] / load if load > 0.0 else 0.0


@strict
def stop_rests(at: Contacts) -> bool:
    """Stop the rests of motion of what is held, and of slips that are not along the direction in which they begin,
    unless that would stop a faster motion, which takes them along. Whether another slip is stopped or turned, so that
    the modes are to be decided anew.
    """
    b, mode, state, contacts, speed = at.b, at.mode, at.state, at.contacts, at.speed
    n, turned = 3 * contacts, False
    for i in range(contacts):
        astray = slip_ahead(b, mode, i) < -BEGUN * speed or slip_aside(b, mode, i) > ASIDE * speed
        if state[i] == 2.0 and astray and mode[WIDTH * i + STICK] == 0.0:
            mode[WIDTH * i + STICK], turned = TURNED, True
    rows, p, change = at.work, shifted(at.work, 2 * n), shifted(at.work, 6 * n)
    m = stop(at)
    if turned and changes(at, change, SLOW * speed, LEVERS * SLOW * speed):
        for i in range(contacts):
            if mode[WIDTH * i + STICK] == TURNED:
                mode[WIDTH * i + STICK], at.geared[i] = 0.0, 1.0
        return True
    for k in range(m):
        at.impulses[int(rows[k])] += p[k]
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
def find_touching(at: Contacts) -> float:
    """Contacts that touch are closed, and stick where each by itself is slow enough: `state` is 2 there, 1 where they
    slide, 0 for others. Returns the largest acceleration without forces.
    """
    b, D, data, free, mode, mu, state = at.b, at.D, at.data, at.free, at.mode, at.mu, at.state
    contacts, n, speed, scale = at.contacts, 3 * at.contacts, at.speed, 0.0
    for i in range(contacts):
        k = data + numbers.DATA * i
        touches = (
            b[k + numbers.TOUCHING] == 1.0
            and abs(b[3 * i + 2]) < SLOW * speed
            and b[D + 3 * i + 2 + n * (3 * i + 2)] > 0.0
        )
        mu[i], at.mu_k[i] = b[k + numbers.MU_STATIC], b[k + numbers.MU_KINETIC]
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
def find_modes(at: Contacts) -> None:
    """Which contacts are closed, stick, and where the others slide; and the shares."""
    scale = find_touching(at)
    plane = scale > 0.0 and in_a_plane(at)
    if not (plane and find_ending_slips(at, scale, SLOW * at.speed)):
        find_rest(at, SLOW * at.speed)
    for i in range(at.contacts):
        if at.state[i] == 2.0 and at.geared[i] == 1.0:
            at.state[i] = 1.0
        if at.state[i] == 1.0:
            set_sliding(at.mode, i, at.b[3 * i], at.b[3 * i + 1])
    count = motions(at)
    if diverges(at) if count == SEVERAL else hold(at, scale, plane):
        return
    for j in range(WIDTH * at.contacts):
        at.tentative[j] = at.mode[j]
    find_others(at, scale, plane, count != SEVERAL)
    if count != ONE:
        mark_choice(at, scale, plane)


@strict
def find_others(at: Contacts, scale: float, plane: bool, sure: bool) -> None:
    """Modes other than those with all that touch, by forces within the cones; `sure` where those are unique."""
    exact = forces_in_cones(at, scale, PLANAR if plane else SMALLEST if sure else SPATIAL)
    if not exact:
        if not sure and hold(at, scale, plane):
            return
        forces_in_cones(at, scale, PROJECTED)
        exact = not plane and polished(friction_problem(at), at.work, scale)
    for j in range(3 * at.contacts):
        at.found[j] = at.f[j]
    if not (begin_slips(at, scale, exact) or exact):
        slide_beyond(at, scale)
    if exact and keep_slips(at, scale, plane):
        return
    if not settle_from(at, scale):
        # Neither open nor closed is possible: the equations say whether this is Painleve's paradox.
        close_all(at)
        if not opens_into_the_paradox(at):
            close_all(at)


@strict
def close_all(at: Contacts) -> None:
    """Close contacts that slide."""
    for i in range(at.contacts):
        if at.state[i] == 1.0:
            at.mode[WIDTH * i + CLOSED] = 1.0


@strict
def opens_into_the_paradox(at: Contacts) -> bool:
    """Whether friction leaves no unique acceleration when contacts that pull have opened, one after another."""
    while motions(at) != SEVERAL:
        smallest(at)
        i = worst(at)
        if i < 0 or at.f[3 * i + 2] >= 0.0:
            return False
        at.mode[WIDTH * i + CLOSED], at.mode[WIDTH * i + STICK] = 0.0, 0.0
    return True


@strict
def keep_slips(at: Contacts, scale: float, plane: bool) -> bool:
    """Keep modes that were found with exact forces, slips going on along their rests, or else, in space, along the
    accelerations that were found behind the forces: their rests are stopped then.
    """
    if keep(at, scale, plane):
        return True
    if plane:
        return False
    mode, f, state = at.mode, at.f, at.state
    for i in range(at.contacts):
        begins = state[i] == 2.0 and mode[WIDTH * i + CLOSED] == 1.0 and mode[WIDTH * i + STICK] == 0.0
        if begins:
            set_sliding(mode, i, f[3 * at.contacts + 2 * i], f[3 * at.contacts + 2 * i + 1])
    return keep(at, scale, plane)


@strict
def forces_in_cones(at: Contacts, scale: float, way: int) -> bool:
    """Forces within the cones, and accelerations with them: exact ones by pivots, or by projections of those that are
    given; where a slip begins, its friction is the kinetic one. False where pivots find none.
    """
    mode, a, f, mu, mu_k, state = at.mode, at.a, at.f, at.mu, at.mu_k, at.state
    contacts, n, problem = at.contacts, 3 * at.contacts, friction_problem(at)
    for i in range(contacts):
        f[n + 2 * i], f[n + 2 * i + 1] = mode[WIDTH * i + AHEAD_X], mode[WIDTH * i + AHEAD_Y]
        mu[i] = mu_k[i] if state[i] == 1.0 else at.b[at.data + numbers.DATA * i + numbers.MU_STATIC]
    for _ in range(contacts + 1):
        if way == PROJECTED:
            move_into_cones(problem)
            in_cones(problem, scale)
            found = True
        elif way == PLANAR:
            found = pivoted(problem, at.work)
        else:
            found = pivoted_in_space(problem, at.work, scale, YIELDS if way == SMALLEST else 0.0)
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
def begin_slips(at: Contacts, scale: float, exact: bool) -> bool:
    """Contacts that part open, and slips at rest that move begin. Whether one has begun."""
    mode, a, f, mu, state, contacts = at.mode, at.a, at.f, at.mu, at.state, at.contacts
    n, begun = 3 * contacts, False
    for i in range(contacts):
        if state[i] == 0.0:
            continue
        size = shared_load(at.b, at.data, f, contacts, i)
        mode[WIDTH * i + CLOSED] = 0.0 if a[3 * i + 2] > NONE * scale and f[3 * i + 2] <= EDGE * size else 1.0
        mode[WIDTH * i + STICK] *= mode[WIDTH * i + CLOSED]
        if exact:
            moves = f[n + 2 * i] != 0.0 or f[n + 2 * i + 1] != 0.0
        else:
            held = math.hypot(f[3 * i], f[3 * i + 1]) < (1.0 - EDGE) * mu[i] * f[3 * i + 2]
            moves = not held and math.hypot(a[3 * i], a[3 * i + 1]) > NONE * scale
        if moves and state[i] == 2.0 and mode[WIDTH * i + STICK] == 1.0:
            begin_sliding(at, i, a[3 * i], a[3 * i + 1])
            begun = True
    return begun


@strict
def slide_beyond(at: Contacts, scale: float) -> None:
    """Slips just beyond the limit begin: with cones that are clearly too small it is seen where."""
    mode, a, problem = at.mode, at.a, friction_problem(at)
    for i in range(at.contacts):
        if at.state[i] == 2.0:
            at.mu[i] = (1.0 - BEYOND) * at.b[at.data + numbers.DATA * i + numbers.MU_STATIC]
    move_into_cones(problem)
    in_cones(problem, scale)
    for i in range(at.contacts):
        moves = math.hypot(a[3 * i], a[3 * i + 1]) > 0.01 * BEYOND * scale
        if moves and mode[WIDTH * i + STICK] == 1.0:
            begin_sliding(at, i, a[3 * i], a[3 * i + 1])


@part
def decide_once(table: Ints) -> None:
    """Decide for the data that the table has the addresses of: number of contacts, data of a collision, free
    accelerations, modes (changed), memory, and the speed of the run with the shift of the multiplier block.
    """
    speed, shift = float_ptr(table[5])[0], float_ptr(table[5])[1]
    b, free, mode, w = float_ptr(table[1]), float_ptr(table[2]), float_ptr(table[3]), float_ptr(table[4])
    decide(contacts_in(b, free, mode, w, int_ptr(table[0])[0], speed), NO_DIRECTION * speed * math.sqrt(shift))
