"""Two canvases with the same strokes: a plane seen face on, and space in perspective."""

from typing import Any, Protocol, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon
from mpl_toolkits.mplot3d import Axes3D
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from trundle.view.outline import Points
from trundle.view.style import FAINT, INK, QUIET

PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


class Painter(Protocol):
    """Strokes in ground coordinates."""

    def line(self, points: Points, **look: Any) -> None: ...
    def face(self, points: Points, colour: str, alpha: float, order: float) -> None: ...
    def ball(self, centre: Points, radius: float, colour: str, alpha: float, order: float) -> None: ...
    def pin(self, point: Points, alpha: float, order: float) -> None: ...
    def support(self, point: Points, size: float) -> None: ...
    def frame(self, low: Points, high: Points) -> None: ...


@final
class FlatPainter:
    """A plane of the ground seen face on."""

    def __init__(self, figure: Figure, plane: str) -> None:
        self.axes: Axes = figure.subplots()
        self.plane = plane
        self.at = list(PLANES[plane])

    def line(self, points: Points, **look: Any) -> None:
        self.axes.plot(*points[:, self.at].T, solid_joinstyle="round", **look)

    def face(self, points: Points, colour: str, alpha: float, order: float) -> None:
        flat = points[:, self.at]
        self.axes.add_patch(Polygon(flat, closed=True, facecolor=colour, alpha=0.28 * alpha, linewidth=0, zorder=order))
        self.axes.add_patch(Polygon(flat, closed=True, fill=False, edgecolor=colour, alpha=alpha, linewidth=1.3, zorder=order))

    def ball(self, centre: Points, radius: float, colour: str, alpha: float, order: float) -> None:
        self.axes.add_patch(Circle(tuple(centre[0, self.at]), radius, facecolor=colour, edgecolor="white", linewidth=0.8,
                                   alpha=alpha, zorder=order))  # fmt: skip

    def pin(self, point: Points, alpha: float, order: float) -> None:
        self.axes.plot(*point[self.at], "o", markersize=5, markerfacecolor="white", markeredgecolor=INK,
                       markeredgewidth=1.1, alpha=alpha, zorder=order)  # fmt: skip

    def support(self, point: Points, size: float) -> None:
        """The triangle of a joint on the ground, with hatched earth below."""
        x, y = point[self.at]
        h = 0.045 * size
        triangle = [(x, y), (x - 0.7 * h, y - h), (x + 0.7 * h, y - h)]
        self.axes.add_patch(Polygon(triangle, facecolor=FAINT, edgecolor=INK, linewidth=1.0, zorder=1.5))
        earth = [(x - h, y - h), (x + h, y - h), (x + h, y - 1.35 * h), (x - h, y - 1.35 * h)]
        self.axes.add_patch(Polygon(earth, facecolor="none", edgecolor=QUIET, hatch="/////", linewidth=0, zorder=1.4))
        self.axes.plot([x - h, x + h], [y - h, y - h], color=INK, linewidth=1.2, zorder=1.6)

    def frame(self, low: Points, high: Points) -> None:
        self.axes.set_aspect("equal")
        self.axes.set_xlim(low[self.at[0]], high[self.at[0]])
        self.axes.set_ylim(low[self.at[1]], high[self.at[1]])
        self.axes.set_xlabel(f"{self.plane[0]} (m)")
        self.axes.set_ylabel(f"{self.plane[1]} (m)")


@final
class SpacePainter:
    """Space seen from above at an angle, the shadow of every stroke on the floor."""

    def __init__(self, figure: Figure, floor: float) -> None:
        axes = figure.add_subplot(projection="3d", computed_zorder=False)
        assert isinstance(axes, Axes3D)
        self.axes = axes
        self.floor = floor

    def line(self, points: Points, **look: Any) -> None:
        look.pop("path_effects", None)
        self.axes.plot(*points.T, **look)
        shade = 0.5 * float(look.get("alpha", 1.0))
        width = 0.8 * float(look.get("linewidth", 1.0))
        self.axes.plot(points[:, 0], points[:, 1], np.full(len(points), self.floor), color=FAINT, linewidth=width,
                       alpha=shade, zorder=0.5)  # fmt: skip

    def face(self, points: Points, colour: str, alpha: float, order: float) -> None:
        self.axes.add_collection3d(Poly3DCollection([points], facecolors=colour, edgecolors="none", alpha=0.3 * alpha, zorder=order))
        self.axes.plot(*np.vstack([points, points[:1]]).T, color=colour, linewidth=1.1, alpha=alpha, zorder=order)
        shadow = points.copy()
        shadow[:, 2] = self.floor
        self.axes.add_collection3d(Poly3DCollection([shadow], facecolors=FAINT, edgecolors="none", alpha=0.5 * alpha, zorder=0.5))

    def ball(self, centre: Points, radius: float, colour: str, alpha: float, order: float) -> None:
        u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 25), np.linspace(0, np.pi, 13))
        sphere = np.array([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)]) * radius
        self.axes.plot_surface(*(sphere + centre[0][:, None, None]), color=colour, alpha=alpha, linewidth=0, zorder=order)

    def pin(self, point: Points, alpha: float, order: float) -> None:
        self.axes.plot(*point[:, None], "o", markersize=3.5, markerfacecolor="white", markeredgecolor=INK,
                       markeredgewidth=0.9, alpha=alpha, zorder=order)  # fmt: skip

    def support(self, point: Points, size: float) -> None:
        self.axes.plot(*point[:, None], "s", markersize=8, markerfacecolor=FAINT, markeredgecolor=INK, zorder=1.5)
        post = np.array([point, [point[0], point[1], self.floor]])
        self.axes.plot(*post.T, color=QUIET, linewidth=0.8, linestyle=(0, (2, 2)), zorder=1.0)

    def frame(self, low: Points, high: Points) -> None:
        self.axes.set_box_aspect(tuple(high - low), zoom=1.1)
        for name, axis, a, b in zip("xyz", (self.axes.xaxis, self.axes.yaxis, self.axes.zaxis), low, high, strict=True):
            axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
            axis.set_major_locator(_few_ticks())
            getattr(self.axes, f"set_{name}lim")(a, b)
            getattr(self.axes, f"set_{name}label")(f"{name} (m)")
        self.axes.view_init(elev=22, azim=-58)


def _few_ticks() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)
