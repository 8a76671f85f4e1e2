"""Gears on parallel axes."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.messages.arguments import advised_class
from trundle.pairs.mesh import Mesh, Wheels, check_pressure_angle, check_size, integer_ratio, mesh_frame, turned_apart
from trundle.pairs.mesh_quantities import tooth_quantities
from trundle.quantity import Quantity
from trundle.space.rotation import Axis, cross
from trundle.typing import Array, Expr


@final
@advised_class("write Gear(-0.5): the turns of the second wheel for one of the first, below zero for external teeth")
@dataclass(frozen=True)
class Gear(Mesh):
    """Two gear wheels on parallel axes: the second turns `ratio` times as fast as the first, both relative to their
    carrier. A negative ratio means opposite rotation (external teeth), a positive one that one wheel is a ring with
    internal teeth.

    The frames of the connection are at the centres of the wheels; the pitch radii follow from the distance of the axes.
    Tooth forces act along the common tangent of the pitch circles; the radial force due to the pressure angle (rad) is
    reported as `separating_force` and does not load the bearings.

    Parameters
    ----------
    ratio : float
        Turns of the second wheel for one of the first; below zero for external teeth.
    axis : str or three numbers
        Of the wheels, in the frame of the first body: "x", "-y", (0, 1, 0), ...
    pressure_angle : float
        In rad.
    """

    ratio: Expr
    axis: Axis = "z"
    pressure_angle: float = pi / 9

    def __post_init__(self) -> None:
        check_size(self.ratio, "Gear: the ratio", positive=False)
        check_pressure_angle(self.pressure_angle, "Gear")
        self.frame()
        if not isinstance(self.ratio, ca.SX) and self.ratio == 1:
            raise ModelError(
                "Gear: wheels that turn the same way at the same speed cannot mesh; use tr.Belt with equal radii, or "
                "ratio=-1 for wheels that turn against each other."
            )

    def frame(self) -> Array:
        return mesh_frame(self.axis, "Gear")

    def line(self, wheels: Wheels) -> tuple[Expr, Expr, Expr]:
        distance, c = wheels.centres
        pole = wheels.first + c * (distance * self.ratio / (self.ratio - 1))  # where both wheels have the same velocity
        return pole, c, cross(wheels.first_axes[2], c)

    def lag(self, now: Wheels, zero: Wheels) -> Expr:
        teeth = integer_ratio(self.ratio)
        if teeth is None:
            return None
        p, q = teeth
        distance, _ = now.centres
        return distance / (self.ratio - 1) / q * turned_apart(now, zero, p, q)

    def fit_fault(self, distance: float, askew: float, apart: float) -> str:
        if askew > 1e-9:
            return "the axes of its wheels are not parallel."
        if not distance > 0:
            return (
                "its wheels lie on the same axis where all coordinates are zero. Give frames at the centres of the "
                "wheels, body.at(x, y, z), and joints that keep the centres apart."
            )
        return ""

    def quantities(self, owner: str) -> Iterator[Quantity]:
        yield from super().quantities(owner)
        yield from tooth_quantities(owner, self.pressure_angle, "along the pitch circles", "between the centres")
