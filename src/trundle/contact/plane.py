"""How a planar pair is kept in its plane: across it, and upright about two axes in it.

The plane is that of the frame with the line, else of the first frame. Of the other body, the position of its origin and
the direction of its y axis are used, so that a wheel that has left the plane rolls on without leaving it further.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.constraints.closure import Relative, difference
from trundle.constraints.measure import reciprocal
from trundle.constraints.row import Place, Row
from trundle.contact.geometry import Contact
from trundle.model.connection import ConnectedPair
from trundle.motion.motion import Motion
from trundle.pairs.planar import PlanarPair
from trundle.space.rotation import cross, dot
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class PlaneBond:
    """A deflection out of the plane, and the wrench of a unit effort on it: on the second body at its frame."""

    value: Expr
    force: Expr
    moment: Expr
    force_rate: Expr
    moment_rate: Expr
    unit: str


@final
class PlaneBonds:
    """The bonds slip_y, roll_x and spin of a planar pair that closes a loop."""

    def __init__(self, connection: ConnectedPair, motion: Motion) -> None:
        pair = connection.surface_pair
        self.connection = connection
        A, B = motion.frame(connection.first), motion.frame(connection.second)
        partials = difference(motion.partials(connection.second.body, B.p), motion.partials(connection.first.body, B.p))
        self.relative = Relative(A, B, partials)
        self.point = B.p
        on_second = pair.second.flat  # its z axis points out of the first body then
        plane, other, side = (B, A, -1) if on_second else (A, B, 1)
        x, y, z = side * plane.R[:, 0], plane.R[:, 1], side * plane.R[:, 2]
        axle, zero = other.R[:, 1], ca.SX.zeros(3)
        axle_rate = cross(other.w, axle)
        x_rate, y_rate, z_rate = (cross(plane.w, e) for e in (x, y, z))
        arm, arm_rate = other.p - B.p, other.v - B.v
        self.bonds = {
            "slip_y": PlaneBond(
                dot(y, B.p - A.p), y, cross(arm, y), y_rate, cross(arm_rate, y) + cross(arm, y_rate), "m"
            ),
            "roll_x": PlaneBond(
                side * dot(z, axle), zero, cross(axle, z), zero, cross(axle_rate, z) + cross(axle, z_rate), "rad"
            ),
            "spin": PlaneBond(
                -side * dot(x, axle), zero, cross(x, axle), zero, cross(x_rate, axle) + cross(x, axle_rate), "rad"
            ),
        }

    def rate(self, name: str) -> Expr:
        """Rate of a deflection."""
        bond = self.bonds[name]
        return dot(bond.force, self.relative.v) + dot(bond.moment, self.relative.w)

    def rows(self) -> list[Row]:
        """Constraints of the bonds that no spring stands for."""
        c = self.connection
        return [
            self.relative.row(Place(c.name, name), b.value, b.force, b.moment, b.force_rate, b.moment_rate, b.unit)
            for name, b in self.bonds.items()
            if name not in c.out_of_plane
        ]


def plane_bonds(connection: ConnectedPair, motion: Motion) -> PlaneBonds | None:
    """The plane that a connection keeps; None if it keeps none."""
    return PlaneBonds(connection, motion) if isinstance(connection.pair, PlanarPair) else None


@final
class PlaneMap:
    """Six bonds of a planar pair that leaves its plane: efforts from a wrench at the point of contact and back, flows
    from a relative twist. Along, normal and rolling are those of the contact.
    """

    def __init__(self, contact: Contact, plane: PlaneBonds) -> None:
        bonds: Mapping[str, PlaneBond] = plane.bonds
        x, y, n = contact.axes
        across = bonds["slip_y"]
        self.slides = [x, across.force, n]
        self.turns = [bonds["roll_x"].moment, y, bonds["spin"].moment]
        self.lever = across.moment + cross(plane.point - contact.point, across.force)
        self._along, self._about = reciprocal(*self.slides), reciprocal(*self.turns)

    def flows(self, v: Expr, w: Expr) -> list[Expr]:
        """Rates along and about the axes; power is efforts . flows = F . v + M . w."""
        along = [dot(e, v) for e in self.slides]
        along[1] += dot(self.lever, w)
        return [*along, *(dot(e, w) for e in self.turns)]

    def efforts(self, F: Expr, M: Expr) -> list[Expr]:
        along = [dot(e, F) for e in self._along]
        return [*along, *(dot(e, M - along[1] * self.lever) for e in self._about)]

    def wrench(self, efforts: list[Expr]) -> tuple[Expr, Expr]:
        F = sum((x * e for x, e in zip(efforts[:3], self.slides, strict=True)), ca.SX.zeros(3))
        M = sum((x * e for x, e in zip(efforts[3:], self.turns, strict=True)), efforts[1] * self.lever)
        return F, M
