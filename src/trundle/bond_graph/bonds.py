"""The multibond graph of a model: bodies are 1-junctions, connections are 0-junctions with six sealed bonds
[Kosenko 2022, Figs. 1, 2].
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import casadi as ca

from trundle.bond_graph.causality import Causality, assign
from trundle.bond_graph.flows import ChainSeal, chain_seals, find_flows
from trundle.bond_graph.phrasing import counted
from trundle.equations.formulation import Formulation
from trundle.model.body import Body
from trundle.model.check import massless
from trundle.model.connection import ConnectedPair
from trundle.model.force import Force, LineForce, SpringDamper
from trundle.model.part_check import evaluate
from trundle.model.seal import Seal, find_seals
from trundle.pairs.lower import BONDS

if TYPE_CHECKING:
    import networkx

    from trundle.equations.formulation import Formulation


@final
@dataclass(frozen=True)
class Node:
    """A junction, a transformer or an element."""

    name: str  # unique
    kind: str  # "1", "0", "TF", "I", or one of trundle.model.seal.ELEMENTS
    label: str  # in words: a body's name, the pair of a connection, what seals a bond
    of: str  # name of the body, connection or force it belongs to
    size: int  # number of scalar flows or efforts

    @property
    def is_body(self) -> bool:
        """A 1-junction of six flows; those of one are bonds on which several elements meet."""
        return self.kind == "1" and self.size == 6


@final
@dataclass(frozen=True)
class Bond:
    """`size` scalar bonds side by side. Power counts positive from tail to head.

    at_head: how many of them have their causal stroke at the head, which receives the effort and answers with the
    flow; the others have it at the tail.
    """

    tail: str  # name of a node
    head: str
    size: int
    at_head: int


@final
@dataclass(frozen=True, eq=False)
class BondGraph:
    """Nodes and bonds of a model, the seals of its connections, and the causality of the whole."""

    name: str
    nodes: tuple[Node, ...]
    bonds: tuple[Bond, ...]
    seals: tuple[Seal, ...]
    causality: Causality
    chain: tuple[ChainSeal, ...] = ()  # what acts on coordinates of contacts that are none of their bonds

    def __repr__(self) -> str:
        moving, links, freedoms = self.counts
        return (
            f"<BondGraph of {self.name!r}: {moving} {'body' if moving == 1 else 'bodies'}, "
            f"{counted(links, 'connection')}, {counted(freedoms, 'degree')} of freedom>"
        )

    @property
    def counts(self) -> tuple[int, int, int]:
        """Moving bodies, connections, degrees of freedom."""
        moving = sum(node.is_body for node in self.nodes) - 1
        return moving, len({seal.connection for seal in self.seals}), self.causality.integral

    @property
    def network(self) -> "networkx.MultiGraph[str]":
        """Bodies as vertices and connections as edges, undirected."""
        from trundle.bond_graph.export import network

        return network(self)

    def to_networkx(self) -> "networkx.MultiDiGraph[str]":
        """All nodes and bonds, from tail to head; attributes are words and numbers."""
        from trundle.bond_graph.export import to_networkx

        return to_networkx(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything, fit for JSON."""
        from trundle.bond_graph.export import to_dict

        return to_dict(self)

    def to_json(self) -> str:
        """Everything as JSON text."""
        from trundle.bond_graph.export import to_json

        return to_json(self)

    def save(self, path: Path | str) -> Path:
        """Write a picture (.svg) or the data (.json, .graphml)."""
        from trundle.bond_graph.export import save

        return save(self, path)

    def _repr_svg_(self) -> str:
        """Picture in a notebook."""
        from trundle.view.bond_graph import to_svg

        return to_svg(self)


def build_graph(f: Formulation) -> BondGraph:
    """The multibond graph of a built model."""
    model = f.model
    by_connection = find_seals(model)
    found = assign(find_flows(f, by_connection))
    builder = _Builder(found.carrier)
    dependent: dict[str, int] = {}
    for d in found.causality.derivative:
        dependent[d.body] = dependent.get(d.body, 0) + 1
    light, heavy = massless(model), bool(evaluate(model, ca.vertcat(*model.gravity)).any())
    for body in model.bodies.values():
        builder.body(body, 6 - dependent.get(body.name, 0), light.get(body.name, False))
        if heavy and body.is_free and evaluate(model, body.mass).any():
            builder.gravity(body)
    chain: list[ChainSeal] = []
    for c in model.connections.values():
        builder.connection(c, by_connection[c.name])
        found_here = chain_seals(model, c)
        for called in dict.fromkeys(each.seal.called for each in found_here):
            builder.chain_law(c, [each.seal for each in found_here if each.seal.called == called])
        chain += found_here
    for name, force in model.forces.items():
        builder.force(name, force)
    return BondGraph(
        model.name,
        tuple(builder.nodes.values()),
        tuple(builder.bonds),
        tuple(seal for seals in by_connection.values() for seal in seals),
        found.causality,
        tuple(chain),
    )


@final
class _Builder:
    """Nodes and bonds as they are added."""

    def __init__(self, carrier: Mapping[str, str]) -> None:
        self.nodes: dict[str, Node] = {}
        self.bonds: list[Bond] = []
        self._carrier = carrier

    def node(self, name: str, kind: str, label: str, of: str, size: int = 6) -> str:
        """Add a node; a name that a user's own names make ambiguous gets a star."""
        while name in self.nodes:
            name += "*"
        self.nodes[name] = Node(name, kind, label, of, size)
        return name

    def bond(self, tail: str, head: str, size: int, at_head: int) -> None:
        self.bonds.append(Bond(tail, head, size, at_head))

    def body(self, body: Body, integral: int, massless: bool) -> None:
        junction = self.node(f"1 {body.name}", "1", body.name, body.name)
        if not body.is_free:
            self.bond(self.node(f"Sf {body.name}", "Sf", _motion(body), body.name), junction, 6, 0)
        elif not massless:
            self.bond(junction, self.node(f"I {body.name}", "I", "inertia", body.name), 6, integral)

    def gravity(self, body: Body) -> None:
        self.bond(self.node(f"Se gravity {body.name}", "Se", "gravity", body.name, 3), f"1 {body.name}", 3, 3)

    def connection(self, c: ConnectedPair, seals: tuple[Seal, ...]) -> None:
        """Two transformers shift to the point of connection, the central one turns into its axes; six bonds below."""
        groups = {bond: [s for s in seals if s.bond == bond] for bond in BONDS}
        carriers = [self._carrier.get(found[0].name, "") for found in groups.values()]
        first, second = c.first.body.name, c.touching.name
        by_first = carriers.count(first)
        flows = by_first + carriers.count(second)
        middle = self.node(f"0 {c.name}", "0", c.kind or type(c.pair).__name__, c.name)
        self.sides(c.name, c.name, middle, (first, second), 6, by_first, flows)
        centre = self.node(f"TF {c.name}", "TF", "into the axes of the connection", c.name)
        self.bond(middle, centre, 6, flows)
        for found, carrier in zip(groups.values(), carriers, strict=True):
            self.seal(centre, found, c.name, int(carrier != ""))

    def seal(self, above: str, seals: list[Seal], of: str, at_head: int) -> None:
        """What one scalar bond ends in: an element, or a 1-junction with several, which have its flow in common."""
        name, kinds = seals[0].name, [(kind, s.by) for s in seals for kind in s.elements]
        if len(kinds) > 1:
            kinds = [each for each in kinds if each[0] != "EC"] or kinds[:1]
        label = " + ".join(s.by for s in seals)
        if len(kinds) == 1:
            self.bond(above, self.node(name, kinds[0][0], label, of, 1), 1, at_head)
            return
        junction = self.node(name, "1", label, of, 1)
        self.bond(above, junction, 1, at_head)
        for kind, by in kinds:
            self.bond(junction, self.node(f"{kind} {name}", kind, by, of, 1), 1, 0)

    def chain_law(self, c: ConnectedPair, seals: list[Seal]) -> None:
        """Laws and forces on one coordinate of the chain over two surfaces."""
        seal = seals[0]
        first, second = c.first.body.name, c.second.body.name
        carrier = self._carrier.get(seal.name, "")
        flows = int(carrier != "")
        middle = self.node(f"0 {seal.name}", "0", seal.called, c.name, 1)
        self.sides(seal.name, c.name, middle, (first, second), 1, int(carrier == first), flows)
        self.seal(middle, seals, c.name, flows)

    def force(self, name: str, force: Force) -> None:
        """A force on places; forces on coordinates are seals."""
        bodies = [frame.body.name for frame in force.places]
        kind = force.title
        if len(bodies) == 1:
            source, shift = self.node(f"{force.element} {name}", force.element, kind, name), f"TF {name}"
            shift = self.node(shift, "TF", f"shift to {bodies[0]}", name)
            self.bond(source, shift, 6, 6)
            self.bond(shift, f"1 {bodies[0]}", 6, 6)
        elif len(bodies) == 2:
            size = 1 if isinstance(force, LineForce | SpringDamper) else 6
            middle = self.node(f"0 {name}", "0", kind, name, size)
            self.sides(name, name, middle, (bodies[0], bodies[1]), size, 0, 0)
            kinds = force.elements if size == 1 else (force.element,)
            above = middle
            if len(kinds) > 1:
                above = self.node(f"1 on {name}", "1", kind, name, 1)
                self.bond(middle, above, 1, 0)
            for one in kinds:
                self.bond(above, self.node(f"{one} {name}", one, kind, name, size), size, 0)

    def sides(
        self, name: str, of: str, middle: str, bodies: tuple[str, str], size: int, by_first: int, flows: int
    ) -> None:
        """First body -> TF -> junction -> TF -> second body.

        An effort law sends its effort to both bodies. A prescribed flow gets its effort from the body that carries it
        (the first one `by_first` times) and sends it on to the other one.
        """
        first, second = bodies
        near = self.node(f"TF {name} first", "TF", f"shift from {first}", of)
        far = self.node(f"TF {name} second", "TF", f"shift to {second}", of)
        by_second = flows - by_first
        self.bond(f"1 {first}", near, 6, by_first)
        self.bond(near, middle, size, by_first)
        self.bond(middle, far, size, size - by_second)
        self.bond(far, f"1 {second}", 6, 6 - by_second)


def _motion(body: Body) -> str:
    """Words for the motion of a body that is a source of flow."""
    return str(body.moves) if body.is_at_rest else "given motion"
