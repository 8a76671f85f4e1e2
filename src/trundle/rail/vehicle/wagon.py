"""A car body on two wheelsets."""

from dataclasses import dataclass, replace
from typing import final

from trundle.errors import ModelError
from trundle.rail.vehicle.car_body import CarBody
from trundle.rail.vehicle.mount import AxleBox, Seat
from trundle.rail.vehicle.ride import Ride
from trundle.rail.vehicle.running_gear import FixedWheelset, RunningGear
from trundle.rail.vehicle.vehicle import (
    PlacedVehicle,
    Vehicle,
    add_body,
    check_part,
    couplers_of,
    prefix,
    weight_of,
    wheels_of,
)
from trundle.rail.vehicle.wheelset import Contact


@final
@dataclass(frozen=True, eq=False)
class Wagon(Vehicle):
    """A car body on two wheelsets by four axle boxes.

    In a model its bodies are called `car`, `front_axle`, `rear_axle`; the coordinates of the wheelsets `front.y` and so
    on, relative to the frames `front_track`, `middle_track`, `rear_track`; the contacts `front_left` to `rear_right`;
    the suspensions `front_spring_left` and so on.

    Parameters
    ----------
    body : CarBody
        The car.
    wheelset : Wheelset
        Both of them.
    axle_box : AxleBox
        All four.
    wheelbase : float
        Distance of the wheelsets (m).
    """

    body: CarBody
    wheelset: RunningGear
    axle_box: AxleBox
    wheelbase: float

    def __post_init__(self) -> None:
        check_part("Wagon", "body", self.body, CarBody, "a rail.CarBody")
        check_part("Wagon", "wheelset", self.wheelset, RunningGear, "a rail.Wheelset")
        check_part("Wagon", "axle_box", self.axle_box, AxleBox, "a rail.AxleBox(suspension)")
        if not self.wheelbase > 0:
            raise ModelError(f"Wagon: the wheelbase must be greater than zero, got {self.wheelbase!r} m.")

    @property
    def reach(self) -> tuple[float, float]:
        return -self.wheelbase / 2, self.wheelbase / 2

    @property
    def mass(self) -> float:
        return self.body.mass + 2 * self.wheelset.mass

    @property
    def rigid_wheelbase(self) -> float:
        return self.wheelbase

    @property
    def centre_height(self) -> float:
        return (self.body.mass * self.body.height + 2 * self.wheelset.mass * self.wheelset.radius) / self.mass

    @property
    def contacts(self) -> tuple[Contact, ...]:
        return self.wheelset.contacts

    @property
    def half_length(self) -> float | None:
        return self.body.half_length

    def add(self, ride: Ride, name: str = "") -> PlacedVehicle:
        m, p = ride.model, prefix(name)
        load = weight_of(ride, self.body.mass) / 2
        static_sag = self.wheelset.static_sag(load)
        car = add_body(ride, f"{p}car", f"{p}middle", 0.0, self.body, not ride.held, static_sag)
        wheelsets = {}
        for axle, x in (("front", self.wheelbase / 2), ("rear", -self.wheelbase / 2)):
            full = p + axle
            wheelsets[full] = placed = self.wheelset.add(m, full, ride.place(full, x), load)
            seat = Seat(car, x, self.body.height, load)
            self.axle_box.add(m, f"{full}_spring", self.wheelset, placed.hub, seat)
            m.start |= self.wheelset.start(full, ride.first_speed, load)
        return PlacedVehicle(car, f"{p}car", wheelsets, wheels_of(wheelsets), couplers_of(car, self.body))

    def on_fixed_wheelsets(self) -> "Wagon":
        return replace(self, wheelset=FixedWheelset(self.wheelset.radius, self.wheelset.mass))
