"""The bifurcation diagram of a vehicle."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from trundle.typing import Flags
from trundle.view.style import COLOURS, INK, QUIET, finish, new_figure, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trundle.rail.analysis.hunting import Hunting

UNSTABLE = (0, (4, 2))


def hunting_picture(found: "Hunting", path: Path | str | None) -> "Figure":
    """Swing of the first wheelset and Floquet multiplier over speed."""
    branch, swing = found.branch, 1e3 * found.swing
    v, stable = branch.parameter, branch.stable
    largest = np.array([float(np.exp(j.growth[0])) for j in branch.judgements])
    with style():
        figure = new_figure(7.6, 6.4, "limit cycles over speed")
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
        for axes, values in ((above, swing), (below, largest)):
            for points, holds in _stretches(stable):
                axes.plot(v[points], values[points], color=COLOURS[0], linestyle="-" if holds else UNSTABLE)
        span = np.array([v.min(), v.max()])
        low, high = span + np.array([-0.04, 0.04]) * max(np.ptp(span), 0.5)
        above.plot([low, found.critical], [0, 0], color=COLOURS[1])
        above.plot([found.critical, high], [0, 0], color=COLOURS[1], linestyle=UNSTABLE)
        above.plot(found.critical, 0, "s", color=INK, markersize=5)
        for fold in branch.all("fold"):
            half = np.ptp(branch.point_values.at(fold.node.place)[found.coordinate]) / 2
            above.plot(fold.parameter, 1e3 * half, "o", color=INK, markersize=5, zorder=3)
        shown = found.ramp_speeds >= low
        above.plot(found.ramp_speeds[shown], 1e3 * found.ramp_swing[shown], ".", color=COLOURS[2], markersize=6)
        below.axhline(1.0, color=QUIET, linewidth=0.8)
        lines = [Line2D([], [], color=COLOURS[0]), Line2D([], [], color=COLOURS[0], linestyle=UNSTABLE)]
        marks = ((COLOURS[1], ""), (INK, "s"), (INK, "o"), (COLOURS[2], "."))
        lines += [Line2D([], [], color=c, marker=m, linestyle="" if m else "-", markersize=5) for c, m in marks]
        texts = ["stable cycle", "unstable cycle", "straight running", "Hopf", "saddle-node", "ramp down"]
        above.legend(lines, texts, loc="best")
        above.set_ylabel(f"swing of {found.coordinate} (mm)")
        below.set_ylabel("largest multiplier")
        below.set_xlabel("speed (m/s)")
        below.set_xlim(low, high)
        above.annotate("\n".join(found.contacts), (0.99, 1.01), xycoords="axes fraction", ha="right", fontsize=8)
        return finish(figure, path)


def _stretches(stable: Flags) -> Iterator[tuple[slice, bool]]:
    """Points of a branch between which it is stable throughout, or not: one unstable end makes a piece unstable."""
    pieces = stable[:-1] & stable[1:]
    edges = [0, *(np.flatnonzero(pieces[1:] != pieces[:-1]) + 1), len(pieces)]
    for first, last in pairwise(edges):
        if last > first:
            yield slice(first, last + 1), bool(pieces[first])
