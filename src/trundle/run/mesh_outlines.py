"""Gear wheels, racks and belts as lines in body axes: what pictures show of meshes.

Teeth have a simple form and engage as they do at the first sample; their number is that of the ratio, or a few times as
many. A wheel in several meshes keeps its teeth. A ratio that is not one of whole numbers is shown by its pitch circles.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, pi
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.model.connection import ConnectedPair
from trundle.pairs.belt import Belt
from trundle.pairs.bevel import BevelGear
from trundle.pairs.gear import Gear
from trundle.pairs.mesh import Mesh, integer_ratio
from trundle.pairs.rack import RackAndPinion
from trundle.run.geometry import in_numbers
from trundle.run.poses import pose
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.run.run import Run

LEAST, MOST = 12, 400  # teeth of a wheel that is drawn with teeth
PROFILE = ((-0.34, -1.25), (-0.16, 1.0), (0.16, 1.0), (0.34, -1.25))  # place in the pitch, height in modules


@final
@dataclass(frozen=True, eq=False)
class Side:
    """One wheel of a mesh at the first sample: place, axes (z along its own), and its pose over the run."""

    body: str
    p: Array  # (times, 3)
    R: Array  # (times, 3, 3), axes of the body
    at: Array  # centre in body axes
    axes: Array  # axes of the mesh in body axes, as columns

    @property
    def centre(self) -> Array:
        """In the ground, over time."""
        return self.p + self.R @ self.at

    @property
    def z(self) -> Array:
        """Axis in the ground at the first sample."""
        return np.asarray(self.R[0] @ self.axes[:, 2])

    def own(self, points: Array) -> Array:
        """Points of the ground at the first sample, in body axes."""
        return np.asarray((points - self.p[0]) @ self.R[0])


Teeth = dict[tuple[str, int], float]  # body and number -> by how much its teeth are turned in body axes


def mesh_outlines(run: "Run", f: Formulation) -> Iterator[tuple[str, str, str, Array]]:
    """Body, connection, class and points (n, 3) of every line."""
    known: Teeth = {}
    for c in f.model.connections.values():
        if isinstance(c.pair, Mesh):
            for body, points in _lines(run, f, c, known):
                yield body, c.name, type(c.pair).__name__, points


def _lines(run: "Run", f: Formulation, c: ConnectedPair, known: Teeth) -> Iterator[tuple[str, Array]]:
    pair = c.pair
    sides = []
    for frame in (c.first, c.second):
        p, R = pose(run, frame.body)
        at = np.array(in_numbers(f, run.parameters, frame.position))
        sides.append(Side(frame.body.name, p, R, at, frame.rotation @ pair.frame()))
    first, second = sides
    pole = run.values(f"{c.name}.contact_point")
    if not np.all(np.isfinite(pole[0])):
        return
    if isinstance(pair, Belt):
        radii = in_numbers(f, run.parameters, [pair.first_radius, pair.second_radius])
        yield from _belt(first, second, radii, pair.side)
    elif isinstance(pair, RackAndPinion):
        yield from _rack(first, second, pole)
    elif isinstance(pair, Gear | BevelGear):
        (ratio,) = in_numbers(f, run.parameters, [pair.ratio])
        yield from _wheels(first, second, pole[0], ratio, isinstance(pair, Gear) and ratio > 0, known)


def _wheels(
    first: Side, second: Side, pole: Array, ratio: float, ring: bool, known: Teeth
) -> Iterator[tuple[str, Array]]:
    """Two wheels that engage at the pole: where one has a tooth the other has a gap."""
    found = integer_ratio(ratio)
    teeth = (0, 0)
    if found is not None:
        p, q = abs(found[0]), found[1]
        times = ceil(LEAST / min(p, q))
        teeth = (times * p, times * q) if times * max(p, q) <= MOST else (0, 0)
    wheels = [_Wheel.of(side, pole, count) for side, count in zip((first, second), teeth, strict=True)]
    if all(teeth):
        keys = [(side.body, count) for side, count in zip((first, second), teeth, strict=True)]
        sense = float(np.sign(np.dot(np.cross(wheels[0].z, wheels[0].out), np.cross(wheels[1].z, wheels[1].out))))
        if keys[1] in known and keys[0] not in known:  # from the second to the first
            ahead = _offset(known[keys[1]] - wheels[1].angle(second), teeth[1]) + pi / teeth[1]
            known[keys[0]] = wheels[0].angle(first) + sense * ahead * teeth[1] / teeth[0]
        turned = known.setdefault(keys[0], wheels[0].angle(first))
        ahead = _offset(turned - wheels[0].angle(first), teeth[0])
        known.setdefault(keys[1], wheels[1].angle(second) + sense * ahead * teeth[0] / teeth[1] + pi / teeth[1])
        phases = [known[key] for key in keys]
    else:
        phases = [0.0, 0.0]
    hollow = [ring and wheel.radius > other.radius for wheel, other in zip(wheels, wheels[::-1], strict=True)]
    for wheel, side, phase, inward in zip(wheels, (first, second), phases, hollow, strict=True):
        yield side.body, wheel.outline(side, phase, inward)


def _offset(angle: float, teeth: int) -> float:
    """From the nearest tooth."""
    pitch = 2 * pi / teeth
    return (angle + pitch / 2) % pitch - pitch / 2


@final
@dataclass(frozen=True, eq=False)
class _Wheel:
    """Pitch circle of a wheel in the ground at the first sample."""

    middle: Array
    z: Array
    out: Array  # unit vector to the pole
    radius: float
    teeth: int

    @staticmethod
    def of(side: Side, pole: Array, teeth: int) -> "_Wheel":
        centre, z = side.centre[0], side.z
        arm = pole - centre
        middle = centre + z * float(arm @ z)
        radius = float(np.linalg.norm(pole - middle))
        return _Wheel(middle, z, (pole - middle) / radius, radius, teeth)

    def angle(self, side: Side) -> float:
        """Of the pole, in body axes about the axis of the wheel."""
        x, y, _ = (side.R[0] @ side.axes).T
        return float(np.arctan2(self.out @ y, self.out @ x))

    def outline(self, side: Side, phase: float, inward: bool) -> Array:
        """Closed line in body axes."""
        angles, heights = np.linspace(0.0, 2 * pi, 73), np.zeros(73)
        if self.teeth:
            places, up = np.array(PROFILE).T
            pitch = 2 * pi / self.teeth
            angles = (phase + pitch * (np.arange(self.teeth)[:, None] + places)).ravel()
            heights = np.tile(up, self.teeth) * 2 * self.radius / self.teeth
            angles, heights = np.append(angles, angles[0] + 2 * pi), np.append(heights, heights[0])
        around = self.radius + (-heights if inward else heights)
        middle = side.own(self.middle[None])
        x, y = side.axes[:, 0], side.axes[:, 1]
        rim = np.cos(angles)[:, None] * x + np.sin(angles)[:, None] * y
        return np.asarray(middle + around[:, None] * rim)


def _rack(first: Side, second: Side, pole: Array) -> Iterator[tuple[str, Array]]:
    """A pinion of eighteen teeth, and the rack as far as the pinion rolls on it."""
    wheel = _Wheel.of(first, pole[0], 18)
    phase = wheel.angle(first)
    yield first.body, wheel.outline(first, phase, False)
    touched = np.einsum("tji,tj->ti", second.R, pole - second.p)  # in the axes of the rack
    x, across = second.axes[:, 0], second.own(wheel.middle[None])[0] - touched[0]
    across = across / np.linalg.norm(across)
    pitch = 2 * pi * wheel.radius / wheel.teeth
    way = (touched - touched[0]) @ x
    low, high = (round((end + s * 1.5 * wheel.radius) / pitch) for end, s in ((way.min(), -1), (way.max(), 1)))
    places, up = np.array(PROFILE).T
    along = (pitch * (np.arange(low, high + 1)[:, None] + 0.5 + places)).ravel()
    heights = np.tile(up, high - low + 1) * 2 * wheel.radius / wheel.teeth
    yield second.body, touched[0] + along[:, None] * x + heights[:, None] * across


def _belt(first: Side, second: Side, radii: list[float], side: float) -> Iterator[tuple[str, Array]]:
    """Both pulleys, and the belt where their centres stay in the ground."""
    for one, radius in zip((first, second), radii, strict=True):
        angle = np.linspace(0, 2 * pi, 73)
        x, y = one.axes[:, 0], one.axes[:, 1]
        yield one.body, one.at + radius * (np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y)
    centres = [one.centre for one in (first, second)]
    if any(float(np.max(np.ptp(centre, axis=0))) > 1e-9 * sum(radii) for centre in centres):
        return
    z, d = first.z, centres[1][0] - centres[0][0]
    d = d - z * float(d @ z)
    distance = float(np.linalg.norm(d))
    c = d / distance
    n = np.cross(z, c)
    lean = np.arccos(np.clip((radii[0] - side * radii[1]) / distance, -1, 1))  # from c to where the strand leaves
    around = np.linspace(lean, 2 * pi - lean, 49)
    back = np.linspace(-lean, lean, 49) if side > 0 else np.linspace(pi + lean, pi - lean, 49)[::-1]
    if side < 0:
        back = np.linspace(lean - pi, pi - lean, 49)[::-1]
    arcs = [
        centre[0] + radius * (np.cos(a)[:, None] * c + np.sin(a)[:, None] * n)
        for centre, radius, a in zip(centres, radii, (around, back), strict=True)
    ]
    loop = np.vstack([*arcs, arcs[0][:1]])
    yield "ground", loop
