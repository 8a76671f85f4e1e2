"""Sparse solution of  [M J'; J 0] on the tape, by elimination without pivoting.

M is eliminated from the leaves of the tree to its root: no fill [Featherstone 2005]. What remains is S = J M^-1 J',
symmetric and positive, ordered by minimum degree. Near singular poses S is regularised by a shift of its diagonal,
relative to the mean of the loop that a row belongs to; iterative refinement removes its effect where the pose is
regular.

Contacts of one body are usually redundant: the normal forces of a box on four corners are not unique. The multipliers
are then those of least norm; their round-off error is that of the machine divided by the shift, which matters for
friction. Such rows have a larger shift and more refinements, which reduce its effect to (shift / eigenvalue)^(1 +
refinements). The norm is that of these rows alone: other rows, such as those of joints, have no part in it.
"""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import casadi as ca

from trundle.linear_algebra.determinant import Determinant
from trundle.linear_algebra.fixed_rank import Choice, FixedRank
from trundle.linear_algebra.shift import REDUNDANT, REFINEMENTS, UNEVEN
from trundle.typing import Expr

Sparse = dict[int, Expr]


def _is_zero(value: Expr) -> bool:
    return bool(value.is_zero())


@final
class Factor:
    """L D L' of a sparse symmetric positive matrix given by its rows, in the given order of elimination."""

    def __init__(self, rows: list[Sparse], order: list[int]) -> None:
        self.order = order
        work = [dict(r) for r in rows]
        self.columns: dict[int, Sparse] = {}
        self.inverse_pivot: dict[int, Expr] = {}
        self.pivot: dict[int, Expr] = {}
        done: set[int] = set()
        for k in order:
            done.add(k)
            self.pivot[k] = work[k][k]
            inverse = 1 / work[k][k]
            self.inverse_pivot[k] = inverse
            below = {i: value for i, value in work[k].items() if i not in done}
            scaled = {i: value * inverse for i, value in below.items()}
            self.columns[k] = scaled
            items = list(below)
            for a, i in enumerate(items):
                for j in items[a:]:
                    update = scaled[i] * below[j]
                    new = work[i][j] - update if j in work[i] else -update
                    work[i][j] = new
                    work[j][i] = new
        self.left = work  # the Schur complement: rows that are not in the order

    def forward(self, b: Sparse) -> Sparse:
        """L^-1 b."""
        x = dict(b)
        for k in self.order:
            if k in x:
                for i, value in self.columns[k].items():
                    x[i] = x[i] - value * x[k] if i in x else -value * x[k]
        return x

    def backward(self, y: Sparse, known: Sparse | None = None) -> Sparse:
        """L'^-1 D^-1 y; `known` are the values of the rows that are not in the order."""
        x: Sparse = dict(known or {})
        for k in reversed(self.order):
            value = y[k] * self.inverse_pivot[k] if k in y else ca.SX(0)
            for i, entry in self.columns[k].items():
                if i in x:
                    value = value - entry * x[i]
            if not _is_zero(value):
                x[k] = value
        return x


@final
class UnsymmetricFactor:
    """L U of a sparse matrix of symmetric pattern given by its rows, in the given order of elimination."""

    def __init__(self, rows: list[Sparse], order: list[int]) -> None:
        self.order = order
        work = [dict(r) for r in rows]
        self.lower: dict[int, Sparse] = {}
        self.upper: dict[int, Sparse] = {}
        self.inverse_pivot: dict[int, Expr] = {}
        done: set[int] = set()
        for k in order:
            done.add(k)
            inverse = self.inverse_pivot[k] = 1 / work[k][k]
            self.upper[k] = {j: value for j, value in work[k].items() if j not in done}
            self.lower[k] = {i: work[i][k] * inverse for i in range(len(work)) if i not in done and k in work[i]}
            for i, factor in self.lower[k].items():
                for j, value in self.upper[k].items():
                    work[i][j] = work[i][j] - factor * value if j in work[i] else -factor * value

    def solve(self, b: Sparse) -> Sparse:
        """x of A x = b."""
        y = dict(b)
        for k in self.order:
            if k in y:
                for i, factor in self.lower[k].items():
                    y[i] = y[i] - factor * y[k] if i in y else -factor * y[k]
        x: Sparse = {}
        for k in reversed(self.order):
            value = y.get(k, ca.SX(0))
            for j, entry in self.upper[k].items():
                if j in x:
                    value = value - entry * x[j]
            if not _is_zero(value):
                x[k] = value * self.inverse_pivot[k]
        return x


def coupled(rows: list[Sparse]) -> list[set[int]]:
    """Decoupled sets of rows of a matrix of symmetric pattern."""
    found: list[set[int]] = []
    for i, row in enumerate(rows):
        joined = {i, *row}
        apart = [other for other in found if not other & joined]
        for other in found:
            if other & joined:
                joined |= other
        found = [*apart, joined]
    return found


def minimum_degree(rows: list[Sparse], left: Collection[int] = (), last: Collection[int] = ()) -> list[int]:
    """Greedy order of elimination for a symmetric pattern, without the rows `left`; the rows `last` come at the end."""
    graph = {i: set(r) - {i} for i, r in enumerate(rows)}
    order = []
    while len(graph) > len(left):
        k = min((i for i in graph if i not in left), key=lambda i: (i in last, len(graph[i]), i))
        around = graph.pop(k)
        order.append(k)
        for i in around:
            graph[i] = (graph[i] | around) - {i, k}
    return order


@final
@dataclass(frozen=True, eq=False)
class KKTRow:
    """A constraint row of the system."""

    jacobian: Sparse
    loop: Hashable = ""  # rows of one loop have the same relative shift
    scale: float = 1.0  # makes rows of different units comparable
    active: Expr | None = None  # weight: 1, or 0 for an inactive row
    column: Sparse | None = None  # direction of the force if the multiplier carries friction
    shared: bool = False  # may be redundant at any pose
    inertia: Expr | None = None  # inverse mass by which its loop is weighted among redundant ones; by default the mean
    uneven: bool = False  # whether that may be orders of magnitude from those of others


def shares_beside(rows: Sequence[KKTRow]) -> bool:
    """Whether rows that may be redundant share loads beside others, which are to have no part in that."""
    return any(row.shared and row.inertia is not None for row in rows) and any(not row.shared for row in rows)


def refinements_of(rows: Sequence[KKTRow]) -> int:
    """How often multipliers are refined."""
    if not any(row.shared for row in rows):
        return 1
    return UNEVEN if any(row.uneven for row in rows) else REFINEMENTS


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """Solution of the equations of motion with friction."""

    x: Sparse
    multipliers: Sparse
    unique: Sequence[Expr]
    """For each row: ratio of the determinants with and without friction, of all rows that it is coupled with. It is 1
    without friction; where it is not positive, rigid bodies with friction have no or several accelerations (Painleve's
    paradox)."""
    solvable: Sequence[Expr]
    """The same, but also negative if several of the factors are negative (when two coupled bodies reach the paradox at
    once), and if the shift of the rows would hide that the determinant vanishes."""


@final
class KKT:
    """Factored system of mass matrix and constraint rows at one pose.

    From the rows of `choices` the best ones are selected at every pose; these rows cannot carry friction.
    """

    def __init__(
        self,
        M: list[Sparse],
        rows: Sequence[KKTRow],
        leaves_first: list[int],
        shift: Expr,
        choices: Sequence[Choice] = (),
    ) -> None:
        self.rows, self.scale = rows, [row.scale for row in rows]
        scale = self.scale
        self.hides = any(row.shared for row in rows)
        self.refinements = refinements_of(rows)
        self.shares_beside = shares_beside(rows)
        self.mass = Factor(M, leaves_first)
        self.reduced = [self.mass.forward(row.jacobian) for row in rows]  # L^-1 J'
        m = len(rows)
        self.weights = [row.active for row in rows]
        self.pushed = [
            r if row.column is None else self.mass.forward(row.column)
            for r, row in zip(self.reduced, rows, strict=True)
        ]
        S: list[Sparse] = [{} for _ in range(m)]
        scaled = [{k: v * self.mass.inverse_pivot[k] for k, v in r.items()} for r in self.reduced]
        for i in range(m):
            for j in range(i, m):
                common = self.reduced[i].keys() & self.reduced[j].keys()
                if common:
                    value = sum((scaled[i][k] * self.reduced[j][k] for k in sorted(common)), ca.SX(0))
                    S[i][j] = S[j][i] = value
            S[i].setdefault(i, ca.SX(0))  # a row without entries, such as a slip out of the plane of a planar joint
        self.S = S
        self.shift: list[Expr] = [ca.SX(0)] * m
        loops: dict[Hashable, list[int]] = {}
        for i, row in enumerate(rows):
            loops.setdefault(row.loop, []).append(i)
        for loop in loops.values():
            mean = sum((S[i][i] * scale[i] ** 2 for i in loop), ca.SX(0)) / len(loop)
            given = rows[loop[0]].inertia
            mean = mean if given is None else given * scale[loop[0]] ** 2
            for i in loop:
                own = ca.fmax(shift, REDUNDANT) if rows[i].shared else shift
                self.shift[i] = mean * own / scale[i] ** 2
        shifted = [dict(r) for r in S]
        for i in range(m):
            shifted[i][i] = S[i][i] + self.shift[i]
        # Rows of contacts with friction come last: earlier factors are then those without friction, and the Schur
        # complement involves the contacts only, whatever the coordinates and other constraints.
        with_friction = {row.loop for row in rows if row.column is not None}
        last = {i for i, row in enumerate(rows) if row.loop in with_friction}
        order = minimum_degree(S, {i for choice in choices for i in choice.rows}, last)
        self.dual = Factor(self._weighted(shifted), order) if m else None
        self.chosen = FixedRank(dict(enumerate(self.dual.left)), choices, scale) if self.dual and choices else None
        self.friction_factor: UnsymmetricFactor | None = None
        if any(row.column is not None for row in rows):
            if choices:
                raise ValueError("rows that are selected at every pose cannot carry friction")
            A: list[Sparse] = [{} for _ in range(m)]
            for i in range(m):
                for j in range(m):
                    common = scaled[i].keys() & self.pushed[j].keys()
                    if common:
                        A[i][j] = sum((scaled[i][k] * self.pushed[j][k] for k in sorted(common)), ca.SX(0))
                A[i][i] = A[i].get(i, ca.SX(0)) + self.shift[i]
            self.slanted = self._weighted(A)
            self.friction_factor = UnsymmetricFactor(self.slanted, order)

    def _weighted(self, rows: list[Sparse]) -> list[Sparse]:
        """Inactive rows and columns are replaced by those of the unit matrix."""
        out = []
        for i, row in enumerate(rows):
            own = self.weights[i]
            new = {}
            for j, value in row.items():
                for weight in (own, self.weights[j]) if i != j else (own,):
                    value = value if weight is None else value * weight
                new[j] = value
            if own is not None:
                new[i] = new[i] + (1 - own)
            out.append(new)
        return out

    def _acting(self, rhs: Sparse) -> Sparse:
        return {i: v if self.weights[i] is None else v * self.weights[i] for i, v in rhs.items()}

    def multipliers(
        self, rhs: Sparse, refinements: int, with_friction: bool = False, shares: Sparse | None = None
    ) -> Sparse:
        """lambda of S lambda = rhs, or with the columns of friction. If it is not unique, the solution with the
        smallest difference from `shares`: refinement keeps the part of the shares that has no effect and removes the
        rest. Beside rows that do not share, what has no effect is then removed in the norm of those that do.
        """
        if self.dual is None:
            return {}
        dual, slanted = self.dual, self.friction_factor

        def solve(b: Sparse) -> Sparse:
            if with_friction and slanted is not None:
                return slanted.solve(b)
            y = dual.forward(b)
            return dual.backward(y, self.chosen.solve(y) if self.chosen else None)

        first = solve(self._acting(rhs))
        x = dict(first)
        for i, value in (shares or {}).items():
            x[i] = x[i] + value if i in x else value
        for _ in range(refinements):
            left = self._acting({i: self.shift[i] * value for i, value in x.items()})
            x = dict(first)
            for i, value in solve(left).items():
                x[i] = x[i] + value if i in x else value
        if not self.shares_beside or refinements < self.refinements:
            return x
        idle = {i: value - (shares or {}).get(i, ca.SX(0)) for i, value in x.items()}
        for _ in range(REFINEMENTS):
            idle = solve(self._acting({i: self.shift[i] * v for i, v in idle.items() if self.rows[i].shared}))
        return {i: value - idle[i] if i in idle else value for i, value in x.items()}

    def shared(self, multipliers: Sparse) -> Sparse:
        """Multipliers with the same effect; those of rows selected at every pose have least norm."""
        if self.dual is None or self.chosen is None:
            return multipliers
        change = {i: v - multipliers[i] for i, v in self.chosen.shared(multipliers).items()}
        out = dict(multipliers)
        for i, value in self.dual.backward({}, change).items():
            out[i] = out[i] + value if i in out else value
        return out

    def solve(
        self, b: Sparse, c: Sparse, refine: bool = True, with_friction: bool = False, shares: Sparse | None = None
    ) -> tuple[Sparse, Sparse]:
        """x and lambda of  M x - C' lambda = b,  J x = c; C differs from J by friction. If lambda is not unique, the
        solution with the smallest difference from `shares`.
        """
        y = self.mass.forward(b)
        scaled = {k: value * self.mass.inverse_pivot[k] for k, value in y.items()}
        rhs: Sparse = {}
        for i, row in enumerate(self.reduced):
            value = c.get(i, ca.SX(0))
            for k in sorted(row.keys() & scaled.keys()):
                value = value - row[k] * scaled[k]
            if not _is_zero(value):
                rhs[i] = value
        multipliers = self.multipliers(rhs, self.refinements - int(not refine), with_friction, shares)
        for i, value in multipliers.items():
            for k, entry in (self.pushed if with_friction else self.reduced)[i].items():
                y[k] = y[k] + entry * value if k in y else entry * value
        return self.mass.backward(y), multipliers

    def solve_with_friction(self, b: Sparse, c: Sparse, shares: Sparse, judge: bool = True) -> Solution:
        """The solution with friction, and with multipliers of least norm of the rows selected at every pose; `judge`:
        with the determinants.
        """
        x, multipliers = self.solve(b, c, with_friction=True, shares=shares)
        found = self._determinants if judge else []
        return Solution(x, self.shared(multipliers), [one.value for one in found], [one.judged for one in found])

    @cached_property
    def _determinants(self) -> list[Determinant]:
        """For each row the ratio of determinants with and without friction, of the rows that it is coupled with."""
        found = [Determinant((), self.hides)] * len(self.S)
        if self.dual is None or self.friction_factor is None:
            return found
        for rows in coupled(self.S):
            order = [k for k in self.dual.order if k in rows]
            factors = [self.dual.inverse_pivot[k] / self.friction_factor.inverse_pivot[k] for k in order]
            loops = list(dict.fromkeys(self.rows[k].loop for k in order if self.rows[k].column is not None))
            rubs = {k: loops.index(self.rows[k].loop) for k in order if self.rows[k].loop in loops}
            back = sorted(order, key=lambda k: -rubs.get(k, len(order)))
            others = UnsymmetricFactor(self.slanted, back).inverse_pivot if len(loops) > 1 else {}
            whole = Determinant(factors, self.hides, list(others.values()))
            for k in rows:
                found[k] = whole
        return found

    def least_change(self, c: Sparse) -> Sparse:
        """The smallest x (in the metric M) with J x = c, for small c: the effect of the shift is of second order."""
        return self.solve({}, c, refine=False)[0]

    def among(self, rows: Collection[int]) -> list[Sparse]:
        """S restricted to some of the rows; the others are empty."""
        return [{j: v for j, v in row.items() if j in rows} if i in rows else {} for i, row in enumerate(self.S)]


def sparse(vector: Expr) -> Sparse:
    """Non-zero entries of a CasADi column."""
    return {i: vector[i] for i in range(vector.shape[0]) if not _is_zero(vector[i])}


def dense(entries: Sparse, n: int) -> Expr:
    """CasADi column of sparse entries."""
    out = ca.SX.zeros(n)
    for i, value in entries.items():
        out[i] = value
    return out
