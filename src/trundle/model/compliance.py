"""`compliance=` of a connection: springs in place of constraints of its pair, or of motions that laws prescribe."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from trundle.errors import ModelError
from trundle.laws.efforts import Spring
from trundle.laws.flows import Locked
from trundle.laws.friction_law import ContactLaw
from trundle.laws.law import EffortLaw, FlowLaw, Law
from trundle.laws.tracking import RateTracking, Tracking
from trundle.pairs.lower import Pair
from trundle.real_array import is_number

Springs = EffortLaw | dict[str, EffortLaw] | None


@final
@dataclass
class Flows:
    """The laws of a connection while springs replace those that prescribe a motion."""

    given: list[tuple[str, Law]]  # (bond, law)
    contact: list[ContactLaw]
    laws: dict[str, Law]  # on coordinates of a chain over surfaces

    def names(self, pair: Pair) -> list[str]:
        """Bonds and coordinates on which laws prescribe a motion."""
        of_bond = pair.bond_names or {bond: name for name, bond in pair.coordinate_bonds.items()}
        bonds = [of_bond.get(b, b) for b, law in self.given if law.imposes_flow and b not in pair.held_bonds]
        return list(dict.fromkeys([*bonds, *(n for n, law in self.laws.items() if law.imposes_flow)]))


def springs_of(name: str, pair: Pair, given: object) -> Springs:
    """The argument `compliance` as laws by bond: one law, laws by bond, or a number, which is a stiffness."""
    if given is None:
        return None
    if is_number(given):
        given = Spring(float(given))
    if not isinstance(given, EffortLaw | Mapping):
        raise ModelError(
            f"connection {name!r}: compliance is a spring such as tr.Spring(1e6, 1e3), or springs by bond, got "
            f"{given!r}."
        )
    if isinstance(given, EffortLaw):
        return _checked(name, pair, "", given)
    return {key: _checked(name, pair, key, law) for key, law in given.items()}


def _checked(name: str, pair: Pair, key: str, law: object) -> EffortLaw:
    if is_number(law):
        law = Spring(float(law))
    if not isinstance(law, EffortLaw):
        raise ModelError(f"connection {name!r}: compliance is a law such as tr.Spring(1e6, 1e3), got {law!r}.")
    if law.only_pushes and not (pair.is_contact and key in ("", "z", "normal", "translation")):
        where = f"on {key!r}" if pair.is_contact else f"in a {type(pair).__name__}"
        raise ModelError(
            f"connection {name!r}: {type(law).__name__} is for the normal of a contact; {where} it would act in one "
            f"direction only. Use tr.Spring."
        )
    if isinstance(law, Spring) and any(isinstance(v, float | int) and v < 0 for v in (law.stiffness, law.damping)):
        raise ModelError(
            f"connection {name!r}: the compliance {law!r} would push the bodies apart: its stiffness must be positive."
        )
    return law


def yielding(name: str, pair: Pair, flows: Flows, springs: Springs) -> tuple[Springs, list[str]]:
    """Replace motions that laws prescribe by springs, by name; other motions of such a law stay constrained.

    Returns the springs that were not used, and the bonds of a contact at which a spring has replaced a law.
    """
    if not isinstance(springs, dict):
        return springs, []
    bonds = {called: bond for bond, called in pair.bond_names.items()} | pair.coordinate_bonds
    rest, replaced = dict(springs), []
    for key, spring in springs.items():
        bond = bonds.get(key, key)
        along_chain = flows.laws.get(key)
        if isinstance(along_chain, FlowLaw):
            flows.laws[key] = _drawn(name, key, along_chain, spring)
            rest.pop(key)
            continue
        found = [law for sealed, law in flows.given if sealed == bond and law.imposes_flow]
        if not found or bond in pair.held_bonds:
            continue
        law = found[0]
        others = [(b, one) for b, one in flows.given if one is not law]
        if isinstance(law, ContactLaw):
            flows.contact = [one for one in flows.contact if one is not law]
            others += [(b, Locked()) for b, one in flows.given if one is law and b != bond]
            flows.given = [*others, (bond, spring)]
        else:
            at = next(i for i, (b, one) in enumerate(flows.given) if b == bond and one is law)
            flows.given[at] = (bond, _drawn(name, key, law, spring))
        replaced += [bond] if pair.is_contact else []
        rest.pop(key)
    return rest or None, replaced


def _drawn(name: str, key: str, law: Law, spring: EffortLaw) -> EffortLaw:
    """The spring that replaces a law which prescribes a motion."""
    assert isinstance(law, FlowLaw)
    if isinstance(law, Locked):
        return spring
    if law.level == "position":
        return Tracking(spring, law)
    if law.level == "velocity":
        return RateTracking(spring, law)
    raise ModelError(
        f"connection {name!r}: compliance on {key!r}, but the {type(law).__name__} there prescribes neither a "
        f"position nor a rate to which a spring could pull it back. Use tr.Servo, tr.Flow or tr.Motor instead."
    )


def held_springs(name: str, pair: Pair, springs: Springs, prescribed: list[str]) -> dict[str, EffortLaw]:
    """Springs in place of constraints of the pair: on all its constrained bonds, or by the name of a bond or of its
    kind.

    At a contact a single law replaces the normal. `prescribed` are other valid names, for messages.
    """
    if springs is None:
        return {}
    held = {b: pair.bond_names.get(b, b) for b in pair.held_bonds}
    if isinstance(springs, EffortLaw):
        if not held:
            raise ModelError(
                f"connection {name!r}: a {type(pair).__name__} has no constraint that a spring could replace."
            )
        return dict.fromkeys(["z"] if pair.is_contact else held, springs)
    kinds = {"translation": [b for b in held if b in "xyz"], "rotation": [b for b in held if b not in "xyz"]}
    out: dict[str, EffortLaw] = {}
    for key, law in springs.items():
        bonds = kinds.get(key) or [b for b, called in held.items() if key in (b, called)]
        if not bonds:
            known = [*held.values(), *(kind for kind, found in kinds.items() if found), *prescribed]
            raise ModelError(
                f"connection {name!r}: compliance on {key!r}, but a {type(pair).__name__} does not constrain this "
                f"bond; constraints that can be replaced: {', '.join(known) or 'nothing'}."
            )
        if law.only_pushes and bonds != ["z"]:
            raise ModelError(
                f"connection {name!r}: {type(law).__name__} is for the normal of a contact; on {key!r} it would act "
                f"in one direction only. Use tr.Spring."
            )
        out |= dict.fromkeys(bonds, law)
    return out
