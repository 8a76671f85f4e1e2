"""Contacts of a body that approach equally fast, as the corners of a box that falls flat: they collide at once.

One after the other they would give an answer that depends on the order in which they were declared. Compression: no
contact approaches any more, friction acts against the slips after it (Moreau's impact). Restitution: each normal
impulse is at least e times that of compression [Poisson], or velocities are at least -e times those before [Newton].
"""

from trundle.contact.collision import layout as at
from trundle.contact.collision.memory import Collision, push, touches
from trundle.contact.collision.routh import long
from trundle.kernel.pointers import strict

EQUAL = 1e-9  # of the fastest approach: approaches that are the same
COUPLED = 1e-12  # of their own inverse masses: contacts that act on each other
SETTLED = 1e-14  # of the largest velocity: change of the normals in a round
HELD = 1e-11  # of the largest velocity: change of slips; what contacts only hold against each other settles slowly
ROUNDS = 200_000
NEARLY = 1e-6  # of the largest velocity: change of slips after all rounds with which they are held well enough


@strict
def find_tied(c: Collision, fastest: int) -> int:
    """Mark contacts that approach as fast as the fastest and act on it, directly or by way of each other; how many."""
    b, v, tied, contacts, count, grows = c.b, c.v, c.status + 2, c.contacts, 1, True
    for i in range(contacts):
        b[tied + i] = 0.0
    b[tied + fastest] = 1.0
    while grows:
        grows = False
        for i in range(contacts):
            slower = b[v + 3 * i + 2].real > (1.0 - EQUAL) * b[v + 3 * fastest + 2].real
            if slower or b[tied + i] == 1.0 or not touches(c, i):
                continue
            for k in range(contacts):
                if b[tied + k] == 1.0 and act_on_each_other(c, i, k):
                    b[tied + i] = 1.0
                    count, grows = count + 1, True
                    break
    return count


@strict
def act_on_each_other(c: Collision, i: int, k: int) -> bool:
    """Whether an impulse at contact i changes the velocity at contact k."""
    b, D, n = c.b, c.D, 3 * c.contacts
    for row in range(3 * i, 3 * i + 3):
        for column in range(3 * k, 3 * k + 3):
            own = b[D + row + n * row].real * b[D + column + n * column].real
            if abs(b[D + row + n * column]) ** 2 > COUPLED**2 * own and own > 0.0:
                return True
    return False


@strict
def strike_tied(c: Collision) -> bool:
    """Collision at the marked contacts; velocities and impulses are changed. False if none is found."""
    b, data, v, contacts, tied = c.b, c.data, c.v, c.contacts, c.status + 2
    least, wanted, p, e = tied + contacts, tied + 2 * contacts, tied + 3 * contacts, tied + 12 * contacts
    for i in range(contacts):
        k = data + at.DATA * i
        b[least + i], b[wanted + i], b[e + i] = 0.0, 0.0, 0.0
        if -b[v + 3 * i + 2].real > b[k + at.REST_SPEED].real:
            b[e + i] = b[k + at.RESTITUTION]
        if b[tied + i] == 1.0 and b[k + at.LAW].real == at.NEWTON:
            b[wanted + i] = -b[e + i] * b[v + 3 * i + 2]
    if not settle(c):
        return False
    returned = False
    for i in range(contacts):
        b[wanted + i] = 0.0
        if b[tied + i] == 1.0 and b[data + at.DATA * i + at.LAW].real != at.NEWTON:
            b[least + i] = b[e + i] * b[p + 3 * i + 2]
            returned = returned or b[least + i].real > 0.0
    return settle(c) if returned else True


@strict
def begin_phase(c: Collision) -> None:
    """Steps of the projections, and the impulses with which a phase begins: the least of each normal."""
    b, contacts, n, tied = c.b, c.contacts, 3 * c.contacts, c.status + 2
    least, p, rate = tied + contacts, tied + 3 * contacts, tied + 3 * contacts + 2 * n
    for j in range(n):
        i, total = j // 3, 0.0
        for m in range(n):
            if b[tied + m // 3] == 1.0:
                total += abs(b[c.D + j + n * m])
        b[rate + j], b[p + j] = total, 0.0
        if j % 3 == 2 and b[tied + i] == 1.0:
            b[p + j] = b[least + i]
            push(c, j, b[p + j])


@strict
def settle(c: Collision) -> bool:
    """Impulses of one phase, by projections of all contacts at the same time, so that their order does not matter.

    Steps are those of the sums of the rows, for which such projections settle whatever the coupling.
    """
    b, v, contacts, n, tied = c.b, c.v, c.contacts, 3 * c.contacts, c.status + 2
    least, wanted, p = tied + contacts, tied + 2 * contacts, tied + 3 * contacts
    step, rate = p + n, p + 2 * n
    begin_phase(c)
    settled, change, slip = False, 0.0, 0.0
    for _ in range(ROUNDS):
        change, slip = 0.0, 0.0
        for i in range(contacts):
            x, y, z = 3 * i, 3 * i + 1, 3 * i + 2
            b[step + x], b[step + y], b[step + z] = 0.0, 0.0, 0.0
            if b[tied + i] != 1.0:
                continue
            normal = b[p + z] - (b[v + z] - b[wanted + i]) / b[rate + z]
            if normal.real < b[least + i].real:
                normal = b[least + i]
            b[step + z] = normal - b[p + z]
            slow = max(b[rate + x].real, b[rate + y].real)
            change = max(change, abs(b[step + z]) * b[rate + z].real)
            if slow <= 0.0:
                continue
            limit = b[c.data + at.DATA * i + at.MU_KINETIC] * normal
            p_x, p_y = b[p + x] - b[v + x] / slow, b[p + y] - b[v + y] / slow
            length = long(p_x, p_y)
            if length.real > limit.real:
                p_x, p_y = p_x * limit / length, p_y * limit / length
            b[step + x], b[step + y] = p_x - b[p + x], p_y - b[p + y]
            slip = max(slip, slow * (abs(b[step + x]) + abs(b[step + y])))
        for j in range(n):
            b[p + j] += b[step + j]
            push(c, j, b[step + j])
        if change <= SETTLED * c.size and slip <= HELD * c.size:
            settled = True
            break
    for j in range(n):
        b[c.P + j] += b[p + j]
    return settled or (change <= HELD * c.size and slip <= NEARLY * c.size)
