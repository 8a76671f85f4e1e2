"""Numbers given by users are read, or refused with a message."""

import numpy as np
import pytest

from trundle.errors import ModelError
from trundle.space.arrays import read_numbers, read_together


def test_numbers_and_arrays_come_to_one_shape_and_are_copies():
    column = np.array([[1.0], [2.0]])
    a, b = read_together({"a": column, "b": [3, 4, 5]})
    assert a.tolist() == [[1.0] * 3, [2.0] * 3] and b.tolist() == [[3.0, 4.0, 5.0]] * 2
    a[0, 0] = 9.0
    assert column[0, 0] == 1.0 and a[0, 1] == 1.0


@pytest.mark.parametrize("value", ["a", "1.5", 1j, np.array([1j]), None, [[1], [1, 2]], {}, [None]])
def test_what_is_no_real_number_is_reported(value):
    with pytest.raises(ModelError, match="the turn must be a real number or an array of real numbers, got"):
        read_numbers("the turn", value)


def test_shapes_that_do_not_go_together_are_reported():
    with pytest.raises(ModelError, match=r"a \(2,\), c \(3,\)"):
        read_together({"a": [1, 2], "b": 0.0, "c": [1, 2, 3]})
