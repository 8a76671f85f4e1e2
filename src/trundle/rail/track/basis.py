"""Functions that every piece of track is made of: powers of x up to 7, and sine and cosine of pi x and 2 pi x.

Curvature, slope and cant of a piece are twelve coefficients each, with x from 0 to 1 along its segment. Derivatives
stay within the twelve functions, so they are exact; one evaluation of the functions serves all of them.
"""

from collections.abc import Sequence

import casadi as ca
import numpy as np

from trundle.rail.elementwise import symbolic
from trundle.typing import AnyArray, Array, Expr

DEGREE = 7
COUNT = DEGREE + 5  # powers 0 to 7, sin pi x, cos pi x, sin 2 pi x, cos 2 pi x
_FIRST = DEGREE + 1  # place of sin pi x
_TURNS = (np.pi, 2.0 * np.pi)
ALL = np.ones(COUNT, bool)


def functions_of(*values: Expr) -> Expr:
    """The module whose sin, cos, sqrt, ... understand these values: CasADi for symbols, else NumPy."""
    return ca if symbolic(*values) else np


def polynomial(*coefficients: float) -> Array:
    """Twelve coefficients of c0 + c1 x + c2 x^2 + ..."""
    out = np.zeros(COUNT)
    out[: len(coefficients)] = coefficients
    return out


def harmonics(sin1: float = 0.0, cos1: float = 0.0, sin2: float = 0.0, cos2: float = 0.0) -> Array:
    """Twelve coefficients of sines and cosines of pi x (1) and 2 pi x (2)."""
    out = np.zeros(COUNT)
    out[_FIRST:] = (sin1, cos1, sin2, cos2)
    return out


def _derivative_matrix() -> Array:
    out = np.zeros((COUNT, COUNT))
    for power in range(1, DEGREE + 1):
        out[power - 1, power] = power
    for i, turn in enumerate(_TURNS):
        sine = _FIRST + 2 * i
        out[sine + 1, sine] = turn
        out[sine, sine + 1] = -turn
    return out


DERIVATIVE = _derivative_matrix()  # coefficients of the derivative by x = DERIVATIVE @ coefficients


def differentiated(coefficients: Array, times: int = 1) -> Array:
    """Coefficients (in the last axis) of a derivative by x."""
    for _ in range(times):
        coefficients = coefficients @ DERIVATIVE.T
    return coefficients


def used(*coefficients: Array) -> AnyArray:
    """Which of the twelve functions these coefficients and their derivatives need."""
    some = np.any([np.any(c.reshape(-1, COUNT), axis=0) for c in coefficients], axis=0)
    for power in range(DEGREE, 0, -1):
        some[power - 1] |= some[power]
    some[_FIRST::2] |= some[_FIRST + 1 :: 2]
    some[_FIRST + 1 :: 2] |= some[_FIRST::2]
    return np.asarray(some)


def values(x: Expr, needed: AnyArray = ALL) -> list[Expr]:
    """The twelve functions at x, a number, an array or a symbol; those not needed are left at zero."""
    f = functions_of(x)
    out: list[Expr] = [1.0 + 0.0 * x] + [0.0] * (COUNT - 1)
    for power in range(1, DEGREE + 1):
        if needed[power]:
            out[power] = out[power - 1] * x if power > 1 else x
    for i, turn in enumerate(_TURNS):
        if needed[_FIRST + 2 * i]:
            out[_FIRST + 2 * i], out[_FIRST + 2 * i + 1] = f.sin(turn * x), f.cos(turn * x)
    return out


def derivative_of(functions: Sequence[Expr]) -> list[Expr]:
    """Derivatives by x of the twelve functions, from their values."""
    out: list[Expr] = []
    for column in DERIVATIVE.T:
        terms = [float(c) * functions[i] for i, c in enumerate(column) if c]
        out.append(terms[0] if terms else 0.0)
    return out


def integrals(x: Expr, needed: AnyArray = ALL) -> list[Expr]:
    """The integrals of the twelve functions from 0 to x."""
    f = functions_of(x)
    power = x
    out: list[Expr] = [x] + [0.0] * (COUNT - 1)
    for i in range(1, DEGREE + 1):
        if needed[i]:
            power = power * x
            out[i] = power / (i + 1)
    for i, turn in enumerate(_TURNS):
        if needed[_FIRST + 2 * i]:
            # 1 - cos as 2 sin^2 of the half angle, which loses no digits near zero.
            out[_FIRST + 2 * i] = 2.0 / turn * f.sin(turn / 2.0 * x) ** 2
            out[_FIRST + 2 * i + 1] = f.sin(turn * x) / turn
    return out


def combine(coefficients: Expr, functions: Sequence[Expr]) -> Expr:
    """Sum of coefficients (last axis) times functions; terms that are zero throughout are left out."""
    total: Expr = 0.0 * functions[0]
    one = np.ndim(coefficients) == 1
    columns = np.asarray(coefficients).tolist() if one else np.moveaxis(coefficients, -1, 0)
    for column, function in zip(columns, functions, strict=True):
        if column if one else np.any(column):
            total = total + column * function
    return total


def rebased(power_series: Sequence[float], shift: float, scale: float) -> Array:
    """Twelve coefficients of the polynomial p(shift + scale x)."""
    from numpy.polynomial import Polynomial

    found = Polynomial(list(power_series))(Polynomial([shift, scale]))
    return polynomial(*found.coef)
