"""Close-ups of a machine that travels far: a row of panels below the picture of its whole path."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from matplotlib.figure import Figure

from trundle.view.canvas import FlatCanvas, SpaceCanvas
from trundle.view.outline import Points
from trundle.view.pose_labels import time_text
from trundle.view.pose_painter import Painter
from trundle.view.style import QUIET

SMALL_PART: Final = 0.21  # of the picture: a machine below this is shown from near by
MOST: Final = 4  # panels
ROOM: Final = 0.1  # about the machine, in its size


def add_close_ups(figure: Figure, painter: Painter, samples: Sequence[int], t: Points, plane: str) -> None:
    """Make the figure taller and show the machine at a few of the samples below, all at one scale."""
    chosen = sorted({samples[round(k)] for k in np.linspace(0, len(samples) - 1, min(MOST, len(samples)))})
    clouds = [painter.cloud(i) for i in chosen]
    middles = [(cloud.min(axis=0) + cloud.max(axis=0)) / 2 for cloud in clouds]
    size = max(float(np.max(np.ptp(cloud, axis=0))) for cloud in clouds)
    half = np.max([np.ptp(cloud, axis=0) for cloud in clouds], axis=0) / 2 + ROOM * size
    near = replace(painter, size=size)
    width, height = figure.get_size_inches()
    side = width / len(chosen)
    flat = None if plane == "space" else FlatCanvas.shape(plane, half)
    tall = side * (0.8 if flat is None else min(max(flat, 0.4), 1.3))
    strip = tall + 0.35  # inches, with the times below the panels
    _lift(figure, strip)
    for k, (i, middle) in enumerate(zip(chosen, middles, strict=True)):
        at = (k / len(chosen) + 0.01, 0.33 / (height + strip), 1 / len(chosen) - 0.02, tall / (height + strip))
        axes = figure.add_axes(at, projection=None if flat else "3d", **({} if flat else {"computed_zorder": False}))
        low, high = middle - half, middle + half
        canvas = FlatCanvas(axes, plane) if flat else SpaceCanvas(axes, float(low[2]))
        near.pose(canvas, i)
        canvas.close_up(low, high)
        note = (k + 0.5) / len(chosen), 0.28 / (height + strip)
        figure.text(*note, time_text(float(t[i])), fontsize=8, color=QUIET, ha="center", va="top")


def _lift(figure: Figure, strip: float) -> None:
    """Make room below everything, in inches."""
    figure.draw_without_rendering()  # the layout is settled
    figure.set_layout_engine("none")
    width, height = figure.get_size_inches()
    for axes in figure.axes:
        x, y, wide, high = axes.get_position(original=True).bounds
        axes.set_position((x, (y * height + strip) / (height + strip), wide, high * height / (height + strip)))
    figure.set_size_inches(width, height + strip)
    for text in figure.texts:  # the title keeps its distance from the upper edge
        x, y = text.get_position()
        text.set_position((x, 1 - (1 - y) * height / (height + strip)))
