"""A rail vehicle: what it adds to the model of a ride, and its interface there."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, final

from trundle.errors import ModelError
from trundle.laws.efforts import Open
from trundle.laws.flows import Locked
from trundle.messages.arguments import unknown_attribute
from trundle.model.body import Body, Frame
from trundle.model.joint import Connection
from trundle.rail.vehicle.advice import OF_VEHICLE
from trundle.rail.vehicle.car_body import CarBody
from trundle.rail.vehicle.ride import Ride
from trundle.rail.vehicle.wheelset import Contact, PlacedWheelset


@final
class Wheel(NamedTuple):
    """A wheel of a vehicle in a model: its `contact` and `wheelset` by name, and its `side`, "left" or "right"."""

    contact: str  # name of its force on the rail, such as "front_left"
    side: str
    wheelset: str


@final
class Couplers(NamedTuple):
    """Where draft gears are attached."""

    front: Frame
    rear: Frame


@final
@dataclass(frozen=True, eq=False)
class PlacedVehicle:
    """A vehicle in a model."""

    car: Body
    car_name: str  # of its connection to the track frame: coordinates are "car.y" and so on
    wheelsets: dict[str, PlacedWheelset]  # from front to rear
    wheels: tuple[Wheel, ...]
    couplers: Couplers | None = None  # none if the length of the car was not given


@dataclass(frozen=True, eq=False)
class Vehicle(ABC):
    """A rail vehicle. Its reference point lies in the middle of it. Subclasses are final."""

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> object:
            raise unknown_attribute(self, name, OF_VEHICLE)

    @property
    @abstractmethod
    def reach(self) -> tuple[float, float]:
        """Offsets of the rearmost and the foremost wheelset from the reference point, m."""

    @property
    @abstractmethod
    def mass(self) -> float:
        """Of all its bodies, kg."""

    @property
    @abstractmethod
    def half_length(self) -> float | None:
        """From the middle to the couplers, m; None if there are none."""

    @property
    @abstractmethod
    def rigid_wheelbase(self) -> float:
        """Largest distance of wheelsets in one frame, m; zero for a single one."""

    @property
    @abstractmethod
    def centre_height(self) -> float:
        """Of the centre of all its masses above the rails, m."""

    @property
    @abstractmethod
    def contacts(self) -> tuple[Contact, ...]:
        """Contacts of its wheelsets with the rails; none if these are fixed."""

    @abstractmethod
    def add(self, ride: Ride, name: str = "") -> PlacedVehicle:
        """Put it into the model of a ride; where a name is given all names of the vehicle begin with it and "_".

        Parameters
        ----------
        ride : Ride
            On which it runs.
        name : str
            With which all names begin; empty for none.

        Returns
        -------
        PlacedVehicle
        """

    @abstractmethod
    def on_fixed_wheelsets(self) -> "Vehicle":
        """The same vehicle on fixed wheelsets, for the modes of what is above them."""


def weight_of(ride: Ride, mass: float) -> float:
    """Weight (N) of a mass (kg) in the gravity of the model."""
    return -float(ride.model.gravity[2]) * mass


def prefix(name: str) -> str:
    """Prefix of the names of a vehicle."""
    return f"{name}_" if name else ""


def add_body(ride: Ride, name: str, place: str, offset: float, part: CarBody, free: bool, static_sag: float) -> Body:
    """A body above the rails in a track frame beside it, at rest; `free` says whether it may move along the track."""
    m, open_ = ride.model, Open()
    body = m.body(name, mass=part.mass, inertia=part.inertia)
    along = open_ if free else Locked()
    frame = ride.place(place, offset).frame
    m.connect(Connection(along, open_, open_, open_, open_, open_), frame, body, name=name)
    m.start[f"{name}.z"] = part.height - static_sag
    return body


def wheels_of(wheelsets: dict[str, PlacedWheelset]) -> tuple[Wheel, ...]:
    """Both wheels of each wheelset that stands on rails."""
    return tuple(
        Wheel(f"{name}_{side}", side, name)
        for name, placed in wheelsets.items()
        if placed.hub is not placed.axle
        for side in ("left", "right")
    )


def couplers_of(car: Body, part: CarBody) -> Couplers | None:
    """At both ends of a car."""
    if part.half_length is None:
        return None
    z = part.coupler_height - part.height
    return Couplers(car.at(part.half_length, 0, z), car.at(-part.half_length, 0, z))


def check_part(vehicle: str, slot: str, given: object, kind: type | tuple[type, ...], example: str) -> None:
    """ModelError if a part has the wrong type."""
    if not isinstance(given, kind):
        raise ModelError(f"{vehicle}: {slot} must be {example}, got {_short(given)}.")


def _short(given: object) -> str:
    """A part by its type: its repr may be very long."""
    text = repr(given)
    return text if len(text) < 60 else type(given).__name__
