"""Arrays that compiled code reads and writes: their addresses and alignment."""

import math
from ctypes import addressof, c_char

import numpy as np

from trundle.kernel.record import Record

LINE = 64  # bytes of a cache line, to which arrays of kernels are aligned


def address_of(array: np.ndarray) -> int:
    """Address of the first element of an array.

    `array.ctypes.data` returns the same but takes four times as long; a run needs some hundred addresses.
    """
    try:
        return addressof(c_char.from_buffer(array.data))
    except (TypeError, ValueError):  # read-only, not contiguous, or empty
        return int(array.ctypes.data)


def point_to(record: Record, **arrays: np.ndarray) -> dict[str, int]:
    """Set fields of a record to the addresses of arrays, which the caller must keep alive; return the addresses."""
    addresses = {name: address_of(array) for name, array in arrays.items()}
    for name, address in addresses.items():
        setattr(record, name, address)
    return addresses


def aligned(*shape: int) -> np.ndarray:
    """A zero array of doubles that starts on a cache line; an empty one still has memory at its address."""
    size = math.prod(shape)
    raw = np.zeros(size + LINE // 8)
    start = (-address_of(raw) % LINE) // 8
    flat = raw[start : start + size]
    return flat if len(shape) == 1 else flat.reshape(shape)
