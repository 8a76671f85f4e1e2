"""Pictures of the surfaces and of two of them in contact, with their screws."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trundle.pairs import Surface
from trundle.pairs.numeric import NumericScrew, NumericSweep
from trundle.view.outline import Points
from trundle.view.scene3d import Camera, Scene3D
from trundle.view.screws import draw_screw, mark_clear
from trundle.view.style import COLOURS, INK, finish, new_figure, style

SKIN, OTHER_SKIN = "#C9DCEB", "#F3D3B8"
FIRST, SECOND = COLOURS[0], COLOURS[1]
GRID = 97, 49


def draw_surface(
    surface: Surface,
    path: Path | str | None = None,
    at: tuple[float, float] = (0.0, 0.0),
    camera: Camera | None = None,
    width: float = 5.2,
) -> Figure:
    """A surface with the normal and both tangents at the coordinates `at`, and with its two screws if it has any."""
    scene = _surface_scene(surface, at, camera)
    with style():
        figure = new_figure(width, picture_height(scene, width) + 0.6, type(surface).__name__)
        scene.paint(figure.subplots())
        moves = [bool(np.any(np.abs(v) > 1e-12)) for v in surface.tangents(*at)]
        names = surface.chart().names
        texts = [f"{name} and its tangent" if moving else name for name, moving in zip(names, moves, strict=True)]
        figure.legend(handles=_handles(texts), loc="outside lower left", ncols=3, handlelength=1.2, columnspacing=1.2)
        return finish(figure, path)


def draw_surfaces(
    surfaces: Sequence[Surface], path: Path | str | None = None, columns: int = 4, width: float = 11.0
) -> Figure:
    """Several surfaces side by side, with their screws, normals and tangents."""
    rows = -(-(len(surfaces) + 1) // columns)
    with style():
        figure = new_figure(width, 1.04 * width / columns * rows)
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel, surface in zip(panels, surfaces, strict=False):
            _surface_scene(surface, (0.0, 0.0), None).paint(panel, 8.5)
            panel.set_title(type(surface).__name__, loc="left", fontsize=10, fontweight="bold")
        for panel in panels[len(surfaces) :]:
            panel.set_axis_off()
        texts = ["first coordinate and its tangent", "second coordinate and its tangent"]
        panels[len(surfaces)].legend(handles=_handles(texts), loc="center left")
        return finish(figure, path)


def picture_height(scene: Scene3D, width: float) -> float:
    """Height of a figure that its drawing fills, in inches like the width."""
    wide, high = scene.extent()
    return float(np.clip(1.16 * width * high / wide / 1.26 + 0.3, 0.4 * width, 1.15 * width))


def _handles(texts: Sequence[str]) -> list[Line2D]:
    named = zip((FIRST, SECOND, INK), [*texts, "normal"], strict=True)
    return [Line2D([], [], color=colour, linewidth=1.8, label=text) for colour, text in named]


def _surface_scene(surface: Surface, at: tuple[float, float], camera: Camera | None) -> Scene3D:
    numbers = surface.numbers()
    a, b = (np.linspace(*limits, count) for limits, count in zip(surface.ranges(), GRID, strict=True))
    points = surface.point(a[:, None], b)
    patch = numbers.at(*at)
    scene = Scene3D(camera or good_camera(patch.point, (patch.normal, patch.x_a, patch.x_b), points))
    draw_skin(scene, surface, points, surface.normal(a[:, None], b), SKIN)
    size = float(np.ptp(points.reshape(-1, 3), axis=0).max()) or numbers.size
    for v, colour in ((patch.x_a, FIRST), (patch.x_b, SECOND)):
        length = float(np.linalg.norm(v))
        if length > 0:
            scene.arrow(patch.point, patch.point + 0.2 * size * v / length, colour)
    tip = patch.point + 0.25 * size * patch.normal
    scene.arrow(patch.point, tip, INK)
    scene.label(tip, "n", INK, patch.point)
    scene.dot(patch.point)
    if not isinstance(numbers, NumericSweep):
        return scene
    for screw, colour, name in zip(_displaced(numbers, at), (FIRST, SECOND), surface.chart().names, strict=True):
        along = (points.reshape(-1, 3) - screw.at) @ screw.axis
        reach = float(along.min()), float(along.max())
        draw_screw(scene, screw, mark_clear(scene, screw, reach, size, colour, name))
    return scene


def good_camera(point: Points, arrows: Sequence[Points], points: Points) -> Camera:
    """The usual camera, or one from another side when an arrow at the point would look at the eye, the first of them
    away from it, or when points would hide it.
    """
    directions = np.array([v / max(float(np.linalg.norm(v)), 1e-12) for v in arrows])
    cloud = points.reshape(-1, 3) - point
    size = float(np.ptp(cloud, axis=0).max())

    def fault(camera: Camera) -> float:
        seen, rest = camera.see(directions), camera.see(cloud)
        lengths = np.linalg.norm(seen[:, :2], axis=-1)[np.any(directions != 0, axis=-1)]
        short = 1.0 - float(np.min(lengths))
        beside = np.linalg.norm(rest[:, :2], axis=-1) < 0.03 * size
        hidden = float(np.max(rest[beside, 2], initial=0.0)) > 0.16 * size
        return 3.0 * hidden + (1.0 if seen[0, 2] < 0.15 else 0.0) + (short if short > 0.5 else 0.0)

    cameras = [
        Camera(elevation, -58.0 + turn) for elevation in (22.0, 38.0) for turn in (0, 25, -25, 50, -50, 80, -80, 180)
    ]
    return min(cameras, key=fault)


def draw_skin(scene: Scene3D, surface: Surface, points: Points, normals: Points, colour: str) -> None:
    """A surface as a mesh, an edge as a strong line, a vertex as a dot."""
    if surface.dimension == 2:
        scene.mesh(points, normals, colour, cut=surface.hollow)
        return
    curve = max(points[:, 0], points[0], key=lambda line: float(np.ptp(line, axis=0).max()))
    scene.line(curve, INK, 2.2, ghost=False)
    if np.allclose(curve[0], curve[-1]):
        scene.face(curve, colour)


def _displaced(sweep: NumericSweep, at: tuple[float, float]) -> tuple[NumericScrew, NumericScrew]:
    """Both screws where the first has carried them; a slide has its axis through the point."""
    first, second = sweep.first, sweep.second
    point = sweep.points(*at)
    moved = NumericScrew(first.turn(at[0], second.axis), first.move(at[0], second.at), second.spin, second.advance)
    return through(first, point), through(moved, point)


def through(screw: NumericScrew, point: Points) -> NumericScrew:
    """The screw itself; a slide with its axis through the point."""
    return screw if screw.spin else NumericScrew(screw.axis, point, screw.spin, screw.advance)
