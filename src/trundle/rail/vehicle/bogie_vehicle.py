"""A car body on two bogies."""

from dataclasses import dataclass, replace
from typing import final

from trundle.errors import ModelError
from trundle.model.body import Body
from trundle.rail.vehicle.bogie import Bogie
from trundle.rail.vehicle.car_body import CarBody
from trundle.rail.vehicle.mount import Mount
from trundle.rail.vehicle.ride import Ride
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
from trundle.rail.vehicle.wheelset import Contact, PlacedWheelset


@final
@dataclass(frozen=True, eq=False)
class BogieVehicle(Vehicle):
    """A car body on two bogies, `half_centres` (m) before and behind its middle, by the suspensions of `secondary`.

    In a model its bodies are called `car`, `front_bogie`, `rear_bogie`, and `w1_axle` to `w4_axle` from front to rear;
    the coordinates of wheelsets `w1.y` and so on; the contacts `w1_left` to `w4_right`; the suspensions
    `w1_spring_left` and, with the names of the mounts, `front_bogie_spring_left`.

    Parameters
    ----------
    body : CarBody
        The car.
    bogie : Bogie
        Both of them.
    secondary : sequence of Mount
        Suspensions between bogie and car.
    half_centres : float
        Of the bogies from the middle (m).
    """

    body: CarBody
    bogie: Bogie
    secondary: tuple[Mount, ...]
    half_centres: float

    def __post_init__(self) -> None:
        check_part("BogieVehicle", "body", self.body, CarBody, "a rail.CarBody")
        check_part("BogieVehicle", "bogie", self.bogie, Bogie, "a rail.Bogie")
        for mount in self.secondary:
            check_part("BogieVehicle", "secondary", mount, Mount, "a tuple of rail.Mount")
        if not self.half_centres > self.bogie.half_wheelbase:
            raise ModelError(
                f"BogieVehicle: the bogies would meet; half_centres must be greater than half a wheelbase, "
                f"{self.bogie.half_wheelbase:g} m, got {self.half_centres!r} m."
            )
        if not self._stiffness > 0:
            raise ModelError("BogieVehicle: no part of `secondary` carries the car; give one a vertical stiffness.")

    @property
    def _stiffness(self) -> float:
        """Of all mounts of one bogie, N/m."""
        return sum(mount.vertical_stiffness for mount in self.secondary)

    @property
    def reach(self) -> tuple[float, float]:
        half = self.half_centres + self.bogie.half_wheelbase
        return -half, half

    @property
    def mass(self) -> float:
        return self.body.mass + 2 * self.bogie.total_mass

    @property
    def rigid_wheelbase(self) -> float:
        return 2 * self.bogie.half_wheelbase

    @property
    def centre_height(self) -> float:
        return (self.body.mass * self.body.height + 2 * self.bogie.moment_of_mass) / self.mass

    @property
    def contacts(self) -> tuple[Contact, ...]:
        return self.bogie.wheelset.contacts

    @property
    def half_length(self) -> float | None:
        return self.body.half_length

    def add(self, ride: Ride, name: str = "") -> PlacedVehicle:
        p, load = prefix(name), weight_of(ride, self.body.mass) / 2
        static_sag = self.bogie.static_sag(ride, load)
        car = add_body(ride, f"{p}car", f"{p}middle", 0.0, self.body, not ride.held, static_sag)
        wheelsets: dict[str, PlacedWheelset] = {}
        ends = (("front", self.half_centres, ("w1", "w2")), ("rear", -self.half_centres, ("w3", "w4")))
        for end, x, (first, second) in ends:
            full = f"{p}{end}_bogie"
            frame, found = self.bogie.add(ride, full, x, (p + first, p + second), load)
            wheelsets |= found
            self._hang(ride, full, frame, car, x, load)
        return PlacedVehicle(car, f"{p}car", wheelsets, wheels_of(wheelsets), couplers_of(car, self.body))

    def _hang(self, ride: Ride, name: str, frame: Body, car: Body, x: float, load: float) -> None:
        """Join a bogie at x (m) to the car. Those behind the middle are turned round: mounts ahead stand behind."""
        turned = 1.0 if x > 0 else -1.0
        for mount in self.secondary:
            for side, y in mount.sides.items():
                share = mount.suspension.vertical_stiffness / self._stiffness
                lower = frame.at(turned * mount.x, y, mount.height - self.bogie.height)
                upper = car.at(x + turned * mount.x, y, mount.height - self.body.height)
                mount.suspension.add(ride.model, f"{name}_{mount.name}{side}", lower, upper, load * share)

    def on_fixed_wheelsets(self) -> "BogieVehicle":
        return replace(self, bogie=self.bogie.on_fixed_wheelsets())
