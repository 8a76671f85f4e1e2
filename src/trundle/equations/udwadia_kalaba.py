"""Udwadia-Kalaba equations: accelerations by a weighted pseudo-inverse of all rows, redundant and vanishing ones too.

With the free acceleration a = -M^-1 h, rows A udot = b and a force C of constraints that are not ideal,
udot = a + X (b - A a) + (I - X A) M^-1 C [Udwadia & Kalaba 1992], [Ikoki 2021, Eqs. 13, 17]. On the tape X comes from
the rows L^-1 A' (M = L D L'), made orthogonal one after the other: a row of which nothing is left drops out there and
then, so the rank is found at every evaluation.

A weight s relaxes a row [Ikoki 2021, Eq. 18]. For independent rows A X = diag(s^2): the row brings the share s^2 of
what is missing in its acceleration. (N A X A = N A, as printed after Eq. 18, holds only where each s is 0 or 1.) A row
that depends on others brings nothing, whatever its weight, and ideal rows are taken first. A weight of 0 takes the row
out; one that merely tends to 0 still keeps the other rows from changing the acceleration along this one. Contacts that
open and slips that stick are rows of weight 1 or 0.
"""

from collections.abc import Mapping, Sequence
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.equations.saddle import Factor, Sparse, UnsymmetricFactor, dense, sparse

TOLERANCE = 1e-9  # what must be left of a row, relative to it and to the mean of all rows
CURVATURE = 30.0  # change of a row, relative to it, per relative distance from the manifold
FARTHEST = 3e-2  # beyond this change rows are trusted all the same
ROUND_OFF = 1e-12  # singular values below, relative to the largest, are zero
Array = np.ndarray[Any, np.dtype[np.float64]]


@final
class Orthogonal:
    """Mass matrix and rows at one pose; the first ones have the weights `held` (all rows have 1 unless it is given),
    the others wait for theirs.

    `scale` makes rows of different units comparable. `distance` is the square of the relative distance from the
    manifold: off it, rows that depend on each other only there seem independent by as much.
    """

    def __init__(
        self,
        M: list[Sparse],
        A: list[Sparse],
        leaves_first: list[int],
        scale: Sequence[float],
        distance: Any = 0,
        held: Sequence[Any] | None = None,
    ) -> None:
        self.n_u, self.rows = len(M), A
        self.mass = Factor(M, leaves_first)
        self.reduced = [self.mass.forward(row) for row in A]  # L^-1 A'
        self.scaled = [self._raised(row) for row in self.reduced]
        squares = [self._inner(row, raised) for row, raised in zip(self.reduced, self.scaled, strict=True)]
        mean = sum((v * k**2 for v, k in zip(squares, scale, strict=True)), ca.SX(0)) / max(len(A), 1)
        blur = TOLERANCE**2 + ca.fmin(CURVATURE**2 * ca.SX(distance), FARTHEST**2)
        self.least = [v * blur + TOLERANCE**2 * mean / k**2 for v, k in zip(squares, scale, strict=True)]
        self.rest: list[Sparse] = []  # orthogonal rows
        self.raised: list[Sparse] = []  # the same times D^-1
        self.inverse: list[Any] = []  # of their squares; zero where a row has dropped out
        self.shares: list[Sparse] = []  # row = rest + sum of shares * rests before it
        self.weights: list[Any] = []  # squares
        for i, weight in enumerate([1] * len(A) if held is None else held):
            self._append(i, ca.SX(weight))

    def relaxed(self, weights: Sequence[Any]) -> "Orthogonal":
        """With the other rows at their weights."""
        out = object.__new__(Orthogonal)
        out.__dict__.update({k: list(v) if isinstance(v, list) else v for k, v in self.__dict__.items()})
        for i, weight in enumerate(weights, start=len(self.rest)):
            out._append(i, ca.SX(weight))
        return out

    def _raised(self, row: Sparse) -> Sparse:
        return {k: v * self.mass.inverse_pivot[k] for k, v in row.items()}

    @staticmethod
    def _inner(row: Sparse, raised: Sparse) -> Any:
        return sum((row[k] * raised[k] for k in sorted(row.keys() & raised.keys())), ca.SX(0))

    def _append(self, i: int, weight: Any) -> None:
        """Gram and Schmidt twice: once loses the digits that tell whether anything is left."""
        rest: Sparse = dict(self.reduced[i])
        shares: Sparse = {}
        for _ in range(2):
            for j, raised in enumerate(self.raised):
                share = self._inner(rest, raised) * self.inverse[j]
                if share.is_zero():
                    continue
                shares[j] = shares[j] + share if j in shares else share
                for k, value in self.rest[j].items():
                    rest[k] = rest[k] - share * value if k in rest else -share * value
        raised = self._raised(rest)
        square = self._inner(rest, raised)
        counts = (square > self.least[i]) * (weight > TOLERANCE)
        self.rest.append(rest)
        self.raised.append(raised)
        self.inverse.append(ca.if_else(counts, 1 / ca.if_else(counts, square, 1), 0))
        self.shares.append(shares)
        self.weights.append(weight**2)

    def solve(self, b: Sparse, c: Sparse) -> tuple[Sparse, Sparse]:
        """x = a + X (c - A a) with M a = b, and lambda of M x = b + A' lambda; dropped rows have none."""
        y = self.mass.forward(b)
        along: list[Any] = []  # what is still missing along each orthogonal row
        for i, shares in enumerate(self.shares):
            missing = (c.get(i, ca.SX(0)) - self._inner(y, self.scaled[i])) * self.weights[i]
            along.append(missing - sum((share * along[j] for j, share in shares.items()), ca.SX(0)))
        amounts = [value * inverse for value, inverse in zip(along, self.inverse, strict=True)]
        for amount, rest in zip(amounts, self.rest, strict=True):
            if not amount.is_zero():
                for k, value in rest.items():
                    y[k] = y[k] + amount * value if k in y else amount * value
        multipliers: Sparse = {}
        for i in reversed(range(len(amounts))):
            held = amounts[i] - sum((self.shares[j].get(i, 0) * v for j, v in multipliers.items()), ca.SX(0))
            value = ca.if_else(self.inverse[i] > 0, held, 0)
            if not value.is_zero():
                multipliers[i] = value
        return self.mass.backward(y), multipliers

    def solve_with_friction(self, b: Sparse, c: Sparse, pushes: Mapping[int, Sparse]) -> tuple[Sparse, Sparse, Any]:
        """The same where each multiplier i of `pushes` brings the force pushes[i] with it, as friction comes with a
        normal force; then the determinant of what the multipliers do to themselves, which is above zero where the
        accelerations are unique.

        With F = sum of multiplier i times pushes[i] the accelerations gain (I - X A) M^-1 F [Ikoki 2021, Eq. 5].
        """
        x, multipliers = self.solve(b, c)
        if not pushes:
            return x, multipliers, ca.SX(1)
        answers = [self.solve(push, {}) for push in pushes.values()]
        own = [
            {k: ca.SX(i == j) - answer[1].get(j, 0) for k, (i, answer) in enumerate(zip(pushes, answers, strict=True))}
            for j in pushes
        ]
        factor = UnsymmetricFactor(own, list(range(len(own))))
        loads = factor.solve({k: multipliers.get(i, ca.SX(0)) for k, i in enumerate(pushes)})
        for k, load in loads.items():
            for total, part in ((x, answers[k][0]), (multipliers, answers[k][1])):
                for i, value in part.items():
                    total[i] = total.get(i, 0) + load * value
        unique = ca.SX(1)
        for inverse in factor.inverse_pivot.values():
            unique = unique / inverse
        return x, multipliers, unique

    def least_change(self, c: Sparse) -> Sparse:
        """The smallest x (in the metric M) with A x = c."""
        return self.solve({}, c)[0]

    def weighted_inverse(self) -> Any:
        """X as a matrix [Ikoki 2021, Eqs. 13, 18]; columns of dropped rows are zero."""
        columns = [dense(self.solve({}, {i: ca.SX(1)})[0], self.n_u) for i in range(len(self.rest))]
        return ca.horzcat(ca.SX(self.n_u, 0), *columns)

    def constraint_forces(self, force: Any, b: Any, nonideal: Any) -> tuple[Any, Any]:
        """Generalised forces of the constraints under the applied force: M X (b - A a) [Ikoki 2021, Eq. 4] and
        M (I - X A) M^-1 C [Ikoki 2021, Eq. 5].
        """
        ideal = self.pulled(self.solve(sparse(force), sparse(b))[1])
        return ideal, nonideal + self.pulled(self.solve(sparse(nonideal), {})[1])

    def pulled(self, multipliers: Sparse) -> Any:
        """A' lambda."""
        pull = ca.SX.zeros(self.n_u)
        for i, value in multipliers.items():
            for k, entry in self.rows[i].items():
                pull[k] += entry * value
        return pull


def weighted_inverse(A: Any, M: Any, N: Any) -> Array:
    """Numbers: X = M^(-1/2) (N^(1/2) A M^(-1/2))^+ N^(1/2) [Ikoki 2021, Eq. 13], M and N positive definite.

    It has the four properties A X A = A, X A X = X, (N A X)' = N A X, (M X A)' = M X A. (Printed as Eq. 12 the last
    one reads X A M, which does not hold.)
    """
    root, back = _root(N), np.linalg.inv(_root(M))
    X: Array = back @ np.linalg.pinv(root @ np.asarray(A, float) @ back, rcond=ROUND_OFF) @ root
    return X


def relaxed_inverse(A: Any, M: Any, weights: Any) -> Array:
    """Numbers: X = M^(-1/2) ((N^(1/2))^+ A M^(-1/2))^+ N^(1/2) with N = diag(weights^2) [Ikoki 2021, Eq. 18]."""
    s = np.asarray(weights, float)
    back = np.linalg.inv(_root(M))
    opened = np.divide(1.0, s, out=np.zeros_like(s), where=s > TOLERANCE)
    X: Array = back @ np.linalg.pinv(opened[:, None] * np.asarray(A, float) @ back, rcond=ROUND_OFF) * s
    return X


def _root(S: Any) -> Array:
    """Symmetric square root of a positive definite matrix."""
    values, vectors = np.linalg.eigh(np.asarray(S, float))
    root: Array = (vectors * np.sqrt(values)) @ vectors.T
    return root
