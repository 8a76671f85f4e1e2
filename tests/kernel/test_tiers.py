"""Threaded code = machine code to the last bit, and machine code replaces it where that saves time."""

import gc
import platform
import sys
from collections.abc import Callable
from pathlib import Path

import casadi as ca
import llvmlite.binding as llvm
import numpy as np
import pytest

from trundle.kernel import (
    Kernel,
    compile_busy,
    compile_kernels,
    evaluate,
    load_stored,
    read_tape,
    ready_code,
    store_and_load,
    threaded,
    tiers,
    trampolines,
)
from trundle.kernel.fuse import fuse
from trundle.kernel.jit import emit_object, host
from trundle.kernel.lower import Target, lower
from trundle.kernel.program import END, OUTPUT, program
from trundle.kernel.tape import LEAVES, PRODUCT, SUMS
from trundle.lookup.table import Table

Builder = Callable[..., ca.Function]


def point(kernel: Kernel, seed: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    tail = () if kernel.lanes == 1 else (kernel.lanes,)
    return rng.normal(size=tail), rng.normal(size=(kernel.n_x, *tail)), rng.normal(size=(kernel.n_p, *tail))


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_the_same_bits_in_all_lanes(tangle: Builder, lanes: int) -> None:
    machine = compile_kernels({"f": tangle()}, lanes, cache=None)["f"]
    by_steps = store_and_load("f", {"f": read_tape(tangle())}, lanes)["f"]
    for seed in range(5):
        np.testing.assert_array_equal(by_steps(*point(machine, seed)), machine(*point(machine, seed)))


def test_all_tiers_evaluate_tables_alike() -> None:
    u = np.linspace(-1.0, 1.0, 9)
    table = Table((u, u), np.sin(u[:, None] + 2 * u[None, :]), beyond="hold")
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("p")
    value = table.kind.value(p, [x[0], ca.sin(x[1])])
    function = ca.Function("f", [t, x, p], [value, x[0] * value + x[1]])
    machine, by_steps = compile_kernels({"f": function})["f"], store_and_load("f", {"f": read_tape(function)})["f"]
    for at in np.random.default_rng(2).normal(size=(20, 2)):
        given = (0.0, at, [table.block.handle])
        np.testing.assert_array_equal(by_steps(*given), machine(*given))


@pytest.mark.parametrize("count", range(1, 2 * threaded.AT_ONCE + 2))
def test_steps_of_one_kind_in_groups(count: int) -> None:
    """As many steps of each kind as fill groups or leave some over; some need the result of the one before."""
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", count), ca.SX.sym("p", 3)
    rows = x * p[0], x + p[1], x * p[0] + p[2], p[0] - x * p[1], -x, ca.cumsum(x), x / p[2]
    function = ca.Function("f", [t, x, p], [ca.vertcat(*rows)])
    kernel = store_and_load("f", {"f": read_tape(function)})["f"]
    machine = compile_kernels({"f": function}, cache=None)["f"]
    np.testing.assert_array_equal(kernel(*point(machine)), machine(*point(machine)))
    assert kernel.threaded is not None and kernel.threaded.calls == 1


def test_groups_do_not_overlap() -> None:
    kinds = np.repeat([3, 1, 3, 2], [4, 3, 11, 1])
    assert np.flatnonzero(tiers._begins_group(kinds)).tolist() == [0, 7, 11]


def test_many_evaluations_at_once(tangle: Builder) -> None:
    tapes = {"small": read_tape(tangle(3)), "large": read_tape(tangle(9))}
    scalar, wide = (store_and_load(f"{lanes} lanes", tapes, lanes) for lanes in (1, 4))
    x = np.random.default_rng(1).normal(size=(23, 6))
    for name in tapes:
        found = evaluate(scalar[name], wide[name], 0.3, x, [0.1, 0.2])
        np.testing.assert_array_equal(found, [scalar[name](0.3, at, [0.1, 0.2]) for at in x])


def test_functions_that_come_with_the_package(tangle: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not ready_code.serves(sys.platform, platform.machine(), host().features):
        pytest.skip("object code is shipped for other machines")
    ir = threaded.functions(1, ready_code.READY)
    ready_code.place(tmp_path / threaded.shipped_name(1)).write_bytes(ready_code.make_ready_object(ir))
    ir = trampolines.functions(ready_code.READY)
    ready_code.place(tmp_path / trampolines.shipped_name()).write_bytes(ready_code.make_ready_object(ir))
    monkeypatch.setattr(trampolines, "SHIPPED", tmp_path)
    monkeypatch.setattr(trampolines, "emit_object", lambda ir: pytest.fail("generated"))
    monkeypatch.setattr(trampolines, "_code", trampolines._code.__wrapped__)
    monkeypatch.setattr(tiers, "_trampolines", trampolines.Trampolines())
    monkeypatch.setattr(threaded, "SHIPPED", tmp_path)
    monkeypatch.setattr(threaded, "_kept", lambda lanes: pytest.fail("generated"))
    shipped = threaded.threaded_code.__wrapped__(1)
    monkeypatch.setattr(tiers, "threaded_code", lambda lanes: shipped)
    kernel = store_and_load("f", {"f": read_tape(tangle())})["f"]
    machine = compile_kernels({"f": tangle()}, cache=None)["f"]
    np.testing.assert_array_equal(kernel(*point(machine)), machine(*point(machine)))


@pytest.mark.parametrize(
    ("triple", "cpu", "features"),
    [
        ("aarch64-apple-darwin", "apple-m1", ""),
        ("x86_64-pc-windows-msvc", "x86-64-v3", "+fma,+avx2"),
        ("x86_64-unknown-linux-gnu", "x86-64", "+sse2"),
    ],
)
def test_code_for_other_processors_is_generated(triple: str, cpu: str, features: str) -> None:
    """Steps go on by a jump there too, or LLVM would refuse them."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = Target(triple, cpu, features)
    assert len(emit_object(threaded.functions(1, target), target)) > 5000


def test_a_machine_without_fused_products(tangle: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Target(host().triple, host().cpu, ",".join(f for f in host().features.split(",") if "fma" not in f))
    if plain.fuses:
        pytest.skip("all machines of this kind fuse")
    for module in ("jit", "threaded", "trampolines", "compile", "cache"):
        monkeypatch.setattr(f"trundle.kernel.{module}.host", lambda: plain)
    code = threaded.threaded_code.__wrapped__(1)
    monkeypatch.setattr(tiers, "threaded_code", lambda lanes: code)
    monkeypatch.setattr(trampolines, "_code", trampolines._code.__wrapped__)
    monkeypatch.setattr(tiers, "_trampolines", trampolines.Trampolines())
    kernel = store_and_load("f", {"f": read_tape(tangle())})["f"]
    machine = compile_kernels({"f": tangle()}, cache=None)["f"]
    np.testing.assert_array_equal(kernel(*point(machine)), machine(*point(machine)))


class TestTakingOver:
    def test_when_it_was_called_often(self, tangle: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("trundle.kernel.stored_kernels.BUSY", 50)
        kernels = store_and_load("model", {"f": read_tape(tangle()), "g": read_tape(tangle(3))})
        kernel, given = kernels["f"], point(kernels["f"])
        address, before = kernel.address, kernel(*given)
        for _ in range(48):
            kernel(*given)
        compile_busy()
        assert kernel.threaded.calls == 49 and not kernel.threaded.is_compiled
        kernel(*given)
        compile_busy()
        assert kernel.threaded.is_compiled and not kernels["g"].threaded.is_compiled
        np.testing.assert_array_equal(kernel(*given), before)
        assert kernel.threaded.calls == 50 and kernel.address == address

    def test_before_many_calls_at_once(self, tangle: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("trundle.kernel.stored_kernels.BUSY", 50)
        kernel = store_and_load("model", {"f": read_tape(tangle(3))})["f"]
        x = np.random.default_rng(1).normal(size=(50, 6))
        few = evaluate(kernel, kernel, 0.3, x[:40], [0.1, 0.2])
        assert kernel.threaded.calls == 40 and not kernel.threaded.is_compiled
        all_of_them = evaluate(kernel, kernel, 0.3, x, [0.1, 0.2])
        assert kernel.threaded.calls == 40 and kernel.threaded.is_compiled
        np.testing.assert_array_equal(all_of_them[:40], few)

    def test_what_was_compiled_is_found_again(self, tangle: Builder) -> None:
        kernels = store_and_load("model", {"f": read_tape(tangle()), "g": read_tape(tangle(3))})
        expected = kernels["f"](*point(kernels["f"]))
        kernels["f"].threaded.compile()
        again = load_stored("model")
        assert again["f"].threaded is None and again["g"].threaded.calls == 0
        np.testing.assert_array_equal(again["f"](*point(again["f"])), expected)
        assert load_stored("another") is None

    def test_work_array_is_large_enough_for_both(self, tangle: Builder) -> None:
        """Callers allocate work once; machine code must work with the size needed by threaded code."""
        for rounds in (3, 60, 400):
            function = tangle(rounds)
            sizes = lower({"f": fuse(read_tape(function))}, 1, host(), grouped=True)[1]
            assert store_and_load("f", {"f": read_tape(function)})["f"].work_size >= sizes["f"]

    def test_nothing_is_left_behind(self, tangle: Builder) -> None:
        gc.collect()
        before = len(tiers._watched)
        kernels = store_and_load("model", {"f": read_tape(tangle(3))})
        assert len(tiers._watched) == before + 1
        del kernels
        gc.collect()
        assert len(tiers._watched) == before

    def test_rows_are_used_again_and_do_not_move(self) -> None:
        class Named:
            pass

        live: tiers.WatchedKernels[Named] = tiers.WatchedKernels(3, counter=2)
        kernels = [Named() for _ in range(1200)]
        rows = [live.add(kernel, np.array([k, 0, 0]), 5)[1] for k, kernel in enumerate(kernels)]
        assert [row[0] for row in rows] == list(range(1200)) and len(live) == 1200
        rows[7][2] = rows[1100][2] = 5
        rows[8][2] = 4
        assert list(live.busy()) == [kernels[7], kernels[1100]]
        kernels[7] = Named()
        assert list(live.busy()) == [kernels[1100]] and len(live) == 1199
        number, row = live.add(kernels[7], np.array([-1, 0, 9]), 5)
        assert number == 7 and rows[7][0] == -1 and list(live.busy()) == [kernels[7], kernels[1100]]
        live.stop_watching(number)
        assert list(live.busy()) == [kernels[1100]] and row[2] == 9


class TestProgram:
    @pytest.mark.parametrize("rounds", [3, 30])
    def test_steps_stand_behind_what_they_need(self, tangle: Builder, rounds: int) -> None:
        """Followed place by place: every place that is read was written, or is a constant or an input."""
        tape = fuse(read_tape(tangle(rounds)))
        plan = program(tape)
        known = set(range(len(tape.constants) + 1 + tape.n_x + tape.n_p))
        written = set()
        for code, to, a, b, c in plan.steps.tolist():
            name = plan.names[code]
            if name == END:
                break
            count = 3 if name in SUMS else 1 if name in ("sincos", OUTPUT) else 2
            assert {a, b, c} - {0} <= known or set((a, b, c)[:count]) <= known
            if name == OUTPUT:
                written.add(to)
            else:
                known |= {to, c} if name == "sincos" else {to}
        assert written == set(range(len(tape.outputs))) and max(known) < plan.n_places < len(tape.operations)

    def test_the_same_kind_follows_itself(self, tangle: Builder) -> None:
        codes = program(fuse(read_tape(tangle(30)))).steps["code"]
        assert np.count_nonzero(np.diff(codes)) < 0.5 * len(codes)
        short = fuse(read_tape(tangle(3)))
        plan, no_step = program(short), (*LEAVES, PRODUCT, "sin", "cos")
        kinds = [plan.names[code] for code in plan.steps["code"]]
        assert kinds[: -len(short.outputs) - 1] == [op for op, _, _ in short.operations if op not in no_step]

    def test_products_go_into_one_sum(self) -> None:
        x = ca.SX.sym("x", 4)
        shared = x[0] * x[1]
        function = ca.Function(
            "f", [ca.SX.sym("t"), x, ca.SX.sym("p", 0)],
            [x[0] * x[2] + x[1] * x[3], x[3] - x[2] * x[2], x[0] * x[3] - x[1], shared + x[2], shared - x[3]],
        )  # fmt: skip
        names = [op for op, _, _ in fuse(read_tape(function)).operations]
        assert names.count(PRODUCT) == 3 and names.count("mul") == 2 and names.count("add") == 1
        assert [names.count(op) for op in SUMS] == [1, 1, 1]
        np.testing.assert_array_equal(fuse(fuse(read_tape(function))).operations, fuse(read_tape(function)).operations)


def test_a_kernel_that_mostly_copies_stays_in_threaded_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code with ten thousand stores takes minutes to generate, and gains nothing."""
    monkeypatch.setattr("trundle.kernel.stored_kernels.BUSY", 50)
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("p", 1)
    for count, compiled in ((100, True), (tiers.MOSTLY_COPIES, False)):
        f = ca.Function("f", [t, x, p], [ca.vertcat(x[0] * p[0] + x[1], *([x[0]] * (count - 1)))])
        kernel = store_and_load(f"copies {count}", {"f": read_tape(f)})["f"]
        for _ in range(60):
            kernel(0.0, [1.0, 2.0], [3.0])
        compile_busy()
        assert kernel.threaded is not None and kernel.threaded.is_compiled == compiled
