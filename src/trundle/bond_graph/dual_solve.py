"""Accelerations from the nodes and bonds of a dual graph, in which wrenches are flows: the equations of all nodes in
the flows and the rates of the efforts of all bonds, solved simultaneously (tableau method, as for electric networks).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.bond_graph.point import Point, bonds_at, check_seal, complete_point
from trundle.errors import SolveError
from trundle.typing import Array, State, Values

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import Bond, Node
    from trundle.bond_graph.dual import DualGraph

HELD = ("EC", "Se", "R")  # elements that can hold an effort, a twist
EXACT = 1e-7  # largest residual of the equations, relative to their right-hand sides
SPENT = 1e-11  # smaller singular values, relative to the largest, belong to indeterminate flows


def accelerations(dual: "DualGraph", state: Values | None, parameters: Values | None, t: float) -> State:
    """Accelerations of all bodies, rates of states and flows of elements, by name."""
    return _Tableau(dual, complete_point(dual.graph, state, parameters, t)).solve()


Terms = list[tuple[int, Array]]  # first place of an unknown vector, and the matrix it is multiplied with


@final
class _Tableau:
    """Equations of all nodes at one state."""

    def __init__(self, dual: "DualGraph", at: Point) -> None:
        self.dual, self.at = dual, at
        self.nodes, self.bonds = dual.nodes, dual.bonds
        self.kinds = {node.name: node for node in self.nodes}
        self.bonds_of = bonds_at(self.nodes, self.bonds)
        starts = np.concatenate([[0], np.cumsum([bond.size for bond in self.bonds])]).astype(int)
        self.place, self.n = starts[:-1], int(starts[-1])
        self.efforts = self._efforts()

    # -- parts of nodes ------------------------------------------------------------------------------------------------

    def _toward(self, node: "Node", k: int) -> float:
        return 1.0 if self.bonds[k].head == node.name else -1.0

    def _whole(self, own: list[int]) -> int:
        """A bond with all components, among the bonds at a junction."""
        return max(own, key=lambda k: self.bonds[k].size)

    def _inner(self, node: "Node") -> int:
        """The bond of a transformer on which its modulus acts: that of a body, or the one that leads to it."""
        own = self.bonds_of[node.name]
        for k in own:
            other = self.kinds[_far_end(self.bonds[k], node.name)]
            if other.kind == "0" and other.size == 6:
                return k
        return next(k for k in own if self.bonds[k].head == node.name)

    def _beyond(self, node: "Node") -> tuple[int, list[tuple[int, slice]]]:
        """The inner bond of a transformer, and every other with its part of the efforts beyond."""
        inner = self._inner(node)
        found, at = [], 0
        for k in self.bonds_of[node.name]:
            if k != inner:
                found.append((k, slice(at, at + self.bonds[k].size)))
                at += self.bonds[k].size
        return inner, found

    # -- efforts now ---------------------------------------------------------------------------------------------------

    def _efforts(self) -> Array:
        """Twists on all bonds, from those of the bodies by junctions and transformers."""
        rows: list[Array] = []
        values: list[Array] = []

        def say(terms: Terms, value: Array) -> None:
            rows.append(self._row(terms, self.n))
            values.append(value)

        for node in self.nodes:
            own = self.bonds_of[node.name]
            if node.kind == "0":
                known = self.at.value(node.content["effort"]) if "effort" in node.content else None
                whole = self._whole(own)
                for k in own:
                    one = np.eye(self.bonds[k].size)
                    if known is not None:
                        say([(self.place[k], one)], known[: len(one)])
                    elif k != whole:
                        say([(self.place[k], one), (self.place[whole], -one)], np.zeros(len(one)))
            elif node.kind == "1":
                say([(self.place[k], self._toward(node, k) * np.eye(node.size)) for k in own], np.zeros(node.size))
            elif node.kind == "TF":
                inner, others = self._beyond(node)
                T, _ = self.at.modulus(node)
                for k, part in others:
                    say(
                        [(self.place[k], np.eye(self.bonds[k].size)), (self.place[inner], -T[part])],
                        np.zeros(len(T[part])),
                    )
            elif node.kind == "Se" and node.size == 6:
                say([(self.place[own[0]], np.eye(6))], self.at.value(node.content["effort"]))
        A, b = np.concatenate([np.zeros((0, self.n)), *rows]), np.concatenate([np.zeros(0), *values])
        found: Array = _solved(A, b)
        return found

    def _row(self, terms: Terms, width: int) -> Array:
        out = np.zeros((len(terms[0][1]), width))
        for place, matrix in terms:
            out[:, place : place + matrix.shape[1]] += matrix
        return out

    def _now(self, k: int) -> Array:
        """Effort of a bond."""
        return self.efforts[self.place[k] : self.place[k] + self.bonds[k].size]

    # -- rates of efforts, and flows -----------------------------------------------------------------------------------

    def solve(self) -> State:
        """All unknowns: n rates of efforts, then n flows."""
        self._check()
        gathered = [said for node in self.nodes for said in self._equations(node)]
        A = np.concatenate([np.zeros((0, 2 * self.n)), *[self._row(terms, 2 * self.n) for terms, _ in gathered]])
        b = np.concatenate([np.zeros(0), *[value for _, value in gathered]])
        found = _solved(A, b)
        if not np.max(np.abs(A @ found - b), initial=0.0) <= EXACT * (1 + np.max(np.abs(b), initial=0.0)):
            raise SolveError(
                f"the dual graph of {self.dual.name!r} has no accelerations at this state: prescribed motions "
                "contradict each other, or a force acts on a motion without inertia."
            )
        return self.at.state_rates() | self._named(found)

    def _check(self) -> None:
        """SolveError if held efforts do not have their prescribed values."""
        fastest = max(1.0, float(np.max(np.abs(self.efforts), initial=0.0)))
        for node in self.nodes:
            if "flow" in node.content or "acceleration" in node.content or not self.at.holds(node, HELD):
                continue
            given = float(self.at.value(node.content["effort"])[0]) if "effort" in node.content else 0.0
            now = -float(self._now(self.bonds_of[node.name][0])[0])
            check_seal(node, now, given, fastest)

    def _equations(self, node: "Node") -> Iterator[tuple[Terms, Array]]:
        own, n = self.bonds_of[node.name], self.n
        if node.kind == "0":
            whole = self._whole(own)
            for k in own:
                if k != whole:
                    one = np.eye(self.bonds[k].size)
                    yield [(self.place[k], one), (self.place[whole], -one)], np.zeros(len(one))
            # flows in and out are equal; a bond with fewer components has the first ones
            yield (
                [(n + self.place[k], self._toward(node, k) * np.eye(node.size, self.bonds[k].size)) for k in own],
                np.zeros(node.size),
            )
        elif node.kind == "1":
            yield [(self.place[k], self._toward(node, k) * np.eye(node.size)) for k in own], np.zeros(node.size)
            for k in own[1:]:
                one = np.eye(node.size)
                yield [(n + self.place[k], one), (n + self.place[own[0]], -one)], np.zeros(node.size)
        elif node.kind == "TF":
            inner, others = self._beyond(node)
            T, T_rate = self.at.modulus(node)
            power: Terms = [(n + self.place[inner], self._toward(node, inner) * np.eye(self.bonds[inner].size))]
            for k, part in others:
                yield (
                    [(self.place[k], np.eye(self.bonds[k].size)), (self.place[inner], -T[part])],
                    T_rate[part] @ self._now(inner),
                )
                power.append((n + self.place[k], self._toward(node, k) * T[part].T))
            yield power, np.zeros(self.bonds[inner].size)
        elif node.kind == "GY":
            turned = float(self.at.value(node.content["inverse_modulus"])[0])
            for k, other in (own, own[::-1]):
                yield [(n + self.place[k], np.eye(1))], turned * self._now(other)
        else:
            yield self._element(node, own[0])

    def _element(self, node: "Node", k: int) -> tuple[Terms, Array]:
        content, size, one = node.content, node.size, np.eye(node.size)
        flow, rate = self.n + self.place[k], self.place[k]
        if "capacitance" in content:  # the flow changes what is stored
            stored, stored_rate = self.at.moving(content["capacitance"])
            sign = self._toward(node, k)
            return [(flow, sign * one), (rate, -stored)], stored_rate @ self._now(k)
        if "flow" in content:
            return [(flow, one)], self.at.value(content["flow"])
        if node.kind == "Se" and size == 6:
            return [(rate, one)], self.at.moving(content["effort"])[1]
        if self.at.holds(node, HELD):
            given = 0.0
            if "acceleration" in content:
                given = float(self.at.value(content["acceleration"])[0])
            elif "effort" in content:
                given = float(self.at.moving(content["effort"])[1][0])
            return [(rate, one)], np.array([-given])  # bonds count their effort towards the element
        if "ratio" in content:
            ratio, normal = float(self.at.value(content["ratio"])[0]), f"{node.of}.normal"
            pressing = [self.bonds_of[name][0] for name in self.bonds_of if name.split(" ", 1)[-1] == normal]
            return [(flow, one), *[(self.n + self.place[j], np.full((1, 1), -ratio)) for j in pressing]], np.zeros(1)
        return [(flow, one)], np.zeros(size)

    def _named(self, found: Array) -> State:
        out: State = {}
        for node in self.nodes:
            own = self.bonds_of[node.name]
            if node.kind == "0" and "effort" in node.content:
                start = self.place[self._whole(own)]
                rates = found[start : start + node.size]
                if node.size == 6:
                    out[f"{node.of}.com_acceleration"], out[f"{node.of}.angular_acceleration"] = rates[:3], rates[3:]
                else:
                    out[f"{node.content['effort'].inputs[0]}_rate"] = float(rates[0])
            elif len(own) == 1 and node.kind not in ("C", "0", "1"):
                place = self.n + self.place[own[0]]
                flow = found[place : place + node.size]
                out[node.name] = float(flow[0]) if node.size == 1 else flow
        return out


def _far_end(bond: "Bond", node: str) -> str:
    return bond.head if bond.tail == node else bond.tail


def _solved(A: Array, b: Array) -> Array:
    """The solution of equations after scaling of rows and unknowns; the smallest one if flows are indeterminate."""
    from scipy.linalg import lstsq
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    if not A.size:
        return np.zeros(A.shape[1])
    left, right = np.ones(len(A)), np.ones(A.shape[1])
    for _ in range(8):
        scaled = np.abs(A * left[:, None] * right)
        left /= np.sqrt(_nonzero(scaled.max(axis=1)))
        right /= np.sqrt(_nonzero(scaled.max(axis=0)))
    even = A * left[:, None] * right
    if len(even) == even.shape[1]:
        try:
            factors = splu(csc_array(even))
        except RuntimeError:  # singular
            factors = None
        if factors is not None:
            pivots = np.abs(factors.U.diagonal())
            if pivots.min() > SPENT * pivots.max():
                return np.asarray(right * factors.solve(left * b))
    return np.asarray(right * lstsq(even, left * b, cond=SPENT, lapack_driver="gelsy", check_finite=False)[0])


def _nonzero(sizes: Array) -> Array:
    return np.where(sizes > 0, sizes, 1.0)
