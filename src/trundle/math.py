"""Functions of mathematics for laws, outputs and events: of CasADi symbols they give expressions, of numbers floats.

One table serves Python users (`tr.sin`, `tr.where`, ...) and the expressions in model files.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

pi = math.pi


def sin(x: Any) -> Any:
    """Sine of an angle in rad."""
    return ca.sin(x)


def cos(x: Any) -> Any:
    """Cosine of an angle in rad."""
    return ca.cos(x)


def tan(x: Any) -> Any:
    """Tangent of an angle in rad."""
    return ca.tan(x)


def asin(x: Any) -> Any:
    """Angle in rad whose sine is x."""
    return ca.asin(x)


def acos(x: Any) -> Any:
    """Angle in rad whose cosine is x."""
    return ca.acos(x)


def atan(x: Any) -> Any:
    """Angle in rad whose tangent is x."""
    return ca.atan(x)


def atan2(y: Any, x: Any) -> Any:
    """Angle in rad of the point (x, y)."""
    return ca.atan2(y, x)


def degrees(x: Any) -> Any:
    """An angle of x degrees, in rad: degrees(180) is pi."""
    return x * (pi / 180.0)


def rpm(x: Any) -> Any:
    """A speed of x turns a minute, in rad/s: rpm(60) is 2 pi."""
    return x * (pi / 30.0)


def kmh(x: Any) -> Any:
    """A speed of x kilometres an hour, in m/s: kmh(36) is 10."""
    return x / 3.6


def sinh(x: Any) -> Any:
    """Hyperbolic sine."""
    return ca.sinh(x)


def cosh(x: Any) -> Any:
    """Hyperbolic cosine."""
    return ca.cosh(x)


def tanh(x: Any) -> Any:
    """Hyperbolic tangent: a smooth sign."""
    return ca.tanh(x)


def exp(x: Any) -> Any:
    """Exponential."""
    return ca.exp(x)


def log(x: Any) -> Any:
    """Natural logarithm."""
    return ca.log(x)


def sqrt(x: Any) -> Any:
    """Square root."""
    return ca.sqrt(x)


def abs(x: Any) -> Any:
    """Absolute value."""
    return ca.fabs(x)


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    return ca.sign(x)


def floor(x: Any) -> Any:
    """Largest whole number not above x."""
    return ca.floor(x)


def ceil(x: Any) -> Any:
    """Smallest whole number not below x."""
    return ca.ceil(x)


def min(first: Any, *others: Any) -> Any:
    """Smallest of the arguments."""
    for other in others:
        first = ca.fmin(first, other)
    return first


def max(first: Any, *others: Any) -> Any:
    """Largest of the arguments."""
    for other in others:
        first = ca.fmax(first, other)
    return first


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition holds, else `no`; the one that is not taken may be infinite or undefined."""
    if isinstance(condition, bool | int | float):
        return yes if condition else no
    return ca.if_else(condition, yes, no)


def step(x: Any) -> Any:
    """1 from x = 0 on, 0 before."""
    return where(x >= 0, 1.0, 0.0)


def power(base: Any, exponent: Any) -> Any:
    """base ** exponent; not a number where the result would be complex, infinite where it would overflow."""
    return ca.power(base, exponent)


@final
@dataclass(frozen=True)
class MathFunction:
    """A function that expressions may call, with the least and the largest number of its arguments."""

    call: Callable[..., Any]
    fewest: int
    most: int

    def accepts(self, count: int) -> bool:
        """Whether it can be called with so many arguments."""
        return self.fewest <= count <= self.most

    @property
    def arguments(self) -> str:
        """The number of arguments in words."""
        if self.most > self.fewest:
            return f"{self.fewest} or more arguments"
        return "1 argument" if self.fewest == 1 else f"{self.fewest} arguments"


_OF_ONE = (degrees, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt, abs, sign, floor, ceil, step)

FUNCTIONS: dict[str, MathFunction] = {
    **{f.__name__: MathFunction(f, 1, 1) for f in _OF_ONE},
    "atan2": MathFunction(atan2, 2, 2),
    "min": MathFunction(min, 2, 20),
    "max": MathFunction(max, 2, 20),
    "where": MathFunction(where, 3, 3),
}

CONSTANTS: dict[str, float] = {"pi": pi}

RESERVED = frozenset({*FUNCTIONS, *CONSTANTS, "t", "q", "u", "and", "or", "not"})
"""Words of expressions, which cannot name a parameter."""
