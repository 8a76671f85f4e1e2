"""A bogie: its frame, two wheelsets and their axle boxes."""

from dataclasses import dataclass, replace
from typing import final

from trundle.errors import ModelError
from trundle.model.body import Body
from trundle.rail.vehicle.car_body import CarBody
from trundle.rail.vehicle.mount import AxleBox, Seat
from trundle.rail.vehicle.ride import Ride
from trundle.rail.vehicle.running_gear import FixedWheelset, RunningGear
from trundle.rail.vehicle.vehicle import add_body, check_part, weight_of
from trundle.rail.vehicle.wheelset import PlacedWheelset


@final
@dataclass(frozen=True, eq=False)
class Bogie:
    """Mass (kg), moments of inertia about its centre (kg m^2) and height of the centre above the rails (m) of the
    frame; the wheelsets and their axle boxes, half a wheelbase (m) before and behind the centre.

    Parameters
    ----------
    mass : float or expression
        Of the frame (kg).
    inertia : three numbers
        Of the frame, about its centre (kg m^2).
    height : float
        Of the centre above the rails (m).
    wheelset : Wheelset
        Both of them.
    axle_box : AxleBox
        All of them.
    half_wheelbase : float
        Of the wheelsets from the centre (m).
    """

    mass: float
    inertia: tuple[float, float, float]
    height: float
    wheelset: RunningGear
    axle_box: AxleBox
    half_wheelbase: float

    def __post_init__(self) -> None:
        check_part("Bogie", "wheelset", self.wheelset, RunningGear, "a rail.Wheelset")
        check_part("Bogie", "axle_box", self.axle_box, AxleBox, "a rail.AxleBox(suspension)")
        if not self.half_wheelbase > 0:
            raise ModelError(f"Bogie: half_wheelbase must be greater than zero, got {self.half_wheelbase!r} m.")
        CarBody(self.mass, self.inertia, self.height)  # refuses invalid numbers

    @property
    def total_mass(self) -> float:
        """With its wheelsets, kg."""
        return self.mass + 2 * self.wheelset.mass

    @property
    def moment_of_mass(self) -> float:
        """Masses times their heights above the rails, kg m."""
        return self.mass * self.height + 2 * self.wheelset.mass * self.wheelset.radius

    def static_sag(self, ride: Ride, load: float) -> float:
        """Lowering of the bogie (m) at rest by its contacts alone, under a load (N) from above.

        Parameters
        ----------
        ride : Ride
            On which it runs.
        load : float
            From above (N).

        Returns
        -------
        float
        """
        return self.wheelset.static_sag((load + weight_of(ride, self.mass)) / 2)

    def add(
        self, ride: Ride, name: str, x: float, wheelsets: tuple[str, str], load: float
    ) -> tuple[Body, dict[str, PlacedWheelset]]:
        """Put it into the model of a ride at x (m) from the reference point, under a load (N) from above.

        Parameters
        ----------
        ride : Ride
            On which it runs.
        name : str
            With which its names begin.
        x : float
            Ahead of the reference point (m).
        wheelsets : tuple of str
            Names of the two.
        load : float
            From above (N).

        Returns
        -------
        tuple
            The body of the bogie, and its wheelsets by name.
        """
        m, each = ride.model, (load + weight_of(ride, self.mass)) / 2
        part = CarBody(self.mass, self.inertia, self.height)
        frame = add_body(ride, name, name, x, part, True, self.static_sag(ride, load))
        found = {}
        for axle, ahead in zip(wheelsets, (self.half_wheelbase, -self.half_wheelbase), strict=True):
            found[axle] = placed = self.wheelset.add(m, axle, ride.place(axle, x + ahead), each)
            seat = Seat(frame, ahead, self.height, each)
            self.axle_box.add(m, f"{axle}_spring", self.wheelset, placed.hub, seat)
            m.start |= self.wheelset.start(axle, ride.first_speed, each)
        return frame, found

    def on_fixed_wheelsets(self) -> "Bogie":
        """The same bogie on fixed wheelsets."""
        return replace(self, wheelset=FixedWheelset(self.wheelset.radius, self.wheelset.mass))
