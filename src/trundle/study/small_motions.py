"""Small motions on the constraint manifold: independent coordinates and speeds, and the state matrix in them.

With T = [1; G] the tangents of the manifold of positions and V those of the allowed velocities (rolling leaves fewer
speeds than coordinates), a small motion is dq = P T ds, du = V dv + W ds, where W keeps the velocity constraints; the
derivative of the exact equations along these directions gives the state matrix.
"""

from dataclasses import dataclass, replace
from typing import final

import casadi as ca
import numpy as np

from trundle.constraints.row import Row
from trundle.equations.kernels import Functions
from trundle.equations.mobility import split_speeds
from trundle.linear_algebra.pivot_order import pivot_order
from trundle.linear_algebra.rank import rank_of_values
from trundle.quantities.state_layout import StateLayout
from trundle.study.steady import MovingAxes
from trundle.symbols.quick_symbols import quick_symbols
from trundle.typing import AnyArray

ROUND_OFF = 1e-13  # by which a state is changed to see which derivatives are more than that
SOON = (-1e-2, -1e-3, 1e-3, 1e-2)  # s: when the matrix is computed again, to see whether it changes with time
SAME = 1e-7  # negligible relative change of an entry


@final
@dataclass(frozen=True, eq=False)
class Chart:
    """Independent coordinates, speeds and first-order states, and the state matrix in them."""

    functions: Functions
    coordinates: list[int]
    speeds: list[int]
    axes: MovingAxes | None

    @property
    def names(self) -> list[str]:
        """Of the states, before any are left out."""
        layout = self.functions.layout
        every, motions = layout.speed_names(), layout.turn_names()
        own = [entry.name for entry in layout.first_order]
        return [*(motions[i] for i in self.coordinates), *(every[i] for i in self.speeds), *own]

    def __call__(self, t: float, x: AnyArray, p: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
        """The matrix, and all speeds per unit of each coordinate and of each speed."""
        return self.compose(x, p, *evaluate(self.functions, t, x, p))

    def compose(
        self, x: AnyArray, p: AnyArray, rates: AnyArray, A: AnyArray, J: AnyArray, Jq: AnyArray, P: AnyArray
    ) -> tuple[AnyArray, AnyArray, AnyArray]:
        """The same from what was evaluated at x; complex parts, where there are any, go through it as derivatives."""
        n_q = self.functions.equations.n_q
        B, T, V = self._basis(p, J, Jq, P)
        own = self.functions.layout.first_order_slice
        full = A @ B
        back, back_rate = _back(self.functions.layout, x[:n_q], rates[:n_q])  # speeds-like increments of coordinates
        ds_rate = back @ full[:n_q] + back_rate @ B[:n_q]
        du_rate = full[n_q:]
        if self.axes is not None:
            ds_rate = ds_rate - self.axes.on_coordinates @ back @ B[:n_q]
            du_rate = du_rate - self.axes.on_speeds @ B[n_q:]
        return np.vstack([ds_rate[self.coordinates], du_rate[self.speeds], full[own]]), T, V

    def basis(self, t: float, x: AnyArray, p: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
        """Changes of (q, u) that the constraints allow, per unit of each state; all speeds per unit of each coordinate
        and of each speed.
        """
        _, _, J, Jq, P = evaluate(self.functions, t, x, p)
        return self._basis(p, J, Jq, P)

    def _basis(self, p: AnyArray, J: AnyArray, Jq: AnyArray, P: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
        n_q, n_u = self.functions.equations.n_q, self.functions.equations.n_u
        holonomic = np.array([row.holonomic for row in held_rows(self.functions, p)], bool)
        T, V = _in_terms_of(J[holonomic], self.coordinates), _in_terms_of(J, self.speeds)
        W = np.zeros((n_u, len(self.coordinates)), J.dtype)
        if len(J):
            dependent = [i for i in range(n_u) if i not in self.speeds]
            rows = _independent_rows(J[:, dependent], len(dependent))
            W[dependent] = -np.linalg.solve(J[rows][:, dependent], (Jq @ P @ T)[rows])
        B = np.block([[P @ T, np.zeros((n_q, len(self.speeds)))], [W, V]])
        return np.hstack([B, np.eye(n_q + n_u)[:, self.functions.layout.first_order_slice]]), T, V

    def in_fixed_axes(self, t: float, x: AnyArray, p: AnyArray) -> AnyArray:
        return replace(self, axes=None)(t, x, p)[0]

    def frozen(self, t: float, x: AnyArray, p: AnyArray, matrix: AnyArray) -> AnyArray:
        """Which entries change with time itself: more than round-off does, and soon."""
        if not self.functions.equations.model.frames and not self.functions.depends_on_time:
            return np.zeros(matrix.shape, bool)
        change = np.max([np.abs(self(t + later, x, p)[0] - matrix) for later in SOON], axis=0)
        least = np.maximum(10 * self._round_off(t, x, p, matrix), 1e-10 * np.max(np.abs(matrix), axis=1, keepdims=True))
        frozen: AnyArray = change > np.maximum(SAME * np.abs(matrix), least)
        return frozen

    def known(self, t: float, x: AnyArray, p: AnyArray, matrix: AnyArray) -> AnyArray:
        """Which entries are more than round-off: those that a change of the state by round-off leaves as they are."""
        known: AnyArray = np.abs(matrix) > 10 * self._round_off(t, x, p, matrix)
        return known

    def _round_off(self, t: float, x: AnyArray, p: AnyArray, matrix: AnyArray) -> AnyArray:
        rng = np.random.default_rng(2)
        nearby = [x + ROUND_OFF * (1 + np.abs(x)) * rng.uniform(-1, 1, size=len(x)) for _ in range(3)]
        change: AnyArray = np.max([np.abs(self(t, other, p)[0] - matrix) for other in nearby], axis=0)
        return change


def evaluate(functions: Functions, t: float, x: AnyArray, p: AnyArray) -> tuple[AnyArray, ...]:
    """Rates, their derivatives, rows on speeds, derivatives of their rates, and coordinate rates over speeds."""
    n_q = functions.equations.n_q
    with quick_symbols():
        rates, A, J, Jq, P = functions.linear_at(t, x[:n_q], x[n_q:], p)
    held = acting(functions, p)
    return rates.ravel(), A, J[held], Jq[held], P


def acting(functions: Functions, p: AnyArray) -> AnyArray:
    """Which of the independent rows hold speeds, with the modes of the contacts in p."""
    held = np.array([row.level != "acceleration" for row in functions.independent], bool)
    if all(row.active is None for row in functions.independent):
        return held
    found: AnyArray = held & (np.array(ca.DM(functions.acting_rows(p))).ravel() != 0)
    return found


def held_rows(functions: Functions, p: AnyArray) -> list[Row]:
    """The independent rows that hold speeds."""
    return [row for row, held in zip(functions.independent, acting(functions, p), strict=True) if held]


def tangents_of(J: AnyArray, avoid: AnyArray) -> tuple[list[int], AnyArray]:
    """Independent speeds, not of those to avoid where it can be helped, and all speeds per unit of them."""
    rank = rank_of_values(np.linalg.svd(J.real, compute_uv=False))
    independent, _ = split_speeds(J[_independent_rows(J, rank)], avoid)
    return independent, _in_terms_of(J, independent)


def _in_terms_of(J: AnyArray, independent: list[int]) -> AnyArray:
    """All speeds per unit of the independent ones."""
    T = np.zeros((J.shape[1], len(independent)), J.dtype)
    T[independent, range(len(independent))] = 1.0
    dependent = [i for i in range(J.shape[1]) if i not in independent]
    if dependent:
        rows = _independent_rows(J[:, dependent], len(dependent))
        T[dependent] = -np.linalg.solve(J[rows][:, dependent], J[rows][:, independent])
    return T


def _independent_rows(J: AnyArray, count: int) -> AnyArray:
    """So many rows that do not depend on each other: contacts that stick may hold a body more often than it can move,
    and then the others follow from these.
    """
    if len(J) <= count:
        return np.arange(len(J))
    return np.sort(pivot_order(J.real.T)[:count])


def _back(layout: StateLayout, q: AnyArray, qdot: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Matrices from changes of q to increments in the sense of the speeds, and the rate of that matrix."""
    back, rate = np.zeros((2, layout.n_u, layout.n_q), q.dtype)
    for c in layout.coordinates:
        if c.n_u == 1:
            back[c.i_u, c.i_q] = 1.0
            continue
        block = np.s_[c.i_u : c.i_u + 3, c.i_q : c.i_q + 4]
        back[block] = 4 * _quaternion_map(q[c.i_q : c.i_q + 4]).T
        rate[block] = 4 * _quaternion_map(qdot[c.i_q : c.i_q + 4]).T
    return back, rate


def _quaternion_map(q: AnyArray) -> AnyArray:
    """The matrix of quaternion_rate."""
    w, x, y, z = q
    return np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]) / 2
