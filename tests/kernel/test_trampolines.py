"""Kernels in threaded code share pieces of code: each has its own addresses, which are used again when it is gone."""

import gc

import casadi as ca
import numpy as np

from trundle.kernel import tiers, trampolines
from trundle.kernel.batch import evaluate
from trundle.kernel.jit import Kernel
from trundle.kernel.read_tape import read_tape
from trundle.kernel.stored_kernels import store_and_load


def kernels_of(factors: list[float]) -> dict[str, Kernel]:
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("p")
    functions = {f"f{k}": ca.Function("f", [t, x, p], [factor * x + p]) for k, factor in enumerate(factors)}
    return store_and_load(f"model {factors}", {name: read_tape(f) for name, f in functions.items()})


def test_more_kernels_than_one_piece_has() -> None:
    factors = [float(k) for k in range(3 * trampolines.COUNT + 1)]
    kernels = kernels_of(factors)
    assert len({kernel.address for kernel in kernels.values()}) == len(factors)
    x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    for k, kernel in enumerate(kernels.values()):
        np.testing.assert_array_equal(evaluate(kernel, kernel, 0.0, x, [0.5]), k * x + 0.5)
        np.testing.assert_array_equal(kernel(0.0, x[0], [0.5]), k * x[0] + 0.5)


def test_trampolines_of_deleted_kernels_are_reused_and_others_stay() -> None:
    gc.collect()
    kept = kernels_of([2.0, 3.0])
    for round_ in range(5):
        gone = kernels_of([10.0 + round_] * trampolines.COUNT)
        addresses = {kernel.address for kernel in gone.values()}
        assert kept["f0"].address not in addresses and kept["f1"].address not in addresses
        for kernel in gone.values():
            np.testing.assert_array_equal(kernel(0.0, [1.0, 2.0], [0.0]), (10.0 + round_) * np.array([1.0, 2.0]))
        del gone, kernel
        gc.collect()
    free = {one.once for one in tiers._trampolines._free}
    assert addresses <= free and kept["f0"].address not in free
    np.testing.assert_array_equal(kept["f0"](0.0, [1.0, 2.0], [0.0]), [2.0, 4.0])
    kept["f1"].threaded.compile()
    np.testing.assert_array_equal(kept["f1"](0.0, [1.0, 2.0], [0.0]), [3.0, 6.0])


def test_the_code_is_kept() -> None:
    trampolines._code.cache_clear()
    first = trampolines._code()
    trampolines._code.cache_clear()
    assert trampolines._code() == first
