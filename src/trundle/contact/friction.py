"""Friction at a point of contact: a tangential force in proportion to the normal force, against the slip.

Coulomb's law is exact: while the contact sticks the slip is a constraint, while it slides the friction is a force, and
the transitions are events. The other laws are smooth functions of the slip.
"""

from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.contact.modes.mode import Mode
from trundle.contact.modes.stick_slip import StickSlip
from trundle.laws.coefficient import check, check_falling, check_positive, falling, value
from trundle.laws.friction_law import FrictionLaw
from trundle.laws.signals import Signals
from trundle.messages.arguments import advised_class
from trundle.typing import Expr


@final
@advised_class(
    mu="write tr.Coulomb(0.3), or mu_static=0.3 with mu_kinetic=0.2 while it slides",
    mu_s="write mu_static",
    mu_k="write mu_kinetic",
    mu_d="write mu_kinetic",
)
@dataclass(frozen=True)
class Coulomb(FrictionLaw):
    """Exact dry friction: sticks up to mu_static times the normal force, slides with mu_kinetic (default: mu_static).

    Coefficients may be functions of the signals s (time, place).
    """

    mu_static: Expr
    mu_kinetic: Expr = None

    def __post_init__(self) -> None:
        check("Coulomb", mu_static=self.mu_static, mu_kinetic=self.kinetic)
        instead = "use tr.Stribeck, whose viscous part grows with speed"
        check_falling("Coulomb", self.mu_static, self.kinetic, instead)

    @property
    def kinetic(self) -> Expr:
        return self.mu_static if self.mu_kinetic is None else self.mu_kinetic

    @property
    def modes(self) -> tuple[type[Mode], ...]:
        return (StickSlip,)

    @property
    def sticks(self) -> bool:
        return True

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        return value(self.kinetic, s)

    def limit(self, s: Signals) -> Expr:
        """Largest friction over normal force while it sticks."""
        return value(self.mu_static, s)


@final
@dataclass(frozen=True)
class RegularisedCoulomb(FrictionLaw):
    """mu tanh(speed / v0): never sticks, but creeps at speeds far below v0."""

    mu: Expr
    v0: Expr = 1e-3  # m/s

    def __post_init__(self) -> None:
        check("RegularisedCoulomb", mu=self.mu, v0=self.v0)
        check_positive("RegularisedCoulomb", "tr.Coulomb is the exact law", v0=self.v0)

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        return value(self.mu, s) * ca.tanh(speed / value(self.v0, s))


@final
@dataclass(frozen=True)
class Stribeck(FrictionLaw):
    """Regularised friction that falls from mu_static to mu_kinetic around the Stribeck speed, plus a viscous part.

    Parameters
    ----------
    mu_static : float or expression
        Coefficient of friction at rest.
    mu_kinetic : float or expression
        While it slides.
    stribeck_speed : float or expression
        Speed by which it falls (m/s).
    v0 : float or expression
        Speed over which the force changes its direction smoothly (m/s).
    viscous : float or expression
        Coefficient of friction that is added for each m/s (s/m).
    """

    mu_static: Expr
    mu_kinetic: Expr
    stribeck_speed: Expr = 0.1
    v0: Expr = 1e-3
    viscous: Expr = 0.0

    def __post_init__(self) -> None:
        check(
            "Stribeck", mu_static=self.mu_static, mu_kinetic=self.mu_kinetic, stribeck_speed=self.stribeck_speed,
            v0=self.v0, viscous=self.viscous,
        )  # fmt: skip
        check_positive("Stribeck", v0=self.v0, stribeck_speed=self.stribeck_speed)
        check_falling("Stribeck", self.mu_static, self.mu_kinetic, "give a viscous part, which grows with speed")

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        dry = falling(s, self.mu_static, self.mu_kinetic, self.stribeck_speed, speed)
        return dry * ca.tanh(speed / value(self.v0, s)) + value(self.viscous, s) * speed


@final
@dataclass(frozen=True)
class Creep(FrictionLaw):
    """Linear in the creepage (slip over rolling speed), saturated at mu: k c / (1 + (k c / mu)^2)^(1/2).

    stiffness: creep coefficient over normal force. `slow` is the least rolling speed in this ratio.
    """

    stiffness: Expr
    mu: Expr
    slow: Expr = 1e-2  # m/s

    def __post_init__(self) -> None:
        check("Creep", stiffness=self.stiffness, mu=self.mu, slow=self.slow)
        check_positive("Creep", "without friction leave the law out", mu=self.mu, slow=self.slow)

    def coefficient(self, s: Signals, speed: Expr, rolling: Expr) -> Expr:
        linear = value(self.stiffness, s) * speed / ca.sqrt(rolling**2 + value(self.slow, s) ** 2)
        return linear / ca.sqrt(1 + (linear / value(self.mu, s)) ** 2)
