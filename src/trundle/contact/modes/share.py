"""Contacts that share loads: what each carries beside the smallest forces."""

from typing import final

from trundle.contact.modes.mode import Mode


@final
class Share(Mode):
    """share_x, share_y, share_n: forces (N) in the contact beside those of least norm. They move nothing that is held;
    the load of a contact that slides brings its friction with it. At a compliant normal they are ratios to its force.
    choice: not 0 where the last decision was one among several motions (contact/decision/several.py). All are decided
    for all contacts at once (contact/decision).
    """

    states = ("share_x", "share_y", "share_n", "choice")
    default = 0.0
