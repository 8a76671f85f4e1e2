"""The cubic parabola y = C x^3 as a transition curve, with exactly the required curvatures at both ends."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from trundle.errors import ModelError
from trundle.rail.track.basis import DEGREE, polynomial
from trundle.rail.track.segment import Ends, Parts
from trundle.rail.track.transition import Transition
from trundle.typing import Array, Expr

STEEPEST = 45.0**-0.25  # sqrt(C) x where the curvature of y = C x^3 is greatest, at 24.1 degrees
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(24)


@final
@dataclass(frozen=True)
class CubicParabola(Transition):
    """Part of y = C x^3 with the required curvatures at both ends; its cant ramp is linear unless `ramp` names another.

    Curvature over length is a polynomial of degree 7 through the exact curvature at eight places: 100 m of it that end
    in a radius of 600 m lie within 4e-9 m of the cubic, and of 300 m within 6e-8 m.
    """

    usual_ramp: ClassVar[str | None] = "linear"

    def plan(self, before: Ends, after: Ends, half_gauge: float) -> Parts:
        first, last = before.curvature, after.curvature
        if first == last:
            return ((1.0, polynomial(first)),)
        sign = 1.0 if last > first else -1.0
        root, begin, end = cubic(sign * first, sign * last, self.length)
        x = (1.0 - np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)) / 2.0  # Chebyshev's places, the ends among them
        along = [_place(begin, end, share) for share in x]
        k = sign * root * curvature(np.array(along))
        k[0], k[-1] = first, last
        return ((1.0, polynomial(*np.linalg.solve(np.vander(x, increasing=True), k))),)


def cubic(first: float, last: float, length: float) -> tuple[float, float, float]:
    """sqrt(C) and the ends sqrt(C) x of the part whose curvature rises from first to last over a length (m)."""
    least = max(abs(first), abs(last)) / float(curvature(STEEPEST))

    def ends(root: float) -> tuple[float, float]:
        begin, end = (_where(k / root) for k in (first, last))
        return begin, end

    def excess(logarithm: float) -> float:
        root = float(np.exp(logarithm))
        begin, end = ends(root)
        return float(np.log((arc(end) - arc(begin)) / (root * length)))

    low = np.log(least)
    if excess(low) < 0.0:
        longest = length * np.exp(excess(low))
        raise ModelError(
            f"a cubic parabola between these curvatures is at most {longest:.4g} m long, not {length:g} m: beyond a "
            f"slope of 24.1 degrees its curvature falls again; take a Clothoid"
        )
    high = low + 1.0
    while excess(high) > 0.0:
        high += 2.0
    root = float(np.exp(_root(excess, low, high, xtol=1e-15)))
    return root, *ends(root)


def curvature(x: Expr) -> Expr:
    """Of y = x^3."""
    return 6.0 * x / (1.0 + 9.0 * x**4) ** 1.5


def arc(x: float) -> float:
    """Length of y = x^3 from 0 to x."""
    u: Array = x * (_POINTS + 1.0) / 2.0
    return float(x / 2.0 * (_WEIGHTS @ np.sqrt(1.0 + 9.0 * u**4)))


def _where(k: float) -> float:
    """The place where y = x^3 has this curvature."""
    if abs(k) >= curvature(STEEPEST):
        return float(np.copysign(STEEPEST, k))
    return _root(lambda x: curvature(x) - k, -STEEPEST, STEEPEST, xtol=1e-16)


def _place(begin: float, end: float, share: float) -> float:
    """The place at a share of the length from begin to end."""
    whole, start = arc(end) - arc(begin), arc(begin)
    return _root(lambda x: arc(x) - start - share * whole, begin, end, xtol=1e-16)


def _root(function: Callable[[float], float], low: float, high: float, xtol: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=xtol))
