"""The quantities of a model that are available with its spanning tree and formalism."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import casadi as ca

from trundle.graph.topology import Topology
from trundle.model.body import Body
from trundle.model.force import EFFORT, Measure
from trundle.model.imaginary import KINDS
from trundle.model.law_probe import SymbolicSignals
from trundle.model.model import Model
from trundle.model.register import coordinate_units, state_quantities
from trundle.quantity import Needs, Of, Quantity

Measures = Mapping[str, tuple[Measure, ...]]  # by the name of the force
EFFORTS = {"m": "N", "rad": "N m"}  # unit of the effort along a coordinate with this unit
WORK = {
    "work_in": "work done by drives and given forces",
    "work_lost": "work lost in dampers, friction, collisions and other losses",
    "work_events": "work done by events that change the state or parameters",
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
    yield from imaginary_quantities(model, topology)
    yield from state_quantities(model)
    yield from energy_quantities()
    for given in model.inputs.values():
        yield from given.quantities()
    for output in model.outputs.values():
        yield from output.quantities()


def imaginary_quantities(model: Model, topology: Topology) -> Iterator[Quantity]:
    """Inertial (fictitious) forces of the bodies that are described in moving frames."""
    for body in model.free_bodies if model.frames else ():
        frame = topology.path_to_root(body)[-1]
        for kind, cause in KINDS.items() if not frame.is_at_rest else ():
            for i, (what, unit) in enumerate((("force", "N"), ("moment", "N m"))):
                text = f"imaginary {what} by the {cause}, at the mass centre, axes of {frame.name!r}: {body.name}"
                of, name = _imaginary(body, kind, i), f"imaginary_{kind}_{what}"
                yield Quantity(body.name, name, unit, text, 3, of, "imaginary", "body")


def _imaginary(body: Body, kind: str, part: int) -> Of:
    return lambda e: e.imaginary(body, kind)[part]


def energy_quantities() -> Iterator[Quantity]:
    """Energies of the whole model, and the work done on it since the start."""
    yield Quantity("energy", "kinetic", "J", "kinetic energy", 1, lambda e: e.equations.kinetic(), "energy", "energy")
    yield Quantity(
        "energy", "potential", "J", "potential energy of gravity and forces", 1, lambda e: e.equations.potential(),
        "energy", "energy",
    )  # fmt: skip
    for kind, text in WORK.items():
        yield Quantity("energy", kind, "J", text, 1, None, "work", "energy")


def force_quantities(model: Model, measures: Measures) -> Iterator[Quantity]:
    """Measures of the forces, such as the length of a spring."""
    units = coordinate_units(model)
    for name, force in model.forces.items():
        efforts = [EFFORTS[units[model.resolve(coordinate)]] for coordinate in force.coordinates]
        for measure, size, unit, text in measures[name]:
            own = efforts[0] if unit == EFFORT else unit
            yield Quantity(name, measure, own, f"{text}: {name}", size, _measure(name, measure), "forces", "force")


def measures_of(model: Model) -> Measures:
    """Measures of all forces of a model; the forces are evaluated with symbols to find them."""
    signals = SymbolicSignals(model, ca.SX.sym("t"))
    return {name: force.terms(signals).listed() for name, force in model.forces.items()}


def _measure(force: str, measure: str) -> Of:
    return lambda e: e.measure(force, measure)
