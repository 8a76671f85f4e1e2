"""Assessment of a run: safety, track load, wear and comfort, with their limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np

from trundle.errors import SolveError
from trundle.messages.preparing import preparing
from trundle.messages.text_table import text_lines
from trundle.model.model import Model
from trundle.rail.analysis.signals import band, largest, on_grid, sliding_mean
from trundle.rail.analysis.weighting import (
    HORIZONTAL,
    VERTICAL_EN,
    VERTICAL_ISO,
    mean_comfort,
    sperling,
    weighted_rms,
)
from trundle.rail.analysis.wheels import Wheel, by_wheelset, heaviest, total_mass, wheels_of
from trundle.run.run import Run
from trundle.typing import Array

STICKY = 5.0  # a larger coefficient of friction is a slip of units
if TYPE_CHECKING:
    from matplotlib.figure import Figure

GRAVITY = 9.81  # m/s^2
FILTER = 20.0  # Hz, of wheel forces
WINDOW = 2.0  # m, of sliding means
BODY_BAND = (0.4, 10.0)  # Hz, of accelerations in the body
SHARE = 99.85  # %, of the largest values
DERAILMENT = 0.8  # limit of Y/Q in sliding means


@final
class Line(NamedTuple):
    """One line of the table: a value, its limit (nan if there is none), and where it applies."""

    quantity: str
    where: str
    value: float
    limit: float
    unit: str

    @property
    def ok(self) -> bool | None:
        """Whether it lies within its limit; None without one."""
        return None if np.isnan(self.limit) else bool(self.value <= self.limit)


def prudhomme(axle_load: float, factor: float = 1.0) -> float:
    """Limit of the lateral force of a wheelset on the track (N): factor (10 kN + axle load / 3) [Prudhomme 1967].

    Parameters
    ----------
    axle_load : float
        In N.
    factor : float
        1, or less where a standard requires it.

    Returns
    -------
    float
        In N.
    """
    return factor * (10e3 + axle_load / 3)


def nadal(flange_angle: float, mu: float) -> float:
    """Y/Q at which a wheel climbs, with its flange at an angle (rad) and friction mu: (tan - mu)/(1 + mu tan).

    Parameters
    ----------
    flange_angle : float
        In rad.
    mu : float
        Coefficient of friction.

    Returns
    -------
    float
    """
    if not 0 < flange_angle < np.pi / 2 or not 0 <= mu <= STICKY:
        raise SolveError(
            f"nadal: the flange angle lies between 0 and pi/2 rad and mu, a ratio of forces, between 0 and {STICKY:g}, "
            f"got {flange_angle!r} and {mu!r}; 70 degrees are tr.degrees(70)."
        )
    return float((np.tan(flange_angle) - mu) / (1 + mu * np.tan(flange_angle)))


@final
@dataclass(frozen=True, eq=False)
class Assessment:
    """Signals of a run at equal steps of time and the results; `table()` and `plot()` show them."""

    run: Run
    body: str
    place: tuple[float, float, float]  # of the accelerometer in the body, m
    track_factor: float
    derailment_limit: float

    @cached_property
    def wheels(self) -> list[Wheel]:
        """All contacts."""
        return wheels_of(self._model)

    @cached_property
    def time(self) -> Array:
        """Equal steps, s."""
        return np.linspace(self.run.time[0], self.run.time[-1], len(self.run.time))

    @property
    def rate(self) -> float:
        """Samples per second."""
        return (len(self.time) - 1) / float(self.time[-1] - self.time[0])

    @cached_property
    def distance(self) -> Array:
        """Along the track, m."""
        return self._signal(self.run.values("distance"))

    @property
    def axle_load(self) -> float:
        """Mean weight of the vehicle on a wheelset, N."""
        model = self._model
        return total_mass(model) * GRAVITY / len(by_wheelset(self.wheels))

    @cached_property
    def axle_loads(self) -> dict[str, float]:
        """Load of each wheelset at rest, N; the mean one where a vehicle of your own does not say its loads."""
        found = {}
        for name, wheels in by_wheelset(self.wheels).items():
            loads = [w.static_load for w in wheels if w.static_load is not None]
            found[name] = sum(loads) if len(loads) == len(wheels) else self.axle_load
        return found

    @property
    def track_limits(self) -> dict[str, float]:
        """Prud'homme's limit of the sum of Y of each wheelset, N."""
        return {name: prudhomme(load, self.track_factor) for name, load in self.axle_loads.items()}

    @cached_property
    def Q(self) -> dict[str, Array]:
        """Wheel loads below 20 Hz, N, by the name of the contact."""
        return {w.name: self._filtered(f"{w.name}.Q") for w in self.wheels}

    @cached_property
    def Y(self) -> dict[str, Array]:
        """Lateral forces of the wheels on the rails below 20 Hz, outwards, N."""
        return {w.name: self._filtered(f"{w.name}.Y") for w in self.wheels}

    @cached_property
    def sum_Y(self) -> dict[str, Array]:
        """Lateral forces of the wheelsets on the track below 20 Hz, to the left, N."""
        return {
            name: np.sum([w.out * self.Y[w.name] for w in wheels], axis=0)
            for name, wheels in by_wheelset(self.wheels).items()
        }

    @cached_property
    def wear(self) -> dict[str, Array]:
        """T gamma of each wheel: energy lost by creep per metre (J/m = N)."""
        speed = np.gradient(self.distance, self.time)
        return {w.name: self._signal(self.run.values(f"{w.name}.power_lost")) / speed for w in self.wheels}

    @cached_property
    def acceleration(self) -> Array:
        """What an accelerometer in the body shows: x forward, y left, z up in the body, without weight (m/s^2)."""
        name = self.body
        v, w = (self.run.values(f"{name}.{q}") for q in ("acceleration", "angular_acceleration"))
        turn = self.run.values(f"{name}.angular_velocity")
        R = self.run.values(f"{name}.rotation").reshape(-1, 3, 3).transpose(0, 2, 1)  # kept by columns
        arm = R @ np.asarray(self.place)
        total = v + np.cross(w, arm) + np.cross(turn, np.cross(turn, arm))
        total[:, 2] += GRAVITY
        specific_force = np.einsum("nji,nj->ni", R, total)
        return np.column_stack([self._signal(specific_force[:, k]) for k in range(3)]) - (0.0, 0.0, GRAVITY)

    @property
    def lateral_acceleration(self) -> Array:
        """Not balanced by cant, in the floor of the body, below 20 Hz (m/s^2)."""
        return band(self.time, self.acceleration[:, 1], None, FILTER)

    @preparing("the assessment of the run")
    def lines(self) -> list[Line]:
        """All lines of the table."""
        return [*self._forces(), *self._comfort()]

    def table(self) -> str:
        """The lines as text."""
        rows = [("quantity", "where", "value", "limit", "unit", "")]
        for one in self.lines():
            limit = "" if np.isnan(one.limit) else f"{one.limit:.4g}"
            verdict = "" if one.ok is None else "ok" if one.ok else "EXCEEDED"
            rows.append((one.quantity, one.where, f"{one.value:.4g}", limit, one.unit, verdict))
        return "\n".join(text_lines(rows))

    @preparing("the picture")
    def plot(self, path: Path | str | None = None) -> "Figure":
        """Wheel forces, Y/Q, sums of Y with their limits, and accelerations over the distance.

        Parameters
        ----------
        path : str or Path, optional
            File to write.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.rail.analysis.assess_view import assessment_picture

        return assessment_picture(self, path)

    # -- inside --------------------------------------------------------------------------------------------------------

    @property
    def _model(self) -> Model:
        assert self.run.system is not None
        return self.run.system.model

    def _signal(self, values: Array) -> Array:
        return np.interp(self.time, self.run.time, values)

    def _filtered(self, name: str) -> Array:
        return band(self.time, self._signal(self.run.values(name)), None, FILTER)

    def mean_over(self, values: Array, length: float = WINDOW) -> tuple[Array, Array]:
        """Sliding mean over a length of track (m): places and means.

        Parameters
        ----------
        values : array
            At the distances of the assessment.
        length : float
            Of the window (m).

        Returns
        -------
        tuple of array
        """
        return sliding_mean(self.distance, values, length)

    def _forces(self) -> list[Line]:
        found = []
        for w in self.wheels:
            found.append(Line("Q, largest", w.name, 1e-3 * float(np.percentile(self.Q[w.name], SHARE)), np.nan, "kN"))
        for w in self.wheels:
            found.append(Line("Q, median", w.name, 1e-3 * float(np.median(self.Q[w.name])), np.nan, "kN"))
        for w in self.wheels:
            found.append(Line("Y, median", w.name, 1e-3 * float(np.median(self.Y[w.name])), np.nan, "kN"))
        for w in self.wheels:
            ratio = self.mean_over(self.Y[w.name] / np.maximum(self.Q[w.name], 1.0))[1]
            share = float(np.percentile(ratio, SHARE))
            found.append(Line("Y/Q over 2 m", w.name, share, self.derailment_limit, ""))
        for name, values in self.sum_Y.items():
            limit = 1e-3 * self.track_limits[name]
            found.append(Line("sum of Y over 2 m", name, 1e-3 * largest(self.mean_over(values)[1]), limit, "kN"))
        for w in self.wheels:
            found.append(Line("wear number, mean", w.name, float(np.mean(self.wear[w.name])), np.nan, "N"))
        return found

    def _comfort(self) -> list[Line]:
        a, where = self.acceleration, self.body
        sideways = self.lateral_acceleration
        found = [Line("lateral acceleration, median", where, float(abs(np.median(sideways))), np.nan, "m/s^2")]
        for k, text in ((1, "lateral"), (2, "vertical")):
            moved = band(self.time, a[:, k], *BODY_BAND)
            found.append(Line(f"{text} acceleration 0.4 to 10 Hz, largest", where, largest(moved), np.nan, "m/s^2"))
            found.append(Line(f"{text} Wz (Sperling)", where, sperling(a[:, k], self.rate, text), np.nan, ""))
        for text, k, weighting in (
            ("lateral, weighted Wd (ISO 2631, EN 12299)", 1, HORIZONTAL),
            ("vertical, weighted Wk (ISO 2631)", 2, VERTICAL_ISO),
            ("vertical, weighted Wb (EN 12299)", 2, VERTICAL_EN),
        ):
            found.append(Line(text, where, weighted_rms(a[:, k], self.rate, weighting), np.nan, "m/s^2"))
        if self.time[-1] - self.time[0] >= 5.0:
            comfort = mean_comfort((a[:, 0], a[:, 1], a[:, 2]), self.rate)
            found.append(Line("mean comfort N_MV (EN 12299)", where, comfort, np.nan, ""))
        return found


def assess(
    run: Run,
    body: str | None = None,
    place: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    track_factor: float = 1.0,
    derailment_limit: float = DERAILMENT,
) -> Assessment:
    """Assess a run of a rail vehicle.

    Wheel forces are filtered below 20 Hz, Y/Q and sums of Y are sliding means over 2 m, largest values are the 99.85 %
    ones, medians those of 50 % [UIC 2009]. The run should have at least 100 samples a second.

    Parameters
    ----------
    run : Run
        With its model, along a line.
    body : str, optional
        The body in which accelerations are evaluated; by default the heaviest.
    place : three floats
        Of the accelerometer in the body (m).
    track_factor : float
        By which Prud'homme's limit is multiplied.
    derailment_limit : float
        Of Y/Q; `rail.nadal(flange_angle, mu)` is the limit of a profile and its friction.

    Returns
    -------
    Assessment
    """
    system = run.system
    if system is None:
        raise SolveError("assess needs the model of the run: files keep none. Assess before saving.")
    name = heaviest(system.model) if body is None else body
    if name not in system.model.bodies:
        raise SolveError(f"assess: there is no body {name!r}; there are {', '.join(system.model.bodies)}.")
    x, y, z = (float(v) for v in place)
    found = Assessment(run, name, (x, y, z), float(track_factor), float(derailment_limit))
    _ = found.wheels
    on_grid(run.time, run.values("distance"))  # refuses a run that does not move forward
    if found.rate < 2 * FILTER:
        raise SolveError(
            f"assess: the run has {found.rate:.3g} samples a second; at least {2 * FILTER:g} are needed for signals up "
            f"to {FILTER:g} Hz. Run the trip with samples={round(100 * (run.time[-1] - run.time[0]))}, 100 a second."
        )
    return found
