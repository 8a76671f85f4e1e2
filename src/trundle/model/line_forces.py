"""Forces along the line between two points: a law on their distance, and a spring with a damper."""

from dataclasses import dataclass
from typing import NamedTuple, final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.efforts import Spring
from trundle.laws.law import EffortLaw, check_numbers
from trundle.laws.signals import Signals as Signals
from trundle.model.body import Frame
from trundle.model.force import Between, Terms
from trundle.space.rotation import dot
from trundle.typing import Expr

MEETS = 1e-14  # distance of two points over their distance from the origin at which they have met


@final
class LineMotion(NamedTuple):
    """Of the line between two points: direction from the first to the second, distance (m) and its rate."""

    axis: Expr
    length: Expr
    rate: Expr


def along_line(s: Signals, a: Frame, b: Frame) -> LineMotion:
    """How two points move along the line between them."""
    p_A, p_B = s.position(a), s.position(b)
    d = p_B - p_A
    if d.is_zero():
        raise ModelError(
            "its two points coincide in every pose: a force along the line between them has no direction. Move "
            "one of the points; only a spring of natural length 0 may act there."
        )
    square = dot(d, d)
    # Points as near as round-off have met: the direction would be noise. Not a number ends the run with words.
    apart = square > MEETS**2 * (dot(p_A, p_A) + dot(p_B, p_B))
    length = ca.sqrt(square)
    e = d / ca.if_else(apart, length, 0)
    return LineMotion(e, length, dot(e, s.velocity(b) - s.velocity(a)))


@final
@dataclass(frozen=True, eq=False)
class LineForce(Between):
    """Force along the line between two points; `law` acts on their distance (a positive effort pushes them apart).

    Parameters
    ----------
    first : Body or Frame
        Point on the first body.
    second : Body or Frame
        Point on the second body.
    law : EffortLaw
        On the distance (m).
    """

    law: EffortLaw

    def __post_init__(self) -> None:
        if not isinstance(self.law, EffortLaw):
            raise ModelError(
                "LineForce: give a law on the distance of the two points, such as tr.Spring(100.0, rest=0.2) or "
                f"tr.Motor(lambda t, q, u: -100.0 * (q - 0.2)), not {self.law!r}."
            )

    @property
    def element(self) -> str:
        return self.law.element

    @property
    def elements(self) -> tuple[str, ...]:
        return self.law.elements

    @property
    def effort_law(self) -> EffortLaw:
        return self.law

    def terms(self, s: Signals) -> Terms:
        a, b = self.places
        e, length, rate = along_line(s, a, b)
        push = self.law.effort(s.t, length, rate)
        zero = ca.SX.zeros(3)
        return Terms(
            wrenches=[(a, -push * e, zero), (b, push * e, zero)],
            potential=self.law.potential(s.t, length),
            dissipated=self.law.dissipated(s.t, length, rate),
            supplied=self.law.supplied(s.t, length, rate),
            measures={
                "length": (length, "m", "distance of the two points"),
                "length_rate": (rate, "m/s", "rate of the distance"),
                "force": (push, "N", "force along the line, positive when it pushes the points apart"),
            },
        )


@final
@dataclass(frozen=True, eq=False)
class SpringDamper(Between):
    """Linear spring and damper between two points, unstressed at `length`.

    Parameters
    ----------
    first : Body or Frame
        Point on the first body.
    second : Body or Frame
        Point on the second body.
    stiffness : float or expression
        In N/m.
    damping : float or expression
        In N s/m.
    length : float or expression
        Distance at which it is unstressed (m).
    """

    stiffness: Expr
    damping: Expr = 0.0
    length: Expr = 0.0

    def __post_init__(self) -> None:
        check_numbers("SpringDamper", stiffness=self.stiffness, damping=self.damping, length=self.length)
        if isinstance(self.length, int | float) and self.length < 0:
            raise ModelError(
                f"SpringDamper: length is the distance (m) at which the spring is unstressed, got {self.length:g}; it "
                "cannot be negative."
            )

    @property
    def element(self) -> str:
        return "C"

    @property
    def elements(self) -> tuple[str, ...]:
        return self.effort_law.elements

    @property
    def effort_law(self) -> EffortLaw:
        return Spring(self.stiffness, self.damping, self.length)

    def terms(self, s: Signals) -> Terms:
        if not isinstance(self.length, ca.SX) and float(self.length) == 0.0:
            return self._without_length(s)
        return LineForce(self.first, self.second, self.effort_law).terms(s)

    def _without_length(self, s: Signals) -> Terms:
        """A spring that is slack when its ends meet: no direction is needed there."""
        a, b = self.places
        d, v = s.position(b) - s.position(a), s.velocity(b) - s.velocity(a)
        square = dot(d, d) + 1e-300
        along = dot(d, v) / square  # rate of the distance over the distance
        F = -(self.stiffness + self.damping * along) * d
        zero = ca.SX.zeros(3)
        length = ca.sqrt(square)
        return Terms(
            wrenches=[(a, -F, zero), (b, F, zero)],
            potential=self.stiffness * dot(d, d) / 2,
            dissipated=self.damping * along * dot(d, v),
            measures={
                "length": (length, "m", "distance of the two points"),
                "length_rate": (along * length, "m/s", "rate of the distance"),
                "force": (
                    -(self.stiffness + self.damping * along) * length,
                    "N",
                    "force along the line, positive when it pushes the points apart",
                ),
            },
        )
