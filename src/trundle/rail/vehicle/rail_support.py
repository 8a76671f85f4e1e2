"""Compliant track: each rail under a wheel as a mass on springs and dampers that moves along with the wheelset."""

from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.rail.suspension.suspension import check_numbers
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class RailSupport:
    """Support of each rail under a wheel, across (y) and up (z) in the axes of the track, from its position under its
    own weight. Each rail moves independently; nothing moves along the track, and the supports of different wheels are
    not coupled.

    Parameters
    ----------
    mass : float
        Of the rail and of what moves with it, kg.
    stiffness : (float, float)
        Across and up, N/m.
    damping : (float, float)
        Across and up, N s/m.
    """

    mass: float
    stiffness: tuple[float, float]
    damping: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        for name, pair in (("stiffness", self.stiffness), ("damping", self.damping)):
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise ModelError(f"RailSupport: {name} has two numbers, across and up, got {pair!r}.")
        given = {"mass": self.mass, "stiffness": self.stiffness, "damping": self.damping}
        check_numbers("RailSupport", ("mass", "stiffness"), **given)

    def acceleration(self, push: Expr, place: Expr, rate: Expr) -> Expr:
        """Acceleration of the rail across and up (m/s^2), under a force (N).

        Parameters
        ----------
        push : expression
            Force across and up (N).
        place, rate : expression
            How far the rail has moved (m), and its velocity.

        Returns
        -------
        expression
        """
        k, c = ca.DM(self.stiffness), ca.DM(self.damping)
        return (push - k * place - c * rate) / self.mass

    def stored(self, place: Expr, rate: Expr) -> Expr:
        """Energy of springs and mass, J.

        Parameters
        ----------
        place, rate : expression
            How far the rail has moved (m), and its velocity.

        Returns
        -------
        expression
        """
        return (ca.dot(ca.DM(self.stiffness), place**2) + self.mass * ca.sumsqr(rate)) / 2

    def lost(self, rate: Expr) -> Expr:
        """Power of the dampers, W.

        Parameters
        ----------
        rate : expression
            Velocity of the rail (m/s).

        Returns
        -------
        expression
        """
        return ca.dot(ca.DM(self.damping), rate**2)
