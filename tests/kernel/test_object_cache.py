"""The cache on disk: it saves time when it works and does no harm when it does not."""

import importlib
import os
import shutil
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import casadi as ca
import grimp
import numpy as np
import pytest

import trundle
import trundle.kernel.cache as kernel_cache
import trundle.kernel.compile as compilation
from trundle.equations.kernel_store import source_of
from trundle.kernel import (
    Bundle,
    CacheWarning,
    Kernel,
    ObjectCache,
    compile_kernels,
    compile_tapes,
    host_lanes,
    read_tape,
)
from trundle.kernel.cache import user_directory
from trundle.laws.law import Law
from trundle.model.body import Body
from trundle.model.force import Force
from trundle.pairs.geometry import SurfaceGeometry
from trundle.pairs.lower import Pair

Builder = Callable[..., ca.Function]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The IR texts that were really compiled, one after the other."""
    texts: list[str] = []
    real = compilation.emit_object

    def emit(ir: str) -> bytes:
        texts.append(ir)
        return real(ir)

    monkeypatch.setattr(compilation, "emit_object", emit)
    return texts


def value(kernels: dict[str, Kernel]) -> np.ndarray:
    return kernels["f"](0.1, np.linspace(-1, 1, 6), [0.3, 0.4])


def bundle_of(function: ca.Function) -> Bundle:
    return compile_tapes({"f": read_tape(function)}, cache=None)


def test_second_compilation_is_a_hit(tangle: Builder, compiled: list[str], own_cache: Path) -> None:
    first, second = compile_kernels({"f": tangle()}), compile_kernels({"f": tangle()})
    assert len(compiled) == 1
    assert [f.suffix for f in own_cache.iterdir()] == [".object"]
    np.testing.assert_array_equal(value(first), value(second))


def test_another_function_or_number_of_lanes_is_a_miss(tangle: Builder, compiled: list[str]) -> None:
    compile_kernels({"f": tangle(3)})
    compile_kernels({"f": tangle(4)})
    compile_kernels({"f": tangle(3)}, lanes=4)
    assert len(compiled) == 3


def test_without_a_cache_nothing_is_kept(tangle: Builder, own_cache: Path) -> None:
    compile_kernels({"f": tangle(3)}, cache=None)
    assert not own_cache.exists()


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty"])
def test_damaged_entry_is_made_anew(tangle: Builder, compiled: list[str], own_cache: Path, damage: str) -> None:
    cache = ObjectCache()
    expected = value(compile_kernels({"f": tangle(3)}, cache=cache))
    (file,) = own_cache.iterdir()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes({"truncated": data[:-10], "flipped": data, "empty": b""}[damage])
    with pytest.warns(CacheWarning, match="damaged"):
        again = compile_kernels({"f": tangle(3)}, cache=cache)
    assert len(compiled) == 2
    np.testing.assert_array_equal(value(again), expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile_kernels({"f": tangle(3)}, cache=cache)
    assert len(compiled) == 2


def test_an_entry_under_the_name_of_another_is_made_anew(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path)
    cache.save_object("one", b"code of one")
    cache.save_object("other", b"code of the other")
    first, second = sorted(tmp_path.iterdir())
    second.write_bytes(first.read_bytes())
    with pytest.warns(CacheWarning, match="damaged"):
        found = {cache.load_object("one"), cache.load_object("other")}
    assert None in found and found & {b"code of one", b"code of the other"}


def test_directory_that_cannot_be_written_is_reported_once(tangle: Builder, tmp_path: Path) -> None:
    obstacle = tmp_path / "file"
    obstacle.write_text("not a directory")
    cache = ObjectCache(obstacle / "cache")
    with pytest.warns(CacheWarning) as told:
        value(compile_kernels({"f": tangle(3)}, cache=cache))
        value(compile_kernels({"f": tangle(4)}, cache=cache))
    assert sorted(str(w.message).split("cache ")[2].split(" (")[0] for w in told) == [
        "cannot be read",
        "cannot be written",
    ]


def test_full_disk_leaves_no_broken_entry(tangle: Builder, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", no_space)
    with pytest.warns(CacheWarning, match="No space"):
        value(compile_kernels({"f": tangle(3)}, cache=ObjectCache()))
    assert list(own_cache.iterdir()) == []


def test_oldest_entries_give_way(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, limit=3000)
    for k, text in enumerate("abc"):
        cache.save_object(text, bytes(1000))
        for file in tmp_path.iterdir():
            if file.stat().st_mtime > 1e6:
                os.utime(file, (1000 + k, 1000 + k))
    assert cache.load_object("a") is None
    assert cache.load_object("b") == cache.load_object("c") == bytes(1000)


def test_entry_in_use_does_not_give_way(tmp_path: Path) -> None:
    cache = ObjectCache(tmp_path, limit=2500)
    cache.save_object("a", bytes(1000))
    cache.save_object("b", bytes(1000))
    for file in tmp_path.iterdir():
        os.utime(file, (1000, 1000))
    assert cache.load_object("a") is not None
    cache.save_object("c", bytes(1000))
    assert cache.load_object("a") is not None
    assert cache.load_object("b") is None


def test_the_directory_is_not_looked_through_at_each_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []

    def counting(real: Callable[[object], object]) -> Callable[[object], object]:
        return lambda path: looked.append(path) or real(path)  # type: ignore[func-returns-value]

    monkeypatch.setattr(os, "scandir", counting(os.scandir))
    monkeypatch.setattr(os, "listdir", counting(os.listdir))
    cache = ObjectCache(tmp_path, limit=320_000)
    for k in range(1000):
        cache.save_object(str(k), bytes(1000))
    kept = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert 270_000 < kept <= 320_000
    assert len(looked) <= 60  # once for every 20 writes: a 16th of the limit


def test_files_written_by_other_processes_are_counted_too(tmp_path: Path) -> None:
    limit, caches = 160_000, [ObjectCache(tmp_path, limit=160_000) for _ in range(3)]
    for k in range(900):
        caches[k % 3].save_object(str(k), bytes(1000))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= limit + 3 * limit // 16


posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are those of POSIX")


@posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_directory_that_others_may_write_is_not_used(tangle: Builder, tmp_path: Path, mode: int) -> None:
    place = tmp_path / "cache"
    ObjectCache(place).save_object("planted", b"code")
    place.chmod(mode)
    cache = ObjectCache(place)
    with pytest.warns(CacheWarning, match="other users may write it.*chmod go-w"):
        assert cache.load_object("planted") is None
    before = sorted(place.iterdir())
    value(compile_kernels({"f": tangle(3)}, cache=cache))  # works all the same, and is told once
    assert sorted(place.iterdir()) == before
    place.chmod(0o700)
    assert ObjectCache(place).load_object("planted") == b"code"


@posix
def test_a_directory_or_an_entry_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ObjectCache(tmp_path).save_object("planted", b"code")
    (file,) = tmp_path.iterdir()
    file.chmod(0o666)
    with pytest.warns(CacheWarning, match="entry that another user"):
        assert ObjectCache(tmp_path).load_object("planted") is None
    ObjectCache(tmp_path).save_object("planted", b"anew")
    assert ObjectCache(tmp_path).load_object("planted") == b"anew"
    uid = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    with pytest.warns(CacheWarning, match="belongs to another user.*TRUNDLE_CACHE_DIR"):
        assert ObjectCache(tmp_path).load_object("planted") is None


@posix
def test_a_new_directory_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        ObjectCache(tmp_path / "new" / "cache").save_object("a", b"code")
    finally:
        os.umask(before)
    assert (tmp_path / "new" / "cache").stat().st_mode & 0o077 == 0


class TestBundle:
    """Kernels and other data stored under the key of a model."""

    def test_comes_back_whole(self, tangle: Builder, tmp_path: Path) -> None:
        cache = ObjectCache(tmp_path)
        bundle = replace(bundle_of(tangle()), meta={"states": ["a", "b"], "n": 3})
        cache.save_bundle("model 1", bundle)
        back = cache.load_bundle("model 1")
        assert back == bundle
        np.testing.assert_array_equal(value(back.load()), value(bundle.load()))

    def test_unknown_key(self, tmp_path: Path) -> None:
        assert ObjectCache(tmp_path).load_bundle("model 2") is None

    def test_a_damaged_bundle_is_reported(self, tangle: Builder, tmp_path: Path) -> None:
        cache = ObjectCache(tmp_path)
        cache.save_bundle("model", bundle_of(tangle(3)))
        (file,) = tmp_path.glob("*.bundle")
        file.write_bytes(file.read_bytes()[:200])
        with pytest.warns(CacheWarning, match="damaged"):
            assert cache.load_bundle("model") is None

    @pytest.mark.parametrize(
        "head", [b"", b"{", b"[]", b"null", b"3", b"{}", b"\xff\xfe", b'{"shapes": [{}], "meta": {}}', b"[" * 100_000]
    )
    def test_a_head_that_cannot_be_understood(self, tmp_path: Path, head: bytes) -> None:
        """The check sum is correct, the content is not."""
        cache = ObjectCache(tmp_path)
        file = cache._file("bundle", "model", *kernel_cache._platform(), kernel_cache._sources())
        for payload in (len(head).to_bytes(8, "little") + head, (2**63).to_bytes(8, "little") + head, head[:3]):
            cache._write(file, payload)
            with pytest.warns(CacheWarning, match="damaged"):
                assert ObjectCache(tmp_path).load_bundle("model") is None

    @pytest.mark.parametrize(("what", "other"), [("_platform", ("another", "processor")), ("_sources", "edited")])
    def test_of_another_processor_or_other_sources_is_not_found(
        self, tangle: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, other: object
    ) -> None:
        cache = ObjectCache(tmp_path)
        cache.save_bundle("model", bundle_of(tangle(3)))
        assert cache.load_bundle("model") is not None
        monkeypatch.setattr(f"trundle.kernel.cache.{what}", lambda: other)
        assert cache.load_bundle("model") is None


class TestCodeThatShapesKernels:
    def test_the_digest_follows_what_is_in_the_folders_and_nothing_else(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        package = Path(kernel_cache.__file__).parents[1]
        copy = tmp_path / "trundle"
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
        monkeypatch.setattr(kernel_cache, "__file__", str(copy / "kernel" / "cache.py"))
        digest = kernel_cache._sources.__wrapped__
        before = digest()
        for path in (
            "view/bands.py",
            "integrate/loop.py",
            "study/simulate.py",
            "system.py",
            "errors.py",
            "messages/warn.py",
            "file/new.py",
            "examples/four-bar.yaml",
        ):
            (copy / path).open("a").write("# edited\n")
            assert digest() == before, path
        os.utime(copy / "model" / "model.py", (1.0, 1.0))  # another time is no other content
        assert digest() == before
        for path in (
            "math.py",
            "quantity.py",
            "symbols/parameters.py",
            "symbols/instructions.py",
            "model/model.py",
            "contact/collision/routh.py",
            "rail/data/kalker.toml",
            "equations/new.py",
        ):
            (copy / path).open("a").write("# edited\n")
            assert digest() != before, path
            before = digest()

    def test_what_they_import_lies_in_them_too(self) -> None:
        """But for messages, types and checks of input, pauses of the garbage collector, and what is imported to show or
        to build a model. What is asked of a bicycle, a vehicle or a walker uses everything.
        """
        modules = grimp.build_graph("trundle", exclude_type_checking_imports=True, cache_dir=None)
        shaping = {*kernel_cache.SHAPING, *(name.removesuffix(".py") for name in kernel_cache.ALONE)}
        imported = {
            other.split(".")[1]
            for module in modules.modules
            if module != "trundle" and module.split(".")[1] in shaping - {"bicycle", "rail", "walker"}
            for other in modules.find_modules_directly_imported_by(module)
        }
        others = {"errors", "garbage_collection", "messages", "real_array", "system", "typing", "version", "view"}
        assert imported - shaping == others

    def test_every_part_of_a_model_lies_in_them(self) -> None:
        """Classes of Trundle enter the key of a model by their fields only: their code must be in the digest."""
        files = {file: file.read_text(encoding="utf-8") for file in Path(trundle.__path__[0]).rglob("*.py")}
        loops = {file.parent for file, text in files.items() if "numba" in text}  # no parts there; slow to import
        for file in files:
            if file.parent not in loops:
                parts = file.relative_to(trundle.__path__[0]).with_suffix("").parts
                importlib.import_module(".".join(["trundle", *parts]).removesuffix(".__init__"))
        waiting: list[type] = [Law, Force, Pair, SurfaceGeometry, Body]
        found: set[type] = set()
        while waiting:
            found.add(kind := waiting.pop())
            waiting += kind.__subclasses__()
        folders = {kind.__module__.split(".")[1] for kind in found if kind.__module__.startswith("trundle.")}
        folders.discard("bond_graph")  # its laws stand in graphs read from files, never in a model
        assert {"laws", "pairs", "contact", "model", "rail"} <= folders <= set(kernel_cache.SHAPING)


def test_place_of_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("TRUNDLE_CACHE_DIR", str(tmp_path / "own"))
    assert user_directory() == tmp_path / "own"
    monkeypatch.delenv("TRUNDLE_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_directory() == tmp_path / "trundle"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert user_directory() == Path.home() / ".cache" / "trundle"


def test_code_that_makes_a_kernel_is_part_of_its_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it is in a folder that does not influence the equations."""
    monkeypatch.syspath_prepend(str(tmp_path))
    found = []
    for value in (1.0, 25.0):  # of another size: else Python might take the module for unchanged
        (tmp_path / "makes_a_kernel.py").write_text(
            "def make(f):\n    t, x, p = f.functions.inputs\n"
            f"    return {{'value': f.functions.function('value', {value} + 0 * t)}}\n"
        )
        importlib.invalidate_caches()
        sys.modules.pop("makes_a_kernel", None)
        source_of.cache_clear()
        make = importlib.import_module("makes_a_kernel").make
        m = trundle.Model("its own kernel")
        m.connect(trundle.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)))
        f = m.build().formulation
        kernel = f.kernels("one of its own", make)["value"]
        found.append(float(kernel(0.0, np.zeros(f.n_x), f.default_parameters)[0]))
    assert found == [1.0, 25.0]


def test_wide_kernels_are_cached_apart_from_narrow_ones():
    """A kernel of one lane kept on disk is not taken for one of several."""
    formulations = []
    for _ in range(2):
        m = trundle.Model("narrow and wide")
        m.connect(trundle.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)))
        formulations.append(m.build().formulation)
    first, second = formulations
    assert first.kernels("lanes")["rhs"].lanes == 1
    assert second.kernels("lanes", wide=True)["rhs"].lanes == host_lanes()
