"""How a motion changes with its start: variational equations between events, saltation matrices at events."""

from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.contact.collision import layout as numbers
from trundle.contact.collision.collide import derivative_of_impulses, impulses_of
from trundle.contact.collision_equations import contacts_that_open
from trundle.contact.modes.find import transitions
from trundle.derivative import derivative
from trundle.equations.events import event_functions
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.typing import Array

TOLERANCE = 1e-12
GRAZING = 1e-10  # speed of an event function, relative to its gradient and the speed of the state


@final
class Variation:
    """Derivatives of a system along its motions, in (q, u). They come from the equations, and of a collision from its
    own code run with complex numbers: all are exact.
    """

    def __init__(self, f: Formulation) -> None:
        self.formulation = f
        self.n = f.states.n_motion
        model = f.model
        changes = transitions(model)
        self.names = [*model.events, *(c.name for c in changes)]
        self._strikes = [False] * len(model.events) + [c.strikes for c in changes]
        functions = f.functions
        self._t, self._x, self._p = functions.inputs
        rhs = functions.plain_rhs()(self._t, self._x, self._p)
        if derivative(rhs, self._t).nnz():
            raise SolveError("the model depends on time: this map between events is for machines left to themselves.")
        self._rhs = self._with_slope("rhs", rhs[: self.n])
        self._functions = event_functions(model, functions)
        self._events = self._with_slope("events", self._functions["events"](self._t, self._x, self._p))
        self._jumps: dict[int, Any] = {}
        self._contacts = contacts_that_open(functions)

    def _with_slope(self, name: str, value: Any) -> Any:
        """Function of (t, x, p): the value and its derivative by (q, u)."""
        slope = ca.densify(derivative(value, self._x)[:, : self.n])
        return ca.Function(name, [self._t, self._x, self._p], [ca.densify(value), slope])

    @staticmethod
    def _numbers(function: Any, t: float, x: Array, p: Array) -> tuple[Array, Array]:
        value, slope = function(t, x, p)
        return np.array(value).ravel(), np.array(slope)

    # -- between events ------------------------------------------------------------------------------------------------

    def flow(self, t0: float, t1: float, x: Array, p: Array) -> Array:
        """Derivative of the state at t1 by that at t0 < t1, in one mode of the contacts."""
        from scipy.integrate import solve_ivp

        n, rest = self.n, x[self.n :]
        if t1 <= t0:
            return np.eye(n)

        def rates(t: float, y: Array) -> Array:
            rates_now, A = self._numbers(self._rhs, t, np.concatenate([y[:n], rest]), p)
            if not (np.all(np.isfinite(rates_now)) and np.all(np.isfinite(A))):
                raise SolveError(f"at t = {t:.6g} s the motion has no derivative: a law is not smooth there.")
            return np.concatenate([rates_now, (A @ y[n:].reshape(n, n)).ravel()])

        first = np.concatenate([x[:n], np.eye(n).ravel()])
        found = solve_ivp(rates, (t0, t1), first, "DOP853", t_eval=[t1], rtol=TOLERANCE, atol=TOLERANCE)
        matrix: Array = found.y[n:, -1].reshape(n, n)
        return matrix

    # -- at events -----------------------------------------------------------------------------------------------------

    def after(self, i: int, t: float, x: Array, p: Array) -> Array:
        """State after event i."""
        if self._strikes[i]:
            return self.strike(t, x, p)
        return self._jump(i, t, x, p)[0] if f"jump{i}" in self._functions else x

    def event(self, i: int, t: float, x: Array, p: Array, p_after: Array | None) -> tuple[Array, Array]:
        """State after event i, and its derivative by the state before: the saltation matrix, which compares motions at
        the same time, or with p_after=None (parameters after it) that of motions just after their own event.
        """
        if self._strikes[i]:
            after, H = self._strike(t, x, p)
        elif f"jump{i}" in self._functions:
            after, H = self._jump(i, t, x, p)
        else:
            after, H = x, np.eye(self.n)
        gradient = self._numbers(self._events, t, x, p)[1][i]
        before = self._numbers(self._rhs, t, x, p)[0]
        speed = float(gradient @ before)
        if abs(speed) <= GRAZING * float(np.linalg.norm(gradient) * np.linalg.norm(before)):
            raise SolveError(
                f"at t = {t:.6g} s the event {self.names[i]!r} is only grazed: the motion has no derivative there."
            )
        follows = np.zeros(self.n) if p_after is None else self._numbers(self._rhs, t, after, p_after)[0]
        return after, H + np.outer(follows - H @ before, gradient) / speed

    def _jump(self, i: int, t: float, x: Array, p: Array) -> tuple[Array, Array]:
        if i not in self._jumps:
            value = self._functions[f"jump{i}"](self._t, self._x, self._p)[: self._x.shape[0]]
            self._jumps[i] = self._with_slope(f"jump{i}", value)
        after, H = self._numbers(self._jumps[i], t, x, p)
        return after, H[: self.n]

    @cached_property
    def _impact(self) -> Any:
        return self._with_slope("impact", self._functions["impact"](self._t, self._x, self._p))

    def strike(self, t: float, x: Array, p: Array) -> Array:
        """State after a collision."""
        data = self._numbers(self._impact, t, x, p)[0]
        after = x.copy()
        after[self.formulation.states.u] += self._change_of_speeds(data)
        return after

    def _strike(self, t: float, x: Array, p: Array) -> tuple[Array, Array]:
        n, speeds = self.n, self.formulation.states.u
        data, slope = self._numbers(self._impact, t, x, p)
        treatment = numbers.TREATMENTS[self.formulation.model.impacts]
        impulses = impulses_of(data, self._contacts, treatment)
        H = np.eye(n)
        for k in range(n):
            way = slope[:, k]
            changed = derivative_of_impulses(data, way, self._contacts, treatment)
            H[speeds, k] += changed @ self._per_impulse(data) + impulses @ self._per_impulse(way)
        return self.strike(t, x, p), H

    def _per_impulse(self, data: Array) -> Array:
        """Changes of the speeds per unit of each impulse."""
        size = 3 * self._contacts
        return data[len(data) - size * self.formulation.n_u :].reshape(size, self.formulation.n_u)

    def _change_of_speeds(self, data: Array) -> Array:
        """By a collision with these velocities, inverse masses and changes of speed per impulse."""
        impulses = impulses_of(data, self._contacts, numbers.TREATMENTS[self.formulation.model.impacts])
        change: Array = impulses @ self._per_impulse(data)
        return change
