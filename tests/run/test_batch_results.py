"""A batch as a result: labelled cases, a dataset that is saved, quantiles, histograms, failures with their reasons."""

import json
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import trundle as tr
from trundle.errors import SolveError, StoreError
from trundle.run.batch import BatchRun
from trundle.system import System


@pytest.fixture(scope="module")
def system() -> System:
    m = tr.Model("pendulum")
    m.parameter("mass", 1.0, "kg", "mass of the bob")
    bob = m.body("bob", mass=m.parameters["mass"].symbol, inertia=0.1, com=(0, 0, -1))
    m.connect(tr.Revolute("y"), m.ground, bob)
    return m.build()


@pytest.fixture(scope="module")
def batch(system: System) -> BatchRun:
    start = {"bob.angle": np.linspace(0.1, 1.0, 40)}
    with pytest.warns(UserWarning, match="case"):
        return system.batch(2.0, start, {"mass": [*np.linspace(1, 2, 39), -1.0]}, samples=21)


def test_cases_are_labelled_by_their_values(batch: BatchRun) -> None:
    end, over = batch.end("bob.angle"), batch["bob.angle"]
    for array in (end, over, batch.dataset["bob.angle_rate"]):
        assert np.array_equal(array["start(bob.angle)"], np.linspace(0.1, 1.0, 40))
        assert array["mass"].values[-1] == -1.0
    assert end.attrs["units"] == "rad"
    assert np.array_equal(end[:-1], over[:-1, -1])
    assert list(batch.end("bob.position")["axis"].values) == ["x", "y", "z"]


def test_failures_are_kept_apart(batch: BatchRun) -> None:
    assert batch.counts == {"FINISHED": 39, "REFUSED": 1}
    assert list(batch.failed) == [39]
    assert "mass" in batch.failed[39]
    assert np.isnan(batch.end("bob.angle")[39])


def test_quantiles_and_histograms_leave_them_out(batch: BatchRun) -> None:
    ends = batch.end("bob.angle").values[:-1]
    parts = batch.quantiles("bob.angle", [0.1, 0.5])
    assert parts.dims == ("quantile", "time")
    assert parts[:, -1].values == pytest.approx(np.quantile(ends, [0.1, 0.5]), rel=1e-12)
    counts = batch.histogram("bob.angle", bins=5)
    assert int(counts.sum()) == 39
    assert np.array_equal(counts, np.histogram(ends, 5)[0])
    with pytest.raises(SolveError, match=r"bob\.position_x"):
        batch.histogram("bob.position")


def test_a_batch_is_saved_completely(batch: BatchRun, tmp_path: Path) -> None:
    path = batch.save(tmp_path / "batch.nc")
    with pytest.raises(StoreError, match=r"or that of a batch\. Open it with xarray"):
        tr.load(path)
    with xr.open_dataset(path, engine="h5netcdf") as again:
        assert np.array_equal(again["bob.angle"], batch["bob.angle"], equal_nan=True)
        assert list(again["outcome"].values) == batch.outcomes
        assert again["mass"].values[3] == batch.labels["mass"][3]
        assert list(json.loads(again.attrs["messages"])) == ["39"]


def test_pictures_of_a_batch(batch: BatchRun, system: System, tmp_path: Path) -> None:
    batch.plot("bob.angle", "bob.angle_rate", path=tmp_path / "bands.png")
    system.batch(1.0, {"bob.angle": np.linspace(0.1, 1.0, 40)}).plot(path=tmp_path / "ends.png")
    assert all((tmp_path / name).stat().st_size > 5000 for name in ("bands.png", "ends.png"))
