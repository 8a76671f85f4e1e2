"""The surfaces of contacts as grids of points in body axes, clipped to where they are used: what pictures show."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Final, final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.model.body import Frame
from trundle.model.connection import ConnectedPair
from trundle.pairs.cam import Cam
from trundle.pairs.chart import Chart
from trundle.pairs.higher import SurfacePair
from trundle.pairs.numeric import NumericSurface
from trundle.pairs.surface import Surface
from trundle.run.geometry import in_numbers
from trundle.run.mesh_outlines import mesh_outlines
from trundle.run.poses import pose
from trundle.space.chain import Named
from trundle.typing import Array, Json

if TYPE_CHECKING:
    from trundle.run.run import Run

GRID: Final = 49, 25  # points along both coordinates
MOST: Final = 160  # points of contact that are checked
MESHES: Final = ("Gear", "BevelGear", "RackAndPinion", "Belt")
REACH: Final = 2.0  # of a surface beyond where it was touched, in sizes of the other one
WHEELS: Final = 0.1  # the same of wheels side by side on one body, in distances between them


@final
@dataclass(frozen=True, eq=False)
class Grid:
    """A surface, an edge or a vertex: points (n, m, 3) in the axes of a body (m); an edge has m = 1."""

    body: str
    connection: str
    kind: str  # name of its class
    hollow: bool
    flat: bool
    points: Array
    spins: bool  # whether it is a surface of revolution, whose turning cannot be seen on it

    @property
    def toothed(self) -> bool:
        """Whether it is the line of a gear wheel, a rack or a belt, which is drawn beside the shapes of its body."""
        return self.kind in MESHES

    @property
    def filled(self) -> bool:
        """Whether it is the rim of a plate, whose sides are drawn too."""
        return self.kind == "Cam"

    def as_json(self) -> Json:
        """Plain values; numbers in single precision."""
        packed = base64.b64encode(np.asarray(self.points, "<f4").tobytes()).decode()
        return {**vars(self), "points": packed, "shape": list(self.points.shape)}

    @staticmethod
    def of_json(values: Json) -> "Grid":
        flat = np.frombuffer(base64.b64decode(values["points"]), "<f4").astype(float)
        rest = {name: value for name, value in values.items() if name not in ("points", "shape")}
        return Grid(points=flat.reshape(values["shape"]), **rest)


def surfaces(run: "Run") -> list[Grid]:
    """Both surfaces of every contact; those of a run from a file as they were stored."""
    if run.formulation is None:
        stored = json.loads(run.stored_attrs.get("surfaces", "[]"))
        return [Grid.of_json(values) for values in stored]
    f = run.formulation
    grids: list[Grid] = []
    for connection in f.model.connections.values():
        if isinstance(connection.pair, SurfacePair):
            grids += _of_contact(run, f, connection)
    for body, name, kind, points in mesh_outlines(run, f):
        grids.append(Grid(body, name, kind, False, False, points[:, None], False))
    return _merged(grids)


def surfaces_as_json(run: "Run") -> str:
    """For a file."""
    return json.dumps([grid.as_json() for grid in surfaces(run)])


def _of_contact(run: "Run", f: Formulation, c: ConnectedPair) -> Iterator[Grid]:
    pair = c.surface_pair
    chosen = np.unique(np.linspace(0, len(run.time) - 1, MOST).astype(int))
    touched = run.values(f"{c.name}.contact_point")[chosen]
    sides = [(pair.first, c.first), (pair.second, c.second)]
    if isinstance(pair.first, Cam):
        yield _of_cam(run, f, c, pair.first)
        sides = [] if pair.second.flat else sides[1:]
    numbers = [_numeric(run, f, surface) for surface, _ in sides]
    sizes = [_size(surface, number) for (surface, _), (_, number) in zip(sides, numbers, strict=True)]
    finite = [size for size in sizes if isfinite(size)]
    reach = REACH * min(finite) if finite else max(0.2 * float(np.max(np.ptp(touched, axis=0))), 0.5)
    for (surface, frame), (chart, number) in zip(sides, numbers, strict=True):
        p, R = pose(run, frame.body)
        at = np.array(in_numbers(f, run.parameters, frame.position))
        local = np.einsum("tji,tj->ti", R[chosen], touched - p[chosen])  # in the axes of the body
        local = (local - at) @ frame.rotation
        local = local[np.all(np.isfinite(local), axis=1)]
        if not len(local):
            continue
        points = _grid(surface, chart, number, local, min(reach, WHEELS * _next_contact(run, f, frame, at)))
        carrier, points = _carried(run, c, frame, points @ frame.rotation.T + at)
        spins = surface.swept and surface.turns and not surface.flat
        yield Grid(carrier, c.name, type(surface).__name__, surface.hollow, surface.flat, points, spins)


def _next_contact(run: "Run", f: Formulation, frame: Frame, at: Array) -> float:
    """Distance to the next contact of the same moving body (m); infinite if it has no other one."""
    frames = [
        other
        for c in f.model.connections.values()
        if isinstance(c.pair, SurfacePair)
        for other in (c.first, c.second)
        if other.body.name == frame.body.name and other.body.name != "ground"
    ]
    apart = [float(np.linalg.norm(np.array(in_numbers(f, run.parameters, o.position)) - at)) for o in frames]
    return min((d for d in apart if d > 0.0), default=np.inf)


def _of_cam(run: "Run", f: Formulation, c: ConnectedPair, cam: Cam) -> Grid:
    """The rim of a cam, as wide as a fifth of its size."""
    outline = cam.shape.outline(np.array(in_numbers(f, run.parameters, cam.symbols)))
    half = 0.1 * float(np.max(np.abs(outline)))
    points = np.stack([np.insert(outline, 1, y, axis=1) for y in (-half, half)], axis=1)
    at = np.array(in_numbers(f, run.parameters, c.first.position))
    carrier, points = _carried(run, c, c.first, points @ c.first.rotation.T + at)
    return Grid(carrier, c.name, "Cam", False, False, points, False)


def _numeric(run: "Run", f: Formulation, surface: Surface) -> tuple[Chart, NumericSurface]:
    chart = surface.chart()
    return chart, chart.numeric(np.array(in_numbers(f, run.parameters, [chart.sizes()])))


def _size(surface: Surface, number: NumericSurface) -> float:
    return np.inf if surface.flat or surface.dimension == 0 else number.size


def _grid(surface: Surface, chart: Chart, number: NumericSurface, touched: Array, reach: float) -> Array:
    """Points of the surface about those where it was touched (n, 3), in its own axes."""
    if surface.dimension == 0:
        return number.points(0.0, 0.0).reshape(1, 1, 3)
    a, b, _ = chart.closest(number, touched)
    usual, ends = chart.ranges(number), chart.ends(number)
    patch = number.at(a, b)
    spans = []
    for coordinate, used, tangent, shown, end in zip(
        chart.coordinates, (a, b), (patch.x_a, patch.x_b), usual, ends, strict=True
    ):
        spans.append(_span(coordinate, used, tangent, shown, end, reach))
    if surface.planar:  # a curve in a plane gets some width
        spans[1] = (-0.25 * reach, 0.25 * reach)
    grid_a, grid_b = (np.linspace(*span, count) for span, count in zip(spans, GRID, strict=True))
    points = number.points(grid_a[:, None], grid_b)
    middle = number.at(grid_a[:1], grid_b[len(grid_b) // 2])
    if np.dot(np.cross(middle.x_a[0], middle.x_b[0]), middle.normal[0]) < 0:
        points = points[:, ::-1]  # so that the normal points out of the material
    return _thinned(points)


def _span(
    coordinate: Named, used: Array, tangent: Array, shown: tuple[float, float], ends: tuple[float, float], reach: float
) -> tuple[float, float]:
    """Whole turns; else what was used and as far as the other surface goes."""
    speed = float(np.max(np.linalg.norm(tangent, axis=-1)))
    if coordinate.closed or speed < 1e-12:
        return shown
    half = reach / speed
    return max(float(np.min(used)) - half, ends[0]), min(float(np.max(used)) + half, ends[1])


def _thinned(points: Array) -> Array:
    """A curve as one row, where the other coordinate moves no point."""
    size = max(float(np.max(np.ptp(points.reshape(-1, 3), axis=0))), 1e-300)
    for axis in (1, 0):
        if float(np.max(np.ptp(points, axis=axis))) < 1e-6 * size:
            line: Array = np.take(points, 0, axis=axis)
            return line.reshape(-1, 1, 3)
    return points


def _carried(run: "Run", c: ConnectedPair, frame: Frame, points: Array) -> tuple[str, Array]:
    """The body that the surface turns with, and the points in its axes."""
    wheel = c.wheel
    if wheel is None or frame is not c.second:
        return frame.body.name, points
    (p, R), (p_W, R_W) = pose(run, frame.body), pose(run, wheel)
    return wheel.name, (p[0] + points @ R[0].T - p_W[0]) @ R_W[0]


def _merged(grids: list[Grid]) -> list[Grid]:
    """One plane where several contacts share it: the rectangle that has them all."""
    out: list[Grid] = []
    for grid in grids:
        same = next((i for i, other in enumerate(out) if _same_plane(grid, other)), None)
        if same is None:
            out.append(grid)
        else:
            out[same] = _union(out[same], grid)
    return out


def _same_plane(grid: Grid, other: Grid) -> bool:
    if not (grid.flat and other.flat and grid.body == other.body and grid.points.shape == other.points.shape):
        return False
    n, origin = _plane(other.points)
    size = float(np.max(np.ptp(np.vstack([grid.points, other.points]).reshape(-1, 3), axis=0)))
    return bool(np.max(np.abs((grid.points - origin) @ n)) < 1e-6 * size)


def _plane(points: Array) -> tuple[Array, Array]:
    n = np.cross(points[-1, 0] - points[0, 0], points[0, -1] - points[0, 0])
    return n / np.linalg.norm(n), points[0, 0]


def _union(one: Grid, other: Grid) -> Grid:
    u, v = one.points[-1, 0] - one.points[0, 0], one.points[0, -1] - one.points[0, 0]
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    origin = one.points[0, 0]
    both = np.vstack([one.points.reshape(-1, 3), other.points.reshape(-1, 3)]) - origin
    a, b = both @ u, both @ v
    grid_a, grid_b = (np.linspace(x.min(), x.max(), count) for x, count in zip((a, b), one.points.shape, strict=False))
    points = origin + grid_a[:, None, None] * u + grid_b[None, :, None] * v
    return Grid(one.body, one.connection, one.kind, one.hollow, one.flat, points, one.spins)
