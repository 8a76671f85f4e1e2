"""Causality and causal strokes of a graph, from its nodes and bonds."""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from trundle.bond_graph.causality import assign
from trundle.bond_graph.flows import find_flows, links

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import BondGraph


def with_causality(graph: "BondGraph") -> "BondGraph":
    """The graph with its causality by sequential assignment, and its strokes."""
    found = assign(find_flows(graph))
    nodes = {node.name: node for node in graph.nodes}
    above = {bond.head: bond.tail for bond in graph.bonds}
    dependent = Counter(d.body for d in found.causality.derivative)
    at_heads: dict[tuple[str, str], int] = {}  # by tail and head
    at_tails: dict[tuple[str, str], int] = {}
    for link in links(graph):
        carriers = [found.carrier.get(node.name, "") for node in link.ends]
        by_first, by_second = carriers.count(link.first), carriers.count(link.second)
        at_heads[above[link.near], link.near] = at_heads[link.near, link.junction] = by_first
        at_tails[link.junction, link.far] = at_tails[link.far, f"1 {link.second}"] = by_second
        for node, carrier in zip(link.ends, carriers, strict=True):
            at_heads[above[node.name], node.name] = int(carrier != "")
            if above[node.name] != link.junction and above[above[node.name]] == link.junction:
                at_heads[link.junction, above[node.name]] = by_first + by_second
    bonds = []
    for bond in graph.bonds:
        ends, tail, head = (bond.tail, bond.head), nodes[bond.tail], nodes[bond.head]
        if head.kind == "I":
            at_head = bond.size - (dependent[head.of] if bond.size == 6 else 0)
        elif ends in at_tails:
            at_head = bond.size - at_tails[ends]
        elif tail.kind in ("Se", "GY") or (tail.kind == "TF" and head.is_body):
            at_head = bond.size
        else:
            at_head = at_heads.get(ends, 0)
        bonds.append(replace(bond, at_head=at_head))
    return replace(graph, bonds=tuple(bonds), causality=found.causality)
