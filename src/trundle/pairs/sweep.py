"""A surface as two screws in series that carry a point over it, with the normal fixed to the second screw.

Meijaard's condition: the normal at one point stays a normal when the screws move [Meijaard 2024, Sec. 2.2].
"""

from dataclasses import dataclass
from math import pi
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.space.chain import Screw
from trundle.space.pose import Pose
from trundle.space.rotation import axis_vector, rotation
from trundle.typing import Array


@final
@dataclass(frozen=True, eq=False)
class Sweep:
    """The screw next to the body, the screw next to the contact, and the contact frame at zero.

    The contact frame has its origin at the point and z along the normal out of the material.
    """

    first: Screw
    second: Screw
    contact: Pose
    carried: bool = True  # the screws carry the normal; else it follows from the tangents

    def half_turn(self) -> "Sweep":
        """The same surface met half a turn of the first screw away, with coordinates that count the motion of
        the body: so the second surface of a pair meets the first with parallel frames.
        """
        moved = self.first.moved(pi) if not self.first.slides else Pose.at((0.0, 0.0, 0.0))
        axis = moved.R @ axis_vector(self.second.axis)
        sign = -1.0 if axis @ axis_vector(self.second.axis) < -1e-12 else 1.0
        second = Screw(-sign * axis, self.second.pitch, components(moved.point(self.second.at)), self.second.name)
        return Sweep(self.first.reversed(), second, moved @ self.contact, self.carried)


def components(column: Any) -> tuple[Any, Any, Any]:
    """The entries of a CasADi column, numbers where they are constant."""
    column = ca.SX(column)
    x, y, z = (float(column[i]) if column[i].is_constant() else column[i] for i in range(3))
    return x, y, z


def upright(normal: Any = (0.0, 0.0, 1.0), along: Any = (1.0, 0.0, 0.0)) -> Array:
    """Contact axes from the normal and the direction of the first tangent."""
    z = axis_vector(normal)
    y = np.cross(z, axis_vector(along))
    y /= np.linalg.norm(y)
    return np.column_stack([np.cross(y, z), y, z])


MEET: Array = rotation("y", pi)
"""Contact axes of the second surface in those of the first when they touch: the normals are opposite."""
