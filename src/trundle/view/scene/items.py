"""Meshes of bodies, surfaces, joints and tracks, each attached to a body."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from trundle.run.geometry import Geometry
from trundle.run.surfaces import Grid
from trundle.typing import Array, Json
from trundle.view.scene import mesh
from trundle.view.scene.bowl import bowl
from trundle.view.scene.extent import shape_corners
from trundle.view.scene.parts import body_meshes
from trundle.view.scene.scene import Colour, Contact, Item, named
from trundle.view.scene.track import track

LARGE, VEIL = 0.45, 0.4  # a default shape of this size, relative to the mechanism, is drawn with this opacity
PALETTE: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8E7CC3", "#A07E58")
GROUND: Final[Colour] = (0.62, 0.65, 0.69)
STEEL: Final[Colour] = (0.55, 0.57, 0.6)
WOOD: Final[Colour] = (0.52, 0.45, 0.38)
AXES: Final[tuple[Colour, ...]] = ((0.8, 0.2, 0.2), (0.2, 0.6, 0.25), (0.2, 0.35, 0.85))


def body_colours(bodies: Sequence[str]) -> tuple[Colour, ...]:
    def shade(text: str) -> Colour:
        r, g, b = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return r, g, b

    return (GROUND, *(shade(PALETTE[i % len(PALETTE)]) for i in range(len(bodies) - 1)))


def make_items(
    shape: Geometry,
    grids: Sequence[Grid],
    touches: Sequence[Contact],
    bodies: Sequence[str],
    colours: Sequence[Colour],
    poses: tuple[Array, Array],
    size: float,
    detail: float,
) -> list[Item]:
    """All meshes; `size` is that of the mechanism, `detail` that of its bodies (m)."""
    p, R = poses
    seen_grids = [_opened(g, touches, bodies, p, R) for g in grids if not _is_face(g, shape)]
    return [
        *_surface_items(seen_grids, bodies, colours, detail),
        *_body_items(shape, grids, bodies, colours, size, detail),
        *_joint_items(shape, bodies, size, detail),
        *_track_items(shape, bodies, p, R),
        *_frame_items(bodies),
    ]


def _is_face(grid: Grid, shape: Geometry) -> bool:
    """Whether a plane of a body is a face of its shapes, which are drawn."""
    part = shape["bodies"].get(grid.body)
    if not grid.flat or grid.points.shape[1] == 1 or part is None or not part["shapes"]:
        return False
    corners = np.array(shape_corners(part), dtype=float).reshape(-1, 3)
    origin = grid.points[0, 0]
    normal = np.cross(grid.points[-1, 0] - origin, grid.points[0, -1] - origin)
    heights = (corners - origin) @ normal / np.linalg.norm(normal)
    return len(corners) > 0 and bool(abs(float(np.max(heights))) < 0.02 * float(np.max(np.ptp(corners, axis=0))))


def _opened(grid: Grid, touches: Sequence[Contact], bodies: Sequence[str], p: Array, R: Array) -> Grid:
    """A hollow ball as a bowl; every other surface as it is."""
    points = next((one.points for one in touches if one.name == grid.connection), None)
    if not grid.hollow or not grid.spins or points is None:
        return grid
    i = named(bodies, grid.body)
    local = np.einsum("tji,tj->ti", R[:, i], points - p[:, i])
    return replace(grid, points=bowl(grid.points, local))


def _surface_items(
    grids: Sequence[Grid], bodies: Sequence[str], colours: Sequence[Colour], size: float
) -> Iterator[Item]:
    for grid in grids:
        i = named(bodies, grid.body)
        n, m = grid.points.shape[:2]
        level = grid.flat and i == 0 and float(np.ptp(grid.points[..., 2])) < 1e-6 * size
        colour = colours[i]
        if n == 1 and m == 1:
            yield Item(i, "surfaces", colour, mesh.sphere(0.02 * size).moved(np.eye(3), grid.points[0, 0]))
        elif grid.toothed:
            yield Item(i, "surfaces", colour, mesh.tube(grid.points[:, 0], 0.004 * size))
        elif m == 1:
            yield from _curve_items(i, grid.points[:, 0], colour, size)
        elif not level:  # a level plane of the ground is the floor
            made = mesh.grid(grid.points, striped=grid.spins and i > 0).thickened(0.001 * size)
            pale = 0.55 if grid.flat and i == 0 else 1.0
            yield Item(i, "surfaces", colour, made, pale, grid.hollow and grid.spins, i > 0)
            if grid.filled:
                for rim in (grid.points[:, 0], grid.points[:, -1]):
                    yield Item(i, "surfaces", colour, mesh.disc(rim))


def _curve_items(body: int, line: Array, colour: Colour, size: float) -> Iterator[Item]:
    """An edge as a tube; a closed one is the rim of a wheel."""
    yield Item(body, "surfaces", colour, mesh.tube(line, 0.012 * size))
    if not np.allclose(line[0], line[-1]):
        return
    yield Item(body, "surfaces", colour, mesh.disc(line), 0.22, shadow=False)
    half, middle = len(line) // 2, line[:-1].mean(axis=0)
    for k in (0, len(line) // 4):
        spoke = mesh.bar(line[k], 2 * middle - line[k] if k + half >= len(line) else line[k + half], 0.005 * size)
        yield Item(body, "surfaces", colour, spoke)


def _body_items(
    shape: Geometry, grids: Sequence[Grid], bodies: Sequence[str], colours: Sequence[Colour], size: float, detail: float
) -> Iterator[Item]:
    touching = {grid.body for grid in grids}
    for name, part in shape["bodies"].items():
        i = named(bodies, name)
        if (i == 0 or name in shape["frames"]) and not part["shapes"]:
            continue
        for made in body_meshes(part, detail, name in touching):
            veiled = not part["shapes"] and len(bodies) > 2 and made.extent() > LARGE * size
            yield Item(i, "bodies", colours[i], made, VEIL if veiled else 1.0)
        com = np.array(part["com"], dtype=float)
        for grid in grids if not part["shapes"] else ():  # feet stand on legs
            if grid.body == name and grid.points.size == 3 and np.linalg.norm(grid.points[0, 0] - com) > 1e-9:
                yield Item(i, "bodies", colours[i], mesh.bar(com, grid.points[0, 0], 0.01 * detail))


def _joint_items(shape: Geometry, bodies: Sequence[str], size: float, detail: float) -> Iterator[Item]:
    """A hinge as a short pin along its axis, every other joint as a knob."""
    dark: Colour = (0.25, 0.27, 0.3)
    for _, kind, body, point, axis in shape["joints"]:
        i = named(bodies, body)
        if "Revolute" in kind or "Axis" in kind or "Cylindrical" in kind or "Helical" in kind:
            pin = mesh.cylinder(0.02 * detail, 0.05 * detail).moved(mesh.axes_along(axis), point)
            yield Item(i, "joints", dark, pin)
        elif kind in ("Spherical", "Universal", "Fixed"):
            yield Item(i, "joints", dark, mesh.sphere(0.022 * detail).moved(np.eye(3), point))
    for start, direction, body, point in shape["rails"]:
        del body, point
        a = np.array(start)
        d = np.array(direction)
        yield Item(0, "joints", STEEL, mesh.bar(a - 0.6 * size * d, a + 0.6 * size * d, 0.006 * size), shadow=False)


def _track_items(shape: Geometry, bodies: Sequence[str], p: Array, R: Array) -> Iterator[Item]:
    tracks: dict[str, tuple[Json, list[int]]] = {}
    for name, part in shape["bodies"].items():
        for one in part["shapes"]:
            if one["kind"] == "Rails":
                tracks.setdefault(str(one["gauge"]), (one, []))[1].append(named(bodies, name))
    for rails, frames in tracks.values():
        for kind, made in track([(p[:, i], R[:, i]) for i in frames], rails):
            yield Item(0, "track", STEEL if kind == "rail" else WOOD, made, shadow=False)


def _frame_items(bodies: Sequence[str]) -> Iterator[Item]:
    """Axes of every body, of unit length, which renderers scale."""
    for i in range(len(bodies)):
        for axis, colour in zip(np.eye(3), AXES, strict=True):
            yield Item(i, "frames", colour, mesh.bar(np.zeros(3), axis, 0.04), shadow=False)
