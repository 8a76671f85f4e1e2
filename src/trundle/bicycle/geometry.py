"""Dimensions of a symmetric bicycle that determine its pitch."""

from dataclasses import asdict, dataclass
from math import cos, hypot, pi, sin
from typing import final

import numpy as np

from trundle.bicycle.check import number_faults, wheel_faults
from trundle.bicycle.loop import Coefficients, Loop
from trundle.errors import ModelError
from trundle.space.chain import Screw
from trundle.typing import Expr

FLAT = (
    "rad lays the steering axis flat or upside down; it must lie between -pi/2 and pi/2. Was it given in degrees, "
    "tr.degrees(18), or against the road?"
)


@final
@dataclass(frozen=True)
class Geometry:
    """Main dimensions of a symmetric bicycle in m and rad, upright with the steer straight.

    `tilt` is the angle of the steering axis against the vertical, positive when its top leans back; `trail` is how far
    the front contact lies behind the point where that axis meets the road. Radii of wheels reach to the tread; the
    radius of a tyre is that of its round cross-section, and 0 makes a knife edge.

    Parameters
    ----------
    wheelbase : float
        Distance of the points of contact (m).
    trail : float
        How far the front point of contact lies behind the steering axis (m).
    tilt : float
        Of the steering axis from the vertical (rad).
    rear_radius, front_radius : float
        Of the wheels (m).
    rear_tyre, front_tyre : float
        Radii of the tyre profiles (m); zero for a knife edge.
    """

    wheelbase: float
    trail: float
    tilt: float
    rear_radius: float
    front_radius: float
    rear_tyre: float = 0.0
    front_tyre: float = 0.0

    def __post_init__(self) -> None:
        lengths = {name: asdict(self)[name] for name in ("wheelbase", "trail", "tilt")}
        faults = [fault for name, value in lengths.items() for fault in number_faults(name, value)]
        if not faults and self.wheelbase <= 0:
            faults.append(
                f"wheelbase {self.wheelbase:g} m is not positive; it is measured forward from the rear contact to the "
                "front one."
            )
        if not faults and abs(self.tilt) >= pi / 2:
            faults.append(f"tilt {self.tilt:g} {FLAT}")
        faults += wheel_faults("rear", self.rear_radius, self.rear_tyre)
        faults += wheel_faults("front", self.front_radius, self.front_tyre)
        if faults:
            raise ModelError([f"bicycle geometry: {fault}" for fault in faults])

    # Auxiliary lengths [Meijaard 2024, Eq. 30]

    @property
    def rear_offset(self) -> float:
        """u_r: perpendicular distance from the rear axle forward to the steering axis, in m."""
        return (self.wheelbase + self.trail) * cos(self.tilt) - self.rear_radius * sin(self.tilt)

    @property
    def front_offset(self) -> float:
        """u_f: perpendicular distance from the steering axis forward to the front axle, in m."""
        return self.front_radius * sin(self.tilt) - self.trail * cos(self.tilt)

    @property
    def axial_distance(self) -> float:
        """d: how far down the steering axis the front axle's perpendicular lies below the rear axle's, in m."""
        return (self.rear_radius - self.front_radius) * cos(self.tilt) + self.wheelbase * sin(self.tilt)

    @property
    def wheels_stay_clear(self) -> bool:
        """Whether the wheels do not collide when the fork is turned through a full circle.

        Every pose in which such a bicycle stands on both wheels is then reached from the upright one without lifting
        either, as a search of 50 million poses found; with wheels that meet there are poses which are not.
        """
        reach = self.rear_offset - abs(self.front_offset)
        return reach > 0 and hypot(reach, self.axial_distance) >= self.rear_radius + self.front_radius

    def coefficients(self, roll: Expr, steer: Expr) -> Coefficients:
        """c1 to c6 of the closure equations, for numbers or arrays.

        Parameters
        ----------
        roll, steer : float or array
            Angles (rad).

        Returns
        -------
        tuple of array
        """
        sin_roll, cos_roll, sin_steer, cos_steer = np.sin(roll), np.cos(roll), np.sin(steer), np.cos(steer)
        u_r, u_f, d = self.rear_offset, self.front_offset, self.axial_distance
        circle = self.front_radius - self.front_tyre
        rise = (self.rear_radius - self.rear_tyre) * cos_roll + (self.rear_tyre - self.front_tyre)
        return (  # [Meijaard 2024, Eq. 34]
            cos_roll * sin_steer,
            np.zeros_like(cos_roll),
            sin_roll * cos_steer,
            (u_r + u_f * cos_steer) * cos_roll / circle,
            (-d / circle) * cos_roll,
            (rise - u_f * sin_roll * sin_steer) / circle,
        )

    def loop(self) -> Loop:
        """The same bicycle as a loop of hinges, which can then be misaligned with dataclasses.replace."""
        front_axle = (self.wheelbase, 0.0, self.rear_radius - self.front_radius)
        foot = (self.wheelbase + self.trail, 0.0, self.rear_radius)  # of the steering axis, on the road
        return Loop(
            rear_hub=Screw("y"),
            steering=Screw((sin(self.tilt), 0.0, cos(self.tilt)), at=foot),
            front_hub=Screw("y", at=front_axle),
            front_wheel=Screw("y", at=front_axle),
            rear_radius=self.rear_radius,
            front_radius=self.front_radius,
            rear_tyre=self.rear_tyre,
            front_tyre=self.front_tyre,
            tilt=self.tilt,
        )
