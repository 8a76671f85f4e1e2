"""Seals: each of the six bonds of a connection ends in exactly one element [Kosenko 2022, Sec. 3].

A bond is sealed by a flow (this relative motion is prescribed) or by an effort (this force or torque follows a law).
A bond without seal leaves its force unknown, a bond with two has one equation too many: both are refused.
"""

from dataclasses import dataclass
from typing import final

from trundle.laws.efforts import Open
from trundle.laws.law import Law, Together
from trundle.model.connection import ConnectedPair
from trundle.model.force import Force
from trundle.model.model import Model
from trundle.pairs.lower import BONDS, ROTATIONS, Pair

VARIABLES = {bond: ("lambda", "M") if bond in ROTATIONS else ("mu", "F") for bond in BONDS}
"""Flow and effort of each bond: relative acceleration and force along, or moment about the axis."""

ELEMENTS = {
    "FC": "flow constraint: no relative motion",
    "EC": "effort constraint: no force or moment",
    "R": "resistance: loses energy",
    "C": "compliance: stores energy",
    "Se": "source of effort: a force or torque is given",
    "Sf": "source of flow: a motion is given",
    "GY": "gyrator: motion becomes voltage, current becomes effort",
}
"""Elements in which a bond can end."""


@final
@dataclass(frozen=True)
class Seal:
    """What one bond of a connection ends in."""

    connection: str
    bond: str  # x, y, z, rx, ry, rz
    by: str  # what seals it, in words: the pair, a law, a force
    law: Law | Force | None = None  # None if the pair itself holds the bond or leaves it open
    held: bool = False  # by the pair
    coordinate: str = ""  # "connection.coordinate", where the bond has one
    called: str = ""  # name of the bond at a point of contact: slip_x, normal, ...

    @property
    def name(self) -> str:
        """ "connection.bond", as users know the bond."""
        return f"{self.connection}.{self.called or self.bond}"

    @property
    def element(self) -> str:
        """One of ELEMENTS."""
        if self.law is None:
            return "FC" if self.held else "EC"
        return self.law.element

    @property
    def elements(self) -> tuple[str, ...]:
        """Those that meet on the bond."""
        return (self.element,) if self.law is None else self.law.elements

    @property
    def imposes_flow(self) -> bool:
        """Whether the flow is prescribed and the effort results; otherwise the effort is prescribed."""
        return self.held or (isinstance(self.law, Law) and self.law.imposes_flow)


def find_seals(model: Model) -> dict[str, tuple[Seal, ...]]:
    """All seals by connection; one for each of the six bonds when the model is well posed, or several efforts that add
    up.
    """
    forces: dict[str, list[tuple[str, Force]]] = {}
    for name, force in model.forces.items():
        for coordinate in force.coordinates:
            forces.setdefault(model.resolve(coordinate), []).append((name, force))
    return {c.name: tuple(s for bond in BONDS for s in _seals_of(c, bond, forces)) for c in model.connections.values()}


def _seals_of(c: ConnectedPair, bond: str, forces: dict[str, list[tuple[str, Force]]]) -> list[Seal]:
    """Seals of one bond: what the pair holds, laws, and forces on its coordinate; an open bond takes any force."""
    of_bond = {b: coordinate for coordinate, b in c.pair.coordinate_bonds.items()}
    coordinate = f"{c.name}.{of_bond[bond]}" if bond in of_bond else ""
    called = c.pair.bond_names.get(bond, "")
    kind = f"the {c.kind or type(c.pair).__name__}"
    held = bond in c.holds and bond not in c.missing
    found = [Seal(c.name, bond, kind, None, True, coordinate, called)] if held else []
    found += [Seal(c.name, bond, _title(law), law, False, coordinate, called) for key, law in c.given if key == bond]
    acting = [
        Seal(c.name, bond, f"force {name!r}", force, False, coordinate, called)
        for name, force in forces.get(coordinate, [])
    ]
    if acting and len(found) == 1 and isinstance(found[0].law, Open):
        return acting
    if not found and not acting and c.rest_open:
        return [Seal(c.name, bond, kind, None, False, coordinate, called)]
    return found + acting


def _title(law: Law) -> str:
    """Name of a law; of laws that act side by side, all."""
    return " + ".join(_title(one) for one in law.laws) if isinstance(law, Together) else law.title


def seal_faults(model: Model) -> list[str]:
    """Bonds that are not sealed, or sealed more than once."""
    faults = []
    for name, seals in find_seals(model).items():
        for bond in BONDS:
            found = [s for s in seals if s.bond == bond]
            if len(found) == 1 or _is_sum(found):
                continue
            pair = model.connections[name].pair
            called = pair.bond_names.get(bond, bond)
            turns = bond in ROTATIONS
            load = "moment" if turns else "force"
            flow, effort = VARIABLES[bond]
            where = f"connection {name!r}, bond {called!r} ({'about' if turns else 'along'} {_axis(pair, bond)})"
            if not found:
                faults.append(
                    f"{where} is not sealed: of the pair ({flow}, {effort}) neither the motion nor the {load} is "
                    f"prescribed. Seal it with tr.Locked() for no relative motion, tr.Open() for no {load}, or a "
                    f"law such as "
                    "tr.Spring, tr.Damper, tr.Motor or tr.Servo."
                )
            else:
                faults.append(
                    f"{where} is sealed {len(found)} times, by {' and '.join(s.by for s in found)}. Each bond has one "
                    f"law for its motion or its {load}. {_remedy(found, called)}"
                )
    return faults


def _axis(pair: Pair, bond: str) -> str:
    """The axis of a bond in the frames that the user gave; the axis of a joint is its z axis."""
    if pair.bond_names:
        return f"the {bond[-1]} axis of the contact"
    direction = pair.frame()[:, "xyz".index(bond[-1])]
    letters = [a for a, v in zip("xyz", direction, strict=True) if abs(v) > 1 - 1e-12]
    named = f", {letters[0]} of its frames" if letters and letters[0] != bond[-1] else ""
    return f"its {bond[-1]} axis{named}"


def _is_sum(found: list[Seal]) -> bool:
    """Forces applied to a coordinate add to its law."""
    laws = [s for s in found if not isinstance(s.law, Force)]
    return bool(found) and len(laws) <= 1 and not any(s.imposes_flow for s in found)


def _remedy(found: list[Seal], called: str) -> str:
    """What can be done about a bond that is sealed more than once."""
    if any(isinstance(s.law, Open) for s in found):
        return "The joint leaves this bond open for good; use tr.AxisJoint or tr.Connection with the law in its place."
    if not any(s.imposes_flow for s in found):
        return "Write laws that act side by side as a sum: tr.Spring(...) + tr.Motor(...)."
    if any(s.held for s in found):
        return f"Take the law away, or give compliance={{{called!r}: tr.Spring(...)}} to replace what is held."
    return "Take one of them away: where a motion is prescribed, the force that it takes follows."
