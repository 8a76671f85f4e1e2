"""Rank decisions: the number of independent rows, with one criterion for all callers.

Rows and speeds are first made free of units by the typical length of the model: a row that closes a gap is divided by
it, a speed that slides is measured in it. An entry that is not round-off is then of the size of 1, whatever the size of
the mechanism, and a singular value far below 1 is zero even where it is the largest: rows that all follow from the
structure of a tree leave nothing but round-off.
"""

import numpy as np

from trundle.typing import AnyArray, Array, Flags

TOLERANCE = 1e-8  # of singular values, relative to the largest or to 1
NEAR_SINGULAR = 1e-5  # of the smallest singular value at a start, relative to that at a generic pose


def rank_of_values(values: Array, tolerance: float = TOLERANCE) -> int:
    """How many of the singular values (free of units, in falling order) are not zero; with NEAR_SINGULAR for a pose
    that was searched for and is met only nearly.
    """
    return int(np.sum(values > tolerance * max(float(values[0]), 1.0))) if len(values) else 0


def nearly_singular(J: Array, generic: Array, count: int, only: bool = False) -> bool:
    """Whether fewer than `count` rows are independent, or so nearly that a pose found by Newton's method, which comes
    to a singular pose no nearer than the root of its tolerance, may be meant to be singular.

    only: there is no other pose to compare with, so that singular values are measured by 1 (they are free of units).
    """
    return bool(each_nearly_singular(J[None], generic[None], count, only)[0])


def each_nearly_singular(J: Array, generic: Array, count: int, only: bool = False) -> AnyArray:
    """The same for many (cases, rows, speeds)."""
    if count == 0:
        return np.zeros(len(J), bool)
    here, usual = (np.linalg.svd(A, compute_uv=False) for A in (J, generic))
    low = here[:, count - 1] < NEAR_SINGULAR * (1.0 if only else np.minimum(usual[:, count - 1], 1.0))
    return np.asarray(low | (np.array([rank_of_values(values) for values in here]) < count))


def rank(J: Array) -> int:
    """Rank of rows that are free of units."""
    return rank_of_values(np.asarray(np.linalg.svd(J, compute_uv=False), float)) if J.size else 0


def is_spent(left: float) -> bool:
    """Whether the largest entry that is left of a row (free of units) after others were taken from it is round-off."""
    return left <= TOLERANCE


def tied_sets(tied: Flags) -> list[list[int]]:
    """Sets of numbers that are tied to each other, directly or through others."""
    sets, left = [], np.ones(len(tied), dtype=bool)
    while left.any():
        members = np.arange(len(tied)) == np.argmax(left)
        while (grown := members | tied[members].any(axis=0)).sum() > members.sum():
            members = grown
        sets.append([int(i) for i in np.flatnonzero(members)])
        left &= ~members
    return sets
