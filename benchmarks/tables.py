"""What a look-up costs: tables of one argument and of two, along a path and at places without order.

python -m benchmarks.tables
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np

from benchmarks.interleave import fastest
from trundle.kernel import compile_kernels, host_lanes
from trundle.kernel.jit import aligned
from trundle.lookup.table import Table

POINTS = 4000


def evaluator(table: Table, outputs: int, points: np.ndarray, lanes: int = 1) -> Callable[[], None]:
    """Evaluates the first outputs of a table at all points."""
    n = len(table.x)
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", n), ca.SX.sym("p", 1)
    value = table.kind.value(p, ca.vertsplit(x))[:outputs]
    kernel = compile_kernels({"f": ca.Function("f", [t, x, p], [value])}, lanes, cache=None)["f"]
    groups = len(points) // lanes
    given, handles = aligned(groups, n, lanes), aligned(groups, lanes)
    given[:], handles[:] = points.reshape(groups, lanes, n).transpose(0, 2, 1), table.block.handle
    times, out, work = aligned(groups, lanes), aligned(groups, outputs, lanes), kernel.new_work()
    times[:] = 0.0
    arrays = (times, given, handles, out, work)
    addresses = [array.ctypes.data for array in arrays]

    def call(keep: object = arrays) -> None:  # which stay in memory as long as the function
        kernel.many(groups, *addresses)

    return call


def main() -> None:
    """Print microseconds for each look-up."""
    rng = np.random.default_rng(1)
    x1, x2 = np.linspace(0, 10, 60), np.sort(rng.uniform(-1, 1, 40))
    one, two = Table(x1, rng.normal(size=60)), Table((x1, x2), rng.normal(size=(60, 40, 8)))
    s = np.linspace(0, 1, POINTS)
    path = np.column_stack([5 + 4 * np.sin(6 * s), 0.8 * np.cos(9 * s)])
    apart = rng.uniform([x1[0], x2[0]], [x1[-1], x2[-1]], (POINTS, 2))
    cases = {
        "two arguments, eight outputs, along a path": evaluator(two, 8, path),
        "two arguments, eight outputs, without order": evaluator(two, 8, apart),
        f"two arguments, eight outputs, {host_lanes()} lanes": evaluator(two, 8, path, host_lanes()),
        "two arguments, one output, along a path": evaluator(two, 1, path),
        "one argument, one output, along a path": evaluator(one, 1, path[:, :1].copy()),
    }
    for name, seconds in fastest(cases, 1, 400).items():
        print(f"{name:48s} {1e6 * seconds / POINTS:7.3f} us")


if __name__ == "__main__":
    main()
