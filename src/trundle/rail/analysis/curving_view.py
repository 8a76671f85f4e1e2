"""Quasi-static curving in pictures."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trundle.view.style import COLOURS, DASHES, finish, new_figure, side_legend, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trundle.rail.analysis.curving import Curving


def curving_picture(found: "Curving", path: Path | str | None) -> "Figure":
    """Q, Y, Y/Q of every wheel and the energy lost, over radius, speed or cant deficiency: the one that varies most."""
    choices = {
        "radius (m)": found.radius,
        "speed (m/s)": found.speed,
        "cant deficiency (mm)": 1e3 * found.cant_deficiency,
    }
    label = max(choices, key=lambda name: float(np.ptp(choices[name]) / np.max(np.abs(choices[name]))))
    if len(np.unique(found.radius)) == 1 and len(np.unique(found.speed)) == 1:
        label = "cant deficiency (mm)"
    x = choices[label]
    order = np.argsort(x)
    with style():
        figure = new_figure(7.6, 8.0, f"quasi-static curving{_fixed(found)}")
        panels = figure.subplots(4, 1, sharex=True)
        for axes, (measure, scale, text) in zip(
            panels,
            (("Q", 1e-3, "wheel load Q (kN)"), ("Y", 1e-3, "lateral force Y (kN)"), ("Y_over_Q", 1.0, "Y/Q")),
            strict=False,
        ):
            for i, wheel in enumerate(found.wheels):
                values = scale * found.measures[f"{wheel.name}.{measure}"]
                look = {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[i // len(COLOURS)]}
                axes.plot(x[order], values[order], label=wheel.name.replace("_", " "), marker=".", **look)
            axes.set_ylabel(text)
        panels[3].plot(x[order], found.wear[order], color=COLOURS[0], marker=".")
        panels[3].set_ylabel("energy lost (J/m)")
        panels[3].set_ylim(bottom=0.0)
        panels[3].set_xlabel(label)
        side_legend(panels[0])
        return finish(figure, path)


def _fixed(found: "Curving") -> str:
    """What all cases have in common, for the title."""
    shared = (
        ("radius {:.4g} m", found.radius),
        ("{:.4g} m/s", found.speed),
        ("cant {:.4g} mm", 1e3 * found.cant),
        ("cant deficiency {:.4g} mm", 1e3 * found.cant_deficiency),
    )
    words = [text.format(values[0]) for text, values in shared if np.ptp(values) <= 1e-9 * np.max(np.abs(values))]
    return f": {', '.join(words)}" if words else ""
