"""Tooltips of boxes and bonds of the picture, and its legend."""

from dataclasses import dataclass
from typing import final

from trundle.bond_graph.bonds import Bond, BondGraph, Node
from trundle.bond_graph.dual import OTHER
from trundle.model.seal import ELEMENTS

MEANINGS = {
    "1": "body: one velocity, its forces add up to zero",
    "ground": "ground: its velocity is given",
    "bond": "elements that share the motion of one bond; their forces add up",
    "0": "connection: one force, its velocities add up to zero",
    "TF": "transformer: shifts to another point or turns axes",
    "I": "inertance: mass and inertia of a body",
    **ELEMENTS,
}
"""Meaning of each kind of box."""

DUAL_MEANINGS = {
    "1": "body: one velocity, its effort; forces flow in and add up to zero",
    "ground": "ground: its velocity is given",
    "bond": "elements that share the motion of one bond; their forces add up",
    "0": "connection: one force flows through, the velocities add up to zero",
    "TF": "transformer: shifts to another point or turns axes",
    "I": "capacitance: mass and inertia, which store the momentum that flows in",
    "FC": "effort constraint: no relative motion",
    "EC": "flow constraint: no force or moment",
    "R": "resistance: loses energy",
    "C": "inertance: a spring, which stores the displacement along its effort",
    "Se": "source of flow: a force or torque is given",
    "Sf": "source of effort: a motion is given",
    "GY": "gyrator: flow on one side is effort on the other",
}
"""Meanings in the dual graph, by the kind of box in the original one."""


@final
@dataclass(frozen=True)
class Words:
    """Texts for one graph."""

    conflicts: dict[str, str]  # element node in causal conflict -> why
    dependent: dict[str, list[str]]  # body -> sentences on its derivative causality
    dual: bool = False  # wrenches are flows, twists efforts

    @property
    def meanings(self) -> dict[str, str]:
        """Meaning of each kind of box."""
        return DUAL_MEANINGS if self.dual else MEANINGS

    def kind(self, kind: str) -> str:
        """Name of a kind of node in this graph or its dual."""
        return OTHER.get(kind, kind) if self.dual else kind

    def name(self, name: str) -> str:
        """Name of a node, whose prefix is its kind, in this graph or its dual."""
        first, space, rest = name.partition(" ")
        return f"{self.kind(first)}{space}{rest}" if space else name

    def of_node(self, node: Node) -> str:
        """Description of a box."""
        meaning = f"{self.kind(node.kind)}, {self.meanings[node.kind]}"
        if node.is_body:
            return node.label
        if node.kind == "1":
            return f"{self.name(node.name)}: {self.meanings['bond']}; {node.label}"
        if node.kind == "0":
            return f"{node.of} ({node.label}): {self.meanings['0']}"
        if node.kind == "I":
            return "\n".join([f"{node.of}: {meaning}", *self.dependent.get(node.of, [])])
        text = f"{self.name(node.name)}: {meaning}"
        if node.kind != "TF" and node.label:
            text += f"; sealed by {node.label}" if "." in node.name else f"; {node.label}"
        return "\n".join([text, *([self.conflicts[node.name]] if node.name in self.conflicts else [])])

    def of_bond(self, bond: Bond) -> str:
        """Size, direction and causality of a bond."""
        size = "one scalar bond" if bond.size == 1 else f"{bond.size} scalar bonds"
        tail, head = self.name(bond.tail), self.name(bond.head)
        ends = [(head, tail, bond.at_head), (tail, head, bond.size - bond.at_head)]
        causal = [
            f"'{end}' receives the effort and answers with the flow to '{other}'" + (f" ({n})" if n < bond.size else "")
            for end, other, n in ends
            if n
        ]
        why = [self.conflicts[n] for n in (bond.tail, bond.head) if n in self.conflicts]
        return "\n".join([f"{tail} to {head}: {size}", *causal, *why])

    def is_conflict(self, bond: Bond) -> bool:
        """Whether the bond belongs to an element in causal conflict."""
        return bond.tail in self.conflicts or bond.head in self.conflicts


def read_words(graph: BondGraph, dual: bool = False) -> Words:
    """Texts for a graph."""
    dependent: dict[str, list[str]] = {}
    for d in graph.causality.derivative:
        dependent.setdefault(d.body, []).append(d.text)
    return Words({c.seal: c.text for c in graph.causality.conflicts}, dependent, dual)
