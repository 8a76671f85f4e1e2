"""Triangles of simple solids, tubes and grids, as plain arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from trundle.typing import AnyArray, Array


@final
@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices (n, 3) in m, unit normals (n, 3), stripes (n,) between 0 and 1 that darken, triangles (m, 3)."""

    vertices: Array
    normals: Array
    triangles: AnyArray
    stripes: Array

    def extent(self) -> float:
        """Longest side of the box around it (m)."""
        return float(np.max(np.ptp(self.vertices, axis=0))) if len(self.vertices) else 0.0

    def content(self) -> tuple[bytes, ...]:
        """All its numbers as bytes, for comparison."""
        return tuple(array.tobytes() for array in (self.vertices, self.normals, self.triangles, self.stripes))

    @staticmethod
    def of(vertices: ArrayLike, normals: ArrayLike, triangles: ArrayLike, stripes: ArrayLike | None = None) -> "Mesh":
        points = np.asarray(vertices, dtype=float).reshape(-1, 3)
        shade = np.zeros(len(points)) if stripes is None else np.asarray(stripes, dtype=float).ravel()
        return Mesh(
            points, np.asarray(normals, dtype=float).reshape(-1, 3), np.asarray(triangles).reshape(-1, 3), shade
        )

    def moved(self, R: Array, p: ArrayLike) -> "Mesh":
        """The mesh in another pose."""
        return Mesh(self.vertices @ R.T + np.asarray(p, dtype=float), self.normals @ R.T, self.triangles, self.stripes)

    def thickened(self, distance: float) -> "Mesh":
        """The mesh slightly farther out, so that it hides a coincident one."""
        return Mesh(self.vertices + distance * self.normals, self.normals, self.triangles, self.stripes)


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Several as one."""
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    return Mesh(
        np.vstack([m.vertices for m in meshes]),
        np.vstack([m.normals for m in meshes]),
        np.vstack([m.triangles + k for m, k in zip(meshes, starts, strict=False)]),
        np.concatenate([m.stripes for m in meshes]),
    )


def box(size: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0)) -> Mesh:
    """A cuboid along the axes."""
    half = np.asarray(size, dtype=float) / 2
    vertices: list[Array] = []
    normals: list[Array] = []
    triangles: list[tuple[int, int, int]] = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            n = np.zeros(3)
            n[axis] = side
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3] * side
            k = len(vertices)
            vertices += [(n + a * u + b * v) * half for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            normals += [n] * 4
            triangles += [(k, k + 1, k + 2), (k, k + 2, k + 3)]
    return Mesh.of(np.array(vertices) + np.asarray(at, dtype=float), normals, triangles)


def revolved(profile: ArrayLike, normals: ArrayLike | None = None, count: int = 32, striped: bool = False) -> Mesh:
    """A profile of radii and heights (n, 2) turned about z; faces are flat across corners unless normals are given."""
    line = np.asarray(profile, dtype=float)
    turns, shade = _sectors(count, striped)
    angle = 2 * np.pi * turns / count
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    columns = len(angle)
    parts = []
    pieces = [(line, np.asarray(normals, dtype=float))] if normals is not None else _pieces(line)
    for points, n in pieces:
        vertices = np.concatenate(
            [points[:, None, :1] * circle, np.broadcast_to(points[:, None, 1:], (len(points), columns, 1))], axis=2
        )
        around = np.concatenate(
            [n[:, None, :1] * circle, np.broadcast_to(n[:, None, 1:], (len(points), columns, 1))], axis=2
        )
        stripes = np.broadcast_to(shade, (len(points), columns))
        parts.append(Mesh.of(vertices, around, _quads(len(points), columns), stripes))
    return joined(parts)


def _pieces(line: Array) -> list[tuple[Array, Array]]:
    out = []
    for a, b in pairwise(line):
        d = b - a
        n = np.array([d[1], -d[0]]) / max(float(np.hypot(*d)), 1e-300)
        out.append((np.array([a, b]), np.array([n, n])))
    return out


def _sectors(count: int, striped: bool) -> tuple[AnyArray, Array]:
    """Indices of the points around a circle of `count` steps, and their darkness: opposite quarters are darker, with
    separate vertices for sharp edges.
    """
    if not striped:
        return np.arange(count + 1), np.zeros(count + 1)
    ends = np.linspace(0, count, 5).astype(int)
    quarters = [np.arange(a, b + 1) for a, b in pairwise(ends)]
    return np.concatenate(quarters), np.concatenate([np.full(len(q), k % 2, float) for k, q in enumerate(quarters)])


def _quads(n: int, m: int) -> Array:
    """Triangles of a grid of n by m points."""
    i = (np.arange(n - 1)[:, None] * m + np.arange(m - 1)).ravel()
    return np.concatenate([np.stack([i, i + 1, i + m + 1], -1), np.stack([i, i + m + 1, i + m], -1)])


def axes_along(direction: ArrayLike) -> Array:
    """A rotation whose z axis has the given direction."""
    z = np.asarray(direction, dtype=float)
    z = z / max(float(np.linalg.norm(z)), 1e-300)
    x = np.cross(np.eye(3)[1 if abs(z[0]) > 0.9 else 0], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def cylinder(radius: float, length: float, striped: bool = False) -> Mesh:
    """About z, its middle at the origin."""
    h = length / 2
    return revolved([(0, -h), (radius, -h), (radius, h), (0, h)], striped=striped)


def capsule(radius: float, length: float) -> Mesh:
    """A cylinder about z with round ends; `length` is that of the cylinder."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, 12)
    n = np.column_stack([np.cos(angle), np.sin(angle)])
    lift = np.where(angle < 0, -length / 2, length / 2)
    profile = np.column_stack([radius * n[:, 0], radius * n[:, 1] + lift])
    return revolved(profile, n, 20)


def sphere(radius: float, striped: bool = False) -> Mesh:
    """About the origin."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, 17)
    n = np.column_stack([np.cos(angle), np.sin(angle)])
    return revolved(radius * n, n, 32, striped)


def bar(start: ArrayLike, end: ArrayLike, radius: float) -> Mesh:
    """A round bar between two points."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    return capsule(radius, float(np.linalg.norm(b - a))).moved(axes_along(b - a), (a + b) / 2)


def grid(points: Array, striped: bool = False) -> Mesh:
    """A surface given on a grid (n, m, 3); its normals are those of the grid."""
    du, dv = np.gradient(points, axis=0), np.gradient(points, axis=1)
    for d, axis in ((du, 0), (dv, 1)):  # a closed surface has the same normal on both sides of its seam
        if np.allclose(np.take(points, 0, axis), np.take(points, -1, axis), atol=1e-9 * float(np.ptp(points) + 1e-300)):
            seam = (np.take(d, 0, axis) + np.take(d, -1, axis)) / 2
            if axis == 0:
                d[0] = d[-1] = seam
            else:
                d[:, 0] = d[:, -1] = seam
    n = np.cross(du, dv)
    length = np.linalg.norm(n, axis=-1, keepdims=True)
    n = np.where(length > 1e-9 * length.max(), n / np.maximum(length, 1e-300), _beside(n))
    rows, shade = _sectors(len(points) - 1, striped)
    stripes = np.repeat(shade[:, None], points.shape[1], axis=1)
    quads = _quads(len(rows), points.shape[1])[:, ::-1]
    return Mesh.of(points[rows], n[rows], quads, stripes)


def _beside(n: Array) -> Array:
    """Normals of the neighbours, for poles where the grid has none."""
    near = n.copy()
    near[:, 0], near[:, -1] = n[:, 1], n[:, -2]
    sized: Array = near / np.maximum(np.linalg.norm(near, axis=-1, keepdims=True), 1e-300)
    return sized


def tube(points: Array, radius: float, sides: int = 8) -> Mesh:
    """A tube along a curve (n, 3)."""
    tangent = np.gradient(points, axis=0)
    if np.allclose(points[0], points[-1]):
        tangent[0] = tangent[-1] = tangent[0] + tangent[-1]
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-300)
    x = axes_along(tangent[0])[:, 0]
    angle = np.linspace(0, 2 * np.pi, sides + 1)
    rings = []
    for t in tangent:
        x = x - (x @ t) * t
        x /= max(float(np.linalg.norm(x)), 1e-300)
        rings.append(np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * np.cross(t, x))
    n = np.array(rings)
    return Mesh.of(points[:, None] + radius * n, n, _quads(len(points), sides + 1))


def disc(points: Array) -> Mesh:
    """The flat inside of a closed plane curve (n, 3), seen from both sides."""
    middle = points[:-1].mean(axis=0)
    n = np.cross(points[0] - middle, points[len(points) // 4] - middle)
    n = n / max(float(np.linalg.norm(n)), 1e-300)
    vertices = np.vstack([points, middle])
    i = np.arange(len(points) - 1)
    triangles = np.stack([i, i + 1, np.full_like(i, len(points))], -1)
    return Mesh.of(vertices, np.tile(n, (len(vertices), 1)), triangles)


def coil(turns: int = 7, wire: float = 0.16) -> Mesh:
    """A spring from the origin to (0, 0, 1) of radius 1; it is stretched to its place."""
    s = np.linspace(0, 1, 20 * turns + 1)
    swell = np.minimum(1.0, 8 * np.minimum(s, 1 - s))
    a = 2 * np.pi * turns * s
    wound = np.column_stack([swell * np.cos(a), swell * np.sin(a), 0.1 + 0.8 * s])
    line = np.vstack([[0, 0, 0], [0, 0, 0.05], wound, [0, 0, 0.95], [0, 0, 1]])
    stretched = line * (1.0, 1.0, 12.0)  # as long as springs are, so that the wire is round
    made = tube(stretched, wire, 6)
    return Mesh(made.vertices / (1.0, 1.0, 12.0), made.normals, made.triangles, made.stripes)
