"""Painleve's paradox: friction in proportion to a rigid normal force may leave no unique acceleration."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

import casadi as ca

from trundle.contact.modes.mode import Mode, Transition
from trundle.typing import Expr

if TYPE_CHECKING:
    from trundle.contact.bonds import ContactBonds
    from trundle.contact.modes.expressions import ModeExpressions


@final
class Jam(Mode):
    """No number of its own: where accelerations are no longer unique, the run ends, unless contacts that are decided
    together find other modes in which they are.
    """

    def transitions(self, together: bool) -> Sequence[Transition]:
        return (Transition(self.connection.name, "jams", ends=True, together=together),)

    def value(self, kind: str, at: "ModeExpressions", bonds: "ContactBonds") -> Expr:
        value = at.unique(bonds, at.equations.u, at.equations.p)
        return ca.if_else(bonds.modes["closed"] == 1, value, 1) if "closed" in bonds.modes else value
