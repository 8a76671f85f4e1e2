"""Warnings about drawn shapes that pass through the ground because there is no contact."""

from itertools import product
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np

from trundle.pairs.higher import SurfacePair
from trundle.run.geometry import in_numbers
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
        warned, shapes = False, [shape for shape in body.shape if not isinstance(shape, tuple)]
        for shape, floor in product(shapes, floors):
            measured = None if warned else shape.lowest(np.einsum("tji,j->ti", R, floor.normal))
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
