"""Mathematical functions for laws, outputs and events: applied to CasADi symbols they return expressions, to numbers
floats.

One table serves Python users (`tr.sin`, `tr.where`, ...) and the expressions in model files.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.messages.arguments import explain_module_calls
from trundle.symbols.parameters import keeping
from trundle.typing import Expr

pi = math.pi


@keeping
def sin(x: Expr) -> Expr:
    """Sine of an angle in rad."""
    return ca.sin(x)


@keeping
def cos(x: Expr) -> Expr:
    """Cosine of an angle in rad."""
    return ca.cos(x)


@keeping
def tan(x: Expr) -> Expr:
    """Tangent of an angle in rad."""
    return ca.tan(x)


@keeping
def asin(x: Expr) -> Expr:
    """Angle in rad whose sine is x."""
    return ca.asin(x)


@keeping
def acos(x: Expr) -> Expr:
    """Angle in rad whose cosine is x."""
    return ca.acos(x)


@keeping
def atan(x: Expr) -> Expr:
    """Angle in rad whose tangent is x."""
    return ca.atan(x)


@keeping
def atan2(y: Expr, x: Expr) -> Expr:
    """Angle in rad of the point (x, y)."""
    return ca.atan2(y, x)


@keeping
def degrees(x: Expr) -> Expr:
    """An angle of x degrees, in rad: degrees(180) is pi."""
    return x * (pi / 180.0)


@keeping
def rpm(x: Expr) -> Expr:
    """A speed of x turns a minute, in rad/s: rpm(60) is 2 pi."""
    return x * (pi / 30.0)


@keeping
def kmh(x: Expr) -> Expr:
    """A speed of x kilometres an hour, in m/s: kmh(36) is 10."""
    return x / 3.6


@keeping
def sinh(x: Expr) -> Expr:
    """Hyperbolic sine."""
    return ca.sinh(x)


@keeping
def cosh(x: Expr) -> Expr:
    """Hyperbolic cosine."""
    return ca.cosh(x)


@keeping
def tanh(x: Expr) -> Expr:
    """Hyperbolic tangent: a smooth sign."""
    return ca.tanh(x)


@keeping
def exp(x: Expr) -> Expr:
    """Exponential."""
    return ca.exp(x)


@keeping
def log(x: Expr) -> Expr:
    """Natural logarithm."""
    return ca.log(x)


@keeping
def sqrt(x: Expr) -> Expr:
    """Square root."""
    return ca.sqrt(x)


@keeping
def abs(x: Expr) -> Expr:
    """Absolute value."""
    return ca.fabs(x)


@keeping
def sign(x: Expr) -> Expr:
    """-1, 0 or 1."""
    return ca.sign(x)


@keeping
def floor(x: Expr) -> Expr:
    """Largest integer not above x."""
    return ca.floor(x)


@keeping
def ceil(x: Expr) -> Expr:
    """Smallest integer not below x."""
    return ca.ceil(x)


@keeping
def min(first: Expr, *others: Expr) -> Expr:
    """Smallest of the arguments."""
    for other in others:
        first = ca.fmin(first, other)
    return first


@keeping
def max(first: Expr, *others: Expr) -> Expr:
    """Largest of the arguments."""
    for other in others:
        first = ca.fmax(first, other)
    return first


@keeping
def where(condition: Expr | bool, yes: Expr, no: Expr) -> Expr:
    """`yes` where the condition is true, otherwise `no`; the one not used may be infinite or undefined."""
    if isinstance(condition, bool | int | float):
        return yes if condition else no
    return ca.if_else(condition, yes, no)


@keeping
def step(x: Expr) -> Expr:
    """Unit step: 0 for x < 0, otherwise 1."""
    return where(x >= 0, 1.0, 0.0)


@keeping
def power(base: Expr, exponent: Expr) -> Expr:
    """base ** exponent; NaN if the result would be complex, infinite if it would overflow."""
    return ca.power(base, exponent)


@final
@dataclass(frozen=True)
class MathFunction:
    """A function that expressions may call, with the smallest and the largest number of its arguments."""

    call: Callable[..., Expr]
    fewest: int
    most: int

    def accepts(self, count: int) -> bool:
        """Whether it can be called with this number of arguments."""
        return self.fewest <= count <= self.most

    @property
    def arguments(self) -> str:
        """The number of arguments in words."""
        if self.most > self.fewest:
            return f"{self.fewest} or more arguments"
        return "1 argument" if self.fewest == 1 else f"{self.fewest} arguments"


_OF_ONE = ("degrees", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs",
           "sign", "floor", "ceil", "step")  # fmt: skip
explain_module_calls(globals(), [*_OF_ONE, "atan2", "min", "max", "where", "rpm", "kmh"])

FUNCTIONS: dict[str, MathFunction] = {
    **{name: MathFunction(globals()[name], 1, 1) for name in _OF_ONE},
    "atan2": MathFunction(atan2, 2, 2),
    "min": MathFunction(min, 2, 20),
    "max": MathFunction(max, 2, 20),
    "where": MathFunction(where, 3, 3),
    "rpm": MathFunction(rpm, 1, 1),
    "kmh": MathFunction(kmh, 1, 1),
}

CONSTANTS: dict[str, float] = {"pi": pi}

RESERVED = frozenset({*FUNCTIONS, *CONSTANTS, "t", "q", "u", "and", "or", "not"} - {"rpm", "kmh"})
"""Words that have a meaning in expressions, so that no parameter can have them as its name. Those of units are
functions only where they are called: parameters and tables are often named so.
"""
