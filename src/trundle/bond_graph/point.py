"""Numbers of a graph at one state: inputs of its programs by name, with their rates along the motion."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.bond_graph.arithmetic import Number
from trundle.bond_graph.program import Program
from trundle.bond_graph.table_cells import Cells
from trundle.errors import SolveError, UnknownNameError
from trundle.space.rotation import skew
from trundle.typing import Array, Values

if TYPE_CHECKING:
    from trundle.bond_graph.bonds import Bond, BondGraph, Node

STEPS = 20  # Newton steps for the coordinates of a contact
FAR = 1e-6  # largest relative correction
CLOSED = 1e-6  # largest error of a prescribed motion, relative to the fastest of all


def bonds_at(nodes: "Sequence[Node]", bonds: "Sequence[Bond]") -> dict[str, list[int]]:
    """Indices of the bonds of each node."""
    found: dict[str, list[int]] = {node.name: [] for node in nodes}
    for k, bond in enumerate(bonds):
        found[bond.tail].append(k)
        found[bond.head].append(k)
    return found


def complete_point(graph: "BondGraph", state: Values | None, parameters: Values | None, t: float) -> "Point":
    """A state of a graph whose nodes have all equations; SolveError for other graphs."""
    if graph.missing:
        raise SolveError(
            f"the nodes of the graph do not have all equations of {graph.name!r}: {', '.join(graph.missing)}. Use "
            "system.accelerations(...)."
        )
    return Point(graph, state, parameters, t)


def check_seal(node: "Node", now: float, given: float, fastest: float) -> None:
    """SolveError if a sealed bond does not have its prescribed motion."""
    if abs(now - given) > CLOSED * fastest:
        raise SolveError(
            f"the state of the graph does not fit its seals: {node.name!r} moves at {now:g} where {given:g} is held. "
            "Take a state of a run, or of system.graph_state(...)."
        )


@final
class Point:
    """A state of a graph, with the values derived from it."""

    def __init__(
        self, graph: "BondGraph", state: Values | None, parameters: Values | None, t: float, exact: bool = True
    ) -> None:
        self.graph, self.t = graph, float(t)
        given = dict(graph.poses[0] if state is None else state)
        values = dict(graph.values)
        for name, value in (parameters or {}).items():
            if name not in values:
                raise UnknownNameError(name, values, "parameter of the graph")
            values[name] = value
        self._given = values | given
        self._tables = {name: Cells(value) for name, value in values.items() if isinstance(value, Mapping)}
        self._numbers: dict[str, Number] = {}
        for followers, residual in graph.surfaces.values():
            self._settle(followers, residual, exact)

    def value(self, program: Program) -> Array:
        """A program at this state."""
        return program.evaluate(self._look)[0]

    def moving(self, program: Program) -> tuple[Array, Array]:
        """A program, and its rate along the motion."""
        value, rates = program.evaluate(self._look)
        return value, rates[..., 0]

    def modulus(self, node: "Node") -> tuple[Array, Array]:
        """Matrix of a transformer by which twists pass it, and its rate."""
        if "modulus" in node.content:
            value, rate = self.moving(node.content["modulus"])
            return np.atleast_2d(value), np.atleast_2d(rate)
        arm, arm_rate = self.moving(node.content["arm"])
        shift, shift_rate = np.eye(6), np.zeros((6, 6))
        shift[:3, 3:], shift_rate[:3, 3:] = -skew(arm), -skew(arm_rate)  # v + w x r
        return shift, shift_rate

    def holds(self, node: "Node", kinds: Collection[str]) -> bool:
        """Whether an element of one of these kinds holds a motion now; R only while its friction sticks."""
        if node.size != 1 or node.kind not in kinds:
            return False
        active = node.content.get("active")
        return node.kind != "R" if active is None else bool(self.value(active)[0] > 0.5)

    def state_rates(self) -> dict[str, float]:
        """Rates of the states of laws, blocks and forces; flows among them are computed by their junctions."""
        return {f"{name}_rate": float(rate.evaluate(self._still)[0][0]) for name, rate in self.graph.states.items()}

    def _look(self, name: str) -> Number:
        if name not in self._numbers:
            self._numbers[name] = self._find(name)
        return self._numbers[name]

    def _find(self, name: str) -> Number:
        if name == "t":
            return self.t, np.ones(1)
        if name in self._tables:
            return self._tables[name], np.zeros(1)
        whole, _, place = name.partition("[")
        if place:
            return self._of_body(whole, int(place[:-1]))
        if name in self.graph.measures:
            value, rate = self.moving(self.graph.measures[name])
            return float(self._given.get(name, value[0])), np.array([rate[0]])
        if name in self.graph.states:
            return self._number(name), self.graph.states[name].evaluate(self._still)[0]
        return self._number(name), np.zeros(1)

    def _still(self, name: str) -> Number:
        """A number without its rate, because rates of states may depend on the states themselves."""
        return (self._number(name) if name in self.graph.states else self._look(name)[0]), np.zeros(1)

    def _number(self, name: str) -> float:
        if name not in self._given:
            raise SolveError(f"the state of the graph lacks {name!r}; system.graph_state(...) has all names.")
        return float(self._given[name])

    def _vector(self, name: str, size: int) -> Array:
        if name not in self._given:
            raise SolveError(f"the state of the graph lacks {name!r}; system.graph_state(...) has all names.")
        found = np.asarray(self._given[name], float)
        if found.shape != (size,) or not np.all(np.isfinite(found)):
            raise SolveError(f"{name!r} has {size} finite numbers, got {self._given[name]!r}.")
        return found

    def _of_body(self, whole: str, k: int) -> Number:
        """A component of the motion of a body; rates of velocities are the unknowns."""
        body, _, kind = whole.rpartition(".")
        if kind == "com_position":
            return self._vector(whole, 3)[k], self._vector(f"{body}.com_velocity", 3)[k : k + 1]
        if kind == "orientation":
            w, x, y, z = quaternion = self._vector(whole, 4)
            p, q, r = self._vector(f"{body}.angular_velocity", 3) / 2
            rate = (-p * x - q * y - r * z, p * w + q * z - r * y, q * w + r * x - p * z, r * w + p * y - q * x)
            return quaternion[k], np.array([rate[k]])
        return self._vector(whole, 3)[k], np.full(1, np.nan)

    def _settle(self, names: tuple[str, ...], residual: Program, exact: bool) -> None:
        """Surface coordinates of a contact, and their rates, for which the residual remains zero. In an exact state the
        surfaces touch.
        """
        at = np.array([self._number(name) for name in names])
        start = at.copy()
        seeds = np.eye(len(names))

        def look(name: str) -> Number:
            if name in names:
                i = names.index(name)
                return at[i], np.concatenate([[0.0], seeds[i]])
            value, rate = self._look(name)
            return value, np.concatenate([rate, np.zeros(len(names))])

        for _ in range(STEPS):
            value, rates = residual.evaluate(look)
            step = _solved(rates[:, 1:], value)
            at = at - step
            if np.max(np.abs(step)) <= 1e-14 * (1 + np.max(np.abs(at))):
                break
        if exact and not np.max(np.abs(at - start)) <= FAR * (1 + np.max(np.abs(start))):
            raise SolveError(
                f"the state of the graph does not touch: {', '.join(names)} would have to be {at}, not {start}."
            )
        value, rates = residual.evaluate(look)
        moving = -_solved(rates[:, 1:], rates[:, 0])
        self._numbers |= {name: (at[i], moving[i : i + 1]) for i, name in enumerate(names)}


def _solved(A: Array, b: Array) -> Array:
    return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], float)
