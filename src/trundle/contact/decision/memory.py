"""Where a decision leaves what its caller needs, and what it keeps from round to round (compiled)."""

from trundle.contact.collision.layout import WIDTH
from trundle.kernel.pointers import Pointer, shifted, strict


@strict
def impulses_in(w: Pointer, contacts: int) -> Pointer:
    """The impulses that stop what is at rest, three to a contact, in the memory of a decision."""
    return shifted(w, 12 * contacts + (5 + WIDTH) * contacts)


@strict
def geared_in(w: Pointer, contacts: int) -> Pointer:
    """1 for each slow slip that a faster motion takes along, near the end of the memory."""
    n = 3 * contacts
    return shifted(w, 4 * n * n + 22 * n + (8 + WIDTH) * contacts + 16)


@strict
def tentative_in(w: Pointer, contacts: int) -> Pointer:
    """The modes with all contacts that touch, where friction may leave several motions: at the end of the memory."""
    n = 3 * contacts
    return shifted(w, 4 * n * n + 22 * n + (9 + WIDTH) * contacts + 16)
