"""Udwadia-Kalaba equations: accelerations by a weighted pseudo-inverse of rows of any rank.

With the free acceleration a = -M^-1 h, rows A udot = b and a force C of constraints that are not ideal, udot = a + X (b
- A a) + (I - X A) M^-1 C [Udwadia & Kalaba 1992], [Ikoki 2021, Eqs. 13, 17]. On the tape X comes from the rows L^-1 A'
(M = L D L'), orthogonalised one after the other; a row with zero remainder is dropped. The rank of rows that are always
active is known beforehand, so round-off cannot change it; that of switched and relaxed rows is determined at every
evaluation.

A weight s relaxes a row [Ikoki 2021, Eq. 18]. For independent rows A X = diag(s^2): the row contributes the share s^2
of the acceleration that would satisfy it. (N A X A = N A, as printed after Eq. 18, holds only if each s is 0 or 1.)
Dependent rows cannot all have their shares; Eq. 18 returns the values nearest to them in the norm with 1 / s^2. Rows of
full weight are always satisfied. A weight of 0 removes the row; one that tends to 0 still keeps the other rows from
changing the acceleration along this one. Contacts that open and slips that stick are rows of weight 1 or 0. Multipliers
of dependent rows are those of least norm.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.linear_algebra.dependence import Dependence
from trundle.linear_algebra.fixed_rank import Choice, FixedRank
from trundle.linear_algebra.kkt import Factor, Sparse, UnsymmetricFactor, dense, sparse
from trundle.typing import Array, Expr

# For one row at run time after subtraction of others, not for singular values: therefore not the tolerance of `rank`.
TOLERANCE = 1e-9  # smallest remainder of an independent row, relative to it, to the mean of all rows and to their unit
CURVATURE = 30.0  # change of a row, relative to it, per relative distance from the manifold
FARTHEST = 3e-2  # upper limit of that change
ROUND_OFF = 1e-12  # singular values below, relative to the largest, are zero


@final
@dataclass
class Rest:
    """Remainder of a row, or of one selected among several, orthogonal to the remainders before it."""

    source: Sparse  # row = sum of source * rows
    left: Sparse
    raised: Sparse  # D^-1 left
    inverse: Expr  # inverse of its square; zero if the row was dropped
    shares: Sparse  # row = left + sum of shares * earlier remainders
    weight: Expr  # square
    spent: Expr  # 1 if the row is active but dependent


@final
class WeightedRow(NamedTuple):
    """A constraint row. `scale` makes rows of different units comparable."""

    jacobian: Sparse
    scale: float = 1.0
    weight: Expr = 1  # 1 where it holds and 0 where it does not; None if it gets its weight in `Orthogonal.relaxed`
    share: Expr = None  # it may depend on others like it at any pose: the sum of share times multiplier^2 is least


@final
class Orthogonal:
    """Mass matrix and rows at one pose, those that are relaxed last.

    `unit` is the smallest square that a row of scale 1 could have; the rows of `choices` have known ranks. `distance`
    is the square of the relative distance from the manifold: rows that are dependent on the manifold appear independent
    off it, to this extent. `refinements`: of multipliers of rows that share by very different weights.
    """

    def __init__(
        self, M: list[Sparse], leaves_first: list[int], rows: Sequence[WeightedRow], choices: Sequence[Choice] = (),
        distance: Expr = 0, unit: Expr = 0, refinements: int = 0,
    ) -> None:  # fmt: skip
        self.refinements = refinements
        A, scale = [row.jacobian for row in rows], [row.scale for row in rows]
        self.n_u, self.rows = len(M), A
        self.mass = Factor(M, leaves_first)
        self.reduced = [self.mass.forward(row) for row in A]  # L^-1 A'
        self.scaled = [self._raised(row) for row in self.reduced]
        squares = [self._inner(row, raised) for row, raised in zip(self.reduced, self.scaled, strict=True)]
        mean = sum((v * k**2 for v, k in zip(squares, scale, strict=True)), ca.SX(0)) / max(len(A), 1)
        floors = [TOLERANCE**2 * (v + (mean + unit) / k**2) for v, k in zip(squares, scale, strict=True)]
        blur = ca.fmin(CURVATURE**2 * ca.SX(distance), FARTHEST**2)
        self.blurred = [floor + v * blur for v, floor in zip(squares, floors, strict=True)]
        self.rests: list[Rest] = []
        held = [(i, row.share, ca.SX(row.weight)) for i, row in enumerate(rows) if row.weight is not None]
        chosen = [i for choice in choices for i in choice.rows]
        for i, share, weight in held:
            if i not in chosen and share is None:
                self._append({i: ca.SX(1)}, weight, floors[i])
        self.n_lasting = len(self.rests)
        self.chosen: FixedRank | None = None
        self.beside: dict[int, Sparse] = {}  # shares of selectable rows in earlier remainders
        if chosen:
            self._choose(choices, scale, floors)
        self.n_certain = len(self.rests)
        for i, share, weight in held:
            if share is not None:
                self._append({i: 1 / ca.sqrt(share)}, weight, self.blurred[i] / share)
        self.n_held = len(self.rests)

    def relaxed(self, weights: Sequence[Expr], sources: Sequence[Sparse] | None = None) -> "Orthogonal":
        """The system with weights of the other rows; `sources` are the combinations of these rows to which the weights
        belong (an orthogonal matrix). By default each weight belongs to its own row.
        """
        out = object.__new__(Orthogonal)
        out.__dict__.update({k: list(v) if isinstance(v, list) else v for k, v in self.__dict__.items()})
        first = len(self.rows) - len(weights)
        given: Sequence[Sparse] = sources or [{first + k: ca.SX(1)} for k in range(len(weights))]
        for source, weight in zip(given, weights, strict=True):
            least = sum((v**2 * self.blurred[i] for i, v in source.items()), ca.SX(0))
            out._append(source, ca.SX(weight), least)
        return out

    def _raised(self, row: Sparse) -> Sparse:
        return {k: v * self.mass.inverse_pivot[k] for k, v in row.items()}

    @staticmethod
    def _inner(row: Sparse, raised: Sparse) -> Expr:
        return sum((row[k] * raised[k] for k in sorted(row.keys() & raised.keys())), ca.SX(0))

    def _split(self, row: Sparse) -> tuple[Sparse, Sparse]:
        """Remainder of a row and its shares in earlier remainders, by Gram-Schmidt, applied twice because once is not
        accurate enough to decide whether the remainder is zero.
        """
        left: Sparse = dict(row)
        shares: Sparse = {}
        for _ in range(2):
            for j, rest in enumerate(self.rests):
                share = self._inner(left, rest.raised) * rest.inverse
                if share.is_zero():
                    continue
                shares[j] = shares[j] + share if j in shares else share
                for k, value in rest.left.items():
                    left[k] = left[k] - share * value if k in left else -share * value
        return left, shares

    def _append(self, source: Sparse, weight: Expr, least: Expr) -> None:
        left, shares = self._split(_combined(source, self.reduced))
        raised = self._raised(left)
        square = self._inner(left, raised)
        active, counts = weight > TOLERANCE, square > least
        both = active * counts
        inverse = ca.if_else(both, 1 / ca.if_else(both, square, 1), 0)
        self.rests.append(Rest(source, left, raised, inverse, shares, weight**2, active * (1 - counts)))

    def _choose(self, choices: Sequence[Choice], scale: Sequence[float], floors: Sequence[Expr]) -> None:
        left: dict[int, Sparse] = {}
        for i in (i for choice in choices for i in choice.rows):
            left[i], self.beside[i] = self._split(self.reduced[i])
        raised = {i: self._raised(row) for i, row in left.items()}
        matrix = {i: {j: self._inner(left[i], raised[j]) for j in left} for i in left}
        self.chosen = FixedRank(matrix, choices, scale)
        for pick in self.chosen.picks:
            least = sum((v * floors[i] for i, v in pick.items()), ca.SX(0))
            self._append(dict(pick), ca.SX(1), least)

    def solve(self, b: Sparse, c: Sparse) -> tuple[Sparse, Sparse]:
        """x = a + X (c - A a) with M a = b, and lambda of M x = b + A' lambda."""
        y = self.mass.forward(b)
        missing = []
        for rest in self.rests:
            rows = [v * (c.get(i, ca.SX(0)) - self._inner(y, self.scaled[i])) for i, v in rest.source.items()]
            missing.append(sum(rows, ca.SX(0)) * rest.weight)
        along: list[Expr] = []  # what is still missing along each orthogonal row
        for i in range(self.n_held):
            along.append(missing[i] - self._shared(i, along, range(i)))
        stage = range(self.n_held, len(self.rests))
        targets = [missing[i] - self._shared(i, along, range(self.n_held)) for i in stage]
        targets = self._dependence(stage).least(targets, [self.rests[i].weight for i in stage])
        for i, target in zip(stage, targets, strict=True):
            along.append(target - self._shared(i, along, range(self.n_held, i)))
        amounts = [value * rest.inverse for value, rest in zip(along, self.rests, strict=True)]
        for amount, rest in zip(amounts, self.rests, strict=True):
            if not amount.is_zero():
                for k, value in rest.left.items():
                    y[k] = y[k] + amount * value if k in y else amount * value
        return self.mass.backward(y), self._multipliers(amounts)

    def _shared(self, i: int, along: Sequence[Expr], within: range) -> Expr:
        shares = self.rests[i].shares
        return sum((v * along[j] for j, v in shares.items() if j in within), ca.SX(0))

    def _dependence(self, stage: range) -> Dependence:
        first = stage.start
        shares = [{j - first: v for j, v in self.rests[i].shares.items() if j in stage} for i in stage]
        return Dependence(shares, [self.rests[i].spent for i in stage])

    def _multipliers(self, amounts: Sequence[Expr]) -> Sparse:
        """Multipliers of the rows, computed from the last to the first."""
        found: Sparse = {}
        later: list[tuple[Sparse, Expr]] = []  # shares and multipliers of rows already computed

        def free(stage: range) -> dict[int, Expr]:
            """Multipliers of the remainders of a stage if no row were dependent."""
            values: dict[int, Expr] = {}
            for i in reversed(stage):
                inner = sum((self.rests[j].shares.get(i, 0) * v for j, v in values.items()), ca.SX(0))
                outer = sum((shares.get(i, 0) * v for shares, v in later), ca.SX(0))
                values[i] = ca.if_else(self.rests[i].inverse > 0, amounts[i] - inner - outer, 0)
            return values

        for stage in (range(self.n_held, len(self.rests)), range(self.n_certain, self.n_held)):
            values = free(stage)
            nearest = self._dependence(stage).least([values[i] for i in stage], refinements=self.refinements)
            for i, value in zip(stage, nearest, strict=True):
                later.append((self.rests[i].shares, value))
                for row, share in self.rests[i].source.items():
                    found[row] = found.get(row, ca.SX(0)) + share * value
        if self.chosen is not None:
            values = free(range(self.n_lasting, self.n_certain))
            rows = {i: sum((v * self.rests[k].source[i] for k, v in values.items() if i in self.rests[k].source),
                           ca.SX(0)) for i in self.beside}  # fmt: skip
            for i, value in self.chosen.shared(rows).items():
                later.append((self.beside[i], value))
                found[i] = value
        for i, value in free(range(self.n_lasting)).items():
            found[next(iter(self.rests[i].source))] = value
        return {i: value for i, value in found.items() if not value.is_zero()}

    def solve_with_friction(self, b: Sparse, c: Sparse, pushes: Mapping[int, Sparse]) -> tuple[Sparse, Sparse, Expr]:
        """`solve` if each multiplier i of `pushes` is accompanied by the force pushes[i], as a normal force is by
        friction. Also returns the determinant of the feedback of the multipliers on themselves, which is positive if
        the accelerations are unique.

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

    def weighted_inverse(self) -> Expr:
        """X as a matrix [Ikoki 2021, Eqs. 13, 18]; columns of dropped rows are zero."""
        columns = [dense(self.solve({}, {i: ca.SX(1)})[0], self.n_u) for i in range(len(self.rows))]
        return ca.horzcat(ca.SX(self.n_u, 0), *columns)

    def constraint_forces(self, force: Expr, b: Expr, nonideal: Expr) -> tuple[Expr, Expr]:
        """Generalised forces of the constraints under the applied force: M X (b - A a) [Ikoki 2021, Eq. 4] and
        M (I - X A) M^-1 C [Ikoki 2021, Eq. 5].
        """
        ideal = self.pulled(self.solve(sparse(force), sparse(b))[1])
        return ideal, nonideal + self.pulled(self.solve(sparse(nonideal), {})[1])

    def pulled(self, multipliers: Sparse) -> Expr:
        """A' lambda."""
        pull = ca.SX.zeros(self.n_u)
        for i, value in multipliers.items():
            for k, entry in self.rows[i].items():
                pull[k] += entry * value
        return pull


def _combined(source: Sparse, rows: Sequence[Sparse]) -> Sparse:
    if len(source) == 1:
        row, amount = next(iter(source.items()))
        return rows[row] if amount.is_one() else {k: amount * value for k, value in rows[row].items()}
    out: Sparse = {}
    for i, amount in source.items():
        for k, value in rows[i].items():
            out[k] = out[k] + amount * value if k in out else amount * value
    return out


def weighted_inverse(A: Expr, M: Expr, N: Expr) -> Array:
    """X = M^(-1/2) (N^(1/2) A M^(-1/2))^+ N^(1/2) in numbers [Ikoki 2021, Eq. 13].

    It has the four properties A X A = A, X A X = X, (N A X)' = N A X, (M X A)' = M X A. (Printed as Eq. 12 the last
    one reads X A M, which does not hold.)

    Parameters
    ----------
    A : matrix
        Rows of the constraints.
    M, N : matrix
        Positive definite: of the masses, and weights of the rows.

    Returns
    -------
    array
        X, of the shape of A'.
    """
    root, back = _root(_matrix("N", N)), np.linalg.inv(_root(_matrix("M", M)))
    X: Array = back @ np.linalg.pinv(root @ _matrix("A", A) @ back, rcond=ROUND_OFF) @ root
    return X


def relaxed_inverse(A: Expr, M: Expr, weights: Expr) -> Array:
    """X = M^(-1/2) ((N^(1/2))^+ A M^(-1/2))^+ N^(1/2) in numbers [Ikoki 2021, Eq. 18].

    For independent rows and a regular N, A X = N.

    Parameters
    ----------
    A : matrix
        Rows of the constraints.
    M : matrix
        Positive definite, of the masses.
    weights : matrix or sequence
        N, with eigenvalues from 0 to 1; or s of each row, with N = diag(s^2).

    Returns
    -------
    array
        X, of the shape of A'.
    """
    given = _matrix("weights", weights, (1, 2))
    if given.ndim == 1:
        s, vectors = given, np.eye(len(given))
    else:
        squares, vectors = np.linalg.eigh(given)
        s = np.sqrt(np.where(squares > ROUND_OFF, squares, 0.0))
    back = np.linalg.inv(_root(_matrix("M", M)))
    opened = np.divide(1.0, s, out=np.zeros_like(s), where=s > TOLERANCE)
    turned = vectors.T @ _matrix("A", A) @ back
    X: Array = back @ np.linalg.pinv(opened[:, None] * turned, rcond=ROUND_OFF) @ (s[:, None] * vectors.T)
    return X


def _matrix(name: str, given: Expr, dimensions: tuple[int, ...] = (2,)) -> Array:
    """A given matrix as numbers; ModelError if it is none."""
    try:
        found = np.asarray(given, float)
    except (TypeError, ValueError):
        found = np.empty(())
    if found.ndim not in dimensions:
        what = "a matrix of numbers" if dimensions == (2,) else "one number for each row, or a matrix"
        raise ModelError(f"{name} must be {what}, got {given!r}.")
    return found


def _root(S: Array) -> Array:
    """Symmetric square root of a positive definite matrix."""
    values, vectors = np.linalg.eigh(S)
    root: Array = (vectors * np.sqrt(values)) @ vectors.T
    return root
