"""A single collision outside the time loop, by the same compiled code."""

from ctypes import CFUNCTYPE, c_void_p
from typing import Any

import numpy as np

from trundle.impact import numbers
from trundle.solve import compiled

Array = np.ndarray[Any, np.dtype[np.float64]]


def impulses_of(data: Array, contacts: int, treatment: int) -> Array:
    """Impulses at all contacts for what the kernel "impact" of a model gives; treatment as in `impact.numbers`."""
    first = len(data)
    b = np.concatenate([data, np.zeros(numbers.scratch(contacts))])
    sizes = np.array([contacts, first, treatment], np.int64)
    table = np.array([sizes.ctypes.data, b.ctypes.data], np.int64)
    CFUNCTYPE(None, c_void_p)(compiled.address("collide_once"))(table.ctypes.data)
    impulses: Array = b[first + 6 * contacts : first + 9 * contacts]
    return impulses
