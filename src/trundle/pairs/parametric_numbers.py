"""A surface given by expressions, in numbers: derivatives, closest points, interface to the search for common
normals."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from trundle.pairs.chart import SurfaceCoordinate
from trundle.pairs.closest import MANY, descend, nearest_of
from trundle.pairs.common_normal import PlacedSurface, Sides
from trundle.pairs.curvature import tangent_basis
from trundle.pairs.numeric import NumericSurface, Patch
from trundle.typing import Array, Flags, Index, TapeFunction

GRID = 33, 25  # grid points for local minima of the distance
COARSE = 20, 13  # grid points for the search for common normals
VALLEYS = 6  # local minima that are refined
INSIDE = 1e-3  # distance of grid points from an end of the surface, relative to the range


@final
@dataclass(frozen=True, eq=False)
class NumericParametric(NumericSurface):
    """A function of (a, b) for the nine columns of a patch, and the ranges of the coordinates."""

    function: TapeFunction
    span: tuple[SurfaceCoordinate, SurfaceCoordinate]

    def at(self, a: ArrayLike, b: ArrayLike) -> Patch:
        a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
        found = np.array(self.function(np.stack([a.ravel(), b.ravel()])), dtype=float).reshape(9, 3, -1, order="C")
        point, x_a, x_b, normal, n_a, n_b, x_aa, x_ab, x_bb = np.moveaxis(found, 1, -1).reshape(9, *a.shape, 3)
        return Patch(point, x_a, x_b, normal, n_a, n_b, x_aa, x_ab, x_bb)

    def points(self, a: ArrayLike, b: ArrayLike) -> Array:
        return self.at(a, b).point

    @property
    def step(self) -> float:
        return 1e-3 * (self.span[1].high - self.span[1].low)

    @cached_property
    def size(self) -> float:
        """Half of its largest extent."""
        return float(np.ptp(self.cloud, axis=0).max()) / 2

    @cached_property
    def cloud(self) -> Array:
        """Points all over the surface."""
        return self.points(*self.grid(GRID))

    @property
    def low(self) -> Array:
        return np.array([c.low for c in self.span])

    @property
    def high(self) -> Array:
        return np.array([c.high for c in self.span])

    def axes(self, count: tuple[int, int]) -> tuple[Array, Array]:
        """Coordinates spread over both ranges, not quite to the ends of the surface."""
        found = []
        for c, n in zip(self.span, count, strict=True):
            shy = 0.0 if c.closed else INSIDE * (c.high - c.low)
            found.append(np.linspace(c.low + shy, c.high - shy, n, endpoint=not c.closed))
        return found[0], found[1]

    def grid(self, count: tuple[int, int]) -> tuple[Array, Array]:
        """All pairs (n, n) of these coordinates."""
        a, b = np.meshgrid(*self.axes(count), indexing="ij")
        return a.ravel(), b.ravel()

    def wrapped(self, s: Array) -> Array:
        """Coordinates (..., 2) reduced to their ranges if these are closed."""
        period = self.high - self.low
        turns = np.where([c.closed for c in self.span], np.round((s - (self.low + self.high) / 2) / period), 0.0)
        return np.asarray(s - period * turns)

    def closest(self, points: Array) -> tuple[Array, Array, Array]:
        """Coordinates of the closest points to points (n, 3), and the signed distances."""
        parts = [self._closest(points[i : i + MANY]) for i in range(0, len(points), MANY)]
        if not parts:
            return np.zeros(0), np.zeros(0), np.zeros(0)
        a, b, distance = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return a, b, distance

    def _closest(self, points: Array) -> tuple[Array, Array, Array]:
        a, b = self.grid(GRID)
        far = np.linalg.norm(self.cloud - points[:, None, :], axis=-1)
        chosen = _local_minima(far.reshape(-1, *GRID), tuple(c.closed for c in self.span))
        limits = [(-np.inf, np.inf) if c.closed else (c.low, c.high) for c in self.span]
        target = points[:, None, :]
        a, b = descend(self, target, a[chosen], b[chosen], limits[0], limits[1])
        a, b, far = nearest_of(self, target, a, b)
        s = self.wrapped(np.stack([a, b], axis=-1))
        return s[:, 0], s[:, 1], far


def _local_minima(far: Array, closed: tuple[bool, ...]) -> Index:
    """Indices (n, valleys) of the lowest grid points (n, a, b) without a lower neighbour."""
    low = np.ones(far.shape, bool)
    for axis, joined in enumerate(closed, start=1):
        for shift in (-1, 1):
            other = np.roll(far, shift, axis)
            if not joined:
                edge = [slice(None)] * 3
                edge[axis] = slice(0, 1) if shift == 1 else slice(-1, None)
                other[tuple(edge)] = np.inf
            low &= far <= other
    score = np.where(low, far, far + 2 * np.max(far, axis=(1, 2), keepdims=True)).reshape(len(far), -1)
    return np.argsort(score, axis=-1)[:, :VALLEYS]


@final
@dataclass(frozen=True, eq=False)
class PlacedParametric(PlacedSurface):
    """A surface given by expressions, with the pose of its frame."""

    numbers: NumericParametric
    R: Array
    p: Array

    @property
    def surface(self) -> NumericSurface:
        return self.numbers

    def at(self, s: Array) -> Sides:
        patch = self.numbers.at(s[..., 0], s[..., 1])
        normal = patch.normal @ self.R.T
        turns = np.stack([np.cross(patch.normal, n) for n in (patch.n_a, patch.n_b)], axis=-2) @ self.R.T
        moves = np.stack([patch.x_a, patch.x_b], axis=-2) @ self.R.T
        whole = np.where(np.isfinite(normal), normal, 1.0)  # beyond an end of the surface; no step is made to there
        return Sides(patch.point @ self.R.T + self.p, tangent_basis(whole), normal, moves, turns)

    @property
    def bounded(self) -> bool:
        return True

    @property
    def _middle(self) -> Array:
        cloud = self.numbers.cloud
        return np.asarray((cloud.min(axis=0) + cloud.max(axis=0)) / 2)

    @property
    def centre(self) -> Array:
        return np.asarray(self.R @ self._middle + self.p)

    @property
    def reach(self) -> float:
        return float(np.max(np.linalg.norm(self.numbers.cloud - self._middle, axis=-1)))

    def scale(self, length: float) -> Array:
        return np.array([length if c.slides else 1.0 for c in self.numbers.span])

    def grid(self, about: Array, reach: float) -> tuple[Array, tuple[int, int]]:
        return np.stack(self.numbers.grid(COARSE), axis=-1), COARSE

    def on_sheet(self, s: Array) -> Flags:
        s = self.numbers.wrapped(s)
        slack = 1e-9 * (self.numbers.high - self.numbers.low)
        return np.asarray(np.all((s >= self.numbers.low - slack) & (s <= self.numbers.high + slack), axis=-1))

    def wrapped(self, s: Array) -> Array:
        return self.numbers.wrapped(s)
