"""Where a decision leaves what its caller needs (compiled)."""

from trundle.contact.collision.layout import WIDTH
from trundle.kernel.pointers import Pointer, shifted, strict


@strict
def impulses_in(w: Pointer, contacts: int) -> Pointer:
    """The impulses that stop what is at rest, three to a contact, in the memory of a decision."""
    return shifted(w, 12 * contacts + (5 + WIDTH) * contacts)
