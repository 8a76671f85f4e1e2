"""Poses that satisfy the constraints: near a given one, or found from it for the first time."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from trundle.constraints.row import Row
from trundle.contact.search import ContactSearch
from trundle.equations.derive import Equations
from trundle.equations.row_functions import RowFunctions
from trundle.errors import AssemblyError
from trundle.linear_algebra.pivot_order import pivot_order
from trundle.linear_algebra.rank import TOLERANCE, rank
from trundle.typing import Array

STEPS = 200  # most steps of Newton's method


class Residuals(Protocol):
    """Equations to be solved: residuals, rates, rows J and the map P from speeds to coordinate rates."""

    @property
    def equations(self) -> Equations: ...
    @property
    def settle(self) -> ContactSearch: ...
    @property
    def holonomic(self) -> Array: ...
    @property
    def largest_steps(self) -> Array: ...  # largest change of each coordinate in one step
    def comparable(self, J: Array) -> Array: ...
    def __call__(self, t: float, q: Array, u: Array, p: Array) -> tuple[Array, Array, Array, Array]: ...


def close(
    rows: Residuals,
    q: Array,
    t: float,
    p: Array,
    freedom: Array | None = None,
    tolerance: float = 1e-14,
    search: bool = True,
    far: bool = False,
) -> tuple[Array, float]:
    """Move q onto the manifold (damped Gauss-Newton); returns pose and residual. Entries with freedom 0 are fixed,
    those with a larger one move more; by default each moves in proportion to its largest step.

    far: whether sliding coordinates may move far in one step, for distant targets. search: whether contacts that closed
    loops and were lost are searched for all over their surfaces at the start.
    """
    e = rows.equations
    u = np.zeros(e.n_u)
    F = rows.largest_steps**2 if freedom is None else freedom
    held = rows.holonomic
    turns = np.ones(e.n_u, bool)
    for link in e.tree.links:
        turns[link.i_u : link.i_u + link.n_u] = not far or link.kind != "slide"

    def evaluate(q: Array, search: bool) -> tuple[Array, Array, Array, Array]:
        q = rows.settle(t, q, p, search)
        g, _, J, P = rows(t, q, u, p)
        return q, g[held], J[held], rows.settle.without_loose(P)

    q, g, J, P = evaluate(q, search)
    if not np.all(np.isfinite(g)) or not np.all(np.isfinite(J)):
        return q, np.inf
    error, damping = float(np.linalg.norm(g)), 1e-3
    for _ in range(STEPS):
        if np.max(np.abs(g), initial=0.0) < tolerance or not np.any(F):
            break
        A = (J * F) @ J.T
        shift = damping * max(float(np.trace(A)) / len(g), TOLERANCE**2)  # round-off must not move anything
        step = -F * (J.T @ np.linalg.solve(A + shift * np.eye(len(g)), g))
        if not np.all(np.isfinite(P)):
            return q, np.inf
        # A step is at most a radian or the largest length; sliding coordinates may move farther if that reduces the
        # error.
        for moving in (turns, np.ones(e.n_u, bool)) if far else (turns,):
            largest = float(np.max(np.abs(step / rows.largest_steps)[moving], initial=0.0))
            trial = evaluate(q + P @ (step * min(1.0, 1.0 / max(largest, 1e-300))), search=False)
            norm = float(np.linalg.norm(trial[1])) if np.all(np.isfinite(trial[2])) else np.inf
            if norm < error:
                break
        if norm < error:
            (q, g, J, P), error, damping = trial, norm, max(damping / 10, 1e-15)
        else:
            damping *= 8
            if damping > 1e8:
                break
    return q, float(np.max(np.abs(g), initial=0.0))


def assemble(
    rows: RowFunctions, start: Array, freedom: Array | None, p: Array, bodies_of: Callable[[Row], str]
) -> Array:
    """A pose that satisfies all rows at t = 0: from the given start, or else from random ones nearby.

    First only dependent coordinates move, then all that were not given (freedom 1), then all: so the given values
    select the branch, and coordinates do not change unnecessarily.
    """
    rng = np.random.default_rng(20240)
    best, q_best = np.inf, start
    e = rows.equations
    sizes = np.ones(len(start))
    for link in e.tree.links:
        if link.kind == "slide":
            sizes[link.i_q] = rows.largest_steps[link.i_u]
    places = len(start) - len(e.law_states)  # states of springs and friction are not varied
    settled = rows.settle(0.0, start, p)
    _, _, J, _ = rows(0.0, settled, np.zeros(rows.equations.n_u), p)
    J = J[rows.holonomic]
    if np.all(np.isfinite(J)):
        given = np.zeros(J.shape[1], bool) if freedom is None else freedom == 0
        movable = pivots(rows.comparable(J), given, np.linspace(1.0, 4.0, J.shape[1]))
        q, error = close(rows, start, 0.0, p, rows.largest_steps**2 * movable)
        if error < 1e-11:
            return q
    for trial in range(25):
        spread = 0.2 * max(trial - 1, 0)
        guess = start + spread * sizes * rng.normal(size=len(start))
        guess[places:] = start[places:]
        if trial == 0 and freedom is not None:
            guess, _ = close(rows, guess, 0.0, p, rows.largest_steps**2 * freedom)
        q, error = close(rows, guess, 0.0, p)
        if error < best:
            best, q_best = error, q
        if error < 1e-10:
            return q
    g = np.abs(rows(0.0, q_best, np.zeros(rows.equations.n_u), p)[0] * rows.holonomic)
    worst = worst_rows(g, 6)
    named = ", ".join(f"{rows.names[i]} ({bodies_of(rows.equations.rows[i])}; off by {g[i]:.3g})" for i in worst)
    raise AssemblyError(
        "the loops cannot be closed: no configuration satisfies all constraints. Violated constraints: "
        f"{named}. Check the lengths and the positions of the joints, or give a start pose closer to the assembled one."
    )


def worst_rows(g: Array, most: int) -> list[int]:
    """Indices of the rows with the largest residuals and of those of similar size; NaN comes first."""
    size = np.where(np.isnan(g), np.inf, np.abs(g))
    order = [int(i) for i in np.argsort(-size, kind="stable")[:most]]
    return [i for i in order if size[i] >= 1e-3 * size[order[0]]]


def pivots(J: Array, given: Array, ease: Array, count: int | None = None) -> Array:
    """1 for the speeds used to satisfy the (dimensionless) rows, otherwise 0: of those not given, the best by pivot
    times ease. `count` is their number, if known.
    """
    out = np.zeros(J.shape[1])
    if J.size == 0:
        return out
    movable = J * np.where(given, 0.0, 1.0)
    order = pivot_order(movable * ease)
    out[order[: rank(movable) if count is None else count]] = 1.0
    return out
