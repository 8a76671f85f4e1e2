"""A surface as two screws in series that carry a point over it, with the normal fixed to the second screw.

Meijaard's condition: the normal at one point, carried by the screws, is normal everywhere [Meijaard 2024, Sec. 2.2].
"""

from dataclasses import dataclass
from math import inf, pi
from typing import final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.pairs.axes import contact_axes, put
from trundle.pairs.chart import Chart, Range, SurfacePoint
from trundle.pairs.closest import closest, limits
from trundle.pairs.common_normal import Placed
from trundle.pairs.numeric import NumericScrew, NumericSurface, NumericSweep, components
from trundle.space.chain import Screw
from trundle.space.pose import Pose
from trundle.space.rotation import axis_vector, cross, rotation
from trundle.typing import Array, Expr


@final
@dataclass(frozen=True, eq=False)
class Sweep(Chart):
    """The screw next to the body, the screw next to the contact, and the contact frame at zero.

    The contact frame has its origin at the point and z along the outward normal.
    """

    first: Screw
    second: Screw
    contact: Pose
    carried: bool = True  # the screws carry the normal; otherwise it follows from the tangents

    def half_turn(self) -> "Sweep":
        """The surface with zero coordinates half a turn of the first screw away, and with the coordinates of the body's
        motion: so the second surface of a pair touches the first with parallel frames.
        """
        moved = self.first.moved(pi) if not self.first.slides else Pose.at((0.0, 0.0, 0.0))
        axis = moved.R @ axis_vector(self.second.axis)
        sign = -1.0 if axis @ axis_vector(self.second.axis) < -1e-12 else 1.0
        second = Screw(-sign * axis, self.second.pitch, components(moved.point(self.second.at)), self.second.name)
        return Sweep(self.first.reversed(), second, moved @ self.contact, self.carried)

    @property
    def coordinates(self) -> tuple[Screw, Screw]:
        return self.first, self.second

    def place(self, a: Expr, b: Expr) -> SurfacePoint:
        (R1, p1), (R2, p2) = self.first.pose(a), self.second.pose(b)
        swept = p2 + ca.mtimes(R2, self.contact.p)
        point = p1 + ca.mtimes(R1, swept)
        n1, v1 = _partial(self.first, point)
        n2, v2 = _partial(self.second, swept)
        moves = [v1, ca.mtimes(R1, v2)]
        if not self.carried:
            return SurfacePoint(point, *self._tangent_axes(a, b, moves))
        R = ca.mtimes(R1, ca.mtimes(R2, ca.DM(self.contact.R)))
        return SurfacePoint(point, R, moves, [n1, ca.mtimes(R1, n2)])

    def _tangent_axes(self, a: Expr, b: Expr, moves: list[Expr]) -> tuple[Expr, list[Expr], list[Expr]]:
        """Axes, tangents and turns where the normal follows from the tangents."""
        q = ca.SX.sym("ab", 2)
        (R1, p1), (R2, p2) = self.first.pose(q[0]), self.second.pose(q[1])
        point = p1 + ca.mtimes(R1, p2 + ca.mtimes(R2, self.contact.p))
        area = cross(derivative(point, q[0]), derivative(point, q[1]))
        zero = ca.Function("zero", [q], [area])(0)
        side = 1.0 if float(ca.dot(ca.DM(zero), ca.DM(self.contact.R[:, 2]))) > 0 else -1.0
        axes, _, turns = contact_axes(q, point, side * area)
        found = put(q, (a, b), [axes, *turns])
        return found[0], moves, found[1:]

    def sizes(self) -> Expr:
        pitches = [0.0 if k.slides else k.pitch for k in (self.first, self.second)]
        return ca.vertcat(*(ca.SX(v) for v in (*self.first.at, *self.second.at, *pitches)), ca.SX(self.contact.p))

    def numeric(self, sizes: Array) -> NumericSweep:
        first = _numeric(self.first, sizes[:3], float(sizes[6]))
        second = _numeric(self.second, sizes[3:6], float(sizes[7]))
        return NumericSweep(first, second, sizes[8:11], np.array(self.contact.R[:, 2]))

    def ranges(self, surface: NumericSurface) -> tuple[Range, Range]:
        assert isinstance(surface, NumericSweep)
        return _range(surface.first, surface.size, -inf, inf), _range(surface.second, surface.size, *limits(surface))

    def ends(self, surface: NumericSurface) -> tuple[Range, Range]:
        assert isinstance(surface, NumericSweep)
        return (-inf, inf), limits(surface)

    def placed(self, surface: NumericSurface, R: Array, p: Array) -> Placed:
        assert isinstance(surface, NumericSweep)
        return Placed(surface, R, p)

    def closest(self, surface: NumericSurface, points: Array) -> tuple[Array, Array, Array]:
        assert isinstance(surface, NumericSweep)
        return closest(surface, points)

    def renamed(self, which: str, clash: set[str]) -> "Sweep":
        first, second = (
            Screw(s.axis, s.pitch, s.at, f"{which}_{s.name}" if s.name in clash else s.name) for s in self.coordinates
        )
        return Sweep(first, second, self.contact, self.carried)


def _partial(screw: Screw, point: Expr) -> tuple[Expr, Expr]:
    """Angular velocity and velocity of a point per unit rate of the coordinate, in the frame of the screw."""
    axis = ca.SX(ca.DM(axis_vector(screw.axis)))
    if screw.slides:
        return ca.SX.zeros(3), axis
    return axis, cross(axis, point - ca.vertcat(*screw.at)) + screw.pitch * axis


def _numeric(screw: Screw, at: Array, pitch: float) -> NumericScrew:
    axis = axis_vector(screw.axis)
    return NumericScrew(axis, at, 0.0, 1.0) if screw.slides else NumericScrew(axis, at, 1.0, pitch)


def _range(screw: NumericScrew, size: float, low: float, high: float) -> tuple[float, float]:
    """Range for plots: a full rotation, a slide of a typical size, two windings of a helix."""
    if screw.spin == 0:
        return max(low, -1.5 * size), min(high, 1.5 * size)
    turns = 1.0 if screw.advance == 0 else 2.0
    return max(low, -turns * pi), min(high, turns * pi)


def upright(normal: Expr = (0.0, 0.0, 1.0), along: Expr = (1.0, 0.0, 0.0)) -> Array:
    """Contact axes from the normal and the direction of the first tangent."""
    z = axis_vector(normal)
    y = np.cross(z, axis_vector(along))
    y /= np.linalg.norm(y)
    return np.column_stack([np.cross(y, z), y, z])


MEET: Array = rotation("y", pi)
"""Contact axes of the second surface in those of the first when they touch: the normals are opposite."""
