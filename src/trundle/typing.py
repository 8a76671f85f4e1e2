"""Names of types that are used everywhere."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]  # real numbers
AnyArray = np.ndarray[Any, np.dtype[Any]]  # real or complex numbers
Flags = np.ndarray[Any, np.dtype[np.bool_]]
