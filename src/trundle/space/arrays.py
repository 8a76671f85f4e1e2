"""Numbers given by the user as arrays; anything else raises an error that says what is expected."""

import numpy as np

from trundle.errors import ModelError
from trundle.real_array import not_numbers
from trundle.typing import Array, Values


def read_numbers(name: str, value: object) -> Array:
    """A real number or an array of them; nan and inf are allowed."""
    try:
        found = np.asarray(value)
    except (TypeError, ValueError):  # rows of different lengths, or something that is not an array
        found = np.array(None)
    if found.dtype.kind not in "iuf" or not_numbers(value):
        raise ModelError(f"{name} must be a real number or an array of real numbers, got {value!r}.")
    return found.astype(float)


def read_together(given: Values) -> list[Array]:
    """Copies of numbers and arrays, broadcast to their common shape."""
    arrays = [read_numbers(name, value) for name, value in given.items()]
    try:
        return [v.copy() for v in np.broadcast_arrays(*arrays)]
    except ValueError as error:
        shapes = ", ".join(f"{name} {v.shape}" for name, v in zip(given, arrays, strict=True) if v.shape)
        raise ModelError(
            f"arrays of different shapes cannot be combined: {shapes}. Give numbers, arrays of one shape, or a column "
            "against a row."
        ) from error
