"""Resistance against turning at a contact: moments in proportion to the normal force."""

from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.laws.coefficient import check, check_positive, value
from trundle.laws.friction_law import FrictionLaw
from trundle.laws.signals import Signals
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class RollingResistance(FrictionLaw):
    """Moment lever * N against rolling about the axes in the tangent plane, regularised by tanh(|w| / v0).

    It is combined with a law of slip: law=[tr.NoSlip(), tr.RollingResistance(0.001)].
    """

    lever: Expr  # m, by which the normal force stands ahead of the point of contact
    v0: Expr = 1e-3  # rad/s

    def __post_init__(self) -> None:
        check("RollingResistance", lever=self.lever, v0=self.v0)
        check_positive("RollingResistance", v0=self.v0)

    @property
    def sealed(self) -> tuple[str, ...]:
        return ("roll_x", "roll_y")

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        return value(self.lever, s) * ca.tanh(speed / value(self.v0, s))


@final
@dataclass(frozen=True)
class SpinFriction(FrictionLaw):
    """Moment mu * N * radius against spin about the normal, regularised by tanh(|spin| / v0).

    radius: mean radius of the contact patch: 2/3 of its outer radius for uniform pressure, 3 pi / 16 of it for Hertzian
    pressure.
    """

    radius: Expr  # m
    mu: Expr
    v0: Expr = 1e-3  # rad/s

    def __post_init__(self) -> None:
        check("SpinFriction", radius=self.radius, mu=self.mu, v0=self.v0)
        check_positive("SpinFriction", v0=self.v0)

    @property
    def sealed(self) -> tuple[str, ...]:
        return ("spin",)

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        return value(self.mu, s) * value(self.radius, s) * ca.tanh(speed / value(self.v0, s))
