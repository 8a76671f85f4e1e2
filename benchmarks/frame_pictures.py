"""Pictures of docs/moving-frames.md: python -m benchmarks.frame_pictures"""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from trundle import examples
from trundle.view.style import COLOURS, new_figure, style

FOLDER = Path(__file__).parents[1] / "docs" / "moving-frames"


def _paths(title: str, lines: dict[str, tuple[Any, Any]], x: str, y: str) -> Figure:
    """Curves in a plane, with equal scales."""
    with style():
        figure = new_figure(6.4, 5.6, title)
        axes = figure.add_subplot()
        for (name, (across, up)), colour in zip(lines.items(), COLOURS, strict=False):
            axes.plot(across, up, color=colour, lw=1.4, label=name)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.set_aspect("equal", adjustable="datalim")
        if len(lines) > 1:
            axes.legend(frameon=False)
    return figure


def foucault() -> Figure:
    """Path of the bob over the floor, two swings every three hours of a sidereal day."""
    system = examples.model("foucault-pendulum").build()
    lines = {}
    for hour in (0, 3, 6, 9):
        times = 3600.0 * hour + np.linspace(0.0, 33.0, 200)
        run = system.simulate(times[-1], {"hall.angle": 0.045}, samples=np.unique([0.0, *times]), rtol=1e-10)
        angle, cross = (run.values(f"hall.{name}")[-200:] for name in ("angle", "cross_angle"))
        lines[f"after {hour} h"] = -67 * np.sin(cross), 67 * np.sin(angle) * np.cos(cross)
    return _paths("Foucault's pendulum over the floor", lines, "to the south (m)", "to the east (m)")


def satellite() -> Figure:
    """Drift in the frame of the orbit."""
    run = examples.model("satellite").build().simulate(6000.0)
    line = {"": (run.values("satellite.y"), run.values("satellite.x"))}
    return _paths("satellite in its orbital frame", line, "along the orbit (m)", "outwards (m)")


def following() -> Figure:
    """The puck in the ground, the same for both gains, and the frames beside it."""
    system = examples.model("following-frame").build()
    lines = {}
    for gain in (3.0, 0.5):
        place = system.simulate(15.0, parameters={"gain": gain}).values
        if not lines:
            lines["puck"] = place("puck.position")[:, 0], place("puck.position")[:, 1]
        track = place("track.position")
        lines[f"frame, gain {gain:g} 1/s"] = track[:, 0], track[:, 1]
    return _paths("a frame that follows a puck", lines, "x (m)", "y (m)")


def main() -> None:
    """Draw them all."""
    for name, make in (("foucault", foucault), ("satellite", satellite), ("following", following)):
        make().savefig(FOLDER / f"{name}.png", dpi=100)
    for name, example, times in (("lamp", "lamp-on-ship", 3.0), ("carousel", "carousel", 1.6)):
        examples.model(example).build().simulate(times).draw(path=FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
