"""Evaluations of many states at once equal those one after the other."""

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from trundle.errors import KernelError
from trundle.kernel import Kernel, compile_kernels, evaluate, host_lanes


@pytest.fixture(scope="module")
def kernels(tangle: Callable[..., ca.Function]) -> tuple[Kernel, Kernel]:
    scalar, wide = (compile_kernels({"f": tangle()}, lanes=n, cache=None)["f"] for n in (1, host_lanes()))
    return scalar, wide


@pytest.mark.parametrize("n", [0, 1, 3, 8, 1001])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_equals_single_evaluations(kernels: tuple[Kernel, Kernel], n: int, threads: int) -> None:
    rng = np.random.default_rng(6)
    t, x, p = rng.normal(size=n), rng.normal(size=(n, 6)), rng.normal(size=(n, 2))
    result = evaluate(*kernels, t, x, p, threads=threads)
    assert result.shape == (n, kernels[0].n_out)
    expected = [kernels[0](t[k], x[k], p[k]) for k in range(n)]
    np.testing.assert_allclose(result, np.reshape(expected, result.shape), rtol=1e-13, atol=1e-13)


def test_many_blocks_and_shared_time_and_parameters(kernels: tuple[Kernel, Kernel]) -> None:
    x = np.random.default_rng(7).normal(size=(20_000, 6))
    result = evaluate(*kernels, 0.5, x, [0.1, 0.2])
    for k in (0, 1, 9_999, 19_998, 19_999):
        np.testing.assert_allclose(result[k], kernels[0](0.5, x[k], [0.1, 0.2]), rtol=1e-13, atol=1e-13)


def test_functions_without_parameters() -> None:
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("p", 0)
    function = ca.Function("f", [t, x, p], [x[0] * x[1] + t])
    scalar, wide = (compile_kernels({"f": function}, lanes=n, cache=None)["f"] for n in (1, 4))
    x_values = np.arange(14.0).reshape(7, 2)
    np.testing.assert_array_equal(evaluate(scalar, wide, 1.0, x_values)[:, 0], x_values.prod(axis=1) + 1)


def test_wrong_sizes_are_named(kernels: tuple[Kernel, Kernel], tangle: Callable[..., ca.Function]) -> None:
    with pytest.raises(KernelError, match=r"\(N, 6\)"):
        evaluate(*kernels, 0.0, np.zeros((4, 5)), [0.0, 0.0])
    other = compile_kernels({"g": tangle(2, n_x=7)}, cache=None)["g"]
    with pytest.raises(KernelError, match="differ"):
        evaluate(other, kernels[1], 0.0, np.zeros((4, 6)), [0.0, 0.0])
