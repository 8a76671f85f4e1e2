"""Accelerations and multipliers as expressions, from the equations and their rows."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import casadi as ca

from trundle.constraints.row import Role, Row
from trundle.contact.inverse_masses import contacts_that_take_part, load_ratios, mean_inverse_masses, other_rows
from trundle.equations.derive import Equations
from trundle.errors import ModelError, UnknownNameError
from trundle.linear_algebra.active_rows import ActiveRows
from trundle.linear_algebra.fixed_rank import Choice
from trundle.linear_algebra.kkt import KKT, KKTRow, Sparse, dense, sparse
from trundle.linear_algebra.shift import UNEVEN
from trundle.linear_algebra.udwadia_kalaba import Orthogonal, WeightedRow
from trundle.motion.motion import FrameLoad
from trundle.typing import Expr, TapeFunction

MANY = 12
"""Number of switched rows from which on active rows are solved numerically, unless there are more permanent rows."""


@final
@dataclass(frozen=True, eq=False)
class Solved:
    """Accelerations and forces at one state."""

    udot: Expr
    multipliers: Expr
    nonideal: Expr  # force of non-ideal constraints
    unique: Sequence[Expr]  # see `linear_algebra.kkt.Solution`
    solvable: Sequence[Expr]


class Accelerations:
    """A set of equations with its independent rows, solved.

    With `redundant` (names of rows that depend on the others at generic poses) all rows are given, and the
    accelerations come from their pseudo-inverse; relaxed rows and non-ideal forces need that. `exchanged` are sets of
    rows, each with those that are independent at most poses: the best ones are selected at every pose. `by_numbers`:
    if possible, switched rows are solved numerically at every evaluation, only the active ones; the results then have
    no derivatives.
    """

    def __init__(
        self,
        equations: Equations,
        rows: Sequence[Row],
        length: float,
        redundant: Collection[str] | None = None,
        exchanged: Sequence[tuple[Collection[str], Collection[str]]] = (),
        by_numbers: bool = False,
    ) -> None:
        self.equations, self.length = equations, length
        self.by_pseudo_inverse = redundant is not None
        self.relaxed = [row for row in rows if not row.ideal]
        if not self.by_pseudo_inverse and any(row.column is not None for row in rows):
            exchanged = ()  # some multipliers carry friction: the same rows at all poses
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
        spared = [row for row in loads if row.name in spare]  # contacts share their loads if rolling depends on them
        self.rows = [*self.acting, *spared, *self.relaxed]
        self.spare = spare - {row.name for row in self.rows}  # dropped
        switched_names = {row.name for row in [*switched, *(loads if spared else ())]}
        self.shared = [i for i, row in enumerate(self.rows) if row.ideal and row.name in switched_names]
        come_and_go = len(switched) >= max(MANY, len(lasting)) and not (self.by_pseudo_inverse or chosen)
        self.by_numbers = by_numbers and come_and_go
        e = equations
        self.loses = bool(self.relaxed) or not e.nonideal.is_zero()  # energy is lost in non-ideal constraints
        if self.loses and not self.by_pseudo_inverse:
            raise ModelError(
                "constraints that are relaxed or not ideal need the pseudo-inverse: use formalism='udwadia_kalaba'."
            )

    @cached_property
    def kkt(self) -> KKT | ActiveRows:
        """Mass matrix and independent rows at (t, q), factored."""
        e = self.equations
        several = len({row.owner for row in self.acting if row.active is not None}) > 1
        weights, uneven = self._contact_weights, bool(load_ratios(self))
        rows = [
            KKTRow(
                r.jacobian,
                (r.owner, r.active is None),  # switched rows apart: equal contacts share equally
                scale,
                r.active,
                r.column,
                shared=several and r.active is not None,
                inertia=weights.get(r.owner) if r.active is not None else None,
                uneven=uneven,
            )
            for r, scale in zip(self.acting, self._scale(self.acting), strict=True)
        ]
        if self.by_numbers:
            return ActiveRows(e.mass, rows, e.motion.leaves_first(), e.shift)
        return KKT(e.mass, rows, e.motion.leaves_first(), e.shift, self.choices)

    @cached_property
    def _contact_weights(self) -> dict[str, Expr]:
        """Inverse masses by which contacts that open are weighted where they share loads; without other constraints
        these are the means of their rows, which need not be given. Those whose load is given are weighted by it.
        """
        found = (bonds.connection for bonds in contacts_that_take_part(self))
        names = [c.name for c in found if "z" in c.holds or not c.unilateral]
        ratios = load_ratios(self)
        if len(names) < 2 or self.relaxed or not (ratios or other_rows(self) or self.by_pseudo_inverse):
            return {}
        return {name: mean * ratios.get(name, 1) for name, mean in mean_inverse_masses(self, names).items()}

    def _is_load(self, row: Row) -> bool:
        """Whether a row presses two surfaces together."""
        return row.role is Role.NORMAL

    def _scale(self, rows: Sequence[Row]) -> list[float]:
        return [1 / self.length if row.unit == "m" else 1.0 for row in rows]

    @cached_property
    def orthogonal(self) -> Orthogonal:
        """Mass matrix and all rows at (t, q), the held ones orthogonalised."""
        e, contacts = self.equations, self._contact_weights
        rows = [
            WeightedRow(
                row.jacobian,
                scale,
                (1 if row.active is None else row.active) if i < len(self.rows) - len(self.relaxed) else None,
                contacts.get(row.owner, ca.SX(1)) if i in self.shared else None,
            )
            for i, (row, scale) in enumerate(zip(self.rows, self._scale(self.rows), strict=True))
        ]
        positions = [(k, row) for k, row in zip(self._scale(self.independent), self.independent, strict=True)
                     if row.holonomic]  # fmt: skip
        distance = sum(
            ((k * row.residual) ** 2 * (1 if row.active is None else row.active) for k, row in positions), ca.SX(0)
        )
        mass = sum((inertia.mass for inertia in e.inertias.values()), ca.SX(0))
        unit = 1 / (mass * self.length**2)
        refinements = UNEVEN if load_ratios(self) else 0
        return Orthogonal(e.mass, e.motion.leaves_first(), rows, self.choices, distance, unit, refinements)

    @property
    def _held(self) -> KKT | ActiveRows | Orthogonal:
        """The solver that projects coordinates and speeds onto the constraints."""
        return self.orthogonal if self.by_pseudo_inverse else self.kkt

    @cached_property
    def _pushes(self) -> dict[int, Expr]:
        """Generalised friction force per multiplier of a row."""
        e, out = self.equations, {}
        for i, row in enumerate(self.rows):
            if row.column is not None:
                out[i] = dense(row.column, e.n_u) - dense(row.jacobian, e.n_u)
        return out

    @cached_property
    def _nonideal(self) -> TapeFunction:
        """Weights, force of non-ideal constraints, friction per multiplier, directions of the weights: a function of
        (t, q, u, p, multipliers of the rows if all had full weight).
        """
        e = self.equations
        loads = ca.vertcat(ca.SX(0, 1), *e.full_multipliers.values())
        weights = ca.vertcat(ca.SX(0, 1), *[row.weight for row in self.relaxed])
        pushes = ca.horzcat(ca.SX(e.n_u, 0), *self._pushes.values())
        mixed = ca.vertcat(ca.SX(0, 1), *[v for row in self.relaxed if row.mixed for v in row.mixed.values()])
        return ca.Function("unideal", [e.t, e.q, e.u, e.p, loads], [weights, e.nonideal, pushes, mixed])

    def _full_multipliers(self, bias: Expr, gamma: Expr) -> Expr:
        """Multipliers on which weights depend: those of the rows if all constraints were ideal and frictionless."""
        names = self.equations.full_multipliers
        if not names:
            return ca.SX(0, 1)
        index = {row.name: i for i, row in enumerate(self.rows)}
        for name in names:
            if name not in index and name in {f"{contact}.normal" for contact in self.equations.contact_bonds}:
                raise ModelError(
                    f"{name!r} has no multiplier: the coordinates of this contact keep the surfaces together. With "
                    "unilateral=True, or a law of friction such as tr.Relaxed, the normal is a constraint row."
                )
            if name in self.spare:
                raise ModelError(
                    f"{name!r} is redundant, so rigid-body mechanics does not determine its multiplier. Use that of "
                    f"a row that is kept (system.mobility), or make the connection compliant."
                )
            if name not in index:
                owner, _ = self.equations.model.motion_along(name) or (None, "")
                held = () if owner is None or owner.is_contact else owner.holds  # these would be rows if used by name
                rows = [*index, *(f"{owner.name}.{bond}" for bond in held if owner is not None)]
                raise UnknownNameError(name, rows, "constraint row with a multiplier")
        full = self.orthogonal.relaxed([1] * len(self.relaxed))
        _, multipliers = full.solve(sparse(-bias), sparse(-gamma))
        return ca.vertcat(*[multipliers.get(index[name], ca.SX(0)) for name in names])

    def _solve(self, u: Expr, bias: Expr, gamma: Expr, judge: bool = True) -> "Solved":
        e = self.equations
        if not self.by_pseudo_inverse:
            found = self.kkt.solve_with_friction(sparse(-bias), sparse(-gamma), self._shares(), judge)
            udot, multipliers = dense(found.x, e.n_u), dense(found.multipliers, len(self.rows))
            return Solved(udot, multipliers, ca.SX.zeros(e.n_u), found.unique, found.solvable)
        solver, nonideal, pushes = self._relaxed(u, bias, gamma)
        shares, force = self._shares(), nonideal - bias
        if self._shares_act:
            for i, value in shares.items():
                force = force + value * dense(self.rows[i].column or self.rows[i].jacobian, e.n_u)
        x, lam, unique = solver.solve_with_friction(sparse(force), sparse(-gamma), pushes)
        for i, value in shares.items():
            lam[i] = lam[i] + value if i in lam else value
        every = [unique] * len(self.rows)
        return Solved(dense(x, e.n_u), dense(lam, len(self.rows)), nonideal, every, every)

    def _relaxed(self, u: Expr, bias: Expr, gamma: Expr) -> tuple[Orthogonal, Expr, dict[int, Sparse]]:
        """The rows with their weights, the force of non-ideal constraints, and friction by row, at speeds u."""
        e = self.equations
        weights, nonideal, pushes, mixed = self._nonideal(e.t, e.q, u, e.p, self._full_multipliers(bias, gamma))
        by_row = {i: sparse(pushes[:, k]) for k, i in enumerate(self._pushes)}
        return self.orthogonal.relaxed(ca.vertsplit(weights), self._sources(mixed)), nonideal, by_row

    def _sources(self, mixed: Expr) -> list[Sparse]:
        """The row of each weight, or a combination of several."""
        index = {row.name: i for i, row in enumerate(self.rows)}
        out: list[Sparse] = []
        k = 0
        for row in self.relaxed:
            names = list(row.mixed or ())
            out.append({index[name]: mixed[k + j] for j, name in enumerate(names)} or {index[row.name]: ca.SX(1)})
            k += len(names)
        return out

    @property
    def _gamma(self) -> Expr:
        return ca.vertcat(ca.SX(0, 1), *[row.gamma for row in self.rows])

    @cached_property
    def _solution(self) -> "Solved":
        e = self.equations
        return self._solve(e.u, e.bias, self._gamma)

    @cached_property
    def unconstrained(self) -> tuple[Expr, list[FrameLoad]]:
        """udot without constraint rows, and the forces of moving frames and of the ground through joints."""
        e = self.equations
        return e.motion.unconstrained(e.inertias, e.gravity, e.loads, e.efforts + e.nonideal)

    @cached_property
    def dynamics(self) -> tuple[Expr, Expr]:
        """udot and multipliers at a consistent state, as expressions of the symbols."""
        if not self.rows:
            return self.unconstrained[0], ca.SX(0, 1)
        return self._solution.udot, self._solution.multipliers

    @property
    def _shares_act(self) -> bool:
        """Whether shares move something together: by friction of loads, or as loads change to which they are ratios."""
        return any(row.column is not None for row in self.rows) or bool(load_ratios(self))

    def _shares(self) -> Sparse:
        """Forces of contacts in addition to those of least norm, by row."""
        of = {"slip_x": "share_x", "slip_y": "share_y", "normal": "share_n"}
        e, out = self.equations, {}
        for i, row in enumerate(self.rows):
            share = e.modes.get(f"{row.owner}.{of.get(row.bond)}")
            if share is not None:
                out[i] = share * e.contact_efforts[row.owner].get("normal", 1)  # over the load where this is given
        return out

    @property
    def solvable(self) -> Sequence[Expr]:
        """For each row, positive if the acceleration is unique; 1 without friction (Painleve's paradox). Negative also
        where this cannot be decided numerically.
        """
        return self._solution.solvable

    def multiplier(self, name: str) -> Expr:
        """Multiplier of a row; zero if there is no row of this name."""
        found = [i for i, row in enumerate(self.rows) if row.name == name]
        return self.dynamics[1][found[0]] if found else ca.SX(0)

    def settled(self, *expressions: Expr) -> list[Expr]:
        """Expressions in which the multipliers that weights use are replaced by their values."""
        e = self.equations
        symbols = list(e.full_multipliers.values())
        if not symbols:
            return list(expressions)
        values = ca.vertsplit(self._full_multipliers(e.bias, self._gamma))
        return list(ca.substitute(list(expressions), symbols, values))

    @cached_property
    def weights(self) -> dict[str, Expr]:
        """Weights of the relaxed rows by name."""
        values = self.settled(*[ca.SX(row.weight) for row in self.relaxed])
        return {row.name: value for row, value in zip(self.relaxed, values, strict=True)}

    @cached_property
    def constraint_forces(self) -> tuple[Expr, Expr]:
        """Generalised forces of the constraints: ideal and non-ideal part."""
        e = self.equations
        solver, nonideal, pushes = self._relaxed(e.u, e.bias, self._gamma)
        for i, push in pushes.items():
            nonideal = nonideal + self.dynamics[1][i] * dense(push, e.n_u)
        return solver.constraint_forces(-e.bias, -self._gamma, nonideal)

    def loop_rows(self) -> dict[str, Choice]:
        """Rows of each closed loop by the name of its connection, with the number of independent ones; without the tree
        joints of absolute coordinates, and without loops of a single row, which cannot fold.
        """
        kept = {row.name for row in self.independent}
        loops = {}
        for name in (loop.name for loop in self.equations.topology.loops):
            rows = [i for i, r in enumerate(self.acting) if r.holonomic and r.owner == name]
            loops[name] = Choice(tuple(rows), sum(self.acting[i].name in kept for i in rows))
        return {name: loop for name, loop in loops.items() if loop.count > 1}
