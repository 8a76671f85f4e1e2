"""Carlson's complete integrals against SciPy's, their homogeneity, and closed forms."""

import numpy as np
from scipy.special import elliprd, elliprf, gamma

from trundle.rail.wheel_rail.elliptic import log_ratio, rd, rf


def test_integrals_are_those_of_scipy() -> None:
    """From a circle to ellipses a million times longer than wide, either way."""
    s = np.concatenate([np.linspace(-14, 14, 2001), np.logspace(-16, -1, 100), [0.0]])
    rng = np.random.default_rng(2)
    y = np.exp(rng.uniform(-20, 20, len(s)))
    z = y * np.exp(2 * s)
    np.testing.assert_allclose(rf(y, z), elliprf(0.0, y, z), rtol=2e-15)
    np.testing.assert_allclose(rd(y, z), elliprd(0.0, y, z), rtol=2e-14)
    assert np.max(np.abs(rd(y, z) / elliprd(0.0, y, z) - 1)[np.abs(s) < 3]) < 3e-15


def test_closed_forms() -> None:
    np.testing.assert_allclose([rf(4.0, 4.0), rd(4.0, 4.0)], [np.pi / 4, 3 * np.pi / 32], rtol=1e-15)
    lemniscate = gamma(0.25) ** 2 / (4 * np.sqrt(2 * np.pi))  # RF(0, 1, 2) [Olver 2010, Eq. 19.20.2]
    assert abs(rf(1.0, 2.0) / lemniscate - 1) < 1e-15
    other = 3 * gamma(0.75) ** 2 / np.sqrt(2 * np.pi)  # RD(0, 2, 1) [Olver 2010, Eq. 19.20.22]
    assert abs(rd(2.0, 1.0) / other - 1) < 1e-15


def test_the_smallest_and_no_ratio() -> None:
    np.testing.assert_allclose(rf(1e-300, 1.0), elliprf(0.0, 1e-300, 1.0), rtol=1e-14)
    assert rf(0.0, 1.0) == np.inf and np.isnan(rf(np.nan, 1.0))


def test_ratio_of_both_second_integrals() -> None:
    s = np.linspace(-6, 6, 101)
    x, one = np.exp(2 * s), np.ones_like(s)
    np.testing.assert_allclose(
        log_ratio(s), np.log(elliprd(0.0, x, one) / elliprd(0.0, one, x)), rtol=1e-13, atol=1e-14
    )
    np.testing.assert_array_equal(log_ratio(-s), -log_ratio(s))
