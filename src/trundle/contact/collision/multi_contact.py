"""Collision of a model at all its contacts: one after the other, all at once, or through springs at the contacts.

The treatments give different answers, and none is more right: rigidity does not determine how an impulse spreads.
"""

import math

from trundle.contact.collision import layout as at
from trundle.contact.collision.memory import Collision, collision_in, push, touches
from trundle.contact.collision.routh import long, routh
from trundle.contact.collision.tied import HELD, NEARLY, find_tied, strike_tied
from trundle.kernel.pointers import Pointer, strict

ROUNDS = 10000
RESTING = 1e-14  # of the largest velocity: below it, not approaching
GAIN = 1e-9  # of the kinetic energy of the collision
GAIN_OF_SPRINGS = 1e-5  # their motion is stepped
STEP = 5e-4  # of the time that the stiffest spring needs
STEPS = 4_000_000
SWEEPS = 50  # over the contacts that stick, within a step
PRESSES = 200  # over the contacts that press on each other, within a step
SLOW_APPROACH = 1e-9  # of the largest velocity: an approach that needs no short steps


@strict
def strike_one(c: Collision, i: int) -> bool:
    """Collision at contact i alone; velocities and impulses are changed. False if none is found."""
    b, D, v, P, n = c.b, c.D, c.v, c.P, 3 * c.contacts
    x, y, z = 3 * i, 3 * i + 1, 3 * i + 2
    own = (
        b[D + x + n * x], b[D + x + n * y], b[D + y + n * y], b[D + x + n * z], b[D + y + n * z], b[D + z + n * z],
    )  # fmt: skip
    k = c.data + at.DATA * i
    e = b[k + at.RESTITUTION]
    if -b[v + z].real <= b[k + at.REST_SPEED].real:
        e = 0.0 * e
    planar = b[k + at.PLANAR] == 1.0
    law = int(b[k + at.LAW].real)
    velocity = b[v + x], b[v + y], b[v + z]
    p_x, p_y, p_n, good = routh(own, velocity, b[k + at.MU_STATIC], b[k + at.MU_KINETIC], e, law, planar)
    if good == 0.0:
        return False
    for j in range(n):
        b[v + j] += b[D + j + n * x] * p_x + b[D + j + n * y] * p_y + b[D + j + n * z] * p_n
    b[P + x] += p_x
    b[P + y] += p_y
    b[P + z] += p_n
    return True


@strict
def one_after_the_other(c: Collision) -> bool:
    """The contact that approaches fastest collides, until none approaches; those of a body that approach equally fast
    do so at once. False if that does not end.
    """
    b, v = c.b, c.v
    for _ in range(ROUNDS):
        fastest, which = -RESTING * c.size, -1
        for i in range(c.contacts):
            if touches(c, i) and b[v + 3 * i + 2].real < fastest:
                fastest, which = b[v + 3 * i + 2].real, i
        if which < 0:
            return True
        if find_tied(c, which) > 1:
            if not strike_tied(c):
                return False
        elif not strike_one(c, which):
            return False
    return False


@strict
def together(c: Collision) -> bool:
    """Moreau's impact: all normals with Newton's restitution and friction on the velocities after it, by projections
    onto the cones in turn. False if they do not settle.
    """
    b, D, v, P, n, change, slip = c.b, c.D, c.v, c.P, 3 * c.contacts, 0.0, 0.0
    for _ in range(ROUNDS):
        change, slip = 0.0, 0.0
        for i in range(c.contacts):
            k, z = c.data + at.DATA * i, 3 * i + 2
            if not touches(c, i):
                continue
            coming = -b[c.before + z]
            wanted = b[v + z]
            if coming.real > b[k + at.REST_SPEED].real:
                wanted = wanted - b[k + at.RESTITUTION] * coming
            p = b[P + z] - wanted / b[D + z + n * z]
            if p.real < 0.0:
                p = 0.0 * p
            step = p - b[P + z]
            b[P + z] = p
            change = max(change, abs(step) * abs(b[D + z + n * z]))
            push(c, z, step)
            slip = max(slip, slow_down(c, i, p))
        if max(change, slip) <= RESTING * c.size:
            return True
    # Round-off of slow slips that no motion of the body has is never held.
    return change <= HELD * c.size and slip <= NEARLY * c.size


@strict
def slow_down(c: Collision, i: int, p: float) -> float:
    """Stop the slip of contact i as far as friction goes at the normal impulse p; how much its slip changed."""
    b, D, v, P, n = c.b, c.D, c.v, c.P, 3 * c.contacts
    x, y = 3 * i, 3 * i + 1
    r = max(b[D + x + n * x].real, b[D + y + n * y].real)
    if r <= 0.0:
        return 0.0
    limit = b[c.data + at.DATA * i + at.MU_KINETIC] * p
    p_x, p_y = b[P + x] - b[v + x] / r, b[P + y] - b[v + y] / r
    size = long(p_x, p_y)
    if size.real > limit.real:
        p_x, p_y = p_x * limit / size, p_y * limit / size
    s_x, s_y = p_x - b[P + x], p_y - b[P + y]
    b[P + x], b[P + y] = p_x, p_y
    for j in range(n):
        b[v + j] += b[D + j + n * x] * s_x + b[D + j + n * y] * s_y
    return r * (abs(s_x) + abs(s_y))


@strict
def apply_friction_in_step(c: Collision, normal: int) -> None:
    """Tangential impulses of one step, with the normal impulses from `normal` on."""
    for _ in range(SWEEPS):
        change = 0.0
        for i in range(c.contacts):
            p = c.b[normal + i]
            if (c.b[c.data + at.DATA * i + at.MU_KINETIC] * p).real > 0.0:
                change = max(change, slow_down(c, i, p))
        if change <= RESTING * c.size:
            return


@strict
def compress_in_step(c: Collision, h: float) -> float:
    """Normal impulses of one step: each spring pushes as one that lets go, and harder where it is pressed on, at most
    as one that is pressed, until nothing approaches. Returns the smallest velocity left.

    The force of such a spring jumps where its motion turns. Between the two a contact is held, as dry friction is.
    """
    b, D, v, n, lowest = c.b, c.D, c.v, 3 * c.contacts, 0.0
    delta, impulse = springs_in(c)
    for i in range(c.contacts):
        b[impulse + i] = 0.0
        if touches(c, i) and b[delta + i].real > 0.0:
            b[impulse + i] = h * (1.0 - stiffening(c, i)) * b[delta + i]
            push(c, 3 * i + 2, b[impulse + i])
    for _ in range(PRESSES):
        change, lowest = 0.0, 0.0
        for i in range(c.contacts):
            z = 3 * i + 2
            if not touches(c, i):
                continue
            lowest = min(lowest, b[v + z].real)
            if b[delta + i].real <= 0.0:
                continue
            inner = stiffening(c, i)
            p = b[impulse + i] - b[v + z] / b[D + z + n * z]
            least, most = h * (1.0 - inner) * b[delta + i], h * (1.0 + inner) * b[delta + i]
            if p.real < least.real:
                p = least
            elif p.real > most.real:
                p = most
            step = p - b[impulse + i]
            b[impulse + i] = p
            change = max(change, abs(step) * abs(b[D + z + n * z]))
            push(c, z, step)
        if change <= RESTING * c.size:
            break
    return lowest


@strict
def stiffening(c: Collision, i: int) -> float:
    """By how much a spring is stiffer on the way in than on average, and softer on the way out."""
    e = c.b[c.data + at.DATA * i + at.RESTITUTION]
    return (1.0 - e * e) / (1.0 + e * e)


@strict
def springs_in(c: Collision) -> tuple[int, int]:
    """Where the indentations stand, and the normal impulses of a step, behind which is room for the others."""
    return c.status + 2, c.status + 2 + c.contacts


@strict
def through_springs(c: Collision) -> bool:
    """Equal springs at all contacts, softer on the way out by the restitution [Barjau 2022, Eq. 5.1], followed in small
    steps until all contacts have let go. False if that does not end.
    """
    b, v, P, n, stiffest = c.b, c.v, c.P, 3 * c.contacts, 0.0
    delta, impulse = springs_in(c)
    others = impulse + c.contacts
    for i in range(c.contacts):
        b[delta + i] = 0.0
        stiffest = max(stiffest, b[c.D + 3 * i + 2 + n * (3 * i + 2)].real)
    shortest = STEP / math.sqrt(2.0 * c.contacts * stiffest)
    h = shortest
    for _ in range(STEPS):
        for i in range(c.contacts):
            b[delta + i] -= 0.5 * h * b[v + 3 * i + 2]
        lowest = compress_in_step(c, h)
        for i in range(c.contacts):  # tangential impulses of this step are gathered apart
            b[P + 3 * i + 2] += b[impulse + i]
            b[others + 2 * i], b[others + 2 * i + 1] = b[P + 3 * i], b[P + 3 * i + 1]
            b[P + 3 * i], b[P + 3 * i + 1] = 0.0, 0.0
        apply_friction_in_step(c, impulse)
        softest, busy = 0.0, lowest < -SLOW_APPROACH * c.size
        for i in range(c.contacts):
            b[P + 3 * i] += b[others + 2 * i]
            b[P + 3 * i + 1] += b[others + 2 * i + 1]
            if touches(c, i):
                b[delta + i] -= 0.5 * h * b[v + 3 * i + 2]
                if b[delta + i].real > 0.0:
                    softest = max(softest, 1.0 - stiffening(c, i).real)
        if not busy and softest == 0.0:
            return True
        # While nothing is pressed only springs that let go move anything, and slowly.
        h = shortest if busy else shortest * math.sqrt(2.0 / softest)
    return False


@strict
def collide(b: Pointer, contacts: int, before: int, treatment: int) -> None:
    """Solve the collision described by b (see `layout`); from `before` on come the velocities before and after, the
    impulses, the outcome and the energy lost.
    """
    c = collision_in(b, contacts, before)
    if treatment == at.SIMULTANEOUS:
        good = together(c)
    elif treatment == at.COMPLIANT:
        good = through_springs(c)
    else:
        good = one_after_the_other(c)
    gained, moved = 0.0 * b[0], 0.0
    for j in range(3 * contacts):
        gained += 0.5 * b[c.P + j] * (b[before + j] + b[c.v + j])
        moved += abs(b[c.P + j]) * c.size
    b[c.status] = at.SOLVED if good else at.UNSOLVED
    if good and gained.real > (GAIN_OF_SPRINGS if treatment == at.COMPLIANT else GAIN) * moved:
        b[c.status] = at.GAINS_ENERGY
    b[c.status + 1] = -gained
