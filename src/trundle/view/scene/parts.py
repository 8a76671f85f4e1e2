"""Meshes of a body: from its shapes, or from its joints, mass and inertia where it has none."""

from collections.abc import Callable, Mapping

import numpy as np

from trundle.typing import Array, Raw
from trundle.view.outline import around, distinct
from trundle.view.scene import mesh
from trundle.view.scene.mesh import Mesh

Shape = Mapping[str, Raw]

AXES = {"x": np.eye(3)[0], "y": np.eye(3)[1], "z": np.eye(3)[2]}


def body_meshes(body: Shape, size: float, has_surface: bool) -> list[Mesh]:
    """What is seen of a body of `run.geometry`; `size` is that of usual details (m)."""
    solid = [shape for shape in body["shapes"] if shape["kind"] in _SHAPES]
    if body["shapes"]:
        return [_SHAPES[shape["kind"]](shape, size) for shape in solid]
    return _from_joints(body, size, has_surface)


def _from_joints(body: Shape, size: float, has_surface: bool) -> list[Mesh]:
    """Bars from joint to joint, a plate where they span one; a box with the inertia of a body without arms."""
    joints, com = distinct(body["joints"]), np.array(body["com"], dtype=float)
    corners = distinct([*joints, com])
    radius = 0.012 * size
    if len(corners) == 1:
        return [] if has_surface or body.get("mass") == 0.0 else [_inertia_box(body, size)]
    if len(joints) <= 1:
        ends = [*joints, np.zeros(3)] if not len(joints) else [*joints]
        arms = [mesh.bar(p, com, radius) for p in ends if np.linalg.norm(p - com) > 1e-9]
        return [*arms, *([] if has_surface else [_inertia_box(body, size)])]
    ring = around(corners)
    if len(ring) == 2:
        return [mesh.bar(ring[0], ring[1], radius)]
    sides = [mesh.bar(ring[i - 1], ring[i], 0.7 * radius) for i in range(len(ring))]
    return [*sides, mesh.disc(np.vstack([ring, ring[:1]]))]


def _inertia_box(body: Shape, size: float) -> Mesh:
    """The homogeneous cuboid with the mass and inertia of the body; a ball for a point."""
    mass = float(body.get("mass", 0.0))
    matrix = np.array(body.get("inertia", [0.0] * 9), dtype=float).reshape(3, 3)
    com = np.array(body["com"], dtype=float)
    moments, axes = np.linalg.eigh((matrix + matrix.T) / 2)
    if not mass > 0 or not moments[-1] > 0:
        return mesh.sphere(0.03 * size, striped=True).moved(np.eye(3), com)
    square = 6.0 / mass * np.maximum(moments.sum() - 2 * moments, 0.0)
    sides = np.sqrt(square)
    if sides.max() < 0.02 * size:
        return mesh.sphere(0.03 * size, striped=True).moved(np.eye(3), com)
    sides = np.maximum(sides, 0.06 * sides.max())
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return mesh.box(sides).moved(axes, com)


def _axis(shape: Shape) -> Array:
    axis = shape["axis"]
    return mesh.axes_along(AXES[axis] if isinstance(axis, str) else axis)


def _disc(shape: Shape, size: float) -> Mesh:
    thick = float(shape.get("thickness") or 0.06 * float(shape["radius"]))
    thin = mesh.cylinder(float(shape["radius"]), thick, striped=True)
    return thin.moved(_axis(shape), shape["at"])


def _ball(shape: Shape, size: float) -> Mesh:
    return mesh.sphere(float(shape["radius"]) or 0.02 * size, striped=True).moved(np.eye(3), shape["at"])


def _mesh(shape: Shape, size: float) -> Mesh:
    """Flat triangles: each has corners of its own."""
    corners = np.array(shape["vertices"], dtype=float)[np.array(shape["triangles"], dtype=int)]
    n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    n = n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300)
    return Mesh.of(corners, np.repeat(n, 3, axis=0), np.arange(3 * len(corners)))


_SHAPES: dict[str, Callable[[Shape, float], Mesh]] = {
    "Rod": lambda shape, size: mesh.bar(shape["start"], shape["end"], shape.get("radius") or 0.012 * size),
    "Sphere": _ball,
    "Cylinder": lambda shape, size: mesh.cylinder(shape["radius"], shape["length"], striped=True).moved(
        _axis(shape), shape["at"]
    ),
    "Capsule": lambda shape, size: mesh.capsule(shape["radius"], shape["length"]).moved(_axis(shape), shape["at"]),
    "Mesh": _mesh,
    "Box": lambda shape, size: mesh.box(shape["size"], shape["at"]),
    "Disc": _disc,
    "Ball": _ball,
}
