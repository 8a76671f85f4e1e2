"""Accelerations from the nodes and bonds of a graph alone.

Flows propagate from the junctions of bodies through transformers and junctions to all bonds; each is a row over the
twists, with its rate from the programs of the moduli, differentiated along the motion. Efforts propagate back by the
same rows, because junctions and transformers conserve power. Momentum is inertance times flow, its rate the sum of
efforts; a prescribed flow has an unknown effort and determines the rate of its row.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.bond_graph.point import Point, bonds_at, check_seal, complete_point
from trundle.errors import SolveError
from trundle.typing import Array, State, Value, Values

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import BondGraph, Node

HELD = ("FC", "Sf", "R")  # elements that can hold a flow


@final
@dataclass(frozen=True)
class Flow:
    """Flow of a bond: its rows over the twists of the bodies, its value, and its rate for constant twists."""

    rows: Array
    value: Array
    rate: Array

    def part(self, at: int, size: int) -> "Flow":
        """`size` components, from an index on."""
        these = slice(at, at + size)
        return Flow(self.rows[these], self.value[these], self.rate[these])

    def times(self, T: Array, T_rate: Array) -> "Flow":
        """Through a transformer."""
        return Flow(T @ self.rows, T @ self.value, T @ self.rate + T_rate @ self.value)

    def plus(self, other: "Flow", sign: float) -> "Flow":
        """At a 0-junction."""
        return Flow(self.rows + sign * other.rows, self.value + sign * other.value, self.rate + sign * other.rate)


def accelerations(graph: "BondGraph", state: Values | None, parameters: Values | None, t: float) -> State:
    """Accelerations of all bodies, rates of states and efforts of sealed flows, by name."""
    return Assembly(graph, complete_point(graph, state, parameters, t)).solve()


@final
class Assembly:
    """Equations of a graph at one state."""

    def __init__(self, graph: "BondGraph", at: Point) -> None:
        self.graph, self.at = graph, at
        self.nodes = {node.name: node for node in graph.nodes}
        self.bonds_of = bonds_at(graph.nodes, graph.bonds)
        self.moving = [node for node in graph.nodes if node.kind == "1" and "flow" in node.content]
        sizes = [node.size for node in self.moving]
        self.place = {n.name: int(at) for n, at in zip(self.moving, np.cumsum([0, *sizes]), strict=False)}
        self.n = int(sum(sizes))
        self.flows = self._spread()

    # -- flows ---------------------------------------------------------------------------------------------------------

    def _spread(self) -> dict[int, Flow]:
        """Flows of all bonds, from the junctions whose flow is a state or is given."""
        flows: dict[int, Flow] = {}
        waiting: deque[str] = deque()

        def put(k: int, flow: Flow) -> None:
            flows[k] = flow
            bond = self.graph.bonds[k]
            waiting.extend((bond.tail, bond.head))

        for node in self.moving:
            rows = np.zeros((node.size, self.n))
            rows[:, self.place[node.name] : self.place[node.name] + node.size] = np.eye(node.size)
            own = Flow(rows, self.at.value(node.content["flow"]), np.zeros(node.size))
            for k in self.bonds_of[node.name]:
                put(k, own.part(0, self.graph.bonds[k].size))
        for node in self.graph.nodes:
            if node.kind == "Sf" and node.size == 6:
                value, rate = self.at.moving(node.content["flow"])
                (k,) = self.bonds_of[node.name]
                put(k, Flow(np.zeros((6, self.n)), value, rate))
        while waiting:
            node = self.nodes[waiting.popleft()]
            unknown = [k for k in self.bonds_of[node.name] if k not in flows]
            known = [k for k in self.bonds_of[node.name] if k in flows]
            if not unknown:
                continue
            if node.kind == "1":
                for k in unknown:
                    put(k, flows[known[0]].part(0, self.graph.bonds[k].size))
            elif node.kind == "TF" and known:
                flow, at = flows[known[0]].times(*self.at.modulus(node)), 0
                for k in unknown:
                    put(k, flow.part(at, self.graph.bonds[k].size))
                    at += self.graph.bonds[k].size
            elif node.kind == "0" and len(unknown) == 1:
                put(unknown[0], self._balance(node, unknown[0], flows))
        return flows

    def _balance(self, node: "Node", k: int, flows: Mapping[int, Flow]) -> Flow:
        """Balance of flows at a junction."""
        out: Flow | None = None
        outwards = self.graph.bonds[k].tail == node.name
        for other in self.bonds_of[node.name]:
            if other == k:
                continue
            sign = 1.0 if (self.graph.bonds[other].head == node.name) == outwards else -1.0
            flow = flows[other]
            zero = Flow(0 * flow.rows, 0 * flow.value, 0 * flow.rate)
            out = (zero if out is None else out).plus(flow, sign)
        assert out is not None
        return out

    # -- efforts -------------------------------------------------------------------------------------------------------

    def rows_of(self, node: "Node") -> Array:
        """Flow of the bond of an element per unit of each twist."""
        rows: Array = self._end(node)[0].rows[0]
        return rows

    def _end(self, node: "Node") -> tuple[Flow, float]:
        """Flow of the bond of an element, and the sign by which its effort acts on the bodies."""
        (k,) = self.bonds_of[node.name]
        return self.flows[k], (1.0 if self.graph.bonds[k].tail == node.name else -1.0)

    def solve(self) -> State:
        """Rates of all flows, and efforts, by name."""
        M, Q = np.zeros((self.n, self.n)), np.zeros(self.n)
        v = np.concatenate([np.zeros(0), *[self.at.value(node.content["flow"]) for node in self.moving]])
        held: list[Node] = []
        frictions: list[tuple[Node, float]] = []
        efforts: State = {}
        for node in self.graph.nodes:
            content = node.content
            if node.kind == "I":
                flow, _ = self._end(node)
                inertance, rate = self.at.moving(content["inertance"])
                M += flow.rows.T @ inertance @ flow.rows
                Q -= flow.rows.T @ (rate @ flow.value)
            elif "effort" in content:
                flow, sign = self._end(node)
                effort = efforts[node.name] = self.at.value(content["effort"])
                Q += sign * flow.rows.T @ effort
            elif node.kind == "GY":
                Q += self._gyrate(node)
            elif self.at.holds(node, HELD):
                held.append(node)
            elif "ratio" in content:
                frictions.append((node, float(self.at.value(content["ratio"])[0])))
        columns = {node.name: -self._end(node)[0].rows[0] for node in held}
        for node, ratio in frictions:
            normal, (flow, sign) = f"{node.of}.normal", self._end(node)
            if normal in columns:
                columns[normal] = columns[normal] + sign * ratio * flow.rows[0]
            else:
                pressed = sum(float(e[0]) for name, e in efforts.items() if name.split(" ", 1)[-1] == normal)
                efforts[node.name] = np.array([ratio * pressed])
                Q += sign * ratio * pressed * flow.rows[0]
        rates, found = self._constrained(M, Q, v, held, columns)
        efforts |= {name: np.array([value]) for name, value in found.items()}
        for node, ratio in frictions:
            normal = f"{node.of}.normal"
            if normal in found:
                efforts[node.name] = np.array([ratio * found[normal]])
        return self.at.state_rates() | self._named(rates) | {name: _plain(e) for name, e in efforts.items()}

    def _gyrate(self, node: "Node") -> Array:
        """A gyrator: the effort on each side is its modulus times the flow on the other."""
        a, b = self.bonds_of[node.name]
        ratio = float(self.at.value(node.content["modulus"])[0])
        out = np.zeros(self.n)
        for k, other in ((a, b), (b, a)):
            sign = 1.0 if self.graph.bonds[k].tail == node.name else -1.0
            out += sign * self.flows[k].rows[0] * ratio * self.flows[other].value[0]
        return out

    def _constrained(
        self, M: Array, Q: Array, v: Array, held: list["Node"], columns: Mapping[str, Array]
    ) -> tuple[Array, dict[str, float]]:
        """Rates of the flows, and efforts of prescribed ones; the smallest efforts if there are redundant ones."""
        rows = np.array([self._end(node)[0].rows[0] for node in held]).reshape(len(held), self.n)
        wanted = np.array([self._wanted(node) for node in held])
        self._check(held, v)
        push = np.array([columns[node.name] for node in held]).reshape(len(held), self.n)
        size = np.sqrt(np.diag(M))
        scale = 1 / np.where(size > 1e-12 * np.max(size, initial=0.0), size, np.max(size, initial=0.0) or 1.0)
        J, P = rows * scale, push * scale
        length = np.linalg.norm(J, axis=1, keepdims=True)
        length = np.where(length > 0, length, 1.0)
        A = np.block([[M * np.outer(scale, scale), -(P / length).T], [J / length, np.zeros((len(held), len(held)))]])
        b = np.concatenate([Q * scale, wanted / length.ravel()])
        found = np.linalg.lstsq(A, b, rcond=1e-11)[0]
        rest = np.max(np.abs(A @ found - b), initial=0.0)
        if not rest <= 1e-7 * (1 + np.max(np.abs(b), initial=0.0)):
            raise SolveError(
                f"the graph of {self.graph.name!r} has no accelerations at this state: the prescribed flows contradict "
                "each other, or a force acts on a motion without inertia."
            )
        return found[: self.n] * scale, dict(zip([n.name for n in held], found[self.n :] / length.ravel(), strict=True))

    def _wanted(self, node: "Node") -> float:
        """Required value of the rows of a held flow times the rates of the flows."""
        flow, _ = self._end(node)
        given = 0.0
        if "acceleration" in node.content:
            given = float(self.at.value(node.content["acceleration"])[0])
        elif "flow" in node.content:
            given = float(self.at.moving(node.content["flow"])[1][0])
        return -given - float(flow.rate[0])  # bonds count their flow towards the element

    def _check(self, held: list["Node"], v: Array) -> None:
        """SolveError if held flows do not have their prescribed values."""
        fastest = max([1.0, *[float(np.max(np.abs(flow.value))) for flow in self.flows.values()]])
        for node in held:
            if "acceleration" in node.content:
                continue
            given = float(self.at.value(node.content["flow"])[0]) if "flow" in node.content else 0.0
            check_seal(node, -float(self._end(node)[0].value[0]), given, fastest)

    def _named(self, rates: Array) -> State:
        out: State = {}
        for node in self.moving:
            own = rates[self.place[node.name] : self.place[node.name] + node.size]
            if node.size == 6:
                out[f"{node.of}.com_acceleration"], out[f"{node.of}.angular_acceleration"] = own[:3], own[3:]
            else:
                out[f"{node.content['flow'].inputs[0]}_rate"] = float(own[0])
        return out


def _plain(effort: Array) -> Value:
    return float(effort[0]) if len(effort) == 1 else effort
