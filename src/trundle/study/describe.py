"""Summary of a model in words."""

from collections.abc import Iterator
from typing import Protocol

from trundle.graph.topology import Topology
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.model.register import model_register
from trundle.pairs.higher import HigherPair
from trundle.quantities.state_layout import StateLayout
from trundle.study.large_angles import large_angles
from trundle.study.unlikely_numbers import unlikely_numbers


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
    lines = [
        *_bodies(model),
        *_tree(model, topology, layout),
        *_loops(topology),
        *_beside_tree(topology),
        *_lists(model, layout),
        *_numbers(model),
        *_freedoms(layout, mobility),
        *large_angles(model_register(model), model.start),
        *unlikely_numbers(model),
    ]
    return "\n".join(lines)


def _bodies(model: Model) -> Iterator[str]:
    moving = model.free_bodies
    yield f"{model.name}: {_count(len(moving), 'body', 'bodies')}, {_count(len(model.connections), 'connection')}."
    if model.frames:
        yield f"Moving frames, whose motion is given: {', '.join(frame.name for frame in model.frames)}."
    yield from (f"Body {body.name}: {body.mass_source}." for body in moving if body.mass_source)


def _tree(model: Model, topology: Topology, layout: StateLayout) -> Iterator[str]:
    yield ""
    yield f"Tree, from the ground{' and the frames' if model.frames else ''} outwards:"
    for joint in topology.tree:
        c = joint.connection
        names = [(k.name, c.pair.slide_axis(k.step.name)) for k in layout.coordinates if k.owner == c.name]
        coordinates = ", ".join(f"{name} along {axis}" if axis else name for name, axis in names) or "no freedom"
        yield f"  {joint.parent.name} -> {joint.child.name}: {c.kind} {c.name!r} ({coordinates}){_laws(c)}"


def _loops(topology: Topology) -> Iterator[str]:
    if topology.loops:
        yield ""
        yield "Loops, closed by constraints:"
    for loop in topology.loops:
        around = " - ".join(b.name for b in loop.bodies)
        c = loop.connection
        yield f"  {c.kind} {loop.name!r} closes {around} - {loop.bodies[0].name}{_laws(c)}{_cut(c)}"


def _beside_tree(topology: Topology) -> Iterator[str]:
    if topology.parallel:
        yield ""
        yield "Not part of the tree, acting by forces:"
    for c in topology.parallel:
        yield f"  {c.kind} {c.name!r} between {c.first.body.name} and {c.touching.name}{_laws(c)}{_cut(c)}"


def _lists(model: Model, layout: StateLayout) -> Iterator[str]:
    """One line for all parts of a kind, for each kind that the model has."""
    laws = [(f"{c.name}.{k}", law) for c in model.connections.values() for k, law in c.laws.items()]
    lists = {
        "Driven coordinates": [name for name, law in laws if law.imposes_flow],
        "Short names": [f"{k} ({v})" for k, v in model.aliases.items()],
        "Forces": [f"{name} ({type(force).__name__})" for name, force in model.forces.items()],
        "Blocks": [f"{name} ({type(block).__name__})" for name, block in model.blocks.items()],
        "States with rates of their own": [f"{s.name} ({s.unit})" if s.unit else s.name for s in layout.own],
    }
    yield from (f"{title}: {', '.join(names)}." for title, names in lists.items() if names)


def _numbers(model: Model) -> Iterator[str]:
    """Inputs, parameters and tables."""
    values = {p.name: f"{p.name} = {p.value:g} {p.unit}".rstrip() for p in model.parameters.values()}
    if model.inputs:
        yield f"Inputs, unless a run is given others: {', '.join(values.pop(name) for name in model.inputs)}."
    if values:
        yield f"Tunable parameters: {', '.join(values.values())}."
    signals = {own.signal.name for own in model.inputs.values()}
    yield from (f"Table {name!r}: {own.table.summary()}." for name, own in model.tables.items() if name not in signals)


def _freedoms(layout: StateLayout, mobility: Freedoms) -> Iterator[str]:
    yield ""
    yield (
        f"{_count(layout.n_u, 'coordinate')} of the tree, "
        f"{_count(layout.n_u - mobility.freedoms, 'independent constraint')}: "
        f"{_count(mobility.freedoms, 'degree', 'degrees')} of freedom."
    )
    if mobility.configuration > mobility.freedoms:
        yield (
            "Rolling and prescribed rates constrain velocities only: "
            f"{_count(mobility.configuration, 'independent coordinate')}, "
            f"{_count(mobility.freedoms, 'independent speed')}."
        )
    motions = layout.turn_names()
    if mobility.independent:
        yield f"Independent: {', '.join(motions[i] for i in mobility.independent)}."
    if mobility.redundant:
        yield (
            f"Redundant constraints, left out (their reactions are not determined by rigid bodies): "
            f"{', '.join(mobility.redundant)}."
        )


def _cut(c: ConnectedPair) -> str:
    """Why a contact is never a joint of the tree."""
    if c.pair.in_tree or not isinstance(c.pair, HigherPair):
        return ""
    names = " and ".join(type(s).__name__ for s in (c.pair.first, c.pair.second) if not s.swept)
    return f"; never a joint of the tree, since no screws sweep the {names}"


def _laws(c: ConnectedPair) -> str:
    """Laws of a connection in brackets."""
    laws = [law.title for law in c.contact_laws]
    laws += [f"{law.title} on {k}" for k, law in (*c.laws.items(), *c.bond_laws.items())]
    return f"  [{', '.join(laws)}]" if laws else ""


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"
