"""Choices that last bits do not decide."""

import numpy as np
import pytest

from trundle.linear_algebra.repeatable import first_largest, repeatable_basis

RNG = np.random.default_rng(11)


def test_the_first_of_equal_values() -> None:
    for last in (-1e-12, 0.0, 1e-12):
        assert first_largest(np.array([0.3, -1.0, 1.0 + last, 0.9])) == 1
    assert first_largest(np.array([1.0, 1.1])) == 1


@pytest.mark.parametrize("shape", [(5, 2), (4, 4), (3, 1), (4, 0), (0, 0)])
def test_a_basis_does_not_depend_on_the_columns_that_span_it(shape: tuple[int, int]) -> None:
    columns = RNG.normal(size=shape)
    basis = repeatable_basis(columns)
    np.testing.assert_allclose(basis.T @ basis, np.eye(shape[1]), atol=1e-12)
    np.testing.assert_allclose(basis @ (basis.T @ columns), columns, atol=1e-12)
    for _ in range(3):
        others = columns @ RNG.normal(size=(shape[1], shape[1]))
        np.testing.assert_allclose(repeatable_basis(others), basis, atol=1e-10)
