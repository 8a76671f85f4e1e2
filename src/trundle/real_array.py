"""Arrays of real numbers from user input; truth values and text are refused instead of being converted."""

from collections.abc import Iterable
from numbers import Integral, Real
from typing import TypeGuard

import numpy as np

from trundle.typing import Array


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a real number of Python or NumPy."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_integer(value: object) -> TypeGuard[int]:
    """Whether it is an integer of Python or NumPy."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def real_array(values: object) -> Array:
    """An array of floats; TypeError or ValueError if the values are not all numbers."""
    if not_numbers(values):
        raise TypeError("truth values and text are not numbers")
    return np.array(values, dtype=float)


def not_numbers(values: object) -> bool:
    """Whether there are truth values or text among the values, also in nested lists."""
    if isinstance(values, list | tuple):
        return any(map(not_numbers, values))
    if isinstance(values, bool | str | bytes):
        return True
    return isinstance(values, np.ndarray | np.generic) and values.dtype.kind in "bUS"


def has_truth_values(values: Iterable[object]) -> bool:
    """Whether there is a truth value of Python or NumPy among the values, also nested in lists, tuples or dicts."""
    for value in values:
        if value is True or value is False:
            return True
        kind = type(value)
        if kind is list or kind is tuple:
            if has_truth_values(value):  # type: ignore[arg-type]
                return True
        elif kind is dict:
            if has_truth_values(value.values()):  # type: ignore[attr-defined]
                return True
        elif (kind is np.ndarray or kind is np.bool) and value.dtype.kind == "b":  # type: ignore[attr-defined]
            return True
    return False
