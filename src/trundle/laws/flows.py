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

    def motion(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return 0.0


@final
@dataclass(frozen=True)
class Servo(FlowLaw):
    """Prescribed motion q(t)."""

    function: Callable[[Expr], Expr] | Expr

    def __post_init__(self) -> None:
        check_function("Servo", self.function, t="time")

    def motion(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return self.function(t) if callable(self.function) else self.function


@final
@dataclass(frozen=True)
class Flow(FlowLaw):
    """Prescribed rate f(t, q); the coordinate is free at the start. A number is a constant rate."""

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
