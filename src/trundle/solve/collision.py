"""A single collision outside the time loop, by the same compiled code."""

from ctypes import CFUNCTYPE, c_void_p
from typing import Any

import numpy as np

from trundle.impact import numbers
from trundle.solve import compiled

Array = np.ndarray[Any, np.dtype[np.float64]]
TINY = 1e-30


def impulses_of(data: Array, contacts: int, treatment: int) -> Array:
    """Impulses at all contacts for what the kernel "impact" of a model gives; treatment as in `impact.numbers`."""
    return _solved("collide_once", data, contacts, treatment)


def derivative_of_impulses(data: Array, way: Array, contacts: int, treatment: int) -> Array:
    """Derivative of the impulses along a way of the data, to round-off: by an imaginary part too small to be felt."""
    size = float(np.max(np.abs(way), initial=0.0))
    if size == 0.0:
        return np.zeros(3 * contacts)
    found: Array = _solved("collide_nearby", data + 1j * (TINY / size) * way, contacts, treatment).imag
    return found * (size / TINY)


def _solved(part: str, data: Any, contacts: int, treatment: int) -> Any:
    first = len(data)
    b = np.concatenate([data, np.zeros(numbers.scratch(contacts))])
    sizes = np.array([contacts, first, treatment], np.int64)
    table = np.array([sizes.ctypes.data, b.ctypes.data], np.int64)
    CFUNCTYPE(None, c_void_p)(compiled.address(part))(table.ctypes.data)
    return b[first + 6 * contacts : first + 9 * contacts]
