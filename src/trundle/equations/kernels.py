"""The functions that run: CasADi functions of (t, x, p), x = [q, u, z], ready to be compiled.

With constraints every evaluation happens on the constraint manifold: one Newton step for q, an exact projection of u,
and the
accelerations there. A run then cannot slip onto another branch where a linkage folds.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, final

import casadi as ca

from trundle.constraints.measure import Measure
from trundle.constraints.row import Role, Row
from trundle.derivative import derivative
from trundle.equations.derive import Equations
from trundle.equations.driving import Driving
from trundle.errors import ModelError, UnknownNameError
from trundle.linear_algebra.fixed_rank import Choice
from trundle.linear_algebra.kkt import KKT, Sparse, dense, sparse
from trundle.linear_algebra.udwadia_kalaba import Orthogonal
from trundle.model.body import Body
from trundle.model.connection import ConnectedPair
from trundle.model.model import Model
from trundle.motion.motion import base_rate

DRAWN = 100.0  # 1/s


@final
class Functions:
    """Builder of all functions of one set of equations with its independent rows.

    With `redundant` (names of rows that depend on the others at generic poses) all rows are given, and the
    accelerations come from their pseudo-inverse; rows with weights and forces that are not ideal need that.
    `exchanged` are sets of rows, each with those that are independent at most poses: the best ones are taken at every
    pose.
    """

    def __init__(
        self,
        equations: Equations,
        rows: Sequence[Row],
        length: float,
        redundant: Collection[str] | None = None,
        exchanged: Sequence[tuple[Collection[str], Collection[str]]] = (),
    ) -> None:
        self.equations, self.length = equations, length
        self.by_pseudo_inverse = redundant is not None
        self.relaxed = [row for row in rows if not row.ideal]
        if not self.by_pseudo_inverse and any(row.column is not None for row in rows):
            exchanged = ()  # friction goes along with some multipliers: the same rows at all poses
        taken = {name for _, kept in exchanged for name in kept}
        inside = {name for names, _ in exchanged for name in names}
        spare = set(redundant or ()) | (inside - taken)
        held = [row for row in rows if row.ideal and row.active is None]
        lasting = [row for row in held if row.name not in inside and row.name not in spare]
        chosen = [row for row in held if row.name in inside]
        switched = [row for row in rows if row.ideal and row.active is not None]
        self.independent = [*lasting, *(row for row in chosen if row.name in taken), *switched]
        self.acting = [*lasting, *chosen, *switched]
        at = {row.name: i for i, row in enumerate(self.acting)}
        self.choices = [Choice(tuple(at[n] for n in sorted(names)), len(kept)) for names, kept in exchanged]
        loads = [row for row in held if self._is_load(row)] if self.relaxed else []
        spared = [row for row in loads if row.name in spare]  # contacts share their loads where rolling depends on them
        self.rows = [*self.acting, *spared, *self.relaxed]
        self.spare = spare - {row.name for row in self.rows}  # dropped
        switched_names = {row.name for row in [*switched, *(loads if spared else ())]}
        self.shared = [i for i, row in enumerate(self.rows) if row.ideal and row.name in switched_names]
        e = equations
        self.loses = bool(self.relaxed) or not e.nonideal.is_zero()  # in constraints that are not ideal
        if self.loses and not self.by_pseudo_inverse:
            raise ModelError(
                "constraints that are relaxed or not ideal need the pseudo-inverse: use formalism='udwadia_kalaba'."
            )
        self.has_power = (
            bool(self.rows and e.drive_rates(self.rows))
            or self.loses
            or bool(e.model.frames)
            or any(row.lost is not None for row in self.rows)
            or not (e.dissipated().is_zero() and e.supplied().is_zero())
        )
        # Absolute coordinates know angles of joints up to whole turns only: their rates are integrated beside.
        measured = [m for m in e.signals.measured.values() if isinstance(m, Measure) and m.is_angle]
        self.turns = ca.vertcat(ca.SX(0, 1), *[m.rate for m in measured if e.formalism == "newton_euler"])
        self.layout = replace(e.layout, has_works=self.has_power)
        self.n_x = self.layout.n_x
        self.x = ca.vertcat(e.q, e.u, ca.SX.sym("z", self.n_x - self.layout.n_motion))
        self.inputs = [e.t, self.x, e.p]

    def function(self, name: str, *outputs: Any) -> Any:
        """Function of (t, x, p)."""
        return ca.Function(
            name, self.inputs, [ca.densify(ca.vertcat(*[ca.vec(ca.densify(ca.SX(o))) for o in outputs]))]
        )

    # -- accelerations -------------------------------------------------------------------------------------------------

    @cached_property
    def kkt(self) -> KKT:
        """Mass matrix and independent rows at (t, q), factored."""
        e, rows = self.equations, self.acting
        loops: dict[tuple[str, bool], list[int]] = {}  # rows that come and go are apart: alike contacts share alike
        for i, row in enumerate(rows):
            loops.setdefault((row.owner, row.active is None), []).append(i)
        several = sum(not lasting for _, lasting in loops) > 1
        return KKT(
            e.mass, [r.jacobian for r in rows], e.motion.leaves_first(), list(loops.values()), self._scale(rows),
            e.shift, [r.active for r in rows], [r.column for r in rows], self.choices,
            [several and r.active is not None for r in rows],
        )  # fmt: skip

    def _is_load(self, row: Row) -> bool:
        """Whether a row presses two surfaces together."""
        return row.role is Role.NORMAL

    def _scale(self, rows: Sequence[Row]) -> list[float]:
        return [1 / self.length if row.unit == "m" else 1.0 for row in rows]

    @cached_property
    def orthogonal(self) -> Orthogonal:
        """Mass matrix and all rows at (t, q), those that are held made orthogonal."""
        e, rows = self.equations, self.rows
        held = [1 if row.active is None else row.active for row in rows[: len(rows) - len(self.relaxed)]]
        positions = [(k, row) for k, row in zip(self._scale(self.independent), self.independent, strict=True)
                     if row.holonomic]  # fmt: skip
        distance = sum(
            ((k * row.residual) ** 2 * (1 if row.active is None else row.active) for k, row in positions), ca.SX(0)
        )
        mass = sum((inertia.mass for inertia in e.inertias.values()), ca.SX(0))
        return Orthogonal(
            e.mass, [r.jacobian for r in rows], e.motion.leaves_first(), self._scale(rows), distance, held,
            self.choices, self.shared, 1 / (mass * self.length**2),
        )  # fmt: skip

    @property
    def _held(self) -> KKT | Orthogonal:
        """What moves coordinates and speeds onto the constraints."""
        return self.orthogonal if self.by_pseudo_inverse else self.kkt

    @cached_property
    def _pushes(self) -> dict[int, Any]:
        """Friction that the multiplier of a row brings with it, on all speeds."""
        e, out = self.equations, {}
        for i, row in enumerate(self.rows):
            if row.column is not None:
                out[i] = dense(row.column, e.n_u) - dense(row.jacobian, e.n_u)
        return out

    @cached_property
    def _unideal(self) -> Any:
        """Weights, force of what is not ideal, friction per multiplier: a function of (t, q, u, p, multipliers of the
        rows if all were held in full).
        """
        e = self.equations
        loads = ca.vertcat(ca.SX(0, 1), *e.full_multipliers.values())
        weights = ca.vertcat(ca.SX(0, 1), *[row.weight for row in self.relaxed])
        pushes = ca.horzcat(ca.SX(e.n_u, 0), *self._pushes.values())
        return ca.Function("unideal", [e.t, e.q, e.u, e.p, loads], [weights, e.nonideal, pushes])

    def _full_multipliers(self, bias: Any, gamma: Any) -> Any:
        """What the rows that weights ask for would bring if all rows were held and nothing had friction."""
        asked = self.equations.full_multipliers
        if not asked:
            return ca.SX(0, 1)
        index = {row.name: i for i, row in enumerate(self.rows)}
        for name in asked:
            if name not in index and name.endswith(".normal"):
                raise ModelError(
                    f"{name!r} has no multiplier: the coordinates of this contact keep the surfaces together. With "
                    "unilateral=True, or a law of friction such as tr.Relaxed, the normal is a constraint row."
                )
            if name in self.spare:
                raise ModelError(
                    f"{name!r} is redundant: other rows hold the same, so rigid bodies leave its multiplier "
                    "undetermined. Ask for that of a row that is kept (system.mobility), or give the connection a "
                    "compliance."
                )
            if name not in index:
                raise UnknownNameError(name, index, "constraint row with a multiplier")
        full = self.orthogonal.relaxed([1] * len(self.relaxed))
        _, multipliers = full.solve(sparse(-bias), sparse(-gamma))
        return ca.vertcat(*[multipliers.get(index[name], ca.SX(0)) for name in asked])

    def _solve(self, u: Any, bias: Any, gamma: Any) -> tuple[Any, Any, Any, Any]:
        """udot, multipliers, force of what is not ideal, and a number above zero where friction leaves one solution."""
        e = self.equations
        if not self.by_pseudo_inverse:
            x, lam = self.kkt.solve(sparse(-bias), sparse(-gamma), with_friction=True)
            return (
                dense(x, e.n_u),
                dense(self.kkt.shared(lam), len(self.rows)),
                ca.SX.zeros(e.n_u),
                self.kkt.uniqueness(),
            )
        solver, nonideal, pushes = self._relaxed(u, bias, gamma)
        x, lam, unique = solver.solve_with_friction(sparse(nonideal - bias), sparse(-gamma), pushes)
        return dense(x, e.n_u), dense(lam, len(self.rows)), nonideal, unique

    def _relaxed(self, u: Any, bias: Any, gamma: Any) -> tuple[Orthogonal, Any, dict[int, Sparse]]:
        """The rows at their weights, the force of what is not ideal, and friction by row, at speeds u."""
        e = self.equations
        weights, nonideal, pushes = self._unideal(e.t, e.q, u, e.p, self._full_multipliers(bias, gamma))
        by_row = {i: sparse(pushes[:, k]) for k, i in enumerate(self._pushes)}
        return self.orthogonal.relaxed(ca.vertsplit(weights)), nonideal, by_row

    @property
    def _gamma(self) -> Any:
        return ca.vertcat(ca.SX(0, 1), *[row.gamma for row in self.rows])

    @cached_property
    def _solution(self) -> tuple[Any, Any, Any, Any]:
        e = self.equations
        return self._solve(e.u, e.bias, self._gamma)

    @cached_property
    def dynamics(self) -> tuple[Any, Any]:
        """udot and multipliers at a consistent state, as expressions of the symbols."""
        e = self.equations
        if not self.rows:
            return e.motion.unconstrained(e.inertias, e.gravity, e.loads, e.efforts + e.nonideal), ca.SX(0, 1)
        udot, multipliers = self._solution[:2]
        return udot, multipliers + self._shares()

    def _shares(self) -> Any:
        """What contacts that stick carry beside the smallest forces: it moves nothing."""
        of = {"slip_x": "share_x", "slip_y": "share_y", "normal": "share_n"}
        modes = self.equations.modes
        return ca.vertcat(*[modes.get(f"{row.owner}.{of.get(row.bond)}", ca.SX(0)) for row in self.rows])

    @property
    def uniqueness(self) -> Any:
        """Above zero where friction leaves one acceleration; 1 without friction (Painleve's paradox)."""
        return self._solution[3]

    def multiplier(self, name: str) -> Any:
        """Multiplier of a row; zero where there is none of this name."""
        found = [i for i, row in enumerate(self.rows) if row.name == name]
        return self.dynamics[1][found[0]] if found else ca.SX(0)

    def settled(self, *expressions: Any) -> list[Any]:
        """Expressions in which the multipliers that weights ask for have their values."""
        e = self.equations
        symbols = list(e.full_multipliers.values())
        if not symbols:
            return list(expressions)
        values = ca.vertsplit(self._full_multipliers(e.bias, self._gamma))
        return list(ca.substitute(list(expressions), symbols, values))

    @cached_property
    def weights(self) -> dict[str, Any]:
        """Weights of the relaxed rows by name."""
        values = self.settled(*[ca.SX(row.weight) for row in self.relaxed])
        return {row.name: value for row, value in zip(self.relaxed, values, strict=True)}

    @cached_property
    def constraint_forces(self) -> tuple[Any, Any]:
        """Generalised forces on all speeds, of the ideal constraints and of what is not ideal in them."""
        e = self.equations
        solver, nonideal, pushes = self._relaxed(e.u, e.bias, self._gamma)
        for i, push in pushes.items():
            nonideal = nonideal + self.dynamics[1][i] * dense(push, e.n_u)
        return solver.constraint_forces(-e.bias, -self._gamma, nonideal)

    def powers(self, multipliers: Any) -> Any:
        """Rates of work done on and lost in the system."""
        e = self.equations
        if not self.has_power:
            return ca.SX(0, 1)
        lost = ca.vertcat(0, self._lost(multipliers, e.u, self._solution[2])) if self.loses else ca.SX.zeros(2)
        found = ca.vertcat(e.supplied(), e.dissipated()) + self._powers_of_rows(multipliers) + lost
        if e.model.frames:
            drags = self._drags(e.u, e.bias, self._gamma)
            found += self._powers_of_frames(e.t, e.q, e.u, e.p, self.dynamics[0], multipliers, drags)
        return found

    @cached_property
    def driving(self) -> Driving:
        """What moves the frames as given."""
        return Driving(self.equations)

    @cached_property
    def driving_wrenches(self) -> dict[Body, tuple[Any, Any]]:
        """Force and moment about its origin that each frame exerts."""
        e = self.equations
        udot, multipliers = self.dynamics
        drags = [(t.connection, *self.settled(*t.drag(e.n_u)[1:])) for t in e.contact_bonds.values() if t.dragged]
        return self.driving.wrenches(self.rows, udot, multipliers, drags)

    @cached_property
    def _powers_of_frames(self) -> Any:
        """Power that the motion of frames brings in, and what drags on them lose beside that of the speeds: a function
        of (t, q, u, p, udot, multipliers, drags).
        """
        e = self.equations
        udot, lam = ca.SX.sym("udot", e.n_u), ca.SX.sym("lam", len(self.rows))
        dragged = [t.connection for t in e.contact_bonds.values() if t.dragged]
        drags = ca.SX.sym("drags", 6, len(dragged))
        on = [(c, drags[:3, i], drags[3:, i]) for i, c in enumerate(dragged)]
        power = self.driving.power(self.driving.wrenches(self.rows, udot, lam, on))
        first = len(self.rows) - len(self.relaxed)
        slipping = [(e.model.connections[row.owner], lam[i] * row.force, lam[i] * row.moment)
                    for i, row in enumerate(self.relaxed, start=first)]  # fmt: skip
        lost = -sum((self._carried(c, F, M) for c, F, M in [*on, *slipping]), ca.SX(0))
        return ca.Function("frames", [e.t, e.q, e.u, e.p, udot, lam, drags], [ca.densify(ca.vertcat(power, lost))])

    def _carried(self, c: ConnectedPair, force: Any, moment: Any) -> Any:
        """Power of a wrench between two bodies by the motion of the frames that carry them."""
        motion = self.equations.motion
        return base_rate(motion, (c.first.body, c.touching), motion.frame(c.second).p, force, moment)

    def _drags(self, u: Any, bias: Any, gamma: Any) -> Any:
        """Forces and moments, by columns, of laws that relax the slips of contacts, on second bodies at their
        frames.
        """
        e = self.equations
        found = [ca.vertcat(*t.drag(e.n_u)[1:]) for t in e.contact_bonds.values() if t.dragged]
        if not found:
            return ca.SX(6, 0)
        loads = ca.vertcat(ca.SX(0, 1), *e.full_multipliers.values())
        drag = ca.Function("drag", [e.t, e.q, e.u, e.p, loads], [ca.horzcat(*found)])
        return drag(e.t, e.q, u, e.p, self._full_multipliers(bias, gamma))

    def _powers_of_rows(self, multipliers: Any) -> Any:
        """Power of the drives, and what friction takes."""
        rates = self.equations.drive_rates(self.rows)
        drives = sum((multipliers[i] * rate for i, rate in rates.items()), ca.SX(0))
        dissipated = [multipliers[i] * row.lost for i, row in enumerate(self.rows) if row.lost is not None]
        return ca.vertcat(drives, sum(dissipated, ca.SX(0)))

    def _lost(self, multipliers: Any, u: Any, nonideal: Any) -> Any:
        """Power lost in constraints that are relaxed or not ideal."""
        first = len(self.rows) - len(self.relaxed)
        gained = ca.dot(nonideal, u)
        for i, row in enumerate(self.relaxed, start=first):
            gained += multipliers[i] * sum((entry * u[k] for k, entry in row.jacobian.items()), ca.SX(0))
        return -gained

    # -- what the integrators call -------------------------------------------------------------------------------------

    def plain_rhs(self) -> Any:
        """xdot without projection of the argument."""
        udot, multipliers = self.dynamics
        return self.function("rhs", self._drawn_rates(), udot, self.powers(multipliers), self.turns)

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
        folds = any(row.holonomic and row.role is not Role.NORMAL for row in self.rows)
        q = self._corrected_q() if folds else self._followed_q()
        return self.function("rhs", self._on_manifold()(e.t, q, e.u, e.p))

    def _on_manifold(self) -> Any:
        """xdot at (t, q, u, p) with u projected first."""
        e = self.equations
        moving = ca.Function("moving", [e.t, e.q, e.u, e.p], [e.bias, self._gamma, e.coordinate_rates()])
        power = ca.Function("power", [e.t, e.q, e.u, e.p], [ca.vertcat(e.supplied(), e.dissipated())])
        lam_ = ca.SX.sym("lam", len(self.rows))
        u = self._corrected_u()
        bias, gamma, qdot = moving(e.t, e.q, u, e.p)
        udot, lam, nonideal, _ = self._solve(u, bias, gamma)
        z = ca.SX(0, 1)
        if self.has_power:
            of_rows = ca.Function("rows", [e.t, e.q, e.u, e.p, lam_], [self._powers_of_rows(lam_)])
            z = power(e.t, e.q, u, e.p) + of_rows(e.t, e.q, u, e.p, lam)
            z[1] += self._lost(lam, u, nonideal)
        if e.model.frames:
            z += self._powers_of_frames(e.t, e.q, u, e.p, udot, lam, self._drags(u, bias, gamma))
        turns = ca.Function("turns", [e.t, e.q, e.u, e.p], [self.turns])(e.t, e.q, u, e.p)
        return ca.Function("on_manifold", [e.t, e.q, e.u, e.p], [ca.vertcat(qdot, udot, z, turns)])

    def _corrected_u(self) -> Any:
        e = self.equations
        change = self._held.least_change({i: -row.rate for i, row in enumerate(self.rows)})
        return e.u + dense(change, e.n_u)

    def _corrected_q(self) -> Any:
        e = self.equations
        change = self._held.least_change({i: -row.residual for i, row in enumerate(self.rows)})
        rates = ca.Function("rates", [e.t, e.q, e.u, e.p], [e.position_rates()])
        moved = rates(e.t, e.q, dense(change, e.n_u), e.p)
        if e.model.frames:  # what follows a contact with a moving frame moves without any speed
            moved -= rates(e.t, e.q, 0, e.p)
        return e.q + moved + ca.vertcat(ca.SX.zeros(e.motion.n_q), e.corrections())

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
        for row in self.acting:
            scale = self.length if row.unit == "m" else 1.0
            active = 1 if row.active is None else row.active
            position = ca.fmax(position, active * ca.fabs(row.residual) / scale)
            velocity = ca.fmax(velocity, active * ca.fabs(row.rate) / (scale * speed))
        for k in range(e.n_q - e.motion.n_q):
            position = ca.fmax(position, ca.fabs(e.corrections()[k]))
        measures = [self.kkt.loop_measure(loop) for loop in self.loop_rows().values()]
        return self.function("project", q, u, self.x[self.layout.n_motion :], position, velocity, *measures)

    def loop_rows(self) -> dict[str, Choice]:
        """Rows of each closed loop by the name of its connection, and how many of them are independent (tree joints of
        absolute coordinates left out, and loops with a single row, which cannot fold).
        """
        kept = {row.name for row in self.independent}
        loops = {}
        for name in (loop.name for loop in self.equations.topology.loops):
            rows = [i for i, r in enumerate(self.acting) if r.holonomic and r.owner == name]
            loops[name] = Choice(tuple(rows), sum(self.acting[i].name in kept for i in rows))
        return {name: loop for name, loop in loops.items() if loop.count > 1}

    def jacobian(self) -> Any:
        """[d xdot/dx, d xdot/dt] of the plain right-hand side."""
        e = self.equations
        udot, multipliers = self.dynamics
        xdot = ca.vertcat(self._drawn_rates(), udot, self.powers(multipliers))
        return self.function("jacobian", derivative(xdot, self.x), derivative(xdot, e.t))

    @cached_property
    def linear(self) -> Any:
        """[xdot, d xdot/d(q, u), J, d(J u)/dq, P] by CasADi's own evaluator, for linearisations."""
        e = self.equations
        udot, _ = self.dynamics
        f = ca.vertcat(e.coordinate_rates(), udot)
        J = ca.vertcat(ca.SX(0, e.n_u), *[dense(r.jacobian, e.n_u).T for r in self.independent])
        Ju = ca.vertcat(ca.SX(0, 1), *[r.rate for r in self.independent])
        P = derivative(e.position_rates(), e.u)
        outputs = [f, derivative(f, ca.vertcat(e.q, e.u)), J, derivative(Ju, e.q), P]
        return ca.Function("linear", [e.t, e.q, e.u, e.p], [ca.densify(o) for o in outputs])

    def metric(self) -> Any:
        """[M, K, D, J, g, rate, P] for projection in the metric M + h D + h^2 K; None without rows."""
        e = self.equations
        rows = self.independent
        if not rows:
            return None
        M = ca.vertcat(*[dense(row, e.n_u).T for row in e.mass])
        J = ca.vertcat(*[dense(row.jacobian, e.n_u).T for row in rows])
        P = derivative(e.position_rates(), e.u)
        K = ca.mtimes(derivative(e.bias, e.q), P)
        D = derivative(e.bias, e.u)
        g, rate = ca.vertcat(*[r.residual for r in rows]), ca.vertcat(*[r.rate for r in rows])
        return self.function("metric", M, K, D, J, g, rate, P)

    def energy(self) -> Any:
        """[kinetic, potential, what friction takes at each of `friction_contacts` per unit of normal force]."""
        e = self.equations
        lost = [e.contact_bonds[name].taken for name in friction_contacts(e.model)]
        return self.function("energy", e.kinetic(), e.potential(), *lost)


def friction_contacts(model: Model) -> list[str]:
    """Contacts whose friction can only take energy: not those whose bristles give some back, or whose slips are
    relaxed constraints.
    """
    return [
        c.name
        for c in model.connections.values()
        if c.friction_laws and not any(law.has_bristles or law.relaxes for law in c.friction_laws)
    ]
