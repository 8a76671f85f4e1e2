"""Many evaluations of one kernel, distributed over lanes and threads."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import KernelError
from trundle.kernel.jit import Kernel
from trundle.kernel.memory import address_of, aligned

_BLOCK_BYTES = 256 * 1024  # packed arrays of one block stay in the second-level cache


def evaluate(
    scalar: Kernel, wide: Kernel, t: ArrayLike, x: ArrayLike, p: ArrayLike = (), threads: int | None = None
) -> np.ndarray:
    """Outputs (N, n_out) at states x (N, n_x); t and p are common to all states or given for each.

    Full groups are evaluated by the kernel with lanes, the few remaining states by the scalar one.
    """
    x = np.asarray(x, dtype=float)
    shapes = [(k.n_x, k.n_p, k.n_out) for k in (scalar, wide)]
    if shapes[0] != shapes[1]:
        raise KernelError(f"kernels {scalar.name!r} and {wide.name!r} differ in their sizes: {shapes[0]}, {shapes[1]}.")
    if x.ndim != 2 or x.shape[1] != wide.n_x:
        raise KernelError(f"kernel {wide.name!r} was given states of shape {x.shape}; it takes (N, {wide.n_x}).")
    n = len(x)
    for kernel, coming in ((wide, n // wide.lanes), (scalar, n % wide.lanes)):
        kernel.compile_if_busy(coming)
    p = np.broadcast_to(np.asarray(p, dtype=float), (n, wide.n_p))
    t = np.broadcast_to(np.asarray(t, dtype=float), (n,))
    out = np.empty((n, wide.n_out))

    full = n // wide.lanes * wide.lanes
    threads = threads or available_threads()
    share = -(-full // (threads * wide.lanes)) * wide.lanes
    parts = [(wide, start, min(start + share, full)) for start in range(0, full, share)] if share else []
    if full < n:
        parts.append((scalar, full, n))

    def run(part: tuple[Kernel, int, int]) -> None:
        kernel, start, stop = part
        _evaluate_range(kernel, t[start:stop], x[start:stop], p[start:stop], out[start:stop])

    if threads == 1 or len(parts) < 2:
        for part in parts:
            run(part)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(run, parts))
    return out


class PackedStates:
    """States packed into lanes for repeated evaluation: `x` and `out` have the shape (groups, values, lanes) and may be
    changed between evaluations. Times and parameters are common, or given for each state.
    """

    def __init__(self, kernel: Kernel, t: float | np.ndarray, x: np.ndarray, p: np.ndarray) -> None:
        lanes, groups = kernel.lanes, len(x) // kernel.lanes
        self.kernel = kernel
        self.x, self.out = aligned(groups, kernel.n_x, lanes), aligned(groups, kernel.n_out, lanes)
        self.x[:] = x.reshape(groups, lanes, -1).transpose(0, 2, 1)
        clock, parameters, work = aligned(groups, lanes), aligned(groups, kernel.n_p, lanes), kernel.new_work()
        clock[:] = t if np.ndim(t) == 0 else np.reshape(t, (groups, lanes))
        parameters[:] = p[:, None] if np.ndim(p) == 1 else p.reshape(groups, lanes, kernel.n_p).transpose(0, 2, 1)
        self._arrays = (clock, self.x, parameters, self.out, work)
        self._addresses = [address_of(array) for array in self._arrays]

    def evaluate(self) -> None:
        """Write the outputs at all states to `out`."""
        self.kernel.compile_if_busy(len(self.x))
        self.kernel.many(len(self.x), *self._addresses)

    def evaluated(self) -> np.ndarray:
        """Outputs at all states, one row per state."""
        self.evaluate()
        return self.out.transpose(0, 2, 1).reshape(-1, self.kernel.n_out).copy()

    def states(self) -> np.ndarray:
        """The states, one row per state."""
        return self.x.transpose(0, 2, 1).reshape(-1, self.kernel.n_x).copy()


def available_threads() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _evaluate_range(kernel: Kernel, t: np.ndarray, x: np.ndarray, p: np.ndarray, out: np.ndarray) -> None:
    """Pack states into lanes, evaluate and unpack them, block by block. One lane needs no packing."""
    lanes, work = kernel.lanes, kernel.new_work()
    row_bytes = 8 * lanes * (1 + kernel.n_x + kernel.n_p + kernel.n_out)
    groups = max(1, min(_BLOCK_BYTES // row_bytes, len(x) // lanes))
    packed = [] if lanes == 1 else [aligned(groups, size, lanes) for size in (1, kernel.n_x, kernel.n_p, kernel.n_out)]
    for start in range(0, len(x), groups * lanes):
        stop = min(start + groups * lanes, len(x))
        if lanes == 1:
            block = [np.ascontiguousarray(array[start:stop]) for array in (t, x, p)]
            kernel.many(stop - start, *(address_of(array) for array in (*block, out[start:stop], work)))
            continue
        count = (stop - start) // lanes
        for array, values in zip(packed[:3], (t[:, None], x, p), strict=True):
            array[:count] = values[start:stop].reshape(count, lanes, -1 if values.shape[1] else 0).transpose(0, 2, 1)
        kernel.many(count, *(address_of(array) for array in (*packed, work)))
        out[start:stop].reshape(count, lanes, -1)[...] = packed[3][:count].transpose(0, 2, 1)
