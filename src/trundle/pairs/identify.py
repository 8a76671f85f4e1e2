"""Identification of the surface swept by two screws, from its curvatures and the orbits of its points.

No curvature: a plane. One constant curvature: a cylinder. One variable curvature: a cone or a tangent surface, if the
ends of its lines coincide or not. Two equal curvatures: a sphere. Two of which one is constant: a tube about the orbit
of its centre, which is a circle (torus) or a helix (spiral column).
"""

from dataclasses import dataclass
from math import atan2, hypot
from typing import final

import numpy as np

from trundle.pairs.curvature import principal
from trundle.pairs.edge import CircleEdge, HelixEdge, LineEdge
from trundle.pairs.numeric import NumericScrew, NumericSweep
from trundle.pairs.surface import (
    Cone,
    Cylinder,
    Plane,
    Sphere,
    SpiralColumn,
    Surface,
    TangentSurface,
    Torus,
    winding_clearance,
)
from trundle.space.pose import Pose
from trundle.typing import Array


@final
@dataclass(frozen=True, eq=False)
class Found:
    """A surface with the pose of its frame, or None, and a description."""

    surface: Surface | None
    pose: Pose | None
    words: str


@final
@dataclass(frozen=True, eq=False)
class Orbit:
    """The helix on which a screw carries a point; a circle where `pitch` is zero, a line where `radius` is zero."""

    axis: Array
    centre: Array  # foot of the point on the axis
    radius: float
    pitch: float


def orbit(screw: NumericScrew, point: Array, tolerance: float) -> Orbit:
    """The orbit of a point, from curvature and torsion of its path."""
    v = screw.velocity(point)
    acceleration = screw.rate(v)
    speed, turning = float(np.linalg.norm(v)), np.cross(v, acceleration)
    rate = float(np.linalg.norm(turning))
    if rate <= tolerance * speed**2:
        return Orbit(v / speed, point, 0.0, 0.0)
    curvature = rate / speed**3
    torsion = float(turning @ screw.rate(acceleration)) / rate**2
    tangent, binormal = v / speed, turning / rate
    square = curvature**2 + torsion**2
    radius, pitch = curvature / square, torsion / square
    axis = (torsion * tangent + curvature * binormal) / np.sqrt(square)
    pitch = 0.0 if abs(pitch) <= tolerance * radius else pitch
    return Orbit(axis, point + radius * np.cross(binormal, tangent), radius, pitch)


def frame(origin: Array, y: Array, z: Array) -> Pose:
    """A pose with the given y axis, and with z as close to the given one as possible."""
    z = z - y * (y @ z)
    if np.linalg.norm(z) < 1e-9:
        z = np.cross(y, np.eye(3)[np.argmin(np.abs(y))])
    z = z / np.linalg.norm(z)
    return Pose.at([float(v) for v in origin], np.column_stack([np.cross(y, z), y, z]))


def identify(sweep: NumericSweep, b: Array, tolerance: float) -> Found:
    """The surface of a sweep that carries its normal; b are displacements at which it is examined."""
    area = np.abs(sweep.area(b))
    b = b[area >= 0.2 * np.max(area)]  # away from poles and apexes
    curvatures, directions = principal(sweep, np.zeros_like(b), b)
    curvatures = curvatures * sweep.size
    slight = np.argmin(np.abs(curvatures), axis=-1)[:, None]
    small = np.take_along_axis(curvatures, slight, -1)[:, 0]
    large = np.take_along_axis(curvatures, 1 - slight, -1)[:, 0]
    straight = directions[0, slight[0, 0]]
    patch = sweep.at(0.0, b)
    if np.max(np.abs(large)) < tolerance:
        along = max(patch.x_a[0], patch.x_b[0], key=lambda v: float(np.linalg.norm(v)))
        y = np.cross(sweep.normal, along / np.linalg.norm(along))
        return Found(Plane(), frame(sweep.point, y, sweep.normal), "a plane")
    if np.max(np.abs(small)) < tolerance:
        if np.ptp(large) < tolerance * np.max(np.abs(large)):
            centre = patch.point[0] - patch.normal[0] * sweep.size / large[0]
            return _cylinder(sweep, straight, centre)
        return _developable(sweep, straight, patch.point @ straight, sweep.size / large, patch.point[0], tolerance)
    lone, other = curvatures[0]
    wander = [float(np.max(np.min(np.abs(curvatures - k), axis=-1)) / abs(k)) for k in (lone, other)]
    tube = sweep.size / (lone if wander[0] <= wander[1] else other)
    centre = patch.point[0] - tube * patch.normal[0]
    if np.ptp(curvatures) < tolerance * abs(lone):
        radius = abs(float(tube))
        return Found(Sphere(radius), _ball(sweep, centre), f"a sphere of radius {radius:.6g}")
    return _tube(sweep, centre, abs(float(tube)), tolerance)


def _cylinder(sweep: NumericSweep, axis: Array, centre: Array) -> Found:
    axis = axis * (1.0 if axis @ (sweep.first.axis + 0.5 * sweep.second.axis) >= 0 else -1.0)
    foot = centre + axis * (axis @ (sweep.point - centre))
    radius = float(np.linalg.norm(sweep.point - foot))
    return Found(Cylinder(radius), frame(foot, axis, sweep.point - foot), f"a cylinder of radius {radius:.6g}")


def _ball(sweep: NumericSweep, centre: Array) -> Pose:
    """Frame with the point on top, and y as close to the first axis as possible."""
    z = sweep.point - centre
    z = z / np.linalg.norm(z)
    y = sweep.first.axis - z * (z @ sweep.first.axis)
    if np.linalg.norm(y) < 1e-9:
        y = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    return frame(centre, y / np.linalg.norm(y), z)


def _developable(sweep: NumericSweep, line: Array, along: Array, radii: Array, start: Array, tolerance: float) -> Found:
    """A cone or a tangent surface: the radius of curvature decreases to zero at the end of each of its lines."""
    first, last = int(np.argmin(along)), int(np.argmax(along))
    slope = (radii[last] - radii[first]) / (along[last] - along[first])
    end = start + line * (along[first] - radii[first] / slope - start @ line)
    reach = float(np.linalg.norm(sweep.point - end))
    if np.linalg.norm(sweep.first.velocity(end)) < tolerance * sweep.size:
        if reach < tolerance * sweep.size:
            return Found(None, None, "a cone, but the point is its apex, which has no normal; take another point")
        ring = orbit(sweep.first, sweep.point, tolerance)
        axis = ring.axis * (1.0 if ring.axis @ (sweep.point - end) > 0 else -1.0)
        angle = atan2(ring.radius, float(axis @ (sweep.point - end)))
        pose = frame(ring.centre, axis, sweep.point - ring.centre)
        return Found(Cone(ring.radius, angle), pose, f"a cone of half angle {angle:.6g} rad")
    helix = orbit(sweep.first, end, tolerance)
    words = f"the tangent surface of a helix of radius {helix.radius:.6g} and pitch {helix.pitch:.6g}"
    if reach < tolerance * sweep.size:
        return Found(
            None, None, f"{words}, but the point is on its cusp, which has no normal; take a point off the helix"
        )
    pose = frame(helix.centre, helix.axis, end - helix.centre)
    tangent = pose.R @ np.array([helix.radius, helix.pitch, 0.0]) / hypot(helix.radius, helix.pitch)
    signed = float(tangent @ (sweep.point - end))
    return Found(TangentSurface(helix.radius, helix.pitch, signed), pose, words)


def _tube(sweep: NumericSweep, centre: Array, tube: float, tolerance: float) -> Found:
    path = orbit(sweep.first, centre, tolerance)
    pose = frame(path.centre, path.axis, centre - path.centre)
    if path.pitch != 0:
        words = f"a spiral column: a tube of radius {tube:.6g} about a helix of radius {path.radius:.6g}"
        limit = path.radius + path.pitch**2 / path.radius
        if tube >= limit * (1 - tolerance):  # [Meijaard 2024, Eq. 19]: a <= r sin^2 alpha
            return Found(
                None,
                None,
                f"{words}, but it folds: its normals are singular, since the tube is not thinner than {limit:.6g}",
            )
        near = winding_clearance(path.radius, path.pitch)
        if 2 * tube >= near:
            return Found(None, None, f"{words}, but neighbouring windings, {near:.6g} apart, overlap")
        return Found(SpiralColumn(path.radius, path.pitch, tube), pose, f"{words} and pitch {path.pitch:.6g}")
    words = f"a torus: a tube of radius {tube:.6g} about a circle of radius {path.radius:.6g}"
    if tube >= path.radius * (1 - tolerance):
        radial = float(pose.R[:, 2] @ (sweep.point - path.centre))
        if radial <= tolerance * path.radius:
            return Found(
                None, None, f"{words}, but the point lies where the tube has crossed the axis: the sheet is folded"
            )
        words += "; its normals are singular where the tube meets the axis"
    return Found(Torus(path.radius + tube, tube), pose, words)


def identify_edge(screw: NumericScrew, point: Array, tolerance: float) -> Found:
    """The edge along the orbit of a point."""
    path = orbit(screw, point, tolerance)
    if path.radius == 0:
        line = frame(point, path.axis, np.eye(3)[np.argmin(np.abs(path.axis))])
        return Found(LineEdge(), line, "a straight edge")
    pose = frame(path.centre, path.axis, point - path.centre)
    if path.pitch == 0:
        return Found(CircleEdge(path.radius), pose, f"a circular edge of radius {path.radius:.6g}")
    words = f"a helical edge of radius {path.radius:.6g} and pitch {path.pitch:.6g}"
    return Found(HelixEdge(path.radius, path.pitch), pose, words)
