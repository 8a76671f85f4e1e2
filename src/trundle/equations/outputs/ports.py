"""Power ports of a model: which bodies, connections and forces exchange energy, and the names of measured quantities.

A body is a 1-junction, a connection or a force between bodies a 0-junction [Kosenko 2022, Figs. 1, 2]. Everything here
follows from the model alone.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import final

import casadi as ca

from trundle.errors import StoreError
from trundle.laws.law import EffortLaw
from trundle.model.connection import ConnectedPair
from trundle.model.law_probe import SymbolicSignals
from trundle.model.model import Model
from trundle.model.register import model_register
from trundle.model.seal import find_seals
from trundle.pairs.lower import BONDS
from trundle.quantity import Quantity
from trundle.typing import Json, Raw

FRICTION = ".friction"  # suffix of the element of friction under a rigid normal
CHAIN = ".chain"  # suffix of the junction of laws on surface coordinates of a contact; names of users have no dot
FLOWS, EFFORTS = "m/s, m/s, m/s, rad/s, rad/s, rad/s", "N, N, N, N m, N m, N m"  # units of the six bonds
ENERGIES = ("kinetic_energy", "gravity_energy", "stored_energy")


@final
@dataclass(frozen=True)
class Junction:
    """0-junction of a connection between two bodies; without bonds, of the laws on the chain of a contact."""

    name: str
    first: str
    second: str
    bonds: tuple[str, ...]  # six names
    elements: tuple[str, ...]  # the element at the end of each bond: FC, EC, R, C, Se, Sf
    terms: tuple[str, ...]  # laws and forces whose efforts act on its bonds
    drives: tuple[str, ...]  # "connection.coordinate" where a motion is prescribed
    coordinates: tuple[str, ...] = ()  # coordinate of each bond, or the name of the bond if it has none
    connection: str = ""

    @property
    def is_chain(self) -> bool:
        """Whether it is the junction of the laws on the chain of a contact."""
        return not self.bonds


@final
@dataclass(frozen=True)
class Element:
    """A law or force: it stores, loses and supplies energy, and gives the rest to junctions and bodies."""

    name: str
    junctions: tuple[str, ...]  # connections on whose coordinates it acts
    bodies: tuple[str, ...]  # bodies it acts on directly
    law_of: str  # connection to which the law belongs; empty for a force
    is_friction: bool = False  # friction under the rigid normal of that contact


@final
@dataclass(frozen=True)
class Ports:
    """All ports of a model."""

    bodies: tuple[str, ...]
    junctions: tuple[Junction, ...]
    elements: tuple[Element, ...]
    frames: tuple[str, ...] = ()  # moving frames: sources of flow

    @staticmethod
    def read(stored: Mapping[str, Raw]) -> "Ports":
        """From the output of `dataclasses.asdict`."""

        def plain(one: Mapping[str, Raw]) -> Json:
            return {k: tuple(v) if isinstance(v, list | tuple) else v for k, v in one.items()}

        if any("law_of" not in e for e in stored["elements"]):
            raise StoreError("the power audit in this file was written by an earlier version; run the model again.")
        return Ports(
            tuple(stored["bodies"]),
            tuple(Junction(**plain(j)) for j in stored["junctions"]),
            tuple(Element(**plain(e)) for e in stored["elements"]),
            tuple(stored.get("frames", ())),
        )


Measure = tuple[str, str]
"""A quantity of the audit: name of a body, connection, law or force, and name of the quantity."""


def find_ports(model: Model) -> Ports:
    """Ports of all bodies, connections, laws and forces."""
    signals = SymbolicSignals(model, ca.SX.sym("t"))
    forces = {name: force.terms(signals) for name, force in model.forces.items()}
    register = model_register(model)
    acting: dict[str, list[str]] = {}  # connection -> forces on its coordinates
    for name, term in forces.items():
        for coordinate, _ in term.efforts:
            on = acting.setdefault(register.get(coordinate).quantity.owner, [])
            on += [name] if name not in on else []
    junctions: list[Junction] = []
    elements: dict[str, Element] = {}
    seals = find_seals(model)
    for c in model.connections.values():
        ends = tuple("+".join(_unique(k for s in seals[c.name] if s.bond == b for k in s.elements)) for b in BONDS)
        bonds = tuple(c.pair.bond_names.get(b, b) for b in BONDS)
        laws = {f"{c.name}.{name}": law for name, law in c.laws.items()}
        at_contact = {f"{c.name}.{name}": law for name, law in c.bond_laws.items()}
        terms = [n for n, law in laws.items() if isinstance(law, EffortLaw)]
        terms += acting.get(c.name, [])
        drives = [n for n, law in laws.items() if law.imposes_flow]
        own = terms, drives
        if c.is_contact:
            if terms or drives:
                chain = Junction(
                    c.name + CHAIN,
                    c.first.body.name,
                    c.second.body.name,
                    (),
                    (),
                    tuple(terms),
                    tuple(drives),
                    connection=c.name,
                )
                junctions.append(chain)
                _act(elements, terms, chain, laws)
            own = (
                [n for n, law in at_contact.items() if isinstance(law, EffortLaw)],
                [n for n, law in at_contact.items() if law.drives],
            )
        called = {bond: coordinate for coordinate, bond in c.pair.coordinate_bonds.items()}
        found = Junction(
            c.name, c.first.body.name, c.touching.name, bonds, ends, tuple(own[0]), tuple(own[1]),
            tuple(called.get(b, name) for b, name in zip(BONDS, bonds, strict=True)), c.name,
        )  # fmt: skip
        junctions.append(found)
        _act(elements, own[0], found, {**laws, **at_contact})
        if c.friction_laws and "z" in c.holds:
            elements[c.name + FRICTION] = Element(c.name + FRICTION, (c.name,), (), c.name, is_friction=True)
    for name, term in forces.items():
        bodies = tuple(_unique(frame.body.name for frame, _, _ in term.wrenches if not frame.body.is_at_rest))
        known = elements.get(name, Element(name, (), (), ""))
        elements[name] = replace(known, bodies=bodies)
    moving, frames = (tuple(b.name for b in bodies) for bodies in (model.free_bodies, model.frames))
    return Ports(moving, tuple(junctions), tuple(elements.values()), frames)


def _act(elements: dict[str, Element], names: Iterable[str], j: Junction, laws: Collection[str]) -> None:
    """Enter the junction in the elements of the laws and forces that act on it."""
    for name in names:
        known = elements.get(name, Element(name, (), (), j.connection if name in laws else ""))
        elements[name] = replace(known, junctions=(*known.junctions, j.name))


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def power_quantities(ports: Ports) -> list[Quantity]:
    """All quantities of the audit: powers, sizes, energies, efforts, flows; evaluated together."""
    return list(measured(ports).values())


def measured(ports: Ports) -> dict[Measure, Quantity]:
    """Quantities of the audit by owner and name."""
    places: list[dict[Measure, Quantity]] = [{}, {}, {}, {}, {}]

    def add(
        owner: str, what: str, unit: str, text: str, components: tuple[str, ...] = (), connection: str = ""
    ) -> None:
        """Add a quantity. With a connection it belongs to a law along one of its motions, "connection.motion"."""
        place = {"apparent_power": 1, "effort": 3, "flow": 4}.get(what, 2 if what in ENERGIES else 0)
        part, kind = (connection, f"{owner[len(connection) + 1 :]}_{what}") if connection else (owner, what)
        places[place][owner, what] = Quantity(
            part, kind, unit, f"{text}: {owner}", max(len(components), 1), lambda e: e.power.of(owner, what),
            "power", "power", components=components, listed=False,
        )  # fmt: skip

    for body in ports.bodies:
        add(body, "inertance_power", "W", "rate of kinetic energy, from the accelerations")
        add(body, "gravity_power", "W", "power of the weight")
        add(body, "apparent_power", "W", "sizes of efforts times sizes of flows of the inertance")
        add(body, "kinetic_energy", "J", "kinetic energy")
        add(body, "gravity_energy", "J", "potential energy in the field of gravity")
    for frame in ports.frames:
        add(frame, "source_power", "W", "power that the given motion brings in")
    for j in ports.junctions:
        if j.bonds:
            add(j.name, "flow", FLOWS, "motion of the second body relative to the first, by bonds", j.bonds)
            add(j.name, "effort", EFFORTS, "force and moment on the second body, by bonds", j.bonds)
        of = j.connection if j.is_chain else ""
        add(j.name, "power_to_first", "W", f"power that {j.first!r} receives", connection=of)
        add(j.name, "power_to_second", "W", f"power that {j.second!r} receives", connection=of)
        for drive in j.drives:
            add(drive, "drive_power", "W", "power of the drive", connection=j.connection)
    for e in ports.elements:
        add(e.name, "stored", "W", "rate of stored energy", connection=e.law_of)
        add(e.name, "lost", "W", "power lost", connection=e.law_of)
        add(e.name, "supplied", "W", "power brought in from outside", connection=e.law_of)
        add(e.name, "stored_energy", "J", "stored energy", connection=e.law_of)
        for junction in e.junctions:
            text = f"power given to the bodies of {junction!r}"
            add(e.name, f"power_to_{junction}", "W", text, connection=e.law_of)
        for body in e.bodies:
            add(e.name, f"power_to_{body}", "W", f"power that {body!r} receives", connection=e.law_of)
    return {key: quantity for rows in places for key, quantity in rows.items()}


def is_held(c: ConnectedPair, bond: str) -> bool:
    """Whether the effort of a bond is a reaction: the pair or a law at the contact constrains its flow, or friction
    depends on the normal force.
    """
    if has_friction(c, bond):
        return True
    return bond in c.holds or (c.is_contact and c.pair.bond_names[bond] in c.held)


def has_friction(c: ConnectedPair, bond: str) -> bool:
    """Whether friction acts on a bond."""
    return c.is_contact and any(c.pair.bond_names[bond] in c.friction_motions(law) for law in c.friction_laws)
