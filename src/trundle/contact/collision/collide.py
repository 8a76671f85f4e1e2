"""A single collision outside the time loop, by the same compiled code."""

from ctypes import CFUNCTYPE, c_void_p
from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.contact.collision import layout as numbers
from trundle.kernel import compiled
from trundle.typing import Array, Untyped

COMPLEX_STEP = 1e-30  # imaginary part of a complex-step derivative


@final
@dataclass(frozen=True, eq=False)
class Solved:
    """Velocities before and after a collision and its impulses, three to a contact, the energy lost, and whether it
    found an end.
    """

    before: Array
    after: Array
    impulses: Array
    lost: float
    good: bool


def solve_collision(data: Array, contacts: int, treatment: int) -> Solved:
    """The collision that the kernel "impact" of a model describes; treatment as in `layout`."""
    found, n = _results("collide_once", data, contacts, treatment), 3 * contacts
    return Solved(
        found[:n], found[n : 2 * n], found[2 * n : 3 * n], float(found[3 * n + 1]), found[3 * n] == numbers.SOLVED
    )


def impulses_of(data: Array, contacts: int, treatment: int) -> Array:
    """Impulses at all contacts."""
    return solve_collision(data, contacts, treatment).impulses


def derivative_of_impulses(data: Array, way: Array, contacts: int, treatment: int) -> Array:
    """Directional derivative of the impulses by the data, to round-off: complex-step derivative."""
    size = float(np.max(np.abs(way), initial=0.0))
    if size == 0.0:
        return np.zeros(3 * contacts)
    found = _results("collide_nearby", data + 1j * (COMPLEX_STEP / size) * way, contacts, treatment)
    imaginary: Array = found[6 * contacts : 9 * contacts].imag
    return imaginary * (size / COMPLEX_STEP)


def _results(part: str, data: Untyped, contacts: int, treatment: int) -> Untyped:
    """What a compiled part writes behind the data."""
    first = len(data)
    b = np.concatenate([data, np.zeros(numbers.scratch(contacts))])
    sizes = np.array([contacts, first, treatment], np.int64)
    table = np.array([sizes.ctypes.data, b.ctypes.data], np.int64)
    CFUNCTYPE(None, c_void_p)(compiled.address(part))(table.ctypes.data)
    return b[first:]
