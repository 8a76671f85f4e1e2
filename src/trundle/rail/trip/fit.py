"""Checks before a trip: whether vehicle, line and speed fit."""

from collections.abc import Iterator, Mapping

import numpy as np

from trundle.errors import SolveError
from trundle.rail.track.alignment import Alignment
from trundle.rail.vehicle.travel import TravelLaw, UniformTravel
from trundle.rail.vehicle.vehicle import Vehicle
from trundle.rail.wheel_rail.profile import Profile
from trundle.typing import Option

MARGIN = 0.5  # m at the end of the line that no wheelset enters
MOST_ATTACK = 0.1  # rad between wheelset and rails up to which the contact is accurate
FLANGE = 0.5  # rad: slope of a profile above which it guides the wheel
OTHER_GAUGE = 0.04  # part by which the distance of the rails of a line may differ from that of the contacts
PLACES = 2001  # along the line that are checked
GRAVITY = 9.81  # m/s^2


class TripWarning(UserWarning):
    """A trip that is possible, but may not be intended."""


def trip_faults(vehicle: Vehicle, line: Alignment, law: TravelLaw, start: float) -> Iterator[str]:
    """Why a trip cannot be made."""
    behind, ahead = -vehicle.reach[0], vehicle.reach[1]
    v = law.speed_at_start()
    if not (np.isfinite(v) and v > 0):
        yield (
            f"the speed at the start is {v:g} m/s: a trip goes forwards, with a speed above zero. To go the other way "
            "turn the line round; for a vehicle at rest see `Vehicle.on_fixed_wheelsets`."
        )
    if start < behind:
        yield f"start is {start:g} m, but the rear wheelset stands {behind:g} m behind the middle."
    if start + ahead > line.length - MARGIN:
        yield (
            f"the front wheelset would start at {start + ahead:g} m, but {line.name} is {line.length:g} m long: take a "
            "longer line."
        )
    yield from _curve_faults(vehicle, line, law, start)


def _curve_faults(vehicle: Vehicle, line: Alignment, law: TravelLaw, start: float) -> Iterator[str]:
    s = np.linspace(min(max(start + vehicle.reach[0], 0.0), line.length), line.length, PLACES)
    at = line.local(s)
    k = np.abs(at.k)
    i = int(np.argmax(k))
    attack = vehicle.rigid_wheelbase / 2 * k[i]
    if attack > MOST_ATTACK:
        yield (
            f"the curve of {1 / k[i]:.4g} m at {s[i]:.4g} m is too tight: wheelsets {vehicle.rigid_wheelbase:g} m "
            f"apart in one frame stand at {attack:.2g} rad to the rails there; flange contact is accurate up to "
            f"{MOST_ATTACK:g} rad. Take a radius of at least {vehicle.rigid_wheelbase / 2 / MOST_ATTACK:.3g} m, or a "
            "shorter wheelbase."
        )
    if law.held:
        yield from _overturning(vehicle, line, law, start)


def _overturning(vehicle: Vehicle, line: Alignment, law: TravelLaw, start: float) -> Iterator[str]:
    """Where the speed would tip the vehicle over, as a rigid body on its rails."""
    if not law.speed_at_start() > 0:
        return
    s = np.linspace(min(max(start + vehicle.reach[0], 0.0), line.length), line.length, PLACES)
    at, v = line.local(s), law.speed_after(s - start)
    out = np.abs(v**2 * at.k * at.cos_b - GRAVITY * at.cos_g * at.sin_b)
    most = GRAVITY * line.half_gauge / vehicle.centre_height
    i = int(np.argmax(out))
    if out[i] > most:
        yield (
            f"at {s[i]:.4g} m the vehicle would fall over: with {v[i]:.3g} m/s on a radius of "
            f"{1 / max(abs(at.k[i]), 1e-9):.4g} m {out[i]:.3g} m/s^2 are not balanced by the cant, and "
            f"{most:.3g} m/s^2 are enough to lift the inner wheels. Go slower, or take a wider curve."
        )


def trip_notes(vehicle: Vehicle, line: Alignment, law: TravelLaw, start: float) -> Iterator[str]:
    """Features that a user may not have intended."""
    if not law.held:  # it may brake before
        for fault in _overturning(vehicle, line, law, start):
            yield f"if it keeps the speed of the start, {fault}"
    base, lengths = vehicle.rigid_wheelbase, np.diff(line.starts)
    for i in np.flatnonzero(lengths < base):
        kind = type(line.segments[i]).__name__
        yield (
            f"segment {i + 1} ({kind}) of {line.name} is {lengths[i]:.3g} m long, shorter than the wheelbase of "
            f"{base:g} m: wheelsets of one frame stand before and behind it at once, on a track that is bent or "
            "twisted between them. Check that lengths are in m."
        )
    yield from _gauge_notes(vehicle, line)
    bends = np.any(line.local(np.linspace(0.0, line.length, PLACES)).k != 0)
    wheels = {contact.geometry.wheel.name: contact.geometry.wheel for contact in vehicle.contacts}
    for name, wheel in wheels.items():
        if bends and not has_flange(wheel):
            yield (
                f"the wheel {name!r} has no flange, and {line.name} has curves: a wheelset that must go farther aside "
                "than its rails reach ends the run with DERAILED. Take a profile with a flange, such as rail.S1002()."
            )


def _gauge_notes(vehicle: Vehicle, line: Alignment) -> Iterator[str]:
    """Rails of the contacts that are not as far apart as those of a canted line."""
    if not np.any(line.local(np.linspace(0.0, line.length, PLACES)).sin_b):
        return
    for apart in {round(2 * contact.geometry.side("left").rail_origin, 4) for contact in vehicle.contacts}:
        if abs(apart / (2 * line.half_gauge) - 1) > OTHER_GAUGE:
            yield (
                f"the rails of the contacts are {apart:.4g} m apart, those of {line.name} {2 * line.half_gauge:.4g} m: "
                f"its cant angles follow from the latter. Give the line half_gauge={apart / 2:.4g}."
            )


def check_begin(law: TravelLaw, options: Mapping[str, Option]) -> None:
    """SolveError where a run would begin at another time than 0 with frames whose distance is a function of time."""
    if isinstance(law, UniformTravel) and options.get("t0"):
        raise SolveError(
            f"t0 is {options['t0']!r}: a trip begins at t = 0. To begin farther on, give "
            "parameters={'start_distance': ...} in m."
        )


def has_flange(wheel: Profile) -> bool:
    """Whether the inner part of a wheel is steep enough to guide it."""
    s = np.linspace(wheel.start, 0.0, 400)[1:]
    return bool(np.max(np.abs(np.arctan(wheel.slope(s)))) > FLANGE)
