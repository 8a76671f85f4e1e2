"""Areas of a map: polygons cut by straight lines, and names written where an area is widest."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from trundle.typing import Array, Flags, Look, Untyped
from trundle.view.style import INK

Cut = tuple[float, float, float]  # keeps the points with a x + b y >= c
FONT = 9.0  # size of names


def cut_polygon(points: Array, cuts: Sequence[Cut]) -> Array:
    """What is left of a polygon, given by its corners, on the good side of all cuts."""
    for a, b, c in cuts:
        if len(points) == 0:
            break
        depth = points @ np.array([a, b]) - c
        kept = []
        for i in range(len(points)):
            j = (i + 1) % len(points)
            if depth[i] >= 0:
                kept.append(points[i])
            if (depth[i] >= 0) != (depth[j] >= 0):
                kept.append(points[i] + (points[j] - points[i]) * depth[i] / (depth[i] - depth[j]))
        points = np.array(kept).reshape(-1, 2)
    return points


def name_region(axes: Axes, x: Array, y: Array, inside: Flags, name: str, drawn: Sequence[Untyped]) -> None:
    """Write a name in the widest place of an area, given as a mask on a grid, if there is room for it.

    Masks of what is drawn across the area are kept clear of as long as that leaves room.
    """
    from scipy.ndimage import distance_transform_edt, minimum_filter

    lines = name.split("\n")
    box = axes.get_window_extent().transformed(axes.figure.dpi_scale_trans.inverted())
    per_column, per_row = box.width / len(x), box.height / len(y)  # inches
    wide, high = max(map(len, lines)) * FONT * 0.55 / 72 + 0.1, len(lines) * FONT * 1.25 / 72 + 0.08
    room = (int(high / per_row) | 1, int(wide / per_column) | 1)
    for crossing in (drawn, ()):
        free = np.array(inside, bool)
        for mask in crossing:
            free &= ~mask
        fits = minimum_filter(free, size=room, mode="constant", cval=0)
        if fits.any():
            break
    else:
        return
    depth = np.asarray(distance_transform_edt(np.pad(fits, 1), sampling=(per_row, per_column)))[1:-1, 1:-1]
    row, column = np.unravel_index(int(np.argmax(depth)), depth.shape)
    halo = [withStroke(linewidth=2.5, foreground="white", alpha=0.8)]
    look: Look = {"ha": "center", "va": "center", "color": INK, "zorder": 6, "path_effects": halo}
    axes.text(x[column], y[row], name, fontsize=FONT, **look)
