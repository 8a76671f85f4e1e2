"""Picture of a trip in plan: where the vehicle is on the line, and how it stands on the track there, magnified."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from trundle.errors import SolveError
from trundle.rail.vehicle.standing import Standing, standing
from trundle.run.run import Run
from trundle.typing import Array
from trundle.view.style import COLOURS, FAINT, INK, QUIET, finish, new_figure, style

if TYPE_CHECKING:
    from trundle.rail.trip.trip import Trip

HALF_WIDTH, OVERHANG = 1.3, 1.5  # m, of cars and bogies as drawn
LARGEST = 0.45  # m, of displacements as drawn
ARROW = 1.1  # m, of the largest force


def plot_trip(
    trip: "Trip", run: Run, times: Sequence[float], path: Path | str | None = None, width: float = 8.4
) -> Figure:
    """The line from above with the vehicle at some times (s); below, for each of them, bodies in the axes of the track
    with displacement and yaw magnified, and the lateral forces on the wheels.
    """
    if trip.ride.common is not None:
        raise SolveError("a plan needs the motion of each body beside its own track: make the Trip with frames='each'.")
    chosen = [int(np.argmin(np.abs(run.time - t))) for t in times]
    scale = _scale(trip, run, chosen)
    with style():
        figure = new_figure(width, 2.6 + 1.75 * len(chosen), f"{trip.line.name}: trip of {run.time[-1]:.3g} s")
        panels = figure.subplots(1 + len(chosen), 1, height_ratios=(1.5, *[1.0] * len(chosen)))
        _draw_line(panels[0], trip, run, chosen)
        largest = max(float(np.max(np.abs(run.values(f"{w.contact}.Y")[chosen]))) for w in trip.placed.wheels)
        for k, (panel, i) in enumerate(zip(panels[1:], chosen, strict=True)):
            _draw_place(panel, trip, run, i, scale, largest)
            panel.set_ylabel("ABCDEFGH"[k % 8], rotation=0, labelpad=12)
        for panel in panels[1:-1]:
            panel.tick_params(labelbottom=False, length=0)
        words = f"along the track (m)\ndisplacements and yaw magnified {scale:.0f} times; longest lateral force"
        panels[-1].set_xlabel(f"{words} of a rail {1e-3 * largest:.3g} kN")
        return finish(figure, path)


def _bodies(trip: "Trip") -> Iterator[tuple[str, float, bool]]:
    """Names of the coordinates of car, bogies and wheelsets, offsets (m) from the first middle, whether on wheels."""
    offsets = {place.track.name: place.ride.start - trip.start + place.offset for place in trip.ride.places}
    for name, c in trip.model.connections.items():
        if c.first.body.name in offsets and c.second.body.is_free:
            yield name, offsets[c.first.body.name], name in trip.placed.wheelsets


def _scale(trip: "Trip", run: Run, chosen: Sequence[int]) -> float:
    """By which displacements are drawn: a round number."""
    y = max(float(np.max(np.abs(run.values(f"{name}.y")[chosen]))) for name, _, _ in _bodies(trip))
    yaw = max(float(np.max(np.abs(_yaw(run, name, wheels)[chosen]))) for name, _, wheels in _bodies(trip))
    wish = LARGEST / max(y, yaw, 1e-6)
    step = 10.0 ** np.floor(np.log10(wish))
    return float(max(one * step for one in (1.0, 2.0, 5.0) if one * step <= wish))


def _yaw(run: Run, name: str, wheels: bool) -> Array:
    """Of a body in its track frame, rad; small for all but wheelsets, which have it as a coordinate."""
    return run.values(f"{name}.rz") if wheels else 2.0 * run.values(f"{name}.quaternion")[:, 3]


def _draw_line(panel: Axes, trip: "Trip", run: Run, chosen: Sequence[int]) -> None:
    line = trip.line
    place = line.position(np.linspace(0.0, line.length, 800))
    panel.plot(place[:, 0], place[:, 1], color=QUIET, linewidth=1.6)
    ends = line.position(line.starts)
    panel.plot(ends[:, 0], ends[:, 1], "o", color=INK, markersize=3.2)
    for k, i in enumerate(chosen):
        s, reach = float(run.values("distance")[i]), trip.vehicle.reach
        there = line.position(np.linspace(max(s + reach[0], 0.0), min(s + reach[1], line.length), 20))
        panel.plot(there[:, 0], there[:, 1], color=COLOURS[1], linewidth=5.0, solid_capstyle="butt")
        words = f"{'ABCDEFGH'[k % 8]}: {run.time[i]:.3g} s, {s:.0f} m"
        above = k % 2 == 1  # neighbours are often close to each other
        rise = float(np.diff(there[[0, -1], 1])[0] * np.sign(np.diff(there[[0, -1], 0])[0]))  # to the right
        side = "center" if abs(rise) < 0.1 else "left" if (rise > 0) != above else "right"  # away from the line
        panel.annotate(words, there[10, :2], (0, 7 if above else -13), textcoords="offset points", fontsize=8, ha=side)
    panel.set_aspect("equal", adjustable="datalim")
    panel.margins(0.1)
    panel.set_xlabel("x (m)")
    panel.set_ylabel("y (m)")


def _draw_place(panel: Axes, trip: "Trip", run: Run, i: int, scale: float, largest: float) -> None:
    vehicle = trip.vehicle
    low, high = vehicle.reach[0] - OVERHANG - 1.0, vehicle.reach[1] + OVERHANG + 1.0
    for rail in (-0.75, 0.75):
        panel.plot([low, high], [rail, rail], color=QUIET, linewidth=1.0)
    for name, offset, wheels in _bodies(trip):
        y, yaw = scale * run.values(f"{name}.y")[i], scale * _yaw(run, name, wheels)[i]
        if wheels:
            _draw_wheelset(panel, offset, y, yaw)
            _draw_forces(panel, trip, run, i, name, offset, largest)
        else:
            stands = standing(trip.model)[trip.model.connections[name].second.body.name]
            _draw_box(panel, offset, y, yaw, _half_length(trip, offset, stands), stands.is_car)
    panel.set_xlim(low, high)
    panel.set_ylim(-2.2, 2.2)
    panel.set_yticks([])
    panel.set_aspect("equal")
    panel.grid(False)
    for spine in panel.spines.values():
        spine.set_visible(False)


def _half_length(trip: "Trip", middle: float, stands: Standing) -> float:
    """Of a car or a bogie frame with its middle at an offset (m), from the wheelsets on which it stands."""
    axles = {name: placed.axle.name for name, placed in trip.placed.wheelsets.items()}
    far = max(abs(x - middle) for name, x, _ in _bodies(trip) if axles.get(name) in stands.wheelsets)
    return far + (OVERHANG if stands.is_car else 0.5)


def _turned(x: float, y: float, angle: float, points: Array) -> Array:
    """Points of a body at x, y; only the lateral part of its turn is drawn, as displacements are magnified."""
    turned: Array = points + np.column_stack([np.full(len(points), x) - angle * points[:, 1], y + angle * points[:, 0]])
    return turned


def _draw_box(panel: Axes, x: float, y: float, angle: float, half: float, car: bool) -> None:
    wide = HALF_WIDTH if car else 0.55
    corners = np.array([(-half, -wide), (half, -wide), (half, wide), (-half, wide), (-half, -wide)])
    drawn = _turned(x, y, angle, corners)
    panel.fill(
        *drawn.T, facecolor=FAINT if car else "none", edgecolor=COLOURS[0], linewidth=1.2, zorder=1 if car else 2
    )


def _draw_wheelset(panel: Axes, x: float, y: float, angle: float) -> None:
    panel.plot(*_turned(x, y, angle, np.array([(0.0, -1.0), (0.0, 1.0)])).T, color=INK, linewidth=1.6, zorder=3)
    for side in (-0.75, 0.75):
        rim = np.array([(-0.46, side), (0.46, side)])
        panel.plot(*_turned(x, y, angle, rim).T, color=INK, linewidth=3.0, zorder=3)


def _draw_forces(panel: Axes, trip: "Trip", run: Run, i: int, name: str, x: float, largest: float) -> None:
    """Lateral forces of the rails on both wheels."""
    for wheel in trip.placed.wheels:
        if wheel.wheelset != name:
            continue
        out = 1.0 if wheel.side == "left" else -1.0
        push = -out * float(run.values(f"{wheel.contact}.Y")[i]) * ARROW / max(largest, 1.0)
        foot: tuple[float, float] = (x, out * 0.75)
        arrow = {"arrowstyle": "-|>", "color": COLOURS[1], "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
        if abs(push) > 0.02 * ARROW:
            panel.annotate("", foot, (x, foot[1] - push), arrowprops=arrow, zorder=5)
