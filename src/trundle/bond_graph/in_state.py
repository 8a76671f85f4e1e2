"""A graph at one state: the modes of contacts determine the seals of their bonds."""

from dataclasses import replace
from typing import TYPE_CHECKING

from trundle.bond_graph.point import Point
from trundle.bond_graph.strokes import with_causality
from trundle.typing import Values

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import BondGraph, Node


def in_state(graph: "BondGraph", state: Values | None, parameters: Values | None, t: float) -> "BondGraph":
    """Friction that sticks is a flow constraint, friction that slides a resistance; an open contact has no efforts."""
    at = Point(graph, state, parameters, t)
    active = {n.name: bool(at.value(n.content["active"])[0] > 0.5) for n in graph.nodes if "active" in n.content}
    opened = {n.of for n in graph.nodes if n.bond == "normal" and not active.get(n.name, True)}

    def now(node: "Node") -> "Node":
        if node.of in opened and node.bond:
            return replace(node, kind="EC", content={})
        if node.name in active:
            holds = active[node.name]
            kept = ("flow", "acceleration") if holds else ("ratio",)
            content = {key: program for key, program in node.content.items() if key in kept}
            return replace(node, kind=("FC" if node.kind == "R" else node.kind) if holds else "R", content=content)
        return node

    return with_causality(replace(graph, nodes=tuple(map(now, graph.nodes))))
