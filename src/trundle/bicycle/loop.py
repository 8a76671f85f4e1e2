"""The general bicycle: arbitrary hubs and steering axis, and a separate road of the front wheel."""

from dataclasses import dataclass
from math import pi
from typing import final

import numpy as np

from trundle.bicycle.check import hinge_faults, number_faults, vector_faults, wheel_faults
from trundle.errors import ModelError
from trundle.space.chain import Screw
from trundle.space.rotation import Axis, axis_vector, skew
from trundle.typing import Expr

Coefficients = tuple[Expr, Expr, Expr, Expr, Expr, Expr]
"""c1 to c6: sine and cosine of the front wheel's roll are c1 sin(pitch) + c2 cos(pitch) + c3 and c4 sin(pitch) + ..."""


@final
@dataclass(frozen=True)
class Loop:
    """A bicycle with arbitrary hinges in its reference pose: upright, steer straight, hubs at zero.

    Axes are x forward, y to the right, z down, from the centre of the rear wheel, whose own axis is y. Each hinge is a
    screw without pitch: a point and a direction. So is `front_wheel`, the true centre and axis of the front wheel,
    which may differ from its hub. `tilt` is the value of the pitch in the reference pose. The front wheel's road is the
    plane through `road_point` with the normal `road_normal`, pointing down into the road, in axes of the rear wheel's
    road, which is z = 0.
    """

    rear_hub: Screw
    steering: Screw
    front_hub: Screw
    front_wheel: Screw
    rear_radius: float
    front_radius: float
    rear_tyre: float = 0.0
    front_tyre: float = 0.0
    tilt: float = 0.0
    road_normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    road_point: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        faults = wheel_faults("rear", self.rear_radius, self.rear_tyre)
        faults += wheel_faults("front", self.front_radius, self.front_tyre)
        for name in ("rear_hub", "steering", "front_hub", "front_wheel"):
            faults += hinge_faults(name, getattr(self, name))
        tilt = number_faults("tilt", self.tilt)
        if not tilt and abs(self.tilt) > pi:
            tilt = [f"tilt {self.tilt:g} rad is more than half a turn; was it given in degrees?"]
        normal = vector_faults("road_normal", self.road_normal)
        if not normal and self.road_normal[2] <= 0:
            normal = [f"road_normal {self.road_normal} does not point down into the road; its z must be positive."]
        faults += [*tilt, *normal, *vector_faults("road_point", self.road_point)]
        if faults:
            raise ModelError([f"bicycle loop: {fault}" for fault in faults])

    @property
    def wheels_stay_clear(self) -> bool:
        """Whether the wheels do not collide when the fork is turned through a full circle (see Geometry)."""
        axis, point = axis_vector(self.steering.axis), np.array(self.steering.at)
        rear, front = -point, np.array(self.front_wheel.at) - point
        rear_arm, front_arm = rear - axis * (axis @ rear), front - axis * (axis @ front)
        reach = -np.sign(rear_arm[0]) * np.linalg.norm(rear_arm) - np.linalg.norm(front_arm)
        distance = np.hypot(reach, axis @ (front - rear))
        return bool(reach > 0 and distance >= self.rear_radius + self.front_radius)

    def coefficients(
        self,
        roll: Expr,
        steer: Expr,
        rear_angle: Expr = 0.0,
        front_angle: Expr = 0.0,
        yaw: Expr = 0.0,
        x: Expr = 0.0,
        y: Expr = 0.0,
    ) -> Coefficients:
        """c1 to c6 of the closure equations in the pitch tilt + chi_r + chi_rf, for numbers or arrays.

        `rear_angle` (chi_rf) and `front_angle` (chi_ff) are those of the hubs. Yaw, x and y, of the rear wheel and its
        contact, matter only where the front road is another plane.

        Parameters
        ----------
        roll, steer : float or array
            Angles (rad).
        rear_angle, front_angle : float or array
            Angles of the hubs (rad).
        yaw : float or array
            Of the rear wheel (rad).
        x, y : float or array
            Place of the rear contact (m).

        Returns
        -------
        tuple of array
        """
        given = np.broadcast_arrays(roll, steer, rear_angle, front_angle, yaw, x, y)
        roll, steer, rear_angle, front_angle, yaw, x, y = (np.asarray(v, dtype=float).ravel() for v in given)
        (a_x, a_y, a_z), (b_x, b_y, b_z) = self._front_wheel(steer, rear_angle, front_angle)
        # The front road's normal in axes of the rear contact (n) and of the rolled rear wheel before its pitch (m).
        down = np.array(self.road_normal) / np.linalg.norm(self.road_normal)
        n_x, n_y, n_z = turned(down[:, None], "z", -yaw)
        m_x, m_y, m_z = turned(np.array([n_x, n_y, n_z]), "x", -roll)
        depth = down[0] * x + down[1] * y - down @ np.array(self.road_point)  # of the rear contact in the front road
        rise = self.rear_tyre * n_z + (self.rear_radius - self.rear_tyre) * m_z  # of the rear centre above its contact
        circle = self.front_radius - self.front_tyre
        # Two ways to the front wheel's axis must agree: its lean against the road is the front roll, and its centre is
        # front_tyre + circle * cos(front roll) above the road. [Meijaard 2024, Eq. 26]
        c = (
            m_x * a_z - m_z * a_x,
            m_x * a_x + m_z * a_z,
            m_y * a_y,
            (m_z * b_x - m_x * b_z) / circle,
            -(m_x * b_x + m_z * b_z) / circle,
            (rise - m_y * b_y - depth - self.front_tyre) / circle,
        )
        c1, c2, c3, c4, c5, c6 = (v.reshape(given[0].shape) for v in c)
        return c1, c2, c3, c4, c5, c6

    def _front_wheel(
        self, steer: np.ndarray, rear_angle: np.ndarray, front_angle: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Axis and centre (3, n) of the front wheel, in axes of the rear wheel turned back by its own pitch.

        The product of exponentials of the three hinges [Brockett 1984]; the remaining rotation is by the whole pitch.
        """
        axis, centre = axis_vector(self.front_wheel.axis)[:, None], np.array(self.front_wheel.at)[:, None]
        for hinge, angle in ((self.front_hub, front_angle), (self.steering, steer), (self.rear_hub, rear_angle)):
            at = np.array(hinge.at)[:, None]
            axis, centre = turned(axis, hinge.axis, angle), at + turned(centre - at, hinge.axis, angle)
        back = -(self.tilt + rear_angle)
        return turned(axis, "y", back), turned(centre, "y", back)


def turned(v: np.ndarray, axis: Axis, angle: np.ndarray) -> np.ndarray:
    """Vectors (3, n) turned about an axis through the origin by angles (n,)."""
    K = skew(axis_vector(axis))
    across = K @ v
    result: np.ndarray = v + np.sin(angle) * across + (1 - np.cos(angle)) * (K @ across)
    return result
