"""Quasi-static curving: the steady motion of a vehicle in an arc, over radius, speed and cant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError, SolveError
from trundle.integrate.interruption import part_of_study
from trundle.linear_algebra.one_thread import one_thread
from trundle.messages.preparing import preparing
from trundle.model.model import Model
from trundle.rail.analysis.on_track import arc, line_tables, on_line
from trundle.rail.analysis.uniform import UniformTrack
from trundle.rail.analysis.wheels import Wheel, by_wheelset, wheels_of
from trundle.rail.track.alignment import Alignment
from trundle.rail.vehicle.vehicle import Vehicle
from trundle.typing import Array, Values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEASURES = (
    "Q", "Y", "Y_over_Q", "contact_angle", "rail_place", "longitudinal_creepage", "lateral_creepage", "spin_creepage",
    "power_lost",
)  # fmt: skip
GRAVITY = 9.81  # m/s^2
SETTLE = 300.0  # m, over which a vehicle settles where Newton's method alone does not find its motion


@final
@dataclass(frozen=True, eq=False)
class Curving:
    """Steady motions in arcs, one for each case; `radius`, `speed` and `cant` are arrays of one length."""

    radius: Array  # m, positive to the left
    speed: Array  # m/s
    cant: Array  # m
    half_gauge: float
    wheels: tuple[Wheel, ...]
    measures: Mapping[str, Array]  # "front_left.Q" and so on
    states: tuple[Values, ...]  # coordinates and rates by name, for `simulate`
    notes: tuple[str, ...] = ()  # cases without a steady motion

    def __getitem__(self, name: str) -> Array:
        """A measure of a wheel, such as "front_right.Y", or a coordinate, such as "front.y", of all cases."""
        if name in self.measures:
            return self.measures[name]
        if self.states and all(name in state for state in self.states if state):
            return np.array([state.get(name, np.nan) for state in self.states])
        known = [*self.measures, *next((s for s in self.states if s), {})]
        raise SolveError(f"{name!r} is not known here; there are {', '.join(known)}.")

    @property
    def unbalanced(self) -> Array:
        """Lateral acceleration in the track plane that cant does not balance (m/s^2), outwards positive."""
        sine = self.cant / (2 * self.half_gauge)
        return self.speed**2 / np.abs(self.radius) * np.sqrt(1 - sine**2) - GRAVITY * sine

    @property
    def cant_deficiency(self) -> Array:
        """Cant that is missing for balance (m)."""
        return 2 * self.half_gauge * self.speed**2 / np.abs(self.radius) / GRAVITY - self.cant

    @property
    def wear(self) -> Array:
        """Energy lost by creep per metre, of all wheels (J/m): T gamma."""
        return sum((self.measures[f"{w.name}.power_lost"] for w in self.wheels), np.zeros(len(self.speed))) / self.speed

    def sum_Y(self) -> dict[str, Array]:
        """Lateral force of each wheelset on the track (N), to the left positive."""
        return {
            name: sum((w.out * self.measures[f"{w.name}.Y"] for w in wheels), np.zeros(len(self.speed)))
            for name, wheels in by_wheelset(list(self.wheels)).items()
        }

    @preparing("the picture")
    def plot(self, path: Path | str | None = None) -> "Figure":
        """Wheel forces, angles and lost energy over what varies.

        Parameters
        ----------
        path : str or Path, optional
            File to write.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.rail.analysis.curving_view import curving_picture

        return curving_picture(self, path)


@one_thread()
def curving(
    vehicle: Vehicle,
    radius: ArrayLike,
    speed: ArrayLike | None,
    cant: ArrayLike = 0.0,
    *,
    deficiency: ArrayLike | None = None,
    half_gauge: float = 0.75,
) -> Curving:
    """Steady motions of a vehicle in arcs.

    Parameters
    ----------
    vehicle : Vehicle
        Such as a rail.Wagon.
    radius : float or array
        Of the arcs (m); positive turns left.
    speed : float or array
        m/s; None if `deficiency` is given.
    cant : float or array
        Height of the outer rail over the inner one (m), on rails 2 `half_gauge` apart.
    deficiency : float or array, optional
        Cant deficiency (m), from which the speed follows.
    half_gauge : float
        m.

    Returns
    -------
    Curving
        Arrays of one length: radius, speed and cant are broadcast. A case without a steady motion is nan and listed in
        `notes`.
    """
    if (speed is None) == (deficiency is None):
        raise SolveError("curving: give the speed (m/s) or the cant deficiency (m), one of them.")
    R, c = (np.asarray(v, float) for v in (radius, cant))
    if np.any(np.abs(R) < 20) or not np.all(np.isfinite(R)):
        raise SolveError(f"curving: radii must be finite and at least 20 m, got {R}.")
    if deficiency is not None:
        speed = np.sqrt(np.maximum((np.asarray(deficiency, float) + c) * np.abs(R) * GRAVITY / (2 * half_gauge), 0.0))
    R, v, c = (np.atleast_1d(a).astype(float).ravel() for a in np.broadcast_arrays(R, np.asarray(speed, float), c))
    if np.any(v <= 0) or not np.all(np.isfinite(v)):
        raise SolveError(
            f"curving: speeds must be above zero, got {v}. At rest wheels stick, and there is no steady motion."
        )
    lines = [arc(float(one), float(raised), half_gauge) for one, raised in zip(R, c, strict=True)]
    built = _first_possible(vehicle, list(zip(lines, map(float, v), strict=True)))
    system, wheels = built.build(), wheels_of(built)
    found: dict[str, list[float]] = {f"{w.name}.{m}": [] for w in wheels for m in MEASURES}
    states: list[Values] = []
    notes: list[str] = []
    near: tuple[Array, float] | None = None
    for k in range(len(R)):
        try:
            track = UniformTrack(system, line_tables(vehicle, lines[k], float(v[k])))
            x = _settled(track, float(v[k]), near)
        except (ModelError, SolveError) as error:
            notes.append(f"R = {R[k]:g} m, {v[k]:g} m/s, cant {c[k]:g} m: {error}")
            states.append({})
            for values in found.values():
                values.append(np.nan)
            continue
        near = x, float(v[k])
        states.append(track.flow.start_values(x))
        for name, values in found.items():
            values.append(float(track.flow.evaluate(name, x, float(v[k])).ravel()[0]))
    arrays = {name: np.array(values) for name, values in found.items()}
    return Curving(R, v, c, half_gauge, tuple(wheels), arrays, tuple(states), tuple(notes))


def _first_possible(vehicle: Vehicle, cases: Sequence[tuple[Alignment, float]]) -> Model:
    """The model of the first line and speed that fit the vehicle; ModelError of the first one if none does."""
    refused: list[ModelError] = []
    for line, speed in cases:
        try:
            return on_line(vehicle, line, speed)
        except ModelError as error:
            refused.append(error)
    raise refused[0]


@part_of_study()
def _settled(track: UniformTrack, speed: float, near: tuple[Array, float] | None) -> Array:
    """The steady motion: by Newton's method from the middle of the track, from a motion in another arc, or from where
    the vehicle is after a while.
    """
    for guess in (None, near):
        try:
            return track.steady(speed) if guess is None else track.steady(speed, *guess)
        except SolveError:
            continue
    given = {"speed": speed, **track.tables}
    start = track.flow.start_values(track.at_speed(speed))
    run = track.system.simulate(min(8.0, SETTLE / speed), start, given, method="stiff", rtol=1e-6, samples=2)
    if not run.ok or run.raw is None:
        raise SolveError(f"the vehicle does not stay on the rails: the run ends with {run.outcome}")
    return track.steady(speed, run.raw[1][-1][track.flow.kept], speed)
