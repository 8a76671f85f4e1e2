"""The median of some numbers."""

from collections.abc import Sequence

import numpy as np

from trundle.typing import Array


def median(values: Sequence[float] | Array) -> float:
    """The one in the middle, or the mean of the two there. As np.median, which first imports all of numpy.ma."""
    ordered = np.sort(values)
    return float(0.5 * (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]))
