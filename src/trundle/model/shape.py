"""Shapes of bodies: for pictures, with a density for mass, centre and inertia, and for `Model.contact`: a box touches a
plane with its corners, a ball with its surface, a cylinder with rims and with feet at its ends, a capsule with the
balls at its ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import pi
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.messages.arguments import advised_class, explain_module_calls, unknown_name
from trundle.model.flat_ends import Part, flat_end, with_y_along
from trundle.pairs.edge import CircleEdge, Vertex
from trundle.pairs.higher import HigherPair
from trundle.pairs.planar import Circle, Line, PlanarPair
from trundle.pairs.surface import Plane
from trundle.pairs.surface import Sphere as SphereSurface
from trundle.space.rotation import axis_vector
from trundle.typing import Array, Given, Untyped

Point = tuple[float, float, float]
AxisName = Literal["x", "y", "z"]
_ELSEWHERE = {
    **dict.fromkeys(("Cube", "Cuboid"), "write tr.shape.Box((0.1, 0.1, 0.1))"),
    "Plane": "the ground needs no shape; surfaces of contacts are tr.Plane(), tr.Sphere(radius), ...",
    **dict.fromkeys(("Line", "Bar", "Link"), "write tr.shape.Rod((0, 0, 0), (0, 0, -1))"),
}
Volume = tuple[float, Array, Array]  # m^3, its middle (m), its moments about the middle (m^5), body axes


@dataclass(frozen=True)
class Drawn:
    """Base of all shapes: it touches nothing unless its class says how."""

    def on_plane(self, feet: int) -> Iterator[Part]:
        """Its parts that touch a plane; flat ends stand on so many feet."""
        return iter(())

    def on_line(self) -> Iterator[Part]:
        """Its parts that touch a line, for motion in the x, z plane."""
        return iter(())

    def lowest(self, down: Array) -> tuple[Array, float] | None:
        """Height of its lowest point over the origin of the body along directions (n, 3) in body axes, and its size."""
        return None


@dataclass(frozen=True)
class Solid(Drawn):
    """Base of the shapes given by a few sizes; invalid ones are refused when the shape is made."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            reason = _fault(name, value)
            if reason:
                raise ModelError(f"shape {type(self).__name__}: {name}={value!r}: {reason}")


@final
@dataclass(frozen=True)
class Rod(Solid):
    """Straight bar between two points of the body; without a radius it has no volume."""

    start: Point
    end: Point
    radius: float = 0.0

    def volume(self) -> Volume:
        a, b = np.array(self.start, dtype=float), np.array(self.end, dtype=float)
        size = float(np.linalg.norm(b - a))
        return _about_axis(_cylinder(self.radius, size), b - a, (a + b) / 2)

    def on_plane(self, feet: int) -> Iterator[Part]:
        pair, turn = HigherPair(Plane(), Vertex()), np.eye(3)
        if self.radius > 0:
            along = np.array(self.end, dtype=float) - np.array(self.start, dtype=float)
            pair, turn = HigherPair(Plane(), CircleEdge(self.radius)), with_y_along(tuple(along))
        for label, place in (("start", self.start), ("end", self.end)):
            yield label, pair, place, turn

    def on_line(self) -> Iterator[Part]:
        if self.radius == 0:
            for label, place in (("start", self.start), ("end", self.end)):
                yield label, PlanarPair(Line(), Vertex()), place, np.eye(3)

    def lowest(self, down: Array) -> tuple[Array, float]:
        ends = np.array([self.start, self.end], dtype=float)
        return np.min(down @ ends.T, axis=1) - float(self.radius), float(np.linalg.norm(ends[1] - ends[0]))


@final
@advised_class("the three edges are one argument, Box((0.3, 0.2, 0.1))")
@dataclass(frozen=True)
class Box(Solid):
    """Cuboid with edges along the body axes."""

    size: Point
    at: Point = (0.0, 0.0, 0.0)

    def volume(self) -> Volume:
        x, y, z = (float(v) for v in self.size)
        content = x * y * z
        moments = content / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
        return content, np.array(self.at, dtype=float), moments

    def on_plane(self, feet: int) -> Iterator[Part]:
        for i, way in enumerate(product((-0.5, 0.5), repeat=3), start=1):
            place = np.array(self.at) + np.array(way) * np.array(self.size)
            yield f"corner_{i}", HigherPair(Plane(), Vertex()), place, np.eye(3)

    def on_line(self) -> Iterator[Part]:
        x, _, z = self.size
        for i, (a, b) in enumerate(product((-0.5, 0.5), repeat=2), start=1):
            yield (
                f"corner_{i}",
                PlanarPair(Line(), Vertex()),
                np.array(self.at) + np.array((a * x, 0, b * z)),
                np.eye(3),
            )

    def lowest(self, down: Array) -> tuple[Array, float]:
        half = np.array(self.size, dtype=float) / 2
        return down @ np.array(self.at, dtype=float) - np.abs(down) @ half, float(2 * np.max(half))


@final
@dataclass(frozen=True)
class Disc(Solid):
    """Circle of the given radius about an axis of the body; without a thickness it has no volume."""

    radius: float
    axis: AxisName = "y"
    at: Point = (0.0, 0.0, 0.0)
    thickness: float = 0.0

    def volume(self) -> Volume:
        return _about_axis(_cylinder(self.radius, self.thickness), self.axis, self.at)

    def on_plane(self, feet: int) -> Iterator[Part]:
        if self.thickness > 0:
            return _rims(self, self.thickness, feet)
        return flat_end("rim", self.at, self.axis, (-1, 1), self.radius, feet)

    def on_line(self) -> Iterator[Part]:
        return _rim_across(self)

    def lowest(self, down: Array) -> tuple[Array, float]:
        return _lowest_rim(self, float(self.thickness), down)


@dataclass(frozen=True)
class Round(Solid):
    """Base of the two shapes that are round all over."""

    radius: float
    at: Point = (0.0, 0.0, 0.0)

    def volume(self) -> Volume:
        content = 4 / 3 * pi * float(self.radius) ** 3
        return content, np.array(self.at, dtype=float), 0.4 * content * float(self.radius) ** 2 * np.eye(3)

    def on_plane(self, feet: int) -> Iterator[Part]:
        yield "ball", HigherPair(Plane(), SphereSurface(self.radius)), self.at, np.eye(3)

    def on_line(self) -> Iterator[Part]:
        yield "rim", PlanarPair(Line(), Circle(self.radius)), self.at, np.eye(3)

    def lowest(self, down: Array) -> tuple[Array, float]:
        return down @ np.array(self.at, dtype=float) - float(self.radius), 2 * float(self.radius)


@final
@dataclass(frozen=True)
class Ball(Round):
    """Point mass drawn as a dot; with a density a solid ball."""


@final
@dataclass(frozen=True)
class Sphere(Round):
    """Solid ball."""


@final
@advised_class("write Cylinder(radius, length)", height="write length=0.3")
@dataclass(frozen=True)
class Cylinder(Solid):
    """Round cylinder with its middle at `at`, about an axis: "x", "y", "z" or a direction."""

    radius: float
    length: float
    axis: AxisName | Point = "z"
    at: Point = (0.0, 0.0, 0.0)

    def volume(self) -> Volume:
        return _about_axis(_cylinder(self.radius, self.length), self.axis, self.at)

    def on_plane(self, feet: int) -> Iterator[Part]:
        return _rims(self, self.length, feet)

    def on_line(self) -> Iterator[Part]:
        return _rim_across(self)

    def lowest(self, down: Array) -> tuple[Array, float]:
        return _lowest_rim(self, float(self.length), down)


@final
@dataclass(frozen=True)
class Capsule(Solid):
    """Cylinder with round ends; `length` is that of the cylinder between them."""

    radius: float
    length: float
    axis: AxisName | Point = "z"
    at: Point = (0.0, 0.0, 0.0)

    def volume(self) -> Volume:
        r, h = float(self.radius), float(self.length)
        content, along, across = _cylinder(r, h)
        caps = 4 / 3 * pi * r**3  # both half balls; their middles stand 3/8 r beyond the ends of the cylinder
        along += 0.4 * caps * r**2
        across += caps * (0.4 * r**2 + h**2 / 4 + 3 / 8 * h * r)
        return _about_axis((content + caps, along, across), self.axis, self.at)

    def on_plane(self, feet: int) -> Iterator[Part]:
        for i, end in enumerate(_ends(self.at, self.axis, self.length), start=1):
            yield f"end_{i}", HigherPair(Plane(), SphereSurface(self.radius)), end, np.eye(3)

    def on_line(self) -> Iterator[Part]:
        if not _is_across(self.axis):
            for i, end in enumerate(_ends(self.at, self.axis, self.length), start=1):
                yield f"end_{i}", PlanarPair(Line(), Circle(self.radius)), end, np.eye(3)

    def lowest(self, down: Array) -> tuple[Array, float]:
        ends, radius = np.array(_ends(self.at, self.axis, self.length)), float(self.radius)
        return np.min(down @ ends.T, axis=1) - radius, max(2 * radius, float(self.length))


@final
@dataclass(frozen=True)
class Mesh(Drawn):
    """Triangles: corners (m, body axes) and their numbers, three for each; `tr.shape.read_mesh` reads a file."""

    vertices: tuple[Point, ...]
    triangles: tuple[tuple[int, int, int], ...]

    def volume(self) -> Volume:
        solid = _trimesh().Trimesh(self.vertices, self.triangles, process=True)
        if not solid.is_watertight:
            raise ModelError(
                "a mesh with holes has no volume: close it (trimesh.repair.fill_holes), or give mass and inertia."
            )
        if solid.volume < 0:
            solid.invert()
        return float(solid.volume), np.array(solid.center_mass), np.array(solid.moment_inertia)


@final
@dataclass(frozen=True)
class Rails(Solid):
    """Two rails and their sleepers along the path of a moving frame, `gauge` (m) apart; y is across, z is up."""

    gauge: float = 1.5

    def volume(self) -> Volume:
        return 0.0, np.zeros(3), np.zeros((3, 3))


Shape = Rod | Box | Disc | Ball | Sphere | Cylinder | Capsule | Mesh | Rails


def read_mesh(path: str | Path, scale: float = 1.0) -> Mesh:
    """A mesh from a file (STL, OBJ, PLY, GLB, ...), by trimesh.

    Parameters
    ----------
    path : str or Path
    scale : float
        Metres for a unit of the file: 0.001 for one in millimetres.

    Returns
    -------
    Mesh
    """
    if not Path(path).is_file():
        raise ModelError(f"cannot read the mesh {path}: there is no such file.")
    try:
        found = _trimesh().load_mesh(str(path))
    except ModelError:
        raise
    except Exception as error:  # readers of many formats fail in many ways
        raise ModelError(f"cannot read the mesh {path}: {error}") from error
    corners = np.asarray(found.vertices, dtype=float) * scale
    if not len(found.faces) or not np.all(np.isfinite(corners)):
        raise ModelError(f"cannot read the mesh {path}: it has no triangles, or corners that are not finite.")
    rows = tuple((int(a), int(b), int(c)) for a, b, c in found.faces)
    return Mesh(tuple((float(x), float(y), float(z)) for x, y, z in corners), rows)


def _fault(name: str, value: Given) -> str | None:
    """What is wrong with a field of a shape; None if it is valid."""
    if name == "axis":
        if isinstance(value, str):
            return None if value in ("x", "y", "z") else 'give "x", "y", "z" or a direction (1, 0, 0).'
        return _fault("at", value) or (None if any(value) else "a direction has a length; give (0, 0, 1) or so.")
    shape, what = ((3,), "three numbers (m)") if name in ("start", "end", "at", "size") else ((), "one number (m)")
    if any(isinstance(part, ca.SX) for part in (value if isinstance(value, list | tuple) else (value,))):
        return f"give {what}: a shape stays as it is drawn and cannot follow a parameter or a signal."
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return f"give {what}."
    if numbers.shape != shape or not np.all(np.isfinite(numbers)):
        return f"give {what}."
    if name not in ("start", "end", "at") and np.any(numbers < 0):
        return "a size cannot be negative."
    return None


def _trimesh() -> Untyped:
    try:
        import trimesh
    except ImportError as error:
        raise ModelError("meshes need trimesh. Install it with: pip install 'trundle[view]'") from error
    return trimesh


def _cylinder(radius: float, length: float) -> tuple[float, float, float]:
    """Volume, moment along the axis, moments across it."""
    content = pi * float(radius) ** 2 * float(length)
    return content, content * float(radius) ** 2 / 2, content * (3 * float(radius) ** 2 + float(length) ** 2) / 12


def _about_axis(moments: tuple[float, float, float], axis: object, at: object) -> Volume:
    content, along, across = moments
    e = np.eye(3)["xyz".index(axis)] if isinstance(axis, str) else np.array(axis, dtype=float)
    length = float(np.linalg.norm(e))
    if not length > 0:
        raise ModelError(f"the axis of a shape must be a direction, got {axis!r}.")
    e = e / length
    return content, np.array(at, dtype=float), across * np.eye(3) + (along - across) * np.outer(e, e)


def _is_across(axis: AxisName | Point) -> bool:
    """Along y: across the plane of motion."""
    return bool(abs(axis_vector(axis)[1]) > 1 - 1e-12)


def _ends(at: Point, axis: AxisName | Point, length: float) -> list[Array]:
    half = axis_vector(axis) * float(length) / 2
    return [np.array(at, dtype=float) - half, np.array(at, dtype=float) + half]


def _rims(shape: Cylinder | Disc, length: float, feet: int) -> Iterator[Part]:
    for i, (end, side) in enumerate(zip(_ends(shape.at, shape.axis, length), (-1, 1), strict=True), start=1):
        yield from flat_end(f"rim_{i}", end, shape.axis, (side,), shape.radius, feet)


def _rim_across(shape: Cylinder | Disc) -> Iterator[Part]:
    if _is_across(shape.axis):
        yield "rim", PlanarPair(Line(), Circle(shape.radius)), shape.at, np.eye(3)


def _lowest_rim(shape: Cylinder | Disc, length: float, down: Array) -> tuple[Array, float]:
    along, radius = np.abs(down @ axis_vector(shape.axis)), float(shape.radius)
    reach = radius * np.sqrt(np.clip(1 - along**2, 0, 1))
    return down @ np.array(shape.at, dtype=float) - length / 2 * along - reach, max(2 * radius, length)


NAMES = ["Ball", "Box", "Capsule", "Cylinder", "Disc", "Mesh", "Rails", "Rod", "Sphere", "read_mesh"]
explain_module_calls(globals(), NAMES)

if not TYPE_CHECKING:  # a checker shall not take every name for one of this module

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name("trundle.shape", name, NAMES, _ELSEWHERE, "tr.shape")
