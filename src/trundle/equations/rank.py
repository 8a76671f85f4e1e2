"""The one decision of rank, for all who ask how many of some rows are independent.

Rows and speeds are first made free of units by the typical length of the model: a row that closes a gap is divided by
it, a speed that slides is measured in it. An entry that is not round-off is then of the size of 1, whatever the size
of the mechanism, and a singular value far below 1 is zero even where it is the largest: rows that all follow from
the structure of a tree leave nothing but round-off.
"""

from typing import Any

import numpy as np

TOLERANCE = 1e-8  # of singular values, relative to the largest or to 1
Array = np.ndarray[Any, np.dtype[np.float64]]


def rank_of_values(values: Array) -> int:
    """How many of the singular values (free of units, in falling order) are not zero."""
    return int(np.sum(values > TOLERANCE * max(float(values[0]), 1.0))) if len(values) else 0


def rank(J: Array) -> int:
    """Rank of rows that are free of units."""
    return rank_of_values(np.linalg.svd(J, compute_uv=False)) if J.size else 0
