"""How shapes of bodies touch a plane: a box with its corners, a ball with its surface, a cylinder with rims and with
feet at its ends, a capsule with the balls at its ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.model.body import Frame
from trundle.model.flat_ends import Part, check_feet, flat_end, with_y_along
from trundle.model.shape import Ball, Box, Capsule, Cylinder, Disc, Rod, Shape, Sphere
from trundle.pairs.edge import CircleEdge, Vertex
from trundle.pairs.higher import HigherPair, SurfacePair
from trundle.pairs.planar import Circle, Line, PlanarPair
from trundle.pairs.surface import Plane
from trundle.pairs.surface import Sphere as SphereSurface
from trundle.space.rotation import Axis, axis_vector
from trundle.typing import Array


@final
@dataclass(frozen=True, eq=False)
class Touch:
    """A part of a shape that touches a plane: its name, the pair, and its place in the frame of the shape."""

    label: str
    pair: SurfacePair
    at: Array
    rotation: Array

    def frame(self, on: Frame) -> Frame:
        """The place on a body whose shape is seen in the frame `on`."""
        position = tuple(
            x + sum(float(r) * float(y) for r, y in zip(row, self.at, strict=True) if r)
            for x, row in zip(on.position, on.rotation, strict=True)
        )
        return Frame(on.body, position, on.rotation @ self.rotation)


def touches_of(name: str, frame: Frame, planar: bool, feet: int) -> list[Touch]:
    """All parts of the shapes of a body that touch a plane; in a plane of motion (x, z) only those in it. Flat ends
    stand on so many feet.
    """
    check_feet(name, feet)
    shapes = [shape for shape in frame.body.shape if not isinstance(shape, tuple)]
    if not shapes and frame.body.name == "ground":
        raise ModelError(f"contact {name!r}: the plane comes first, m.contact(m.ground, body), then what touches it.")
    if not shapes:
        raise ModelError(
            f"contact {name!r}: body {frame.body.name!r} has no shape to touch with. Give it one, "
            "m.body(..., shape=tr.shape.Box((0.2, 0.1, 0.1))), or name the points: m.connect_points(...)."
        )
    found: list[Touch] = []
    for k, shape in enumerate(shapes, start=1):
        prefix = f"{type(shape).__name__.lower()}_{k}_" if len(shapes) > 1 else ""
        parts = _in_plane(name, shape) if planar else _in_space(name, shape, feet)
        found += [Touch(prefix + label, pair, np.array(at, dtype=float), turn) for label, pair, at, turn in parts]
    return found


def _in_space(name: str, shape: Shape, feet: int) -> Iterator[Part]:
    corner = HigherPair(Plane(), Vertex())
    if isinstance(shape, Box):
        for i, way in enumerate(product((-0.5, 0.5), repeat=3), start=1):
            yield f"corner_{i}", corner, np.array(shape.at) + np.array(way) * np.array(shape.size), np.eye(3)
    elif isinstance(shape, Ball | Sphere):
        yield "ball", HigherPair(Plane(), SphereSurface(shape.radius)), shape.at, np.eye(3)
    elif isinstance(shape, Capsule):
        for i, end in enumerate(_ends(shape.at, shape.axis, shape.length), start=1):
            yield f"end_{i}", HigherPair(Plane(), SphereSurface(shape.radius)), end, np.eye(3)
    elif isinstance(shape, Cylinder) or (isinstance(shape, Disc) and shape.thickness > 0):
        length = shape.length if isinstance(shape, Cylinder) else shape.thickness
        for i, (end, side) in enumerate(zip(_ends(shape.at, shape.axis, length), (-1, 1), strict=True), start=1):
            yield from flat_end(f"rim_{i}", end, shape.axis, (side,), shape.radius, feet)
    elif isinstance(shape, Disc):
        yield from flat_end("rim", shape.at, shape.axis, (-1, 1), shape.radius, feet)
    elif isinstance(shape, Rod):
        along = np.array(shape.end, dtype=float) - np.array(shape.start, dtype=float)
        thick = HigherPair(Plane(), CircleEdge(shape.radius)) if shape.radius > 0 else corner
        turn = with_y_along(tuple(along)) if shape.radius > 0 else np.eye(3)
        for label, place in (("start", shape.start), ("end", shape.end)):
            yield label, thick, place, turn
    else:
        raise _cannot(name, shape)


def _in_plane(name: str, shape: Shape) -> Iterator[Part]:
    corner = PlanarPair(Line(), Vertex())
    if isinstance(shape, Box):
        x, _, z = shape.size
        for i, (a, b) in enumerate(product((-0.5, 0.5), repeat=2), start=1):
            yield f"corner_{i}", corner, np.array(shape.at) + np.array((a * x, 0, b * z)), np.eye(3)
    elif isinstance(shape, Ball | Sphere) or (isinstance(shape, Cylinder | Disc) and _is_across(shape.axis)):
        yield "rim", PlanarPair(Line(), Circle(shape.radius)), shape.at, np.eye(3)
    elif isinstance(shape, Rod) and shape.radius == 0:
        yield from (("start", corner, shape.start, np.eye(3)), ("end", corner, shape.end, np.eye(3)))
    elif isinstance(shape, Capsule) and not _is_across(shape.axis):
        for i, end in enumerate(_ends(shape.at, shape.axis, shape.length), start=1):
            yield f"end_{i}", PlanarPair(Line(), Circle(shape.radius)), end, np.eye(3)
    else:
        raise _cannot(name, shape, " in a plane")


def _cannot(name: str, shape: Shape, where: str = "") -> ModelError:
    return ModelError(
        f"contact {name!r}: contact of a {type(shape).__name__} with a plane{where} is not supported; boxes, balls, "
        f"spheres, cylinders, discs, capsules and rods are. Connect its points, m.connect_points(...), or its surface, "
        "m.connect(tr.HigherPair(tr.Plane(), surface), ...)."
    )


def _direction(axis: Axis) -> Array:
    return axis_vector(axis)


def _is_across(axis: Axis) -> bool:
    """Along y: across the plane of motion."""
    return bool(abs(_direction(axis)[1]) > 1 - 1e-12)


def _ends(at: ArrayLike, axis: Axis, length: float) -> list[Array]:
    half = _direction(axis) * float(length) / 2
    return [np.array(at, dtype=float) - half, np.array(at, dtype=float) + half]
