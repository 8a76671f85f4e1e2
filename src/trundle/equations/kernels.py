"""The functions that are compiled: CasADi functions of (t, x, p), x = [q, u, z].

With constraints every evaluation is made on the constraint manifold: one Newton step for q, an exact projection of u,
and the accelerations there. A run then cannot move to another branch where a linkage folds.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from typing import final

import casadi as ca
import numpy as np

from trundle.constraints.measure import Measure
from trundle.constraints.row import Role, Row
from trundle.derivative import derivative, derivatives
from trundle.equations.accelerations import Accelerations
from trundle.equations.derive import Equations
from trundle.equations.driving import Driving
from trundle.kernel import Tape, read_tape
from trundle.linear_algebra.in_place import InPlace
from trundle.linear_algebra.kkt import Factor, dense, minimum_degree
from trundle.linear_algebra.loop_measure import loop_measure
from trundle.model.body import Body
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.motion.motion import base_rate
from trundle.typing import Array, Expr, TapeFunction

DRAWN = 100.0  # 1/s
REMEMBERED = 32  # states at which the linear equations were evaluated


@final
class Functions(Accelerations):
    """Builder of all functions of one set of equations with its independent rows."""

    def __init__(
        self,
        equations: Equations,
        rows: Sequence[Row],
        length: float,
        redundant: Collection[str] | None = None,
        exchanged: Sequence[tuple[Collection[str], Collection[str]]] = (),
        by_numbers: bool = False,
    ) -> None:
        super().__init__(equations, rows, length, redundant, exchanged, by_numbers)
        e = equations
        self.has_power = (
            bool(self.rows and e.drive_rates(self.rows))
            or self.loses
            or bool(e.model.frames)
            or any(row.lost is not None for row in self.rows)
            or not (e.dissipated().is_zero() and e.supplied().is_zero())
        )
        # Absolute coordinates determine angles of joints only up to whole turns, so their rates are integrated too.
        measured = [m for m in e.signals.measured.values() if isinstance(m, Measure) and m.is_angle]
        self.turns = ca.vertcat(ca.SX(0, 1), *[m.rate for m in measured if e.formalism == "newton_euler"])
        self.layout = replace(e.layout, has_works=self.has_power)
        self.n_x = self.layout.n_x
        self.x = ca.vertcat(e.q, e.u, ca.SX.sym("z", self.n_x - self.layout.n_motion))
        self.inputs = [e.t, self.x, e.p]

    def function(self, name: str, *outputs: Expr) -> TapeFunction:
        """Function of (t, x, p)."""
        return ca.Function(name, self.inputs, [ca.densify(ca.vertcat(*map(_dense_column, outputs)))])

    # -- power ---------------------------------------------------------------------------------------------------------

    def powers(self, multipliers: Expr) -> Expr:
        """Rates of work done on and lost in the system."""
        e = self.equations
        if not self.has_power:
            return ca.SX(0, 1)
        lost = ca.vertcat(0, self._lost(multipliers, e.u, self._solution.nonideal)) if self.loses else ca.SX.zeros(2)
        found = ca.vertcat(e.supplied(), e.dissipated()) + self._powers_of_rows(multipliers) + lost
        if e.model.frames:
            drags = self._drags(e.u, e.bias, self._gamma)
            ways = [self._powers_of_frames(e.t, e.q, e.u, e.p, self.dynamics[0], multipliers, drags)]
            if not self.rows and not e.drags:  # joint forces are cheaper for vehicles, accelerations for single bodies
                ways.append(ca.vertcat(self.driving.power(self.driving.without_rows(self.unconstrained[1])), 0))
            found += min(ways, key=self._operations_with_rates)
        return found

    def _operations_with_rates(self, power: Expr) -> int:
        """Number of operations of the rates of the speeds together with these powers."""
        return int(self.function("rates", self.dynamics[0], power).n_instructions())

    @cached_property
    def driving(self) -> Driving:
        """Wrenches that produce the prescribed motion of frames."""
        return Driving(self.equations)

    @cached_property
    def driving_wrenches(self) -> dict[Body, tuple[Expr, Expr]]:
        """Force and moment about its origin that each frame exerts."""
        e = self.equations
        udot, multipliers = self.dynamics
        drags = [(d.connection, *self.settled(d.force, d.moment)) for d in e.drags]
        return self.driving.wrenches(self.rows, udot, multipliers, drags)

    @cached_property
    def _powers_of_frames(self) -> TapeFunction:
        """Power supplied by the motion of frames, and power lost in drags due to this motion: a function of (t, q, u,
        p, udot, multipliers, drags).
        """
        e = self.equations
        udot, lam = ca.SX.sym("udot", e.n_u), ca.SX.sym("lam", len(self.rows))
        dragged = [drag.connection for drag in e.drags]
        drags = ca.SX.sym("drags", 6, len(dragged))
        on = [(c, drags[:3, i], drags[3:, i]) for i, c in enumerate(dragged)]
        power = self.driving.power(self.driving.wrenches(self.rows, udot, lam, on))
        first = len(self.rows) - len(self.relaxed)
        slipping = [(e.model.connections[row.owner], lam[i] * row.force, lam[i] * row.moment)
                    for i, row in enumerate(self.relaxed, start=first)]  # fmt: skip
        lost = -sum((self._carried(c, F, M) for c, F, M in [*on, *slipping]), ca.SX(0))
        return ca.Function("frames", [e.t, e.q, e.u, e.p, udot, lam, drags], [ca.densify(ca.vertcat(power, lost))])

    def _carried(self, c: ConnectedPair, force: Expr, moment: Expr) -> Expr:
        """Power of a wrench between two bodies by the motion of the frames that carry them."""
        motion = self.equations.motion
        return base_rate(motion, (c.first.body, c.touching), motion.frame(c.second).p, force, moment)

    def _drags(self, u: Expr, bias: Expr, gamma: Expr) -> Expr:
        """Forces and moments, by columns, of non-ideal constraints, on second bodies at their frames."""
        e = self.equations
        found = [ca.vertcat(drag.force, drag.moment) for drag in e.drags]
        if not found:
            return ca.SX(6, 0)
        loads = ca.vertcat(ca.SX(0, 1), *e.full_multipliers.values())
        drag = ca.Function("drag", [e.t, e.q, e.u, e.p, loads], [ca.horzcat(*found)])
        return drag(e.t, e.q, u, e.p, self._full_multipliers(bias, gamma))

    def _powers_of_rows(self, multipliers: Expr) -> Expr:
        """Power of the drives, and power lost in friction."""
        rates = self.equations.drive_rates(self.rows)
        drives = sum((multipliers[i] * rate for i, rate in rates.items()), ca.SX(0))
        dissipated = [multipliers[i] * row.lost for i, row in enumerate(self.rows) if row.lost is not None]
        return ca.vertcat(drives, sum(dissipated, ca.SX(0)))

    def _lost(self, multipliers: Expr, u: Expr, nonideal: Expr) -> Expr:
        """Power lost in relaxed and non-ideal constraints."""
        first = len(self.rows) - len(self.relaxed)
        gained = ca.dot(nonideal, u)
        for i, row in enumerate(self.relaxed, start=first):
            gained += multipliers[i] * sum((entry * u[k] for k, entry in row.jacobian.items()), ca.SX(0))
        return -gained

    # -- functions that integrators call -------------------------------------------------------------------------------

    @cached_property
    def plain_tape(self) -> Tape:
        """`plain_rhs` as a tape."""
        return read_tape(self.plain_rhs)

    @cached_property
    def plain_rhs(self) -> TapeFunction:
        """xdot without projection of the argument."""
        udot, multipliers = self.dynamics
        return self.function("rhs", self._drawn_rates(), udot, self.powers(multipliers), self.turns)

    def _drawn_rates(self) -> Expr:
        """qdot with a term that draws surface coordinates to the contact: stiff methods have no Newton step for them,
        and do not suffer from this term.
        """
        e = self.equations
        return e.coordinate_rates() + ca.vertcat(ca.SX.zeros(e.motion.n_q), DRAWN * e.corrections())

    def rhs(self) -> TapeFunction:
        """xdot; with constraints, that of the nearest consistent state."""
        if not self.rows:
            return self.plain_rhs
        e = self.equations
        folds = any(row.holonomic and row.role is not Role.NORMAL for row in self.rows)
        q = self._corrected_q() if folds else self._followed_q()
        return self.function("rhs", self._on_manifold()(e.t, q, e.u, e.p))

    def _on_manifold(self) -> TapeFunction:
        """xdot at (t, q, u, p) with u projected first."""
        e = self.equations
        moving = ca.Function("moving", [e.t, e.q, e.u, e.p], [e.bias, self._gamma, e.coordinate_rates()])
        power = ca.Function("power", [e.t, e.q, e.u, e.p], [ca.vertcat(e.supplied(), e.dissipated())])
        lam_ = ca.SX.sym("lam", len(self.rows))
        u = self._corrected_u()
        bias, gamma, qdot = moving(e.t, e.q, u, e.p)
        solved = self._solve(u, bias, gamma, judge=False)
        udot, lam = solved.udot, solved.multipliers
        z = ca.SX(0, 1)
        if self.has_power:
            of_rows = ca.Function("rows", [e.t, e.q, e.u, e.p, lam_], [self._powers_of_rows(lam_)])
            z = power(e.t, e.q, u, e.p) + of_rows(e.t, e.q, u, e.p, lam)
            z[1] += self._lost(lam, u, solved.nonideal)
        if e.model.frames:
            z += self._powers_of_frames(e.t, e.q, u, e.p, udot, lam, self._drags(u, bias, gamma))
        turns = ca.Function("turns", [e.t, e.q, e.u, e.p], [self.turns])(e.t, e.q, u, e.p)
        return ca.Function("on_manifold", [e.t, e.q, e.u, e.p], [ca.vertcat(qdot, udot, z, turns)])

    def _corrected_u(self) -> Expr:
        e = self.equations
        change = self._held.least_change({i: -row.rate for i, row in enumerate(self.rows)})
        return e.u + dense(change, e.n_u)

    def _corrected_q(self) -> Expr:
        e = self.equations
        change = self._held.least_change({i: -row.residual for i, row in enumerate(self.rows)})
        rates = ca.Function("rates", [e.t, e.q, e.u, e.p], [e.position_rates()])
        moved = rates(e.t, e.q, dense(change, e.n_u), e.p)
        if e.model.frames:  # followers of a contact with a moving frame have rates even at zero speeds
            moved -= rates(e.t, e.q, 0, e.p)
        return e.q + moved + ca.vertcat(ca.SX.zeros(e.motion.n_q), e.corrections())

    def _followed_q(self) -> Expr:
        """q with exact surface coordinates: sufficient between two projections if only contacts close loops, which
        cannot fold.
        """
        e = self.equations
        return e.q + ca.vertcat(ca.SX.zeros(e.motion.n_q), e.corrections())

    def project(self) -> TapeFunction:
        """[x, position residual, velocity residual, loop measures]: one Newton step; None if nothing can drift."""
        e = self.equations
        if not self.rows and not e.motion.quaternions:
            return None
        q, u = (self._corrected_q(), self._corrected_u()) if self.rows else (ca.SX(e.q), e.u)
        for i in e.motion.quaternions:
            q[i : i + 4] = q[i : i + 4] / ca.norm_2(q[i : i + 4])
        position, velocity, speed = ca.SX(0), ca.SX(0), ca.SX(1)
        for k in range(e.n_u):
            speed = ca.fmax(speed, ca.fabs(e.u[k]))
        for in_metres, scale in ((False, 1.0), (True, self.length)):
            rows = [(1 if r.active is None else r.active, r) for r in self.acting if (r.unit == "m") == in_metres]
            if rows:
                gap = reduce(ca.fmax, [active * ca.fabs(row.residual) for active, row in rows])
                rate = reduce(ca.fmax, [active * ca.fabs(row.rate) for active, row in rows])
                position, velocity = ca.fmax(position, gap / scale), ca.fmax(velocity, rate / (scale * speed))
        for k in range(e.n_q - e.motion.n_q):
            position = ca.fmax(position, ca.fabs(e.corrections()[k]))
        measures = self._loop_measures()
        return self.function("project", q, u, self.x[self.layout.n_motion :], position, velocity, *measures)

    def _loop_measures(self) -> list[Expr]:
        """Distance of each loop from a singular pose. In absolute coordinates, where joints of the tree are rows too,
        these are eliminated first, so that the measures are those of joint coordinates.
        """
        loops = self.loop_rows().values()
        if not loops:
            return []
        tree = {joint.connection.name for joint in self.equations.topology.tree}
        of_tree = {i for i, r in enumerate(self.acting) if r.role is Role.CLOSURE and r.owner in tree}
        S = self.kkt.among(of_tree | {i for loop in loops for i in loop.rows})
        others = {i for i in range(len(self.acting)) if i not in of_tree}
        S = Factor(S, minimum_degree(S, others)).left if of_tree else S
        return [loop_measure(S, loop, self.kkt.scale) for loop in loops]

    @cached_property
    def linear(self) -> TapeFunction:
        """[xdot, d xdot/d(q, u), J, d(J u)/dq, P] by CasADi's own evaluator, for linearisations."""
        e = self.equations
        udot, _ = self.dynamics
        f = ca.vertcat(e.coordinate_rates(), udot)
        J = ca.vertcat(ca.SX(0, e.n_u), *[dense(r.jacobian, e.n_u).T for r in self.independent])
        Ju = ca.vertcat(ca.SX(0, 1), *[r.rate for r in self.independent])
        P = derivative(e.position_rates(), e.u)
        outputs = [f, derivative(f, ca.vertcat(e.q, e.u)), J, derivative(Ju, e.q), P]
        return ca.Function("linear", [e.t, e.q, e.u, e.p], [ca.densify(o) for o in outputs])

    def linear_at(self, t: float, q: Array, u: Array, p: Array) -> list[Array]:
        """Numeric values of `linear`. Those of the last states are cached, because a linearisation about a steady
        motion needs each of them several times.
        """
        q, u, p = (np.ascontiguousarray(v, dtype=float) for v in (q, u, p))
        key = float(t), q.tobytes(), u.tobytes(), p.tobytes()
        found = self._remembered.get(key)
        if found is None:
            found = InPlace(self.linear)(t, q, u, p)
            for values in found:
                values.flags.writeable = False
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = found
        return found

    def inertias_at(self, t: float, q: Array, p: Array) -> Array:
        """Diagonal of the mass matrix."""
        return InPlace(self._inertias)(t, q, p)[0].ravel()

    @cached_property
    def _inertias(self) -> TapeFunction:
        e = self.equations
        diagonal = [ca.SX(row.get(i, 0.0)) for i, row in enumerate(e.mass)]
        return ca.Function("inertias", [e.t, e.q, e.p], [ca.densify(ca.vertcat(ca.SX(0, 1), *diagonal))])

    @cached_property
    def _remembered(self) -> dict[tuple[float, bytes, bytes, bytes], list[Array]]:
        return {}

    @cached_property
    def acting_rows(self) -> TapeFunction:
        """For each of the independent rows, whether it is active: a function of the parameters (with the modes)."""
        switched = [1 if row.active is None else row.active for row in self.independent]
        return ca.Function("acting", [self.equations.p], [ca.densify(ca.vertcat(ca.SX(0, 1), *switched))])

    @cached_property
    def depends_on_time(self) -> bool:
        """Whether the accelerations depend on time itself."""
        return bool(ca.depends_on(self.dynamics[0], self.equations.t))

    def metric(self) -> TapeFunction:
        """[M, K, D, J, g, rate, P] for projection in the metric M + h D + h^2 K; None without rows."""
        e = self.equations
        rows = self.independent
        if not rows:
            return None
        M = ca.vertcat(*[dense(row, e.n_u).T for row in e.mass])
        J = ca.vertcat(*[dense(row.jacobian, e.n_u).T for row in rows])
        P = derivative(e.position_rates(), e.u)
        by_q, D = derivatives(e.bias, e.q, e.u)
        K = ca.mtimes(by_q, P)
        g, rate = ca.vertcat(*[r.residual for r in rows]), ca.vertcat(*[r.rate for r in rows])
        return self.function("metric", M, K, D, J, g, rate, P)

    def energy(self) -> TapeFunction:
        """[kinetic, potential, power lost by friction at each of `friction_contacts` per unit of normal force]."""
        e = self.equations
        lost = [e.contact_bonds[name].taken for name in friction_contacts(e.model)]
        return self.function("energy", e.kinetic(), e.potential(), *lost)


def _dense_column(values: Expr) -> Expr:
    found = values if type(values) is ca.SX else ca.SX(values)
    return found if found.is_dense() and found.is_column() else ca.vec(ca.densify(found))


def friction_contacts(model: Model) -> list[str]:
    """Contacts whose friction can only dissipate energy (bristles, for example, can also return some)."""
    return [
        c.name
        for c in model.connections.values()
        if c.friction_laws and not any(law.may_drive for law in c.friction_laws)
    ]
