"""Contacts that share loads: what each carries beside the smallest forces."""

from typing import final

from trundle.contact.modes.mode import Mode


@final
class Share(Mode):
    """share_x, share_y, share_n: forces (N) in the contact beside those of least norm; they move nothing. They are
    decided for all contacts at once (contact/decision).
    """

    states = ("share_x", "share_y", "share_n")
    default = 0.0
