"""A damper in series with a spring (Maxwell element) between two points."""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.signals import Signals
from trundle.model.force import BetweenWithStates, Terms
from trundle.model.line_forces import along_line
from trundle.model.state import State
from trundle.typing import Expr


@final
@dataclass(frozen=True, eq=False)
class SeriesDamper(BetweenWithStates):
    """A damper in series with a spring along the line between two points: both carry the same force.

    Its state is the deflection of the spring, "name.deflection" (m), which starts at zero: without load, whatever the
    distance. Fast motions deflect the spring, slow ones move the damper. A spring beside it is a force of its own
    (tr.SpringDamper).

    Parameters
    ----------
    first : Body or Frame
        Point on the first body.
    second : Body or Frame
        Point on the second body.
    damping : float or expression
        In N s/m.
    stiffness : float or expression
        Of the spring in series (N/m).
    name : str
        Given by m.apply.
    """

    damping: Expr
    stiffness: Expr

    def __post_init__(self) -> None:
        for what, value in (("damping", self.damping), ("stiffness", self.stiffness)):
            if not isinstance(value, ca.SX) and not (isinstance(value, Real) and float(value) > 0):
                raise ModelError(f"the {what} of a SeriesDamper must be positive, got {value!r}.")

    @property
    def element(self) -> str:
        return "C"

    def states(self) -> Iterator[State]:
        text = f"deflection of the spring in series, positive when it is stretched: {self.name}"
        yield State(self.name, "deflection", self._rate, 0.0, "m", text)

    def _damper_rate(self, s: Signals) -> Expr:
        """Rate at which the damper is drawn out: it carries what the spring carries."""
        return self.stiffness * self.state(s, "deflection") / self.damping

    def _rate(self, s: Signals) -> Expr:
        return along_line(s, *self.places).rate - self._damper_rate(s)

    def terms(self, s: Signals) -> Terms:
        a, b = self.places
        line, deflection, rate = along_line(s, a, b), self.state(s, "deflection"), self._damper_rate(s)
        push, zero = -self.stiffness * deflection, ca.SX.zeros(3)
        return Terms(
            wrenches=[(a, -push * line.axis, zero), (b, push * line.axis, zero)],
            potential=self.stiffness * deflection**2 / 2,
            dissipated=self.damping * rate**2,
            measures={
                "length": (line.length, "m", "distance of the two points"),
                "length_rate": (line.rate, "m/s", "rate of the distance"),
                "damper_rate": (rate, "m/s", "rate at which the damper is drawn out"),
                "force": (push, "N", "force along the line, positive when it pushes the points apart"),
            },
        )
