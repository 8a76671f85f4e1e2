"""Dry friction of guides across and up, with a limit in proportion to the load of the springs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.derivative import derivative
from trundle.laws.law import EffortLaw
from trundle.model.force import BetweenWithStates, Signals, Terms
from trundle.model.model import Model
from trundle.model.state import State
from trundle.rail.suspension.axis_laws import relative_motion
from trundle.typing import Expr

LEAST = 1.0  # N: friction limit of springs without load
NO_DIRECTION = 1e-9  # m/s, below which a motion has no direction
NO_BRISTLE = 1e-30  # m^2, added under a root
STICK, SLIDE = 0.0, 1.0
RETURN = 1e3  # 1/s, rate at which accumulated errors of the force from its limit decay
SECOND = 1.0  # s, factor of the sliding speed when it is compared with a deflection


@dataclass(frozen=True, eq=False)
class Guides(BetweenWithStates):
    """Its states `name.across` and `name.up` (m) are deflections of the spring by which it sticks. Subclasses are final
    and define how sliding limits these deflections.
    """

    springs: EffortLaw
    friction: float
    stick: float

    @property
    def element(self) -> str:
        return "R"

    def states(self) -> Iterator[State]:
        for i, kind in enumerate(("across", "up")):
            text = f"deflection of the spring by which the friction sticks, {kind}: {self.name}"
            yield State(self.name, kind, self._rate(i), 0.0, "m", text)

    def bristles(self, s: Signals) -> Expr:
        """Both deflections, m."""
        return ca.vertcat(self.state(s, "across"), self.state(s, "up"))

    def speed(self, s: Signals) -> Expr:
        """Of the guides, across and up, m/s."""
        return relative_motion(s, *self.places).rate[1:]

    def limit(self, s: Signals) -> Expr:
        """Friction force while it slides, N."""
        height = relative_motion(s, *self.places).displacement[2]
        return self.friction * self.springs.effort(s.t, height, 0.0) + LEAST

    def slip(self, s: Signals) -> Expr:
        """Velocity with which the surfaces slide, across and up, m/s."""
        raise TypeError(f"{type(self).__name__} is abstract")

    def _rate(self, i: int) -> Expr:
        return lambda s: (self.speed(s) - self.slip(s))[i]

    def terms(self, s: Signals) -> Terms:
        at, bristles = relative_motion(s, *self.places), self.bristles(s)
        force, lost = -self.stick * bristles, self.stick * ca.dot(bristles, self.slip(s))
        return Terms(
            wrenches=at.wrenches(ca.mtimes(at.R[:, 1:], force)),
            potential=self.stick * ca.sumsqr(bristles) / 2,
            dissipated=lost,
            measures={
                "force": (ca.vertcat(0.0, force), "N", "friction on the second body, in axes of the first"),
                "limit": (self.limit(s), "N", "friction force while it slides"),
                "power_lost": (lost, "W", "power lost by sliding"),
            },
        )


@final
@dataclass(frozen=True, eq=False)
class SmoothGuides(Guides):
    """Slides gradually: the force f follows f' = k (v - |v| f / limit) [Dahl 1968]."""

    def slip(self, s: Signals) -> Expr:
        return ca.sqrt(ca.sumsqr(self.speed(s)) + NO_DIRECTION**2) * self.stick / self.limit(s) * self.bristles(s)


@final
@dataclass(frozen=True, eq=False)
class ExactGuides(Guides):
    """Sticks by its spring, slides at exactly the limit against its force; both transitions are events."""

    def mode(self, s: Signals) -> Expr:
        """0 while it sticks, 1 while it slides."""
        return s[f"{self.name}_slides"]

    def slip(self, s: Signals) -> Expr:
        size, limit = self._size(s), self.limit(s)
        back = RETURN * (size - limit / self.stick)
        return ca.if_else(self.mode(s) == STICK, 0.0, self._pace(s) + back) * self.bristles(s) / size

    def _size(self, s: Signals) -> Expr:
        """Of the deflection, m."""
        return ca.sqrt(ca.sumsqr(self.bristles(s)) + NO_BRISTLE)

    def _pace(self, s: Signals) -> Expr:
        """Speed of sliding against its force, m/s: the motion less the change of deflection as the force follows the
        limit.
        """
        at = relative_motion(s, *self.places)
        height = ca.SX.sym("height")
        slope = derivative(self.springs.effort(s.t, height, 0.0), height)
        grown = self.friction * ca.substitute(slope, height, at.displacement[2]) * at.rate[2]  # of the limit, N/s
        return ca.dot(self.bristles(s), at.rate[1:]) / self._size(s) - grown / self.stick

    def to_limit(self, s: Signals) -> Expr:
        """Rises through zero where sliding begins: at the limit, and while the motion continues against the force. (A
        contact that has just begun to stick is at the limit too, within small errors.)
        """
        over = self._size(s) - self.limit(s) / self.stick
        return ca.if_else(self.mode(s) == STICK, ca.fmin(over, SECOND * self._pace(s)), -1.0)

    def turns_back(self, s: Signals) -> Expr:
        """Falls through zero where sliding ends."""
        return ca.if_else(self.mode(s) == STICK, 1.0, self._pace(s))

    def watch(self, m: Model) -> None:
        """Put its two transitions into a model."""
        mode = f"{self.name}_slides"
        m.event(f"{self.name}_slips", self.to_limit, 1, {mode: lambda s: SLIDE})
        m.event(f"{self.name}_sticks", self.turns_back, -1, {mode: lambda s: STICK})
