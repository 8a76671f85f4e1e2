"""Jumps of the derivatives of a motion at events.

An event happens in neighbouring motions at another time, earlier by dt for each unit of theta; their
states at one and the same time differ after it by the derivative of the jump and by what the motion before and after it
makes of that time (saltation [Leine 2004, Eq. 7.79]).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final

import casadi as ca
import numpy as np

from trundle.contact.collision import layout as numbers
from trundle.contact.collision.collide import derivative_of_impulses, impulses_of
from trundle.contact.collision_equations import contacts_that_open
from trundle.derivative import derivative
from trundle.equations.events import event_functions
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.integrate.trajectory import EventLog
from trundle.typing import Array, Expr, TapeFunction

GRAZING = 1e-10  # rate of an event function, relative to its gradient and the rates of the state
AT_ZERO = 1e-6  # s: a function that is so near to its root is met in its own right
AT_ONCE = 1e-13  # of the time: events closer to each other happen together
TOGETHER = 1e-6  # relative difference of times at which events happen together


@final
@dataclass(frozen=True, eq=False)
class Change:
    """A small change of the motion for each column: of the state, of the parameters in use, and of the time."""

    x: Array
    p: Array
    t: Array


@final
@dataclass(frozen=True, eq=False)
class EventJump:
    """Events at one time, in their order, with state and parameters before each, and the parameters after them."""

    t: float
    index: tuple[int, ...]
    x: Array
    p: Array
    p_after: Array


def event_jumps(log: EventLog, p_end: Array, jumps: "Jumps") -> Iterator[tuple[int, int, EventJump]]:
    """Events that change the motion, those at one time together: the first, the last, and what is known of them.

    p_end: the parameters after the last of them.
    """
    after = [*log.p[1:], p_end]
    k = 0
    while k < len(log):
        last = k
        while last + 1 < len(log) and log.t[last + 1] - log.t[k] <= AT_ONCE * max(1.0, abs(float(log.t[k]))):
            last += 1
        group = slice(k, last + 1)
        index = tuple(int(i) for i in log.index[group])
        if not all(jumps.is_recorded(i) for i in index):
            yield k, last, EventJump(float(log.t[k]), index, log.x[group], log.p[group], after[last])
        k = last + 1


def changed_by_events(f: Formulation) -> set[int]:
    """Parameters that events of the model change."""
    actions = [event.action for event in f.model.events.values() if not isinstance(event.action, str)]
    named = {f.derivation.register().full(name) for action in actions for name in action}
    return {f.parameters.parameter(name) for name in f.parameters.parameters if name in named}


def jumps_of(f: Formulation, used: tuple[int, ...]) -> "Jumps":
    """The jumps of a model, with these parameters in use."""
    known = f.once(_known_jumps)
    if used not in known:
        known[used] = Jumps(f, used)
    return known[used]


def _known_jumps(f: Formulation) -> dict[tuple[int, ...], "Jumps"]:
    """Cache, by the parameters in use."""
    return {}


@final
class Jumps:
    """Derivatives of event functions, jumps and collisions of a model by state, parameters in use and time."""

    def __init__(self, f: Formulation, used: tuple[int, ...]) -> None:
        self.formulation, self.used, self.n = f, list(used), f.n_x
        changes = f.transitions
        self.names = [*f.model.events, *(c.name for c in changes)]
        self._strikes = [False] * len(f.model.events) + [c.strikes for c in changes]
        self._recorded = [event.action == "record" for event in f.model.events.values()] + [False] * len(changes)
        self._kept = [False] * len(f.model.events) + [not c.reported for c in changes]  # numbers stored for laws
        self._t, self._x, self._p = f.functions.inputs
        self._contacts = contacts_that_open(f.functions)

    def is_recorded(self, i: int) -> bool:
        """Whether event i leaves the motion as it is."""
        return self._recorded[i]

    def after(self, event: EventJump, S: Array, P: Array) -> tuple[Array, Array, Array, Array]:
        """State after events at one time, S and P after them, and the derivative of the time at which they happen."""
        if all(self._kept[i] or self._recorded[i] for i in event.index):
            return event.x[0], S, P, np.full(S.shape[1], np.nan)
        x, change = self.at_own_time(event, S, P, stopped=True)
        x = self._on_constraints(event.t, x, event.p_after)
        S = change.x - np.outer(self._rates(event.t, x, event.p_after), change.t)
        return x, self._tangent(event.t, x, event.p_after, S, change.p), change.p, change.t

    def state_after(self, event: EventJump) -> Array:
        """State after the events."""
        none = np.zeros((self.n, 0))
        x: Array = event.x[-1]
        for k, i in enumerate(event.index):
            x, _ = self._jump(i, event.t, event.x[k], event.p[k], Change(none, np.zeros((len(self.used), 0)), none[0]))
        return x

    def at_own_time(self, event: EventJump, S: Array, P: Array, stopped: bool = False) -> tuple[Array, Change]:
        """State after the events, and how states of motions nearby differ from it just after their own events;
        `stopped`: after constraints have stopped what landings have left.
        """
        before = self._rates(event.t, event.x[0], event.p[0])
        dt = self._times(event, S, P, before)
        x, change = event.x[-1], Change(S + np.outer(before, dt), P, dt)
        for k, i in enumerate(event.index):
            x, change = self._jump(i, event.t, event.x[k], event.p[k], change)
            if stopped and self._strikes[i]:
                p = event.p[k + 1] if k + 1 < len(event.index) else event.p_after
                change = self._stopped_by_laws(event.t, x, p, change)
        return x, change

    def _stopped_by_laws(self, t: float, x: Array, p: Array, change: Change) -> Change:
        """Changes at their own times after the constraints of now have stopped what a landing left: spin or rolling
        that laws hold.
        """
        if self._project is None:
            return change
        _, by_x, by_p, by_t = self._evaluate(self._project, t, x, p)
        moved = by_x @ change.x + by_p @ change.p + np.outer(by_t, change.t)
        return Change(moved[: self.n], change.p, change.t)

    def _tangent(self, t: float, x: Array, p: Array, S: Array, P: Array) -> Array:
        """Changes of the state as the constraints of now allow them: what slides in a plane comes to rest in both
        directions at once, and the friction that takes the last of a sideways slip acts like an impulse.
        """
        if self._project is None:
            return S
        _, by_x, by_p, _ = self._evaluate(self._project, t, x, p)
        return (by_x @ S + by_p @ P)[: self.n]

    def _times(self, event: EventJump, S: Array, P: Array, rates: Array) -> Array:
        """Derivatives of the time at which the events happen."""
        value, by_x, by_p, by_t = self._evaluate(self._events, event.t, event.x[0], event.p[0])
        found: list[tuple[int, Array]] = []
        for i in dict.fromkeys(event.index):
            speed = float(by_x[i] @ rates + by_t[i, 0])
            size = float(np.linalg.norm(by_x[i]) * np.linalg.norm(rates)) + abs(float(by_t[i, 0]))
            if abs(value[i]) > AT_ZERO * abs(speed) or (self._recorded[i] and len(event.index) > 1) or self._kept[i]:
                continue  # what another event at the same time brought about
            if abs(speed) <= GRAZING * size:
                raise SolveError(
                    f"at t = {event.t:.6g} s the event {self.names[i]!r} is only grazed: neighbouring motions may miss "
                    "it, and the run has no derivative beyond that time. Choose a shorter duration."
                )
            found.append((i, -(by_x[i] @ S + by_p[i] @ P) / speed))
        if not found:
            named = ", ".join(repr(self.names[i]) for i in event.index)
            raise SolveError(
                f"at t = {event.t:.6g} s {named} is only grazed, or was caused by another event: its time in a "
                "neighbouring motion is undetermined, and the run has no derivative beyond that time."
            )
        first, dt = found[0]
        for i, other in found[1:]:
            if np.any(np.abs(other - dt) > TOGETHER * (np.abs(other) + np.abs(dt)) + 1e-12):
                raise SolveError(
                    f"at t = {event.t:.6g} s the events {self.names[first]!r} and {self.names[i]!r} happen at once, "
                    "and one after the other in motions nearby: the run has no derivative beyond that time. For a "
                    "body that moves in the x, z plane only, m.contact(..., planar=True) has fewer contacts."
                )
        return dt

    def _jump(self, i: int, t: float, x: Array, p: Array, change: Change) -> tuple[Array, Change]:
        """State after event i, and what becomes of a change of the motion."""
        if self._strikes[i]:
            return self._strike(t, x, p, change)
        if f"jump{i}" not in self._functions or i >= len(self.formulation.model.events):
            return x, change  # modes of contacts leave the motion as it is
        value, by_x, by_p, by_t = self._evaluate(self._jump_functions(i), t, x, p)
        moved = by_x @ change.x + by_p @ change.p + np.outer(by_t, change.t)
        return value[: self.n], Change(moved[: self.n], moved[self.n :][self.used], change.t)

    def _strike(self, t: float, x: Array, p: Array, change: Change) -> tuple[Array, Change]:
        speeds, treatment = self.formulation.states.u, numbers.TREATMENTS[self.formulation.model.impacts]
        data, by_x, by_p, by_t = self._evaluate(self._impact, t, x, p)
        ways = by_x @ change.x + by_p @ change.p + np.outer(by_t, change.t)
        impulses = impulses_of(data, self._contacts, treatment)
        after, moved = x.copy(), change.x.copy()
        after[speeds] += impulses @ self._per_impulse(data)
        for k, way in enumerate(ways.T):
            changed = derivative_of_impulses(data, way, self._contacts, treatment)
            moved[speeds, k] += changed @ self._per_impulse(data) + impulses @ self._per_impulse(way)
        return after, Change(moved, change.p, change.t)

    def _per_impulse(self, data: Array) -> Array:
        """Changes of the speeds per unit of each impulse."""
        size, n_u = 3 * self._contacts, self.formulation.n_u
        return data[len(data) - size * n_u :].reshape(size, n_u)

    def _on_constraints(self, t: float, x: Array, p: Array) -> Array:
        project = self.formulation.kernels("base").get("project")
        for _ in range(2 if project is not None else 0):
            x = np.array(project(t, x, p))[: self.n]  # type: ignore[misc]
        return x

    # -- functions on the tape -----------------------------------------------------------------------------------------

    @cached_property
    def _functions(self) -> dict[str, TapeFunction]:
        return event_functions(self.formulation.model, self.formulation.functions)

    @cached_property
    def _events(self) -> TapeFunction:
        return self._with_slopes("events", self._functions["events"](self._t, self._x, self._p))

    @cached_property
    def _project(self) -> TapeFunction | None:
        project = self.formulation.functions.project()
        return None if project is None else self._with_slopes("project", project(self._t, self._x, self._p)[: self.n])

    @cached_property
    def _impact(self) -> TapeFunction:
        return self._with_slopes("impact", self._functions["impact"](self._t, self._x, self._p))

    @cached_property
    def _known_jumps(self) -> dict[int, TapeFunction]:
        return {}

    def _jump_functions(self, i: int) -> TapeFunction:
        if i not in self._known_jumps:
            value = self._functions[f"jump{i}"](self._t, self._x, self._p)
            self._known_jumps[i] = self._with_slopes(f"jump{i}", value)
        return self._known_jumps[i]

    def _with_slopes(self, name: str, value: Expr) -> TapeFunction:
        """The value and its derivatives by x, by the parameters in use and by t."""
        by = (self._x, self._p[self.used] if self.used else ca.SX(0, 1), self._t)
        slopes = [ca.densify(derivative(value, symbols)) for symbols in by]
        return ca.Function(name, [self._t, self._x, self._p], [ca.densify(value), *slopes])

    @staticmethod
    def _evaluate(function: TapeFunction, t: float, x: Array, p: Array) -> tuple[Array, Array, Array, Array]:
        value, *slopes = function(t, x, p)
        by_x, by_p, by_t = (np.array(slope) for slope in slopes)
        return np.array(value).ravel(), by_x, by_p.reshape(len(by_x), -1), by_t

    def _rates(self, t: float, x: Array, p: Array) -> Array:
        return np.array(self.formulation.kernels("base")["rhs"](t, x, p))
