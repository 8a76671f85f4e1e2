"""The median, without the import of numpy.ma that np.median needs."""

from collections.abc import Sequence

import numpy as np

from trundle.typing import Array


def median(values: Sequence[float] | Array) -> float:
    """The middle value, or the mean of the two in the middle, as np.median."""
    ordered = np.sort(values)
    return float(0.5 * (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]))
