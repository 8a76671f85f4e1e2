"""Accuracy of Trundle's own elementary functions against extended precision."""

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from trundle.kernel import Kernel, compile_kernels, evaluate, host_lanes

longdouble_is_longer = np.finfo(np.longdouble).eps < 1e-18


def compile_both(*expressions: Callable[[ca.SX], ca.SX]) -> tuple[Kernel, Kernel]:
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 1), ca.SX.sym("p", 0)
    function = ca.Function("f", [t, x, p], [e(x) for e in expressions])
    scalar, wide = (compile_kernels({"f": function}, lanes=n, cache=None)["f"] for n in (1, host_lanes()))
    return scalar, wide


@pytest.fixture(scope="module")
def kernels() -> tuple[Kernel, Kernel]:
    return compile_both(ca.sin, ca.cos)


@pytest.mark.skipif(not longdouble_is_longer, reason="the reference needs extended precision")
@pytest.mark.parametrize(("largest", "bound"), [(1.0, 2.5e-16), (1e2, 2.5e-16), (1e5, 2.5e-16), (1e8, 1e-15)])
def test_error_is_about_one_unit_in_the_last_place(
    kernels: tuple[Kernel, Kernel], largest: float, bound: float
) -> None:
    rng = np.random.default_rng(4)
    near_quadrants = np.round(rng.uniform(-largest, largest, 20_000)) * (np.pi / 2)
    angles = np.concatenate([rng.uniform(-largest, largest, 100_000), near_quadrants])
    result = evaluate(*kernels, 0.0, angles[:, None], threads=1)
    exact = angles.astype(np.longdouble)
    assert np.abs(result[:, 0] - np.sin(exact)).max() < bound
    assert np.abs(result[:, 1] - np.cos(exact)).max() < bound


def test_zeros_keep_their_relative_accuracy(kernels: tuple[Kernel, Kernel]) -> None:
    """sin of the double next to pi is the distance between the two: 1.2246e-16, not 0."""
    assert kernels[0](0.0, [np.pi])[0] == pytest.approx(1.2246467991473532e-16, rel=1e-15)
    assert kernels[0](0.0, [np.pi / 2])[1] == pytest.approx(6.123233995736766e-17, rel=1e-15)


@pytest.mark.parametrize("angle", [np.nan, np.inf, -np.inf, 1e17])
def test_no_angle_no_value(kernels: tuple[Kernel, Kernel], angle: float) -> None:
    assert np.isnan(kernels[0](0.0, [angle])).all()
    assert np.isnan(kernels[1](np.zeros(kernels[1].lanes), np.full((1, kernels[1].lanes), angle))).all()


@pytest.mark.skipif(not longdouble_is_longer, reason="the reference needs extended precision")
@pytest.mark.parametrize("largest", [1e-9, 0.5, 3.0, 50.0, 700.0])
def test_exponential_and_hyperbolic_tangent_keep_their_relative_accuracy(largest: float) -> None:
    values = np.random.default_rng(5).uniform(-largest, largest, 50_000)
    result = evaluate(*compile_both(ca.exp, ca.tanh), 0.0, values[:, None], threads=1)
    exact = values.astype(np.longdouble)
    assert np.abs(result[:, 0] / np.exp(exact) - 1).max() < 2.5e-16
    assert np.abs(result[:, 1] / np.tanh(exact) - 1).max() < 6e-16


@pytest.mark.parametrize("x", [709.78, 709.79, -708.5, -740.0, -745.1, -745.2, -1e5, 1e5, np.inf, -np.inf, np.nan])
def test_exponential_at_the_ends_of_its_range(x: float) -> None:
    with np.errstate(over="ignore", under="ignore"):
        expected = np.exp(x)
    np.testing.assert_allclose(compile_both(ca.exp)[0](0.0, [x])[0], expected, rtol=1e-15, atol=5e-324)
