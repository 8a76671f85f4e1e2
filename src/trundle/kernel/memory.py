"""Arrays that compiled code reads and writes: where they start, and how they are made."""

import math
from ctypes import addressof, c_char

import numpy as np

from trundle.kernel.record import Record

LINE = 64  # bytes: kernels want their arrays on a cache line


def address_of(array: np.ndarray) -> int:
    """Where the elements of an array stand.

    `array.ctypes.data` says the same and takes four times as long; a run asks for some hundred addresses.
    """
    try:
        return addressof(c_char.from_buffer(array.data))
    except (TypeError, ValueError):  # read-only, not contiguous, or empty
        return int(array.ctypes.data)


def point_to(record: Record, **arrays: np.ndarray) -> dict[str, int]:
    """Let fields of a record be the addresses of these arrays, which the caller keeps alive; return the addresses."""
    addresses = {name: address_of(array) for name, array in arrays.items()}
    for name, address in addresses.items():
        setattr(record, name, address)
    return addresses


def aligned(*shape: int) -> np.ndarray:
    """A zero array of doubles that starts on a cache line; where it is empty its address may still be written to."""
    size = math.prod(shape)
    raw = np.zeros(size + LINE // 8)
    start = (-address_of(raw) % LINE) // 8
    flat = raw[start : start + size]
    return flat if len(shape) == 1 else flat.reshape(shape)
