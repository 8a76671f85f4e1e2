"""Every operation: machine code = interpreter = CasADi, on ordinary and on extreme arguments."""

import itertools
from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from trundle.errors import KernelError
from trundle.kernel import compile_kernels, host_lanes, read_tape, store_and_load
from trundle.kernel.interpret import BINARY, UNARY, interpret

EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 3.0, 1e-310, 1e-17, 40.0, -800.0, 1e300, np.inf, -np.inf, np.nan]
UNARY_NAMES = sorted({*UNARY, "sin", "cos", "sq", "twice", "inv"})
BINARY_NAMES = sorted({*BINARY, "constpow", "lift"})
CIRCULAR = {"sin", "cos", "tan"}


def function_of(expression: Callable[[ca.SX, ca.SX], ca.SX]) -> ca.Function:
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("p", 0)
    return ca.Function("f", [t, x, p], [expression(x[0], x[1])])


def assert_all_agree(function: ca.Function, points: np.ndarray) -> None:
    scalar = compile_kernels({"f": function}, cache=None)["f"]
    wide = compile_kernels({"f": function}, lanes=host_lanes(), cache=None)["f"]
    tape = read_tape(function)
    points = np.concatenate([points, np.ones((-len(points) % wide.lanes, 2))])
    by_lanes = [wide(np.zeros(wide.lanes), group.T)[0] for group in points.reshape(-1, wide.lanes, 2)]
    by_kernel = [scalar(0.0, point)[0] for point in points]
    by_interpreter = [interpret(tape, 0.0, point)[0] for point in points]
    by_casadi = [float(function(0.0, point, [])) for point in points]
    threaded = store_and_load("f", {"f": tape})["f"]
    np.testing.assert_array_equal(np.concatenate(by_lanes), by_kernel)
    np.testing.assert_array_equal([threaded(0.0, point)[0] for point in points], by_kernel)
    np.testing.assert_allclose(by_kernel, by_interpreter, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(by_kernel, by_casadi, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", UNARY_NAMES)
def test_unary(name: str) -> None:
    code = getattr(ca, f"OP_{name.upper()}")
    rng = np.random.default_rng(1)
    values = [v for v in EDGES if not (name in CIRCULAR and abs(v) == 1e300)]
    values += [*rng.uniform(-1, 1, 40), *rng.normal(size=40) * 10]
    points = np.column_stack([values, np.zeros(len(values))])
    assert_all_agree(function_of(lambda a, b: ca.SX.unary(code, a)), points)


@pytest.mark.parametrize("name", BINARY_NAMES)
def test_binary(name: str) -> None:
    code = getattr(ca, f"OP_{name.upper()}")
    rng = np.random.default_rng(2)
    points = np.array([*itertools.product(EDGES, EDGES), *(rng.normal(size=(40, 2)) * 3)])
    assert_all_agree(function_of(lambda a, b: ca.SX.binary(code, a, b)), points)


@pytest.mark.parametrize("exponent", [-16, -3, -2, -1, 0, 1, 2, 3, 7, 16, 17, 0.5, 1.5, 4.5, -0.5, 0.3, 1e10])
def test_power_with_a_constant_exponent(exponent: float) -> None:
    points = np.column_stack([[0.0, 1.0, 0.9999, 0.5, 2.0, 3.7, np.nan], np.zeros(7)])
    assert_all_agree(function_of(lambda a, b: ca.SX.binary(ca.OP_CONSTPOW, a, exponent)), points)


def test_small_whole_and_half_powers_need_no_library() -> None:
    for exponent in (-3, 5, 1.5):
        tape = read_tape(function_of(lambda a, b, e=exponent: ca.SX.binary(ca.OP_CONSTPOW, a, e)))
        assert "pow" not in {op for op, _, _ in tape.operations}


def test_nan_of_the_branch_not_taken_does_not_come_through() -> None:
    function = function_of(lambda a, b: ca.if_else(a > 0, ca.sqrt(a), 1 / b))
    kernel = compile_kernels({"f": function}, cache=None)["f"]
    assert kernel(0.0, [-4.0, 0.5])[0] == 2.0
    assert kernel(0.0, [4.0, 0.0])[0] == 2.0


class TestRefused:
    """Operations without machine code are named when the kernel is built, with a remedy."""

    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("p", 0)

    def refuse(self, function: ca.Function) -> str:
        with pytest.raises(KernelError) as caught:
            compile_kernels({"f": function}, cache=None)
        return str(caught.value)

    def test_inverse_error_function(self) -> None:
        assert "ERFINV" in self.refuse(function_of(lambda a, b: ca.erfinv(a)))

    def test_printing_is_refused(self) -> None:
        assert "PRINTME" in self.refuse(function_of(lambda a, b: a.printme(b)))

    def test_call_of_another_function(self) -> None:
        inner = function_of(lambda a, b: a * b)
        called = inner.call([self.t, self.x, self.p], False, True)
        assert "CALL" in self.refuse(ca.Function("g", [self.t, self.x, self.p], called))

    def test_matrix_function(self) -> None:
        t, x, p = ca.MX.sym("t"), ca.MX.sym("x", 2), ca.MX.sym("p", 0)
        assert "expand" in self.refuse(ca.Function("g", [t, x, p], [ca.sin(x)]))

    def test_free_symbol(self) -> None:
        stray = ca.SX.sym("stray")
        free = ca.Function("g", [self.t, self.x, self.p], [stray * self.x], {"allow_free": True})
        assert "stray" in self.refuse(free)

    def test_wrong_inputs(self) -> None:
        assert "(t, x, p)" in self.refuse(ca.Function("g", [self.t, self.x], [self.x]))
        assert "(t, x, p)" in self.refuse(ca.Function("g", [ca.SX.sym("t", 2), self.x, self.p], [self.x]))

    def test_sparse_input(self) -> None:
        x = ca.SX.sym("x", ca.Sparsity.triplet(3, 1, [0, 2], [0, 0]))
        assert "sparse" in self.refuse(ca.Function("g", [self.t, x, self.p], [ca.sumsqr(x)]))

    def test_lanes_and_names(self) -> None:
        function = function_of(lambda a, b: a * b)
        with pytest.raises(KernelError, match="lanes"):
            compile_kernels({"f": function}, lanes=3, cache=None)
        with pytest.raises(KernelError, match="called"):
            compile_kernels({"f g": function}, cache=None)
