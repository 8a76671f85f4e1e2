"""Arrays of impacts: the Python side of the compiled loop."""

import os
from concurrent.futures import ThreadPoolExecutor
from ctypes import CFUNCTYPE, c_void_p
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from trundle.errors import ModelError
from trundle.typing import Array

WIDTH = 9  # numbers for each impact
SHARE = 20_000  # impacts for which another thread is worth its start


def predict_arrays(
    arrays: tuple[Array, ...], energetic: bool, threads: int | None
) -> tuple[tuple[Array, ...], bool, NDArray[np.int64], Array]:
    """Arguments when broadcast, the kind of restitution, what was found for each impact, and its numbers."""
    from trundle.kernel import compiled

    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError as error:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ModelError(f"impact: arrays of shapes {shapes} cannot be broadcast together.") from error
    count = int(np.prod(shape))
    found, values = np.empty(shape, np.int64), np.empty((*shape, WIDTH))
    columns = [
        array.reshape(1) if array.size == 1 else np.ascontiguousarray(np.broadcast_to(array, shape)) for array in arrays
    ]
    columns.append(np.full(1, float(energetic)))
    strides = [int(column.size > 1) for column in columns]
    shares = max(1, min(threads or os.cpu_count() or 1, count // SHARE))
    loop = CFUNCTYPE(None, c_void_p)(compiled.address("predict_many", "trundle.walker.impact.predict_batch_loop"))

    def run(first: int, last: int) -> None:
        addresses = [column.ctypes.data for column in columns]
        table = np.array([*addresses, *strides, first, last, found.ctypes.data, values.ctypes.data], np.int64)
        loop(table.ctypes.data)

    edges = [int(edge) for edge in np.linspace(0, count, shares + 1)]
    if shares == 1:
        run(0, count)
    else:
        with ThreadPoolExecutor(shares) as pool:
            list(pool.map(lambda pair: run(*pair), pairwise(edges)))
    broadcast = tuple(np.broadcast_to(array, shape) for array in arrays)
    if count and found.min() < 0:
        _refuse(broadcast, found)
    return broadcast, energetic, found, values


def _refuse(arrays: tuple[Array, ...], found: NDArray[np.int64]) -> None:
    from trundle.walker.impact.scenario import check_impact

    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(found < 0)), found.shape))
    lam, beta, mu, v_t, v_nf, e, mu_static = (float(array[index]) for array in arrays)
    place = ", ".join(map(str, index))
    where = f" [{place}] ({np.count_nonzero(found < 0)} of {found.size} refused)"
    check_impact(lam, beta, mu, v_t, v_nf, e, mu_static, where)
