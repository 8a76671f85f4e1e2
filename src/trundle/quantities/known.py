"""Which of the quantities that the parts of a model yield are known, by its tree and formalism."""

from collections.abc import Iterator
from dataclasses import replace

import casadi as ca

from trundle.graph.topology import Topology
from trundle.model.law_probe import SymbolicSignals
from trundle.model.model import Model
from trundle.quantity import Needs, Quantity

WORK = {
    "work_in": "work brought in by drives and given forces",
    "work_lost": "work lost in dampers, friction, collisions and other losses",
    "work_events": "work brought in by events that change the state or parameters",
}


def known_quantities(model: Model, topology: Topology, formalism: str) -> Iterator[Quantity]:
    """Quantities of connections, bodies, energy and outputs."""
    for joint in topology.tree:
        for q in joint.connection.quantities():
            if formalism == "newton_euler" and q.needs is not Needs.NOTHING:
                if q.needs is Needs.COORDINATE and joint.connection.pair.measured:
                    yield replace(q, group="joints")
            elif q.needs is not Needs.WEIGHTS or formalism == "udwadia_kalaba":
                yield q
    for c in topology.cut:
        for q in c.quantities():
            if q.needs is Needs.NOTHING:
                yield q
            elif q.needs is Needs.COORDINATE and c.pair.measured:
                how = "closes a loop" if c.holds else "acts beside the tree"
                yield replace(q, group="joints", text=f"{q.text}, which {how}")
    for body in model.bodies.values():
        yield from body.quantities()
    yield from energy_quantities()
    for output in model.outputs.values():
        yield from output.quantities()


def energy_quantities() -> Iterator[Quantity]:
    """Energies of the whole model, and the work done on it since the start."""
    yield Quantity("energy", "kinetic", "J", "kinetic energy", 1, lambda e: e.equations.kinetic(), "energy", "energy")
    yield Quantity(
        "energy", "potential", "J", "potential energy of gravity and forces", 1, lambda e: e.equations.potential(),
        "energy", "energy",
    )  # fmt: skip
    for kind, text in WORK.items():
        yield Quantity("energy", kind, "J", text, 1, None, "work", "energy")


def force_quantities(model: Model) -> Iterator[Quantity]:
    """Measures of the forces, such as the length of a spring."""
    signals = SymbolicSignals(model, ca.SX.sym("t"))
    for name, force in model.forces.items():
        yield from force.quantities(name, signals)
