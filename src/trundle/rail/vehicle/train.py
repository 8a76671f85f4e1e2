"""Vehicles coupled to a train: each is described in frames of its own, which follow it along the line."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import final

from trundle.errors import ModelError
from trundle.model.line_forces import LineForce
from trundle.rail.suspension.draft_gear import DraftGear
from trundle.rail.vehicle.ride import Ride
from trundle.rail.vehicle.travel import Free, Start
from trundle.rail.vehicle.vehicle import Couplers, PlacedVehicle, Vehicle, Wheel, check_part
from trundle.rail.vehicle.wheelset import Contact, PlacedWheelset


@final
@dataclass(frozen=True, eq=False)
class Train(Vehicle):
    """Vehicles from front to rear, all coupled by the same draft gear. Their names begin with `v1_`, `v2_`, ...

    The first one moves as the ride prescribes. The others are free along the track; their frames follow them, by the
    states `v2_distance`, `v2_speed` and so on, within a tenth of its acceleration over 1/s^2, and have no influence on
    its motion. The reference point is that of the first vehicle. Draft gears are called `coupler_1` and so on; they
    start in the middle of their slack.

    Parameters
    ----------
    vehicles : sequence of Vehicle
        From front to rear.
    coupler : DraftGear
        Between all of them.
    """

    vehicles: tuple[Vehicle, ...]
    coupler: DraftGear

    def __post_init__(self) -> None:
        object.__setattr__(self, "vehicles", tuple(self.vehicles))
        check_part("Train", "coupler", self.coupler, DraftGear, "a rail.DraftGear")
        faults = [] if self.vehicles else ["Train: it has no vehicle."]
        for i, one in enumerate(self.vehicles, start=1):
            if not isinstance(one, Vehicle) or isinstance(one, Train):
                faults.append(f"Train: vehicle {i} must be a vehicle such as rail.Wagon, got {one!r}.")
            elif one.half_length is None:
                faults.append(f"Train: vehicle {i} has no couplers; give its rail.CarBody a half_length.")
        if faults:
            raise ModelError(faults)

    @property
    def places(self) -> tuple[float, ...]:
        """Of the middles of the vehicles from that of the first, m."""
        x, found = 0.0, []
        for i, one in enumerate(self.vehicles):
            x -= self._half(i) if i else 0.0
            found.append(x)
            x -= (one.half_length or 0.0) + self.coupler.length
        return tuple(found)

    def _half(self, i: int) -> float:
        return self.vehicles[i].half_length or 0.0

    @property
    def rigid_wheelbase(self) -> float:
        return max(one.rigid_wheelbase for one in self.vehicles)

    @property
    def centre_height(self) -> float:
        return max(one.centre_height for one in self.vehicles)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        return tuple(contact for one in self.vehicles for contact in one.contacts)

    @property
    def half_length(self) -> float | None:
        return None

    @property
    def reach(self) -> tuple[float, float]:
        return self.places[-1] + self.vehicles[-1].reach[0], self.vehicles[0].reach[1]

    @property
    def mass(self) -> float:
        return sum(one.mass for one in self.vehicles)

    def add(self, ride: Ride, name: str = "") -> PlacedVehicle:
        if name:
            raise ModelError("Train: a train cannot be part of another; couple its vehicles.")
        if ride.common is not None:
            raise ModelError("Train: each vehicle needs frames of its own; leave out frames='one'.")
        placed: list[PlacedVehicle] = []
        for i, (one, x) in enumerate(zip(self.vehicles, self.places, strict=True), start=1):
            placed.append(one.add(ride if i == 1 else _behind(ride, f"v{i}", x), f"v{i}"))
        for i, (ahead, behind) in enumerate(pairwise(placed), start=1):
            rear, front = _couplers(ahead).rear, _couplers(behind).front
            ride.model.apply(LineForce(front, rear, self.coupler), name=f"coupler_{i}")
        wheelsets: dict[str, PlacedWheelset] = {}
        wheels: tuple[Wheel, ...] = ()
        for found in placed:
            wheelsets |= found.wheelsets
            wheels += found.wheels
        ends = Couplers(_couplers(placed[0]).front, _couplers(placed[-1]).rear)
        return PlacedVehicle(placed[0].car, placed[0].car_name, wheelsets, wheels, ends)

    def on_fixed_wheelsets(self) -> Vehicle:
        raise ModelError("Train: on_fixed_wheelsets() is for the modes of one vehicle; use one of its vehicles.")


def _behind(ride: Ride, name: str, x: float) -> Ride:
    """The ride of a vehicle at x (m) from the first one, in frames that follow it."""
    law = Free(ride.speed, leader=f"{name}_car.x")
    travel = law.follow(ride.model, name, ride.travel.first_distance.ahead(x), Start(ride.speed, ride.first_speed))
    return replace(ride, law=law, start=ride.start + x, travel=travel, origin=0.0)


def _couplers(placed: PlacedVehicle) -> Couplers:
    if placed.couplers is None:
        raise ModelError("Train: a vehicle has no couplers; give its rail.CarBody a half_length.")
    return placed.couplers
