"""A vehicle on its way along a line: model, runs, batches, small motions."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError, SolveError
from trundle.laws.signals import Signals
from trundle.lookup.table import Table
from trundle.messages.arguments import advised, explain_calls_with
from trundle.messages.preparing import preparing
from trundle.messages.warn import warn
from trundle.model.model import Model
from trundle.rail.track.alignment import Alignment
from trundle.rail.track.line import irregularities_along
from trundle.rail.trip.cases import refused_cases, with_others
from trundle.rail.trip.ending import END_OF_LINE, LANDS, LIFTS, name_endings, trip_outcome
from trundle.rail.trip.fit import MARGIN, TripWarning, check_begin, trip_faults, trip_notes
from trundle.rail.trip.place import Place
from trundle.rail.trip.steady_start import held_twin, starts_of_cases, steady_motion, steady_start
from trundle.rail.vehicle.advice import OF_ITS_RUNS, OF_TRIP
from trundle.rail.vehicle.along import AlongTrack
from trundle.rail.vehicle.ride import Frames, Ride
from trundle.rail.vehicle.traction import AxleMoment
from trundle.rail.vehicle.travel import STANDSTILL, START, Free, SpeedOverTime, TravelLaw, UniformTravel
from trundle.rail.vehicle.vehicle import PlacedVehicle, Vehicle
from trundle.real_array import real_array
from trundle.run.run import Run
from trundle.study.run_options import ProgressBar
from trundle.system import System
from trundle.typing import AnyArray, Expr, Given, ModelPart, Option, State, Values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trundle.rail.track.irregularity import Irregularity
    from trundle.run.batch import BatchRun
    from trundle.study.linearise import Linearisation

FADE = 30.0  # m over which irregularities grow, unless they have their own fade-in
FAST = 5.0  # m/s, above which explicit steps are cheaper on rough track: the stiffness of creep varies as 1/v
ATOL = {"m": 1e-3, "rad": 1e-3, "m/s": 0.1, "rad/s": 0.1}  # absolute over relative tolerance


@explain_calls_with(OF_TRIP)
@final
class Trip:
    """A vehicle that runs along a line.

    Parameters
    ----------
    vehicle : Vehicle
    line : Alignment
    speed : float, function of the signals, Table, or TravelLaw
        A number (m/s), a parameter of runs as `acceleration` is; a function of time, `lambda s: 20.0 + s.t`; a table
        over time; or `rail.Free(speed, traction=...)`.
    irregularity : Irregularity, optional
        Faded in over the first 30 m ahead of the vehicle unless it has its own fade-in.
    acceleration : float
        m/s^2, where the speed is a number.
    start : float, optional
        Of the reference point at t = 0 (m); by default the rearmost wheelset stands at the beginning of the line.
    frames : {"each", "one"}
        Whether each body is described in a track frame of its own, or all in one.
    lift_offs : bool
        Whether events mark when wheels leave their rails and come back, `front_left_lifts` and `front_left_lands`;
        `rail.lift_offs` then has their exact times. Batches with them run one by one.
    name : str
        Of the model.

    Raises
    ------
    ModelError
        If vehicle, line and speed do not fit.
    """

    @advised("", "Trip", **OF_ITS_RUNS)
    def __init__(
        self, vehicle: Vehicle, line: Alignment, speed: Given, *, irregularity: "Irregularity | None" = None,
        acceleration: float = 0.0, start: float | None = None, frames: Frames = "each", lift_offs: bool = False,
        name: str = "trip",
    ) -> None:  # fmt: skip
        if not isinstance(vehicle, Vehicle):
            order = " The vehicle comes first, then its line." if isinstance(vehicle, Alignment) else ""
            order = " Call it, with brackets." if callable(vehicle) else order
            raise ModelError(f"Trip: a vehicle such as a rail.Wagon is needed, got {type(vehicle).__name__}.{order}")
        self.vehicle, self.line = vehicle, line
        self.law = _law(speed, acceleration)
        self.start = -vehicle.reach[0] if start is None else float(start)
        faults = list(trip_faults(vehicle, line, self.law, self.start))
        if faults:
            raise ModelError([f"Trip: {fault}" for fault in faults])
        for note in trip_notes(vehicle, line, self.law, self.start):
            warn(f"Trip: {note}", TripWarning)
        self._given = irregularity
        self.irregularity = self._faded(self.start)
        self.model = Model(name)
        self.ride = Ride.on(self.model, line, self.law, self.start, self.irregularity, frames)
        self.placed: PlacedVehicle = vehicle.add(self.ride)
        if isinstance(self.law, Free):
            self._pull(self.law)
        if lift_offs:
            self._watch_wheels()

    def _faded(self, start: float) -> "Irregularity | None":
        """The irregularities, faded in ahead of the vehicle unless they have their own fade-in."""
        given = self._given
        if given is None or given.fade_in != (0.0, 0.0):
            return given
        return given.faded(start + self.vehicle.reach[1], FADE)

    def _pull(self, law: Free) -> None:
        """Traction of a free vehicle, on all its axles, and where its run ends."""
        axles, ahead, end = self.placed.wheelsets, self.vehicle.reach[1], self.line.length - MARGIN
        if self.placed.car_name + ".x" != law.leader:
            raise ModelError(f"Trip: rail.Free follows {law.leader!r}; give leader={self.placed.car_name + '.x'!r}.")
        for name, placed in axles.items():

            def share(s: Signals) -> Expr:
                return (law.traction(s) if callable(law.traction) else law.traction) / len(axles)

            self.model.apply(AxleMoment(placed.axle, share, self._radius(name)), name=f"{name}_traction")
        travel = self.ride.travel
        course = next(place.course for place in self.ride.places if place.offset == 0.0)
        along = AlongTrack(course, travel.speed, self.placed.car_name)
        self.model.output("distance", along.distance, "m", "distance of the vehicle along the track")
        self.model.output("vehicle_speed", along.speed, "m/s", "speed of the vehicle along the track")
        self.model.event("standstill", lambda s: along.speed(s) - STANDSTILL, -1, "stop")

        def beyond(s: Signals) -> Expr:
            """Neither the vehicle nor its frames may leave the line."""
            return ca.fmax(along.distance(s), travel.distance(s)) + ahead - end

        self.model.event("end_of_line", beyond, 1, "stop")

    def _watch_wheels(self) -> None:
        for wheel in self.placed.wheels:
            force: ModelPart = self.model.forces[wheel.contact]
            self.model.event(f"{wheel.contact}{LIFTS}", force.approach, -1)
            self.model.event(f"{wheel.contact}{LANDS}", force.approach, 1)

    def _radius(self, wheelset: str) -> float:
        force: ModelPart = self.model.forces[next(w.contact for w in self.placed.wheels if w.wheelset == wheelset)]
        return float(force.place.radius)

    @cached_property
    def system(self) -> System:
        """The built model."""
        return self.model.build()

    # -- runs ----------------------------------------------------------------------------------------------------------

    def longest(self, parameters: Values | None = None) -> float:
        """Time (s) after which the foremost wheelset comes to the end of the line, or the vehicle to a standstill;
        infinite for a free speed.

        Parameters
        ----------
        parameters : mapping, optional
            Values by name.

        Returns
        -------
        float
        """
        return float(np.min(self._longest(parameters)))

    def _longest(self, parameters: Values | None) -> AnyArray:
        """The same for every case of a batch that goes forwards."""
        given = {START: self.start, **(parameters or {})}
        way = self.line.length - MARGIN - np.asarray(given[START], float) - self.vehicle.reach[1]
        if not np.min(given.get("speed", 1.0)) > 0:
            raise SolveError(f"the speed is {np.min(given['speed']):g} m/s: a trip goes forwards, with one above zero.")
        if not isinstance(self.law, UniformTravel):
            return np.asarray(self.law.time_for(float(np.min(way))))
        given = {"speed": self.law.speed, "acceleration": self.law.acceleration, **given}
        return UniformTravel.times(*np.broadcast_arrays(given["speed"], given["acceleration"], way))

    def first_state(self, parameters: Values | None = None) -> State:
        """Start values: those of the model on straight level track where both sides are alike; else the steady motion
        there, at the speed of the start.

        Parameters
        ----------
        parameters : mapping, optional
            Values by name.

        Returns
        -------
        dict
        """
        return steady_start(self, parameters or {})

    @cached_property
    def held(self) -> "Trip":
        """The trip at the speed of its start, which the track holds; a free vehicle begins in its steady motion."""
        return held_twin(self)

    def simulate(
        self, duration: float | None = None, start: Values | None = None,
        parameters: Values | None = None, *, method: Given = "auto", rtol: float = 1e-6, atol: Given = None,
        **options: Option,
    ) -> Run:  # fmt: skip
        """Travel for a duration (s), or to the end of the line.

        Parameters
        ----------
        duration : float, optional
            Default: to the end of the line. With a free speed also until the vehicle stands still, with a sample at
            every step.
        start, parameters : mapping, optional
            By name; they override those of `first_state`. `speed`, `acceleration` and `start_distance` (m) are
            parameters: nothing is compiled for other values.
        method : str
            "auto": explicit of order 8 on rough track from 5 m/s on, else stiff. The border is an estimate from step
            counts at 30 m/s, since the stiffness of creep varies as 1/v.
        rtol : float
            Relative tolerance.
        atol : float or mapping, optional
            Absolute tolerance; by default rtol times 1e-3 (m, rad) and 0.1 (m/s, rad/s).
        **options
            Those of `System.simulate`.

        Returns
        -------
        Run
            Its arrays have `distance` (m) as a second coordinate. Additional outcomes: DERAILED, STANDSTILL, and
            END_OF_LINE, which counts as success.
        """
        if duration is None and not self.law.held:
            options.setdefault("samples", "steps")
        given = self.parameters(parameters)
        check_begin(self.law, options)
        seconds = self._duration(duration, given)
        begin = {**self.first_state(given), **(start or {})}
        chosen = self._method(method, given)
        options["tables"] = {**self._tables(given), **(options.get("tables") or {})}
        if not callable(bar := options.get("progress")) and not isinstance(bar, ProgressBar):
            place = Place(self.law, float(given.get(START, self.start)), given)
            options["progress"] = ProgressBar(place, bar)
        run = self.system.simulate(
            seconds, begin, given, method=chosen, rtol=rtol, atol=_atol(rtol) if atol is None else atol, **options
        )
        run.along = "distance"
        run.settings["good_endings"] = [END_OF_LINE]
        end = self.line.length - MARGIN - self.vehicle.reach[1]
        run.outcome = trip_outcome(run, self.placed, self.line, end if duration is None else None) or run.outcome
        return run

    def parameters(self, given: Values | None) -> State:
        """Parameters of a run, with those that follow from a `start_distance`: the rows of the line in which frames
        are.

        Parameters
        ----------
        given : mapping or None
            Values by name.

        Returns
        -------
        dict
        """
        found = dict(given or {})
        if START not in found:
            return found
        start = np.asarray(found[START], float)
        if self.ride.common is not None:
            raise SolveError("frames='one' lie where the trip starts: make another Trip for another start.")
        for one in np.atleast_1d(start):
            for fault in trip_faults(self.vehicle, self.line, self.law, float(one)):
                raise SolveError(f"Trip: {fault}")
        for place in self.ride.places:
            if f"{place.name}_row" in self.model.parameters:
                s = self.line.inside(start + (place.ride.start - self.start) + place.offset)
                found[f"{place.name}_row"] = np.asarray(self.line.row_at(s), float)[()]
        return found

    def _tables(self, parameters: Values) -> dict[str, Table]:
        """Irregularities that begin where a run does."""
        if self.ride.rough is None or START not in parameters or np.ndim(parameters[START]) > 0:
            return {}
        rough = self._faded(float(parameters[START]))
        if rough is None or rough.fade_in == (self.irregularity or rough).fade_in:
            return {}
        return {self.ride.rough.name: irregularities_along(rough, self.line.length)}

    def batch(
        self, duration: float, start: Values | None = None, parameters: Values | None = None, *,
        method: Given = "auto", rtol: float = 1e-6, atol: Given = None, **options: Option,
    ) -> "BatchRun":  # fmt: skip
        """Many trips at once: start values and parameters may be arrays of one common length.

        Parameters
        ----------
        duration : float
            s, the same for all.
        start, parameters : mapping, optional
            Numbers, or arrays with one entry for each case. Each starts in its own steady motion, in curves found one
            after the other (0.1 s each); irregularities are faded in where the trip begins.
        method, rtol, atol
            As for `simulate`.
        **options
            Those of `System.batch`.

        Returns
        -------
        BatchRun
            A case that `simulate` would refuse is named by its index; the others run.
        """
        check_begin(self.law, options)
        own = dict(parameters or {})
        refused = refused_cases(own, lambda case: self._duration(duration, self.parameters(case)))
        given = self.parameters(with_others(own, refused))
        options |= {"method": self._method(method, given), "rtol": rtol, "atol": _atol(rtol) if atol is None else atol}
        first = {**starts_of_cases(self, given, refused), **(start or {})}
        found = self.system.batch(duration, first, {**given, **own}, refused=refused, **options)
        name_endings(found, self.placed, self.model)
        return found

    def linearise(self, parameters: Values | None = None) -> "Linearisation":
        """Small motions about the steady motion where the trip begins; refused where its speed or the track changes.
        Those at the speed of the start are `held.linearise()`.

        Parameters
        ----------
        parameters : mapping, optional

        Returns
        -------
        Linearisation
        """
        given = self.parameters(parameters)
        return self.system.linearise(steady_motion(self, given), given)

    @preparing("the picture")
    def plot_plan(self, run: Run, times: Sequence[float], path: Path | str | None = None) -> "Figure":
        """The line from above with the vehicle at some times (s) of a run; for each of them how it stands on the track,
        magnified, with the lateral forces on its wheels.

        Parameters
        ----------
        run : Run
            Of this trip.
        times : sequence of float
            In s.
        path : str or Path, optional
            File to write.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.rail.trip.trip_view import plot_trip

        return plot_trip(self, run, times, path)

    def _duration(self, duration: float | None, parameters: Values | None) -> float:
        each = self._longest(parameters)
        longest = float(np.min(each))
        if duration is None:
            if np.isfinite(longest):
                return longest
            way = self.line.length - (parameters or {}).get(START, self.start)
            return float(way / STANDSTILL)  # a slower vehicle counts as standing still
        if isinstance(duration, int | float) and duration > longest * (1 + 1e-12):
            raise SolveError(
                f"{duration:g} s are too long: after {longest:.6g} s the vehicle comes to the end of "
                f"{self.line.name} ({self.line.length:g} m) or to a standstill. Leave the duration out to go that far."
            )
        return duration

    def _method(self, method: Given, parameters: Values | None) -> Given:
        if method != "auto":
            return method
        slowest = float(np.min((parameters or {}).get("speed", self.law.speed_at_start())))
        return "order8" if self.irregularity is not None and slowest >= FAST else "stiff"


def _law(speed: Given, acceleration: float) -> TravelLaw:
    if isinstance(speed, TravelLaw):
        if acceleration:
            warn("Trip: acceleration is not used where the speed is not a number.")
        return speed
    if isinstance(speed, Table) or callable(speed):
        return SpeedOverTime(speed)
    try:
        return UniformTravel(float(real_array(speed)), float(real_array(acceleration)))
    except (TypeError, ValueError):
        raise ModelError(
            f"Trip: speed must be a number (m/s), a function of time, a tr.Table or rail.Free(...), got {speed!r}."
        ) from None


def _atol(rtol: float) -> dict[str, float]:
    return {unit: rtol * part for unit, part in ATOL.items()}
