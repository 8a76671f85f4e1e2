"""Machine code = interpreter, whatever the number of lanes and of pieces."""

import gc
from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from trundle.errors import KernelError
from trundle.kernel import Kernel, compile_kernels, read_tape
from trundle.kernel.interpret import interpret
from trundle.kernel.jit import Shape, emit_assembly, emit_object, host, load_kernels
from trundle.kernel.lower import Target, lower

Builder = Callable[..., ca.Function]


def compile_in_chunks(function: ca.Function, lanes: int, chunk: int, target: Target | None = None) -> Kernel:
    tape = read_tape(function)
    ir, work = lower({"f": tape}, lanes, target or host(), chunk)
    shape = Shape("f", lanes, tape.n_x, tape.n_p, len(tape.outputs), work["f"])
    return load_kernels(emit_object(ir), [shape])["f"]


def random_point(kernel: Kernel, seed: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    tail = () if kernel.lanes == 1 else (kernel.lanes,)
    return rng.normal(size=tail), rng.normal(size=(kernel.n_x, *tail)), rng.normal(size=(kernel.n_p, *tail))


def test_kernel_equals_interpreter(tangle: Builder) -> None:
    function = tangle()
    kernel = compile_kernels({"f": function}, cache=None)["f"]
    t, x, p = random_point(kernel)
    np.testing.assert_allclose(kernel(t, x, p), interpret(read_tape(function), float(t), x, p), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_lanes_equal_scalar(tangle: Builder, lanes: int) -> None:
    scalar, wide = (compile_kernels({"f": tangle()}, lanes=n, cache=None)["f"] for n in (1, lanes))
    t, x, p = random_point(wide)
    by_scalar = np.column_stack([scalar(t[k], x[:, k], p[:, k]) for k in range(lanes)])
    np.testing.assert_allclose(wide(t, x, p), by_scalar, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("chunk", [1, 7, 100])
def test_pieces_equal_whole(tangle: Builder, lanes: int, chunk: int) -> None:
    function = tangle(rounds=6)
    whole, pieces = compile_in_chunks(function, lanes, 10**9), compile_in_chunks(function, lanes, chunk)
    assert whole.work_size == 0 < pieces.work_size
    point = random_point(whole)
    np.testing.assert_allclose(pieces(*point), whole(*point), rtol=1e-12, atol=1e-12)


def test_places_in_the_work_array_are_used_again(tangle: Builder) -> None:
    function = tangle(rounds=60)
    assert compile_in_chunks(function, 1, 50).work_size < read_tape(function).n_operations / 20


def test_processor_without_fused_products_uses_the_library(tangle: Builder) -> None:
    plain = Target(host().triple, host().cpu, host().features.replace("+fma", "-fma"))
    if plain.fuses:
        pytest.skip("this kind of processor always has fused products")
    slow, fast = compile_in_chunks(tangle(), 4, 500, plain), compile_in_chunks(tangle(), 4, 500)
    point = random_point(fast)
    np.testing.assert_allclose(slow(*point), fast(*point), rtol=1e-12, atol=1e-12)


def test_arrays_need_no_alignment(tangle: Builder) -> None:
    kernel = compile_kernels({"f": tangle()}, lanes=4, cache=None)["f"]
    point = random_point(kernel)
    sizes = [4, 4 * kernel.n_x, 4 * kernel.n_p, 4 * kernel.n_out, 4 * kernel.work_size + 1]
    shifted = [np.zeros(size + 1)[1:] for size in sizes]
    for array, values in zip(shifted, point, strict=False):
        array[:] = values.ravel()
    kernel.function(*(a.ctypes.data for a in shifted))
    np.testing.assert_array_equal(shifted[3].reshape(-1, 4), kernel(*point))


def test_several_kernels_share_one_object(tangle: Builder) -> None:
    kernels = compile_kernels({"small": tangle(2), "large": tangle(9, n_x=8)}, cache=None)
    assert list(kernels) == ["small", "large"]
    assert kernels["large"].n_x == 8
    point = random_point(kernels["large"])
    alone = compile_kernels({"alone": tangle(9, n_x=8)}, cache=None)["alone"]
    np.testing.assert_array_equal(kernels["large"](*point), alone(*point))


def test_no_name_of_a_kernel_is_taken(tangle: Builder) -> None:
    functions = {name: tangle(k + 1) for k, name in enumerate(("f", "f_many", "library", "exp"))}
    kernels = compile_kernels(functions, cache=None)
    for name, function in functions.items():
        point = random_point(kernels[name])
        np.testing.assert_array_equal(kernels[name](*point), compile_kernels({"g": function}, cache=None)["g"](*point))


@pytest.mark.skipif("x86" not in host().triple, reason="the registers have other names elsewhere")
@pytest.mark.parametrize(("cpu", "lanes", "register"), [("skylake-avx512", 8, "zmm"), ("haswell", 4, "ymm")])
def test_lanes_fill_the_registers(tangle: Builder, cpu: str, lanes: int, register: str) -> None:
    """Every fused product works on a full register, also for processors other than this one."""
    target = Target(host().triple, cpu, "+fma,+avx512f,+avx512dq" if lanes == 8 else "+fma,+avx2")
    assembly = emit_assembly(lower({"f": read_tape(tangle(3))}, lanes, target)[0], target)
    fused = [line for line in assembly.splitlines() if "vfmadd" in line or "vfnmadd" in line]
    assert fused
    assert all(register in line for line in fused)


def test_function_without_parameters_or_operations() -> None:
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("p", 0)
    kernel = compile_kernels({"f": ca.Function("f", [t, x, p], [ca.vertcat(x[1], 4, t, x[0])])}, cache=None)["f"]
    np.testing.assert_array_equal(kernel(7.0, [1.0, 2.0]), [2, 4, 7, 1])


def test_kernel_names_a_wrong_shape(tangle: Builder) -> None:
    kernel = compile_kernels({"f": tangle()}, cache=None)["f"]
    with pytest.raises(KernelError, match=r"'f' .* x of shape \(5,\)"):
        kernel(0.0, np.zeros(5), np.zeros(2))


def test_products_and_sums_are_fused() -> None:
    """(1+e)(1-e) - 1 = -e^2 exactly with a fused product, 0 without."""
    if not host().fuses:
        pytest.skip("no fused product on this processor")
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 3), ca.SX.sym("p", 0)
    kernel = compile_kernels({"f": ca.Function("f", [t, x, p], [x[0] * x[1] - x[2]])}, cache=None)["f"]
    e = 2.0**-30
    assert kernel(0.0, [1 + e, 1 - e, 1.0])[0] == -(e**2)


def test_kernel_owns_its_code(tangle: Builder) -> None:
    """It works when nothing else refers to the module it was loaded with, and beside kernels loaded later."""
    first = compile_kernels({"f": tangle(3)}, cache=None)["f"]
    point = random_point(first)
    before = first(*point)
    gc.collect()
    others = [compile_kernels({"f": tangle(k)}, cache=None)["f"] for k in (1, 2)]
    np.testing.assert_array_equal(first(*point), before)
    assert len({first.address, *(k.address for k in others)}) == 3
