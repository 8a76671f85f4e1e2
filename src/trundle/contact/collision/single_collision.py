"""A single collision (compiled): the table has the addresses of (contacts, where results begin, treatment) and data."""

from trundle.contact.collision.multi_contact import collide
from trundle.kernel.pointers import Pointer, complexes, part, reals, wholes


@part
def collide_once(table: Pointer) -> None:
    """Solve the collision that the data describe."""
    sizes = wholes(table[0])
    collide(reals(table[1]), sizes[0], sizes[1], sizes[2])


@part
def collide_nearby(table: Pointer) -> None:
    """The same with complex data: small imaginary parts come out as exact derivatives along them."""
    sizes = wholes(table[0])
    collide(complexes(table[1]), sizes[0], sizes[1], sizes[2])
