"""A connection of two frames: its pair, and the law that seals each of its bonds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import final

from trundle.laws.friction_law import ContactLaw, FrictionLaw
from trundle.laws.law import EffortLaw, Law
from trundle.laws.restitution import Poisson, Restitution
from trundle.messages.arguments import unchangeable
from trundle.model.advice import refuse_change
from trundle.model.body import Body, Frame
from trundle.model.connection_quantities import connection_quantities
from trundle.pairs.higher import CONTACT_BONDS, SurfacePair
from trundle.pairs.lower import BONDS, Pair
from trundle.quantity import Quantity

DEFLECTIONS = {"slip_x": "x", "slip_y": "y", "normal": "normal", "roll_x": "roll_x", "roll_y": "roll_y", "spin": "spin"}
"""What the deflections along the bonds of a contact are called."""


@final
@unchangeable(refuse_change)
@dataclass(frozen=True, eq=False)
class ConnectedPair:
    """`pair` between a frame on the first and a frame on the second body; they coincide when all coordinates of a
    lower pair are zero, and touch when those of a higher pair are.
    """

    name: str
    pair: Pair
    first: Frame
    second: Frame
    laws: Mapping[str, Law] = field(default_factory=dict)  # coordinate name -> law
    contact_laws: tuple[ContactLaw, ...] = ()
    wheel: Body | None = None  # carries the surface when it turns about its own axis against the second body
    bond_laws: Mapping[str, Law] = field(default_factory=dict)  # slip_x, normal, ... -> law at the point of contact
    compliant: tuple[str, ...] = ()  # bonds that the pair or laws at the contact would hold and a spring stands for
    given: tuple[tuple[str, Law], ...] = ()  # (bond, law) for every seal that was given
    rest_open: bool = True  # bonds without a law move freely; else each must be given one
    unilateral: bool = False  # the contact may open and close
    kind: str = ""  # what the user joined the bodies by: Revolute, FixedIdealJoint, ...
    restitution: Restitution = field(default_factory=Poisson)  # of the collision in which it closes
    missing: tuple[str, ...] = ()  # bonds that the user left without a seal though the surfaces would hold them
    by_rows: bool = False  # held by constraint rows: something relaxes them or depends on their multipliers

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name!r} between {self.first.body.name!r} and {self.second.body.name!r}>"

    @property
    def surface_pair(self) -> SurfacePair:
        """Its pair, where that is one of surfaces or of curves."""
        assert isinstance(self.pair, SurfacePair)
        return self.pair

    @property
    def touching(self) -> Body:
        """The body whose material touches the first one."""
        return self.second.body if self.wheel is None else self.wheel

    @property
    def bounded(self) -> bool:
        """Whether one of the surfaces is a face with ends."""
        return self.pair.bounded

    @property
    def held(self) -> tuple[str, ...]:
        """Relative motions at the point of contact that are prescribed, most often kept at zero."""
        prescribed = [name for name, law in self.bond_laws.items() if law.imposes_flow]
        by_laws = [name for law in self.contact_laws for name in law.held if name in self.pair.held]
        return tuple(dict.fromkeys([*by_laws, *prescribed]))

    @property
    def driven(self) -> bool:
        """Whether laws prescribe the motion of coordinates."""
        return any(law.imposes_flow for law in self.laws.values())

    @property
    def friction_laws(self) -> tuple[FrictionLaw, ...]:
        """Laws proportional to the normal force, which must therefore be known: friction, rolling resistance, ..."""
        return tuple(law for law in self.contact_laws if isinstance(law, FrictionLaw))

    @property
    def friction(self) -> FrictionLaw | None:
        """The law of friction against slip at the point of contact."""
        return next((law for law in self.friction_laws if "slip_x" in law.sealed), None)

    @property
    def relaxes(self) -> bool:
        """Whether a law relaxes the slip constraint by a weight between 0 and 1."""
        return self.friction is not None and self.friction.relaxes

    def friction_motions(self, law: FrictionLaw) -> tuple[str, ...]:
        """Relative motions at the point of contact that a law of friction acts on."""
        return tuple(n for n in law.sealed if n in self.pair.held and n not in law.held)

    @property
    def sliding(self) -> tuple[str, ...]:
        """Slips that friction acts on."""
        return () if self.friction is None else self.friction_motions(self.friction)

    @property
    def bristles(self) -> tuple[str, ...]:
        """Deflections of the surfaces that are states: coordinates without speeds; those of friction come first."""
        return tuple(f"bristle_{DEFLECTIONS[bond]}" for bond in self.bristle_bonds)

    @property
    def bristle_bonds(self) -> tuple[str, ...]:
        """Slips and turns at the point of contact whose deflections are states."""
        bent = self.sliding if self.friction is not None and self.friction.has_bristles else ()
        return (*bent, *self.elastic)

    @property
    def elastic(self) -> tuple[str, ...]:
        """Slips and turns at the point of contact that a law of their deflection acts on."""
        laws = {name: self.bond_laws.get(name) for name in self.pair.held}
        return tuple(n for n, law in laws.items() if isinstance(law, EffortLaw) and law.uses_coordinate)

    @property
    def deviations(self) -> dict[str, EffortLaw]:
        """Laws by coordinates with a state `coordinate_deviation`: a spring lets these lag behind their rate."""
        return {n: law for n, law in self.laws.items() if isinstance(law, EffortLaw) and law.deviates}

    @property
    def out_of_plane(self) -> dict[str, str]:
        """Bonds by which a planar pair leaves its plane where springs keep it there, and names of their deflections."""
        if not self.is_contact:
            return {}
        bonds = [b for b in self.pair.held_bonds if b != "z" and b in self.compliant]
        return {CONTACT_BONDS[b]: f"plane_{DEFLECTIONS[CONTACT_BONDS[b]]}" for b in bonds}

    @property
    def separates(self) -> bool:
        """Whether the normal is a law that never pulls."""
        normal = self.bond_laws.get("normal")
        return isinstance(normal, EffortLaw) and normal.only_pushes

    @property
    def is_contact(self) -> bool:
        """Whether it is a contact of surfaces."""
        return self.pair.is_contact

    @property
    def motions(self) -> tuple[str, ...]:
        """Names of the bonds, also those that they have at a contact, and of the coordinates."""
        return (*BONDS, *self.pair.bond_names.values(), *(step.name for step in self.pair.coordinates))

    @property
    def holds(self) -> tuple[str, ...]:
        """Those of the six bonds that the pair itself constrains."""
        return tuple(b for b in self.pair.held_bonds if b not in self.compliant)

    @property
    def bodies(self) -> tuple[Body, Body]:
        return self.first.body, self.second.body

    def quantities(self) -> Iterator[Quantity]:
        """Quantities of the connection: of its pair, of its laws, and its reactions."""
        return connection_quantities(self)


def may_part(connection: ConnectedPair) -> bool:
    """Whether it cannot be a joint of the tree: a contact that may open, whose law needs the normal force or a
    deflection, that is not a chain of screws, or that is enforced by constraint rows.
    """
    c = connection
    return c.by_rows or (
        c.is_contact
        and (
            not c.pair.in_tree
            or "z" not in c.holds
            or c.unilateral
            or bool(c.friction_laws or c.bristles or c.out_of_plane)
        )
    )
