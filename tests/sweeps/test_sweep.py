"""Sweeps: the numbers of single runs and batches, stored part by part."""

import importlib
import itertools
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import trundle as tr
from trundle.errors import SolveError, StoreError, UnknownNameError
from trundle.integrate.outcome import INTERRUPTED
from trundle.run.batch import BatchRun
from trundle.study.batch import BatchWarning
from trundle.sweeps.part import OUTCOMES
from trundle.system import System


@pytest.fixture(scope="module")
def system() -> System:
    m = tr.Model("pendulum")
    k = m.parameter("k", 1.0, "N m/rad", "stiffness")
    m.parameter("mass", 1.0, "kg", "mass")
    bob = m.body("bob", mass=m.parameters["mass"].symbol, inertia=0.1, com=(0, 0, -1))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Spring(k, 0.1))
    m.event("crosses", lambda s: s["bob.angle"], direction=1)
    return m.build()


KEEP = ["bob.angle", "end(bob.angle)", "max(bob.angle)", "rms(bob.angle)", "count(crosses)", "first(crosses)"]


def cases() -> tr.Cases:
    return tr.grid({"k": [0.5, 1.0, 2.0], "bob.angle": [0.1, 0.4, 0.7, 1.0]})


def run(system: System, **options: Any) -> xr.Dataset:
    return tr.sweep(system, cases(), 3.0, keep=KEEP, samples=61, part=5, progress=False, **options)


@pytest.fixture(scope="module")
def found(system: System) -> xr.Dataset:
    return run(system)


def test_each_case_is_a_single_run_with_its_values(system: System, found: xr.Dataset) -> None:
    values = list(itertools.product([0.5, 1.0, 2.0], [0.1, 0.4, 0.7, 1.0]))
    assert found.sizes["case"] == len(values)
    for case, (k, angle) in enumerate(values):
        row = found.isel(case=case)
        assert float(row["k"]) == k and float(row["start(bob.angle)"]) == angle
        single = system.simulate(3.0, {"bob.angle": angle}, {"k": k}, samples=61, rtol=1e-8)
        over = single.values("bob.angle")
        assert np.allclose(row["bob.angle"], over, atol=1e-6)
        assert float(row["end(bob.angle)"]) == pytest.approx(over[-1], abs=1e-6)
        assert float(row["max(bob.angle)"]) == pytest.approx(over.max(), abs=1e-6)
        assert float(row["rms(bob.angle)"]) == pytest.approx(np.sqrt(np.mean(over**2)), abs=1e-6)
        times = [t for name, t in single.events if name == "crosses"]
        assert int(row["count(crosses)"]) == len(times) > 0
        assert float(row["first(crosses)"]) == pytest.approx(times[0], abs=1e-6)
        assert OUTCOMES[int(row["outcome"])] == "FINISHED"


def test_a_store_has_the_same_bits_and_opens_with_xarray(system: System, found: xr.Dataset, tmp_path: Path) -> None:
    path = tmp_path / "s.zarr"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = run(system, out=path)
    xr.testing.assert_identical(kept.drop_attrs().load(), found.drop_attrs())
    again = xr.open_zarr(path, consolidated=False, chunks=None)
    assert np.array_equal(again["bob.angle"], found["bob.angle"])
    assert again["bob.angle"].attrs["units"] == "rad"
    assert set(again.coords) >= {"k", "start(bob.angle)", "time"}


def test_parts_have_the_bits_of_a_batch(system: System, found: xr.Dataset) -> None:
    some = cases()[5:10]
    start, parameters = {"bob.angle": some.values["bob.angle"]}, {"k": some.values["k"]}
    batch = system.batch(3.0, start, parameters, samples=61)
    assert np.array_equal(batch["bob.angle"], found["bob.angle"][5:10])


def test_a_sweep_that_was_stopped_is_resumed(
    system: System, found: xr.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("trundle.sweeps.run_sweep")
    usual, ran = module.run_part, []

    def interrupted(system: System, some: tr.Cases, *rest: Any) -> Any:
        if len(ran) == 2:
            raise KeyboardInterrupt
        ran.append(len(some))
        return usual(system, some, *rest)

    monkeypatch.setattr(module, "run_part", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(system, out=tmp_path / "s.zarr")
    monkeypatch.setattr(module, "run_part", lambda s, some, *rest: (ran.append(len(some)), usual(s, some, *rest))[1])
    kept = run(system, out=tmp_path / "s.zarr")
    assert ran == [5, 5, 2]  # none twice
    xr.testing.assert_identical(kept.drop_attrs().load(), found.drop_attrs())
    run(system, out=tmp_path / "s.zarr")
    assert ran == [5, 5, 2]  # all there


@pytest.fixture
def stopped_in_the_second_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupted batch returns the finished cases: here those before the third."""
    module, parts = importlib.import_module("trundle.sweeps.part"), []
    batch = System.batch

    def interrupted(self: System, *given: Any, **options: Any) -> Any:
        found = batch(self, *given, **options)
        parts.append(found)
        if len(parts) == 2:
            found.batch.code[2:] = INTERRUPTED.code
            found.batch.x[2:, 30:] = np.nan
        return found

    monkeypatch.setattr(module.BatchRun, "_endings", property(BatchRun._endings.func))  # not kept from before
    monkeypatch.setattr(System, "batch", interrupted)


@pytest.mark.usefixtures("stopped_in_the_second_part")
def test_cases_of_a_batch_that_was_interrupted_are_not_stored_as_done(
    system: System, found: xr.Dataset, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt, match=r"5 of 12 cases are in .*s\.zarr. Run the same sweep again"):
        run(system, out=tmp_path / "s.zarr")
    kept = run(system, out=tmp_path / "s.zarr")
    xr.testing.assert_identical(kept.drop_attrs().load(), found.drop_attrs())


@pytest.mark.usefixtures("stopped_in_the_second_part")
def test_what_an_interruption_leaves_undone_in_memory_is_nan(system: System, found: xr.Dataset) -> None:
    with pytest.warns(UserWarning, match="interrupted: 5 of 12 cases are not done"):
        kept = run(system)
    done = slice(0, 7)
    xr.testing.assert_identical(kept.isel(case=done).drop_attrs(), found.isel(case=done).drop_attrs())
    assert [OUTCOMES[code] for code in kept["outcome"][7:].values] == ["INTERRUPTED"] * 5
    assert (kept["count(crosses)"][7:] == -1).all()
    for name in ("bob.angle", "end(bob.angle)", "max(bob.angle)", "rms(bob.angle)", "first(crosses)"):
        assert np.isnan(kept[name][7:]).all(), name


def test_a_part_that_was_written_by_half_is_run_again(system: System, found: xr.Dataset, tmp_path: Path) -> None:
    import zarr

    run(system, out=tmp_path / "s.zarr")
    root: Any = zarr.open_group(tmp_path / "s.zarr", mode="r+")
    root["bob.angle"][7] = 0.0
    root["progress/done"][1] = 0
    kept = run(system, out=tmp_path / "s.zarr")
    assert np.array_equal(kept["bob.angle"], found["bob.angle"])


def test_a_sweep_with_other_names_of_outcomes_is_refused(
    system: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outcomes are stored by their places: those of another version must not be mixed with them."""
    run(system, out=tmp_path / "s.zarr")
    monkeypatch.setattr("trundle.sweeps.run_sweep.OUTCOMES", OUTCOMES[:-1])
    with pytest.raises(StoreError, match="another sweep: its names of the outcomes differs"):
        run(system, out=tmp_path / "s.zarr")


@pytest.mark.parametrize(("change", "words"), [({"rtol": 1e-6}, "question"), ({"part": 4}, "part")])
def test_another_sweep_is_refused_and_nothing_changes(
    system: System, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    path = tmp_path / "s.zarr"
    run(system, out=path)
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    with pytest.raises(StoreError, match=f"another sweep: its {words} differs"):
        tr.sweep(system, cases(), 3.0, keep=KEEP, samples=61, out=path, progress=False, **{"part": 5, **change})
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before


def test_a_store_is_resumed_with_its_own_parts(system: System, found: xr.Dataset, tmp_path: Path) -> None:
    run(system, out=tmp_path / "s.zarr")
    kept = tr.sweep(system, cases(), 3.0, keep=KEEP, samples=61, out=tmp_path / "s.zarr", progress=False)
    xr.testing.assert_identical(kept.drop_attrs().load(), found.drop_attrs())


def test_what_is_not_a_sweep_is_not_touched(system: System, tmp_path: Path) -> None:
    (tmp_path / "mine.zarr").mkdir()
    (tmp_path / "mine.zarr" / "data").write_text("precious")
    with pytest.raises(StoreError, match="not the store of a sweep"):
        run(system, out=tmp_path / "mine.zarr")
    assert (tmp_path / "mine.zarr" / "data").read_text() == "precious"


def test_cases_that_cannot_start_are_named_and_the_others_run(system: System, tmp_path: Path) -> None:
    found = tr.sweep(system, {"mass": [1.0, -1.0, 2.0]}, 0.5, keep=["bob.angle"], progress=False)
    names = [OUTCOMES[code] for code in found["outcome"].values]
    assert names == ["FINISHED", "REFUSED", "FINISHED"]
    assert np.isnan(found["bob.angle"][1]) and np.isfinite(found["bob.angle"][[0, 2]]).all()
    assert "mass" in json.loads(found.attrs["messages"])["1"]
    found.to_netcdf(tmp_path / "found.nc")  # nothing in it that a file cannot hold


def test_samples_fill_their_ranges() -> None:
    ranges = {"k": (1.0, 3.0), "mu": (0.0, 0.1)}
    for make in (tr.latin_hypercube, tr.sobol):
        one = make(64, ranges, seed=3)
        assert np.array_equal(one.values["k"], make(64, ranges, seed=3).values["k"])
        assert not np.array_equal(one.values["k"], make(64, ranges, seed=4).values["k"])
        for name, (low, high) in ranges.items():
            slices = np.floor((one.values[name] - low) / (high - low) * 64).astype(int)
            assert sorted(slices) == list(range(64))  # one in each: both ways are stratified


def test_a_number_is_the_same_in_all_cases(system: System) -> None:
    for cases in (
        tr.grid({"k": [1.0, 2.0], "mass": 3.0}),
        tr.Cases.of({"k": [1.0, 2.0], "mass": 3.0}),
        tr.sobol(2, {"k": (1.0, 2.0), "mass": 3.0}, seed=1),
    ):
        assert list(cases.values) == ["k", "mass"] and cases.values["mass"].tolist() == [3.0, 3.0]
    alone = tr.latin_hypercube(5, {"k": (1.0, 2.0)}, seed=2).values["k"]
    assert np.array_equal(tr.latin_hypercube(5, {"mass": 3.0, "k": (1.0, 2.0)}, seed=2).values["k"], alone)
    with pytest.raises(TypeError, match=r"sweep has no argument 'parameters': give it with the cases.*'c': 0\.5"):
        tr.sweep(system, {"k": [1.0, 2.0]}, 0.5, parameters={"mass": 3.0})  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        ({"kk": [1.0]}, UnknownNameError, "Did you mean 'k'"),
        ({"k": []}, SolveError, "at least one case"),
        ({}, SolveError, "at least one case"),
        ({"k": [1.0, 2.0], "mass": [1.0]}, SolveError, "differ in length"),
        ({"k": 1.0}, SolveError, "a list with one value for each case"),
        ({"k": [float("nan")]}, SolveError, "not finite"),
        ({"k": ["a"]}, SolveError, "must have numbers"),
    ],
)
def test_invalid_cases(system: System, bad: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tr.sweep(system, bad, 1.0, keep=["bob.angle"], progress=False)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"keep": ["bob.angel"]}, UnknownNameError, "Did you mean 'bob.angle'"),
        ({"keep": ["max(bob.angle)"]}, SolveError, "over samples"),
        ({"keep": ["median(bob.angle)"], "samples": 5}, SolveError, "there are end, max"),
        ({"keep": ["count(lands)"]}, UnknownNameError, "event"),
        ({"keep": ["bob.angle"], "out": "x.nc"}, SolveError, "ends in .zarr"),
        ({"keep": ["bob.angle"], "out": "/no/such/x.zarr"}, SolveError, "no directory"),
        ({"keep": ["bob.angle"], "part": 0}, SolveError, "positive"),
    ],
)
def test_invalid_options(system: System, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tr.sweep(system, {"k": [1.0]}, 1.0, progress=False, **options)
    with pytest.raises(SolveError, match="no values"):
        tr.grid({"k": []})


def test_a_full_disk_loses_nothing(
    system: System, found: xr.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import zarr

    usual, count = zarr.Array.__setitem__, itertools.count()

    def full(self: Any, *rest: Any) -> None:
        if next(count) > 20:
            raise OSError(28, "No space left on device")
        usual(self, *rest)

    monkeypatch.setattr(zarr.Array, "__setitem__", full)
    with pytest.raises(StoreError, match=r"No space left on device.*again to continue"):
        run(system, out=tmp_path / "s.zarr")
    monkeypatch.undo()
    kept = run(system, out=tmp_path / "s.zarr")
    xr.testing.assert_identical(kept.drop_attrs().load(), found.drop_attrs())


def test_on_the_command_line(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from trundle.cli import app

    out = tmp_path / "s.zarr"
    asked = ["sweep", "simple-pendulum", "--over", "l=1:2:3", "--over", "pivot.angle=0.1,0.2", "--duration", "1"]
    asked += ["--keep", "pivot.angle", "--out", str(out)]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0, told.output
    assert "6 cases: 6 FINISHED" in told.output
    kept = xr.open_zarr(out, consolidated=False, chunks=None)
    assert list(kept["l"].values) == [1.0, 1.0, 1.5, 1.5, 2.0, 2.0]
    for wrong, words in (
        (["--over", "l=1:2"], "FIRST:LAST:COUNT"),
        (["--over", "lll=1,2"], "Did you mean"),
        (["--over", "l=1:2", "--sample", "random:3"], "latin:COUNT"),
    ):
        told = CliRunner().invoke(app, ["sweep", "simple-pendulum", *wrong, "--duration", "1", "--out", str(out)])
        assert told.exit_code == 1 and words in told.output, told.output


def test_degrees_given_for_radians_are_warned_of(system: System) -> None:
    for ask in (lambda: tr.sweep(system, {"bob.angle": [0.0, 45.0]}, 0.1, progress=False),
                lambda: system.batch(0.1, {"bob.angle": [0.0, 45.0]})):  # fmt: skip
        with pytest.warns(BatchWarning, match=r"bob.angle = 45 rad of case 1 is 7.16 turns.*tr.degrees\(45\)"):
            ask()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.batch(0.1, {"bob.angle": [0.0, 45.123]})
