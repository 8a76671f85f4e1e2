"""The mechanism at a few times: earlier poses as ghosts, the last one solid, with the paths of the mass centres."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from trundle.errors import SolveError
from trundle.messages.arguments import advised
from trundle.run.geometry import Geometry, geometry
from trundle.run.surfaces import Grid, surfaces
from trundle.view.canvas import PLANES, Canvas, FlatCanvas, SpaceCanvas
from trundle.view.close_ups import SMALL_PART, add_close_ups
from trundle.view.outline import Outline, Points, distinct, outline, with_grid
from trundle.view.pose_labels import label_poses, time_text
from trundle.view.pose_painter import Painter, Pose, placed
from trundle.view.scene.bowl import bowl
from trundle.view.style import QUIET, finish, new_figure, style

if TYPE_CHECKING:
    from trundle.run.run import Run

Poses = dict[str, Pose]  # body -> positions (times, 3), rotations (times, 3, 3)

GHOSTS = 6  # poses when no times are given
TRAVEL = 1.6  # they cover the first motion in which a point goes this many sizes of a mechanism that the ground holds


@advised("times are a list, run.draw(times=[0.0, 0.5])", t="write times=[0.5]", time="write times=[0.5]")
def draw(
    run: "Run",
    times: Sequence[float] | None = None,
    path: Path | str | None = None,
    plane: str = "auto",
    title: str | None = None,
    width: float = 7.0,
) -> Figure:
    """The mechanism at the given times (s), the last one solid; without times a few that are spread over the motion.
    One that travels far is shown from near by too, below the whole of its path.

    plane: "xy", "xz", "yz", "space", or "auto": the plane of motion of a planar mechanism, else space.
    """
    if plane not in (*PLANES, "space", "auto"):
        raise SolveError(f"plane={plane!r}: choose {', '.join(map(repr, PLANES))}, 'space' or 'auto'.")
    scene = geometry(run)
    poses = _poses(run, scene)
    outlines = {name: outline(body) for name, body in scene["bodies"].items() if name != "ground" or body["shapes"]}
    for grid in surfaces(run):  # what touches is drawn where it is
        body = scene["bodies"][grid.body]
        if grid.body == "ground" or not body["shapes"] or grid.toothed:
            outlines[grid.body] = with_grid(outlines.get(grid.body, Outline()), _opened(run, grid), _is_road(grid))
    held = bool(scene["bodies"]["ground"]["joints"] or scene["rails"])
    pivots = {name: distinct([body["com"], *body["joints"]]) for name, body in scene["bodies"].items()}
    samples = _samples(run.time, times, outlines, pivots, poses, TRAVEL if held else np.inf)
    low, high = _extent(outlines, poses, samples, _fixed_points(scene))
    size = float(np.max(high - low))
    chosen = _plane_of_motion(poses, size) if plane == "auto" else plane
    margin = 0.09 * size
    low, high = low - margin, high + margin
    if scene.get("road") is not None:  # what rolls on a plane stands on it
        low[2] = scene["road"]
    with style():
        figure = new_figure(width, _height(width, low, high, chosen), run.model_name if title is None else title)
        canvas: Canvas = (
            SpaceCanvas(figure.add_subplot(projection="3d", computed_zorder=False), float(low[2]))
            if chosen == "space"
            else FlatCanvas(figure.subplots(), chosen)
        )
        painter = Painter(scene, outlines, poses, size)
        painter.all(canvas, samples)
        canvas.frame(low, high)
        label_poses(canvas, painter, samples, run.time)
        stamps = ", ".join(time_text(run.time[i]).removesuffix(" s") for i in samples)
        figure.supxlabel(f"t = {stamps} s", fontsize=8, color=QUIET, x=0.99, ha="right")
        if len(samples) > 1 and painter.has_corners and painter.machine(samples) < SMALL_PART * size:
            add_close_ups(figure, painter, samples, run.time, chosen)
        return finish(figure, path)


def _opened(run: "Run", grid: Grid) -> Points:
    """Points of a surface; of a hollow ball of the ground those of the bowl in which something moves."""
    touched = f"{grid.connection}.contact_point"
    if not (grid.hollow and grid.spins and grid.body == "ground" and touched in run.names):
        return grid.points
    return bowl(grid.points, run.values(touched))


def _is_road(grid: Grid) -> bool:
    """Whether it is a level plane of the ground, which is drawn as the edge of the picture."""
    return grid.flat and grid.body == "ground" and float(np.ptp(grid.points[..., 2])) < 1e-9


def _poses(run: "Run", scene: Geometry) -> Poses:
    still = np.zeros((len(run.time), 3)), np.tile(np.eye(3), (len(run.time), 1, 1))
    poses = {"ground": still}
    for name in scene["bodies"]:
        if name != "ground":
            R = run.values(f"{name}.rotation").reshape(-1, 3, 3).transpose(0, 2, 1)  # stored by columns
            poses[name] = (run.values(f"{name}.position"), R)
    return poses


def _samples(
    t: Points,
    times: Sequence[float] | None,
    outlines: dict[str, Outline],
    pivots: dict[str, Points],
    poses: Poses,
    travel: float,
) -> list[int]:
    """Indices of the samples to draw, in order. The distance travelled is that of mass centres and joints (`pivots`);
    points on the rim of a wheel would travel far in one turn.
    """
    if times is not None:
        wanted = np.sort(np.atleast_1d(np.asarray(times, dtype=float)))
        slack = 1e-9 * max(1.0, abs(t[-1]))
        if not len(wanted) or wanted[0] < t[0] - slack or wanted[-1] > t[-1] + slack:
            raise SolveError(f"the times of a picture must lie between {t[0]:g} and {t[-1]:g} s.")
        return sorted({int(np.argmin(np.abs(t - w))) for w in wanted})
    low, high = _extent(outlines, poses, [0])
    size = max(float(np.max(high - low)), 1e-9)
    far = _way(len(t), pivots, poses)
    if far[-1] < 0.5 * size:  # nothing goes anywhere: turning is all its motion
        far = _way(len(t), {name: body.points() for name, body in outlines.items()}, poses)
    reach = travel * size
    last = int(np.searchsorted(far, reach).clip(1, len(t) - 1)) if len(t) > 1 else 0
    if last < GHOSTS - 1:  # it goes that far between two samples
        last = len(t) - 1
    even = (
        np.interp(np.linspace(0, far[last], GHOSTS), far[: last + 1], np.arange(last + 1))
        if far[last] > 0
        else [0, last]
    )
    return sorted({round(float(i)) for i in even})


def _way(count: int, points: dict[str, Points], poses: Poses) -> Points:
    """Largest distance that any point has travelled at each of `count` times."""
    far = np.zeros(count)
    for name, places in points.items():
        for point in places:
            steps = np.linalg.norm(np.diff(poses[name][0] + poses[name][1] @ point, axis=0), axis=1)
            far = np.maximum(far, np.concatenate([[0.0], np.cumsum(steps)]))
    return far


def _fixed_points(scene: Geometry) -> Points:
    """Joints and ends of springs on the ground."""
    ends = [p for a, p, b, q in scene["springs"] for body, p in ((a, p), (b, q)) if body == "ground"]
    joints = scene["bodies"]["ground"]["joints"] if "ground" in scene["bodies"] else []
    return np.array([*joints, *ends], dtype=float).reshape(-1, 3)


def _extent(
    outlines: dict[str, Outline], poses: Poses, samples: Sequence[int], fixed: Points | None = None
) -> tuple[Points, Points]:
    """Corners of the bounding box of everything at the samples."""
    moving = [placed(body.points(), poses[name], i) for name, body in outlines.items() for i in samples]
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
