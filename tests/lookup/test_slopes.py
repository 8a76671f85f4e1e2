"""Slopes of cubic splines against SciPy's, and their properties."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator

from trundle.lookup.slopes import cubics, monotone_slopes, smooth_slopes, solve_tridiagonal

KINDS = {CubicSpline: smooth_slopes, PchipInterpolator: monotone_slopes}


@pytest.mark.parametrize("kind", KINDS)
def test_coefficients_are_those_of_scipy(kind: type) -> None:
    """Random knots, some of them a hundred times closer than others, one or several columns, some with plateaus."""
    rng = np.random.default_rng(5)
    for trial in range(400):
        n = int(rng.integers(2, 40)) if trial else 2000
        x = np.cumsum(10.0 ** rng.uniform(-2, 0, n)) - rng.uniform(0, 3)
        y = rng.normal(size=(n, 3) if trial % 2 else n).round(1 if trial % 3 else 9)
        wanted, found = kind(x, y).c[::-1], cubics(x, y, KINDS[kind](x, y))
        powers = np.diff(x)[None, :] ** np.arange(4)[:, None]
        sizes = np.abs(wanted * powers.reshape(*powers.shape, *[1] * (y.ndim - 1)))
        off = np.abs((found - wanted) * powers.reshape(*powers.shape, *[1] * (y.ndim - 1)))
        assert np.max(off) < 1e-12 * np.max(sizes), (trial, n)


def test_data_of_one_cubic_give_exactly_this_cubic() -> None:
    x = np.array([-1.0, 0.5, 0.75, 2.0, 4.0, 4.5])
    y = 2 * x**3 - x**2 + 3
    np.testing.assert_allclose(smooth_slopes(x, y), 6 * x**2 - 2 * x, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(smooth_slopes(x[:3], x[:3] ** 2), 2 * x[:3], rtol=1e-14)
    np.testing.assert_allclose(smooth_slopes(x[:2], x[:2] * 3), [3, 3], rtol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 9, 64, 65, 1000])
def test_tridiagonal_systems(n: int) -> None:
    rng = np.random.default_rng(n)
    below, above = rng.normal(size=(2, n, 1))
    below[0] = above[-1] = 0.0
    middle = (np.abs(below) + np.abs(above)) * rng.uniform(1.0, 3.0, (n, 1)) + 0.01
    A = np.diag(middle[:, 0]) + np.diag(below[1:, 0], -1) + np.diag(above[:-1, 0], 1)
    right = rng.normal(size=(n, 4))
    found = solve_tridiagonal(below, middle, above, right)
    np.testing.assert_allclose(A @ found, right, atol=1e-12 * np.max(np.abs(found)))
