"""Reading a graph from its JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from trundle.bond_graph.bonds import Bond, BondGraph, Node
from trundle.bond_graph.causality import AlgebraicLoop, Causality, Conflict, Dependent
from trundle.bond_graph.chain import ChainSeal
from trundle.bond_graph.export import FORMAT, VERSION
from trundle.bond_graph.program import Program
from trundle.errors import StoreError
from trundle.laws.law import EffortLaw, FlowLaw
from trundle.model.seal import Seal
from trundle.typing import Raw, Values


@final
@dataclass(frozen=True)
class StoredEffort(EffortLaw):
    """An effort law with known elements; its equations are in the nodes."""

    kinds: tuple[str, ...]

    @property
    def element(self) -> str:
        return self.kinds[0]

    @property
    def elements(self) -> tuple[str, ...]:
        return self.kinds


@final
@dataclass(frozen=True)
class StoredFlow(FlowLaw):
    """A flow law with a known element."""

    kind: str

    @property
    def element(self) -> str:
        return self.kind


def from_json(text: str) -> BondGraph:
    """The graph of a JSON text; StoreError if it is not one."""
    return from_dict(read_json(text))


def read_json(text: str) -> Raw:
    """The content of a JSON text; StoreError if it is not valid."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise StoreError(f"this is not valid JSON: {error}.") from error


def from_dict(data: object) -> BondGraph:
    """The graph of a dictionary from `to_dict`; StoreError if it is not one."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise StoreError("this is not a bond graph written by Trundle: write one with graph.save('graph.json').")
    if data.get("version") != VERSION:
        raise StoreError(
            f"this bond graph has layout {data.get('version')!r}; write it again, layout {VERSION} is supported."
        )
    if data.get("flow", "twist") != "twist":
        raise StoreError("this is a dual bond graph, with wrenches as flows: read it with DualGraph.from_json.")
    try:
        return BondGraph(
            data["name"],
            tuple(read_node(each) for each in data["nodes"]),
            tuple(Bond(**each) for each in data["bonds"]),
            tuple(_seal(each) for each in data["seals"]),
            _causality(data["causality"]),
            tuple(ChainSeal(_seal(each), each["variables"][0] == "lambda") for each in data["chain"]),
            states=_programs(data["states"]),
            measures=_programs(data["measures"]),
            surfaces={k: (tuple(v["names"]), Program.from_dict(v["residual"])) for k, v in data["surfaces"].items()},
            values=data["values"],
            poses=tuple(data["poses"]),
            length=float(data["length"]),
            missing=tuple(data["missing"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"the bond graph cannot be read ({type(error).__name__}: {error}).") from error


def read_node(given: Values) -> Node:
    """A node with its contents."""
    return Node(**{**given, "content": _programs(given["content"])})


def _programs(given: Values) -> dict[str, Program]:
    return {name: Program.from_dict(each) for name, each in given.items()}


def _seal(given: Values) -> Seal:
    kinds = tuple(given["element"].split("+"))
    law = StoredFlow(kinds[0]) if given["sealed_by"] == "flow" else StoredEffort(kinds)
    connection, bond, held = given["connection"], given.get("bond", ""), bool(given.get("held", False))
    called = given["name"][len(connection) + 1 :]
    called = "" if called == bond else called
    return Seal(connection, bond, given["by"], None if held else law, held, given["coordinate"], called)


def _causality(given: Values) -> Causality:
    def read(kind: type, each: Mapping[str, Raw]) -> Raw:
        return kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in each.items()})

    return Causality(
        int(given["integral"]),
        tuple(read(Dependent, each) for each in given["derivative"]),
        tuple(read(Conflict, each) for each in given["conflicts"]),
        tuple(read(AlgebraicLoop, each) for each in given["loops"]),
    )
