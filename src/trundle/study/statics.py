"""Statics of a model: the residual forces at a pose at rest, and the step of Newton's method that removes them."""

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.constraints.row import Row
from trundle.derivative import derivative
from trundle.equations.kernels import Functions
from trundle.linear_algebra.kkt import dense
from trundle.typing import Array, Expr

LARGEST_STEP = 0.5  # m or rad


@final
@dataclass(frozen=True)
class Pose:
    """Residuals at rest at q with these multipliers: forces, other residuals, and their derivatives."""

    q: Array
    multipliers: Array
    force: Array  # h - J' lambda
    rest: Array  # residuals of the rows, then rates of states with rates of their own
    K: Array  # of the force by the speeds' directions
    J: Array  # rows
    G: Array  # of the rest by the speeds' directions
    P: Array  # rates of the coordinates by the speeds
    Z: Array  # of force and rest by the states with rates of their own

    def norm(self, scales: Array) -> float:
        """How far it is from an equilibrium."""
        return float(np.linalg.norm(np.concatenate([self.force, self.rest]) / scales))


@final
class Statics:
    """Forces and constraints at rest at time t with parameters p, with derivatives from the tape."""

    def __init__(self, functions: Functions, t: float, p: Array) -> None:
        e, rows = functions.equations, functions.rows
        self.t, self.p, self.n_u, self.own = t, p, e.n_u, functions.layout.own_slice
        self.n_rows, self.n_own = len(rows), self.own.stop - self.own.start
        P = derivative(e.coordinate_rates(), e.u)
        P[self.own, :] = 0  # they are unknowns of their own
        J = ca.vertcat(ca.SX(0, e.n_u), *[dense(r.jacobian, e.n_u).T for r in rows])
        lam = ca.SX.sym("lam", self.n_rows)
        force = e.bias - ca.mtimes(J.T, lam)
        K = ca.mtimes(derivative(force, e.q), P)
        resting = [_at_rest(r) for r in rows]
        g = ca.vertcat(ca.SX(0, 1), *[r.residual if a is None else a for r, a in zip(rows, resting, strict=True)])
        by_row = [J[i, :] if a is None else ca.mtimes(derivative(a, e.q), P) for i, a in enumerate(resting)]
        z, rates = (ca.vertcat(ca.SX(0, 1), *ca.vertsplit(v)[self.own]) for v in (e.q, e.coordinate_rates()))
        rest = ca.vertcat(g, rates)
        G = ca.vertcat(ca.SX(0, e.n_u), *by_row, ca.mtimes(derivative(rates, e.q), P))
        Z = derivative(ca.vertcat(force, rest), z)
        outputs = [ca.densify(x) for x in (force, rest, K, J, G, P, Z)]
        self.function = ca.Function("statics", [e.t, e.q, e.u, e.p, lam], outputs)

    def at(self, q: Array, multipliers: Array) -> Pose:
        """What holds at a pose with these multipliers."""
        found = self.function(self.t, q, np.zeros(self.n_u), self.p, multipliers)
        force, rest, K, J, G, P, Z = (np.array(ca.DM(v)) for v in found)
        shape = self.n_u + self.n_rows + self.n_own, self.n_own
        return Pose(q, multipliers, force.ravel(), rest.ravel(), K, J, G, P, Z.reshape(shape))

    def first(self, q: Array) -> Pose:
        """The pose with the multipliers that leave the least forces."""
        here = self.at(q, np.zeros(self.n_rows))
        if not self.n_rows:
            return here
        return self.at(q, np.asarray(np.linalg.lstsq(here.J.T, here.force, rcond=None)[0], dtype=float))

    def scales(self, here: Pose) -> Array:
        """Sizes of forces, residuals and rates of states near a pose, by which they are measured."""
        m = self.n_rows
        force = max(1.0, float(np.max(np.abs(here.force), initial=0.0)))
        rates = np.hstack([here.rest[m:, None], here.G[m:], here.Z[self.n_u + m :]])
        return np.concatenate([np.full(self.n_u, force), np.ones(m), np.max(np.abs(rates), axis=1, initial=1.0)])

    def newton_step(self, here: Pose, damping: float) -> tuple[Array, Array]:
        """Changes of coordinates and multipliers, by a damped step of Newton's method."""
        m = self.n_rows
        A = np.hstack([np.block([[here.K, -here.J.T], [here.G, np.zeros((m + self.n_own, m))]]), here.Z])
        b = -np.concatenate([here.force, here.rest])
        sizes = np.linalg.norm(A, axis=0)  # what nothing resists shall not drift by round-off
        ridge = damping * np.diag(np.maximum(sizes, max(1e-7 * float(np.max(sizes, initial=0.0)), 1e-12))) ** 2
        step = np.linalg.solve(A.T @ A + ridge, A.T @ b) if damping > 1e-13 else np.linalg.lstsq(A, b, rcond=1e-13)[0]
        dq = here.P @ step[: self.n_u]
        dq *= min(1.0, LARGEST_STEP / max(float(np.max(np.abs(dq), initial=0.0)), 1e-300))
        dq[self.own] = step[self.n_u + m :]
        return dq, step[self.n_u : self.n_u + m]


def _at_rest(row: Row) -> Expr:
    """What must vanish beside the forces: the rate or acceleration that a law prescribes; None for other rows."""
    if row.level == "acceleration":
        return row.gamma
    return row.rate if row.level == "velocity" and row.driven is not None and not row.driven.is_zero() else None
