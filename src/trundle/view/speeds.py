"""Eigenvalues over forward speed: real and imaginary parts, with the stable ranges shaded."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trundle.study.stability import Stability, moving
from trundle.typing import AnyArray
from trundle.view.style import COLOURS, INK, QUIET, finish, new_figure, style

STABLE = COLOURS[2]
STEADY, SWINGING = COLOURS[1], COLOURS[0]


def plot_stability(
    stability: Stability, path: Path | str | None = None, title: str | None = None, width: float = 7.6
) -> Figure:
    """Real parts above, imaginary parts below; oscillating motions have another colour than non-oscillating ones."""
    speeds = np.asarray(stability.speeds)
    branches = follow([moving(one.eigenvalues, stability.neutral) for one in stability.linearisations])
    with style():
        figure = new_figure(width, 0.86 * width, "Eigenvalues over speed" if title is None else title)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1.5, 1))
        for branch in branches:
            _draw(above, below, speeds, branch)
        for panel in (above, below):
            for low, high in stability.ranges:
                panel.axvspan(low, high, color=STABLE, alpha=0.13, linewidth=0, zorder=0)
            panel.axhline(0, color=QUIET, linewidth=0.8, zorder=1)
            panel.margins(y=0.06)
        _limit(above, branches)
        below.set_ylim(bottom=0)
        below.set_xlim(speeds[0], speeds[-1])
        unit = f" ({stability.unit})" if stability.unit else ""
        below.set_xlabel(f"{stability.quantity}{unit}")
        above.set_ylabel("real part (1/s)")
        below.set_ylabel("imaginary part (rad/s)")
        _name_ranges(above, stability)
        lines = [Line2D([], [], color=colour) for colour in (SWINGING, STEADY)]
        above.legend(lines, ["oscillating", "not oscillating"], loc="upper right")
        return finish(figure, path)


def follow(eigenvalues: list[AnyArray]) -> AnyArray:
    """Branches of eigenvalues, one row each: nearest eigenvalues of neighbouring speeds are joined."""
    from scipy.optimize import linear_sum_assignment

    count = max(len(v) for v in eigenvalues)
    rows = [np.concatenate([v, np.full(count - len(v), np.nan)]) for v in eigenvalues]
    branches = [rows[0]]
    for row in rows[1:]:
        distance = np.abs(branches[-1][:, None] - row[None, :])
        _, order = linear_sum_assignment(np.nan_to_num(distance, nan=1e12))
        branches.append(row[order])
    return np.array(branches).T


def _draw(above: Axes, below: Axes, speeds: AnyArray, branch: AnyArray) -> None:
    swings = np.abs(branch.imag) > 1e-9 * max(1.0, float(np.nanmax(np.abs(branch))))
    near = swings | np.roll(swings, 1) | np.roll(swings, -1)  # one point more, so that the lines meet
    above.plot(speeds, np.where(swings, np.nan, branch.real), color=STEADY)
    above.plot(speeds, np.where(near, branch.real, np.nan), color=SWINGING, zorder=1.9)
    below.plot(speeds, np.where(near & (branch.imag >= 0), branch.imag, np.nan), color=SWINGING)


def _limit(panel: Axes, branches: AnyArray) -> None:
    """Limit the axis, so that a strongly damped motion does not flatten the lines near zero."""
    highest = float(np.nanmax(branches.real, initial=0.0))
    lowest = float(np.nanmin(branches.real, initial=0.0))
    floor = -2.0 * max(highest, 0.2 * -lowest)
    if lowest < floor:
        panel.set_ylim(bottom=floor)


def _name_ranges(panel: Axes, stability: Stability) -> None:
    """Borders of the stable ranges above the panel."""
    first, last = stability.speeds[0], stability.speeds[-1]
    for low, high in stability.ranges:
        panel.annotate(
            "stable", ((low + high) / 2, 0.02), xycoords=panel.get_xaxis_transform(), ha="center", va="bottom",
            fontsize=9, color=STABLE,
        )  # fmt: skip
        for border in (low, high):
            if border not in (first, last):
                panel.annotate(
                    f"{border:.4f}", (border, 1.0), (0, 3), xycoords=panel.get_xaxis_transform(),
                    textcoords="offset points", ha="center", va="bottom", fontsize=8, color=INK, annotation_clip=False,
                )  # fmt: skip
