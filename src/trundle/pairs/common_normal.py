"""Closest points of two surfaces in given poses, in numbers: the common normal with the smallest gap.

A common normal is perpendicular to both surfaces, with their outer sides facing each other and no interference next to
it. The distance of two separate bodies is the smallest gap along a common normal.

Points of both surfaces on a coarse grid provide starting points; a damped Newton method finds the normals, all at once.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import inf, pi
from typing import final

import numpy as np

from trundle.pairs.closest import closest, limits
from trundle.pairs.curvature import tangent_basis
from trundle.pairs.numeric import NumericScrew, NumericSurface, NumericSweep, common_perpendicular
from trundle.typing import Array, Flags

TURNS = (20, 12)  # grid points of a full rotation of the first and of the second screw
SLIDES = (13, 9)  # grid points of a slide
VALLEYS = 10  # starting points on each surface, by each of two measures
STEPS = 40
SHARP = 1e-7  # thickness of an edge in its curvature, in typical lengths
SOLVED = 1e-10  # residual (rad, or in typical lengths) of a common normal
PRESSED = 0.1  # overlap (in typical lengths) of a rim and an edge; deeper they are past each other, as hoop and bar
ALIKE = 1e-9  # negligible difference of gaps (in typical lengths)


class PlacedSurface(ABC):
    """A surface with the pose of its frame."""

    R: Array
    p: Array

    @property
    @abstractmethod
    def surface(self) -> NumericSurface:
        """The surface in its own frame."""

    @abstractmethod
    def at(self, s: Array) -> "Sides":
        """The surface at coordinates s (..., 2)."""

    def inside(self, x: Array) -> Array:
        """A point of the ground in the frame of the surface."""
        return np.asarray((x - self.p) @ self.R)

    @property
    @abstractmethod
    def bounded(self) -> bool:
        """Whether the surface is finite."""

    @property
    @abstractmethod
    def centre(self) -> Array:
        """Centre of the surface, in the ground."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """Largest distance of a bounded surface from its centre; a typical length of unbounded ones."""

    @abstractmethod
    def scale(self, length: float) -> Array:
        """Units of the two coordinates: 1 rad, or a length."""

    @abstractmethod
    def grid(self, about: Array, reach: float) -> tuple[Array, tuple[int, int]]:
        """Coordinates (n, 2) near a point of the ground, and the number of points in each direction."""

    @abstractmethod
    def on_sheet(self, s: Array) -> Flags:
        """Whether coordinates (n, 2) are on the regular part of the surface, which has not turned over."""

    @abstractmethod
    def wrapped(self, s: Array) -> Array:
        """Coordinates (n, 2) with pure rotations reduced to minus to plus half a turn."""

    @property
    def axis(self) -> NumericScrew | None:
        """The axis of an unbounded surface, or the line of an edge, in the ground; None for a plane."""
        return None


@final
@dataclass(frozen=True, eq=False)
class Placed(PlacedSurface):
    """A surface swept by two screws, with the pose of its frame."""

    sweep: NumericSweep
    R: Array
    p: Array

    @property
    def surface(self) -> NumericSurface:
        return self.sweep

    def at(self, s: Array) -> "Sides":
        first, second = self.sweep.first, self.sweep.second
        a, b = s[..., 0], s[..., 1]
        tangents = tangent_basis(self.sweep.normal)
        inner = second.move(b, self.sweep.point)
        point = first.move(a, inner)

        def turned(v: Array) -> Array:
            return first.turn(a, second.turn(b, v)) @ self.R.T

        moves = np.stack([first.velocity(point), first.turn(a, second.velocity(inner))], axis=-2) @ self.R.T
        axes = [np.broadcast_to(first.spin * first.axis, point.shape), first.turn(a, second.spin * second.axis)]
        return Sides(
            point @ self.R.T + self.p,
            np.stack([turned(t) for t in tangents], axis=-2),
            turned(self.sweep.normal),
            moves,
            np.stack(axes, axis=-2) @ self.R.T,
        )

    @cached_property
    def limits(self) -> tuple[float, float]:
        """Ends of the sheet along the second coordinate."""
        return limits(self.sweep)

    @property
    def bounded(self) -> bool:  # both screws are pure turns
        return all(k.spin == 1 and k.advance == 0 for k in (self.sweep.first, self.sweep.second))

    @property
    def centre(self) -> Array:  # on the axis
        first, second = self.sweep.first, self.sweep.second
        middle = second.at if second.spin else self.sweep.point
        on_axis = first.at + first.axis * (first.axis @ (middle - first.at)) if first.spin else first.at
        return np.asarray(self.R @ on_axis + self.p)

    @property
    def reach(self) -> float:
        sweep = self.sweep
        if not self.bounded:
            return sweep.size
        arm = np.linalg.norm(sweep.second.at - self.inside(self.centre))
        return float(arm + np.linalg.norm(sweep.point - sweep.second.at))

    def scale(self, length: float) -> Array:
        return np.array([1.0 if k.spin else length for k in (self.sweep.first, self.sweep.second)])

    def grid(self, about: Array, reach: float) -> tuple[Array, tuple[int, int]]:
        a0, b0 = 0.0, 0.0
        if not self.bounded:
            a0, b0, _ = (float(v[0]) for v in closest(self.sweep, self.inside(about)[None, :]))
        low, high = self.limits
        a = _range(self.sweep.first, a0, reach, TURNS[0], SLIDES[0])
        b = _range(self.sweep.second, b0, reach, TURNS[1], SLIDES[1])
        b = np.unique(np.clip(b, max(low, -1e300), min(high, 1e300)))
        grid = np.stack(np.meshgrid(a, b, indexing="ij"), axis=-1)
        return grid.reshape(-1, 2), (len(a), len(b))

    def on_sheet(self, s: Array) -> Flags:
        b, (low, high) = s[:, 1], self.limits
        if self.sweep.second.spin and self.sweep.second.advance == 0:
            b = b - 2 * pi * np.round(b / (2 * pi))
        slack = 1e-9 * (1.0 if self.sweep.second.spin else self.sweep.size)
        return np.asarray((b >= low - slack) & (b <= high + slack))

    def wrapped(self, s: Array) -> Array:
        turns = np.array([k.spin == 1 and k.advance == 0 for k in (self.sweep.first, self.sweep.second)])
        return np.where(turns, s - 2 * pi * np.round(s / (2 * pi)), s)

    @property
    def axis(self) -> NumericScrew | None:
        screw = self.sweep.first
        if not screw.spin:
            return None
        return NumericScrew(self.R @ screw.axis, self.R @ screw.at + self.p, screw.spin, screw.advance)


@final
@dataclass(frozen=True, eq=False)
class Sides:
    """Points, tangents (..., 2, 3), normals, and motions and turns (..., 2, 3) per unit of each coordinate."""

    point: Array
    tangents: Array
    normal: Array
    moves: Array
    turns: Array


def nearest(first: PlacedSurface, second: PlacedSurface) -> tuple[Array, float] | None:
    """Coordinates (4) and gap of the common normal with the smallest gap; None if none is found."""
    length = max(first.surface.size, second.surface.size)
    if min(first.surface.size, second.surface.size) < length and (first.bounded or second.bounded):
        length = max(k.reach for k in (first, second) if k.bounded)
    starts = _starts(first, second, length)
    if not len(starts):
        return None
    s, residual = _solve(first, second, starts, length)
    A, B = first.at(s[:, :2]), second.at(s[:, 2:])
    gap = _dot(A.normal, B.point - A.point)
    good = (residual < SOLVED) & (_dot(A.normal, B.normal) < 0) & first.on_sheet(s[:, :2]) & second.on_sheet(s[:, 2:])
    good &= _fits(first, second, A, B, length)
    if not np.any(good):
        return None
    size = np.where(good, np.abs(gap), inf)
    alike = size <= np.min(size) + ALIKE * length
    measure = gap  # of two sides of an edge, the one where nothing overlaps
    if first.surface.is_edge and second.surface.is_edge:
        (outward, is_rim), (other, is_other) = _outward(first, A), _outward(second, B)
        if np.min(size) <= (PRESSED if is_rim or is_other else ALIKE) * length:
            measure = outward + other  # they touch, or are pressed into each other
    best = int(np.argmax(np.where(alike, measure, -inf)))
    return np.concatenate([first.wrapped(s[best, :2]), second.wrapped(s[best, 2:])]), float(gap[best])


def _outward(placed: PlacedSurface, side: Sides) -> tuple[Array, bool]:
    """Whether normals of an edge point away from its axis (1) or to it (-1), or for a straight edge, a tenth of how
    near they are to the normal at zero; and whether it is round.
    """
    assert placed.axis is not None
    arm = side.point - placed.axis.at
    arm = arm - _dot(arm, placed.axis.axis)[:, None] * placed.axis.axis
    size = np.linalg.norm(arm, axis=1)
    if np.all(size > SHARP * placed.surface.size):
        return _dot(side.normal, arm) / size, True
    return np.asarray(0.1 * (side.normal @ placed.at(np.zeros(2)).normal)), False


def _starts(first: PlacedSurface, second: PlacedSurface, length: float) -> Array:
    """Coordinates (n, 4) at which the surfaces are close to each other, or face each other."""
    about, other = _middle(first, second)
    grid_A, shape = first.grid(other, 1.5 * second.reach)
    grid_B, shape_B = second.grid(about, 1.5 * first.reach)
    A, B = first.at(grid_A), second.at(grid_B)
    d = B.point[None, :, :] - A.point[:, None, :]
    square, along = np.einsum("ijk,ijk->ij", d, d) / length**2, np.einsum("ijk,ik->ij", d, A.normal) / length
    facing = A.normal @ B.normal.T
    near = square + np.where(facing < 0.3, 0.0, 4.0) + 0.1 * (1 + facing)
    aligned = (square - along**2) + (1 + facing) + 0.05 * along**2
    starts = []
    for score in (near, aligned):
        partner = np.argmin(score, axis=1)
        for i in _local_minima(np.min(score, axis=1).reshape(shape)):
            starts.append(np.concatenate([grid_A[i], grid_B[partner[i]]]))
        partner = np.argmin(score, axis=0)
        for j in _local_minima(np.min(score, axis=0).reshape(shape_B)):
            starts.append(np.concatenate([grid_A[partner[j]], grid_B[j]]))
    return np.unique(np.array(starts), axis=0)


def _middle(first: PlacedSurface, second: PlacedSurface) -> tuple[Array, Array]:
    """Centre of the search on each surface: its own centre or, for an unbounded one, a point near the other surface."""
    if first.bounded or second.bounded:
        about = first.centre if first.bounded else second.centre
        other = second.centre if second.bounded else first.centre
        return about, other
    lines = [k.axis for k in (first, second)]
    if lines[0] is None or lines[1] is None:
        about = first.centre if lines[1] is None else second.centre
        return about, about
    foot, way = common_perpendicular(lines[0], lines[1])
    return foot - way, foot


def _range(screw: NumericScrew, middle: float, reach: float, turns: int, slides: int) -> Array:
    if screw.spin == 0:
        return middle + np.linspace(-reach, reach, slides)
    if screw.advance == 0:
        return middle + np.linspace(-pi, pi, turns, endpoint=False)
    windings = 1.0 + min(reach / (2 * pi * abs(screw.advance)), 3.0)
    return middle + 2 * pi * windings * np.linspace(-1.0, 1.0, int(1.5 * turns * windings))


def _local_minima(score: Array) -> list[int]:
    """Indices of the lowest grid points without a lower neighbour; the ends count as neighbours of each other."""
    lowest = np.ones(score.shape, bool)
    for axis in (0, 1):
        for shift in (-1, 1):
            lowest &= score <= np.roll(score, shift, axis)
    where = np.flatnonzero(lowest)
    return [int(i) for i in where[np.argsort(score.ravel()[where], kind="stable")][:VALLEYS]]


def _residual(A: Sides, B: Sides, length: float) -> Array:
    """Zero (..., 4) on a common normal."""
    d = (B.point - A.point) / length
    return np.concatenate([np.einsum("...ik,...k->...i", A.tangents, v) for v in (d, B.normal)], axis=-1)


def _jacobian(A: Sides, B: Sides, length: float) -> Array:
    d = (B.point - A.point) / length
    turned = np.cross(A.turns[..., None, :, :], A.tangents[..., :, None, :])  # (..., tangent, coordinate, 3)
    swept = np.cross(B.turns, B.normal[..., None, :])
    top = np.einsum("...ijk,...k->...ij", turned, d) - np.einsum("...ik,...jk->...ij", A.tangents, A.moves) / length
    right = np.einsum("...ik,...jk->...ij", A.tangents, B.moves) / length
    low = np.einsum("...ijk,...k->...ij", turned, B.normal)
    return np.block([[top, right], [low, np.einsum("...ik,...jk->...ij", A.tangents, swept)]])


def _solve(first: PlacedSurface, second: PlacedSurface, s: Array, length: float) -> tuple[Array, Array]:
    """Levenberg's method from many starts at once: coordinates (n, 4) and the largest residual of each."""
    scale = np.concatenate([first.scale(length), second.scale(length)])
    A, B = first.at(s[:, :2]), second.at(s[:, 2:])
    r, damping = _residual(A, B, length), np.full(len(s), 1e-2)
    for _ in range(STEPS):
        J = _jacobian(A, B, length) * scale
        H = np.einsum("nki,nkj->nij", J, J)
        size = np.trace(H, axis1=1, axis2=2) / 4 + 1e-300
        step = -np.linalg.solve(
            H + (damping * size)[:, None, None] * np.eye(4), np.einsum("nki,nk->ni", J, r)[..., None]
        )
        step = step[..., 0]
        step *= np.minimum(1.0, 0.7 / np.maximum(np.max(np.abs(step), axis=1), 1e-300))[:, None]
        trial = s + step * scale
        A_new, B_new = first.at(trial[:, :2]), second.at(trial[:, 2:])
        r_new = _residual(A_new, B_new, length)
        better = np.sum(r_new**2, axis=1) < np.sum(r**2, axis=1)
        s, r = np.where(better[:, None], trial, s), np.where(better[:, None], r_new, r)
        A, B = (_chosen(better, new, old) for new, old in ((A_new, A), (B_new, B)))
        damping = np.clip(np.where(better, damping * np.where(damping > 1e-6, 0.1, 1e-3), damping * 8), 1e-15, 1e12)
        if np.all((np.max(np.abs(r), axis=1) < 1e-14) | (damping > 1e6)):
            break
    return s, np.max(np.abs(r), axis=1)


def _chosen(which: Array, new: Sides, old: Sides) -> Sides:
    parts = []
    for name in ("point", "tangents", "normal", "moves", "turns"):
        a, b = getattr(new, name), getattr(old, name)
        parts.append(np.where(which.reshape(-1, *[1] * (a.ndim - 1)), a, b))
    return Sides(*parts)


def _fits(first: PlacedSurface, second: PlacedSurface, A: Sides, B: Sides, length: float) -> Flags:
    """Whether the surfaces, moved together along the common normal, would touch without intersecting near the point."""
    total = np.zeros((len(A.point), 2, 2))
    for placed, side in ((first, A), (second, B)):
        X = np.einsum("nik,njk->nij", A.tangents, side.moves)
        N = np.einsum("nik,njk->nij", A.tangents, np.cross(side.turns, side.normal[:, None, :]))
        thickness = SHARP * length if placed.surface.is_edge else 0.0
        total = total + N @ np.linalg.pinv(X + thickness * N)
    total = (total + np.swapaxes(total, 1, 2)) / 2
    finite = np.all(np.isfinite(total), axis=(1, 2))
    lowest = np.linalg.eigvalsh(np.where(finite[:, None, None], total, -1.0))[:, 0]
    return np.asarray(lowest > -1e-6 / length)


def _dot(u: Array, v: Array) -> Array:
    return np.asarray(np.sum(u * v, axis=-1))
