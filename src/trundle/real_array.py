"""Numbers as a person gives them in a list: truth values and text among them are mistakes, not ones and zeros."""

import numpy as np

from trundle.typing import Array


def real_array(values: object) -> Array:
    """An array of floats; TypeError or ValueError where something else than numbers is among the values."""
    if not_numbers(values):
        raise TypeError("truth values and text are not numbers")
    return np.array(values, dtype=float)


def not_numbers(values: object) -> bool:
    """Whether truth values or text stand among the values, however deep in lists."""
    if isinstance(values, list | tuple):
        return any(map(not_numbers, values))
    if isinstance(values, bool | str | bytes):
        return True
    return isinstance(values, np.ndarray | np.generic) and values.dtype.kind in "bUS"
