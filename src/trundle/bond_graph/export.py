"""A multibond graph for other programs: networkx, JSON, GraphML and pictures on disk."""

import io
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from trundle.atomic_write import check_target, file_path, write_whole
from trundle.bond_graph.chain import ChainSeal
from trundle.errors import StoreError
from trundle.model.seal import VARIABLES, Seal
from trundle.typing import Raw, State

if TYPE_CHECKING:
    import networkx

    from trundle.bond_graph.bonds import BondGraph, Node
    from trundle.bond_graph.dual import DualGraph
    from trundle.bond_graph.program import Program

FORMAT: Final = "trundle bond graph"
VERSION: Final = 3  # of the JSON layout
SUFFIXES: Final = (".svg", ".json", ".graphml", ".mo")


def network(graph: "BondGraph") -> "networkx.MultiGraph[str]":
    """Bodies as vertices, connections as edges with their names as keys; each edge has `pair`, the number `held` of
    bonds with prescribed flow, and the element of each bond.
    """
    import networkx as nx

    out: nx.MultiGraph[str] = nx.MultiGraph(name=graph.name)
    out.add_nodes_from(node.of for node in graph.nodes if node.is_body)
    kinds = {node.name: node.kind for node in graph.nodes}
    body = {node.name: node.of for node in graph.nodes if node.is_body}
    beside: dict[str, str] = {}  # transformer -> body
    for bond in graph.bonds:
        for one, other in ((bond.tail, bond.head), (bond.head, bond.tail)):
            if one in body and kinds[other] == "TF":
                beside[other] = body[one]
    ends = dict(kinds)  # elements that meet on a bond, with a plus between them
    for name in (n.name for n in graph.nodes if n.kind == "1" and not n.is_body):
        ends[name] = "+".join(kinds[bond.head] for bond in graph.bonds if bond.tail == name)
    seals: dict[str, list[Seal]] = {}
    for seal in graph.seals:
        seals.setdefault(seal.connection, []).append(seal)
    for node in graph.nodes:
        if node.kind != "0" or node.size != 6 or node.of not in seals:
            continue
        first = next(beside[b.tail] for b in graph.bonds if b.head == node.name)
        second = next(beside[b.head] for b in graph.bonds if b.tail == node.name and b.head in beside)
        of_bond = {s.bond: ends[s.name] for s in seals[node.of]}
        held = sum(s.imposes_flow for s in seals[node.of])
        out.add_edge(first, second, key=node.of, pair=node.label, held=held, **of_bond)
    return out


def to_networkx(graph: "BondGraph") -> "networkx.MultiDiGraph[str]":
    """All nodes and bonds, from tail to head."""
    import networkx as nx

    out: nx.MultiDiGraph[str] = nx.MultiDiGraph(name=graph.name)
    conflicts = {conflict.seal for conflict in graph.causality.conflicts}
    for node in graph.nodes:
        out.add_node(
            node.name, kind=node.kind, label=node.label, of=node.of, size=node.size, conflict=node.name in conflicts
        )
    for bond in graph.bonds:
        out.add_edge(bond.tail, bond.head, size=bond.size, at_head=bond.at_head, at_tail=bond.size - bond.at_head)
    return out


def to_dict(graph: "BondGraph") -> State:
    """Nodes, bonds, seals and causality as lists, texts and numbers."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": graph.name,
        "nodes": [node_dict(node) for node in graph.nodes],
        "bonds": [asdict(bond) for bond in graph.bonds],
        "seals": [seal_dict(seal) for seal in graph.seals],
        "chain": [chain_dict(each) for each in graph.chain],
        "causality": _plain(asdict(graph.causality)),
        "states": _programs(graph.states),
        "measures": _programs(graph.measures),
        "surfaces": {
            contact: {"names": list(names), "residual": residual.to_dict()}
            for contact, (names, residual) in graph.surfaces.items()
        },
        "values": _plain(dict(graph.values)),
        "poses": [_plain(dict(pose)) for pose in graph.poses],
        "length": graph.length,
        "missing": list(graph.missing),
    }


def node_dict(node: "Node") -> State:
    """A node with its contents: lists of named operations, no code."""
    words = {"name": node.name, "kind": node.kind, "label": node.label, "of": node.of, "size": node.size}
    return {**words, "bond": node.bond, "content": _programs(node.content)}


def _programs(programs: "Mapping[str, Program]") -> State:
    return {name: program.to_dict() for name, program in programs.items()}


def seal_dict(seal: Seal) -> State:
    """A seal as a dictionary of texts."""
    return {
        "name": seal.name,
        "connection": seal.connection,
        "bond": seal.bond,
        "variables": list(VARIABLES[seal.bond]),
        "sealed_by": "flow" if seal.imposes_flow else "effort",
        "element": "+".join(seal.elements),
        "by": seal.by,
        "held": seal.held,
        "coordinate": seal.coordinate,
    }


def chain_dict(chain: ChainSeal) -> State:
    """A law or force on a coordinate of a contact as a dictionary of texts."""
    seal = chain.seal
    return {
        "name": seal.name,
        "connection": seal.connection,
        "coordinate": seal.coordinate,
        "variables": list(chain.variables),
        "sealed_by": "flow" if seal.imposes_flow else "effort",
        "element": "+".join(seal.elements),
        "by": seal.by,
    }


def _plain(value: object) -> Raw:
    """Tuples and arrays as lists, for JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def to_json(graph: "BondGraph") -> str:
    """Everything as JSON text."""
    return json.dumps(to_dict(graph), indent=1, ensure_ascii=False)


def save(graph: "BondGraph | DualGraph", path: Path | str) -> Path:
    """Write the graph atomically, in the format of the suffix of the path."""
    target = file_path(path)
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise StoreError(
            f"cannot write {target}: {suffix or 'no suffix'!r} is not a format of graphs. Choose .svg (picture), .json "
            "(all data), .graphml (for graph programs) or .mo (Modelica)."
        )
    check_target(target)
    write_whole(target, _content(graph, suffix))
    return target


def _content(graph: "BondGraph | DualGraph", suffix: str) -> bytes:
    if suffix == ".json":
        return graph.to_json().encode()
    if suffix == ".mo":
        from trundle.bond_graph.bonds import BondGraph
        from trundle.bond_graph.modelica import to_modelica

        return to_modelica(graph if isinstance(graph, BondGraph) else graph.graph).encode()
    if suffix == ".graphml":
        import networkx as nx

        buffer = io.BytesIO()
        nx.write_graphml(graph.to_networkx(), buffer)
        return buffer.getvalue()
    return graph._repr_svg_().encode()
