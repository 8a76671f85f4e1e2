"""The scene of a run: bodies with their meshes, poses over time, springs, arrows, contacts, curves. No painter is
imported here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from trundle.typing import Array, Json
from trundle.view.scene.mesh import Mesh

Colour = tuple[float, float, float]  # red, green, blue between 0 and 1


@final
@dataclass(frozen=True, eq=False)
class Item:
    """A mesh attached to a body."""

    body: int  # number of the body; 0 is the ground
    layer: str  # layer that can be switched on and off: bodies, surfaces, joints, track, frames
    colour: Colour
    mesh: Mesh
    opacity: float = 1.0
    hollow: bool = False  # seen only from outside of the material: a bowl one can look into
    shadow: bool = True


@final
@dataclass(frozen=True, eq=False)
class Spring:
    """A coil between points of two bodies."""

    name: str
    a: int
    pa: Array
    b: int
    pb: Array
    radius: float


@final
@dataclass(frozen=True, eq=False)
class Arrow:
    """A force over time: point of action and vector, both (times, 3), ground axes, m and N."""

    name: str
    layer: str  # "contact forces" or "reactions"
    colour: Colour
    points: Array
    vectors: Array


@final
@dataclass(frozen=True, eq=False)
class Point:
    """A point of a body (m, body axes), whose path can be shown."""

    name: str
    body: int
    at: Array


@final
@dataclass(frozen=True, eq=False)
class Contact:
    """Point of contact (times, 3), and 0 open, 1 sliding, 2 sticking, 3 a collision, 4 touching without friction, or
    rolling with creep (times,); empty for one that always holds.
    """

    name: str
    points: Array
    states: Array


@final
@dataclass(frozen=True, eq=False)
class Curve:
    """A quantity over time, with its own times."""

    name: str
    unit: str
    text: str
    t: Array
    y: Array


@final
@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that can be seen of one run. Positions in m in the ground, z up; times in s."""

    name: str
    time: Array  # (T,)
    bodies: tuple[str, ...]  # the ground is the first
    positions: Array  # (T, bodies, 3)
    quaternions: Array  # (T, bodies, 4): w, x, y, z, from body to ground axes
    coms: Array  # (bodies, 3) in body axes
    colours: tuple[Colour, ...]
    items: tuple[Item, ...]
    springs: tuple[Spring, ...]
    arrows: tuple[Arrow, ...]
    contacts: tuple[Contact, ...]
    frames: tuple[int, ...]  # moving frames, from which the scene can be viewed
    floor: float | None  # height of the grid on the ground
    size: float  # of the mechanism (m)
    detail: float  # the same, but less if all bodies are small: scale of pins, dots and axes (m)
    low: Array  # corners of the box in which it moves
    high: Array
    travels: bool  # whether it leaves the place where it started
    around: tuple[float, float]  # radius and half height of the upright cylinder about the middle that holds it (m)
    planar: tuple[float, float] | None  # azimuth and elevation (rad) from which a plane mechanism is seen face on
    ghosts: tuple[float, ...]  # times spread over the motion
    events: tuple[tuple[str, float], ...]
    points: tuple[Point, ...] = ()
    plots: tuple[Curve, ...] = ()
    chosen: tuple[str, ...] = ()  # names of the plots shown first
    longest: dict[str, float] = field(default_factory=dict)  # of the arrows of a layer (N)

    def frame_before(self, t: float) -> int:
        """Index of the last pose that is not later than a time."""
        return int(np.clip(np.searchsorted(self.time, t, side="right") - 1, 0, len(self.time) - 1))

    def poses(self, t: float) -> tuple[Array, Array]:
        """Positions (bodies, 3) and rotations (bodies, 3, 3) at a time, linear between samples."""
        i = self.frame_before(t)
        j = min(i + 1, len(self.time) - 1)
        step = self.time[j] - self.time[i]
        f = float(np.clip((t - self.time[i]) / step, 0, 1)) if step > 0 else 0.0
        q = (1 - f) * self.quaternions[i] + f * self.quaternions[j]
        return (1 - f) * self.positions[i] + f * self.positions[j], rotations(q)

    def middle(self, t: float) -> Array:
        """Mean of the mass centres of the bodies that are free to move (m)."""
        p, R = self.poses(t)
        coms = [p[i] + R[i] @ self.coms[i] for i in range(1, len(self.bodies)) if i not in self.frames]
        return np.mean(coms, axis=0) if coms else np.zeros(3)

    def extent_at(self, t: float) -> tuple[Array, Array]:
        """Corners of the box that holds bodies, joints, springs and surfaces at a time (m)."""
        p, R = self.poses(t)
        seen = [item for item in self.items if item.layer in ("bodies", "joints", "surfaces")]
        ends = [p[body] + R[body] @ at for s in self.springs for body, at in ((s.a, s.pa), (s.b, s.pb))]
        cloud = np.vstack([p[:1], *(p[item.body] + item.mesh.vertices @ R[item.body].T for item in seen), *ends])[1:]
        return (cloud.min(axis=0), cloud.max(axis=0)) if len(cloud) else (self.low, self.high)

    def outline_points(self) -> Array:
        """Points (n, 3) that a picture must include, relative to its middle: the corners of the box in which a machine
        moves, or the cylinder around one that travels (m).
        """
        if not self.travels:
            half = (self.high - self.low) / 2
            corners: Array = half * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
            return corners
        radius, height = self.around
        angles = np.arange(16) * np.pi / 8
        rim = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(16, height)])
        return np.vstack([rim, rim * (1, 1, -1)])

    def header(self) -> Json:
        """All fields except meshes, which are collected separately."""
        plain = {name: value for name, value in vars(self).items() if name != "items"}
        for name in ("springs", "arrows", "contacts", "points", "plots"):
            plain[name] = [vars(one) for one in plain[name]]
        meshes: dict[tuple[bytes, ...], tuple[int, Mesh]] = {}  # equal ones once, by their content
        numbers = [meshes.setdefault(item.mesh.content(), (len(meshes), item.mesh))[0] for item in self.items]
        plain["items"] = [{**vars(item), "mesh": number} for item, number in zip(self.items, numbers, strict=True)]
        plain["meshes"] = [vars(made) for _, made in meshes.values()]
        return plain


def rotations(q: Array) -> Array:
    """Matrices (n, 3, 3) of quaternions (n, 4) of any length."""
    w, x, y, z = (q / np.maximum(np.linalg.norm(q, axis=-1, keepdims=True), 1e-300)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def named(items: Sequence[str], wanted: str) -> int:
    """Index of a body."""
    return list(items).index(wanted)
