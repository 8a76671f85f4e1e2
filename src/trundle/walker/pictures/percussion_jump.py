"""The percussion centres of one impact, drawn into the half-plane with the jump between them."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from trundle.typing import Look
from trundle.view.style import INK
from trundle.walker.impact.percussion import PercussionPlane
from trundle.walker.impact.scenario import Scenario
from trundle.walker.pictures.percussion_panel import Window

WORDS = {
    "forward": "slides forward",
    "backward": "slides backward",
    "stick": "sticks",
    "DP": "drives the back foot down at once",
}


def draw_jump(axes: Axes, window: Window, scenario: Scenario) -> list[Artist]:
    """A numbered mark at the centre of each phase and an arrow along the lambda-line; one that lies outside is drawn at
    the border, without filling.
    """
    impact = scenario.phases[0].impact
    line = PercussionPlane(impact.half_angle).inertia_line(impact.inertia_ratio)
    places = [window.nearest(*phase.centre, line) for phase in scenario.phases]
    if len(places) == 2:
        (start, _), (end, _) = places
        arrow: Look = {"arrowstyle": "-|>", "mutation_scale": 15, "shrinkA": 6, "shrinkB": 6}
        axes.add_patch(FancyArrowPatch(start, end, color=INK, linewidth=2.2, zorder=7, **arrow))
    handles: list[Artist] = []
    for n, (phase, (place, shown)) in enumerate(zip(scenario.phases, places, strict=True), 1):
        look: Look = {"marker": "o", "markersize": 11, "markeredgecolor": INK, "linestyle": "none"}
        look["markerfacecolor"] = INK if shown else "white"
        axes.plot([place[0]], [place[1]], zorder=8, **look)
        axes.text(
            *place, str(n), color="white" if shown else INK, ha="center", va="center", zorder=9, fontsize=8,
            fontweight="bold", gid="jump",
        )  # fmt: skip
        x, y = phase.centre
        where = f"({x:.3g}, {y:.3g}) L" if np.isfinite([x, y]).all() else "at infinity"
        amount = f", impulse {phase.impulse:.3g}" if np.isfinite(phase.impulse) else ""
        label = f"{n}: {WORDS[phase.kind]}{amount}, centre {where}{'' if shown else ' (outside)'}"
        handles.append(Line2D([], [], label=label, **{**look, "markersize": 9}))
    return handles
