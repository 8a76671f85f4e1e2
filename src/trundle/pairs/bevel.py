"""Bevel gears: wheels on intersecting axes."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi
from typing import final

import casadi as ca
import numpy as np

from trundle.pairs.mesh import ASTRAY, Mesh, Wheels, check_pressure_angle, check_size, integer_ratio, mesh_frame, turn
from trundle.pairs.mesh_quantities import tooth_quantities
from trundle.quantity import Quantity
from trundle.space.rotation import Axis, cross, wrap_angle
from trundle.typing import Array, Expr


@final
@dataclass(frozen=True)
class BevelGear(Mesh):
    """Two bevel gears on axes that intersect at any angle: the second turns `ratio` times as fast as the first, both
    relative to their carrier. `radius` (m) is the pitch radius of the first wheel in the middle of its teeth.

    The frames of the connection are at the intersection of the axes, each with its axis along that of its wheel. The
    first wheel is on the positive side of its axis; the second too for a negative ratio, otherwise on the negative
    side. Tooth forces act along the common tangent of the pitch cones; the force normal to the cones due to the
    pressure angle (rad) is reported as `separating_force` and does not load the bearings.

    Parameters
    ----------
    ratio : float
        Turns of the second wheel for one of the first.
    radius : float
        Pitch radius of the first wheel in the middle of its teeth (m).
    axis : str or three numbers
        Of the first wheel, in the frame of the first body: "x", "-y", (0, 1, 0), ...
    pressure_angle : float
        In rad.
    """

    ratio: Expr
    radius: Expr
    axis: Axis = "z"
    pressure_angle: float = pi / 9

    def __post_init__(self) -> None:
        check_size(self.ratio, "BevelGear: the ratio", positive=False)
        check_size(self.radius, "BevelGear: the radius", positive=True)
        check_pressure_angle(self.pressure_angle, "BevelGear")
        self.frame()

    def frame(self) -> Array:
        return mesh_frame(self.axis, "BevelGear")

    def line(self, wheels: Wheels) -> tuple[Expr, Expr, Expr]:
        z, other = wheels.first_axes[2], wheels.second_axes[2]
        # both wheels have the same velocity along this line through the apex; its points are `radius` from the first
        # axis
        pole = (z - self.ratio * other) * (self.radius / ca.norm_2(self.ratio * cross(z, other)))
        along = cross(z, pole) / self.radius
        return wheels.first + pole, cross(along, z), along

    def lag(self, now: Wheels, zero: Wheels) -> Expr:
        teeth = integer_ratio(self.ratio)
        if teeth is None:
            return None
        p, q = teeth

        def engaged(at: Wheels) -> Expr:
            z, other = at.first_axes[2], at.second_axes[2]
            across = cross(z, other)  # normal to both axes
            return q * turn(at.second_axes, across, other) - p * turn(at.first_axes, across, z)

        return self.radius / self.ratio / q * wrap_angle(engaged(now) - engaged(zero))

    def fit_fault(self, distance: float, askew: float, apart: float) -> str:
        if not askew > ASTRAY:
            return "the axes of its wheels are parallel; use tr.Gear."
        if apart > ASTRAY * (1.0 if isinstance(self.radius, ca.SX) else self.radius):
            return (
                f"its frames lie {apart:.6g} m apart where all coordinates are zero. Give both where the axes of the "
                "wheels meet, body.at(x, y, z)."
            )
        return ""

    def off_axis(self, turns: Array, other: Array) -> Array:
        across = np.cross((0.0, 0.0, 1.0), other)
        return np.asarray(across / np.linalg.norm(across) @ turns)

    def phase_fault(self, d: Array, seen: Array) -> str:
        size = 1.0 if isinstance(self.radius, ca.SX) else float(self.radius)
        if np.any(np.abs(seen) > 1e-7 * size):
            return "the joints of its wheels allow their axes to move apart."
        return ""

    def quantities(self, owner: str) -> Iterator[Quantity]:
        yield from super().quantities(owner)
        across = "at right angles to the pitch cones"
        yield from tooth_quantities(owner, self.pressure_angle, "along the pitch cones", across)
