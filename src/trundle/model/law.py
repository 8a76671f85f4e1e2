"""Laws of a connection: an effort on a coordinate that follows a rule, a motion that is prescribed, or what holds at
a point of contact.

An effort law owns its energy: effort * u = - dV/dt + supplied - dissipated holds for each of them, and a test asks
each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final


@dataclass(frozen=True)
class Law:
    """Seal of a free bond. Subclasses are final, an EffortLaw or a ContactLaw."""


@dataclass(frozen=True)
class ContactLaw(Law):
    """What holds where two surfaces touch: the relative motions at the point of contact that are kept at zero."""

    held: ClassVar[tuple[str, ...]] = ()  # of "slip_x", "slip_y" (along, across), "spin"


@dataclass(frozen=True)
class EffortLaw(Law):
    """A force or torque along the coordinate as an expression of time t, coordinate q and rate u."""

    def effort(self, t: Any, q: Any, u: Any) -> Any:
        """Force (N) or torque (N m) on the second body, along the coordinate."""
        raise TypeError(f"{type(self).__name__} is abstract")

    def potential(self, t: Any, q: Any) -> Any:
        """Stored energy (J)."""
        return 0.0

    def dissipated(self, t: Any, q: Any, u: Any) -> Any:
        """Power turned into heat (W), never negative."""
        return 0.0

    def supplied(self, t: Any, q: Any, u: Any) -> Any:
        """Power brought in from outside (W)."""
        return 0.0


@final
@dataclass(frozen=True)
class Spring(EffortLaw):
    """Linear spring with damper."""

    stiffness: Any  # N/m or N m/rad
    damping: Any = 0.0  # N s/m or N m s/rad
    rest: Any = 0.0  # coordinate at which the spring is slack

    def effort(self, t: Any, q: Any, u: Any) -> Any:
        return -self.stiffness * (q - self.rest) - self.damping * u

    def potential(self, t: Any, q: Any) -> Any:
        return self.stiffness * (q - self.rest) ** 2 / 2

    def dissipated(self, t: Any, q: Any, u: Any) -> Any:
        return self.damping * u**2


@final
@dataclass(frozen=True)
class Damper(EffortLaw):
    """Linear damper."""

    damping: Any  # N s/m or N m s/rad

    def effort(self, t: Any, q: Any, u: Any) -> Any:
        return -self.damping * u

    def dissipated(self, t: Any, q: Any, u: Any) -> Any:
        return self.damping * u**2


@final
@dataclass(frozen=True)
class Motor(EffortLaw):
    """Any effort f(t, q, u); its whole power counts as supplied. A number is a constant effort."""

    function: Callable[[Any, Any, Any], Any] | Any

    def effort(self, t: Any, q: Any, u: Any) -> Any:
        return self.function(t, q, u) if callable(self.function) else self.function

    def supplied(self, t: Any, q: Any, u: Any) -> Any:
        return self.effort(t, q, u) * u


@final
@dataclass(frozen=True)
class Servo(Law):
    """Prescribed motion q(t); the effort that it takes is a reaction, its power is supplied."""

    function: Callable[[Any], Any] | Any

    def motion(self, t: Any) -> Any:
        """Coordinate as an expression of time."""
        return self.function(t) if callable(self.function) else self.function
