"""[M J'; J 0] with many rows that become active and inactive: the active ones are solved numerically at run time.

M is eliminated on the tape, as in `kkt`. The reduced equations of the active rows, usually a few of many contacts, are
passed to a compiled solver (`solve_rows`): the tape then grows with the number of contacts, not with its third power,
and open contacts cost next to nothing. The solver has no derivative; if one is needed, `kkt` solves the same equations
on the tape.
"""

from collections.abc import Collection, Hashable, Sequence
from typing import final

import casadi as ca

from trundle.kernel.rows_node import solved
from trundle.linear_algebra.buffer_layout import HEAD, scratch_size
from trundle.linear_algebra.kkt import Factor, KKTRow, Solution, Sparse, coupled, refinements_of, shares_beside
from trundle.linear_algebra.shift import REDUNDANT, REFINEMENTS
from trundle.typing import Expr


@final
class ActiveRows:
    """Mass matrix, factored on the tape, and rows of which many are active at times only."""

    def __init__(self, M: list[Sparse], rows: Sequence[KKTRow], leaves_first: list[int], shift: Expr) -> None:
        self.mass = Factor(M, leaves_first)
        self.rows, self.scale = rows, [row.scale for row in rows]
        self.reduced = [self.mass.forward(row.jacobian) for row in rows]  # L^-1 J'
        self.pushed = [
            reduced if row.column is None else self.mass.forward(row.column)
            for reduced, row in zip(self.reduced, rows, strict=True)
        ]
        self.hides = any(row.shared for row in rows)
        self.shift = shift
        self.refinements = refinements_of(rows)
        loops: dict[Hashable, list[int]] = {}
        for i, row in enumerate(rows):
            loops.setdefault(row.loop, []).append(i)
        # Rows of contacts with friction come last, as in `kkt`.
        self.groups = sorted(loops.values(), key=lambda loop: any(rows[i].column is not None for i in loop))
        self.order = [i for group in self.groups for i in group]
        self.component = self._components()
        self.n_components = 1 + max(self.component, default=-1)

    def _components(self) -> list[int]:
        """For each row, the number of its set of rows that may be coupled."""
        pattern: list[Sparse] = [
            {j: ca.SX(1) for j, other in enumerate(self.reduced) if own.keys() & other.keys()} for own in self.reduced
        ]
        found = [0] * len(self.rows)
        for number, rows in enumerate(coupled(pattern)):
            for i in rows:
                found[i] = number
        return found

    def _solved(self, rhs: Sparse, refinements: int, friction: bool, judged: bool, shares: Sparse) -> Expr:
        """Multipliers in the order of the rows, then the determinants of all sets of rows."""
        pivots = [self.mass.inverse_pivot[k] for k in range(len(self.mass.order))]
        body = [v for group in self.groups for v in self._group(group, rhs, shares)]
        count = HEAD + len(pivots) + len(body)
        full = shares_beside(self.rows) and refinements == self.refinements
        cleanings = REFINEMENTS if full else 0
        size = [len(self.rows), len(pivots), self.n_components, count]
        head = [*size, friction, refinements, judged, self.hides, cleanings]
        found = len(self.rows) + 2 * self.n_components
        answer = solved([*head, *pivots, *body], found, scratch_size(len(self.rows), len(pivots), count))
        place = {i: k for k, i in enumerate(self.order)}
        return ca.vertcat(*[answer[place[i]] for i in range(len(self.rows))], answer[len(self.rows) :])

    def _group(self, group: Sequence[int], rhs: Sparse, shares: Sparse) -> list[Expr]:
        """The numbers of a group of rows with the same relative shift: see `buffer_layout`."""
        moved = sorted({k for i in group for k in (*self.reduced[i], *self.pushed[i])})
        shift = ca.fmax(self.shift, REDUNDANT) if any(self.rows[i].shared for i in group) else self.shift
        first = self.rows[group[0]]
        if first.inertia is not None:
            shift = shift * first.inertia * first.scale**2 / self._mean_inertia(group)
        out: list[Expr] = [len(group), len(moved), self.component[group[0]], shift, first.shared, *moved]
        for i in group:
            row = self.rows[i]
            pushes = row.column is not None
            out += [1 if row.active is None else row.active, row.scale, rhs.get(i, 0), shares.get(i, 0), pushes]
            for entries in (self.reduced[i], self.pushed[i])[: 1 + pushes]:
                out += [entries.get(k, 0) for k in moved]
        return out

    def _mean_inertia(self, group: Sequence[int]) -> Expr:
        """To which the solver takes a shift as relative."""
        pivot, total = self.mass.inverse_pivot, ca.SX(0)
        for i in group:
            own = sum((v * pivot[k] * v for k, v in self.reduced[i].items()), ca.SX(0))
            total = total + own * self.scale[i] ** 2
        return total / len(group)

    def solve_with_friction(self, b: Sparse, c: Sparse, shares: Sparse, judge: bool = True) -> Solution:
        """As `KKT.solve_with_friction`."""
        return self._solve(b, c, self.refinements, True, judge, shares)

    def least_change(self, c: Sparse) -> Sparse:
        """The smallest x (in the metric M) with J x = c, for small c: the effect of the shift is of second order."""
        return self._solve({}, c, self.refinements - 1, False, False, {}).x

    def _solve(self, b: Sparse, c: Sparse, refinements: int, friction: bool, judged: bool, shares: Sparse) -> Solution:
        y = self.mass.forward(b)
        scaled = {k: value * self.mass.inverse_pivot[k] for k, value in y.items()}
        rhs = {
            i: c.get(i, ca.SX(0)) - sum((row[k] * scaled[k] for k in sorted(row.keys() & scaled.keys())), ca.SX(0))
            for i, row in enumerate(self.reduced)
        }
        found = self._solved(rhs, refinements, friction, judged, shares)
        m = len(self.rows)
        multipliers = {i: found[i] for i in range(m)}
        for i, value in multipliers.items():
            for k, entry in (self.pushed if friction else self.reduced)[i].items():
                y[k] = y[k] + entry * value if k in y else entry * value
        unique, solvable = (
            [found[first + number] for number in self.component] if judged else []
            for first in (m, m + self.n_components)
        )
        return Solution(self.mass.backward(y), multipliers, unique, solvable)

    def among(self, rows: Collection[int]) -> list[Sparse]:
        """As `KKT.among`."""
        pivot, out = self.mass.inverse_pivot, [Sparse() for _ in self.rows]
        for i in rows:
            for j in rows:
                own, other = self.reduced[i], self.reduced[j]
                common = sorted(own.keys() & other.keys())
                if common or i == j:
                    out[i][j] = sum((own[k] * pivot[k] * other[k] for k in common), ca.SX(0))
        return out
