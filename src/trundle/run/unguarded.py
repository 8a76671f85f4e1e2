"""Warnings about drawn shapes that pass through the ground because there is no contact."""

from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np

from trundle.model.shape import Ball, Box, Capsule, Cylinder, Disc, Rod, Shape, Sphere
from trundle.pairs.higher import SurfacePair
from trundle.run.geometry import in_numbers
from trundle.space.rotation import axis_vector
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.run.run import Run

MOST = 101  # samples that are checked
DEEP = 0.1  # depth over the size of the shape from which it is reported: drawings are rough


@final
class _Floor(NamedTuple):
    """A plane at rest that something touches: a point and the normal, ground axes."""

    point: Array
    normal: Array


def unguarded(run: "Run") -> list[str]:
    """A sentence for every body whose drawn shape sinks through a plane of the ground that other contacts have."""
    f = run.formulation
    assert f is not None
    floors: list[_Floor] = []
    touching: dict[str, tuple[str, str]] = {}  # body -> its contact with a floor, and the surface that touches there
    for c in f.model.connections.values():
        if isinstance(c.pair, SurfacePair) and c.pair.first.flat and c.first.body.is_at_rest:
            point = np.array(in_numbers(f, run.parameters, c.first.position))
            normal = np.array(c.first.rotation[:, 2], dtype=float)
            touching.setdefault(c.second.body.name, (c.name, type(c.pair.second).__name__))
            if not any(abs(o.normal @ normal - 1) < 1e-9 and abs((o.point - point) @ normal) < 1e-9 for o in floors):
                floors.append(_Floor(point, normal))
    bodies = [body for body in f.model.free_bodies if body.shape]
    if not floors or not bodies:
        return []
    chosen = np.unique(np.linspace(0, len(run.time) - 1, MOST).astype(int))
    found = []
    for body in bodies:
        p = run.values(f"{body.name}.position")[chosen]
        R = run.values(f"{body.name}.rotation")[chosen].reshape(-1, 3, 3).transpose(0, 2, 1)  # stored by columns
        warned = False
        for shape, floor in ((shape, floor) for shape in body.shape for floor in floors):
            measured = None if warned else _lowest(shape, np.einsum("tji,j->ti", R, floor.normal))
            if measured is None:
                continue
            lowest, size = measured
            height = (p - floor.point) @ floor.normal + lowest
            under = np.flatnonzero(height < -DEEP * size)
            if len(under) and np.max(height) > -DEEP * size:  # one that is always below is meant to be there
                warned = True
                found.append(
                    f"The {type(shape).__name__} of body {body.name!r} passes through the ground from "
                    f"t = {run.time[chosen[under[0]]]:.6g} s on ({-height[under[0]]:.3g} m deep then): "
                    f"{_why(*touching.get(body.name, ('', '')))}"
                )
    return found


def _why(contact: str, surface: str) -> str:
    if not contact:
        return "there is no contact between them. Add one with m.contact(m.ground, body, tr.Coulomb(0.3))."
    return (
        f"contact {contact!r} is that of a {surface}, not of this shape. Give it the surface of the shape, or draw "
        "a shape that ends at the contact."
    )


def _lowest(shape: Shape, down: Array) -> tuple[Array, float] | None:
    """Height of the lowest point of a shape over the origin of its body along directions (n, 3) in body axes, and its
    size; None for shapes that are not solid.
    """
    if isinstance(shape, Box):
        half = np.array(shape.size, dtype=float) / 2
        return down @ np.array(shape.at, dtype=float) - np.abs(down) @ half, float(2 * np.max(half))
    if isinstance(shape, Ball | Sphere):
        return down @ np.array(shape.at, dtype=float) - float(shape.radius), 2 * float(shape.radius)
    if isinstance(shape, Cylinder | Capsule | Disc):
        length = float(shape.thickness if isinstance(shape, Disc) else shape.length)
        along, radius = np.abs(down @ axis_vector(shape.axis)), float(shape.radius)
        reach = radius if isinstance(shape, Capsule) else radius * np.sqrt(np.clip(1 - along**2, 0, 1))
        return down @ np.array(shape.at, dtype=float) - length / 2 * along - reach, max(2 * radius, length)
    if isinstance(shape, Rod):
        ends = np.array([shape.start, shape.end], dtype=float)
        return np.min(down @ ends.T, axis=1) - float(shape.radius), float(np.linalg.norm(ends[1] - ends[0]))
    return None
