"""Choices among equals that do not depend on the last bits of their numbers."""

import numpy as np

from trundle.typing import AnyArray, Array

EQUAL = 1e-6  # relative


def first_largest(values: AnyArray) -> int:
    """Index of the first of the values that is as large as the largest."""
    size = np.abs(values)
    return int(np.argmax(size >= (1.0 - EQUAL) * np.max(size)))


def repeatable_basis(columns: Array) -> Array:
    """An orthonormal basis of what independent columns span, which does not depend on how they are chosen: of the
    projections of the axes the first that is largest, then the first that is largest across it, and so on.
    """
    Q = np.linalg.qr(columns)[0]
    rest, found = Q @ Q.T, np.zeros(Q.shape)
    for k in range(Q.shape[1]):
        i = first_largest(np.diag(rest))
        found[:, k] = rest[:, i] / np.sqrt(rest[i, i])
        rest = rest - np.outer(found[:, k], found[:, k])
    return found
