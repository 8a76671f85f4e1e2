"""What counts as a number, wherever one is asked for."""

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.real_array import is_integer, is_number


@pytest.mark.parametrize("value", [2, np.int32(2), np.uint8(2)])
def test_integers_of_python_and_numpy(value: object) -> None:
    assert is_integer(value) and is_number(value)


@pytest.mark.parametrize("value", [2.0, np.float32(2.0), np.float64("nan"), float("inf")])
def test_real_numbers_that_are_no_integers(value: object) -> None:
    assert is_number(value) and not is_integer(value)


@pytest.mark.parametrize("value", [True, np.True_, "2", 2j, np.complex128(2), np.array(2.0), ca.SX(2), None])
def test_what_is_no_number(value: object) -> None:
    assert not is_number(value) and not is_integer(value)


def test_numpy_numbers_are_as_good_as_others() -> None:
    body = tr.Model("can").body("can", shape=tr.shape.Cylinder(radius=0.1, length=0.2), density=np.float32(8.0))
    assert body.mass == pytest.approx(8.0 * np.pi * 0.1**2 * 0.2)
