"""A constraint row: position residual g, velocity row J u = nu, acceleration row J udot + gamma = 0."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, final

import casadi as ca

from trundle.typing import Expr


@final
class Role(StrEnum):
    """What a row does for the connection that owns it."""

    CLOSURE = "closure"  # holds the bodies of a loop together
    DRIVE = "drive"  # moves a coordinate as a law prescribes
    NORMAL = "normal"  # keeps two surfaces in contact
    TANGENT = "tangent"  # holds a slip, roll or spin at a contact


@final
class Place(NamedTuple):
    """Where a row belongs: the connection that owns it, its bond or coordinate, and what it does there."""

    owner: str
    bond: str
    role: Role = Role.CLOSURE

    @property
    def coordinate(self) -> str:
        """Name of the bond or coordinate in the model."""
        return f"{self.owner}.{self.bond}"

    @property
    def name(self) -> str:
        """Name of the row; those of drives say so, because a coordinate may both close a loop and be driven."""
        return f"{self.coordinate} (servo)" if self.role is Role.DRIVE else self.coordinate


@final
@dataclass
class Row:
    """One scalar constraint. `jacobian` maps speed index to coefficient; force and moment (on the second body, per unit
    multiplier, at the second frame, ground axes) make the reaction.
    """

    place: Place
    residual: Expr
    rate: Expr  # J u - nu
    gamma: Expr
    jacobian: dict[int, Expr]
    force: Expr = field(default_factory=lambda: ca.SX.zeros(3))
    moment: Expr = field(default_factory=lambda: ca.SX.zeros(3))
    unit: str = "m"
    level: str = "position"  # of what is held; the residual of a "velocity" and the rate of an "acceleration" are zero
    driven: Expr = None  # rate at which a drive moves the bond, where its power counts
    mixed: dict[str, Expr] | None = None  # of a weight matrix: direction of this weight, by name of row
    weight: Expr = 1  # 1 is held; less, down to 0, is relaxed [Ikoki 2021, Eq. 18] and holds accelerations only
    active: Expr = None  # 1 while the row holds and 0 while it does not; None if it always holds
    column: dict[int, Expr] | None = None  # forces of a unit multiplier along speeds, where they include its friction
    lost: Expr = None  # rate of sliding times friction coefficient: power lost per unit multiplier

    @property
    def name(self) -> str:
        return self.place.name

    @property
    def owner(self) -> str:
        """Name of the connection that the row belongs to."""
        return self.place.owner

    @property
    def bond(self) -> str:
        return self.place.bond

    @property
    def role(self) -> Role:
        return self.place.role

    @property
    def holonomic(self) -> bool:
        """A constraint on positions."""
        return self.level == "position"

    @property
    def ideal(self) -> bool:
        """Held in full: its weight is the number 1."""
        return self.mixed is None and bool(ca.SX(self.weight).is_one())
