"""A two-axle wagon along a line, each of its bodies in a frame that goes along the track with it."""

from dataclasses import dataclass
from typing import final

from trundle.errors import ModelError
from trundle.laws.law import Locked, Open
from trundle.model.force import Bushing
from trundle.model.joint import Connection
from trundle.model.model import Model
from trundle.rail.track.alignment import Alignment
from trundle.rail.vehicle.ride import Ride
from trundle.rail.vehicle.travel import UniformTravel
from trundle.rail.vehicle.wheelset import Wheelset


@final
@dataclass(frozen=True)
class CarBody:
    """Mass (kg), moments of inertia about its centre (kg m^2), height of the centre above the rails (m)."""

    mass: float
    inertia: tuple[float, float, float]
    height: float


@final
@dataclass(frozen=True)
class Suspension:
    """Springs and dampers of one axle box along x, y, z: N/m and N s/m."""

    stiffness: tuple[float, float, float]
    damping: tuple[float, float, float] = (0.0, 0.0, 0.0)
    half_width: float = 1.0  # of the axle boxes from the middle, m


@final
@dataclass(frozen=True, eq=False)
class Wagon:
    """A car body on two wheelsets by four suspensions.

    In a model its bodies are called `car`, `front_axle`, `rear_axle`; the coordinates of the wheelsets `front.y` and so
    on, relative to the frames `front_track`, `middle_track`, `rear_track`; the contacts `front_left` to `rear_right`.
    """

    body: CarBody
    wheelset: Wheelset
    suspension: Suspension
    wheelbase: float

    def __post_init__(self) -> None:
        if not self.wheelbase > 0:
            raise ModelError(f"Wagon: the wheelbase must be greater than zero, got {self.wheelbase!r} m.")

    def on(
        self, line: Alignment, speed: float, acceleration: float = 0.0, start: float | None = None, name: str = "wagon"
    ) -> Model:
        """A model of the wagon on a line, at a given speed (m/s) and acceleration (m/s^2), both parameters.

        The middle of the wagon starts at the distance `start` (m), half a wheelbase from the beginning of the line if
        it is left out. The car keeps its place along the track, as if pulled or braked; wheelsets follow by their
        springs. The start is at rest on straight track: in the middle, with the springs pressed by the weight.
        """
        half = self.wheelbase / 2
        s0 = half if start is None else start
        if s0 < half:
            raise ModelError(f"Wagon: start is {s0:g} m, but the rear wheelset stands {half:g} m behind the middle.")
        m = Model(name)
        self.add(Ride.on(m, line, UniformTravel(speed, acceleration), s0))
        return m

    def add(self, ride: Ride) -> None:
        """Put it into the model of a ride."""
        m, half = ride.model, self.wheelbase / 2
        car = m.body("car", mass=self.body.mass, inertia=self.body.inertia)
        free = Open()
        along = Locked() if ride.held else free
        m.connect(Connection(along, free, free, free, free, free), ride.place("middle", 0.0).frame, car, name="car")
        radius, k = self.wheelset.radius, self.suspension
        load = 9.81 * self.body.mass
        for axle, offset in (("front", half), ("rear", -half)):
            placed = self.wheelset.add(m, axle, ride.place(axle, offset))
            for side, y in (("left", k.half_width), ("right", -k.half_width)):
                box, seat = placed.hub.at(0, y, 0), car.at(offset, y, radius - self.body.height)
                stiffness, damping = (*k.stiffness, 0.0, 0.0, 0.0), (*k.damping, 0.0, 0.0, 0.0)
                m.apply(Bushing(box, seat, stiffness, damping), name=f"{axle}_spring_{side}")
            m.start |= self.wheelset.start(axle, ride.first_speed, load / 2)
        sunk = radius - m.start["front.z"] + load / 4 / k.stiffness[2]
        m.start["car.z"] = self.body.height - sunk
