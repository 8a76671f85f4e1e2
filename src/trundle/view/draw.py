"""The mechanism at a few times: earlier poses as ghosts, the last one solid, with the paths of the mass centres."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from trundle.errors import SolveError
from trundle.run.geometry import Geometry, geometry
from trundle.run.surfaces import Grid, surfaces
from trundle.view.canvas import PLANES, Canvas, FlatCanvas, SpaceCanvas
from trundle.view.outline import Outline, Points, coil, outline, with_grid
from trundle.view.style import COLOURS, INK, QUIET, finish, new_figure, style

if TYPE_CHECKING:
    from trundle.run.dataset import Run

Poses = dict[str, tuple[Points, Points]]  # body -> positions (times, 3), rotations (times, 3, 3)

GHOSTS = 6  # poses when no times are given
TRAVEL = 1.6  # they cover the first motion in which a point goes this many sizes of the mechanism
FLIGHT = 4.0  # the same for one that is not held by the ground: it stays a fifth of the picture


def draw(
    run: "Run",
    times: Sequence[float] | None = None,
    path: Path | str | None = None,
    plane: str = "auto",
    title: str | None = None,
    width: float = 7.0,
) -> Figure:
    """The mechanism at the given times (s), the last one solid; without times a few from the beginning of the motion.

    plane: "xy", "xz", "yz", "space", or "auto": the plane of motion of a planar mechanism, else space.
    """
    if plane not in (*PLANES, "space", "auto"):
        raise SolveError(f"plane={plane!r}: choose {', '.join(map(repr, PLANES))}, 'space' or 'auto'.")
    scene = geometry(run)
    poses = _poses(run, scene)
    outlines = {name: outline(body) for name, body in scene["bodies"].items() if name != "ground" or body["shapes"]}
    for grid in surfaces(run):  # what touches is drawn where it is
        body = scene["bodies"][grid.body]
        if grid.body == "ground" or not body["shapes"]:
            outlines[grid.body] = with_grid(outlines.get(grid.body, Outline()), grid.points, _is_road(grid))
    held = bool(scene["bodies"]["ground"]["joints"] or scene["rails"])
    samples = _samples(run.time, times, outlines, poses, TRAVEL if held else FLIGHT)
    low, high = _extent(outlines, poses, samples, _fixed_points(scene))
    size = float(np.max(high - low))
    chosen = _plane_of_motion(poses, size) if plane == "auto" else plane
    margin = 0.09 * size
    low, high = low - margin, high + margin
    if scene.get("road") is not None:  # what rolls on a plane stands on it
        low[2] = scene["road"]
    with style():
        figure = new_figure(width, _height(width, low, high, chosen), title or run.model_name)
        canvas: Canvas = SpaceCanvas(figure, float(low[2])) if chosen == "space" else FlatCanvas(figure, chosen)
        _paint(canvas, scene, outlines, poses, samples, size)
        canvas.frame(low, high)
        _label(canvas, outlines, poses, samples, run.time, size)
        stamps = ", ".join(f"{run.time[i]:.3g}" for i in samples)
        figure.supxlabel(f"t = {stamps} s", fontsize=8, color=QUIET, x=0.99, ha="right")
        return finish(figure, path)


def _is_road(grid: Grid) -> bool:
    """Whether it is a level plane of the ground, which the edge of the picture stands for."""
    return grid.flat and grid.body == "ground" and float(np.ptp(grid.points[..., 2])) < 1e-9


def _label(
    canvas: Canvas,
    outlines: dict[str, Outline],
    poses: Poses,
    samples: Sequence[int],
    t: Points,
    size: float,
) -> None:
    """The time of every pose above it, where no other stands already."""
    taken: list[Points] = []
    for i in samples:
        points = [_placed(body.points(), poses[name], i) for name, body in outlines.items() if name != "ground"]
        cloud = np.vstack([np.zeros((0, 3)), *points])
        if not len(cloud):
            return
        top = cloud[np.argmax(canvas.height(cloud))]
        if all(np.linalg.norm(top - other) > 0.09 * size for other in taken):
            taken.append(top)
            canvas.label(top, f"{t[i]:.3g} s")


def _poses(run: "Run", scene: Geometry) -> Poses:
    still = np.zeros((len(run.time), 3)), np.tile(np.eye(3), (len(run.time), 1, 1))
    poses = {"ground": still}
    for name in scene["bodies"]:
        if name != "ground":
            R = run.values(f"{name}.rotation").reshape(-1, 3, 3).transpose(0, 2, 1)  # stored by columns
            poses[name] = (run.values(f"{name}.position"), R)
    return poses


def _placed(points: Points, pose: tuple[Points, Points], i: int) -> Points:
    placed: Points = pose[0][i] + points @ pose[1][i].T
    return placed


def _samples(
    t: Points, times: Sequence[float] | None, outlines: dict[str, Outline], poses: Poses, travel: float
) -> list[int]:
    """Numbers of the samples to draw, in rising order."""
    if times is not None:
        wanted = np.sort(np.atleast_1d(np.asarray(times, dtype=float)))
        slack = 1e-9 * max(1.0, abs(t[-1]))
        if not len(wanted) or wanted[0] < t[0] - slack or wanted[-1] > t[-1] + slack:
            raise SolveError(f"the times of a picture must lie between {t[0]:g} and {t[-1]:g} s.")
        return sorted({int(np.argmin(np.abs(t - w))) for w in wanted})
    low, high = _extent(outlines, poses, [0])
    reach = travel * max(float(np.max(high - low)), 1e-9)
    far = np.zeros(len(t))
    for name, body in outlines.items():
        for point in body.points():  # the point that goes farthest decides when the picture is full
            p = poses[name][0] + poses[name][1] @ point
            steps = np.linalg.norm(np.diff(p, axis=0), axis=1)
            far = np.maximum(far, np.concatenate([[0.0], np.cumsum(steps)]))
    last = int(np.searchsorted(far, reach).clip(1, len(t) - 1)) if len(t) > 1 else 0
    if last < GHOSTS - 1:  # it goes that far between two samples
        last = len(t) - 1
    even = (
        np.interp(np.linspace(0, far[last], GHOSTS), far[: last + 1], np.arange(last + 1))
        if far[last] > 0
        else [0, last]
    )
    return sorted({round(float(i)) for i in even})


def _fixed_points(scene: Geometry) -> Points:
    """Joints and ends of springs on the ground."""
    ends = [p for a, p, b, q in scene["springs"] for body, p in ((a, p), (b, q)) if body == "ground"]
    joints = scene["bodies"]["ground"]["joints"] if "ground" in scene["bodies"] else []
    return np.array([*joints, *ends], dtype=float).reshape(-1, 3)


def _extent(
    outlines: dict[str, Outline], poses: Poses, samples: Sequence[int], fixed: Points | None = None
) -> tuple[Points, Points]:
    """Corners of the box that holds everything at the samples."""
    moving = [_placed(body.points(), poses[name], i) for name, body in outlines.items() for i in samples]
    points = np.vstack([np.zeros((0, 3)) if fixed is None else fixed, *moving])
    if not len(points):
        points = np.zeros((1, 3))
    low, high = points.min(axis=0), points.max(axis=0)
    least = 0.2 * max(float(np.max(high - low)), 1e-3)  # a thin scene gets some room
    room = np.maximum(least - (high - low), 0) / 2
    return low - room, high + room


def _plane_of_motion(poses: Poses, size: float) -> str:
    """The plane that all bodies stay in and turn in, or "space"."""
    for plane in ("xz", "xy", "yz"):
        normal = next(i for i in range(3) if i not in PLANES[plane])
        moves = max(float(np.ptp(p[:, normal])) for p, _ in poses.values())
        tilts = max(float(np.max(np.abs((R @ R[0].T)[:, normal, normal] - 1))) for _, R in poses.values())
        if moves < 1e-6 * size and tilts < 1e-9:
            return plane
    return "space"


def _height(width: float, low: Points, high: Points, plane: str) -> float:
    if plane == "space":
        return 0.86 * width
    a, b = PLANES[plane]
    shape = (high[b] - low[b]) / (high[a] - low[a])
    return float(np.clip(0.88 * width * shape + 0.9, 0.4 * width, 1.3 * width))


def _colours(names: Sequence[str]) -> dict[str, str]:
    moving = [name for name in names if name != "ground"]
    if len(moving) <= len(COLOURS):
        return {"ground": QUIET} | dict(zip(moving, COLOURS, strict=False))
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    shades = colormaps["viridis"](np.linspace(0.0, 0.88, len(moving)))
    return {"ground": QUIET} | {name: to_hex(shade) for name, shade in zip(moving, shades, strict=True)}


def _paint(
    canvas: Canvas, scene: Geometry, outlines: dict[str, Outline], poses: Poses, samples: Sequence[int], size: float
) -> None:
    colours = _colours(list(outlines))
    bar = float(np.clip(6.0 - 0.12 * len(outlines), 2.0, 5.5))
    middle = np.mean(
        np.vstack([_placed(body.points(), poses[name], samples[-1]) for name, body in outlines.items()]), axis=0
    )
    for point in scene["bodies"]["ground"]["joints"]:
        canvas.support(np.array(point), size, middle)
    for start, direction, name, point in scene["rails"]:
        axis = np.array(direction)
        reach = [float((_placed(np.array([point]), poses[name], i)[0] - start) @ axis) for i in samples]
        ends = (min(0.0, *reach) - 0.08 * size, max(0.0, *reach) + 0.08 * size)
        canvas.line(np.array(start) + np.outer(ends, axis), color=QUIET, linewidth=1.6, zorder=1.2)
    span = slice(samples[0], samples[-1] + 1)
    for name, body in scene["bodies"].items():
        if name != "ground":
            path = poses[name][0][span] + poses[name][1][span] @ np.array(body["com"])
            canvas.line(path, color=colours[name], linewidth=1.0, alpha=0.6, linestyle=(0, (4, 2)), zorder=1.8)
    for k, i in enumerate(samples):
        solid = k == len(samples) - 1
        alpha = 1.0 if solid else 0.10 + 0.22 * k / max(len(samples) - 1, 1)
        for j, (name, body) in enumerate(outlines.items()):
            if name != "ground" or solid:
                order = 2.0 + k + (0.5 * j / len(outlines))
                _paint_body(canvas, body, (poses[name], i), (colours[name], alpha, bar), size, order)
        for a, p, b, q in scene["springs"]:
            tip, foot = (_placed(np.array([point]), poses[body], i)[0] for body, point in ((a, p), (b, q)))
            canvas.line(coil(tip, foot, 0.022 * size), color=INK, linewidth=1.1, alpha=alpha, zorder=2.6 + k)


def _paint_body(
    canvas: Canvas,
    body: Outline,
    where: tuple[tuple[Points, Points], int],
    look: tuple[str, float, float],
    size: float,
    order: float,
) -> None:
    """One body in one pose; `look` is colour, opacity and width of a bar in points."""
    colour, alpha, bar = look
    for face in body.faces:
        canvas.face(_placed(face, *where), colour, alpha, order)
    for edge in body.edges:
        canvas.line(_placed(edge, *where), color=colour, linewidth=1.0, alpha=alpha, zorder=order)
    for line in body.lines:
        thin = bar * (0.5 if body.faces else 1.0)
        canvas.line(_placed(line, *where), color=colour, linewidth=thin, alpha=alpha, zorder=order)
    for centre, radius in body.balls:
        canvas.ball(_placed(centre, *where), radius or 0.018 * size, colour, alpha, order + 0.01)
    for point in _placed(body.joints, *where):
        canvas.pin(point, alpha, order + 0.6)
