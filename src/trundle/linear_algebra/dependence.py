"""Linear dependence among rows, determined at every evaluation."""

from collections.abc import Mapping, Sequence
from typing import final

import casadi as ca

from trundle.linear_algebra.kkt import Factor, Sparse
from trundle.typing import Expr


@final
class Dependence:
    """Combinations of rows that vanish: row i minus earlier rows, for each row i that depends on these.

    `shares` are the components of the rows along the orthogonal remainders of earlier rows (none along a remainder that
    counts as zero); `spent` is 1 for a dependent row and 0 otherwise.
    """

    def __init__(self, shares: Sequence[Mapping[int, Expr]], spent: Sequence[Expr]) -> None:
        self.columns: dict[int, Sparse] = {}
        self.spent = spent
        for i, own in enumerate(shares):
            column: Sparse = {}
            for j in reversed(range(i)):  # row = its remainder + its shares of earlier remainders
                value = ca.SX(own.get(j, 0)) + sum((v * shares[l].get(j, 0) for l, v in column.items()), ca.SX(0))
                if not value.is_zero():
                    column[j] = -value
            if column:
                self.columns[i] = {j: v * spent[i] for j, v in column.items()} | {i: ca.SX(spent[i])}

    def least(self, x: Sequence[Expr], squares: Sequence[Expr] | None = None, refinements: int = 0) -> list[Expr]:
        """The vector y nearest to x, in the norm sum (y - x)_i^2 / squares_i, whose combinations vanish: feasible
        values of the rows, or multipliers of least norm. Rows of very different sizes need refinements.
        """
        out = list(x)
        if not self.columns:
            return out
        weigh = [ca.SX(1)] * len(out) if squares is None else [ca.SX(v) for v in squares]
        index = {i: k for k, i in enumerate(self.columns)}
        matrix: list[Sparse] = []
        for i, a in self.columns.items():
            row = {}
            for l, b in self.columns.items():
                common = sorted(a.keys() & b.keys())
                if common:
                    row[index[l]] = sum((a[j] * weigh[j] * b[j] for j in common), ca.SX(0))
            row[index[i]] = row[index[i]] + (1 - self.spent[i])
            matrix.append(row)
        factor = Factor(matrix, list(range(len(matrix))))
        for _ in range(1 + refinements):
            excess = {index[i]: sum((v * out[j] for j, v in a.items()), ca.SX(0)) for i, a in self.columns.items()}
            for k, value in factor.backward(factor.forward(excess)).items():
                for j, entry in self.columns[list(self.columns)[k]].items():
                    out[j] = out[j] - weigh[j] * entry * value
        return out
