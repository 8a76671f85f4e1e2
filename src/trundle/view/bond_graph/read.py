"""Groups of a multibond graph that are drawn together: a body with its elements, a connection with its bonds."""

from dataclasses import dataclass
from typing import final

from trundle.bond_graph.bonds import Bond, BondGraph, Node

Step = tuple[Bond, Node]  # a bond and the node at its far end


@final
@dataclass(frozen=True)
class BodyGroup:
    """A 1-junction and its elements, each with the transformers between them."""

    junction: Node
    branches: tuple[tuple[Step, ...], ...]
    is_root: bool  # its velocity is known

    @property
    def name(self) -> str:
        return self.junction.name


@final
@dataclass(frozen=True)
class Side:
    """The path from a connection to one of its bodies."""

    body: str  # name of the 1-junction
    transformer: Node
    inner: Bond  # between 0-junction and transformer
    outer: Bond  # between transformer and body


@final
@dataclass(frozen=True)
class LinkGroup:
    """A 0-junction between two bodies, its central transformer if it has one, and its elements."""

    junction: Node
    sides: tuple[Side, Side]
    stem: Step | None
    elements: tuple[Step, ...]
    parts: dict[str, tuple[Step, ...]]  # elements of junctions and gyrators below the bonds, by their names

    @property
    def name(self) -> str:
        return self.junction.name

    def ends(self, node: str) -> int:
        """Number of elements below a node, at any depth."""
        return sum(self.ends(below.name) for _, below in self.parts.get(node, ())) or 1


def read_groups(graph: BondGraph) -> tuple[dict[str, BodyGroup], dict[str, LinkGroup]]:
    """Bodies and connections by the names of their junctions, in the order of the graph."""
    nodes = {n.name: n for n in graph.nodes}
    around: dict[str, list[Step]] = {n.name: [] for n in graph.nodes}
    for bond in graph.bonds:
        around[bond.tail].append((bond, nodes[bond.head]))
        around[bond.head].append((bond, nodes[bond.tail]))

    def beyond(step: Step) -> list[Step]:
        return [s for s in around[step[1].name] if s[0] is not step[0]]

    def branch(step: Step) -> tuple[Step, ...]:
        """From a body outwards; it ends at a 0-junction or an element."""
        steps = [step]
        while steps[-1][1].kind == "TF" and (further := beyond(steps[-1])):
            steps.append(further[0])
        return tuple(steps)

    def body(node: Node) -> BodyGroup:
        branches = tuple(branch(s) for s in around[node.name])
        own = tuple(b for b in branches if b[-1][1].kind != "0")
        return BodyGroup(node, own, any(b[0][1].kind == "Sf" for b in own))

    def link(node: Node) -> LinkGroup:
        sides, stem, elements = [], None, []
        for step in around[node.name]:
            bond, other = step
            further = beyond(step) if other.kind == "TF" else []
            if further and further[0][1].is_body:
                sides.append(Side(further[0][1].name, other, bond, further[0][0]))
            elif other.kind == "TF":
                stem = step
                elements += further
            else:
                elements.append(step)
        first, second = sides
        parts: dict[str, tuple[Step, ...]] = {}
        waiting = list(elements)
        while waiting:
            step = waiting.pop()
            if step[1].kind in ("1", "GY"):
                parts[step[1].name] = tuple(beyond(step))
                waiting += beyond(step)
        return LinkGroup(node, (first, second), stem, tuple(elements), parts)

    bodies = {n.name: body(n) for n in graph.nodes if n.is_body}
    return bodies, {n.name: link(n) for n in graph.nodes if n.kind == "0"}
