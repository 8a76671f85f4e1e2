"""The outline of a body: lines, faces and dots in body axes, from its shapes or, without any, from its joints."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from trundle.typing import Array, Raw

Shape = Mapping[str, Raw]  # of the picture of a run: its kind, place and sizes

Points = Array  # (number, 3), m


@final
@dataclass(frozen=True, eq=False)
class Outline:
    """Pieces of a body in body axes."""

    lines: tuple[Points, ...] = ()  # drawn as bars
    faces: tuple[Points, ...] = ()  # filled polygons
    edges: tuple[Points, ...] = ()  # thin lines
    balls: tuple[tuple[Points, float], ...] = ()  # centre (1, 3) and radius
    joints: Points = field(default_factory=lambda: np.zeros((0, 3)))

    def points(self) -> Points:
        """All corners, for the extent of the picture."""
        corners = [c + s * r * np.eye(3) for c, r in self.balls for s in (-1.0, 1.0)]
        return np.vstack([np.zeros((0, 3)), *self.lines, *self.faces, *self.edges, *corners, self.joints])


def outline(body: Shape) -> Outline:
    """Outline of a body of `run.geometry`."""
    joints = distinct(body["joints"])
    if not body["shapes"]:
        return _skeleton(joints, np.array(body["com"], dtype=float))
    pieces = [_SHAPES[shape["kind"]](shape) for shape in body["shapes"]]
    return Outline(
        tuple(line for piece in pieces for line in piece.lines),
        tuple(face for piece in pieces for face in piece.faces),
        tuple(edge for piece in pieces for edge in piece.edges),
        tuple(ball for piece in pieces for ball in piece.balls),
        joints,
    )


def with_grid(body: Outline, grid: Points, hidden: bool) -> Outline:
    """The outline of a body and some lines of a surface on it, given as a grid (n, m, 3); `hidden` adds none."""
    if hidden:
        return body
    n, m = grid.shape[:2]
    lines = [grid[:, k] for k in range(0, m, max(1, m // 4))] if n > 1 else []
    lines += [grid[k] for k in range(0, n, max(1, n // 8))] if m > 1 else []
    if n == m == 1:  # a foot, on its leg
        lines = [np.vstack([grid[0], np.zeros((1, 3))])]
    return replace(body, edges=(*body.edges, *lines))


def _skeleton(joints: Points, com: Points) -> Outline:
    """Bars between neighbouring joints; a face where joints and mass centre span one."""
    corners = distinct([*joints, com])
    if len(corners) == 1:
        return Outline(balls=((corners, 0.0),), joints=joints)
    if len(joints) == 1:
        return Outline(lines=(corners,), balls=((com[None, :], 0.0),), joints=joints)
    ring = around(corners)
    if len(ring) == 2:
        return Outline(lines=(ring,), joints=joints)
    return Outline(lines=tuple(ring[[i, i - 1]] for i in range(len(ring))), faces=(ring,), joints=joints)


def around(corners: Points) -> Points:
    """Corners in their order around the middle, seen along the direction in which they spread least; of those on one
    line both ends.
    """
    middle = corners - corners.mean(axis=0)
    _, spread, axes = np.linalg.svd(middle)
    if spread[1] < 0.05 * spread[0]:
        along = (corners - corners[0]) @ (corners[1] - corners[0])
        return corners[[np.argmin(along), np.argmax(along)]]
    flat = middle @ axes[:2].T
    return corners[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))]


def distinct(points: Sequence[ArrayLike]) -> Points:
    """Points (n, 3) without duplicates."""
    found: list[Points] = []
    for point in (np.array(p, dtype=float) for p in points):
        if all(np.linalg.norm(point - other) > 1e-9 for other in found):
            found.append(point)
    return np.array(found).reshape(-1, 3)


def _rod(shape: Shape) -> Outline:
    return Outline(lines=(np.array([shape["start"], shape["end"]], dtype=float),))


def _box(shape: Shape) -> Outline:
    half = np.array(shape["size"], dtype=float) / 2
    at = np.array(shape["at"], dtype=float)
    faces = []
    for axis, side in product(range(3), (-1.0, 1.0)):
        a, b = [i for i in range(3) if i != axis]
        face = np.zeros((4, 3))
        face[:, axis] = side
        face[:, a], face[:, b] = (-1, 1, 1, -1), (-1, -1, 1, 1)
        faces.append(at + face * half)
    return Outline(faces=tuple(faces))


def _disc(shape: Shape) -> Outline:
    """Rim and face, with spokes that show the turning."""
    axis = "xyz".index(shape["axis"])
    a, b = (axis + 1) % 3, (axis + 2) % 3
    angle = np.linspace(0, 2 * np.pi, 61)
    rim = np.zeros((61, 3))
    rim[:, a], rim[:, b] = shape["radius"] * np.cos(angle), shape["radius"] * np.sin(angle)
    rim += np.array(shape["at"], dtype=float)
    return Outline(faces=(rim,), edges=(rim[[0, 30]], rim[[15, 45]]))


def _ball(shape: Shape) -> Outline:
    return Outline(balls=((np.array([shape["at"]], dtype=float), float(shape["radius"])),))


def _round(shape: Shape) -> Outline:
    """A cylinder or capsule: both rims and four lines between them."""
    axis = shape["axis"]
    e = np.eye(3)["xyz".index(axis)] if isinstance(axis, str) else np.array(axis, dtype=float)
    e = e / np.linalg.norm(e)
    side = np.cross(e, np.eye(3)[np.argmin(np.abs(e))])
    side /= np.linalg.norm(side)
    angle = np.linspace(0, 2 * np.pi, 41)
    rim = shape["radius"] * (np.cos(angle)[:, None] * side + np.sin(angle)[:, None] * np.cross(e, side))
    ends = [np.array(shape["at"], dtype=float) + s * shape["length"] / 2 * e for s in (-1.0, 1.0)]
    lines = tuple(np.array([end + rim[k] for end in ends]) for k in (0, 10, 20, 30))
    return Outline(faces=tuple(end + rim for end in ends), edges=lines)


def _mesh(shape: Shape) -> Outline:
    """Edges of at most some hundred triangles."""
    corners = np.array(shape["vertices"], dtype=float)[np.array(shape["triangles"], dtype=int)]
    return Outline(edges=tuple(corners[:: max(1, len(corners) // 300)]))


_SHAPES: dict[str, Callable[[Shape], Outline]] = {
    "Rod": _rod,
    "Box": _box,
    "Disc": _disc,
    "Ball": _ball,
    "Sphere": _ball,
    "Cylinder": _round,
    "Capsule": _round,
    "Mesh": _mesh,
    "Rails": lambda shape: Outline(),
}


def coil(start: Points, end: Points, radius: float) -> Points:
    """A helical spring between two points, with straight ends."""
    axis = end - start
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        return np.array([start, end])
    e = axis / length
    side = np.cross(e, np.eye(3)[np.argmin(np.abs(e))])
    side /= np.linalg.norm(side)
    turns = 7
    s = np.linspace(0, 1, 24 * turns + 1)
    angle = 2 * np.pi * turns * s
    swell = radius * np.minimum(1.0, 8 * np.minimum(s, 1 - s))
    round_about = np.cos(angle)[:, None] * np.cross(e, side) + np.sin(angle)[:, None] * side
    wound: Points = start + (0.12 + 0.76 * s)[:, None] * axis + swell[:, None] * round_about
    return np.vstack([start, wound, end])
