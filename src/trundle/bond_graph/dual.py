"""The dual reading of a multibond graph: wrenches are the flows and twists the efforts, as in the analogy of force and
current [Kosenko 2022, Sec. 2].

Bodies become 0-junctions (one twist, wrenches add up to zero), connections 1-junctions; inertances become capacitances
and springs inertances; sources and constraints of flow and of effort change places; the modulus of a gyrator turns
over, and each causal stroke goes to the other end of its bond.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from trundle.bond_graph.bonds import Bond, BondGraph, Node
from trundle.bond_graph.seal_rows import seal_rows
from trundle.errors import StoreError
from trundle.typing import State, Values

if TYPE_CHECKING:
    import networkx

FLOW: Final = "wrench"  # what flows
OTHER: Final = {"0": "1", "1": "0", "C": "I", "I": "C", "Se": "Sf", "Sf": "Se", "FC": "EC", "EC": "FC"}
"""Kind of a node -> its kind in the dual graph; R, TF and GY do not change."""
CONTENT: Final = {
    "flow": "effort", "effort": "flow", "inertance": "capacitance", "capacitance": "inertance",
}  # fmt: skip
TURNED: Final = {"modulus": "inverse_modulus", "inverse_modulus": "modulus"}  # of gyrators


def exchanged(node: Node) -> Node:
    """A node of the dual graph; exchanging twice returns the node itself."""
    names = CONTENT | (TURNED if node.kind == "GY" else {})
    content = {names.get(key, key): program for key, program in node.content.items()}
    return replace(node, name=_renamed(node), kind=OTHER.get(node.kind, node.kind), content=content)


def _renamed(node: Node) -> str:
    """Name of a node with its new kind, if it begins with the kind."""
    first, space, rest = node.name.partition(" ")
    return f"{OTHER.get(first, first)}{space}{rest}" if space and first == node.kind else node.name


@final
@dataclass(frozen=True, eq=False)
class DualGraph:
    """Nodes and bonds of a graph whose flows are wrenches; `graph` is the same with twists as flows."""

    graph: BondGraph

    def __repr__(self) -> str:
        return f"<DualGraph of {self.graph.name!r}: wrenches flow, twists are efforts>"

    @property
    def name(self) -> str:
        """Of the model."""
        return self.graph.name

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Junctions, transformers and elements, in the order of the first graph."""
        return tuple(exchanged(node) for node in self.graph.nodes)

    @property
    def bonds(self) -> tuple[Bond, ...]:
        """The direction of power is the same; strokes are at the other ends."""
        name = {node.name: _renamed(node) for node in self.graph.nodes}
        return tuple(Bond(name[b.tail], name[b.head], b.size, b.size - b.at_head) for b in self.graph.bonds)

    def dual(self) -> BondGraph:
        """The first graph again."""
        return self.graph

    def accelerations(
        self, state: Values | None = None, parameters: Mapping[str, float] | None = None, t: float = 0.0
    ) -> State:
        """Accelerations and flows from the nodes and bonds of the dual graph, all bonds at once.

        Parameters and names are those of `BondGraph.accelerations`; the responses of elements are wrenches as there,
        which are flows here.
        """
        from trundle.bond_graph.dual_solve import accelerations

        return accelerations(self, state, parameters, t)

    def seal_rows(self) -> list[tuple[str, ...]]:
        """The rows of `seal_rows` with flow and effort exchanged."""
        return [_row(row) for row in seal_rows(self.graph)]

    def to_networkx(self) -> "networkx.MultiDiGraph[str]":
        """All nodes and bonds, from tail to head."""
        import networkx as nx

        out: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=self.name, flow=FLOW)
        for node in self.nodes:
            out.add_node(node.name, kind=node.kind, label=node.label, of=node.of, size=node.size)
        for bond in self.bonds:
            out.add_edge(bond.tail, bond.head, size=bond.size, at_head=bond.at_head, at_tail=bond.size - bond.at_head)
        return out

    def to_dict(self) -> State:
        """All contents, for JSON: the layout of the first graph, with "flow": "wrench"."""
        from trundle.bond_graph.export import node_dict, to_dict

        nodes, bonds = [node_dict(node) for node in self.nodes], [asdict(bond) for bond in self.bonds]
        return {**to_dict(self.graph), "flow": FLOW, "nodes": nodes, "bonds": bonds}

    def to_json(self) -> str:
        """Everything as JSON text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> "DualGraph":
        """The graph that `to_json` wrote, with all its equations; StoreError for any other text."""
        from trundle.bond_graph.export import node_dict
        from trundle.bond_graph.reload import from_dict, read_json, read_node

        data = read_json(text)
        if not isinstance(data, Mapping) or data.get("flow") != FLOW:
            raise StoreError(
                "this is not a dual bond graph written by Trundle: write one with graph.dual().save('dual.json')."
            )
        try:
            nodes = [exchanged(read_node(each)) for each in data["nodes"]]
            names = {each["name"]: node.name for each, node in zip(data["nodes"], nodes, strict=True)}
            bonds = [
                {"tail": names[b["tail"]], "head": names[b["head"]], "size": b["size"],
                 "at_head": b["size"] - b["at_head"]}
                for b in data["bonds"]
            ]  # fmt: skip
        except (KeyError, TypeError, ValueError) as error:
            raise StoreError(f"the bond graph cannot be read ({type(error).__name__}: {error}).") from error
        first = {key: value for key, value in data.items() if key != "flow"}
        return DualGraph(from_dict({**first, "nodes": [node_dict(node) for node in nodes], "bonds": bonds}))

    def save(self, path: Path | str) -> Path:
        """Write a picture (.svg) or the data (.json, .graphml)."""
        from trundle.bond_graph.export import save

        return save(self, path)

    def _repr_svg_(self) -> str:
        """Picture in a notebook."""
        from trundle.view.bond_graph import to_svg

        return to_svg(self.graph, dual=True)


def _row(row: tuple[str, ...]) -> tuple[str, ...]:
    connection, bonds, variables, kind, elements, by = row
    flow, effort = variables.strip("()").split(", ")
    turned = "+".join(OTHER.get(one, one) for one in elements.split("+"))
    return connection, bonds, f"({effort}, {flow})", "effort" if kind == "flow" else "flow", turned, by
