"""Contacts that never open and press on either side, such as a wheel held between two rails."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

import casadi as ca

from trundle.contact.modes.mode import Mode, Transition
from trundle.typing import Expr

if TYPE_CHECKING:
    from trundle.contact.bonds import ContactBonds
    from trundle.contact.modes.expressions import ModeExpressions


@final
class Side(Mode):
    """side: 1 while the surfaces press on each other, -1 while they pull; friction goes with the size of the load."""

    states = ("side",)

    def transitions(self, together: bool) -> Sequence[Transition]:
        return (Transition(self.connection.name, "changes side"),)

    def value(self, kind: str, at: "ModeExpressions", bonds: "ContactBonds") -> Expr:
        return bonds.modes["side"] * at.load(bonds, at.multipliers) / at.typical_force(bonds.connection)

    def jump(self, kind: str, at: "ModeExpressions", bonds: "ContactBonds", u: Expr, p: Expr) -> Expr:
        return at.put(p, bonds, side=-bonds.modes["side"])

    def settle(self, at: "ModeExpressions", bonds: "ContactBonds", u: Expr, p: Expr) -> Expr:
        load = at.load(bonds, at.multipliers_at(u, at.put(p, bonds, side=1)))
        return at.put(p, bonds, side=ca.if_else(load < 0, -1, 1))
