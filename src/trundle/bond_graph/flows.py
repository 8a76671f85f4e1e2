"""Prescribed flows of a graph as numeric rows over the twists of its bodies, from its nodes and bonds alone.

Every scalar bond that ends in a flow seal gives one row, at each of the stored poses of the graph.
"""

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.bond_graph.causality import FlowRow, Flows
from trundle.bond_graph.point import Point
from trundle.bond_graph.solve import Assembly
from trundle.pairs.lower import ROTATIONS
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import BondGraph, Node

CONFLICT = "Its effort is indeterminate with rigid bodies: "
TURNS = (*ROTATIONS, "roll_x", "roll_y", "spin")


@final
@dataclass(frozen=True)
class Link:
    """A 0-junction between two bodies, with the elements on its bonds."""

    junction: str
    near: str  # transformers on both sides
    far: str
    first: str
    second: str
    ends: tuple["Node", ...]

    @property
    def held(self) -> list["Node"]:
        """Those that seal a flow."""
        return [node for node in self.ends if node.kind in ("FC", "Sf") and node.size == 1]


def links(graph: "BondGraph") -> list[Link]:
    """Every 0-junction with the two bodies that its transformers lead to."""
    nodes = {node.name: node for node in graph.nodes}
    into: dict[str, list[str]] = {node.name: [] for node in graph.nodes}
    out: dict[str, list[str]] = {node.name: [] for node in graph.nodes}
    for bond in graph.bonds:
        into[bond.head].append(bond.tail)
        out[bond.tail].append(bond.head)

    def ends_at(name: str) -> bool:
        return not out[name] or nodes[name].kind == "GY"

    def below(name: str) -> Iterator[str]:
        for head in out[name]:
            if ends_at(head):
                yield head
            elif not nodes[head].is_body:
                yield from below(head)

    found = []
    for node in graph.nodes:
        if node.kind != "0":
            continue
        (near,) = into[node.name]
        far = next(n for n in out[node.name] if nodes[n].kind == "TF" and any(nodes[m].is_body for m in out[n]))
        first, second = nodes[into[near][0]].of, nodes[next(m for m in out[far] if nodes[m].is_body)].of
        ends = tuple(nodes[name] for n in out[node.name] if n != far for name in ([n] if ends_at(n) else below(n)))
        found.append(Link(node.name, near, far, first, second, ends))
    return found


def in_order(graph: "BondGraph", every: list[Link]) -> tuple[list[Link], dict[str, int]]:
    """Links of the spanning tree from bodies with given motion, shortest path first, then those that close loops; and
    the distance of each body along the tree. Driven joints and those of bodies without inertia have zero length;
    contacts are used only if no joint reaches another body.
    """
    given = {node.of for node in graph.nodes if node.kind == "Sf" and node.size == 6}
    heavy = {node.of for node in graph.nodes if node.kind == "I" and node.size == 6}
    around: dict[str, list[Link]] = {}
    for link in every:
        for body in (link.first, link.second):
            around.setdefault(body, []).append(link)
    depth: dict[str, int] = {}
    chosen: list[Link] = []
    joints: list[tuple[float, int, str, Link | None]] = [(0.0, k, body, None) for k, body in enumerate(sorted(given))]
    contacts: list[tuple[float, int, str, Link | None]] = []
    count = len(joints)
    while joints or contacts:
        length, _, body, through = heapq.heappop(joints or contacts)
        if body in depth:
            continue
        depth[body] = len(depth)
        if through is not None:
            chosen.append(through)
        for link in around.get(body, []):
            other = link.second if link.first == body else link.first
            if other in depth:
                continue
            count += 1
            acts = any(node.kind not in ("FC", "EC") for node in link.ends)
            free = acts or not {link.first, link.second} <= heavy | given
            cost = 0.0 if free else 1.0 + 1e-3 * (6 - len(link.held))
            touches = any(node.name == f"{node.of}.normal" for node in link.ends)
            heapq.heappush(contacts if touches else joints, (length + cost, count, other, link))
    return [*chosen, *(link for link in every if link not in chosen)], depth


def find_flows(graph: "BondGraph") -> Flows:
    """All prescribed flows at the stored poses of the graph."""
    every, depth = in_order(graph, links(graph))
    held = [(link, node) for link in every for node in link.held]
    held.sort(key=lambda each: "active" in each[1].content)  # what always holds first
    rows = [_row(graph, link, node, depth) for link, node in held]
    bodies = [node for node in graph.nodes if node.is_body and "flow" in node.content]
    jacobians, masses = [], []
    for pose in graph.poses:
        assembly = Assembly(graph, Point(graph, pose, None, 0.0, exact=False))
        jacobians.append(_jacobian(assembly, bodies, [node for _, node in held], graph.length, pose))
        masses = [_mass(assembly, body, graph.length, pose) for body in bodies]
    return Flows(tuple(b.of for b in bodies), tuple(masses), tuple(rows), tuple(jacobians))


def _row(graph: "BondGraph", link: Link, node: "Node", depth: Mapping[str, int]) -> FlowRow:
    called = node.name[len(node.of) + 1 :]
    seal = next(s for s in (*graph.seals, *(each.seal for each in graph.chain)) if s.name == node.name)
    spring = f"give compliance={{{called!r}: tr.Spring(...)}}"
    if seal.held:
        remedy = f"{CONFLICT}{spring}, or a pair that leaves {called} free."
    elif "acceleration" in node.content:
        remedy = f"{CONFLICT}let an effort law act on {called} instead, or take the {seal.by} away."
    else:
        remedy = f"{CONFLICT}{spring}, or take the {seal.by} away."
    outer = max(link.first, link.second, key=lambda body: depth.get(body, 0))
    turns = called in TURNS or any(each.seal.name == node.name and each.turns for each in graph.chain)
    return FlowRow(node.of, called, link.first, link.second, outer, turns, remedy)


def _rotation(pose: Mapping[str, object], body: str) -> Array:
    w, x, y, z = np.asarray(pose[f"{body}.orientation"], float)
    return np.array(
        [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    )  # fmt: skip


def _jacobian(
    assembly: Assembly, bodies: list["Node"], held: list["Node"], length: float, pose: Mapping[str, object]
) -> Array:
    """Rows of unit length: velocity of the mass centre over the typical length (ground axes), angular velocity (body
    axes).
    """
    J = np.zeros((len(held), 6 * len(bodies)))
    rows = np.array([assembly.rows_of(node) for node in held]).reshape(len(held), assembly.n)
    for i, body in enumerate(bodies):
        own = rows[:, assembly.place[body.name] : assembly.place[body.name] + 6]
        J[:, 6 * i : 6 * i + 3] = length * own[:, :3]
        J[:, 6 * i + 3 : 6 * i + 6] = own[:, 3:] @ _rotation(pose, body.of)
    size = np.linalg.norm(J, axis=1, keepdims=True)
    return np.asarray(J / np.where(size > 0, size, 1.0), float)


def _mass(assembly: Assembly, body: "Node", length: float, pose: Mapping[str, object]) -> Array:
    """Inertance of a body for velocities over the typical length, rotations in body axes."""
    found = [n for n in assembly.graph.nodes if n.kind == "I" and n.of == body.of and n.size == 6]
    M = np.zeros((6, 6))
    if found:
        inertance, R = assembly.at.value(found[0].content["inertance"]), _rotation(pose, body.of)
        M[:3, :3] = length**2 * inertance[:3, :3]
        M[3:, 3:] = R.T @ inertance[3:, 3:] @ R
        M[3:, 3:][np.abs(M[3:, 3:]) < 1e-14 * np.max(np.abs(M[3:, 3:]), initial=0.0)] = 0.0
    return M
