"""Steady motions are equilibria in moving axes: found from the symmetries of the equations at and around a state.

A vehicle in a steady turn, a rolling wheel and a spinning rotor move all the time; but there is a symmetry of their
equations (the whole turns about the vertical, a wheel turns about its own axis, a place shifts) along which the motion
carries the state, so that in axes that move with it nothing changes. With xdot = f(x), a symmetry xi and f(x0) =
xi(x0), small motions in these axes obey the matrix df/dx - dxi/dx, which is constant.

Candidates are, for each joint of the tree: a shift of each coordinate, a turn of a quaternion about an axis of its
first frame or of its second frame, and a turn of its displacements. A combination of them is a symmetry where its Lie
bracket with f vanishes, here at several states around x0: a turn that only happens to be tangent to f is not enough.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.contact.search import ContactSearch
from trundle.equations.kernels import Functions
from trundle.linear_algebra.repeatable import repeatable_basis
from trundle.motion.kinematics import normalised
from trundle.quantities.coordinate import Coordinate
from trundle.quantities.state_layout import StateLayout
from trundle.space.rotation import rotation_from_quaternion, skew
from trundle.typing import Array, Expr, Index

STATES = 6  # around the given one, at which a symmetry must hold
AROUND = 0.1  # how far these are away: rad, typical lengths, and parts of the speeds
NEARER = (1.0, 1e-1, 1e-2, 1e-3, 1e-4)  # parts of that, where the equations have no answer
SYMMETRIC = 1e-8  # relative size of a bracket that vanishes: scaled by its own terms, not by the length of the model
RANK = 1e-11  # of weighted rows, which are not free of units as those of `linear_algebra.rank` are
LEAST = 1e-5  # terms of a bracket that are smaller, relative to those of others, may be round-off alone


@final
@dataclass(frozen=True, eq=False)
class Turn:
    """A candidate: `kind` "shift" (of a scalar), "first" or "second" (of a quaternion), "place" (of displacements), or
    "state" (a shift of a state with a rate of its own, such as a distance travelled).
    """

    kind: str
    at_u: tuple[int, ...]  # speeds that it concerns
    axis: Array  # for displacements in a plane, of the plane
    at_q: int = 0  # of the quaternion, of the first displacement, or of the state

    def speeds(self, q: Array, u: Array) -> tuple[Array, Array]:
        """Rates of the coordinates in the sense of speeds, and rates of the speeds, along the symmetry."""
        w, rate = np.zeros(len(u)), np.zeros(len(u))
        at = list(self.at_u)
        if self.kind == "shift":
            w[at] = 1.0
        elif self.kind == "first":
            w[at] = rotation_from_quaternion(q[self.at_q : self.at_q + 4]).T @ self.axis
        elif self.kind == "second":
            w[at], rate[at] = self.axis, -np.cross(self.axis, u[at])
        elif self.kind == "place":
            w[at] = self.spin @ q[self.at_q : self.at_q + len(at)]
            rate[at] = self.spin @ u[at]
        return w, rate

    def states(self, layout: StateLayout) -> Array:
        """Rates of the first-order states along the symmetry."""
        flow = np.zeros(layout.n_q)
        if self.kind == "state":
            flow[self.at_q] = 1.0
        return flow[layout.first_order_slice]

    @property
    def spin(self) -> Array:
        """Matrix by which it turns displacements."""
        n = len(self.at_u)
        return skew(self.axis)[:n, :n]

    def on_increments(self, n_u: int) -> tuple[Array, Array]:
        """Its derivatives with respect to increments of the coordinates (a quaternion's in axes of the second frame)
        and to the speeds.
        """
        s, u = np.zeros((n_u, n_u)), np.zeros((n_u, n_u))
        block = np.ix_(self.at_u, self.at_u)
        if self.kind == "second":
            s[block] = u[block] = -skew(self.axis)
        elif self.kind == "place":
            s[block] = u[block] = self.spin
        return s, u


@final
@dataclass(frozen=True, eq=False)
class MovingAxes:
    """Axes in which a steady motion is at rest."""

    on_coordinates: Array  # d xi/d(increments of the coordinates)
    on_speeds: Array  # d xi/d(speeds)
    speeds: Array  # xi itself: rates of the coordinates ...
    accelerations: Array  # ... and of the speeds


def candidates(layout: StateLayout) -> list[Turn]:
    """Everything that may be a symmetry, joint by joint."""
    found: list[Turn] = []
    joints: dict[str, list[Coordinate]] = {}
    for c in layout.coordinates:
        joints.setdefault(c.owner, []).append(c)
    for parts in joints.values():
        found += _of_joint(parts)
    own = layout.own_slice
    return found + [Turn("state", (), np.zeros(3), i) for i in range(own.start, own.stop)]


def _of_joint(parts: list[Coordinate]) -> Iterator[Turn]:
    axes = np.eye(3)
    for c in parts:
        if c.n_u == 1:
            yield Turn("shift", (c.i_u,), axes[2])
        else:
            speeds = (c.i_u, c.i_u + 1, c.i_u + 2)
            yield from (Turn(kind, speeds, axis, c.i_q) for kind in ("second", "first") for axis in axes)
    places = [c for c in parts if c.n_u == 1 and c.step.name in ("x", "y", "z") and c.unit == "m"]
    if [c.step.name for c in places] in (["x", "y"], ["x", "y", "z"]):
        at = tuple(c.i_u for c in places)
        for axis in axes if len(places) == 3 else axes[2:]:
            yield Turn("place", at, axis, places[0].i_q)


def symmetries(functions: Functions, t: float, x: Array, p: Array) -> tuple[list[Turn], Array]:
    """Candidates, and as columns the combinations of them that are symmetries of the equations around x = [q, u]."""
    layout = functions.layout
    turns = candidates(layout)
    around = _around(functions, t, x[layout.q], x[layout.u], p)
    increments = [turn.on_increments(layout.n_u)[1] for turn in turns]
    brackets = [_brackets(functions, turns, increments, t, q, u, p) for q, u in around]
    D, size, least = (np.stack(part) for part in zip(*brackets, strict=True))
    return turns, _null_space(D, size, least)


def moving_axes(functions: Functions, t: float, x: Array, p: Array) -> MovingAxes | None:
    """Axes in which the motion from the state x = [q, u] is at rest; None if there are none."""
    layout = functions.layout
    n_u = layout.n_u
    q0, u0 = x[layout.q], x[layout.u]
    turns, allowed = symmetries(functions, t, x, p)
    rates, A, _ = _linear(functions, t, q0, u0, p)
    W = np.array([np.concatenate([*turn.speeds(q0, u0), turn.states(layout)]) for turn in turns]).T
    wanted = np.concatenate([u0, rates[layout.u], rates[layout.first_order_slice]])
    c = _combination(allowed, W, wanted, *frames_then_bodies(turns))
    limit = rate_tolerance(A, x)
    limits = np.concatenate([1e-9 * (1.0 + np.abs(u0)), limit[layout.u], limit[layout.first_order_slice]])
    if np.any(np.abs(W @ c - wanted) > limits):
        return None
    parts = [turn.on_increments(n_u) for turn in turns]
    reached = W @ c
    return MovingAxes(
        sum((k * s for k, (s, _) in zip(c, parts, strict=True)), np.zeros((n_u, n_u))),
        sum((k * v for k, (_, v) in zip(c, parts, strict=True)), np.zeros((n_u, n_u))),
        reached[:n_u],
        reached[n_u : 2 * n_u],
    )


def rate_tolerance(A: Array, x: Array) -> Array:
    """Rates that count as zero, for each state: in its own unit, and from the accuracy of the state."""
    limit: Array = 1e-7 + np.abs(A) @ (1e-11 * (1.0 + np.abs(x)))
    return limit


def _around(functions: Functions, t: float, q: Array, u: Array, p: Array) -> Iterator[tuple[Array, Array]]:
    """The state and others around it; contacts are followed. Where the equations end nearer (a table that is left), so
    do these states.
    """
    rng = np.random.default_rng(1)
    arrange = ContactSearch(functions.equations)
    yield q, u
    for _ in range(STATES):
        turn, speed = rng.uniform(-1, 1, size=len(q)), rng.uniform(-1, 1, size=len(u))
        for part in NEARER:
            near = q + part * AROUND * _sizes(functions) * turn
            near = arrange(t, normalised(near, functions.layout.quaternions), p, search=False)
            speeds = u + part * AROUND * (1.0 + np.abs(u)) * speed
            if np.all(np.isfinite(_linear(functions, t, near, speeds, p)[0])):
                yield near, speeds
                break


def _sizes(functions: Functions) -> Array:
    """Of the coordinates: rad, or a typical length; states of the user stay as they are."""
    sizes = np.zeros(functions.layout.n_q)
    for c in functions.layout.coordinates:
        sizes[c.i_q : c.i_q + c.n_q] = functions.length if c.unit == "m" else 1.0
    return sizes


def _combination(allowed: Array, W: Array, wanted: Array, *parts: Index) -> Array:
    """The symmetry that comes nearest to the wanted rates; of all that do, the one with the least of the first part
    (turns of frames and places), then of the second (shifts and turns of bodies): axes do not spin with an
    axisymmetric body.
    """
    a = np.linalg.lstsq(W @ allowed, wanted, rcond=RANK)[0]
    return least_turning(allowed @ a, allowed @ kernel(W @ allowed), parts)


def least_turning(c: Array, free: Array, parts: Sequence[Index]) -> Array:
    """c with as much of the combinations `free` (columns) as makes the first part of it least, then the second."""
    for part in parts:
        c = c - free @ np.linalg.lstsq(free[part], c[part], rcond=RANK)[0]
        free = free @ kernel(free[part])
    return c


def frames_then_bodies(turns: Sequence[Turn]) -> tuple[Expr, Expr]:
    """Places of turns of frames and places, and of the others."""
    by_bodies = np.array([turn.kind not in ("first", "place") for turn in turns], bool)
    return np.flatnonzero(~by_bodies), np.flatnonzero(by_bodies)


def kernel(M: Array) -> Array:
    """Columns that M maps to zero."""
    if 0 in M.shape:
        return np.eye(M.shape[1])
    _, values, V = np.linalg.svd(M, full_matrices=True)
    return np.asarray(V[int(np.sum(values > RANK * values[0])) :].T)


def _linear(functions: Functions, t: float, q: Array, u: Array, p: Array) -> tuple[Array, Array, Array]:
    """Rates, their derivatives, and the matrix from speeds to rates of coordinates."""
    rates, A, _, _, P = functions.linear_at(t, q, u, p)
    return rates.ravel(), A, P


def _brackets(
    functions: Functions, turns: list[Turn], increments: list[Array], t: float, q: Array, u: Array, p: Array
) -> tuple[Array, Array, Array]:
    """Lie brackets of the candidates with the motion, on speeds and first-order states (on the coordinates they vanish
    always), the size of their terms, and for each row the size below which it may be round-off alone; `increments` are
    the derivatives of the candidates with respect to the speeds.
    """
    rates, A, P = _linear(functions, t, q, u, p)
    n_q, own = len(q), functions.layout.first_order_places.values()
    A = A[[*range(n_q, n_q + len(u)), *own]]
    magnitude, none = np.abs(A), np.zeros(len(own))
    columns, sizes = [], []
    for turn, increment in zip(turns, increments, strict=True):
        w, rate = turn.speeds(q, u)
        flow = np.concatenate([P @ w, rate])
        flow[functions.layout.first_order_slice] += turn.states(functions.layout)
        turned = np.concatenate([increment @ rates[n_q:], none])
        columns.append(A @ flow - turned)
        sizes.append(magnitude @ np.abs(flow) + np.abs(turned))
    D, size = np.array(columns).T, np.array(sizes).T
    return D, size, LEAST * _shared(functions, t, q, p, np.max(size, axis=1, initial=0.0))


def _shared(functions: Functions, t: float, q: Array, p: Array, sizes: Array) -> Array:
    """The largest of these sizes of accelerations, for each speed in its own unit: compared by sqrt(inertia) times
    acceleration, since the mass matrix, by which all of them are solved for, passes round-off of one on to the others.
    Rates of first-order states are zero.
    """
    roots = np.sqrt(functions.inertias_at(t, q, p))
    shared = np.zeros(len(sizes))
    largest = np.max(roots * sizes[: len(roots)], initial=0.0)
    np.divide(largest, roots, out=shared[: len(roots)], where=roots > 0)
    return shared


def _null_space(D: Array, size: Array, least: Array) -> Array:
    """An orthonormal basis of the combinations of the columns that vanish in all states (states, rows, columns).

    Rows and columns are scaled by the size of their terms: in each state by its own, since a contact that is pressed
    deep must not hide a soft spring in another state; a row that is round-off in one state has its size from the
    others, or its `least`.
    """
    row = np.maximum(np.max(size, axis=2, initial=0.0), least)
    row = np.maximum(row, LEAST * np.max(row, axis=0, initial=0.0))
    some = np.any(row > 0, axis=0)
    D, size = (np.vstack(part[:, some] / row[:, some, None]) for part in (D, size))
    column = np.maximum(np.max(size, axis=0, initial=0.0), LEAST)
    if not len(D):
        return np.eye(D.shape[1])
    _, values, V = np.linalg.svd(D / column, full_matrices=True)
    rank = int(np.sum(values > SYMMETRIC))
    return repeatable_basis(V[rank:].T / column[:, None])
