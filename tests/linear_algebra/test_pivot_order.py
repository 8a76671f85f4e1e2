"""Pivots of a QR decomposition: the order of LAPACK, seen in matrices of full and of lower rank and of all sizes."""

import numpy as np
import pytest
from scipy.linalg import qr

from trundle.linear_algebra.median import median
from trundle.linear_algebra.pivot_order import pivot_order


@pytest.mark.parametrize("kind", ["any", "lower rank", "far apart"])
def test_pivots_come_in_the_order_of_lapack(kind: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(60):
        m, n = rng.integers(1, 14, 2)
        A = rng.normal(size=(m, n))
        if kind == "lower rank":
            r = rng.integers(1, min(m, n) + 1)
            A = rng.normal(size=(m, r)) @ rng.normal(size=(r, n))
        if kind == "far apart":
            A = A * np.exp(5 * rng.normal(size=n))
        count = np.linalg.matrix_rank(A, rtol=1e-12)
        assert list(pivot_order(A)[:count]) == list(qr(A, mode="r", pivoting=True)[1][:count])
        assert sorted(pivot_order(A)) == list(range(n))


def test_of_equal_columns_the_first_is_taken() -> None:
    """Also if their entries are in another order, so that the sums of squares differ in the last digit."""
    a = np.array([0.1, 0.7, 0.3])
    assert list(pivot_order(np.array([a, a[[2, 0, 1]], a[::-1]]).T)[:1]) == [0]
    assert list(pivot_order(np.zeros((2, 3)))) == [0, 1, 2]


def test_median_is_that_of_numpy() -> None:
    rng = np.random.default_rng(3)
    for n in range(1, 9):
        values = rng.normal(size=n)
        assert median(values) == pytest.approx(np.median(values), rel=1e-15)
