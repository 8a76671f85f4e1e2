"""Operations of expressions with forward differentiation: value, and rates from those of the operands."""

import math
from collections.abc import Callable

import numpy as np

from trundle.typing import Array, Expr

Slope = Callable[..., float]
Number = tuple[Expr, Array]  # value, and rates along one or several motions


def _flat(*_: float) -> float:
    return 0.0


def _remainder(a: float, b: float) -> float:
    return math.remainder(a, b) if math.isfinite(a) and b != 0 and b == b else math.nan


UNARY: dict[str, tuple[Callable[[float], float], Slope]] = {
    "neg": (lambda a: -a, lambda a, y: -1.0),
    "sqrt": (np.sqrt, lambda a, y: 0.5 / y),
    "fabs": (abs, lambda a, y: float(np.sign(a))),
    "floor": (np.floor, _flat),
    "ceil": (np.ceil, _flat),
    "sign": (np.sign, _flat),
    "not": (lambda a: float(a == 0), _flat),
    "exp": (np.exp, lambda a, y: y),
    "log": (np.log, lambda a, y: 1.0 / a),
    "sin": (np.sin, lambda a, y: np.cos(a)),
    "cos": (np.cos, lambda a, y: -np.sin(a)),
    "tan": (np.tan, lambda a, y: 1.0 + y * y),
    "asin": (np.arcsin, lambda a, y: 1.0 / np.sqrt(1.0 - a * a)),
    "acos": (np.arccos, lambda a, y: -1.0 / np.sqrt(1.0 - a * a)),
    "atan": (np.arctan, lambda a, y: 1.0 / (1.0 + a * a)),
    "sinh": (np.sinh, lambda a, y: np.cosh(a)),
    "cosh": (np.cosh, lambda a, y: np.sinh(a)),
    "tanh": (np.tanh, lambda a, y: 1.0 - y * y),
    "asinh": (np.arcsinh, lambda a, y: 1.0 / np.sqrt(1.0 + a * a)),
    "acosh": (np.arccosh, lambda a, y: 1.0 / np.sqrt(a * a - 1.0)),
    "atanh": (np.arctanh, lambda a, y: 1.0 / (1.0 - a * a)),
    "erf": (math.erf, lambda a, y: 2.0 / math.sqrt(math.pi) * np.exp(-a * a)),
    "log1p": (np.log1p, lambda a, y: 1.0 / (1.0 + a)),
    "expm1": (np.expm1, lambda a, y: y + 1.0),
}
"""Operation -> function, and its slope at the operand and the value."""

BINARY: dict[str, tuple[Callable[[float, float], float], Slope, Slope]] = {
    "add": (lambda a, b: a + b, lambda a, b, y: 1.0, lambda a, b, y: 1.0),
    "sub": (lambda a, b: a - b, lambda a, b, y: 1.0, lambda a, b, y: -1.0),
    "mul": (lambda a, b: a * b, lambda a, b, y: b, lambda a, b, y: a),
    "div": (np.divide, lambda a, b, y: np.divide(1.0, b), lambda a, b, y: -np.divide(y, b)),
    "pow": (np.float_power, lambda a, b, y: b * np.float_power(a, b - 1.0), lambda a, b, y: y * np.log(a)),
    "lt": (lambda a, b: float(a < b), _flat, _flat),
    "le": (lambda a, b: float(a <= b), _flat, _flat),
    "eq": (lambda a, b: float(a == b), _flat, _flat),
    "ne": (lambda a, b: float(a != b), _flat, _flat),
    "and": (lambda a, b: float(a != 0 and b != 0), _flat, _flat),
    "or": (lambda a, b: float(a != 0 or b != 0), _flat, _flat),
    "fmin": (np.fmin, lambda a, b, y: float(a <= b), lambda a, b, y: float(a > b)),
    "fmax": (np.fmax, lambda a, b, y: float(a >= b), lambda a, b, y: float(a < b)),
    "fmod": (np.fmod, lambda a, b, y: 1.0, lambda a, b, y: -np.trunc(np.divide(a, b))),
    "remainder": (_remainder, lambda a, b, y: 1.0, lambda a, b, y: np.divide(y - a, b)),
    "copysign": (np.copysign, lambda a, b, y: math.copysign(1.0, a) * math.copysign(1.0, b), _flat),
    "atan2": (np.arctan2, lambda a, b, y: b / (a * a + b * b), lambda a, b, y: -a / (a * a + b * b)),
    "hypot": (np.hypot, lambda a, b, y: np.divide(a, y), lambda a, b, y: np.divide(b, y)),
    "if_else_zero": (lambda a, b: b if a != 0 else 0.0, _flat, lambda a, b, y: float(a != 0)),
}
"""Operation -> function, and its slopes along the first and the second operand."""

LOOKUP = ("root", "find", "item")
"""The first node of a table, the child of a node in whose cell a number lies, and a number of a record."""


def scaled(slope: Callable[[], float], rates: Array) -> Array:
    """Slope times rates; the slope, which may be infinite, is not evaluated if the rates are zero."""
    return slope() * rates if rates.any() else rates


def unary(name: str, a: Number) -> Number:
    """One operand."""
    function, slope = UNARY[name]
    value = function(a[0])
    return value, scaled(lambda: slope(a[0], value), a[1])


def binary(name: str, a: Number, b: Number) -> Number:
    """Two operands."""
    function, along_a, along_b = BINARY[name]
    value = function(a[0], b[0])
    first = scaled(lambda: along_a(a[0], b[0], value), a[1])
    return value, first + scaled(lambda: along_b(a[0], b[0], value), b[1])


def lookup(name: str, a: Number, b: Number | None) -> Number:
    """A step through a table; the result is constant within a cell."""
    still = np.zeros_like(a[1])
    if name == "root" or b is None:
        return a[0], still
    return (b[0].child(a[0]) if name == "find" else a[0].number(int(b[0]))), still
