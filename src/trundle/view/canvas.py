"""Two canvases with the same drawing functions: a plane in front view, and space in perspective."""

from itertools import product
from typing import Protocol, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d import Axes3D, proj3d
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from trundle.typing import Look, Option
from trundle.view.outline import Points
from trundle.view.style import FAINT, INK, QUIET, point2

ABOVE, BELOW = 0.06, 0.115  # room for the title, and for ticks, labels and times, in widths of the figure
PLANES = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


class Canvas(Protocol):
    """Strokes in ground coordinates."""

    def line(self, points: Points, **look: Option) -> None: ...
    def face(self, points: Points, colour: str, alpha: float, order: float) -> None: ...
    def ball(self, centre: Points, radius: float, colour: str, alpha: float, order: float) -> None: ...
    def pin(self, point: Points, alpha: float, order: float) -> None: ...
    def support(self, point: Points, size: float, hanging: Points) -> None: ...
    def frame(self, low: Points, high: Points) -> None: ...
    def close_up(self, low: Points, high: Points) -> None: ...
    def seen(self, points: Points) -> Points: ...
    def label(self, place: Points, way: Points, text: str) -> None: ...


@final
class FlatCanvas:
    """A plane of the ground seen face on."""

    def __init__(self, axes: Axes, plane: str) -> None:
        self.axes = axes
        self.plane = plane
        self.at = list(PLANES[plane])

    def line(self, points: Points, **look: Option) -> None:
        self.axes.plot(*points[:, self.at].T, solid_joinstyle="round", **look)

    def face(self, points: Points, colour: str, alpha: float, order: float) -> None:
        flat = points[:, self.at]
        self.axes.add_patch(Polygon(flat, closed=True, facecolor=colour, alpha=0.28 * alpha, linewidth=0, zorder=order))
        self.axes.add_patch(
            Polygon(flat, closed=True, fill=False, edgecolor=colour, alpha=alpha, linewidth=1.3, zorder=order)
        )

    def ball(self, centre: Points, radius: float, colour: str, alpha: float, order: float) -> None:
        place = tuple(centre[0, self.at])
        look: Look = {"facecolor": colour, "edgecolor": "white", "linewidth": 0.8, "alpha": alpha}
        self.axes.add_patch(Circle(place, radius, zorder=order, **look))

    def pin(self, point: Points, alpha: float, order: float) -> None:
        self.axes.plot(*point[self.at], "o", markersize=5, markerfacecolor="white", markeredgecolor=INK,
                       markeredgewidth=1.1, alpha=alpha, zorder=order)  # fmt: skip

    def support(self, point: Points, size: float, hanging: Points) -> None:
        """The triangle of a joint on the ground, with hatched earth; upside down when the mechanism hangs from it."""
        x, y = point[self.at]
        h = 0.045 * size * (-1.0 if hanging[self.at[1]] < y - 0.15 * size else 1.0)
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

    @staticmethod
    def shape(plane: str, extent: Points) -> float:
        """Height over width of a box in the picture."""
        a, b = PLANES[plane]
        return float(extent[b] / extent[a])

    def close_up(self, low: Points, high: Points) -> None:
        """Limits without axes: a panel beside the picture."""
        self.frame(low, high)
        self.axes.set(xlabel="", ylabel="", xticks=(), yticks=())
        for spine in self.axes.spines.values():
            spine.set(visible=True, color=FAINT)

    def seen(self, points: Points) -> Points:
        """Points (n, 3) on the picture, (n, 2)."""
        return points[:, self.at]

    def label(self, place: Points, way: Points, text: str) -> None:
        _label(self.axes, place, way, text)


@final
class SpaceCanvas:
    """Space seen from above at an angle, the shadow of every stroke on the floor."""

    def __init__(self, axes: Axes, floor: float) -> None:
        assert isinstance(axes, Axes3D)
        self.axes = axes
        self.floor = floor

    def line(self, points: Points, **look: Option) -> None:
        self.axes.plot(*points.T, **look)
        shade = 0.5 * float(look.get("alpha", 1.0))
        width = 0.8 * float(look.get("linewidth", 1.0))
        self.axes.plot(points[:, 0], points[:, 1], np.full(len(points), self.floor), color=FAINT, linewidth=width,
                       alpha=shade, zorder=0.5)  # fmt: skip

    def face(self, points: Points, colour: str, alpha: float, order: float) -> None:
        self.axes.add_collection3d(
            Poly3DCollection([points], facecolors=colour, edgecolors="none", alpha=0.3 * alpha, zorder=order)
        )
        self.axes.plot(*np.vstack([points, points[:1]]).T, color=colour, linewidth=1.1, alpha=alpha, zorder=order)
        shadow = points.copy()
        shadow[:, 2] = self.floor
        self.axes.add_collection3d(
            Poly3DCollection([shadow], facecolors=FAINT, edgecolors="none", alpha=0.5 * alpha, zorder=0.5)
        )

    def ball(self, centre: Points, radius: float, colour: str, alpha: float, order: float) -> None:
        u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 25), np.linspace(0, np.pi, 13))
        sphere = np.array([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)]) * radius
        x, y, z = sphere + centre[0][:, None, None]
        self.axes.plot_surface(x, y, z, color=colour, alpha=alpha, linewidth=0, shade=False, zorder=order)

    def pin(self, point: Points, alpha: float, order: float) -> None:
        self.axes.plot(*point[:, None], "o", markersize=3.5, markerfacecolor="white", markeredgecolor=INK,
                       markeredgewidth=0.9, alpha=alpha, zorder=order)  # fmt: skip

    def support(self, point: Points, size: float, hanging: Points) -> None:
        self.axes.plot(*point[:, None], "s", markersize=8, markerfacecolor=FAINT, markeredgecolor=INK, zorder=1.5)
        post = np.array([point, [point[0], point[1], self.floor]])
        self.axes.plot(*post.T, color=QUIET, linewidth=0.8, linestyle=(0, (2, 2)), zorder=1.0)

    def frame(self, low: Points, high: Points) -> None:
        self.axes.set_box_aspect(tuple(high - low))
        for name, axis, a, b in zip("xyz", (self.axes.xaxis, self.axes.yaxis, self.axes.zaxis), low, high, strict=True):
            axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
            self.axes.set(**{f"{name}lim": (a, b), f"{name}label": f"{name} (m)"})
        self.axes.view_init(elev=22, azim=-58)
        self._number(high - low)
        self._fill(np.array(list(product(*zip(low, high, strict=True)))))

    def _number(self, extent: Points) -> None:
        """Fewer numbers along short edges; the lowest height is left out, where another edge ends."""
        for axis, part in zip((self.axes.xaxis, self.axes.yaxis, self.axes.zaxis), extent / max(extent), strict=True):
            lowest = "lower" if axis is self.axes.zaxis else None
            axis.set_major_locator(MaxNLocator(int(np.clip(round(7 * part), 1, 4)), prune=lowest))

    def close_up(self, low: Points, high: Points) -> None:
        """Limits without axes: a panel beside the picture."""
        self.axes.set_box_aspect(tuple(high - low), zoom=1.45)
        self.axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
        self.axes.set_axis_off()
        self.axes.view_init(elev=22, azim=-58)

    def _fill(self, corners: Points) -> None:
        """Let the box fill the width of the figure and fit the height to it; else a third of the page stays empty."""
        figure = self.axes.get_figure()
        assert isinstance(figure, Figure)
        figure.set_layout_engine("none")
        width, height = figure.get_size_inches()
        self.axes.set_position((0.0, 0.0, 1.0, width / height))
        self.axes.apply_aspect()
        x, y, _ = proj3d.proj_transform(*corners.T, self.axes.get_proj())
        seen = self.axes.transData.transform(np.column_stack([x, y])) / (figure.dpi * width)  # in widths of the figure
        low, high = seen.min(axis=0), seen.max(axis=0)
        scale = min(0.80 / (high[0] - low[0]), 1.0 / (high[1] - low[1]))
        tall = scale * (high[1] - low[1]) + BELOW + ABOVE
        figure.set_size_inches(width, width * tall)
        left = 0.48 - scale * (low[0] + high[0]) / 2
        self.axes.set_position((left, (BELOW - scale * low[1]) / tall, scale, scale / tall))

    def seen(self, points: Points) -> Points:
        """Points (n, 3) on the picture, (n, 2)."""
        x, y, _ = proj3d.proj_transform(*points.T, self.axes.get_proj())
        return np.column_stack([x, y])

    def label(self, place: Points, way: Points, text: str) -> None:
        _label(self.axes, place, way, text)


def _label(axes: Axes, place: Points, way: Points, text: str) -> None:
    """A small text beside a place of the picture (2), on the side that `way` points to."""
    x, y = way
    look: Look = {"fontsize": 7.5, "color": QUIET, "zorder": 20, "annotation_clip": False}
    across = "center" if abs(x) < 0.3 else "left" if x > 0 else "right"
    along = "center" if abs(y) < 0.3 else "bottom" if y > 0 else "top"
    axes.annotate(text, point2(place), (4 * x, 4 * y), textcoords="offset points", ha=across, va=along, **look)
