"""A damper in series with a spring along an axis of a vehicle."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from trundle.model.body import Frame
from trundle.model.force import BetweenWithStates, Signals, Terms
from trundle.model.model import Model
from trundle.model.state import State
from trundle.rail.suspension.axis_laws import relative_motion
from trundle.rail.suspension.suspension import Axis, Suspension, check_axis, check_numbers
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class SeriesDamper(Suspension):
    """Damper (N s/m) in series with the spring of its mounts (N/m), along x, y or z: fast motions deflect the spring.

    `tr.SeriesDamper` is the same along the line between two points that are apart.

    Parameters
    ----------
    damping : float or expression
        In N s/m.
    stiffness : float or expression
        Of its mounts (N/m).
    axis : {"x", "y", "z"}
        Along which it acts.
    """

    damping: float
    stiffness: float
    axis: Axis = "z"

    def __post_init__(self) -> None:
        given = {"damping": self.damping, "stiffness": self.stiffness}
        check_numbers("SeriesDamper", ("damping", "stiffness"), **given)
        check_axis("SeriesDamper", self.axis)

    def add(self, m: Model, name: str, lower: Frame, upper: Frame, load: float = 0.0) -> None:
        axis = check_axis("SeriesDamper", self.axis)
        m.apply(AxisSeriesDamper(lower, upper, self.damping, self.stiffness, axis), name=name)


@final
@dataclass(frozen=True, eq=False)
class AxisSeriesDamper(BetweenWithStates):
    """Its force. The state `name.deflection` (m) is that of the spring; it starts without load."""

    damping: Expr
    stiffness: Expr
    axis: int

    @property
    def element(self) -> str:
        return "C"

    def states(self) -> Iterator[State]:
        text = f"deflection of the spring in series, positive when it is stretched: {self.name}"
        yield State(self.name, "deflection", self._rate, 0.0, "m", text)

    def _rate(self, s: Signals) -> Expr:
        push = self.stiffness * self.state(s, "deflection")
        return relative_motion(s, *self.places).rate[self.axis] - push / self.damping

    def terms(self, s: Signals) -> Terms:
        at, deflection = relative_motion(s, *self.places), self.state(s, "deflection")
        force = -self.stiffness * deflection
        F = at.R[:, self.axis] * force
        return Terms(
            wrenches=at.wrenches(F),
            potential=self.stiffness * deflection**2 / 2,
            dissipated=force**2 / self.damping,
            measures={"force": (force, "N", "force on the second body along the axis")},
        )
