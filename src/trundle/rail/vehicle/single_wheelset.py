"""One wheelset, softly suspended to a frame that runs along the track."""

from dataclasses import dataclass, replace
from typing import final

from trundle.errors import ModelError
from trundle.model.body import as_frame
from trundle.rail.suspension.suspension import Suspension
from trundle.rail.vehicle.mount import check_half_width, check_suspension
from trundle.rail.vehicle.ride import Ride
from trundle.rail.vehicle.running_gear import FixedWheelset, RunningGear
from trundle.rail.vehicle.vehicle import PlacedVehicle, Vehicle, check_part, prefix, wheels_of
from trundle.rail.vehicle.wheelset import Contact


@final
@dataclass(frozen=True, eq=False)
class SingleWheelset(Vehicle):
    """A wheelset connected to its track frame by a suspension at both ends, under a load (N) in addition to its weight.

    The frame keeps the speed of the ride; `rail.Free` is refused. In a model it is called `axle`, its contacts
    `axle_left` and `axle_right`.

    Parameters
    ----------
    wheelset : Wheelset
        It.
    suspension : Suspension
        At each end.
    half_width : float
        Of the suspensions from the middle (m).
    load : float or expression
        In addition to the weight (N).
    """

    wheelset: RunningGear
    suspension: Suspension
    half_width: float = 1.0
    load: float = 0.0

    def __post_init__(self) -> None:
        check_part("SingleWheelset", "wheelset", self.wheelset, RunningGear, "a rail.Wheelset")
        check_suspension("SingleWheelset", self.suspension)
        check_half_width("SingleWheelset", self.half_width)
        if not self.load >= 0:
            raise ModelError(f"SingleWheelset: the load must not be negative, got {self.load!r} N.")

    @property
    def reach(self) -> tuple[float, float]:
        return 0.0, 0.0

    @property
    def mass(self) -> float:
        return self.wheelset.mass

    @property
    def rigid_wheelbase(self) -> float:
        return 0.0

    @property
    def centre_height(self) -> float:
        return self.wheelset.radius

    @property
    def contacts(self) -> tuple[Contact, ...]:
        return self.wheelset.contacts

    @property
    def half_length(self) -> float | None:
        return None

    def add(self, ride: Ride, name: str = "") -> PlacedVehicle:
        if not ride.held:
            raise ModelError("SingleWheelset: nothing drives the frame it is suspended to; give the speed of the ride.")
        m, full = ride.model, f"{prefix(name)}axle"
        place = ride.place(full, 0.0)
        placed = self.wheelset.add(m, full, place, self.load)
        frame = as_frame(place.track)
        height = self.wheelset.radius - self.wheelset.static_sag(self.load)
        for side, y in (("left", self.half_width), ("right", -self.half_width)):
            upper = frame.body.at(0, y, height)
            self.suspension.add(m, f"{full}_spring_{side}", placed.hub.at(0, y, 0), upper, self.load / 2)
        m.start |= self.wheelset.start(full, ride.first_speed, self.load)
        wheelsets = {full: placed}
        return PlacedVehicle(placed.axle, full, wheelsets, wheels_of(wheelsets))

    def on_fixed_wheelsets(self) -> "SingleWheelset":
        return replace(self, wheelset=FixedWheelset(self.wheelset.radius, self.wheelset.mass))
