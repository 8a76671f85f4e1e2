"""What all pictures of the half-plane of percussion centres share: the part shown, the axes, the spokes."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from trundle.typing import Array, Look
from trundle.view.style import INK
from trundle.walker.impact.percussion import Line, PercussionPlane

FARTHEST = 3.0  # lengths of spoke; centres up to here are brought into the picture
STEPS = 200  # of the grid that is searched for places of names


class Window:
    """The part of the plane that is shown, in lengths of spoke."""

    def __init__(
        self, plane: PercussionPlane, inertia_ratio: float | None, points: Sequence[tuple[float, float]] = ()
    ) -> None:
        s, c = plane.reach, plane.height
        lam = 1.0 if inertia_ratio is None else max(1.0, inertia_ratio)
        self.left, self.right = -min(max(2.3, 1.12 * (lam + c * c) / s), 6.0), 1.25 + 0.5 * s
        self.low = -max(1.5, 1.9 * c)
        self.high = max(
            -self.low, min(1.35 * s * s / c, 2.6)
        )  # with room for the corner of the jamb domain, (s, s^2/c)
        for x, y in points:
            if max(abs(x), abs(y)) < FARTHEST:
                self.left, self.right = min(self.left, x - 0.3), max(self.right, x + 0.3)
                self.low, self.high = min(self.low, y - 0.3), max(self.high, y + 0.3)
        self.corners = np.array(
            [[self.left, self.low], [self.right, self.low], [self.right, self.high], [self.left, self.high]]
        )

    def nearest(self, x: float, y: float, line: Line) -> tuple[tuple[float, float], bool]:
        """A point of a line, or where the line leaves the picture towards it, and whether it is shown.

        A point at infinity is taken at the back of the line.
        """
        (x0, y0), (dx, dy) = line
        if not (np.isfinite(x) and np.isfinite(y)):
            x, y = x0 - 1e9 * dx, y0 - 1e9 * dy
        ahead, up = x - x0, y - y0
        reach = [
            ((self.right if ahead > 0 else self.left) - x0) / ahead if ahead else np.inf,
            ((self.high if up > 0 else self.low) - y0) / up if up else np.inf,
        ]
        share = min(0.97 * min(reach), 1.0)
        return (x0 + ahead * share, y0 + up * share), share == 1.0

    def grid(self) -> tuple[Array, Array, Array, Array]:
        """Places along both axes, and their meshes."""
        x, y = np.linspace(self.left, self.right, STEPS), np.linspace(self.low, self.high, STEPS)
        return (x, y, *np.meshgrid(x, y))

    @property
    def ratio(self) -> float:
        """Height over width."""
        return float((self.high - self.low) / (self.right - self.left))


def draw_panel(axes: Axes, window: Window) -> Axes:
    """Equal scales, in lengths of spoke."""
    axes.set_aspect("equal")
    axes.grid(False)
    axes.set_xlim(window.left, window.right)
    axes.set_ylim(window.low, window.high)
    axes.set_xlabel("x / L, forward from G")
    axes.set_ylabel("y / L, up from G")
    return axes


def draw_spokes(axes: Axes, plane: PercussionPlane) -> None:
    """The two spokes whose feet can touch, with their names."""
    s, c = plane.reach, plane.height
    axes.plot([-s, 0, s], [-c, 0, -c], color=INK, linewidth=2.2, marker="o", markersize=4.5, zorder=5)
    halo = [withStroke(linewidth=2.5, foreground="white", alpha=0.8)]
    for x, y, name, shift in ((0, 0, "G", 0), (s, -c, "Q$_f$", 10), (-s, -c, "Q$_b$", 10)):
        look: Look = {"ha": "center", "color": INK, "zorder": 7, "path_effects": halo}
        axes.annotate(name, (x, y), (shift, -17), textcoords="offset points", **look)
