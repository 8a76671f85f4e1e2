"""Pieces of a profile: height over the place across, with exact derivatives."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from math import atan, cos, hypot, sin
from typing import final

import numpy as np

from trundle.typing import Array, Untyped


@dataclass(frozen=True, eq=False)
class Piece(ABC):
    """From the place `start` to the place `end`, m."""

    start: float
    end: float

    @abstractmethod
    def height(self, s: Array, order: int = 0) -> Array:
        """Height over the place, or its first or second derivative."""

    def shifted(self, across: float, up: float) -> "Piece":
        """Moved by these distances, m."""
        return Shifted(self.start + across, self.end + across, self, across, up)


@final
@dataclass(frozen=True, eq=False)
class Polynomial(Piece):
    """Coefficients of 1, s, s^2, ..., lengths in units of `unit` m."""

    coefficients: tuple[float, ...]
    unit: float = 1.0

    def height(self, s: Array, order: int = 0) -> Array:
        x, found = s / self.unit, np.zeros_like(s)
        for c in self._derivatives[order]:
            found = found * x + c
        return found

    @cached_property
    def _derivatives(self) -> list[list[float]]:
        """Coefficients of height, slope and second derivative, the highest power first."""
        polynomial = np.polynomial.Polynomial(self.coefficients)
        return [[float(self.unit ** (1 - k) * c) for c in polynomial.deriv(k).coef[::-1]] for k in range(3)]


@final
@dataclass(frozen=True, eq=False)
class Arc(Piece):
    """Circular arc: on the upper half of its circle (half = 1) or on the lower (-1)."""

    centre: tuple[float, float]
    radius: float
    half: int

    def height(self, s: Array, order: int = 0) -> Array:
        x = s - self.centre[0]
        root = np.sqrt(np.maximum(self.radius**2 - x**2, 1e-30))
        if order == 0:
            return np.asarray(self.centre[1] + self.half * root)
        return np.asarray(-self.half * (x / root if order == 1 else self.radius**2 / root**3))

    def turned(self, angle: float) -> "Arc":
        """Turned about the origin by a small angle in the sense from s to z."""
        c, z = self.centre
        centre = cos(angle) * c - sin(angle) * z, sin(angle) * c + cos(angle) * z
        ends = [_turned_place(s, float(self.height(np.array(s))), angle) for s in (self.start, self.end)]
        return replace(self, start=ends[0], end=ends[1], centre=centre)


@final
@dataclass(frozen=True, eq=False)
class Line(Piece):
    """Straight line through a point."""

    point: tuple[float, float]
    slope: float

    def height(self, s: Array, order: int = 0) -> Array:
        if order == 0:
            return np.asarray(self.point[1] + self.slope * (s - self.point[0]))
        return np.full_like(s, self.slope if order == 1 else 0.0)

    def turned(self, angle: float) -> "Line":
        """Turned about the origin by a small angle in the sense from s to z."""
        s, z = self.point
        point = cos(angle) * s - sin(angle) * z, sin(angle) * s + cos(angle) * z
        ends = [_turned_place(e, float(self.height(np.array(e))), angle) for e in (self.start, self.end)]
        return Line(ends[0], ends[1], point, np.tan(atan(self.slope) + angle))


@final
@dataclass(frozen=True, eq=False)
class Spline(Piece):
    """A spline of scipy's over the place."""

    curve: Untyped

    @classmethod
    def through(cls, places: Array, heights: Array, smooth: float = 0.0) -> "Spline":
        """Cubic, through points, or with `smooth` no farther from them than that in the root mean square (m)."""
        from scipy.interpolate import CubicSpline, UnivariateSpline

        n = len(places)
        curve = UnivariateSpline(places, heights, s=n * smooth**2) if smooth else CubicSpline(places, heights)
        return cls(float(places[0]), float(places[-1]), curve)

    def height(self, s: Array, order: int = 0) -> Array:
        return np.asarray(self.curve(s, order))


@final
@dataclass(frozen=True, eq=False)
class Shifted(Piece):
    """Another piece, moved."""

    inner: Piece
    across: float
    up: float

    def height(self, s: Array, order: int = 0) -> Array:
        found = self.inner.height(s - self.across, order)
        return found + self.up if order == 0 else found


def _turned_place(s: float, z: float, angle: float) -> float:
    return cos(angle) * s - sin(angle) * z


def tangent_arcs(radii: tuple[float, ...], ends: tuple[float, ...], side_slope: float, down: float) -> list[Piece]:
    """Arcs that continue each other smoothly from the top (0, 0) to positive places, and the straight side below them.

    ends: where all arcs but the last end; the last one ends where its slope is -side_slope.
    """
    found: list[Piece] = []
    centre, start = (0.0, -radii[0]), 0.0
    for i, radius in enumerate(radii):
        sine = side_slope / hypot(1.0, side_slope) if i == len(ends) else (ends[i] - centre[0]) / radius
        cosine = np.sqrt(1.0 - sine**2)
        end = centre[0] + radius * sine
        found.append(Arc(start, end, centre, radius, 1))
        if i + 1 < len(radii):
            shift = radius - radii[i + 1]
            centre, start = (centre[0] + shift * sine, centre[1] + shift * cosine), end
    z = centre[1] + radii[-1] * cosine
    found.append(Line(end, end + (z + down) / side_slope, (end, z), -side_slope))
    return found
