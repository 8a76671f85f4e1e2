"""A vehicle on its way along a line: model, runs, batches, small motions."""

import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import Any, final

import numpy as np

from trundle.errors import ModelError, SolveError
from trundle.lookup.table import Table
from trundle.model.force import CoordinateForce
from trundle.model.model import Model
from trundle.rail.track.alignment import Alignment
from trundle.rail.track.irregularity import Irregularity
from trundle.rail.trip.ending import trip_outcome
from trundle.rail.vehicle.ride import Frames, Ride
from trundle.rail.vehicle.travel import Free, SpeedOverTime, TravelLaw, UniformTravel
from trundle.rail.vehicle.vehicle import PlacedVehicle, Vehicle
from trundle.run.batch import BatchRun
from trundle.run.dataset import Run
from trundle.study.linearise import Linearisation
from trundle.system import System

FADE = 30.0  # m over which irregularities grow, unless they have a beginning of their own
FAST = 5.0  # m/s, from which on explicit steps are cheaper on rough track: creep is stiff as 1/v
MARGIN = 0.5  # m at the end of the line that no wheelset enters
LOOKS = 2001  # times at which a speed over time is looked at
ATOL = {"m": 1e-3, "rad": 1e-3, "m/s": 0.1, "rad/s": 0.1}  # absolute over relative tolerance


@final
class Trip:
    """A vehicle on its way along a line.

    Parameters
    ----------
    vehicle : Vehicle
    line : Alignment
    speed : float, function of the signals, Table, or TravelLaw
        A number (m/s), a parameter of runs as `acceleration` is; a function of time, `lambda s: 20.0 + s.t`; a table
        over time; or `rail.Free(speed, traction=...)`.
    irregularity : Irregularity, optional
        Faded in over the first 30 m before the vehicle unless it has a beginning of its own.
    acceleration : float
        m/s^2, where the speed is a number.
    start : float, optional
        Distance (m) of the vehicle's reference point at t = 0; unless given the rearmost wheelset stands at the
        beginning of the line.
    frames : {"each", "one"}
        Whether each body is described in a track frame of its own, or all in one.

    Raises
    ------
    ModelError
        Where vehicle, line and speed do not fit.
    """

    def __init__(
        self, vehicle: Vehicle, line: Alignment, speed: Any, *, irregularity: Irregularity | None = None,
        acceleration: float = 0.0, start: float | None = None, frames: Frames = "each", name: str = "trip",
    ) -> None:  # fmt: skip
        self.vehicle, self.line = vehicle, line
        self.law = _law(speed, acceleration)
        behind, ahead = -vehicle.reach[0], vehicle.reach[1]
        self.start = behind if start is None else float(start)
        self._check(behind, ahead)
        if irregularity is not None and irregularity.fade_in == (0.0, 0.0):
            irregularity = irregularity.faded(self.start + ahead, FADE)
        self.irregularity = irregularity
        self.model = Model(name)
        self.ride = Ride.on(self.model, line, self.law, self.start, irregularity, frames)
        self.placed: PlacedVehicle = vehicle.add(self.ride)
        self._pull()

    def _check(self, behind: float, ahead: float) -> None:
        faults, v = [], self.law.speed_at_start()
        if not (np.isfinite(v) and v > 0):
            faults.append(
                f"the speed at the start is {v:g} m/s: a trip goes forwards, with a speed above zero. To go the "
                "other way turn the line round."
            )
        if self.start < behind:
            faults.append(f"start is {self.start:g} m, but the rear wheelset stands {behind:g} m behind the middle.")
        if self.start + ahead > self.line.length - MARGIN:
            faults.append(
                f"the front wheelset would start at {self.start + ahead:g} m, but {self.line.name} is "
                f"{self.line.length:g} m long."
            )
        if faults:
            raise ModelError([f"Trip: {fault}" for fault in faults])

    def _pull(self) -> None:
        """Traction of a free vehicle, on all its axles."""
        law, axles = self.law, self.placed.wheelsets
        if not isinstance(law, Free):
            return
        if self.placed.car_name + ".x" != law.leader:
            raise ModelError(f"Trip: rail.Free follows {law.leader!r}; give leader={self.placed.car_name + '.x'!r}.")
        for name in axles:
            share = self._radius(name) / len(axles)

            def moment(s: Any, share: float = share) -> Any:
                return share * (law.traction(s) if callable(law.traction) else law.traction)

            self.model.apply(CoordinateForce(f"{name}_spin.angle", moment), name=f"{name}_traction")

    def _radius(self, wheelset: str) -> float:
        force: Any = self.model.forces[next(w.contact for w in self.placed.wheels if w.wheelset == wheelset)]
        return float(force.place.radius)

    @cached_property
    def system(self) -> System:
        """The built model."""
        return self.model.build()

    # -- runs ----------------------------------------------------------------------------------------------------------

    def longest(self, parameters: Mapping[str, Any] | None = None) -> float:
        """Time (s) after which the foremost wheelset comes to the end of the line, or the vehicle to a standstill;
        infinite for a free speed.
        """
        way = self.line.length - MARGIN - self.start - self.vehicle.reach[1]
        if isinstance(self.law, UniformTravel):
            given = {"speed": self.law.speed, "acceleration": self.law.acceleration, **(parameters or {})}
            v, a = np.max(given["speed"]), np.max(given["acceleration"])
            if not np.min(given["speed"]) > 0:
                raise SolveError(
                    f"the speed is {np.min(given['speed']):g} m/s: a trip goes forwards, with one above zero."
                )
            if a == 0:
                return float(way / v)
            root = v**2 + 2 * a * way
            return float(-v / a if root < 0 else (np.sqrt(root) - v) / a)
        if isinstance(self.law, SpeedOverTime):
            return self._longest_over_time(self.law, way)
        return np.inf

    @staticmethod
    def _longest_over_time(law: SpeedOverTime, way: float) -> float:
        span = way / law.speed_at_start()
        for _ in range(8):
            t = np.linspace(0.0, span, LOOKS)
            v = np.array([law.at(float(one)) for one in t])
            gone = np.concatenate([[0.0], np.cumsum((v[1:] + v[:-1]) / 2 * np.diff(t))])
            stops, ends = np.flatnonzero(v <= 0), np.flatnonzero(gone >= way)
            if len(stops) or len(ends):
                return float(t[min([*stops[:1], *ends[:1]])])
            span *= 2
        return np.inf

    def first_state(self, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Values to start from: at rest on straight level track as the model says, else the steady motion there."""
        s = self.start + np.array([*self.vehicle.reach, 0.0])
        at = self.line.local(s)
        if np.max(np.abs([at.k, at.sin_b])) == 0 or not self.law.held:
            return {}
        angles = {f"{name}_spin.angle": 0.0 for name in self.placed.wheelsets}
        return self.system.steady(angles, parameters=parameters)

    def simulate(
        self, duration: float | None = None, start: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None, *, method: Any = "auto", rtol: float = 1e-6, atol: Any = None,
        **options: Any,
    ) -> Run:  # fmt: skip
        """Travel for a duration (s), or to the end of the line.

        Parameters
        ----------
        duration : float, optional
        start, parameters : mapping, optional
            By name, over those of `first_state`.
        method : str
            "auto": explicit of order 8 on rough track from 5 m/s on, else stiff. The border is an estimate from step
            counts at 30 m/s, as the stiffness of creep goes as 1/v.
        rtol, atol : float
            Unless given atol is rtol times 1e-3 (m, rad) and 0.1 (m/s, rad/s).
        **options
            Those of `System.simulate`.

        Returns
        -------
        Run
            Its arrays have `distance` (m) as a second coordinate. Endings of its own: DERAILED, END_OF_LINE.
        """
        duration = self._duration(duration, parameters)
        begin = {**self.first_state(parameters), **(start or {})}
        chosen = self._method(method, parameters)
        run = self.system.simulate(
            duration, begin, parameters, method=chosen, rtol=rtol, atol=_atol(rtol) if atol is None else atol, **options
        )
        run.along = "distance"
        run.outcome = trip_outcome(run, self.placed, self.line, self.vehicle.reach[1]) or run.outcome
        return run

    def batch(
        self, duration: float, start: Mapping[str, Any] | None = None, parameters: Mapping[str, Any] | None = None, *,
        method: Any = "auto", rtol: float = 1e-6, atol: Any = None, **options: Any,
    ) -> BatchRun:  # fmt: skip
        """Many trips at once: start values and parameters may be arrays of one common length.

        Parameters
        ----------
        duration : float
            s, the same for all.
        start, parameters : mapping, optional
            Numbers, or arrays with one entry for each case.
        method, rtol, atol
            As for `simulate`.
        **options
            Those of `System.batch`.

        Returns
        -------
        BatchRun
        """
        self._duration(duration, parameters)
        given = _atol(rtol) if atol is None else atol
        chosen = self._method(method, parameters)
        begin = {**self.first_state(), **(start or {})}
        return self.system.batch(duration, begin, parameters, method=chosen, rtol=rtol, atol=given, **options)

    def linearise(self, parameters: Mapping[str, Any] | None = None) -> Linearisation:
        """Small motions about the steady motion where the trip begins.

        Parameters
        ----------
        parameters : mapping, optional

        Returns
        -------
        Linearisation
        """
        angles = {f"{name}_spin.angle": 0.0 for name in self.placed.wheelsets}
        return self.system.linearise(self.system.steady(angles, parameters=parameters), parameters)

    def _duration(self, duration: float | None, parameters: Mapping[str, Any] | None) -> float:
        longest = self.longest(parameters)
        if duration is None:
            if not np.isfinite(longest):
                raise SolveError("a trip with a free speed needs a duration.")
            return longest
        if isinstance(duration, int | float) and duration > longest * (1 + 1e-12):
            raise SolveError(
                f"{duration:g} s are too long: after {longest:.6g} s the vehicle comes to the end of {self.line.name} "
                f"({self.line.length:g} m) or to a standstill. Leave the duration out to go that far."
            )
        return duration

    def _method(self, method: Any, parameters: Mapping[str, Any] | None) -> Any:
        if method != "auto":
            return method
        slowest = float(np.min((parameters or {}).get("speed", self.law.speed_at_start())))
        return "order8" if self.irregularity is not None and slowest >= FAST else "stiff"


def _law(speed: Any, acceleration: float) -> TravelLaw:
    if isinstance(speed, TravelLaw):
        if acceleration:
            warnings.warn("Trip: acceleration is not used where the speed is not a number.", stacklevel=3)
        return speed
    if isinstance(speed, Table) or callable(speed):
        return SpeedOverTime(speed)
    try:
        return UniformTravel(float(speed), float(acceleration))
    except (TypeError, ValueError):
        raise ModelError(
            f"Trip: speed must be a number (m/s), a function of time, a tr.Table or rail.Free(...), got {speed!r}."
        ) from None


def _atol(rtol: float) -> dict[str, float]:
    return {unit: rtol * part for unit, part in ATOL.items()}
