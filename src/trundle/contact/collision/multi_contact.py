"""Collision of a model at all its contacts: one after the other, all at once, or through springs at the contacts.

The treatments give different answers, and none is more right: rigidity does not determine how an impulse spreads.
"""

import math

from trundle.contact.collision import layout as at
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
def strike_one(b: Pointer, D: int, data: int, v: int, P: int, n: int, i: int) -> bool:
    """Collision at contact i alone; velocities and impulses in b are changed. False if none is found."""
    x, y, z = 3 * i, 3 * i + 1, 3 * i + 2
    own = (
        b[D + x + n * x], b[D + x + n * y], b[D + y + n * y], b[D + x + n * z], b[D + y + n * z], b[D + z + n * z],
    )  # fmt: skip
    k = data + at.DATA * i
    e = b[k + at.RESTITUTION]
    if -b[v + z].real <= b[k + at.REST_SPEED].real:
        e = 0.0 * e
    planar = b[k + at.PLANAR] == 1.0
    law = int(b[k + at.LAW].real)
    p_x, p_y, p_n, good = routh(
        own, b[v + x], b[v + y], b[v + z], b[k + at.MU_STATIC], b[k + at.MU_KINETIC], e, law, planar
    )
    if good == 0.0:
        return False
    for j in range(n):
        b[v + j] += b[D + j + n * x] * p_x + b[D + j + n * y] * p_y + b[D + j + n * z] * p_n
    b[P + x] += p_x
    b[P + y] += p_y
    b[P + z] += p_n
    return True


@strict
def one_after_the_other(b: Pointer, D: int, data: int, v: int, P: int, contacts: int, size: float) -> bool:
    """The contact that approaches fastest collides, until none approaches; those of a body that approach equally fast
    do so at once. False if that does not end.
    """
    n, tied = 3 * contacts, P + 3 * contacts + 2
    for _ in range(ROUNDS):
        fastest, which = -RESTING * size, -1
        for i in range(contacts):
            if b[data + at.DATA * i + at.TOUCHING] == 1.0 and b[v + 3 * i + 2].real < fastest:
                fastest, which = b[v + 3 * i + 2].real, i
        if which < 0:
            return True
        if find_tied(b, D, data, v, tied, contacts, which) > 1:
            if not strike_tied(b, D, data, v, P, tied, contacts, size):
                return False
        elif not strike_one(b, D, data, v, P, n, which):
            return False
    return False


@strict
def together(b: Pointer, D: int, data: int, before: int, v: int, P: int, contacts: int, size: float) -> bool:
    """Moreau's impact: all normals with Newton's restitution and friction on the velocities after it, by projections
    onto the cones in turn. False if they do not settle.
    """
    n, change, slip = 3 * contacts, 0.0, 0.0
    for _ in range(ROUNDS):
        change, slip = 0.0, 0.0
        for i in range(contacts):
            k, z = data + at.DATA * i, 3 * i + 2
            if b[k + at.TOUCHING] != 1.0:
                continue
            coming = -b[before + z]
            wanted = b[v + z]
            if coming.real > b[k + at.REST_SPEED].real:
                wanted = wanted - b[k + at.RESTITUTION] * coming
            p = b[P + z] - wanted / b[D + z + n * z]
            if p.real < 0.0:
                p = 0.0 * p
            step = p - b[P + z]
            b[P + z] = p
            change = max(change, abs(step) * abs(b[D + z + n * z]))
            for j in range(n):
                b[v + j] += b[D + j + n * z] * step
            r = max(b[D + 3 * i + n * (3 * i)].real, b[D + 3 * i + 1 + n * (3 * i + 1)].real)
            limit = b[k + at.MU_KINETIC] * p
            if r <= 0.0:
                continue
            p_x, p_y = b[P + 3 * i] - b[v + 3 * i] / r, b[P + 3 * i + 1] - b[v + 3 * i + 1] / r
            size_p = long(p_x, p_y)
            if size_p.real > limit.real:
                p_x, p_y = p_x * limit / size_p, p_y * limit / size_p
            s_x, s_y = p_x - b[P + 3 * i], p_y - b[P + 3 * i + 1]
            b[P + 3 * i], b[P + 3 * i + 1] = p_x, p_y
            slip = max(slip, r * (abs(s_x) + abs(s_y)))
            for j in range(n):
                b[v + j] += b[D + j + n * (3 * i)] * s_x + b[D + j + n * (3 * i + 1)] * s_y
        if max(change, slip) <= RESTING * size:
            return True
    # Round-off of slow slips that no motion of the body has is never held.
    return change <= HELD * size and slip <= NEARLY * size


@strict
def apply_friction_in_step(
    b: Pointer, D: int, data: int, v: int, P: int, delta: int, contacts: int, size: float
) -> None:
    """Tangential impulses of one step: each contact is stopped as far as its friction goes."""
    n = 3 * contacts
    for _ in range(SWEEPS):
        change = 0.0
        for i in range(contacts):
            k, x, y = data + at.DATA * i, 3 * i, 3 * i + 1
            limit = b[k + at.MU_KINETIC] * b[delta + i]
            r = max(b[D + x + n * x].real, b[D + y + n * y].real)
            if limit.real <= 0.0 or r <= 0.0:
                continue
            p_x, p_y = b[P + x] - b[v + x] / r, b[P + y] - b[v + y] / r
            size_p = long(p_x, p_y)
            if size_p.real > limit.real:
                p_x, p_y = p_x * limit / size_p, p_y * limit / size_p
            s_x, s_y = p_x - b[P + x], p_y - b[P + y]
            b[P + x], b[P + y] = p_x, p_y
            change = max(change, r * (abs(s_x) + abs(s_y)))
            for j in range(n):
                b[v + j] += b[D + j + n * x] * s_x + b[D + j + n * y] * s_y
        if change <= RESTING * size:
            return


@strict
def compress_in_step(
    b: Pointer, D: int, data: int, v: int, delta: int, impulse: int, contacts: int, h: float, size: float
) -> float:
    """Normal impulses of one step: each spring pushes as one that lets go, and harder where it is pressed on, at most
    as one that is pressed, until nothing approaches. Returns the smallest velocity left.

    The force of such a spring jumps where its motion turns. Between the two a contact is held, as dry friction is.
    """
    n, lowest = 3 * contacts, 0.0
    for i in range(contacts):
        z = 3 * i + 2
        b[impulse + i] = 0.0
        if b[data + at.DATA * i + at.TOUCHING] == 1.0 and b[delta + i].real > 0.0:
            b[impulse + i] = h * (1.0 - stiffening(b, data, i)) * b[delta + i]
            for j in range(n):
                b[v + j] += b[D + j + n * z] * b[impulse + i]
    for _ in range(PRESSES):
        change, lowest = 0.0, 0.0
        for i in range(contacts):
            z = 3 * i + 2
            if b[data + at.DATA * i + at.TOUCHING] != 1.0:
                continue
            lowest = min(lowest, b[v + z].real)
            if b[delta + i].real <= 0.0:
                continue
            inner = stiffening(b, data, i)
            p = b[impulse + i] - b[v + z] / b[D + z + n * z]
            least, most = h * (1.0 - inner) * b[delta + i], h * (1.0 + inner) * b[delta + i]
            if p.real < least.real:
                p = least
            elif p.real > most.real:
                p = most
            step = p - b[impulse + i]
            b[impulse + i] = p
            change = max(change, abs(step) * abs(b[D + z + n * z]))
            for j in range(n):
                b[v + j] += b[D + j + n * z] * step
        if change <= RESTING * size:
            break
    return lowest


@strict
def stiffening(b: Pointer, data: int, i: int) -> float:
    """By how much a spring is stiffer on the way in than on average, and softer on the way out."""
    e = b[data + at.DATA * i + at.RESTITUTION]
    return (1.0 - e * e) / (1.0 + e * e)


@strict
def through_springs(b: Pointer, D: int, data: int, v: int, P: int, status: int, contacts: int, size: float) -> bool:
    """Equal springs at all contacts, softer on the way out by the restitution [Barjau 2022, Eq. 5.1], followed in small
    steps until all contacts have let go. False if that does not end.
    """
    n, stiffest = 3 * contacts, 0.0
    delta, impulse = status + 2, status + 2 + contacts  # indentation, then (as scratch) the normal impulse of a step
    for i in range(contacts):
        b[delta + i] = 0.0
        stiffest = max(stiffest, b[D + 3 * i + 2 + n * (3 * i + 2)].real)
    shortest = STEP / math.sqrt(2.0 * contacts * stiffest)
    h = shortest
    for _ in range(STEPS):
        for i in range(contacts):
            b[delta + i] -= 0.5 * h * b[v + 3 * i + 2]
        lowest = compress_in_step(b, D, data, v, delta, impulse, contacts, h, size)
        for i in range(contacts):  # tangential impulses of this step are gathered apart
            b[P + 3 * i + 2] += b[impulse + i]
            b[impulse + contacts + 2 * i], b[impulse + contacts + 2 * i + 1] = b[P + 3 * i], b[P + 3 * i + 1]
            b[P + 3 * i], b[P + 3 * i + 1] = 0.0, 0.0
        apply_friction_in_step(b, D, data, v, P, impulse, contacts, size)
        softest, busy = 0.0, lowest < -SLOW_APPROACH * size
        for i in range(contacts):
            b[P + 3 * i] += b[impulse + contacts + 2 * i]
            b[P + 3 * i + 1] += b[impulse + contacts + 2 * i + 1]
            if b[data + at.DATA * i + at.TOUCHING] == 1.0:
                b[delta + i] -= 0.5 * h * b[v + 3 * i + 2]
                if b[delta + i].real > 0.0:
                    softest = max(softest, 1.0 - stiffening(b, data, i).real)
        if not busy and softest == 0.0:
            return True
        # While nothing is pressed only springs that let go move anything, and slowly.
        h = shortest if busy else shortest * math.sqrt(2.0 / softest)
    return False


@strict
def collide(b: Pointer, contacts: int, before: int, treatment: int) -> None:
    """Solve the collision described by b (see `numbers`); from `before` on come the velocities before and after, the
    impulses, the outcome and the energy lost.
    """
    n = 3 * contacts
    D, data = n, n + n * n
    v, P, status = before + n, before + 2 * n, before + 3 * n
    size = 0.0
    for j in range(n):
        b[before + j] = b[j]
        b[v + j] = b[j]
        b[P + j] = 0.0
        size = max(size, abs(b[j]))
    if treatment == at.SIMULTANEOUS:
        good = together(b, D, data, before, v, P, contacts, size)
    elif treatment == at.COMPLIANT:
        good = through_springs(b, D, data, v, P, status, contacts, size)
    else:
        good = one_after_the_other(b, D, data, v, P, contacts, size)
    gained, moved = 0.0 * b[0], 0.0
    for j in range(n):
        gained += 0.5 * b[P + j] * (b[before + j] + b[v + j])
        moved += abs(b[P + j]) * size
    b[status] = at.SOLVED if good else at.UNSOLVED
    if good and gained.real > (GAIN_OF_SPRINGS if treatment == at.COMPLIANT else GAIN) * moved:
        b[status] = at.GAINS_ENERGY
    b[status + 1] = -gained
