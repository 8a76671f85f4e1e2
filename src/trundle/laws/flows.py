"""Prescribed motions along a coordinate: locked, servo, flow, acceleration."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

from trundle.laws.law import FlowLaw, check_function
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class Locked(FlowLaw):
    """No relative motion."""

    @property
    def drives(self) -> bool:
        return False

    def motion(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return 0.0


@final
@dataclass(frozen=True)
class Servo(FlowLaw):
    """Prescribed motion q(t).

    Parameters
    ----------
    function : callable or number
        q(t): the coordinate (m or rad) at time t.
    """

    function: Callable[[Expr], Expr] | Expr

    def __post_init__(self) -> None:
        check_function("Servo", self.function, t="time")

    def motion(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.function(t) if callable(self.function) else self.function


@final
@dataclass(frozen=True)
class Flow(FlowLaw):
    """Prescribed rate f(t, q); the coordinate is free at the start. A number is a constant rate.

    Parameters
    ----------
    function : callable or number
        f(t, q): rate (m/s or rad/s) at time t and coordinate q.
    """

    level: ClassVar[str] = "velocity"

    function: Callable[[Expr, Expr], Expr] | Expr

    def __post_init__(self) -> None:
        check_function("Flow", self.function, t="time", q="coordinate")

    def motion(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.function(t, q) if callable(self.function) else self.function


@final
@dataclass(frozen=True)
class Acceleration(FlowLaw):
    """Prescribed acceleration f(t, q, u): a servo constraint [Kosenko 2022, Sec. 3]. Coordinate and rate are free at
    the start.

    Parameters
    ----------
    function : callable or number
        f(t, q, u): acceleration (m/s^2 or rad/s^2) at time t, coordinate q and rate u.
    """

    level: ClassVar[str] = "acceleration"

    function: Callable[[Expr, Expr, Expr], Expr] | Expr

    def __post_init__(self) -> None:
        check_function("Acceleration", self.function, t="time", q="coordinate", u="rate")

    def motion(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.function(t, q, u) if callable(self.function) else self.function

    @property
    def element(self) -> str:
        return "Sf"
