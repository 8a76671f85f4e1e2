"""A picture of a cam with its follower, in the plane of both."""

from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib import patches
from matplotlib.figure import Figure
from scipy.optimize import brentq

from trundle.errors import ModelError
from trundle.pairs.cam import Cam
from trundle.pairs.planar import Circle, Line, PlanarPair
from trundle.view.style import COLOURS, INK, QUIET, finish, new_figure, point2, style

SKINS = ("#C9DCEB", "#F3D3B8")


def draw_cam_pair(
    pair: PlanarPair, angle: float = 0.0, path: Path | str | None = None, title: str | None = None, width: float = 5.2
) -> Figure:
    """The cam in its own frame, and the follower at an angle (rad, from z towards x): for a roller or a knife edge the
    angle of its position, for a flat follower that of its normal; x to the right, z up.
    """
    cam, follower = pair.first, pair.second
    assert isinstance(cam, Cam)
    if cam.symbols:
        raise ModelError("a picture of this pair needs a profile in numbers, without parameters and tables.")
    outline = cam.shape.outline(np.zeros(0))
    size = float(np.max(np.linalg.norm(outline, axis=1)))
    way = np.array([np.sin(angle), np.cos(angle)])
    radius = float(follower.radius) if isinstance(follower, Circle) else 0.0
    contact, normal = _touch(cam, follower, way, radius, size)
    with style():
        figure = new_figure(width, width, pair.title if title is None else title)
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set_aspect("equal")
        axes.add_patch(patches.Polygon(outline.tolist(), facecolor=SKINS[0], edgecolor=INK, linewidth=1.4, zorder=2))
        if isinstance(follower, Circle):
            centre = contact + radius * normal
            axes.add_patch(
                patches.Circle(point2(centre), radius, facecolor=SKINS[1], edgecolor=INK, linewidth=1.4, zorder=2)
            )
        else:
            along = (
                np.array([normal[1], -normal[0]]) if isinstance(follower, Line) else 0.12 * np.array([way[1], -way[0]])
            )
            reach, up = 0.9 * size, normal if isinstance(follower, Line) else way
            tips = [contact] if not isinstance(follower, Line) else [contact + reach * along, contact - reach * along]
            top = contact + (0.25 if isinstance(follower, Line) else 0.7) * size * up
            corners = [*tips, top - reach * along, top + reach * along]
            axes.add_patch(patches.Polygon(corners, facecolor=SKINS[1], edgecolor=INK, linewidth=1.4, zorder=2))
        axes.plot(0, 0, "o", markersize=8, markerfacecolor="white", markeredgecolor=COLOURS[0], zorder=5)
        axes.plot(*np.array([(0, 0), 1.0 * contact]).T, color=QUIET, linewidth=0.8, linestyle="--", zorder=3)
        axes.annotate(
            "",
            point2(contact + 0.45 * size * normal),
            point2(contact),
            arrowprops={"arrowstyle": "-|>", "color": INK, "shrinkA": 0},
            zorder=6,
        )
        axes.plot(*contact, "o", color=INK, markersize=4, zorder=6)
        axes.margins(0.06)
        axes.autoscale_view()
        return finish(figure, path)


def _touch(cam: Cam, follower: object, way: np.ndarray, radius: float, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Point of contact and normal there."""
    x, z = ca.SX.sym("x"), ca.SX.sym("z")
    if isinstance(follower, Line):
        place = ca.Function("point", [x, z], list(cam.shape.support(x, z)))
        return np.array([float(v) for v in place(*way)]), way
    near = ca.Function("near", [x, z], list(cam.shape.near(x, z)))
    inner = 0.5 * float(np.min(np.linalg.norm(cam.shape.outline(np.zeros(0)), axis=1)))
    far = brentq(lambda d: float(near(*(d * way))[0]) - radius, inner, 1.01 * size + radius)
    gap, *normal = (float(v) for v in near(*(far * way)))
    n = np.array(normal)
    return far * way - gap * n, n
