"""Friction at a point of contact: a tangential force in proportion to the normal force, against the slip.

Coulomb's law is exact: while the contact sticks the slip is a constraint, while it slides the friction is a force, and
the transitions are events. The other laws are smooth functions of the slip.
"""

from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from trundle.errors import ModelError
from trundle.model.law import FrictionLaw


def _value(given: Any, s: Any) -> Any:
    """A number, a parameter, or a function of the signals."""
    return given(s) if callable(given) else given


def _number(value: Any) -> float | None:
    """A plain number; None for parameters and functions."""
    return float(value) if isinstance(value, float | int) and not isinstance(value, bool) else None


def _check(kind: str, **values: Any) -> None:
    """Plain numbers among the fields must not be negative."""
    for name, value in values.items():
        number = _number(value)
        if number is not None and not number >= 0:
            raise ModelError(f"{kind}: {name} must not be negative, got {value!r}.")
        if number is None and not callable(value) and not isinstance(value, ca.SX):
            raise ModelError(f"{kind}: {name} is a number, a parameter or a function of the signals, got {value!r}.")


@final
@dataclass(frozen=True)
class Coulomb(FrictionLaw):
    """Dry friction: sticks up to mu_static times the normal force, slides with mu_kinetic (the same unless given).

    Coefficients may be functions of the signals s (time, place).
    """

    mu_static: Any
    mu_kinetic: Any = None

    def __post_init__(self) -> None:
        _check("Coulomb", mu_static=self.mu_static, mu_kinetic=self.kinetic)
        low, high = _number(self.kinetic), _number(self.mu_static)
        if low is not None and high is not None and low > high:
            raise ModelError(
                f"Coulomb: mu_kinetic {low:g} is above mu_static {high:g}. Sliding friction cannot exceed what "
                "sticking holds; exchange them, or use tr.Stribeck for a coefficient that grows with speed."
            )

    @property
    def kinetic(self) -> Any:
        return self.mu_static if self.mu_kinetic is None else self.mu_kinetic

    @property
    def sticks(self) -> bool:
        return True

    def coefficient(self, s: Any, speed: Any, rolling: Any) -> Any:
        return _value(self.kinetic, s)

    def limit(self, s: Any) -> Any:
        """Largest friction over normal force while it sticks."""
        return _value(self.mu_static, s)


@final
@dataclass(frozen=True)
class RegularisedCoulomb(FrictionLaw):
    """mu tanh(speed / v0): never sticks, but creeps at speeds far below v0."""

    mu: Any
    v0: Any = 1e-3  # m/s

    def __post_init__(self) -> None:
        _check("RegularisedCoulomb", mu=self.mu, v0=self.v0)
        if _number(self.v0) == 0.0:
            raise ModelError("RegularisedCoulomb: v0 must be above zero; tr.Coulomb is the exact law.")

    def coefficient(self, s: Any, speed: Any, rolling: Any) -> Any:
        return _value(self.mu, s) * ca.tanh(speed / self.v0)


@final
@dataclass(frozen=True)
class Stribeck(FrictionLaw):
    """Regularised friction that falls from mu_static to mu_kinetic around the Stribeck speed, plus a viscous part."""

    mu_static: Any
    mu_kinetic: Any
    stribeck_speed: Any = 0.1  # m/s
    v0: Any = 1e-3  # m/s
    viscous: Any = 0.0  # s/m

    def __post_init__(self) -> None:
        _check(
            "Stribeck", mu_static=self.mu_static, mu_kinetic=self.mu_kinetic, stribeck_speed=self.stribeck_speed,
            v0=self.v0, viscous=self.viscous,
        )  # fmt: skip
        if _number(self.v0) == 0.0 or _number(self.stribeck_speed) == 0.0:
            raise ModelError("Stribeck: v0 and stribeck_speed must be above zero.")

    def coefficient(self, s: Any, speed: Any, rolling: Any) -> Any:
        low, high = _value(self.mu_kinetic, s), _value(self.mu_static, s)
        falling = low + (high - low) * ca.exp(-((speed / self.stribeck_speed) ** 2))
        return falling * ca.tanh(speed / self.v0) + self.viscous * speed


@final
@dataclass(frozen=True)
class Creep(FrictionLaw):
    """Linear in the creepage (slip over rolling speed), saturated at mu: k c / (1 + (k c / mu)^2)^(1/2).

    stiffness: creep coefficient over normal force. The rolling speed counts at least `slow`.
    """

    stiffness: Any
    mu: Any
    slow: Any = 1e-2  # m/s

    def __post_init__(self) -> None:
        _check("Creep", stiffness=self.stiffness, mu=self.mu, slow=self.slow)
        if _number(self.slow) == 0.0 or _number(self.mu) == 0.0:
            raise ModelError("Creep: mu and slow must be above zero; without friction leave the law out.")

    def coefficient(self, s: Any, speed: Any, rolling: Any) -> Any:
        linear = self.stiffness * speed / ca.sqrt(rolling**2 + self.slow**2)
        mu = _value(self.mu, s)
        return linear / ca.sqrt(1 + (linear / mu) ** 2)
