"""Signs of the four changes of motion over the half-plane of percussion centres."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Polygon

from trundle.view.regions import cut_polygon
from trundle.view.style import INK, QUIET, finish, new_figure, style
from trundle.walker.impact.percussion import PercussionPlane
from trundle.walker.pictures.percussion_panel import Window, draw_panel, draw_spokes

SIGNS = {1: "#A9CBE6", -1: "#E9A9A0"}


def plot_signs(half_angle: float, path: Path | str | None = None, width: float = 9.4) -> Figure:
    """Signs of the changes of angular, tangential and both normal velocities over the half-plane, in four panels."""
    plane = PercussionPlane(half_angle)
    window = Window(plane, None)
    s, c = plane.reach, plane.height
    left, right = [(-1.0, 0.0, 0.0)], [(1.0, 0.0, 0.0)]
    panels = {
        "angular velocity": ("clockwise", "counter-clockwise", [right], [left]),
        "tangential velocity": (
            "forward",
            "backward",
            [[*left, (0.0, 1.0, -c)]],
            [[*left, (0.0, -1.0, c)], right],
        ),
        "normal velocity, front foot": (
            "up",
            "down (jamb)",
            [left, [(1.0, 0.0, s)]],
            [[*right, (-1.0, 0.0, -s)]],
        ),
        "normal velocity, back foot": (
            "up",
            "down (DP)",
            [[(-1.0, 0.0, s)], right],
            [[*left, (1.0, 0.0, -s)]],
        ),
    }
    inside = (-np.sin(half_angle), np.cos(half_angle), 0.0)
    with style():
        title = f"Changes of motion by the place of the percussion centre, β = {np.degrees(half_angle):.4g}°"
        figure = new_figure(width, width * window.ratio + 1.1, title)
        for axes, (name, (up, down, plus, minus)) in zip(figure.subplots(2, 2).flat, panels.items(), strict=True):
            draw_panel(axes, window).set_title(f"Change of {name}", loc="left")
            for sign, areas in ((1, plus), (-1, minus)):
                for cuts in areas:
                    polygon = cut_polygon(window.corners, [inside, *cuts])
                    if len(polygon):
                        axes.add_patch(Polygon(polygon, closed=True, facecolor=SIGNS[sign], edgecolor="none", zorder=0))
            for x in (-s, 0.0, s):
                axes.axvline(x, color=QUIET, linewidth=0.7, linestyle=(0, (4, 2)))
            axes.axhline(-c, color=INK, linewidth=1.0)
            draw_spokes(axes, plane)
            axes.legend(
                handles=[Patch(facecolor=SIGNS[1], label=up), Patch(facecolor=SIGNS[-1], label=down)],
                loc="lower right",
                frameon=True,
                framealpha=1.0,
                edgecolor="none",
            )
        return finish(figure, path, formulas=True)
