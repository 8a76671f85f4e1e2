"""Sparse solution of  [M J'; J 0] on the tape, by elimination without pivoting.

M is eliminated from the leaves of the tree to its root: no fill [Featherstone 2005]. What remains is S = J M^-1 J',
symmetric and
positive, ordered by minimum degree. Near singular poses S is held up by a shift of its diagonal, relative to the mean
of the loop that a
row belongs to, and one refinement takes the shift out again where the pose is regular.
"""

from collections.abc import Sequence
from typing import Any, final

import casadi as ca

Sparse = dict[int, Any]


def _is_zero(value: Any) -> bool:
    return bool(value.is_zero())


@final
class Factor:
    """L D L' of a sparse symmetric positive matrix given by its rows, in the given order of elimination."""

    def __init__(self, rows: list[Sparse], order: list[int]) -> None:
        self.order = order
        work = [dict(r) for r in rows]
        self.columns: dict[int, Sparse] = {}
        self.inverse_pivot: dict[int, Any] = {}
        self.pivot: dict[int, Any] = {}
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

    def forward(self, b: Sparse) -> Sparse:
        """L^-1 b."""
        x = dict(b)
        for k in self.order:
            if k in x:
                for i, value in self.columns[k].items():
                    x[i] = x[i] - value * x[k] if i in x else -value * x[k]
        return x

    def backward(self, y: Sparse) -> Sparse:
        """L'^-1 D^-1 y."""
        x: Sparse = {}
        for k in reversed(self.order):
            value = y[k] * self.inverse_pivot[k] if k in y else ca.SX(0)
            for i, entry in self.columns[k].items():
                if i in x:
                    value = value - entry * x[i]
            if not _is_zero(value):
                x[k] = value
        return x


def minimum_degree(rows: list[Sparse]) -> list[int]:
    """Greedy order of elimination for a symmetric pattern."""
    graph = {i: set(r) - {i} for i, r in enumerate(rows)}
    order = []
    while graph:
        k = min(graph, key=lambda i: (len(graph[i]), i))
        around = graph.pop(k)
        order.append(k)
        for i in around:
            graph[i] = (graph[i] | around) - {i, k}
    return order


@final
class Saddle:
    """Factored system of mass matrix and constraint rows at one pose.

    `loops` groups the rows; `scale` makes rows of different units comparable.
    """

    def __init__(
        self,
        M: list[Sparse],
        J: list[Sparse],
        leaves_first: list[int],
        loops: Sequence[Sequence[int]],
        scale: Sequence[float],
        shift: Any,
    ) -> None:
        self.scale = scale
        self.mass = Factor(M, leaves_first)
        self.reduced = [self.mass.forward(row) for row in J]  # L^-1 J'
        m = len(J)
        S: list[Sparse] = [{} for _ in range(m)]
        scaled = [{k: v * self.mass.inverse_pivot[k] for k, v in r.items()} for r in self.reduced]
        for i in range(m):
            for j in range(i, m):
                common = self.reduced[i].keys() & self.reduced[j].keys()
                if common:
                    value = sum((scaled[i][k] * self.reduced[j][k] for k in sorted(common)), ca.SX(0))
                    S[i][j] = S[j][i] = value
        self.S = S
        self.shift: list[Any] = [ca.SX(0)] * m
        for loop in loops:
            mean = sum((S[i][i] * scale[i] ** 2 for i in loop), ca.SX(0)) / len(loop)
            for i in loop:
                self.shift[i] = mean * shift / scale[i] ** 2
        shifted = [dict(r) for r in S]
        for i in range(m):
            shifted[i][i] = S[i][i] + self.shift[i]
        self.dual = Factor(shifted, minimum_degree(S)) if m else None

    def multipliers(self, rhs: Sparse, refine: bool = True) -> Sparse:
        """lambda of S lambda = rhs."""
        if self.dual is None:
            return {}
        x = self.dual.backward(self.dual.forward(rhs))
        if refine:
            left = {i: self.shift[i] * value for i, value in x.items()}
            for i, value in self.dual.backward(self.dual.forward(left)).items():
                x[i] = x[i] + value
        return x

    def solve(self, b: Sparse, c: Sparse, refine: bool = True) -> tuple[Sparse, Sparse]:
        """x and lambda of  M x - J' lambda = b,  J x = c."""
        y = self.mass.forward(b)
        scaled = {k: value * self.mass.inverse_pivot[k] for k, value in y.items()}
        rhs: Sparse = {}
        for i, row in enumerate(self.reduced):
            value = c.get(i, ca.SX(0))
            for k in sorted(row.keys() & scaled.keys()):
                value = value - row[k] * scaled[k]
            if not _is_zero(value):
                rhs[i] = value
        multipliers = self.multipliers(rhs, refine)
        for i, value in multipliers.items():
            for k, entry in self.reduced[i].items():
                y[k] = y[k] + entry * value if k in y else entry * value
        return self.mass.backward(y), multipliers

    def least_change(self, c: Sparse) -> Sparse:
        """The smallest x (in the metric M) with J x = c, for small c: the shift matters only in second order."""
        return self.solve({}, c, refine=False)[0]

    def loop_measure(self, rows: Sequence[int]) -> Any:
        """(geometric over arithmetic mean of the eigenvalues of S_loop)^n: 1 at best, 0 where the loop is singular."""
        index = {r: i for i, r in enumerate(rows)}
        block: list[Sparse] = [
            {index[j]: v * (self.scale[r] * self.scale[j]) for j, v in self.S[r].items() if j in index} for r in rows
        ]
        mean = sum((block[i][i] for i in range(len(rows))), ca.SX(0)) / len(rows)
        factor = Factor(block, list(range(len(rows))))
        value = ca.SX(1)
        for i in range(len(rows)):
            value = value * ca.fmax(factor.pivot[i] / mean, 0)
        return value


def sparse(vector: Any) -> Sparse:
    """Non-zero entries of a CasADi column."""
    return {i: vector[i] for i in range(vector.shape[0]) if not _is_zero(vector[i])}


def dense(entries: Sparse, n: int) -> Any:
    """CasADi column of sparse entries."""
    out = ca.SX.zeros(n)
    for i, value in entries.items():
        out[i] = value
    return out
