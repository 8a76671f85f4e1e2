"""Forces and torques along a coordinate: spring, damper, motor."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from trundle.laws.law import EffortLaw, check_function, check_numbers
from trundle.messages.arguments import advised_class
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class Open(EffortLaw):
    """No effort: the bond moves freely."""

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return 0.0


_DAMPING = "write damping=2.0, in N s/m or N m s/rad"
_NAMES = {"k": "write stiffness=1e3, in N/m or N m/rad", "c": _DAMPING, "d": _DAMPING}
_NAMES |= {"q0": "write rest=0.1, the coordinate at which the spring is slack", "l0": "write rest=0.1, in m or rad"}


@final
@advised_class("write Spring(stiffness=1e3, damping=2.0)", **_NAMES)
@dataclass(frozen=True)
class Spring(EffortLaw):
    """Linear spring with damper.

    Parameters
    ----------
    stiffness : float or expression
        In N/m or N m/rad.
    damping : float or expression
        In N s/m or N m s/rad.
    rest : float or expression
        Coordinate at which the spring is slack (m or rad).
    """

    stiffness: Expr
    damping: Expr = 0.0
    rest: Expr = 0.0

    def __post_init__(self) -> None:
        check_numbers("Spring", stiffness=self.stiffness, damping=self.damping, rest=self.rest)

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return -self.stiffness * (q - self.rest) - self.damping * u

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.stiffness * (q - self.rest) ** 2 / 2

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.damping * u**2


@final
@advised_class("write Damper(damping=2.0)", **_NAMES)
@dataclass(frozen=True)
class Damper(EffortLaw):
    """Linear damper.

    Parameters
    ----------
    damping : float or expression
        In N s/m or N m s/rad.
    """

    damping: Expr

    def __post_init__(self) -> None:
        check_numbers("Damper", damping=self.damping)

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return -self.damping * u

    def dissipated(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.damping * u**2


@final
@dataclass(frozen=True)
class Motor(EffortLaw):
    """Any effort f(t, q, u); its whole power counts as supplied. A number is a constant effort.

    Parameters
    ----------
    function : callable or number
        f(t, q, u): force (N) or torque (N m) at time t, coordinate q and rate u, on the second body.
    """

    function: Callable[[Expr, Expr, Expr], Expr] | Expr

    def __post_init__(self) -> None:
        check_function("Motor", self.function, t="time", q="coordinate", u="rate")

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.function(t, q, u) if callable(self.function) else self.function

    def supplied(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.effort(t, q, u) * u
