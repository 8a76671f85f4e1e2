"""The steady motion in which a trip begins."""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from trundle.errors import ModelError, SolveError
from trundle.messages.warn import warn
from trundle.rail.trip.fit import TripWarning
from trundle.rail.vehicle.ride import Frames
from trundle.rail.vehicle.travel import START, UniformTravel
from trundle.system import System
from trundle.typing import State, Values

if TYPE_CHECKING:
    from trundle.rail.trip.trip import Trip

SETTLE = 4.0  # s, after which a vehicle is near its steady motion


def steady_start(trip: "Trip", parameters: Values, always: bool = False) -> State:
    """Start values of a trip; none where those of the model are right, unless they are `always` wanted."""
    if not always and begins_in_the_middle(trip, parameters):
        return {}
    try:
        return _found(*_at_one_speed(trip, parameters))
    except (ModelError, SolveError) as error:
        if trip.law.held:
            raise
        warn(
            f"Trip: no steady motion at the speed of the start was found there ({error}) The run begins with the "
            "wheelsets in the middle of the track.",
            TripWarning,
        )
        return {}


def steady_motion(trip: "Trip", parameters: Values) -> State:
    """The steady motion at the start of a trip, about which small motions are; SolveError that says why there is
    none.
    """
    one, given = _at_one_speed(trip, parameters)
    state = _steady_in_place(one, given)
    v = float(parameters.get("speed", trip.law.speed_at_start()))
    where = f"at {_reach(trip, parameters)[-1]:.4g} m of {trip.line.name}, at {v:g} m/s"
    if isinstance(trip.law, UniformTravel):
        acceleration = float(parameters.get("acceleration", trip.law.acceleration))
        if acceleration == 0.0:
            return state
        raise SolveError(
            f"the trip begins {where}, with an acceleration of {acceleration:g} m/s^2: no motion is steady there. "
            f"Give its parameter acceleration=0: trip.linearise({{'acceleration': 0.0}})."
        )
    try:
        return trip.system.steady(_angles(trip), state, parameters)
    except SolveError as error:
        instead = "trip.held.linearise() has the small motions at the speed of the start, which the track holds."
        if trip.law.held:
            raise SolveError(
                f"the trip begins {where}, where its speed changes with time: no motion is steady there. {instead}"
            ) from error
        raise SolveError(
            f"the trip begins {where}, with a free speed, which changes there: only a traction of "
            f"{_pull(one, state, given):.3g} N would balance what curve, gradient and wheels take. {instead}"
        ) from error


def _at_one_speed(trip: "Trip", parameters: Values) -> tuple["Trip", Values]:
    """A trip with the same start, and its parameters, at a constant speed."""
    if isinstance(trip.law, UniformTravel):
        return trip, {**parameters, "acceleration": 0.0}
    held = trip.held
    return held, {name: v for name, v in parameters.items() if name in held.model.parameters}


def _pull(trip: "Trip", state: State, parameters: Values) -> float:
    """Force (N) that keeps a vehicle at its speed, forwards along the track."""
    heading = float(trip.line.heading(_reach(trip, parameters)[-1]))
    force = trip.system.reactions(state, parameters)[f"{trip.placed.car_name}.reaction_force"]
    return float(np.linalg.norm(force) * np.sign(force @ (np.cos(heading), np.sin(heading), 0.0)))


def _angles(trip: "Trip") -> State:
    return {f"{name}_spin.angle": 0.0 for name in trip.placed.wheelsets}


def starts_of_cases(trip: "Trip", parameters: Values, refused: dict[int, str]) -> State:
    """Start values of a batch by name, each case in its own steady motion; cases without one go to `refused`."""
    varied = {name: np.asarray(value, float) for name, value in parameters.items() if np.ndim(value) == 1}
    if len({len(values) for values in varied.values()}) != 1:
        return steady_start(trip, parameters)  # none vary; arrays of different lengths are refused by the batch
    cases = list(zip(*(values.tolist() for values in varied.values()), strict=True))
    given = {case: {**parameters, **dict(zip(varied, case, strict=True))} for case in cases}
    if all(begins_in_the_middle(trip, one) for one in given.values()):
        return {}
    found: dict[tuple[float, ...], State | str] = {}
    for case, one in given.items():
        try:
            found[case] = steady_start(trip, one, always=True)
        except SolveError as error:
            found[case] = str(error)
    starts = [found[case] for case in cases]
    usual = next((start for start in starts if isinstance(start, Mapping)), None)
    if usual is None:
        raise SolveError(f"all {len(cases)} cases are refused, the first: {starts[0]}")
    refused |= {i: start for i, start in enumerate(starts) if isinstance(start, str) and i not in refused}
    taken = [usual if isinstance(start, str) else start for start in starts]
    if not all(start.keys() == usual.keys() for start in taken):
        return {}  # of cases that begin in the middle, as a warning has said
    return {name: np.array([start[name] for start in taken]) for name in usual}


def held_twin(trip: "Trip") -> "Trip":
    """The same trip at the speed of its start, which the track holds."""
    frames: Frames = "each" if trip.ride.common is None else "one"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TripWarning)
        return type(trip)(trip.vehicle, trip.line, trip.law.speed_at_start(), start=trip.start, frames=frames)


def begins_in_the_middle(trip: "Trip", parameters: Values) -> bool:
    """Whether a trip begins on straight level track with sides that are alike."""
    at = trip.line.local(_reach(trip, parameters))
    straight = np.max(np.abs([at.k, at.sin_b])) == 0
    return bool(straight and all(contact.geometry.alike for contact in trip.vehicle.contacts))


def _reach(trip: "Trip", parameters: Values) -> np.ndarray:
    """Distances (m) of the wheelsets and of the reference point at the start."""
    return float(parameters.get(START, trip.start)) + np.array([*trip.vehicle.reach, 0.0])


def _found(trip: "Trip", parameters: Values) -> State:
    try:
        return _steady_in_place(trip, parameters)
    except SolveError:
        at = trip.line.local(_reach(trip, parameters))
        if np.max(np.abs([at.k, at.sin_b])) > 0:
            raise
        warn(
            "Trip: the sides of the wheelsets differ, and no steady motion with them was found on the straight "
            "track at the start: the run begins with the wheelsets in its middle.",
            TripWarning,
        )
        return {}


def _steady_in_place(trip: "Trip", parameters: Values) -> State:
    """The steady motion at the start of a trip with a constant speed; SolveError if the track changes there."""
    try:
        return _steady(trip.system, _angles(trip), parameters)
    except SolveError as error:
        s = _reach(trip, parameters)
        at = trip.line.local(s)
        if np.ptp(at.k) == 0 and np.ptp(at.sin_b) == 0:
            raise
        raise SolveError(
            f"the vehicle starts between {s[0]:.4g} and {s[1]:.4g} m of {trip.line.name}, where curvature or cant "
            "change along it, and no steady motion to start from was found there: begin the line with a straight "
            "or an arc that is longer than the vehicle, or give a start distance on one."
        ) from error


def _steady(system: System, angles: Values, parameters: Values | None) -> State:
    """The steady motion near the start of the model, or near where the vehicle is after a while."""
    try:
        return system.steady(angles, parameters=parameters)
    except SolveError as error:
        try:
            later = system.simulate(SETTLE, parameters=parameters, method="stiff", rtol=1e-6, samples=2)
        except SolveError:
            raise error from None
        if not later.ok:
            raise
        names = [n for c in system.formulation.layout.coordinates for n in (c.name, c.rate_name)]
        near = {name: later.values(name)[-1] for name in names if name not in angles}
        return system.steady(angles, near, parameters)
