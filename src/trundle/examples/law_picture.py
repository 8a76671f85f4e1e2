"""Picture of the driven wheel with every law of contact."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from trundle.examples.every_law import EXACT, PARAMETERS, RADIUS, WEIGHT
from trundle.run.run import Run
from trundle.typing import Look
from trundle.view.contact_states import COLOUR_OF_STATE
from trundle.view.style import COLOURS, INK, QUIET, finish, new_figure, side_legend, style

LINES: dict[str, Look] = {
    "NoSlip": {"color": QUIET, "linestyle": (0, (5, 2))},
    "Coulomb": {"color": INK, "linewidth": 2.6},
    "Stribeck": {"color": COLOURS[5]},
    "RegularisedCoulomb": {"color": COLOURS[0], "linestyle": (0, (4, 2))},
    "LuGre": {"color": COLOURS[2], "linestyle": (0, (1.2, 1.2))},
    "Creep": {"color": COLOURS[4], "linestyle": (0, (6, 1.5, 1.2, 1.5))},
    "Relaxed": {"color": COLOURS[1]},
    "BrushTyre": {"color": COLOURS[3]},
    "MagicTyre": {"color": COLOURS[3], "linestyle": (0, (1.2, 1.2))},
}
SLIDES = 0.02  # m/s, above which a law without states is said to slide


def draw(runs: Mapping[str, Run], path: Path | str | None = None) -> Figure:
    """Slip, the same on a logarithmic scale, traction over its limit and speed; below, which law slides when."""
    limit = PARAMETERS["mu"][0] * WEIGHT
    with style():
        figure = new_figure(8.0, 8.2, "one wheel, every law: 5 N m, and 60 N m between 1 and 2 s")
        panels = figure.subplots(5, sharex=True, height_ratios=(2.2, 1.6, 2.0, 2.0, 1.3))
        for law, run in runs.items():
            slip = np.abs(run.values("road.slip_x"))
            shown = (
                slip,
                np.where(slip > 1e-7, slip, np.nan),
                run.values("road.slip_force_x") / limit,
                run.values("wheel.velocity")[:, 0],
            )
            for axes, values in zip(panels, shown, strict=False):
                axes.plot(run.time, values, label=law, zorder=2 if law == EXACT else 3, **LINES[law])
        panels[3].plot(runs[EXACT].time, RADIUS * runs[EXACT].values("wheel.angular_velocity")[:, 1], color=INK, lw=0.8)
        panels[3].annotate(
            "rim of the wheel, Coulomb", (2.05, 12.6), (2.4, 12.9), fontsize=8, va="center", color=INK,
            arrowprops={"arrowstyle": "-", "color": QUIET, "lw": 0.7},
        )  # fmt: skip
        panels[1].set_yscale("log")
        for axes, word in zip(panels, ("slip (m/s)", "slip (m/s)", "traction / (μ N)", "speed (m/s)"), strict=False):
            axes.set_ylabel(word)
        side_legend(panels[0])
        _bands(panels[4], runs)
        panels[4].set_xlabel("time (s)")
        return finish(figure, path)


def _bands(axes: Axes, runs: Mapping[str, Run]) -> None:
    """One row for each law: the mode of the exact law, or whether the slip is above a threshold."""
    for number, (law, run) in enumerate(runs.items()):
        slides = np.abs(run.values("road.slip_x")) > SLIDES
        state = np.rint(run.values("road.state")) if law == EXACT else np.where(slides, 1, 2)
        edges = [0, *(np.nonzero(np.diff(state))[0] + 1), len(state) - 1]
        for first, last in pairwise(edges):
            width = run.time[last] - run.time[first]
            axes.barh(
                number, width, left=run.time[first], height=0.8, color=COLOUR_OF_STATE[int(state[first])], linewidth=0
            )
    axes.set_yticks(range(len(runs)), list(runs), fontsize=7)
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.grid(visible=False)
    axes.tick_params(axis="y", length=0)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    words = {2: "sticks", 1: f"slides (> {1e3 * SLIDES:g} mm/s)"}
    handles = [Patch(color=COLOUR_OF_STATE[state], label=word) for state, word in words.items()]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.4)
