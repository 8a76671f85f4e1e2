"""Linear equations of small motions on the constraint manifold, in independent coordinates and speeds.

With T = [1; G] the tangents of the manifold of positions and V those of the allowed velocities (rolling leaves fewer
speeds than coordinates), a small motion is dq = P T ds, du = V dv + W ds, where W keeps the velocity constraints; the
derivative of the exact equations along these directions gives the state matrix. Independent coordinates are chosen at
the state itself.

Steady motion (a vehicle that runs or turns) is an equilibrium only up to the coordinates on which nothing depends, its
place and heading: these are left out where the state moves, and speeds that change in the steady motion are not
independent.
"""

from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.equations.functions import Functions
from trundle.equations.mobility import split_speeds
from trundle.graph.layout import Layout

Array = np.ndarray[Any, np.dtype[Any]]


@final
@dataclass(frozen=True, eq=False)
class Linearisation:
    """State matrix of (independent coordinates, independent speeds, bristles); `names` are those of the states."""

    matrix: Array
    names: tuple[str, ...]
    tangents: Array  # all speeds per unit of each state
    speed_names: tuple[str, ...]
    cyclic: tuple[str, ...] = ()  # coordinates left out: nothing depends on them
    steady: bool = True  # whether the state is an equilibrium or a steady motion

    @property
    def eigenvalues(self) -> Array:
        """Sorted by frequency, then by decay."""
        values: Array = np.linalg.eigvals(self.matrix)
        return values[np.lexsort((values.imag, values.real.round(12), np.abs(values.imag).round(12)))]

    @property
    def modes(self) -> Array:
        """Columns: shape of every speed of the tree in the mode of each eigenvalue, largest entry 1."""
        values, vectors = np.linalg.eig(self.matrix)
        order = np.lexsort((values.imag, values.real.round(12), np.abs(values.imag).round(12)))
        shapes = self.tangents @ vectors[:, order]
        largest = shapes[np.argmax(np.abs(shapes), axis=0), np.arange(shapes.shape[1])]
        scaled: Array = shapes / np.where(largest == 0, 1, largest)
        return scaled

    def table(self) -> list[dict[str, float]]:
        """One line per eigenvalue: real, imaginary, frequency in Hz, damping ratio."""
        rows = []
        for value in self.eigenvalues:
            size = abs(value)
            rows.append(
                {
                    "real": float(value.real),
                    "imaginary": float(value.imag),
                    "frequency_hz": float(abs(value.imag) / (2 * np.pi)),
                    "damping_ratio": float(-value.real / size) if size > 0 else 0.0,
                }
            )
        return rows


def linearise(functions: Functions, layout: Layout, t: float, x: Array, p: Array) -> Linearisation:
    """Linearise about a consistent state x = [q, u, ...]."""
    e = functions.equations
    n_q, n_u = e.n_q, e.n_u
    rates, A, J, Jq, P = (np.array(ca.DM(v)) for v in functions.linear(t, x[:n_q], x[n_q : n_q + n_u], p))
    qdot, udot = rates.ravel()[:n_q], rates.ravel()[n_q:]
    on_speeds = np.array([row.level != "acceleration" for row in functions.independent], bool)
    holonomic = np.array([row.holonomic for row in functions.independent], bool)[on_speeds]
    J, Jq = J[on_speeds], Jq[on_speeds]
    size = max(1.0, float(np.max(np.abs(x[n_q : n_q + n_u]), initial=0.0)))
    later = A[n_q:] @ rates.ravel()  # a speed that turns with the heading may rest for a moment
    changing = (np.abs(udot) > 1e-7 * size**2) | (np.abs(later) > 1e-7 * size**3)
    coordinates, T = _tangents(J[holonomic], np.zeros(n_u, bool))
    speeds, V = _tangents(J, changing)
    W = np.zeros((n_u, len(coordinates)))
    if len(J):
        dependent = [i for i in range(n_u) if i not in speeds]
        W[dependent] = -np.linalg.solve(J[:, dependent], Jq @ P @ T)
    B = np.block([[P @ T, np.zeros((n_q, len(speeds)))], [W, V]])
    bristles = list(layout.bristle_places.values())  # states of their own
    B = np.hstack([B, np.eye(n_q + n_u)[:, bristles]])
    full = A @ B
    back, back_rate = _back(layout, x[:n_q], qdot)  # speeds-like increments of coordinates
    ds_rate = back @ full[:n_q] + back_rate @ B[:n_q]
    matrix = np.vstack([ds_rate[coordinates], full[n_q:][speeds], full[bristles]])
    none = np.zeros((n_u, len(bristles)))
    shapes = np.hstack([T, np.zeros_like(V), none])
    every = layout.speed_names()
    names = (
        [every[i].removesuffix("_rate").replace(".angular_rate_", ".turn_") for i in coordinates]
        + [every[i] for i in speeds]
        + list(layout.bristles)
    )
    moving = bool(np.max(np.abs(qdot), initial=0.0) > 1e-9)
    cyclic = _cyclic(matrix, len(coordinates)) if moving else []
    keep = [i for i in range(len(names)) if i not in cyclic]
    still = [abs(x[n_q + i]) < 1e-7 * size for k, i in enumerate(coordinates) if k not in cyclic]
    bending = np.max(np.abs(qdot[bristles]), initial=0.0) > 1e-7 * size
    steady = all(still) and not any(changing[speeds]) and not bending
    if moving:
        shapes = np.hstack([np.zeros_like(T), V, none])  # places left out: modes are told by their speeds
    return Linearisation(
        matrix[np.ix_(keep, keep)], tuple(names[i] for i in keep), shapes[:, keep], tuple(every),
        tuple(names[i] for i in cyclic), steady,
    )  # fmt: skip


def _tangents(J: Array, avoid: Array) -> tuple[list[int], Array]:
    """Independent speeds, not of those to avoid where it can be helped, and all speeds per unit of them."""
    independent, dependent = split_speeds(J, avoid)
    T = np.zeros((J.shape[1], len(independent)))
    T[independent, range(len(independent))] = 1.0
    if len(dependent):
        T[dependent] = -np.linalg.solve(J[:, dependent], J[:, independent])
    return independent, T


def _cyclic(matrix: Array, n: int) -> list[int]:
    """The largest set of coordinates (the first n states) on which only their own rates depend."""
    near_zero = np.abs(matrix) < 1e-9 * max(1.0, float(np.max(np.abs(matrix), initial=0.0)))
    chosen = list(range(n))
    while True:
        others = [i for i in range(len(matrix)) if i not in chosen]
        left = [k for k in chosen if np.all(near_zero[others, k])]
        if left == chosen:
            return chosen
        chosen = left


def _back(layout: Layout, q: Array, qdot: Array) -> tuple[Array, Array]:
    """Matrices from changes of q to increments in the sense of the speeds, and the rate of that matrix."""
    back, rate = np.zeros((layout.n_u, layout.n_q)), np.zeros((layout.n_u, layout.n_q))
    for c in layout.coordinates:
        if c.n_u == 1:
            back[c.i_u, c.i_q] = 1.0
            continue
        block = np.s_[c.i_u : c.i_u + 3, c.i_q : c.i_q + 4]
        back[block] = 4 * _quaternion_map(q[c.i_q : c.i_q + 4]).T
        rate[block] = 4 * _quaternion_map(qdot[c.i_q : c.i_q + 4]).T
    return back, rate


def _quaternion_map(q: Array) -> Array:
    """The matrix of quaternion_rate."""
    w, x, y, z = q
    return np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]) / 2
