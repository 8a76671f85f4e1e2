"""Summary of a model in words."""

from typing import Protocol

from trundle.graph.topology import Topology
from trundle.laws.law import FlowLaw
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.model.register import model_register
from trundle.pairs.higher import HigherPair
from trundle.quantities.state_layout import StateLayout
from trundle.study.large_angles import large_angles


class Freedoms(Protocol):
    """Result of the rank analysis."""

    @property
    def freedoms(self) -> int: ...
    @property
    def configuration(self) -> int: ...
    @property
    def redundant(self) -> tuple[str, ...]: ...
    @property
    def independent(self) -> tuple[int, ...]: ...


def describe(model: Model, topology: Topology, layout: StateLayout, mobility: Freedoms) -> str:
    """Bodies, joints, loops, freedoms and the coordinates that are independent."""
    moving = model.free_bodies
    lines = [f"{model.name}: {_count(len(moving), 'body', 'bodies')}, {_count(len(model.connections), 'connection')}."]
    if model.frames:
        lines.append(f"Moving frames, whose motion is given: {', '.join(frame.name for frame in model.frames)}.")
    lines += [f"Body {body.name}: {body.taken}." for body in moving if body.taken]
    lines.append("")
    lines.append(f"Tree, from the ground{' and the frames' if model.frames else ''} outwards:")
    for joint in topology.tree:
        c = joint.connection
        names = [k.name for k in layout.coordinates if k.owner == c.name]
        extra = _laws(c)
        coordinates = ", ".join(names) if names else "no freedom"
        lines.append(f"  {joint.parent.name} -> {joint.child.name}: {c.kind} {c.name!r} ({coordinates}){extra}")
    if topology.loops:
        lines.append("")
        lines.append("Loops, closed by constraints:")
        for loop in topology.loops:
            around = " - ".join(b.name for b in loop.bodies)
            c = loop.connection
            lines.append(f"  {c.kind} {loop.name!r} closes {around} - {loop.bodies[0].name}{_laws(c)}{_cut(c)}")
    if topology.parallel:
        lines.append("")
        lines.append("Beside the tree, by efforts alone:")
        for c in topology.parallel:
            lines.append(f"  {c.kind} {c.name!r} between {c.first.body.name} and {c.touching.name}{_laws(c)}{_cut(c)}")
    servos = [
        f"{c.name}.{k}" for c in model.connections.values() for k, law in c.laws.items() if isinstance(law, FlowLaw)
    ]
    if servos:
        lines.append(f"Driven coordinates: {', '.join(servos)}.")
    if model.aliases:
        lines.append("Short names: " + ", ".join(f"{k} ({v})" for k, v in model.aliases.items()) + ".")
    if model.forces:
        lines.append("Forces: " + ", ".join(f"{n} ({type(f).__name__})" for n, f in model.forces.items()) + ".")
    if model.blocks:
        lines.append("Blocks: " + ", ".join(f"{n} ({type(b).__name__})" for n, b in model.blocks.items()) + ".")
    if layout.own:
        states = ", ".join(f"{s.name} ({s.unit})" if s.unit else s.name for s in layout.own)
        lines.append(f"States with rates of their own: {states}.")
    values = {p.name: f"{p.name} = {p.value:g} {p.unit}".rstrip() for p in model.parameters.values()}
    if model.inputs:
        told = ", ".join(values.pop(name) for name in model.inputs)
        lines.append(f"Inputs, unless a run is given others: {told}.")
    if values:
        lines.append(f"Tunable parameters: {', '.join(values.values())}.")
    signals = {own.signal.name for own in model.inputs.values()}
    for name, own in model.tables.items():
        if name not in signals:
            lines.append(f"Table {name!r}: {own.table.story()}.")
    lines.append("")
    motions = layout.turn_names()
    free = [motions[i] for i in mobility.independent]
    lines.append(
        f"{_count(layout.n_u, 'coordinate')} of the tree, "
        f"{_count(layout.n_u - mobility.freedoms, 'independent constraint')}: "
        f"{_count(mobility.freedoms, 'degree', 'degrees')} of freedom."
    )
    if mobility.configuration > mobility.freedoms:
        lines.append(
            f"Rolling holds velocities only: {mobility.configuration} independent coordinates, "
            f"{_count(mobility.freedoms, 'independent speed')}."
        )
    if free:
        lines.append(f"Independent: {', '.join(free)}.")
    if mobility.redundant:
        lines.append(
            f"Redundant constraints, taken out (their reactions are not determined by rigid bodies): "
            f"{', '.join(mobility.redundant)}."
        )
    lines += large_angles(model_register(model), model.start)
    return "\n".join(lines)


def _cut(c: ConnectedPair) -> str:
    """Why a contact is never a joint of the tree."""
    if c.pair.in_tree or not isinstance(c.pair, HigherPair):
        return ""
    names = " and ".join(type(s).__name__ for s in (c.pair.first, c.pair.second) if not s.swept)
    return f"; always beside the tree, since no screws sweep the {names}"


def _laws(c: ConnectedPair) -> str:
    """Laws of a connection in brackets."""
    laws = [law.title for law in c.contact_laws]
    laws += [f"{law.title} on {k}" for k, law in (*c.laws.items(), *c.bond_laws.items())]
    return f"  [{', '.join(laws)}]" if laws else ""


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"
