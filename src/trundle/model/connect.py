"""How a connection is made: which law seals each bond of a pair or joint, from what the user gave."""

from collections.abc import Mapping, Sequence

import casadi as ca

from trundle.errors import ModelError, UnknownNameError
from trundle.laws.efforts import Open
from trundle.laws.flows import Locked, Servo
from trundle.laws.friction_law import ContactLaw
from trundle.laws.law import EffortLaw, Law
from trundle.laws.restitution import Poisson, Restitution
from trundle.model.advice import not_a_law, not_a_pair
from trundle.model.body import Body, Frame
from trundle.model.compliance import Flows, held_springs, springs_of, yielding
from trundle.model.connection import ConnectedPair
from trundle.model.joint import Joint
from trundle.pairs.higher import CONTACT_BONDS
from trundle.pairs.lower import BONDS, Pair
from trundle.real_array import is_number
from trundle.typing import Given

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
    if unilateral and not pair.can_open:
        raise ModelError(f"connection {name!r}: only a contact of surfaces can open; a {type(pair).__name__} cannot.")
    if pair.bounded and not unilateral:
        raise ModelError(
            f"connection {name!r}: what slides past the end of a face ({pair.title}) leaves it, so the contact must be "
            "able to open: give unilateral=True or a restitution, or use a surface without ends."
        )
    if pair.is_contact:
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
    if compliant and not pair.is_contact:
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
    if not pair.is_contact:
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
        if pair.is_contact:
            on_bonds.setdefault(CONTACT_BONDS[bond], one)
        elif bond in of_bond:
            on_coordinates.setdefault(of_bond[bond], one)
    return on_coordinates, on_bonds


def _restitution(name: str, given: object) -> Restitution:
    if given is None or isinstance(given, Restitution):
        return Poisson() if given is None else given
    if is_number(given) or isinstance(given, ca.SX):
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
            raise ModelError(f"connection {name!r}: {not_a_law(one, pair.is_contact)}")
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
    if not pair.is_contact:
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
    names = {called: bond for bond, called in pair.bond_names.items()} or pair.coordinate_bonds
    if key in names:
        return names[key]
    if pair.is_contact:
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
