"""Belts and chains over two pulleys."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.pairs.mesh import Mesh, Wheels, check_size, integer_ratio, mesh_frame, turned_apart
from trundle.pairs.mesh_quantities import force_quantity
from trundle.quantity import Of, Quantity
from trundle.space.rotation import Axis, cross
from trundle.typing import Array, Expr


@final
@dataclass(frozen=True)
class Belt(Mesh):
    """A belt or chain without slip over two pulleys on parallel axes; crossed=True reverses the second pulley.

    The frames of the connection are at the centres of the pulleys. The force of the belt acts along the strand on the
    left of the line from the first centre to the second, seen against the axis; it is the difference of the tensions.
    `tension` (N) is the mean of both, which pulls the centres together and does not load the bearings.

    Parameters
    ----------
    first_radius : float
        Of the first pulley (m).
    second_radius : float
        Of the second pulley (m).
    axis : str or three numbers
        Of the pulleys, in the frame of the first body: "x", "-y", (0, 1, 0), ...
    crossed : bool
        Whether the pulleys turn in opposite directions.
    tension : float
        Mean of both strands (N).
    """

    first_radius: Expr
    second_radius: Expr
    axis: Axis = "z"
    crossed: bool = False
    tension: Expr = 0.0

    def __post_init__(self) -> None:
        for name in ("first_radius", "second_radius"):
            check_size(getattr(self, name), f"Belt: {name}", positive=True)
        if not isinstance(self.crossed, bool):
            raise ModelError(f"Belt: crossed is True (the pulleys turn opposite ways) or False, got {self.crossed!r}.")
        self.frame()

    def frame(self) -> Array:
        return mesh_frame(self.axis, "Belt")

    @property
    def side(self) -> float:
        """-1 if the strand changes sides between the pulleys, otherwise 1."""
        return -1.0 if self.crossed else 1.0

    def line(self, wheels: Wheels) -> tuple[Expr, Expr, Expr]:
        distance, c = wheels.centres
        z = wheels.first_axes[2]
        sine = (self.first_radius - self.side * self.second_radius) / distance
        across = sine * c + ca.sqrt(1 - sine**2) * cross(z, c)  # out of the first pulley, at right angles to the strand
        return wheels.first + self.first_radius * across, across, cross(z, across)

    def lag(self, now: Wheels, zero: Wheels) -> Expr:
        radii = (self.first_radius, self.second_radius)
        teeth = None if any(isinstance(r, ca.SX) for r in radii) else integer_ratio(radii[0] / radii[1])
        if teeth is None:
            return None
        p, q = teeth
        return self.second_radius / q * turned_apart(now, zero, p, self.side * q)

    def fit_fault(self, distance: float, askew: float, apart: float) -> str:
        if askew > 1e-9:
            return "the axes of its pulleys are not parallel."
        if any(isinstance(r, ca.SX) for r in (self.first_radius, self.second_radius)):
            return ""
        least = self.first_radius + self.second_radius
        if not distance > least * (1 - 1e-12):
            far = f"its pulleys are {distance:.6g} m apart where all coordinates are zero"
            return f"{far} and overlap: their radii add up to {least:.6g} m."
        return ""

    def quantities(self, owner: str) -> Iterator[Quantity]:
        yield from super().quantities(owner)
        yield force_quantity(owner, "belt_force", "tension of the left strand minus that of the right one")
        for kind, sign in (("tight_tension", 0.5), ("slack_tension", -0.5)):
            text = f"tension of the {kind.partition('_')[0]} strand, in mesh {owner!r}"
            yield Quantity(owner, kind, "N", text, 1, _tension(self.tension, owner, sign), "reactions")


def _tension(mean: Expr, owner: str, share: float) -> Of:
    return lambda e: mean + share * ca.fabs(e.contact_force(owner, 2))
