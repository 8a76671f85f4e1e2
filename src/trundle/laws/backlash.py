"""Backlash: teeth, splines or stops with clearance."""

from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.laws.coefficient import check, check_positive
from trundle.laws.law import EffortLaw
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class Backlash(EffortLaw):
    """Play with elastic ends: no effort within the clearance, a spring beyond it, on either side. As the compliance of
    a gear it is teeth with backlash, on a hinge a coupling with play.

    The damping adds to the force of the spring its `damping` times the speed of approach, so that the force begins at
    zero; it never pulls [Hunt 1975].

    Parameters
    ----------
    stiffness : float or expression
        Of the ends, N/m or N m/rad.
    clearance : float or expression
        Total play, from one side to the other (m or rad).
    damping : float or expression
        Added part of the spring's force for each m/s or rad/s of approach.
    """

    stiffness: Expr
    clearance: Expr
    damping: Expr = 0.0

    def __post_init__(self) -> None:
        given = {"stiffness": self.stiffness, "clearance": self.clearance, "damping": self.damping}
        check("Backlash", functions=False, **given)
        check_positive("Backlash", stiffness=self.stiffness)

    def _touch(self, q: Expr) -> tuple[Expr, Expr]:
        """The side, and how far the spring there is pressed."""
        side = ca.if_else(ca.SX(q) < 0, -1, 1)
        return side, ca.fmax(side * q - self.clearance / 2, 0)

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        side, pressed = self._touch(q)
        return -side * self.stiffness * pressed * ca.fmax(1 + self.damping * side * u, 0)

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.stiffness * self._touch(q)[1] ** 2 / 2

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        side, pressed = self._touch(q)
        return self.stiffness * pressed * side * u * (ca.fmax(1 + self.damping * side * u, 0) - 1)
