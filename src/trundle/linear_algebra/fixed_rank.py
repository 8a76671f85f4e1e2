"""Sets of rows of known rank, from which the best-conditioned rows are selected at every pose.

A linkage such as Bennett's moves although the count of its rows says that it cannot: on the manifold some rows depend
on others, and which ones can be left out changes with the pose. Their number is known; so at every evaluation the rows
with the largest pivots are selected. The motion does not depend on the selection; the multipliers would, so those of
least norm are returned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.typing import Expr

Matrix = Mapping[int, Mapping[int, Expr]]


@final
@dataclass(frozen=True)
class Choice:
    """Indices of rows, of which `count` are independent."""

    rows: tuple[int, ...]
    count: int


@final
class FixedRank:
    """A positive semi-definite matrix on the tape, of known rank for each set of rows.

    `scale` makes rows of different units comparable.
    """

    def __init__(self, matrix: Matrix, choices: Sequence[Choice], scale: Sequence[float]) -> None:
        self.rows = [i for choice in choices for i in choice.rows]
        self.scale = scale
        left = {i: {j: self._entry(matrix, i, j) for j in self.rows} for i in self.rows}
        self.picks: list[dict[int, Expr]] = []  # 1 for the selected row, otherwise 0
        self.columns: list[dict[int, Expr]] = []
        self.pivots: list[Expr] = []
        for choice in choices:
            taken = {i: ca.SX(0) for i in choice.rows}
            for _ in range(choice.count):
                pick = _largest({i: ca.if_else(taken[i], -1, ca.fmax(left[i][i], 0)) for i in choice.rows})
                taken = {i: taken[i] + pick[i] for i in choice.rows}
                column = {j: sum((pick[i] * left[j][i] for i in choice.rows), ca.SX(0)) for j in self.rows}
                pivot = sum((pick[i] * column[i] for i in choice.rows), ca.SX(0))
                for i in self.rows:
                    ratio = column[i] / pivot
                    for j in self.rows:
                        left[i][j] = left[i][j] - ratio * column[j]
                self.picks.append(pick)
                self.columns.append(column)
                self.pivots.append(pivot)

    def _entry(self, matrix: Matrix, i: int, j: int) -> Expr:
        return ca.SX(matrix[i].get(j, 0)) * (self.scale[i] * self.scale[j])

    def solve(self, b: Mapping[int, Expr]) -> dict[int, Expr]:
        """x with (matrix x)_i = b_i for the selected rows i; zero for the others."""
        b = {i: ca.SX(b.get(i, 0)) * self.scale[i] for i in self.rows}
        forward = []
        for pick, column, pivot in zip(self.picks, self.columns, self.pivots, strict=True):
            value = sum((pick[i] * b[i] for i in pick), ca.SX(0)) / pivot
            b = {i: b[i] - column[i] * value for i in self.rows}
            forward.append(value)
        found: list[Expr] = []  # from the last to the first
        for k in reversed(range(len(forward))):
            value = forward[k]
            for later, x in zip(reversed(self.picks[k + 1 :]), found, strict=True):
                value = value - sum((self.columns[k][i] * later[i] for i in later), ca.SX(0)) / self.pivots[k] * x
            found.append(value)
        return self.combined(list(reversed(found)))

    def combined(self, amounts: Sequence[Expr]) -> dict[int, Expr]:
        """Multipliers of all rows from those of the selected ones."""
        out = {i: ca.SX(0) for i in self.rows}
        for pick, amount in zip(self.picks, amounts, strict=True):
            for i, value in pick.items():
                out[i] = out[i] + value * amount * self.scale[i]
        return out

    def shared(self, x: Mapping[int, Expr]) -> dict[int, Expr]:
        """The multipliers of least norm with the same effect as x: its part in the range of the matrix."""
        basis: list[dict[int, Expr]] = []
        for column in self.columns:
            rest = column
            for _ in range(2):
                for known in basis:
                    share = sum((rest[i] * known[i] for i in self.rows), ca.SX(0))
                    rest = {i: rest[i] - share * known[i] for i in self.rows}
            size = ca.sqrt(sum((v**2 for v in rest.values()), ca.SX(0)))
            basis.append({i: v / size for i, v in rest.items()})
        free = {i: x[i] / self.scale[i] for i in self.rows}
        out = {i: ca.SX(0) for i in self.rows}
        for known in basis:
            share = sum((free[i] * known[i] for i in self.rows), ca.SX(0))
            out = {i: out[i] + share * known[i] for i in self.rows}
        return {i: v * self.scale[i] for i, v in out.items()}


def _largest(sizes: Mapping[int, Expr]) -> dict[int, Expr]:
    """1 for the first of the largest, otherwise 0."""
    largest: Expr = None
    for size in sizes.values():
        largest = size if largest is None else ca.fmax(largest, size)
    waiting, out = ca.SX(1), {}
    for i, size in sizes.items():
        out[i] = waiting * (size >= largest)
        waiting = waiting - out[i]
    return out
