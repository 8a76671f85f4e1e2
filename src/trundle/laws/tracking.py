"""Springs in place of prescribed motions: they pull a bond towards the prescribed motion, and yield."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.derivative import derivative
from trundle.laws.law import EffortLaw, FlowLaw
from trundle.laws.signals import NamedSignals
from trundle.quantity import Quantity
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class Tracking(EffortLaw):
    """A spring in place of a servo: it pulls the coordinate towards the prescribed motion, and yields."""

    spring: EffortLaw
    servo: FlowLaw  # of positions

    def _from_motion(self, t: Expr, q: Expr, u: Expr) -> tuple[Expr, Expr, Expr]:
        """Deviation, its rate, and the rate of the motion."""
        at = ca.SX.sym("t")
        motion = ca.SX(self.servo.motion(at, q, u))
        value, rate = ca.substitute([motion, derivative(motion, at)], [at], [ca.SX(t)])
        return q - value, u - rate, rate

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.spring.effort(t, *self._from_motion(t, q, u)[:2])

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.spring.potential(t, self._from_motion(t, q, 0.0)[0])

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.spring.dissipated(t, *self._from_motion(t, q, u)[:2])

    def supplied(self, t: Expr, q: Expr, u: Expr) -> Expr:
        deviation, rate, motion = self._from_motion(t, q, u)
        return self.spring.supplied(t, deviation, rate) + self.effort(t, q, u) * motion


@final
@dataclass(frozen=True)
class RateTracking(EffortLaw):
    """A spring in place of a prescribed rate. It acts on the deviation, the integral of rate minus prescribed rate,
    which is a state and stands for the coordinate here; the prescribed rate may depend on the coordinate `at`.
    """

    spring: EffortLaw
    flow: FlowLaw  # of velocities
    at: Expr = None  # the coordinate; the deviation itself until it is known

    def placed(self, coordinate: Expr) -> "RateTracking":
        """The law at a value of the coordinate."""
        return RateTracking(self.spring, self.flow, coordinate)

    def prescribed(self, t: Expr, q: Expr) -> Expr:
        """The rate that would be prescribed."""
        return self.flow.motion(t, q if self.at is None else self.at, 0.0)

    def deflection_rate(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return u - self.prescribed(t, q)

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.spring.effort(t, q, self.deflection_rate(t, q, u))

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.spring.potential(t, q)

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.spring.dissipated(t, q, self.deflection_rate(t, q, u))

    def supplied(self, t: Expr, q: Expr, u: Expr) -> Expr:
        own = self.spring.supplied(t, q, self.deflection_rate(t, q, u))
        return own + self.effort(t, q, u) * self.prescribed(t, q)

    @property
    def uses_coordinate(self) -> bool:
        return self.spring.uses_coordinate

    @property
    def deviates(self) -> bool:
        return self.uses_coordinate

    def acting(self, s: NamedSignals, coordinate: str) -> tuple[EffortLaw, Expr, Expr]:
        deviation = s[f"{coordinate}_deviation"] if self.deviates else ca.SX(0)
        return self.placed(s[coordinate]), deviation, s[f"{coordinate}_rate"]

    def at_contact(self) -> EffortLaw:
        return self.placed(ca.SX(0))  # its rate depends on time alone

    def quantities(self, owner: str, coordinate: str, unit: str) -> Iterator[Quantity]:
        yield from super().quantities(owner, coordinate, unit)
        if self.deviates:
            name = f"{coordinate}_deviation"
            text = f"deviation of {owner}.{coordinate} from where its prescribed rate leads"
            yield Quantity(owner, name, unit, text, 1, lambda s: s.value(f"{owner}.{name}"), signal=True, start=True)

    @property
    def rests(self) -> bool:
        """Whether the prescribed rate is always zero."""
        return bool(ca.SX(self.prescribed(ca.SX.sym("t"), ca.SX.sym("q"))).is_zero())
