"""Time loops are shipped as LLVM bitcode that numba made: correct to the last bits, never stale, with a notice when
compilation is slow."""

import io
import lzma
import platform
import sys
from ctypes import CFUNCTYPE, c_void_p
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import KernelError
from trundle.kernel import compiled, loop_code, make_loops, ready_code
from trundle.kernel.cache import ObjectCache
from trundle.kernel.jit import host
from trundle.messages import preparing as notices
from trundle.messages.preparing import preparing

HOME = "trundle.walker.impact.predict_batch_loop"


def by_numba_for_this_processor(part: str, home: str) -> int:
    """Numba works in this process, where it compiles for the processor at hand."""
    return compiled._load(part, compiled._generate(part, make_loops.bitcode(part, home)))


def impacts(address: int) -> np.ndarray:
    """What the loop over impacts at this address finds for 500 random ones."""
    rng = np.random.default_rng(3)
    low, high = np.array([(0, 2), (0.1, 1.4), (0, 1), (-2, 2), (-3, -0.1), (0, 1), (1, 1.5), (0, 1.99)]).T
    columns = [np.ascontiguousarray(column) for column in rng.uniform(low, high, (500, 8)).T]
    columns[7][:] = np.floor(columns[7])
    found, values = np.zeros(500, np.int64), np.zeros((500, 9))
    table = np.array([*(c.ctypes.data for c in columns), *[1] * 8, 0, 500, found.ctypes.data, values.ctypes.data])
    CFUNCTYPE(None, c_void_p)(address)(table.ctypes.data)
    return np.column_stack([found, values])


def test_every_part_is_shipped() -> None:
    shipped = set(make_loops.all_parts())
    assert {(part, f"trundle.{home}") for part, home in compiled.PARTS.items()} < shipped
    assert ("fill_triangles", "trundle.view.movie.fill") in shipped


def test_bitcode_for_a_class_of_processors_does_what_numba_does_for_this_one() -> None:
    shipped, own = compiled.address("predict_many", HOME), by_numba_for_this_processor("predict_many", HOME)
    assert shipped != own
    found = impacts(shipped)
    assert len(np.unique(found[:, 0])) > 5 and np.nanmax(np.abs(found[:, 1:])) > 1
    np.testing.assert_allclose(found, impacts(own), rtol=1e-14, atol=1e-14)


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package as installed from a wheel, with the bitcode of one loop."""
    monkeypatch.setattr(loop_code, "SHIPPED", tmp_path)
    code = loop_code.USER_CACHE.load_object(f"bitcode {loop_code.loop_code('predict_many', HOME)[0]}")
    if code is None:  # the suite runs on an installed wheel, or the loop was compiled before its bitcode was kept
        code = make_loops.bitcode("predict_many", HOME)
    file = tmp_path / make_loops.file_name("predict_many", HOME)
    file.write_bytes(lzma.compress(code))
    return file


def test_a_shipped_loop_needs_no_numba(shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "USER_CACHE", ObjectCache(tmp_path / "empty"))
    monkeypatch.setattr(loop_code, "_made", lambda part, home: pytest.fail("asked numba"))
    place = compiled._address.__wrapped__("predict_many", HOME)
    assert np.array_equal(impacts(place), impacts(compiled.address("predict_many", HOME)), equal_nan=True)


def test_the_usual_machine_finds_its_object_code(
    shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a class of processors, without the cache and without generating anything; the same to the last bits."""
    if not ready_code.serves(sys.platform, platform.machine(), host().features):
        pytest.skip("this machine is of another kind: it generates its own code")
    ready_code.place(shipped).write_bytes(ready_code.make_ready_code(lzma.decompress(shipped.read_bytes())))
    monkeypatch.setattr(compiled, "USER_CACHE", ObjectCache(tmp_path / "empty"))
    monkeypatch.setattr(compiled, "_generate", lambda part, code: pytest.fail("generated code"))
    place = compiled._address.__wrapped__("predict_many", HOME)
    assert np.array_equal(impacts(place), impacts(compiled.address("predict_many", HOME)), equal_nan=True)
    assert not (tmp_path / "empty").exists()


def test_other_machines_are_not_given_it(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = ",".join(f"+{name}" for name in ready_code._NEEDED)
    assert ready_code.serves("linux", "x86_64", full)
    for kind in (("win32", "AMD64"), ("darwin", "x86_64"), ("linux", "aarch64")):
        assert not ready_code.serves(*kind, full)
    assert not ready_code.serves("linux", "x86_64", full.replace("+avx2", "-avx2"))
    ready_code.place(shipped).write_bytes(lzma.compress(b"for another machine"))
    monkeypatch.setattr(ready_code, "serves", lambda *kind: False)
    assert loop_code.ready_loop("predict_many", HOME) is None


def test_a_shipped_loop_of_other_sources_is_not_used(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert loop_code.loop_code("predict_many", HOME)[0].startswith(f"shipped {shipped.name}")
    monkeypatch.setattr(loop_code, "digest", lambda home: "f" * 64)
    key, bitcode = loop_code.loop_code("predict_many", HOME)
    assert not key.startswith("shipped")
    monkeypatch.setattr(loop_code, "find_spec", lambda name: None)
    with pytest.raises(KernelError, match=r"source tree.*numba is not installed.*extra 'dev', or from a wheel"):
        bitcode()


def test_bitcode_that_llvm_cannot_read_is_reported() -> None:
    with pytest.raises(KernelError, match=r"cannot read the time loop 'advance'.*update llvmlite"):
        compiled._generate("advance", b"BC nonsense")


class Screen(io.StringIO):
    """Standard error that records whether something was written."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal, self.written = terminal, Event()

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        count = super().write(text)
        self.written.set()
        return count


@pytest.mark.parametrize("watcher", ["terminal", "notebook", "nobody"])
def test_long_compilation_is_announced_with_its_duration(watcher: str, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen(watcher == "terminal")
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(notices, "PATIENCE", 0.0)
    if watcher == "notebook":
        app = SimpleNamespace(initialized=lambda: True)
        monkeypatch.setitem(sys.modules, "ipykernel.kernelapp", SimpleNamespace(IPKernelApp=app))
    with preparing("a thing"):
        screen.written.wait(600.0 if watcher != "nobody" else 0.05)
        with preparing("a part of it"):
            pass
    told = screen.getvalue()
    if watcher == "nobody":
        assert told == ""
    else:
        assert told.startswith("trundle: preparing a thing ... ") and told.endswith(" s\n") and "part" not in told


def test_quick_compilation_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Screen(True))
    monkeypatch.setattr(notices, "PATIENCE", 1e3)
    with preparing("a thing"):
        pass
    assert screen.getvalue() == ""


def test_a_model_that_takes_long_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(ObjectCache, "load_bundle", lambda self, key: None)
    for module in ("formulation", "kernel_store"):

        def listen(what: str) -> Any:
            said.append(what)
            return preparing(what)

        monkeypatch.setattr(f"trundle.equations.{module}.preparing", listen)
    m = tr.Model("swing")
    m.connect(tr.Revolute("y"), m.ground, m.body("seat", mass=1.0, com=(0, 0, -1.0)))
    monkeypatch.setattr("trundle.kernel.tiers.preparing", listen)
    m.build().compile()
    assert said == [
        "the equations of the model 'swing'",
        "the equations of the model 'swing'",
        "the equations of the model 'swing' (base), kept for next time",
        "machine code of the model 'swing', kept for next time",
        "machine code of the model 'swing' (rhs), kept for next time",
        "machine code of the model 'swing' (energy), kept for next time",
    ]


def test_strict_code_rounds_every_operation_whoever_calls_it() -> None:
    """numba gives the flags of the first caller to functions that have none of their own."""
    import numba

    from trundle.kernel.pointers import inner, strict

    @strict
    def rounded(a: float, b: float, c: float) -> float:
        return a * b - c

    @inner
    def fused(a: float, b: float, c: float) -> float:
        return rounded(a, b, c)

    whole = numba.njit(fastmath={"contract"})(lambda a, b, c: fused(a, b, c))
    a = 1.0 + 2.0**-30
    assert whole(a, a, a * a) == 0.0  # without rounding: 2**-60
    assert "fsub contract" not in next(iter(whole.inspect_llvm().values()))
