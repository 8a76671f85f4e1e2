"""A connection of two frames: its pair, and the law that seals each of its bonds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

import casadi as ca

from trundle.errors import ModelError, UnknownNameError
from trundle.laws.efforts import Open
from trundle.laws.flows import Locked, Servo
from trundle.laws.friction_law import ContactLaw, FrictionLaw
from trundle.laws.law import EffortLaw, FlowLaw, Law
from trundle.laws.restitution import Poisson, Restitution
from trundle.laws.tracking import RateTracking
from trundle.messages.arguments import unchangeable
from trundle.model.advice import not_a_law, not_a_pair, refuse_change
from trundle.model.body import Body, Frame
from trundle.model.compliance import Flows, held_springs, springs_of, yielding
from trundle.model.connection_quantities import connection_quantities
from trundle.model.joint import Joint
from trundle.pairs.higher import CONTACT_BONDS, ContactPair, SurfacePair
from trundle.pairs.lower import BONDS, Pair
from trundle.quantity import Quantity
from trundle.typing import Given

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
    def touching(self) -> Body:
        """The body whose material touches the first one."""
        return self.second.body if self.wheel is None else self.wheel

    @property
    def bounded(self) -> bool:
        """Whether one of the surfaces is a face with ends."""
        return isinstance(self.pair, SurfacePair) and (self.pair.first.bounded or self.pair.second.bounded)

    @property
    def held(self) -> tuple[str, ...]:
        """Relative motions at the point of contact that are prescribed, most often kept at zero."""
        prescribed = [name for name, law in self.bond_laws.items() if isinstance(law, FlowLaw)]
        able = self.pair.held if isinstance(self.pair, ContactPair) else ()
        by_laws = [name for law in self.contact_laws for name in law.held if name in able]
        return tuple(dict.fromkeys([*by_laws, *prescribed]))

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
        able = self.pair.held if isinstance(self.pair, ContactPair) else ()
        return tuple(n for n in law.sealed if n in able and n not in law.held)

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
        if not isinstance(self.pair, ContactPair):
            return ()
        laws = {name: self.bond_laws.get(name) for name in self.pair.held}
        return tuple(n for n, law in laws.items() if isinstance(law, EffortLaw) and law.uses_coordinate)

    @property
    def deviations(self) -> tuple[str, ...]:
        """Coordinates with a deviation state: a spring lets them lag behind their rate (`coordinate_deviation`)."""
        return tuple(n for n, law in self.laws.items() if isinstance(law, RateTracking) and law.uses_coordinate)

    @property
    def out_of_plane(self) -> dict[str, str]:
        """Bonds by which a planar pair leaves its plane where springs keep it there, and names of their deflections."""
        if not isinstance(self.pair, ContactPair):
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
        return isinstance(self.pair, ContactPair)

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


LawsGiven = Law | Sequence[Law] | Mapping[str, Law] | None


def connect(
    name: str,
    joint: Pair | Joint,
    first: Frame,
    second: Frame,
    law: LawsGiven = None,
    wheel: Body | None = None,
    compliance: EffortLaw | Mapping[str, EffortLaw] | None = None,
    unilateral: bool = False,
    restitution: Restitution | float | None = None,
) -> ConnectedPair:
    """Assemble one connection from its arguments; ModelError if they do not fit."""
    if not isinstance(joint, Pair | Joint):
        raise ModelError(not_a_pair(joint))
    if wheel is not None and not isinstance(wheel, Body):
        raise ModelError(f"connection {name!r}: wheel is the body that carries the tyre, got {wheel!r}.")
    pair, given, compliance, missing = _seals(joint, compliance)
    found = _sorted_laws(name, pair, law)
    given += found.given
    bounce = _restitution(name, restitution)
    unilateral = unilateral or restitution is not None
    if unilateral and not isinstance(pair, SurfacePair):
        raise ModelError(f"connection {name!r}: only a contact of surfaces can open; a {type(pair).__name__} cannot.")
    if isinstance(pair, SurfacePair) and (pair.first.bounded or pair.second.bounded) and not unilateral:
        raise ModelError(
            f"connection {name!r}: what slides past the end of a face ({pair.title}) leaves it, so the contact must be "
            "able to open: give unilateral=True or a restitution, or use a surface without ends."
        )
    if isinstance(pair, ContactPair):
        _refuse_servos(name, given)
    flows = Flows(given, found.contact, found.laws)
    rest, replaced = yielding(name, pair, flows, springs_of(name, pair, compliance))
    given, contact, laws = flows.given, flows.contact, flows.laws
    compliant = held_springs(name, pair, rest, [*flows.names(pair)])
    if unilateral and "z" in compliant:
        raise ModelError(
            f"connection {name!r}: unilateral is for a rigid normal. A compliant normal opens by itself if its law "
            f"never pulls: compliance=tr.Hertz(...), tr.HuntCrossley(...) or tr.LinearContact(...)."
        )
    given = [(b, one) for b, one in given if b not in compliant or not isinstance(one, Locked)]
    given += compliant.items()
    if compliant and not isinstance(pair, ContactPair):
        pair = pair.freed(list(compliant))
    laws, bond_laws = _placed_laws(pair, given, laws)
    return ConnectedPair(
        name, pair, first, second, laws, tuple(contact), wheel, bond_laws, (*compliant, *replaced),
        _without_own(pair, joint, given), not isinstance(joint, Joint), unilateral, type(joint).__name__, bounce,
        missing,
    )  # fmt: skip


def _seals(joint: Pair | Joint, compliance: object) -> tuple[Pair, list[tuple[str, Law]], Given, tuple[str, ...]]:
    """The pair, the laws that a joint seals its bonds with, the compliance with that of a normal, and the bonds that
    nothing seals.
    """
    if not isinstance(joint, Joint):
        return joint, [], compliance, ()
    pair, given = joint.pair(), joint.seals()
    if not isinstance(pair, ContactPair):
        return pair, given, compliance, ()
    missing = () if any(b == "z" for b, _ in given) or compliance is not None else ("z",)
    compliance, given = _normal(given, compliance)
    return pair, given, compliance, missing


def _sorted_laws(name: str, pair: Pair, law: LawsGiven) -> Flows:
    """The laws that the user gave: on bonds, at the point of contact, and on coordinates of a chain over surfaces,
    which are not bonds of the contact.
    """
    found = Flows([], [], {})
    for key, one in _named(name, pair, law):
        if isinstance(one, ContactLaw):
            possible = _possible(name, pair, one)
            found.contact.append(one)
            found.given.extend((bond, one) for bond, called in CONTACT_BONDS.items() if called in possible)
            continue
        bond = _bond(name, pair, key)
        if bond is not None:
            found.given.append((bond, one))
        elif key in found.laws:
            raise ModelError(
                f"connection {name!r}: two laws on {key!r}; write them as a sum, such as tr.Spring(k) + tr.Damper(d)."
            )
        else:
            found.laws[key] = one
    return found


def _placed_laws(
    pair: Pair, given: Sequence[tuple[str, Law]], laws: Mapping[str, Law]
) -> tuple[dict[str, Law], dict[str, Law]]:
    """Laws by coordinate, and by bond of a contact."""
    of_bond = {bond: coordinate for coordinate, bond in pair.coordinate_bonds.items()}
    on_coordinates, on_bonds = dict(laws), dict[str, Law]()
    for bond, one in given:
        if isinstance(one, ContactLaw | Open):
            continue
        if isinstance(pair, ContactPair):
            on_bonds.setdefault(CONTACT_BONDS[bond], one)
        elif bond in of_bond:
            on_coordinates.setdefault(of_bond[bond], one)
    return on_coordinates, on_bonds


def _restitution(name: str, given: object) -> Restitution:
    if given is None or isinstance(given, Restitution):
        return Poisson() if given is None else given
    if isinstance(given, float | int | ca.SX) and not isinstance(given, bool):
        return Poisson(given)
    raise ModelError(
        f"connection {name!r}: restitution is a number between 0 and 1, or tr.Poisson(e), tr.Newton(e) or "
        f"tr.Stronge(e), got {given!r}."
    )


def _normal(given: list[tuple[str, Law]], compliance: object) -> tuple[Given, list[tuple[str, Law]]]:
    """The normal of a contact by its seals: held by the surfaces where it is locked, compliant where an effort law is
    given; anything in addition is a second seal.
    """
    laws = [law for bond, law in given if bond == "z"]
    others = [(bond, law) for bond, law in given if bond != "z"]
    held = next((law for law in laws if isinstance(law, Locked)), None)
    spring = next((law for law in laws if isinstance(law, EffortLaw)), None)
    if held is not None:
        laws.remove(held)
    elif compliance is None and spring is not None:
        laws.remove(spring)
        compliance = {"z": spring}
    return compliance, [*others, *(("z", law) for law in laws)]


def _refuse_servos(name: str, given: list[tuple[str, Law]]) -> None:
    """At a point of contact there are no coordinates that could be prescribed."""
    for bond, law in given:
        if isinstance(law, Servo):
            raise ModelError(
                f"connection {name!r}: a Servo prescribes a coordinate, but {CONTACT_BONDS[bond]!r} at a contact "
                "has only a rate; give tr.Flow(function of t)."
            )


def _without_own(pair: Pair, joint: Pair | Joint, given: list[tuple[str, Law]]) -> tuple[tuple[str, Law], ...]:
    """Seals without those that the pair itself provides, which would be counted twice."""
    if not isinstance(joint, Joint):
        return tuple(given)
    seen: set[str] = set()
    out = []
    for bond, law in given:
        if isinstance(law, Locked) and bond in pair.held_bonds and bond not in seen:
            seen.add(bond)
        else:
            out.append((bond, law))
    return tuple(out)


def _named(name: str, pair: Pair, law: LawsGiven) -> list[tuple[str, Law]]:
    """Laws with the coordinate or bond that each is for."""
    given: list[tuple[str | None, Given]] = []
    if isinstance(law, Mapping):
        given = list(law.items())
    elif law is not None:
        several: Given = law if isinstance(law, list | tuple) else [law]
        given = [(None, each) for each in several]
    steps = [s.name for s in pair.coordinates if s.n_u == 1]
    out: list[tuple[str, Law]] = []
    for key, one in given:
        if not isinstance(one, Law):
            raise ModelError(f"connection {name!r}: {not_a_law(one, isinstance(pair, ContactPair))}")
        if key is None and not isinstance(one, ContactLaw) and not steps:
            raise ModelError(
                f"connection {name!r}: {type(pair).__name__} has no scalar coordinate for a law to act on. For "
                f"springs and dampers between its bodies use m.apply(tr.Bushing(first, second, "
                "stiffness, damping)), three numbers along x, y, z and three about them."
            )
        if key is None and not isinstance(one, ContactLaw) and len(steps) != 1:
            raise ModelError(
                f"connection {name!r}: {type(pair).__name__} has the coordinates {steps}; specify the one on which "
                f"the law acts: law={{'coordinate': law}}."
            )
        out.append((steps[0] if key is None and steps else key or "", one))
    return out


def _possible(name: str, pair: Pair, law: ContactLaw) -> tuple[str, ...]:
    """Motions that a law constrains at this contact."""
    if not isinstance(pair, ContactPair):
        raise ModelError(
            f"connection {name!r}: {type(law).__name__} acts at a contact point, but a "
            f"{type(pair).__name__} joint has none; use tr.HigherPair(surface, surface)."
        )
    held = tuple(n for n in law.sealed if n in pair.held)
    if not held:
        raise ModelError(
            f"connection {name!r}: {type(law).__name__} holds {', '.join(law.sealed)}, which a "
            f"{type(pair).__name__} does not have; it has {', '.join(pair.held)}."
        )
    return held


def _bond(name: str, pair: Pair, key: str) -> str | None:
    """Bond that a law is for; None for a coordinate of a chain over surfaces."""
    names = pair.coordinate_bonds if not isinstance(pair, ContactPair) else {v: k for k, v in CONTACT_BONDS.items()}
    if key in names:
        return names[key]
    if isinstance(pair, ContactPair):
        steps = [s.name for s in pair.coordinates if s.n_u == 1]
        if key in steps:
            return None
        raise UnknownNameError(key, [*names, *steps], f"bond or coordinate of connection {name!r}")
    if key in BONDS:
        if key in pair.free and key not in names.values():
            raise ModelError(
                f"connection {name!r}: the rotations of a {type(pair).__name__} are one quaternion; no law can act on "
                f"{key!r} alone. Use tr.Connection, which has a coordinate for each rotation with a law, or tr.Bushing."
            )
        return key
    raise UnknownNameError(key, [*names, *BONDS], f"coordinate or bond of connection {name!r}")


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
