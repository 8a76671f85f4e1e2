"""Linear equations of small motions on the constraint manifold, in independent coordinates.

With T = [1; G] the tangents of the manifold, a small motion is dq = P T ds, du = T dv + W ds, where W keeps the
velocity constraints;
the derivative of the exact equations along these directions gives the state matrix. Singular choices of independent
coordinates
are avoided by choosing them at the state itself.
"""

from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.equations.functions import Functions
from trundle.equations.mobility import split_speeds
from trundle.equations.saddle import dense
from trundle.graph.layout import Layout

Array = np.ndarray[Any, np.dtype[Any]]


@final
@dataclass(frozen=True, eq=False)
class Linearisation:
    """State matrix of (independent coordinates, independent speeds); `names` are those of the states."""

    matrix: Array
    names: tuple[str, ...]
    tangents: Array  # all speeds per unit independent speed
    speed_names: tuple[str, ...]

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
        n = self.matrix.shape[0] // 2
        shapes = self.tangents @ vectors[:n, order]
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
    udot, _ = functions.dynamics
    f = ca.vertcat(e.coordinate_rates(), udot)
    state = ca.vertcat(e.q, e.u)
    J = ca.vertcat(ca.SX(0, e.n_u), *[dense(r.jacobian, e.n_u).T for r in functions.rows])
    Ju = ca.vertcat(ca.SX(0, 1), *[r.rate for r in functions.rows])
    P = ca.jacobian(e.coordinate_rates(), e.u)
    outputs = [f, ca.jacobian(f, state), J, ca.jacobian(Ju, e.q), P]
    F = ca.Function("linear", [e.t, e.q, e.u, e.p], [ca.densify(o) for o in outputs])
    n_q, n_u = e.n_q, e.n_u
    rates, A, Jn, Jq, Pn = (np.array(ca.DM(v)) for v in F(t, x[:n_q], x[n_q : n_q + n_u], p))
    independent, dependent = split_speeds(Jn)
    T = np.zeros((n_u, len(independent)))
    T[independent, range(len(independent))] = 1.0
    W = np.zeros_like(T)
    if len(dependent):
        inverse = np.linalg.inv(Jn[:, dependent])
        T[dependent] = -inverse @ Jn[:, independent]
        W[dependent] = -inverse @ (Jq @ Pn @ T)
    B = np.block([[Pn @ T, np.zeros((n_q, len(independent)))], [W, T]])
    full = A @ B
    back, back_rate = _back(layout, x[:n_q], rates.ravel()[:n_q])  # speeds-like increments of coordinates
    ds_rate = back @ full[:n_q] + back_rate @ B[:n_q]
    matrix = np.vstack([ds_rate[independent], full[n_q:][independent]])
    speeds = layout.speed_names()
    names = [speeds[i].removesuffix("_rate") for i in independent] + [speeds[i] for i in independent]
    return Linearisation(matrix, tuple(names), T, tuple(speeds))


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
