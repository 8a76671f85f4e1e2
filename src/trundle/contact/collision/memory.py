"""Where the numbers of a collision that is being solved stand in its memory (compiled)."""

from typing import NamedTuple

from trundle.contact.collision import layout as at
from trundle.kernel.pointers import Pointer, strict


class Collision(NamedTuple):
    """The memory of a collision and the places in it; velocities and impulses are three to a contact."""

    b: Pointer
    contacts: int
    D: int  # inverse masses
    data: int  # of the contacts
    before: int  # velocities before the collision
    v: int  # velocities as they are now
    P: int  # impulses
    status: int  # outcome, energy lost, and then what a treatment works with
    size: float  # of the largest velocity before the collision


@strict
def collision_in(b: Pointer, contacts: int, before: int) -> Collision:
    """The collision described by b (see `layout`) before it is solved; `before` is where results begin."""
    n, size = 3 * contacts, 0.0
    v, P = before + n, before + 2 * n
    for j in range(n):
        b[before + j] = b[j]
        b[v + j] = b[j]
        b[P + j] = 0.0
        size = max(size, abs(b[j]))
    return Collision(b, contacts, n, n + n * n, before, v, P, P + n, size)


@strict
def touches(c: Collision, i: int) -> bool:
    """Whether contact i takes part."""
    return c.b[c.data + at.DATA * i + at.TOUCHING] == 1.0


@strict
def push(c: Collision, j: int, impulse: float) -> None:
    """Change all velocities by an impulse along direction j."""
    n = 3 * c.contacts
    for k in range(n):
        c.b[c.v + k] += c.b[c.D + k + n * j] * impulse
