"""A collision over time: velocities, heights and forces of both feet, with its phases shaded."""

from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from trundle.view.style import COLOURS, INK, QUIET, finish, new_figure, style

if TYPE_CHECKING:
    from trundle.walker.collision import Collision, ContactPhase

FRONT, BACK, TANGENT = COLOURS[1], COLOURS[0], COLOURS[2]
ONE_FOOT = {"forward": "#FBE6CC", "backward": "#DCEFFA", "stick": "#FFFFFF", "open": "#FFFFFF"}
BACK_FOOT = {"forward": "#F6EBDD", "backward": "#EAF3F8", "stick": "#EFF4EC", "open": "#FFFFFF"}
TWO_FEET = {"forward": "#D9C7B0", "backward": "#B9CBD6", "stick": "#D4D7DB", "open": "#FFFFFF"}
HEIGHT = "height of foot (m)"  # above the ground: a deformation is below it
PANELS = (
    ("velocity (m/s)", (("slip", TANGENT), ("front_velocity", FRONT), ("back_velocity", BACK))),
    (HEIGHT, (("front_deformation", FRONT), ("back_deformation", BACK))),
    ("force on body (N)", (("friction_force", TANGENT), ("front_force", FRONT), ("back_force", BACK))),
)


def plot_collision(
    collision: "Collision", path: Path | str | None = None, width: float = 7.0, title: str | None = None
) -> Figure:
    """Three panels over time; a dotted line marks each transition. The height is what the paper calls displacement:
    below zero the foot is pressed in.
    """
    with style():
        figure = new_figure(width, 0.95 * width, title)
        rows = figure.subplots(len(PANELS), 1, sharex=True)
        for axes, (label, curves) in zip(rows, PANELS, strict=True):
            _shade(axes, collision)
            axes.axhline(0.0, color=QUIET, linewidth=0.8)
            for name, colour in curves:
                values = getattr(collision, name)
                values = -values if label == HEIGHT else values
                axes.plot(collision.time, values, color=colour, linestyle="--" if name == "friction_force" else "-")
            axes.set_ylabel(label)
            axes.grid(visible=False)
        rows[-1].set_xlabel("time from touch (s)")
        rows[0].set_xlim(0.0, collision.duration)
        _legends(rows, collision)
        return finish(figure, path, formulas=True)


def _shade(axes: Axes, collision: "Collision") -> None:
    for phase in collision.phases:
        axes.axvspan(phase.start, phase.end, color=_tint(phase), linewidth=0, zorder=0)
    for _, time in collision.events:
        axes.axvline(time, color=QUIET, linewidth=0.7, linestyle=":", zorder=1)


def _tint(phase: "ContactPhase") -> str:
    if phase.double:
        return TWO_FEET[phase.sliding]
    return (BACK_FOOT if phase.front == "open" else ONE_FOOT)[phase.sliding]


def _legends(rows: list[Axes], collision: "Collision") -> None:
    """Curves beside the first panel, shades beside the second, transitions beside the third."""
    names = {"along the ground": TANGENT, "front foot": FRONT, "back foot": BACK}
    curves = [Line2D([], [], color=colour, label=name) for name, colour in names.items()]
    words = {"forward": "slides forward", "backward": "slides backward", "stick": "sticks", "open": "in the air"}
    shades = {}
    for phase in collision.phases:
        feet = "both feet press" if phase.double else ("front foot" if phase.front != "open" else "back foot")
        label = f"{feet},\n{words[phase.sliding]}" if phase.sliding != "open" else "in the air"
        shades[label] = Patch(facecolor=_tint(phase), edgecolor=QUIET, linewidth=0.5, label=label)
    for axes, handles in zip(rows, (curves, list(shades.values())), strict=False):
        axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.4)
    events_text = "\n".join(f"{time:.4g} s: {text}" for text, time in collision.events)
    rows[-1].text(1.02, 1.0, events_text, transform=rows[-1].transAxes, va="top", fontsize=8, color=INK)
