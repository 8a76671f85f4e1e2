"""Pictures of wheels on rails: contact points joined by lines, rolling-radius difference, contact angle, conicity."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from trundle.typing import Array, Untyped
from trundle.view.style import COLOURS, INK, QUIET, finish, new_figure, style

if TYPE_CHECKING:
    from trundle.rail.wheel_rail.geometry import ContactGeometry, WheelsetContact
    from trundle.rail.wheel_rail.wheel_side import Side

RAISED = 0.012  # m: the wheel is drawn above the rail by so much, so that the lines can be seen
STEP = 5e-4  # m: lateral displacement from line to line


def plot_contact(geometry: "ContactGeometry", path: Path | str | None = None, amplitude: float = 0.008) -> Figure:
    """Where both wheels touch for displacements up to `amplitude` (m), and what follows from it."""
    n = max(2, round(amplitude / STEP))
    lines = geometry.contact(STEP * np.arange(-n, n + 1))
    y = np.linspace(-amplitude, amplitude, 20 * n + 1)
    fine = geometry.contact(y)
    amplitudes = np.arange(5e-4, amplitude + 1e-9, 2.5e-4)
    name = f"{geometry.wheel.name} on {geometry.rail.name}"
    text = f"{name}: gauge {1e3 * geometry.gauge:g} mm, back to back {1e3 * geometry.back_to_back:g} mm"
    with style():
        figure = new_figure(10.0, 6.8, text)
        grid = figure.add_gridspec(2, 6, height_ratios=(1.0, 1.05))
        for k, side in enumerate(("left", "right")):
            _draw_lines(figure.add_subplot(grid[0, 3 * k : 3 * k + 3]), geometry.side(side), lines, side)
        panels = [figure.add_subplot(grid[1, 2 * k : 2 * k + 2]) for k in range(3)]
        panels[0].plot(1e3 * y, 1e3 * fine.radius_difference, color=COLOURS[0])
        panels[0].set_ylabel("rolling radius, left - right (mm)")
        for side, colour in (("left", COLOURS[0]), ("right", COLOURS[1])):
            panels[1].plot(1e3 * y, getattr(fine, side).angle, color=colour, label=side)
        panels[1].set_ylabel("contact angle (rad)")
        panels[1].legend()
        for axes in panels[:2]:
            axes.set_xlabel("lateral displacement (mm)")
        for method, colour in (("integration", COLOURS[0]), ("regression", COLOURS[1])):
            panels[2].plot(1e3 * amplitudes, geometry.conicity(amplitudes, method), color=colour, label=method)  # type: ignore[arg-type]
        panels[2].axvline(3.0, color=QUIET, linewidth=0.8)
        panels[2].set_xlabel("amplitude (mm)")
        panels[2].set_ylabel("equivalent conicity")
        panels[2].set_ylim(bottom=0.0)
        panels[2].legend()
        return finish(figure, path)


def _draw_lines(axes: Axes, side: "Side", contacts: "WheelsetContact", name: str) -> None:
    """Profiles of one side, the wheel raised, and a line for each displacement from its point to that of the rail."""
    found = getattr(contacts, name)
    rail, wheel = np.linspace(side.rail.start, side.rail.end, 800), np.linspace(side.wheel.start, side.wheel.end, 1500)
    shift = side.tape_place - side.rail_origin  # the wheel in the middle, in the places of the rail
    axes.plot(1e3 * rail, 1e3 * side.rail.height(rail), color=INK)
    axes.plot(1e3 * (wheel + shift), 1e3 * (side.wheel.height(wheel) + RAISED), color=INK)
    norm = Normalize(1e3 * contacts.lateral[0], 1e3 * contacts.lateral[-1])
    colours = _map()
    places = np.stack([found.wheel_place + shift, found.rail_place])
    heights = np.stack([side.wheel.height(found.wheel_place) + RAISED, found.height])
    for k, y in enumerate(contacts.lateral):
        axes.plot(1e3 * places[:, k], 1e3 * heights[:, k], color=colours(norm(1e3 * y)), linewidth=1.0)
    right = -1.0 if name == "left" else 1.0  # outwards, on the page: as seen from behind
    for k in _labelled(contacts.lateral, places[0]):
        slope = float(side.wheel.slope(found.wheel_place[k]))
        away = np.array([-right * slope, 1.0]) / np.hypot(slope, 1.0)  # from the rail
        axes.annotate(
            f"{1e3 * contacts.lateral[k]:+.0f}".replace("+0", "0"), (1e3 * places[0, k], 1e3 * heights[0, k]),
            xytext=tuple(9.0 * away), textcoords="offset points", ha="center", va="center", fontsize=8,
            color=colours(norm(1e3 * contacts.lateral[k])),
        )  # fmt: skip
    axes.set_aspect("equal")
    axes.set_xlim((48.0, -56.0) if name == "left" else (-56.0, 48.0))
    axes.set_ylim(-22.0, 22.0)
    axes.set_title(f"{name} wheel; lines for each 0.5 mm to the left", loc="left")
    axes.set_xlabel("outwards from the rail's origin (mm)")
    axes.grid(False)


def _labelled(lateral: Array, places: Array) -> list[int]:
    """Every 2 mm, where the numbers do not cover each other."""
    found: list[int] = []
    for k in np.argsort(np.abs(lateral), kind="stable"):
        whole = abs(lateral[k] / 2e-3 - np.round(lateral[k] / 2e-3)) < 1e-6
        if whole and all(abs(places[k] - places[j]) > 4.5e-3 for j in found):
            found.append(int(k))
    return found


def _map() -> Untyped:
    from matplotlib import colormaps

    return colormaps["viridis"]
