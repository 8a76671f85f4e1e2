"""Rank decisions: the number of independent rows, with one criterion for all callers.

Rows and speeds are first made dimensionless by the typical length of the model: a row that closes a gap is divided by
it, a sliding speed is measured in it. Significant entries are then of order 1, whatever the size of the mechanism, and
a singular value far below 1 is zero even if it is the largest: rows that are satisfied by the structure of the tree
consist of round-off only.
"""

import numpy as np

from trundle.typing import AnyArray, Array, Flags

TOLERANCE = 1e-8  # of singular values, relative to the largest or to 1
NEAR_SINGULAR = 1e-5  # of the smallest singular value at a start, relative to that at a generic pose


def rank_of_values(values: Array, tolerance: float = TOLERANCE) -> int:
    """Number of non-zero singular values (dimensionless, in descending order); use NEAR_SINGULAR as tolerance for a
    pose that was found by a search and is therefore inaccurate.
    """
    return int(np.sum(values > tolerance * max(float(values[0]), 1.0))) if len(values) else 0


def nearly_singular(J: Array, generic: Array, count: int, only: bool = False) -> bool:
    """Whether fewer than `count` rows are independent, or nearly so. Newton's method approaches a singular pose only to
    the root of its tolerance, so a nearly singular pose may be meant to be singular.

    only: there is no other pose to compare with, so singular values, which are dimensionless, are compared with 1.
    """
    return bool(each_nearly_singular(J[None], generic[None], count, only)[0])


def each_nearly_singular(J: Array, generic: Array, count: int, only: bool = False) -> AnyArray:
    """`nearly_singular` for many cases (cases, rows, speeds)."""
    if count == 0:
        return np.zeros(len(J), bool)
    here, usual = (np.linalg.svd(A, compute_uv=False) for A in (J, generic))
    low = here[:, count - 1] < NEAR_SINGULAR * (1.0 if only else np.minimum(usual[:, count - 1], 1.0))
    return np.asarray(low | (np.array([rank_of_values(values) for values in here]) < count))


def rank(J: Array) -> int:
    """Rank of dimensionless rows."""
    return rank_of_values(np.asarray(np.linalg.svd(J, compute_uv=False), float)) if J.size else 0


def is_spent(left: float) -> bool:
    """Whether the largest entry of a dimensionless row, after subtraction of other rows, is only round-off."""
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
