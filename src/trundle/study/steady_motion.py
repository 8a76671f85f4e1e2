"""Steady motions: states that the motion only carries along, found by Newton's method with derivatives from the tape.

A motion is steady where all rates of the state are those of a symmetry of the equations (study/steady.py): in axes that
move along, every acceleration vanishes. Unknown are the state and the combination c of the symmetries xi_k,

    f(x) = sum_k c_k xi_k(x),    g(q) = 0,    J u = 0,    and what is given has its value.

A step is the shortest solution of these equations in the least-squares sense: values on which no equation depends, such
as position and heading, do not change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.contact.search import ContactSearch
from trundle.derivative import derivative
from trundle.equations.formulation import Formulation
from trundle.equations.kernels import Functions
from trundle.errors import SolveError
from trundle.linear_algebra.in_place import InPlace
from trundle.model.register import is_start
from trundle.quantities.state_layout import StateLayout
from trundle.space.rotation import cross, rotation_from_quaternion
from trundle.study.first_modes import first_modes
from trundle.study.small_motions import acting
from trundle.study.start_state import STARTS, Parameters, check_rates, refuse_relaxed, start_state
from trundle.study.steady import Turn, rate_tolerance, symmetries
from trundle.typing import Array, Expr, State, TapeFunction, Values

STEPS = 100
RANK = 1e-12
HELD = 1e3  # by which what is given and what constraints hold goes before accelerations, where not all can be had
SHORTEST = 1e-5  # part of a step
FAR = 0.3  # rad or m, by which coordinates move in one step at most
CLOSE = 1e-9  # relative, of what is given, and of constraints over a typical length


def steady(f: Formulation, given: Values, start: Values | None, parameters: Parameters, t: float) -> State:
    """A steady motion with the given values, near the start: coordinates, rates and states by name."""
    if not isinstance(given, Mapping):
        raise SolveError("steady takes the prescribed values by name, such as {'shaft.angle_rate': 10.0}.")
    refuse_relaxed(f, "a steady motion")
    kane, register = f.by_kane, f.derivation.register()
    for name in given:
        register.get(name, is_start, STARTS)
    first = start_state(f, {**(start or {}), **given}, parameters, t)
    x, p = kane.states.vector(first.q, first.u), f.parameter_vector(parameters)
    p = first_modes(kane, t, x, p)
    check_rates(kane, t, x, p)
    loose = [m for m, value in f.parameters.modes_at(p).items() if m.is_switch and value != 1]
    if loose:
        raise SolveError(
            f"contact {loose[0].contact!r} slides or is open at the start: steady motions need contacts that stick. "
            f"Start in a state in which they do, or give a smooth law."
        )
    wanted = {register.full(name): value for name, value in given.items()}
    found = _Search(kane, wanted, t, p, x, tuple(given)).solve(x)
    values = kane.states.values(found[None, :])
    return {name: float(v[0, 0]) if v.shape[1] == 1 else v[0] for name, v in values.items()}


@final
@dataclass(frozen=True, eq=False)
class _Residuals:
    """What vanishes in a steady motion, its derivatives by increments of coordinates, speeds, first-order states and c,
    and the map from increments to coordinates.
    """

    values: Array
    slopes: Array
    P: Array


@final
class _Search:
    """Newton's method for one steady motion."""

    def __init__(self, f: Formulation, given: Values, t: float, p: Array, x: Array, names: tuple[str, ...]) -> None:
        functions = self.functions = f.functions
        self.names = names
        e, self.layout, self.t, self.p = functions.equations, functions.layout, t, p
        self.arrange = ContactSearch(e)
        layout = self.layout
        self.turns, self.allowed = symmetries(functions, t, x[: layout.n_motion], p)
        values = [np.atleast_1d(np.asarray(value, float)) for value in given.values()]
        for name, value in zip(given, values, strict=True):
            size = ca.SX(e.signals[name]).numel()
            if value.shape != (size,) or not np.all(np.isfinite(value)):
                raise SolveError(f"{name!r} of a steady motion must be {size} finite numbers, got {value}.")
        self.given = np.concatenate([np.zeros(0), *values])
        self._f, self.n_changes = _equations(f, self.turns, tuple(given), p)

    def _at(self, x: Array, c: Array) -> _Residuals:
        q, u = x[self.layout.q], x[self.layout.u]
        R, slopes, by_c, P, _ = (
            np.array(ca.DM(v)) for v in self._f(self.t, q, u, self.p, self.allowed @ c, self.given)
        )
        return _Residuals(R.ravel(), np.hstack([slopes, by_c @ self.allowed]), P)

    def solve(self, x: Array) -> Array:
        """The state of the steady motion; SolveError if there is none near.

        A step is shortened until the Newton step that would follow is shorter than it [Deuflhard 2011, Sect. 3.3]: that
        test does not depend on units, and stiff springs do not slow it down.
        """
        c: Array = np.zeros(self.allowed.shape[1])
        here = self._at(x, c)
        c = np.asarray(np.linalg.lstsq(here.slopes[:, len(here.slopes.T) - len(c) :], -here.values, rcond=RANK)[0])
        here, part = self._at(x, c), 1.0
        for _ in range(STEPS):
            newton = self._inverse(here)
            step = -newton @ here.values
            size = float(np.linalg.norm(step))
            if not np.isfinite(size) or size < 1e-15 * (1.0 + float(np.linalg.norm(x))):
                break
            trial = self._moved(x, c, part * step, here.P)
            there = self._at(*trial)
            after = float(np.linalg.norm(newton @ there.values)) if np.all(np.isfinite(there.values)) else np.inf
            if after <= (1.0 - part / 4) * size:
                (x, c), here, part = trial, there, min(1.0, 2 * part)
            elif part < SHORTEST:
                break
            else:
                part /= 2
        self._check(x, c, here)
        return x

    def _inverse(self, here: _Residuals) -> Array:
        """Shortest steps that take residuals away (least squares); rows are scaled by their largest entry."""
        weight = 1.0 / (1.0 + np.max(np.abs(here.slopes), axis=1))
        weight[self.n_changes :] *= HELD
        if not np.all(np.isfinite(weight)):
            return np.full(here.slopes.T.shape, np.nan)
        return np.asarray(np.linalg.pinv(weight[:, None] * here.slopes, rcond=RANK) * weight)

    def _moved(self, x: Array, c: Array, step: Array, P: Array) -> tuple[Array, Array]:
        layout, n_u = self.layout, self.layout.n_u
        way = P @ step[:n_u]
        part = min(1.0, FAR / max(float(np.max(np.abs(way), initial=0.0)), 1e-300))
        step, q = part * step, x[layout.q] + part * way
        own = layout.first_order_slice
        q[own] += step[2 * n_u : 2 * n_u + own.stop - own.start]
        q = self.arrange(self.t, q, self.p, search=False)
        return layout.vector(q, x[layout.u] + step[n_u : 2 * n_u]), c + step[len(step) - len(c) :]

    def _check(self, x: Array, c: Array, here: _Residuals) -> None:
        """SolveError that names what would still change, stays open, or is not as given."""
        layout, n = self.layout, self.n_changes
        q, u = x[layout.q], x[layout.u]
        A = InPlace(self.functions.linear)(self.t, q, u, self.p)[1]
        limit = rate_tolerance(A, x[: layout.n_motion])
        limits = np.concatenate([CLOSE * (1.0 + np.abs(u)), limit[layout.u], limit[layout.first_order_slice]])
        changes = np.abs(here.values[:n])
        speed = 1.0 + float(np.max(np.abs(u), initial=0.0))
        if not np.all(np.isfinite(here.values)) or np.any(np.abs(here.values[n:]) > 1e-3 * speed):
            raise SolveError(
                f"no steady motion was found with {' and '.join(map(repr, self.names)) or 'nothing'} given: not all of "
                f"this can hold at once, with the constraints and without accelerations. Move one of the given values "
                f"to `start`, where it is a first guess, or start closer to the motion."
            )
        if np.any(changes > limits) or np.any(np.abs(here.values[n:]) > CLOSE * speed):
            names = [*layout.turn_names(), *layout.speed_names(), *layout.first_order_places]
            worst = int(np.argmax(changes / limits))
            raise SolveError(
                f"no steady motion with the given values was found near the start: {names[worst]!r} would still change "
                f"at {here.values[worst]:.3g} per second. Give fewer values, start closer to the motion, or check "
                f"that nothing drives or brakes it."
            )
        drift = np.abs(np.array(ca.DM(self._f(self.t, q, u, self.p, self.allowed @ c, self.given)[4])).ravel())
        if np.any(drift > 1e-6 * (1.0 + np.abs(A).max(initial=0.0))):
            raise SolveError("no motion is steady here: the forces on the model change with time (t).")


def _made(f: Formulation) -> dict[tuple[object, ...], tuple[TapeFunction, int]]:
    """The equations of steady motions that have been derived."""
    return {}


def _equations(f: Formulation, turns: list[Turn], given: tuple[str, ...], p: Array) -> tuple[TapeFunction, int]:
    """What vanishes as a function of (t, q, u, p, c, given values), with its slopes, and how many of it are changes.
    Derived once for the same symmetries, names and contacts that hold.
    """
    functions = f.functions
    which = tuple((turn.kind, turn.at_u, turn.at_q, turn.axis.tobytes()) for turn in turns)
    key = (which, given, tuple(acting(functions, p).tolist()))
    known = f.once(_made)
    if key in known:
        return known[key]
    e, own = functions.equations, functions.layout.first_order_slice
    c, signals = ca.SX.sym("c", len(turns)), [ca.SX(e.signals[name]) for name in given]
    values = ca.SX.sym("given", sum(signal.numel() for signal in signals))
    changes, holds = steady_equations(functions, turns, c, p)
    R = ca.vertcat(changes, holds, ca.vertcat(ca.SX(0, 1), *signals) - values)
    P = derivative(e.position_rates(), e.u)
    z = ca.vertcat(ca.SX(0, 1), *ca.vertsplit(e.q)[own])
    slopes = [ca.mtimes(derivative(R, e.q), P), *(derivative(R, v) for v in (e.u, z))]
    outputs = [R, ca.horzcat(*slopes), derivative(R, c), P, derivative(changes, e.t)]
    function = ca.Function("steady", [e.t, e.q, e.u, e.p, c, values], [ca.densify(o) for o in outputs])
    known[key] = function, changes.numel()
    return known[key]


def steady_equations(functions: Functions, turns: list[Turn], c: Expr, p: Array) -> tuple[Expr, Expr]:
    """What vanishes in a motion along the combination c of symmetries: changes in moving axes, and constraints that act
    with the modes of the contacts in p. Without symmetries the motion is rest.
    """
    e, layout = functions.equations, functions.layout
    rows = [row for row, held in zip(functions.independent, acting(functions, p), strict=True) if held]
    size = [functions.length if row.unit == "m" else 1.0 for row in rows]
    closing = [row.residual / k for row, k in zip(rows, size, strict=True) if row.holonomic]
    rolling = [row.rate / k for row, k in zip(rows, size, strict=True)]
    w, rate, carried = _flow(turns, c, layout, e.q, e.u)
    own = ca.vertcat(ca.SX(0, 1), *ca.vertsplit(e.coordinate_rates())[layout.first_order_slice])
    changes = ca.vertcat(e.u - w, functions.dynamics[0] - rate, own - carried)
    return changes, ca.vertcat(ca.SX(0, 1), *closing, *rolling)


def _flow(turns: list[Turn], c: Expr, layout: StateLayout, q: Expr, u: Expr) -> tuple[Expr, Expr, Expr]:
    """Rates of coordinates (in the sense of speeds), of speeds and of first-order states along the symmetry c."""
    w, rate = ca.SX.zeros(layout.n_u), ca.SX.zeros(layout.n_u)
    own = ca.SX.zeros(len(layout.first_order))
    for k, turn in enumerate(turns):
        at, axis = list(turn.at_u), ca.SX(ca.DM(turn.axis))
        if turn.kind == "state":
            own[turn.at_q - layout.first_order_slice.start] += c[k]
        elif turn.kind == "shift":
            w[at] += c[k]
        elif turn.kind == "first":
            w[at] += c[k] * ca.mtimes(rotation_from_quaternion(q[turn.at_q : turn.at_q + 4]).T, axis)
        elif turn.kind == "second":
            w[at] += c[k] * axis
            rate[at] -= c[k] * cross(axis, u[at])
        else:
            spin = ca.DM(turn.spin)
            w[at] += c[k] * ca.mtimes(spin, q[turn.at_q : turn.at_q + len(at)])
            rate[at] += c[k] * ca.mtimes(spin, u[at])
    return w, rate, own
