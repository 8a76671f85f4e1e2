"""Contacts that open and close."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

import casadi as ca

from trundle.contact.modes.mode import Mode, Transition
from trundle.typing import Expr

if TYPE_CHECKING:
    from trundle.contact.bonds import ContactBonds
    from trundle.contact.modes.expressions import ModeExpressions

TOUCHING = 1e-9  # of the length and the speed of the run: gap and its rate at the start below which it is closed
AT_END = 1e-7  # of the length of the run: so near to the end of a face nothing lands on it
DEEP = 1e-8  # of the length of the run: what is so far below a face has not landed on it
AT_POLE = 1e-9  # of the determinant without friction: so near to its pole the load is round-off


@final
class OpenClose(Mode):
    """closed: 1 while the surfaces touch."""

    states = ("closed",)
    switches = ("closed",)

    def transitions(self, together: bool) -> Sequence[Transition]:
        c = self.connection
        found = [
            Transition(c.name, "parts", together=together),
            Transition(c.name, "lands", due=False, strikes=c.unilateral, together=together and not c.unilateral),
        ]
        if c.bounded:
            found.append(Transition(c.name, "is entered at its end", due=False, ends=True))
        return found

    def value(self, kind: str, at: "ModeExpressions", bonds: "ContactBonds") -> Expr:
        closed, gap = bonds.modes["closed"], bonds.contact.gap / at.equations.scales.length
        past_ends = None
        if self.connection.bounded:
            past_ends = bonds.contact.past_ends / at.equations.scales.length
            if kind == "lands":
                return ca.if_else(closed == 1, 1, ca.fmax(gap, past_ends + AT_END))
            if kind != "parts":
                return ca.if_else(closed == 1, 1, ca.fmax(gap + DEEP, past_ends))
        if kind == "lands":
            return ca.if_else(closed == 1, 1, gap)
        force = at.typical_force(self.connection)
        pressed = -gap if self.connection.separates else at.load(bonds, at.multipliers) / force
        pressed += at.allowance(bonds, at.multipliers) / force
        if bonds.friction and "z" in self.connection.holds:
            # At Painleve's paradox the load has a pole; beyond it the contact does not part, it jams.
            pressed = ca.if_else(at.unique(bonds, at.equations.u, at.equations.p) > AT_POLE, pressed, 1)
        if past_ends is not None:
            pressed = ca.fmin(pressed, -past_ends)
        return ca.if_else(closed == 1, pressed, 1)

    def jump(self, kind: str, at: "ModeExpressions", bonds: "ContactBonds", u: Expr, p: Expr) -> Expr:
        if kind == "parts":
            return self._open(at, bonds, p)
        p = at.put(p, bonds, closed=1)
        for mode in at.modes[bonds.connection.name]:
            p = mode.closed(at, bonds, u, p)
        return p

    def place(self, at: "ModeExpressions", bonds: "ContactBonds", p: Expr) -> Expr:
        gap, rate = bonds.contact.gap, bonds.rate("normal")
        if self.connection.separates:
            closed = ca.logic_or(gap < 0, ca.logic_and(gap <= 0, rate <= 0))
        else:
            scales = at.equations.scales
            closed = ca.logic_and(ca.fabs(gap) < TOUCHING * scales.length, ca.fabs(rate) < TOUCHING * scales.speed)
        if self.connection.bounded:
            closed = ca.logic_and(closed, bonds.contact.past_ends < -TOUCHING * at.equations.scales.length)
        return at.put(p, bonds, closed=ca.if_else(closed, 1, 0))

    def settle(self, at: "ModeExpressions", bonds: "ContactBonds", u: Expr, p: Expr) -> Expr:
        """A contact that would have to pull is open; in Painleve's paradox that is no reason."""
        if not self.connection.unilateral:
            return p
        pulls = at.load(bonds, at.multipliers_at(u, p)) < -at.negligible_force(self.connection)
        if bonds.friction:
            pulls = ca.logic_and(pulls, at.unique(bonds, u, p) > 0)
        closed = at.get(p, bonds, "closed") == 1
        return ca.if_else(ca.logic_and(closed, pulls), self._open(at, bonds, p), p)

    @staticmethod
    def _open(at: "ModeExpressions", bonds: "ContactBonds", p: Expr) -> Expr:
        p = at.put(p, bonds, closed=0)
        for mode in at.modes[bonds.connection.name]:
            p = mode.opened(at, bonds, p)
        return p
