"""The functions that run: CasADi functions of (t, x, p), x = [q, u, z], ready to be compiled.

With constraints every evaluation happens on the constraint manifold: one Newton step for q, an exact projection of u,
and the
accelerations there. A run then cannot slip onto another branch where a linkage folds.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.equations.articulated import forward_dynamics
from trundle.equations.constraint import Row
from trundle.equations.derive import Equations
from trundle.equations.kane import TreeMotion
from trundle.equations.saddle import Saddle, dense, sparse

DRAWN = 100.0  # 1/s


@final
class Functions:
    """Builder of all functions of one set of equations with its independent rows."""

    def __init__(self, equations: Equations, rows: Sequence[Row], length: float) -> None:
        self.equations, self.rows, self.length = equations, list(rows), length
        e = equations
        rows_work = any(row.lost is not None for row in self.rows) or bool(e.drive_rates(self.rows))
        self.has_power = rows_work or not (e.dissipated().is_zero() and e.supplied().is_zero())
        self.n_z = 2 if self.has_power else 0
        self.n_x = e.n_q + e.n_u + self.n_z
        self.x = ca.vertcat(e.q, e.u, ca.SX.sym("z", self.n_z))
        self.inputs = [e.t, self.x, e.p]

    def function(self, name: str, *outputs: Any) -> Any:
        """Function of (t, x, p)."""
        return ca.Function(
            name, self.inputs, [ca.densify(ca.vertcat(*[ca.vec(ca.densify(ca.SX(o))) for o in outputs]))]
        )

    # -- accelerations -------------------------------------------------------------------------------------------------

    @cached_property
    def saddle(self) -> Saddle:
        """Mass matrix and rows at (t, q), factored."""
        e = self.equations
        loops: dict[str, list[int]] = {}
        for i, row in enumerate(self.rows):
            loops.setdefault(row.name.partition(".")[0], []).append(i)
        scale = [1 / self.length if row.unit == "m" else 1.0 for row in self.rows]
        return Saddle(
            e.mass, [r.jacobian for r in self.rows], e.motion.leaves_first(), list(loops.values()), scale, e.shift,
            [r.weight for r in self.rows], [r.column for r in self.rows],
        )  # fmt: skip

    @cached_property
    def dynamics(self) -> tuple[Any, Any]:
        """udot and multipliers at a consistent state, as expressions of the symbols."""
        e = self.equations
        if not self.rows and isinstance(e.motion, TreeMotion):
            return forward_dynamics(e.tree, e.motion.motion, e.inertias, e.gravity, e.wrenches, e.efforts), ca.SX(0, 1)
        c = {i: -row.gamma for i, row in enumerate(self.rows) if not row.gamma.is_zero()}
        udot, multipliers = self.saddle.solve(sparse(-e.bias), c, rubbing=True)
        return dense(udot, e.n_u), dense(multipliers, len(self.rows))

    def powers(self, multipliers: Any) -> Any:
        """Rates of work done on and lost in the system."""
        e = self.equations
        if not self.has_power:
            return ca.SX(0, 1)
        return ca.vertcat(e.supplied(), e.dissipated()) + self._powers_of_rows(multipliers)

    def _powers_of_rows(self, multipliers: Any) -> Any:
        """Power of the drives, and what friction takes."""
        rates = self.equations.drive_rates(self.rows)
        drives = sum((multipliers[i] * rate for i, rate in rates.items()), ca.SX(0))
        rubbing = [multipliers[i] * row.lost for i, row in enumerate(self.rows) if row.lost is not None]
        return ca.vertcat(drives, sum(rubbing, ca.SX(0)))

    # -- what the integrators call -------------------------------------------------------------------------------------

    def plain_rhs(self) -> Any:
        """xdot without projection of the argument."""
        udot, multipliers = self.dynamics
        return self.function("rhs", self._drawn_rates(), udot, self.powers(multipliers))

    def _drawn_rates(self) -> Any:
        """qdot with surface coordinates drawn to the contact: the stiff method, which this does not disturb, has no
        Newton step for them.
        """
        e = self.equations
        return e.coordinate_rates() + ca.vertcat(ca.SX.zeros(e.motion.n_q), DRAWN * e.corrections())

    def rhs(self) -> Any:
        """xdot; with constraints, of the nearest consistent state."""
        if not self.rows:
            return self.plain_rhs()
        e = self.equations
        folds = any(row.holonomic and not row.name.endswith(".normal") for row in self.rows)
        q = self._corrected_q() if folds else self._followed_q()
        return self.function("rhs", self._on_manifold()(e.t, q, e.u, e.p))

    def _on_manifold(self) -> Any:
        """xdot at (t, q, u, p) with u projected first."""
        e = self.equations
        moving = ca.Function(
            "moving",
            [e.t, e.q, e.u, e.p],
            [e.bias, ca.vertcat(*[r.gamma for r in self.rows]), e.coordinate_rates()],
        )
        power = ca.Function("power", [e.t, e.q, e.u, e.p], [ca.vertcat(e.supplied(), e.dissipated())])
        lam_ = ca.SX.sym("lam", len(self.rows))
        u = self._corrected_u()
        bias, gamma, qdot = moving(e.t, e.q, u, e.p)
        udot, multipliers = self.saddle.solve(sparse(-bias), sparse(-gamma), rubbing=True)
        lam = dense(multipliers, len(self.rows))
        z = ca.SX(0, 1)
        if self.has_power:
            of_rows = ca.Function("rows", [e.t, e.q, e.u, e.p, lam_], [self._powers_of_rows(lam_)])
            z = power(e.t, e.q, u, e.p) + of_rows(e.t, e.q, u, e.p, lam)
        return ca.Function("on_manifold", [e.t, e.q, e.u, e.p], [ca.vertcat(qdot, dense(udot, e.n_u), z)])

    def _corrected_u(self) -> Any:
        e = self.equations
        change = self.saddle.least_change({i: -row.rate for i, row in enumerate(self.rows)})
        return e.u + dense(change, e.n_u)

    def _corrected_q(self) -> Any:
        e = self.equations
        change = self.saddle.least_change({i: -row.residual for i, row in enumerate(self.rows)})
        rates = ca.Function("rates", [e.q, e.u, e.p], [e.position_rates()])
        return e.q + rates(e.q, dense(change, e.n_u), e.p) + ca.vertcat(ca.SX.zeros(e.motion.n_q), e.corrections())

    def _followed_q(self) -> Any:
        """q with exact surface coordinates: enough between two projections where only contacts close loops, for these
        cannot fold.
        """
        e = self.equations
        return e.q + ca.vertcat(ca.SX.zeros(e.motion.n_q), e.corrections())

    def project(self) -> Any:
        """[x, position residual, velocity residual, loop measures]: one Newton step; None when nothing can drift."""
        e = self.equations
        if not self.rows and not e.motion.quaternions:
            return None
        q, u = (self._corrected_q(), self._corrected_u()) if self.rows else (ca.SX(e.q), e.u)
        for i in e.motion.quaternions:
            q[i : i + 4] = q[i : i + 4] / ca.norm_2(q[i : i + 4])
        position, velocity, speed = ca.SX(0), ca.SX(0), ca.SX(1)
        for k in range(e.n_u):
            speed = ca.fmax(speed, ca.fabs(e.u[k]))
        for row in self.rows:
            scale = self.length if row.unit == "m" else 1.0
            acts = 1 if row.weight is None else row.weight
            position = ca.fmax(position, acts * ca.fabs(row.residual) / scale)
            velocity = ca.fmax(velocity, acts * ca.fabs(row.rate) / (scale * speed))
        for k in range(e.n_q - e.motion.n_q):
            position = ca.fmax(position, ca.fabs(e.corrections()[k]))
        measures = [self.saddle.loop_measure(rows) for rows in self.loop_rows().values()]
        return self.function("project", q, u, self.x[e.n_q + e.n_u :], position, velocity, *measures)

    def loop_rows(self) -> dict[str, list[int]]:
        """Rows of each closed loop by the name of its connection (tree joints of absolute coordinates left out, and
        loops with a single row, which cannot fold).
        """
        cut = [loop.name for loop in self.equations.topology.loops]
        groups = {
            name: [i for i, r in enumerate(self.rows) if r.holonomic and r.name.partition(".")[0] == name]
            for name in cut
        }
        return {name: rows for name, rows in groups.items() if len(rows) > 1}

    def jacobian(self) -> Any:
        """[d xdot/dx, d xdot/dt] of the plain right-hand side."""
        e = self.equations
        udot, multipliers = self.dynamics
        xdot = ca.vertcat(self._drawn_rates(), udot, self.powers(multipliers))
        return self.function("jacobian", ca.jacobian(xdot, self.x), ca.jacobian(xdot, e.t))

    @cached_property
    def linear(self) -> Any:
        """[xdot, d xdot/d(q, u), J, d(J u)/dq, P] by CasADi's own evaluator, for linearisations."""
        e = self.equations
        udot, _ = self.dynamics
        f = ca.vertcat(e.coordinate_rates(), udot)
        J = ca.vertcat(ca.SX(0, e.n_u), *[dense(r.jacobian, e.n_u).T for r in self.rows])
        Ju = ca.vertcat(ca.SX(0, 1), *[r.rate for r in self.rows])
        P = ca.jacobian(e.position_rates(), e.u)
        outputs = [f, ca.jacobian(f, ca.vertcat(e.q, e.u)), J, ca.jacobian(Ju, e.q), P]
        return ca.Function("linear", [e.t, e.q, e.u, e.p], [ca.densify(o) for o in outputs])

    def metric(self) -> Any:
        """[M, K, D, J, g, rate, P] for projection in the metric M + h D + h^2 K; None without rows."""
        e = self.equations
        if not self.rows:
            return None
        M = ca.vertcat(*[dense(row, e.n_u).T for row in e.mass])
        J = ca.vertcat(*[dense(row.jacobian, e.n_u).T for row in self.rows])
        P = ca.jacobian(e.position_rates(), e.u)
        K = ca.mtimes(ca.jacobian(e.bias, e.q), P)
        D = ca.jacobian(e.bias, e.u)
        g, rate = ca.vertcat(*[r.residual for r in self.rows]), ca.vertcat(*[r.rate for r in self.rows])
        return self.function("metric", M, K, D, J, g, rate, P)

    def energy(self) -> Any:
        """[kinetic, potential]."""
        e = self.equations
        return self.function("energy", e.kinetic(), e.potential())


def normalised(q: Any, quaternions: Sequence[int]) -> Any:
    """Numbers: copy of q with unit quaternions."""
    q = np.array(q, dtype=float)
    for i in quaternions:
        q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
    return q
