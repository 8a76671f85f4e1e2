"""Dry friction along one axis with a given limit: smooth in the speed, or sticking by a spring and sliding exactly."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.law import EffortLaw
from trundle.model.body import Frame
from trundle.model.force import BetweenWithStates, Signals, Terms
from trundle.model.model import Model
from trundle.model.state import State
from trundle.rail.suspension.axis_laws import AxisLaws, on_axis, relative_motion
from trundle.rail.suspension.suspension import Axis, Suspension, check_axis, check_numbers
from trundle.typing import Expr

STICK, FORTH, BACK = 0.0, 1.0, -1.0


@final
@dataclass(frozen=True)
class DryFriction(Suspension):
    """Friction along x, y or z that slides with `limit` (N).

    With a `stiffness` (N/m, of the parts that hold the surfaces) it is exact: it sticks by that spring, slides at
    exactly the limit, and both transitions are events. Without one it is limit tanh(v / v0), which creeps where it
    should stick; v0 in m/s. Where a body itself slides on another, `tr.Coulomb` at a contact sticks without a spring.

    Parameters
    ----------
    limit : float or expression
        Force at which it slides (N).
    axis : {"x", "y", "z"}
        Along which it acts.
    stiffness : float, optional
        Of the parts that hold the surfaces (N/m).
    v0 : float
        Speed over which smooth friction changes its direction (m/s).
    """

    limit: float
    axis: Axis = "y"
    stiffness: float | None = None
    v0: float = 1e-3

    def __post_init__(self) -> None:
        check_numbers("DryFriction", ("limit", "v0"), limit=self.limit, v0=self.v0)
        check_axis("DryFriction", self.axis)
        if self.stiffness is not None:
            check_numbers("DryFriction", ("stiffness",), stiffness=self.stiffness)

    def add(self, m: Model, name: str, lower: Frame, upper: Frame, load: float = 0.0) -> None:
        axis = check_axis("DryFriction", self.axis)
        if self.stiffness is None:
            m.apply(AxisLaws(lower, upper, on_axis(axis, SmoothFriction(self.limit, self.v0))), name=name)
            return
        m.parameter(f"{name}_slides", STICK, text="0 while the friction sticks, 1 or -1 while it slides")
        force = m.apply(StickingFriction(lower, upper, self.limit, self.stiffness, axis), name=name)
        if not isinstance(force, StickingFriction):
            raise ModelError(f"DryFriction: {name!r} did not become a friction element.")
        m.event(f"{name}_slips", force.to_limit, 1, {f"{name}_slides": force.direction})
        m.event(f"{name}_sticks", force.turns_back, -1, {f"{name}_slides": lambda s: STICK})


@final
@dataclass(frozen=True)
class SmoothFriction(EffortLaw):
    """limit tanh(v / v0)."""

    limit: float
    v0: float

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return -self.limit * ca.tanh(u / self.v0)

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.limit * ca.tanh(u / self.v0) * u


@final
@dataclass(frozen=True, eq=False)
class StickingFriction(BetweenWithStates):
    """The exact one. The state `name.deflection` (m) is that of the spring by which it sticks; it rests while the
    friction slides.
    """

    limit: float
    stiffness: float
    axis: int

    @property
    def element(self) -> str:
        return "R"

    def states(self) -> Iterator[State]:
        text = f"deflection of the spring by which the friction sticks: {self.name}"
        yield State(self.name, "deflection", self._rate, 0.0, "m", text)

    def _speed(self, s: Signals) -> Expr:
        return relative_motion(s, *self.places).rate[self.axis]

    def _mode(self, s: Signals) -> Expr:
        return s[f"{self.name}_slides"]

    def _rate(self, s: Signals) -> Expr:
        return ca.if_else(self._mode(s) == STICK, self._speed(s), 0.0)

    def to_limit(self, s: Signals) -> Expr:
        """Rises through zero where the friction begins to slide."""
        force = self.stiffness * ca.fabs(self.state(s, "deflection"))
        return ca.if_else(self._mode(s) == STICK, force - self.limit, -self.limit)

    def direction(self, s: Signals) -> Expr:
        """Direction in which it then slides."""
        return ca.if_else(self.state(s, "deflection") > 0, FORTH, BACK)

    def turns_back(self, s: Signals) -> Expr:
        """Falls through zero where sliding ends."""
        return ca.if_else(self._mode(s) == STICK, 1.0, self._mode(s) * self._speed(s))

    def terms(self, s: Signals) -> Terms:
        at, deflection = relative_motion(s, *self.places), self.state(s, "deflection")
        force = -self.stiffness * deflection
        F = at.R[:, self.axis] * force
        slides = ca.if_else(self._mode(s) == STICK, 0.0, 1.0)
        return Terms(
            wrenches=at.wrenches(F),
            potential=self.stiffness * deflection**2 / 2,
            dissipated=-slides * force * at.rate[self.axis],
            measures={
                "force": (force, "N", "force on the second body along the axis"),
                "slides": (self._mode(s), "", "0 while it sticks, 1 or -1 while it slides"),
            },
        )
