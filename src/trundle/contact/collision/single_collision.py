"""A single collision (compiled): the table has the addresses of (contacts, where results begin, treatment) and data."""

from trundle.contact.collision.multi_contact import collide
from trundle.kernel.pointers import complex_ptr, float_ptr, int_ptr, part
from trundle.kernel.record import Ints


@part
def collide_once(table: Ints) -> None:
    """Solve the collision that the data describe."""
    sizes = int_ptr(table[0])
    collide(float_ptr(table[1]), sizes[0], sizes[1], sizes[2])


@part
def collide_nearby(table: Ints) -> None:
    """The same with complex data: small imaginary parts come out as exact derivatives along them."""
    sizes = int_ptr(table[0])
    collide(complex_ptr(table[1]), sizes[0], sizes[1], sizes[2])
