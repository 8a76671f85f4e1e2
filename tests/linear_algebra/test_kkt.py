"""Mass matrix and constraint rows solved on the tape, against numbers worked out by hand; nothing is compiled."""

from collections.abc import Sequence

import casadi as ca
import numpy as np
import pytest

from trundle.linear_algebra.fixed_rank import Choice
from trundle.linear_algebra.kkt import (
    KKT,
    Factor,
    KKTRow,
    Sparse,
    UnsymmetricFactor,
    dense,
    minimum_degree,
)
from trundle.linear_algebra.loop_measure import loop_measure

SHIFT = 1e-12


def rows(matrix: object) -> list[Sparse]:
    """Sparse rows of constants."""
    values = np.asarray(matrix, float)
    return [{j: ca.SX(v) for j, v in enumerate(row) if v} for row in values]


def vector(values: object) -> Sparse:
    return {i: ca.SX(v) for i, v in enumerate(values) if v}


def numbers(found: Sparse, n: int) -> np.ndarray:
    return np.array(ca.DM(dense(found, n))).ravel()


def kkt(M: object, J: object, choices: Sequence[Choice] = (), **fields: object) -> KKT:
    """Fields of the rows are lists, one for each row."""
    joined = [KKTRow(row, **{name: of[i] for name, of in fields.items()}) for i, row in enumerate(rows(J))]
    return KKT(rows(M), joined, list(range(len(np.asarray(M)))), SHIFT, choices)


def test_two_masses_that_are_tied_together() -> None:
    """10 N on 2 kg with 3 kg in tow: 2 m/s^2, and 6 N in the tie."""
    x, force = kkt(np.diag([2.0, 3.0]), [[1.0, -1.0]]).solve(vector([10, 0]), {})
    np.testing.assert_allclose(numbers(x, 2), [2, 2], rtol=1e-12)
    np.testing.assert_allclose(numbers(force, 1), [-6], rtol=1e-12)


def test_a_row_with_a_target() -> None:
    """The masses shall part at 5 m/s^2: x1 - x2 = 5 and 2 x1 + 3 x2 = 10."""
    x, force = kkt(np.diag([2.0, 3.0]), [[1.0, -1.0]]).solve(vector([10, 0]), vector([5]))
    np.testing.assert_allclose(numbers(x, 2), [5, 0], atol=1e-11)
    np.testing.assert_allclose(numbers(force, 1), [0], atol=1e-10)


def test_a_row_that_is_not_active_carries_nothing() -> None:
    active = ca.SX.sym("active")
    x, force = kkt(np.diag([2.0, 3.0]), [[1.0, -1.0]], active=[active]).solve(vector([10, 0]), {})
    f = ca.Function("f", [active], [dense(x, 2), dense(force, 1)])
    for value, expected, tie in ((0, [5, 0], 0), (1, [2, 2], -6)):
        found = [np.array(v).ravel() for v in f(value)]
        np.testing.assert_allclose(found[0], expected, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(found[1], [tie], rtol=1e-12, atol=1e-14)


def test_least_change_is_measured_by_the_masses() -> None:
    """1 kg and 4 kg shall together move by 1: the light one takes four fifths."""
    x = kkt(np.diag([1.0, 4.0]), [[1.0, 1.0]]).least_change(vector([1]))
    np.testing.assert_allclose(numbers(x, 2), [0.8, 0.2], rtol=1e-11)


def test_friction_is_proportional_to_the_normal_force() -> None:
    """2 kg slide on a floor with mu = 0.3: the floor bears 2 g, and the block is braked with 0.3 g."""
    column = {0: ca.SX(-0.3), 1: ca.SX(1)}
    solver = kkt(2 * np.eye(2), [[0.0, 1.0]], column=[column])
    x, load = solver.solve(vector([0, -2 * 9.81]), {}, with_friction=True)
    np.testing.assert_allclose(numbers(x, 2), [-0.3 * 9.81, 0], rtol=1e-11, atol=1e-10)
    np.testing.assert_allclose(numbers(load, 1), [2 * 9.81], rtol=1e-11)
    smooth, _ = solver.solve(vector([0, -2 * 9.81]), {})
    np.testing.assert_allclose(numbers(smooth, 2), [0, 0], atol=1e-10)


@pytest.mark.parametrize("mu", [0.0, 0.4, 2.0])
def test_uniqueness_is_lost_where_friction_presses_harder_than_the_floor(mu: float) -> None:
    """M^-1 = [2 1; 1 1]: a unit normal force accelerates its own point by 1, its friction by -mu (Painleve)."""
    column = {0: ca.SX(-mu), 1: ca.SX(1)}
    found = kkt([[1.0, -1.0], [-1.0, 2.0]], [[0.0, 1.0]], column=[column]).solve_with_friction({}, {}, {}).unique
    assert float(found[0]) == pytest.approx(1 - mu, abs=1e-11)


def test_contacts_that_bear_the_same_share_alike() -> None:
    """A body on two equal legs: 10 N, 5 N each."""
    solver = kkt([[2.0]], [[1.0], [1.0]], shared=[True, True])
    x, legs = solver.solve(vector([-10]), {})
    np.testing.assert_allclose(numbers(x, 1), [0], atol=1e-6)
    np.testing.assert_allclose(numbers(legs, 2), [5, 5], rtol=1e-9)


def test_of_rows_that_depend_on_each_other_the_best_is_taken() -> None:
    """Row 2 is twice row 1. The force is the same; multipliers of least norm have the ratio 1 to 2."""
    solver = kkt(np.diag([2.0, 3.0]), [[1.0, -1.0], [2.0, -2.0]], choices=[Choice((0, 1), 1)])
    x, found = solver.solve(vector([10, 0]), {})
    np.testing.assert_allclose(numbers(x, 2), [2, 2], rtol=1e-11)
    np.testing.assert_allclose(numbers(solver.shared(found), 2), [-6 / 5, -12 / 5], rtol=1e-9)
    with pytest.raises(ValueError, match="friction"):
        kkt(np.eye(2), np.eye(2), choices=[Choice((0, 1), 1)], column=[{0: ca.SX(1)}, None])


def test_loop_measure_is_the_distance_of_rows_from_singularity() -> None:
    """Squares 1 and 3 at right angles: 1 * 3 over their mean squared. The same row twice: 0."""
    for masses, J, expected in ((np.diag([1.0, 1 / 3]), np.eye(2), 3 / 4), (np.eye(2), np.ones((2, 2)), 0.0)):
        solver = kkt(masses, J)
        measure = loop_measure(solver.among((0, 1)), Choice((0, 1), 2), solver.scale)
        assert float(measure) == pytest.approx(expected, abs=1e-15)


def test_without_rows_the_masses_alone_count() -> None:
    x, force = kkt(np.diag([2.0, 4.0]), np.zeros((0, 2))).solve(vector([1, 1]), {})
    np.testing.assert_array_equal(numbers(x, 2), [0.5, 0.25])
    assert force == {}


def test_factors_solve_random_matrices_in_any_order() -> None:
    rng = np.random.default_rng(2)
    for n in (1, 2, 5, 8):
        A, b, order = rng.normal(size=(n, n)), rng.normal(size=n), rng.permutation(n).tolist()
        S = A @ A.T + n * np.eye(n)
        factor = Factor(rows(S), order)
        np.testing.assert_allclose(numbers(factor.backward(factor.forward(vector(b))), n), np.linalg.solve(S, b))
        U = A + 2 * n * np.eye(n)
        np.testing.assert_allclose(
            numbers(UnsymmetricFactor(rows(U), order).solve(vector(b)), n), np.linalg.solve(U, b)
        )


def test_random_systems_against_numpy() -> None:
    rng = np.random.default_rng(7)
    for n, m in ((3, 1), (5, 3), (7, 6)):
        A = rng.normal(size=(n, n))
        M, J, b, c = A @ A.T + np.eye(n), rng.normal(size=(m, n)), rng.normal(size=n), rng.normal(size=m)
        expected = np.linalg.solve(np.block([[M, -J.T], [J, np.zeros((m, m))]]), [*b, *c])
        x, lam = kkt(M, J).solve(vector(b), vector(c))
        np.testing.assert_allclose([*numbers(x, n), *numbers(lam, m)], expected, rtol=1e-8, atol=1e-9)


def test_the_middle_of_a_star_is_eliminated_last() -> None:
    """Leaves first: no fill. The other way round every pair of leaves would be filled."""
    star = np.eye(5) * 5
    star[0, 1:] = star[1:, 0] = 1
    order = minimum_degree(rows(star))
    assert order.index(0) >= 3
    assert sum(len(column) for column in Factor(rows(star), order).columns.values()) == 4
    assert minimum_degree(rows(star), left={0}) == [1, 2, 3, 4]


def test_shares_are_kept_as_far_as_they_do_nothing() -> None:
    """Two legs under 1 kg: each carries half of 10 N beside its share, and only the part of it that cancels stays."""
    solver = kkt([[1.0]], [[1.0], [1.0]], active=[ca.SX(1), ca.SX(1)], shared=[True, True])
    for shares, expected in (((0, 0), (5, 5)), ((3, -3), (8, 2)), ((4, 0), (7, 3))):
        x, loads = solver.solve(vector([-10]), {}, shares=vector(shares))
        np.testing.assert_allclose(numbers(x, 1), [0], atol=1e-9)
        np.testing.assert_allclose(numbers(loads, 2), expected, rtol=1e-9)


def test_the_share_of_a_leg_that_slides_acts_by_its_friction() -> None:
    """Two legs of 1 kg, one of them sliding with mu = 0.5: friction follows from its load, their sum stays."""
    column = {0: ca.SX(-0.5), 1: ca.SX(1)}
    solver = kkt(np.eye(2), [[0.0, 1.0]] * 2, active=[ca.SX(1)] * 2, shared=[True] * 2, column=[column, None])
    for share in (0.0, 3.0):
        x, loads = solver.solve(vector([0, -10]), {}, with_friction=True, shares=vector([share, -share]))
        np.testing.assert_allclose(numbers(loads, 2), [5 + share, 5 - share], rtol=1e-9)
        np.testing.assert_allclose(numbers(x, 2), [-0.5 * (5 + share), 0], rtol=1e-9, atol=1e-9)
