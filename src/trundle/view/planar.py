"""A picture of a planar pair in its plane: both curves in contact, and the two equivalent joints
[Meijaard 2024, Fig. 2].
"""

from collections.abc import Sequence
from pathlib import Path

import casadi as ca
import numpy as np
from matplotlib import patches
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from trundle.errors import ModelError
from trundle.pairs.cam import Cam
from trundle.pairs.planar import Circle, Line, PlanarPair
from trundle.pairs.surface import Surface
from trundle.space.chain import Chain, Screw
from trundle.typing import Look
from trundle.view.cam import draw_cam_pair
from trundle.view.style import COLOURS, INK, finish, new_figure, point2, style

SKINS = ("#C9DCEB", "#F3D3B8")


def draw_planar_pair(
    pair: PlanarPair,
    coordinates: Sequence[float] | None = None,
    path: Path | str | None = None,
    title: str | None = None,
    width: float = 5.2,
) -> Figure:
    """Both curves at coordinates of the pair, with the joints at their places and the common normal; x to the right, z
    up, seen along y.
    """
    if isinstance(pair.first, Cam):
        if coordinates is not None and len(coordinates) != 1:
            raise ModelError(
                f"a picture of a cam takes one coordinate, the angle of its follower, got {coordinates!r}."
            )
        return draw_cam_pair(pair, float(coordinates[0]) if coordinates else 0.0, path, title, width)
    chain = pair.chain()
    q = np.zeros(chain.n_q) if coordinates is None else np.asarray(coordinates, dtype=float)
    if q.shape != (chain.n_q,) or not np.all(np.isfinite(q)):
        names = ", ".join(step.name for step in chain.steps)
        raise ModelError(f"a picture of this pair takes {chain.n_q} finite coordinates ({names}), got {coordinates!r}.")
    contact, normal = _contact(pair, q)
    size = max((float(s.radius) for s in (pair.first, pair.second) if isinstance(s, Circle)), default=1.0)
    with style():
        figure = new_figure(width, width, pair.title if title is None else title)
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set_aspect("equal")
        R, p = (np.array(ca.DM(v)) for v in chain.pose(ca.SX(ca.DM(q))))
        hollow_last = sorted(
            (((pair.first, np.eye(3), np.zeros(3)), 0), ((pair.second, R, p.ravel()), 1)),
            key=lambda part: not _hollow(part[0][0]),
        )
        for (curve, turn, place), which in hollow_last:
            _draw_curve(axes, curve, turn, place, contact, size, which == 0)
        for i, step in enumerate(chain.steps):
            _draw_joint(axes, chain, q, i, contact, size, COLOURS[i], step.name)
        tip = contact + 0.45 * size * normal
        axes.annotate(
            "",
            point2(tip[[0, 2]]),
            point2(contact[[0, 2]]),
            arrowprops={"arrowstyle": "-|>", "color": INK, "shrinkA": 0},
        )
        axes.plot(*contact[[0, 2]], "o", color=INK, markersize=4, zorder=6)
        axes.margins(0.06)
        axes.autoscale_view()
        return finish(figure, path)


def _hollow(curve: Surface) -> bool:
    return isinstance(curve, Circle) and curve.inside


def _contact(pair: PlanarPair, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Point of contact and normal out of the first curve, in its frame."""
    on_first = 0 if pair.first.dimension == 0 else 1
    chart = pair.charts[0]
    steps = pair.chain().steps[:on_first]
    R, p = (np.array(ca.DM(v)) for v in Chain(*steps, end=chart.contact).pose(ca.SX(ca.DM(q[:on_first]))))
    return p.ravel(), R[:, 2]


def _draw_curve(
    axes: Axes, curve: Surface, turn: np.ndarray, place: np.ndarray, contact: np.ndarray, size: float, first: bool
) -> None:
    """A disc or the hole of a ring, a half plane, or a wedge that ends at its vertex."""
    at, skin = place[[0, 2]], SKINS[0 if first else 1]
    look: Look = {"edgecolor": INK, "linewidth": 1.4}
    if isinstance(curve, Circle):
        radius = float(curve.radius)
        if curve.inside:
            axes.add_patch(patches.Circle(point2(at), 1.25 * radius, facecolor=skin, edgecolor="none", zorder=1))
        axes.add_patch(
            patches.Circle(point2(at), radius, facecolor="white" if curve.inside else skin, zorder=2, **look)
        )
        mark = at + radius * (turn @ [0.0, 0.0, 1.0])[[0, 2]]  # shows how the body is turned
        axes.plot(*np.array([at + 0.8 * (mark - at), mark]).T, color=INK, linewidth=1.4, zorder=3)
        return
    along, inner = (turn @ [1.0, 0.0, 0.0])[[0, 2]], (turn @ [0.0, 0.0, -1.0])[[0, 2]]
    if isinstance(curve, Line):
        middle = at + along * ((contact[[0, 2]] - at) @ along)
        ends = [middle - 1.3 * size * along, middle + 1.3 * size * along]
        corners = [*ends, ends[1] + 0.3 * size * inner, ends[0] + 0.3 * size * inner]
        axes.add_patch(patches.Polygon(corners, facecolor=skin, edgecolor="none", zorder=1))
        axes.plot(*np.array(ends).T, color=INK, linewidth=1.6, zorder=3)
        return
    inner = inner if first else -inner  # the bodies lie on both sides of the contact
    corners = [at, at + 0.8 * size * inner + 0.25 * size * along, at + 0.8 * size * inner - 0.25 * size * along]
    axes.add_patch(patches.Polygon(corners, facecolor=skin, zorder=4, **look))


def _draw_joint(
    axes: Axes, chain: Chain, q: np.ndarray, i: int, contact: np.ndarray, size: float, colour: str, name: str
) -> None:
    """A pivot as a small circle at its place, a slide as a double arrow beside the contact."""
    step = chain.steps[i]
    assert isinstance(step, Screw)
    R, p = (np.array(ca.DM(v)) for v in Chain(*chain.steps[:i]).pose(ca.SX(ca.DM(q[:i]))))
    if not step.slides:
        at = (p.ravel() + R @ np.array([float(v) for v in step.at]))[[0, 2]]
        axes.add_patch(
            patches.Circle(point2(at), 0.05 * size, facecolor="white", edgecolor=colour, linewidth=1.8, zorder=7)
        )
        axes.text(*point2(at + 0.09 * size), f"R  {name}", color=colour, fontsize=9, zorder=7)
        return
    direction = (R @ [1.0, 0.0, 0.0])[[0, 2]]
    across = np.array([direction[1], -direction[0]])
    middle = contact[[0, 2]] + 0.55 * size * direction + 0.12 * size * across
    ends = middle - 0.3 * size * direction, middle + 0.3 * size * direction
    axes.annotate("", point2(ends[1]), point2(ends[0]), arrowprops={"arrowstyle": "<|-|>", "color": colour}, zorder=7)
    axes.text(*point2(ends[1] + 0.06 * size * direction), f"P  {name}", color=colour, fontsize=9, va="center", zorder=7)
