"""Pictures of a line: plan, curvature and cant bands, gradient and height."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from trundle.rail.track.rows import END
from trundle.typing import AnyArray, Array
from trundle.view.style import COLOURS, FAINT, INK, QUIET, finish, new_figure, style

if TYPE_CHECKING:
    from trundle.rail.track.alignment import Alignment

BANDS = ("#FFFFFF", FAINT)
SAMPLES = 1500


def plot_alignment(line: "Alignment", path: Path | str | None = None, width: float = 8.4) -> Figure:
    """Plan above; below it curvature, cant, and gradient with height, over the distance along the track."""
    s, left, right = _samples(line)
    profiled = bool(np.ptp(line.gradient(s)) or np.ptp(line.position(s)[:, 2]) or line.gradient(s)[0])
    with style():
        figure = new_figure(width, 7.6 if profiled else 6.2, f"{line.name}: {line.length:g} m")
        rows = figure.subplots(4 if profiled else 3, 1, height_ratios=(1.7, 1.0, 1.0, 1.0)[: 4 if profiled else 3])
        _draw_plan(rows[0], line, s)
        _band(rows[1], line, s, left, right, lambda at: 1e3 * at.k, "curvature (1/km)", COLOURS[0])
        _band(rows[2], line, s, left, right, lambda at: 2e3 * line.half_gauge * at.sin_b, "cant (mm)", COLOURS[1])
        if profiled:
            _band(
                rows[3], line, s, left, right, lambda at: 1e3 * at.sin_g / at.cos_g, "gradient (per mille)", COLOURS[2]
            )
            _draw_height(rows[3], line, s)
        for panel in rows[1:]:
            panel.set_xlim(0.0, line.length)
            panel.sharex(rows[1])
        for panel in rows[1:-1]:
            panel.tick_params(labelbottom=False)
        rows[-1].set_xlabel("distance along the track (m)")
        _name_segments(rows[1], line)
        return finish(figure, path)


def _samples(line: "Alignment") -> tuple[Array, AnyArray, AnyArray]:
    """Places along the line with both sides of every joint, and the rows that they belong to."""
    joints = line.rows[:-1, END]
    between = np.linspace(0.0, line.length, SAMPLES)
    s = np.sort(np.concatenate([between, joints, joints]))
    row = line.row_at(s)
    before = np.maximum(np.searchsorted(line.rows[:, END], s, side="left"), 0)
    return s, np.minimum(before, len(line.rows) - 1), row


def _band(
    panel: Axes,
    line: "Alignment",
    s: Array,
    left: AnyArray,
    right: AnyArray,
    of: Callable[..., Array],
    label: str,
    colour: str,
) -> None:
    """A quantity as a filled band; where it jumps both values are drawn."""
    values = of(line.local(s, left))
    values[1:] = np.where(np.diff(s) == 0.0, of(line.local(s, right))[1:], values[1:])
    panel.fill_between(s, 0.0, values, color=colour, alpha=0.22, linewidth=0)
    panel.plot(s, values, color=colour)
    panel.axhline(0.0, color=QUIET, linewidth=0.8)
    panel.set_ylabel(label)
    panel.margins(y=0.12)
    for i in range(len(line.segments)):
        panel.axvspan(line.starts[i], line.starts[i + 1], color=BANDS[i % 2], alpha=0.55, linewidth=0, zorder=0)


def _draw_plan(panel: Axes, line: "Alignment", s: Array) -> None:
    place = line.position(s)
    for i in range(len(line.segments)):
        inside = (s >= line.starts[i]) & (s <= line.starts[i + 1])
        panel.plot(place[inside, 0], place[inside, 1], color=COLOURS[0] if i % 2 == 0 else COLOURS[4], linewidth=2.2)
    ends = line.position(line.starts)
    panel.plot(ends[:, 0], ends[:, 1], "o", color=INK, markersize=3.2)
    panel.annotate("start", ends[0, :2], (0, 6), textcoords="offset points", fontsize=8, ha="center")
    panel.set_aspect("equal", adjustable="datalim")
    panel.margins(0.08)
    panel.set_xlabel("x (m)")
    panel.set_ylabel("y (m)")


def _draw_height(panel: Axes, line: "Alignment", s: Array) -> None:
    other = panel.twinx()
    other.plot(s, line.position(s)[:, 2], color=INK, linewidth=1.1, linestyle=(0, (5, 1.6)))
    other.set_ylabel("height (m), dashed")
    other.grid(visible=False)
    other.spines["right"].set_visible(True)


def _name_segments(panel: Axes, line: "Alignment") -> None:
    """Kinds of the segments above the first band, where there is room."""
    for i, segment in enumerate(line.segments):
        if segment.length > 0.05 * line.length:
            panel.annotate(
                type(segment).__name__, ((line.starts[i] + line.starts[i + 1]) / 2.0, 1.0),
                (0, 3), xycoords=panel.get_xaxis_transform(), textcoords="offset points", ha="center", fontsize=8,
                color=QUIET, annotation_clip=False,
            )  # fmt: skip
