"""Rack and pinion."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.pairs.mesh import ASTRAY, Mesh, Wheels, check_size, turn
from trundle.pairs.mesh_quantities import force_quantity
from trundle.quantity import Quantity
from trundle.space.rotation import Axis, axis_vector, clean, cross, dot
from trundle.typing import Array, Expr


@final
@dataclass(frozen=True)
class RackAndPinion(Mesh):
    """A pinion (first body) that drives a rack (second body): the rack moves by radius times the rotation of the pinion
    along its axis `along`. With a negative radius the rack is on the other side.

    The frame on the pinion is at its centre, that on the rack anywhere; `axis` is the axis of the pinion.
    """

    radius: Expr  # of the pitch circle (m)
    axis: Axis = "z"
    along: Axis = "x"

    def __post_init__(self) -> None:
        check_size(self.radius, "RackAndPinion: the radius", positive=False)
        self.frame()

    def frame(self) -> Array:
        """The first axis is the direction of the rack, the third that of the pinion."""
        try:
            z, x = axis_vector(self.axis), axis_vector(self.along)
        except ModelError as error:
            raise ModelError(f"RackAndPinion: {error}") from None
        if abs(float(z @ x)) > 1e-9:
            raise ModelError(
                f"RackAndPinion: a rack runs at right angles to the axis of its pinion, got {self.axis!r} and "
                f"{self.along!r}."
            )
        return clean(np.column_stack([x, np.cross(z, x), z]))

    def line(self, wheels: Wheels) -> tuple[Expr, Expr, Expr]:
        x, z = wheels.second_axes[0], wheels.second_axes[2]
        across = cross(x, z)
        return wheels.first + self.radius * across, across, x

    def lag(self, now: Wheels, zero: Wheels) -> Expr:
        def places(at: Wheels) -> tuple[Expr, Expr]:
            x, _, z = at.second_axes
            return dot(x, at.second - at.first), turn(at.first_axes, x, z)

        (slid, angle), (slid_zero, angle_zero) = places(now), places(zero)
        moved, turned = slid - slid_zero, angle - angle_zero
        whole = ca.floor((moved / self.radius - turned) / (2 * ca.pi) + 0.5)
        return moved - self.radius * (turned + 2 * ca.pi * whole)

    def fit_fault(self, distance: float, askew: float, apart: float) -> str:
        return "the axis of the pinion is not at right angles to the rack." if askew > 1e-9 else ""

    def phase_fault(self, d: Array, seen: Array) -> str:
        if np.any(np.abs(seen[1]) > ASTRAY * max(1e-300, float(np.max(np.abs(seen))))):
            return f"the joints allow the rack to move in other directions than along={self.along!r}."
        return ""

    def quantities(self, owner: str) -> Iterator[Quantity]:
        yield from super().quantities(owner)
        yield force_quantity(owner, "tooth_force", "force of the pinion on the rack along it")
