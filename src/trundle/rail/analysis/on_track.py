"""Vehicles on uniform track, for analyses."""

from trundle.errors import ModelError
from trundle.model.model import Model
from trundle.rail.analysis.uniform import UniformTrack
from trundle.rail.track.alignment import Alignment
from trundle.rail.track.segment import Arc, Straight
from trundle.rail.trip.trip import Trip
from trundle.rail.vehicle.vehicle import Vehicle
from trundle.system import System
from trundle.typing import Json

LENGTH = 400.0  # m of track under the vehicle: all of it is the same


def on_line(vehicle: Vehicle, line: Alignment, speed: float) -> Model:
    """A model of the vehicle on a line at a given speed, with the parameters `speed` and `acceleration`."""
    if not isinstance(vehicle, Vehicle):
        raise ModelError(f"a vehicle such as a rail.Wagon is needed, got {type(vehicle).__name__}.")
    return Trip(vehicle, line, speed).model


def straight_track(vehicle: Vehicle | System, speed: float, way: float = 0.0) -> UniformTrack:
    """The vehicle on straight track, long enough for runs over a distance (m); a UniformTrack or System is used as it
    is.
    """
    if isinstance(vehicle, UniformTrack):
        return vehicle
    if isinstance(vehicle, System):
        return UniformTrack(vehicle)
    return UniformTrack(on_line(vehicle, Alignment([Straight(LENGTH + way)]), speed).build())


def arc(radius: float, cant: float, half_gauge: float) -> Alignment:
    """A line that is one arc (m; positive radius turns left)."""
    return Alignment([Arc(radius=radius, length=LENGTH, cant=cant)], half_gauge=half_gauge)


def line_tables(vehicle: Vehicle, line: Alignment, speed: float) -> Json:
    """Tables of a line, for a system of the vehicle that was built on another one."""
    model = on_line(vehicle, line, speed)
    return {name: table.table for name, table in model.tables.items()}
