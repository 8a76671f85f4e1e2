"""Pictures of eigenvalues over speed, and of modes in plan."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trundle.errors import SolveError
from trundle.model.body import Moves
from trundle.rail.vehicle.standing import Standing, standing, wheelset_bodies
from trundle.typing import AnyArray, Array
from trundle.view.style import COLOURS, INK, QUIET, WARNING, finish, new_figure, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from trundle.model.model import Model
    from trundle.rail.analysis.critical import RootLocus

SLOW = 40.0  # 1/s: faster decays are not drawn
NEGLIGIBLE = 1e-9  # lateral displacement over the largest part of a mode: less is round-off
PHASES = 4  # pictures of a mode within half a period


def locus_picture(locus: "RootLocus", path: Path | str | None, highest: float) -> "Figure":
    """Growth rate and frequency over speed; the same in the complex plane."""
    speed, decay, hertz = [], [], []
    for v, values in zip(locus.speeds, locus.eigenvalues, strict=True):
        shown = values[(values.imag >= 0) & (values.real > -SLOW) & (values.imag < 2 * np.pi * highest)]
        speed += [v] * len(shown)
        decay += list(shown.real)
        hertz += list(shown.imag / (2 * np.pi))
    grows = np.array(decay) > 0
    colours = np.where(grows, WARNING, COLOURS[0])
    with style():
        figure = new_figure(9.0, 5.2, "eigenvalues over speed")
        left, right = figure.subplots(1, 2)
        left.scatter(speed, decay, s=6, c=colours)
        left.axhline(0, color=INK, linewidth=0.8)
        floor = max(-SLOW, 3 * min(-1.0, float(locus.growth.min())))
        left.set_ylim(floor, max(1.0, 1.5 * float(locus.growth.max())))
        left.set_xlabel("speed (m/s)")
        left.set_ylabel("growth rate (1/s)")
        for v, f in zip(locus.crossings, locus.frequencies, strict=True):
            left.axvline(v, color=QUIET, linewidth=0.8)
            left.annotate(f"{v:.2f} m/s\n{f:.2f} Hz", (v, floor), xytext=(4, 6), textcoords="offset points", fontsize=8)
        shades = right.scatter(decay, hertz, s=6, c=speed, cmap="viridis")
        right.axvline(0, color=INK, linewidth=0.8)
        inside = [f for f, d in zip(hertz, decay, strict=True) if d > floor]
        right.set_ylim(0.0, 1.1 * max(inside))
        right.set_xlim(floor, max(1.0, 1.5 * float(locus.growth.max())))
        right.set_xlabel("growth rate (1/s)")
        right.set_ylabel("frequency (Hz)")
        figure.colorbar(shades, ax=right, label="speed (m/s)")
        return finish(figure, path)


def mode_picture(locus: "RootLocus", speed: float, which: int, path: Path | str | None) -> "Figure":
    """Bodies seen from above at four phases of half a period, sideways enlarged."""
    track = locus.track
    x, values, vectors = locus.at(speed)
    value, mode = values[which], vectors[:, which]
    shapes = {name: _plan_motion(locus, name, x, speed, value, mode) for name in _drawn(track.system.model)}
    size = max(abs(y) for _, y, _ in shapes.values())
    if size < NEGLIGIBLE * float(np.max(np.abs(mode))):
        others = (k for k in range(len(values)) if _moves_sideways(locus, x, speed, values[k], vectors[:, k]))
        raise SolveError(
            f"mode {which} at {speed:.4g} m/s ({abs(value.imag) / (2 * np.pi):.3g} Hz) moves nothing sideways: it "
            f"cannot be seen from above. The first one that does is which={next(others, None)}."
        )
    wheels, stands = wheelset_bodies(track.system.model), standing(track.system.model)
    places = {name: float(at[0]) for name, (at, _, _) in shapes.items()}
    halves = {name: _half_length(name, places, stands.get(name)) for name in shapes if name not in wheels}
    ends = [places[name] + way * halves.get(name, 0.5) for name in shapes for way in (-1.0, 1.0)]
    with style():
        hertz, growth = abs(value.imag) / (2 * np.pi), round(value.real, 3) + 0.0
        title = f"mode of {hertz:.2f} Hz, growth {growth:+.2f} 1/s, at {speed:.2f} m/s"
        tall = min(2.1, 0.5 + 28.0 / (max(ends) - min(ends)))  # inches, of one picture
        figure = new_figure(6.6, tall * PHASES + 0.6, title)
        for k, axes in enumerate(np.atleast_1d(figure.subplots(PHASES, 1, sharex=True))):
            turn = np.exp(1j * np.pi * k / PHASES)
            for name, (at, y, yaw) in shapes.items():
                aside, angle = 0.4 * float((y / size * turn).real), 0.4 * float((yaw / size * turn).real)
                if name in wheels:
                    _wheelset(axes, at[0], aside, angle)
                else:
                    wide = 1.3 if name in stands and stands[name].is_car else 0.55
                    _box(axes, at[0], aside, angle, halves[name], wide)
            axes.axhline(0, color=QUIET, linewidth=0.8, linestyle=(0, (5, 3)))
            axes.set_xlim(min(ends) - 0.8, max(ends) + 0.8)  # corners of a turned box reach further than its ends
            axes.set_ylim(-2.4, 2.4)
            axes.set_yticks([])
            axes.set_aspect("equal")
            axes.set_ylabel(f"{180 * k // PHASES}°", rotation=0, labelpad=14)
            axes.grid(False)
        figure.axes[-1].set_xlabel("along the track, forward to the right (m)")
        return finish(figure, path)


def _moves_sideways(locus: "RootLocus", x: Array, speed: float, value: complex, mode: AnyArray) -> bool:
    """Whether a body moves across the track in a mode that swings."""
    bodies = _drawn(locus.track.system.model) if abs(value.imag) > 0 else []
    least = NEGLIGIBLE * float(np.max(np.abs(mode)))
    return any(abs(_plan_motion(locus, name, x, speed, value, mode)[1]) > least for name in bodies)


def _half_length(name: str, places: dict[str, float], stands: Standing | None) -> float:
    """Of a car or a bogie frame beyond its wheelsets, m."""
    if stands is None:
        return 1.0
    far = max(abs(places[one] - places[name]) for one in stands.wheelsets)
    return far + (1.0 if stands.is_car else 0.5)


def _drawn(model: "Model") -> list[str]:
    """Bodies with mass."""
    return [name for name, body in model.bodies.items() if body.moves is Moves.FREE and float(body.mass) > 0]


def _plan_motion(
    locus: "RootLocus", name: str, x: Array, speed: float, value: complex, mode: AnyArray
) -> tuple[Array, complex, complex]:
    """Place of a body, and its lateral displacement and yaw in a mode: its velocities over the eigenvalue."""
    track = locus.track
    small = 1e-6 / max(float(np.max(np.abs(mode))), 1e-12)
    states = np.array([x, *(x + s * small * part for part in (mode.real, mode.imag) for s in (1, -1))])
    v = track.flow.evaluate(f"{name}.velocity", states, speed)[:, 1]
    w = track.flow.evaluate(f"{name}.angular_velocity", states, speed)[:, 2]
    spin = track.flow.evaluate(f"{name}.angular_velocity", states, speed)[0, 1]
    place = track.flow.evaluate(f"{name}.position", states[:1], speed)[0]
    across, turn = ((one[1] - one[2] + 1j * (one[3] - one[4])) / (2 * small) / value for one in (v, w))
    if abs(spin) > 1e-6:  # roll of a wheelset that spins turns its angular velocity out of the axle
        tilt = track.flow.evaluate(f"{name}.angular_velocity", states, speed)
        rate = (tilt[1] - tilt[2] + 1j * (tilt[3] - tilt[4])) / (2 * small)
        # In ground axes: w_x = roll' - spin yaw, w_z = yaw' + spin roll, with rates = eigenvalue x angles.
        turn = np.linalg.solve(np.array([[value, -spin], [spin, value]]), rate[[0, 2]])[1]
    return place, complex(across), complex(turn)


def _outline(x: float, y: float, angle: float, corners: Array) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    turned: Array = corners @ np.array([[c, s], [-s, c]]) + (x, y)
    return turned


def _box(axes: "Axes", x: float, y: float, angle: float, half: float, wide: float) -> None:
    corners = np.array([(-half, -wide), (half, -wide), (half, wide), (-half, wide), (-half, -wide)])
    axes.plot(*_outline(x, y, angle, corners).T, color=COLOURS[0], linewidth=1.2)


def _wheelset(axes: "Axes", x: float, y: float, angle: float) -> None:
    axes.plot(*_outline(x, y, angle, np.array([(0.0, -1.0), (0.0, 1.0)])).T, color=COLOURS[1], linewidth=2.0)
    for side in (-0.75, 0.75):
        rim = np.array([(-0.46, side), (0.46, side)])
        axes.plot(*_outline(x, y, angle, rim).T, color=COLOURS[1], linewidth=3.5)
