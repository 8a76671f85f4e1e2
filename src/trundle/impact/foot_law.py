"""Normal laws of the feet in a collision, and the units in which the collision is computed."""

from dataclasses import dataclass
from functools import singledispatch
from math import isfinite, sqrt
from typing import Any, final

from trundle.contact.normal import Hertz, HuntCrossley, LinearContact
from trundle.errors import ModelError
from trundle.laws.coefficient import number


@final
@dataclass(frozen=True)
class BiStiffness:
    """Spring with a dry-friction damper beside it: k (1 + mu_n) d while d grows, k (1 - mu_n) d while it falls.

    At rest the force may lie anywhere between. With mu_n = 1 the foot gives nothing back (plastic).
    """  # [Barjau 2022, Eq. 5.1]

    stiffness: float = 1e3  # k, N/m
    internal_friction: float = 0.2  # mu_n

    def __post_init__(self) -> None:
        if not (isfinite(self.stiffness) and self.stiffness > 0):
            raise ModelError(f"BiStiffness: stiffness must be above zero and finite, got {self.stiffness!r}.")
        if not 0 <= self.internal_friction <= 1:
            raise ModelError(
                f"BiStiffness: internal_friction must be between 0 (elastic) and 1 (plastic), got "
                f"{self.internal_friction!r}; above 1 the foot would pull."
            )

    @property
    def restitution(self) -> float:
        """Energetic coefficient of restitution of every collision of one foot, sqrt((1 - mu_n) / (1 + mu_n)).

        It is Poisson's (ratio of the impulses) too as long as sliding does not change during the collision.
        """
        return sqrt((1 - self.internal_friction) / (1 + self.internal_friction))


@dataclass(frozen=True)
class ScaledLaw:
    """A law in units of mass, approach speed and `time`: F = s d^n (1 + factor d') + damper d', s = high or low."""

    time: float  # s
    exponent: float = 1.0
    high: float = 1.0
    low: float = 1.0
    factor: float = 0.0
    damper: float = 0.0


FootLaw = BiStiffness | LinearContact | HuntCrossley | Hertz


@singledispatch
def scaled(law: Any, mass: float, speed: float) -> ScaledLaw:
    """The law without units."""
    raise ModelError(
        f"a foot has a law BiStiffness, LinearContact (Kelvin-Voigt), HuntCrossley or Hertz, not {type(law).__name__}."
    )


@scaled.register
def _(law: BiStiffness, mass: float, speed: float) -> ScaledLaw:
    loss = law.internal_friction
    return ScaledLaw(sqrt(mass / law.stiffness), high=1 + loss, low=1 - loss)


@scaled.register
def _(law: LinearContact, mass: float, speed: float) -> ScaledLaw:
    time = sqrt(mass / _plain(law, "stiffness"))
    return ScaledLaw(time, damper=_plain(law, "damping") * time / mass)


@scaled.register
def _(law: HuntCrossley, mass: float, speed: float) -> ScaledLaw:
    power = _plain(law, "exponent")
    return ScaledLaw(_time(law, power, mass, speed), exponent=power, factor=_plain(law, "damping") * speed)


@scaled.register
def _(law: Hertz, mass: float, speed: float) -> ScaledLaw:
    power = _plain(law, "exponent")
    return ScaledLaw(_time(law, power, mass, speed), exponent=power)


def _time(law: HuntCrossley | Hertz, power: float, mass: float, speed: float) -> float:
    """Time in which the force k (speed time)^n takes the momentum mass speed."""
    return float((mass * speed ** (1 - power) / _plain(law, "stiffness")) ** (1 / (1 + power)))


def _plain(law: Any, name: str) -> float:
    value = number(getattr(law, name))
    if value is None:
        raise ModelError(f"{type(law).__name__}: a collision needs a number for {name}, not a parameter or a function.")
    return value
