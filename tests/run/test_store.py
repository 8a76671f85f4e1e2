"""Files keep every bit, and a failure leaves no file behind."""

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import pytest
import xarray as xr

import trundle as tr
from trundle.errors import StoreError, UnknownNameError
from trundle.run.run import Run
from trundle.run.store import load, save
from trundle.run.surfaces import surfaces_as_json
from trundle.view.bands import contacts_of

RUNS = ("pendulum", "four_bar", "top")


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest) -> Run:
    found: Run = request.getfixturevalue(request.param)
    return found


def test_round_trip_is_exact(run: Run, tmp_path: Path) -> None:
    path = save(run, tmp_path / "result")
    assert path == tmp_path / "result.nc"
    again = load(path).dataset
    whole = run.dataset
    assert again.attrs.pop("surfaces") == surfaces_as_json(run)  # for pictures, beside the numbers
    assert again.identical(whole)
    assert list(again.data_vars) == list(whole.data_vars)
    for name in whole.variables:
        assert again[name].dtype == whole[name].dtype
        if whole[name].dtype.kind == "f":
            assert again[name].values.tobytes() == np.ascontiguousarray(whole[name].values).tobytes()


def test_loaded_run_gives_quantities_without_its_model(run: Run, tmp_path: Path) -> None:
    again = load(run.save(tmp_path / "result.nc"))
    assert again.system is None
    assert again.settings == run.settings
    assert again.events == run.events
    assert again.near_singular == run.near_singular
    assert again.parameters == run.parameters
    assert again.coordinates == run.coordinates
    assert again.outcome == run.outcome
    assert again.ok and run.ok
    assert again.energy.drift == run.energy.drift
    assert again.summary() == run.summary()
    assert repr(again) == repr(run)


def test_saving_imports_neither_xarray_nor_scipy(tmp_path: Path) -> None:
    """They take 0.4 s."""
    lines = "import sys, trundle as tr; run = tr.examples.load('simple-pendulum').model.build().simulate(0.1)"
    lines += "; run.save('run.nc'); assert not {'xarray', 'pandas', 'scipy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", lines], cwd=tmp_path, check=True)
    assert "pivot.angle" in load(tmp_path / "run.nc").names


def test_loaded_run_can_be_saved_again(pendulum: Run, tmp_path: Path) -> None:
    first = load(pendulum.save(tmp_path / "a"))
    second = load(first.save(tmp_path / "b"))
    assert second.dataset.identical(first.dataset)


def test_file_holds_what_is_needed_without_the_model(four_bar: Run, tmp_path: Path) -> None:
    stored = load(four_bar.save(tmp_path / "r")).names
    for name in ("crank.angle", "pin.angle", "coupler.position", "coupler.orientation", "coupler.rotation"):
        assert name in stored
    assert "pin.reaction_force" in stored and "energy.work_lost" in stored


def test_outputs_and_components_are_found_in_a_file(pendulum: Run, tmp_path: Path) -> None:
    again = load(pendulum.save(tmp_path / "r"))
    np.testing.assert_array_equal(again["height"], pendulum["bob.com_position_z"])
    np.testing.assert_array_equal(again["bob.rotation_xz"], pendulum.values("bob.rotation")[:, 6])
    assert again["height"].attrs == {"units": "m", "long_name": "height of the bob"}
    with pytest.raises(UnknownNameError, match=r"stored in this file.*'height'"):
        again["heigth"]


def rolling_disc() -> Run:
    """In the tree: a disc that rolls on the ground."""
    m = tr.Model("disc")
    disc = m.body("disc", 1.0, (0.1, 0.2, 0.1))
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.5, 0.1)), m.ground, disc, law=tr.NoSlip(), name="contact")
    m.alias("lean", "contact.roll")
    m.alias("track", "contact.contact_point")
    m.alias("height", "disc.position_z")
    return m.build().simulate(0.2, {"lean": 0.1, "contact.pitch_rate": 5.0}, samples=11)


def cam() -> Run:
    """Closing a loop: a follower on an eccentric."""
    m = tr.Model("cam")
    disc, follower = m.body("disc", 1.0, 0.1), m.body("follower", 1.0, 0.1)
    m.connect(tr.Revolute("y"), m.ground, disc)
    m.connect(tr.Prismatic("z"), m.ground, follower)
    m.connect(tr.PlanarPair(tr.Circle(0.5), tr.Line()), disc.at(0.2, 0, 0), follower, name="contact")
    m.alias("lean", "disc.angle")
    m.alias("track", "contact.contact_point")
    m.alias("height", "follower.position_z")
    return m.build().simulate(0.2, {"disc.angle_rate": 5.0}, samples=11)


@pytest.mark.parametrize("make", [rolling_disc, cam])
def test_contacts_and_short_names_are_found_in_a_file(make: Callable[[], Run], tmp_path: Path) -> None:
    run = make()
    again = load(run.save(tmp_path / "r"))
    for quantity in ("contact_point", "contact_normal", "slip_x", "slip_y", "spin", "gap"):
        name = f"contact.{quantity}"
        assert name in again.names
        np.testing.assert_array_equal(again[name], run[name])
        assert again[name].attrs == run[name].attrs
    assert np.ptp(again.values("contact.contact_point_x")) > 0.01
    for short in ("lean", "track", "height"):
        assert short in again.names
        np.testing.assert_array_equal(again[short], run[short])
    assert set(again.names) >= set(run.names)


def test_any_netcdf_reader_can_open_it(pendulum: Run, tmp_path: Path) -> None:
    with xr.open_dataset(pendulum.save(tmp_path / "r"), engine="h5netcdf") as plain:
        np.testing.assert_array_equal(plain["bob.angle"], pendulum["bob.angle"])
        assert plain.attrs["title"] == "pendulum" and plain.attrs["method"] == "DormandPrince8"
        assert plain["time"].attrs["units"] == "s"


def test_own_reader_and_that_of_xarray_agree(run: Run, tmp_path: Path) -> None:
    """The second reads slowly what the first reads quickly; thinned out they agree too."""
    path = run.save(tmp_path / "r")
    with xr.open_dataset(path, engine="h5netcdf", decode_times=False, mask_and_scale=False) as other:
        own = load(path).dataset
        assert own.identical(other.load())
        assert {name: v.dtype for name, v in own.variables.items()} == {n: v.dtype for n, v in other.variables.items()}
        assert load(path, lazy=True).dataset.identical(own)
        thin = load(path, other.nbytes / 2.5).dataset
        assert load(path, other.nbytes / 2.5, lazy=True).dataset.identical(thin)
        assert thin.drop_attrs().identical(other.isel(time=slice(None, None, 3)).drop_attrs())
        assert "only one in 3 of" in thin.attrs["warnings"]


def test_a_quantity_is_read_once_when_needed(pendulum: Run, tmp_path: Path) -> None:
    """From the file that was opened: another one in its place is refused, also where it is of the same length."""
    path = pendulum.save(tmp_path / "r")
    late = load(path, lazy=True)
    assert late.summary() == load(path).summary()
    angle = late.values("bob.angle")
    os.utime(path, ns=(0, 0))
    assert late.values("bob.angle") is not None and np.array_equal(angle, pendulum.values("bob.angle"))
    with pytest.raises(StoreError, match=r"r\.nc has changed since it was opened\. Open it again\."):
        late.values("bob.angle_rate")
    path.unlink()
    with pytest.raises(StoreError, match=r"cannot read 'bob.angle_rate' of .*r\.nc: the file is gone or damaged"):
        late.values("bob.angle_rate")


def test_missing_directory_and_directory_as_file(pendulum: Run, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no directory .*Create it"):
        pendulum.save(tmp_path / "nowhere" / "r.nc")
    (tmp_path / "folder.nc").mkdir()
    with pytest.raises(StoreError, match="is a directory"):
        pendulum.save(tmp_path / "folder.nc")


def test_a_directory_that_is_not_there_becomes_no_file(pendulum: Run, tmp_path: Path) -> None:
    for write in (pendulum.save, pendulum.save_html, lambda path: pendulum.plot(path=path)):
        with pytest.raises(StoreError, match=r"new/: this is the name of a directory"):
            write(f"{tmp_path}/new/")
    assert not list(tmp_path.iterdir())


def test_a_directory_gets_no_neighbour(pendulum: Run, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for write in (pendulum.save, lambda path: pendulum.plot(path=path)):
        with pytest.raises(StoreError, match="is a directory"):
            write(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["r.txt", "r.h5", "r.v2", "r.yaml"])
def test_an_unknown_suffix_is_refused(pendulum: Run, tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match=r"is not a format of results. Choose \.nc .* or \.csv"):
        pendulum.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_table_has_names_units_and_every_bit(run: Run, tmp_path: Path) -> None:
    path = run.save(tmp_path / "result.CSV")
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert head[0] == "time [s]" and len(set(head)) == len(head)
    numbers = np.array(rows, dtype=float)
    assert numbers.shape == (len(run.time), len(head))
    np.testing.assert_array_equal(numbers[:, 0], run.time)
    assert run.system is not None
    body = list(run.system.model.bodies)[1]
    for name in ("energy.kinetic", f"{body}.position_z", f"{body}.velocity_x", *run.coordinates):
        parts = [name] if run[name].ndim == 1 else [f"{name}_{label}" for label in "wxyz"]
        for part in parts:
            unit = run[part].attrs["units"]
            column = head.index(f"{part} [{unit}]" if unit else part)
            np.testing.assert_array_equal(numbers[:, column], run.values(part))
    with pytest.raises(StoreError, match=r"Save runs as \.nc"):
        load(path)


def test_pandas_has_the_columns_of_the_table(run: Run, tmp_path: Path) -> None:
    whole = run.to_pandas()
    with run.save(tmp_path / "result.csv").open(newline="", encoding="utf-8") as file:
        head = next(csv.reader(file))
    assert {whole.index.name, *whole.columns} <= set(head)
    np.testing.assert_array_equal(whole.index, run.time)
    body = list(run.system.model.bodies)[1]
    some = run.to_pandas("energy.kinetic", f"{body}.position", f"{body}.velocity_x")
    assert list(some.columns) == [
        "energy.kinetic [J]",
        *(f"{body}.position_{i} [m]" for i in "xyz"),
        f"{body}.velocity_x [m/s]",
    ]
    np.testing.assert_array_equal(some.iloc[:, 1:4], run.values(f"{body}.position"))
    with pytest.raises(UnknownNameError, match=r"energy\.kinetic"):
        run.to_pandas("energy.kinetik")


@pytest.mark.skipif(os.name != "posix", reason="devices by name are those of POSIX")
def test_a_device_is_no_result() -> None:
    with pytest.raises(StoreError, match="device or pipe"):
        load("/dev/zero")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="only Linux has /proc")
def test_directory_that_takes_no_file(pendulum: Run) -> None:
    with pytest.raises(StoreError, match="cannot write"):
        pendulum.save("/proc/self/result.nc")


@pytest.mark.parametrize(
    ("failure", "seen", "text"),
    [
        (OSError(28, "No space left on device"), StoreError, "No space left.*full"),
        (PermissionError(13, "Permission denied"), StoreError, "Permission denied.*may write"),
        (KeyboardInterrupt(), KeyboardInterrupt, None),
    ],
)
@pytest.mark.parametrize("stage", ["fsync", "replace"])
def test_failed_write_keeps_the_old_file_and_leaves_no_other(
    pendulum: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
    seen: type[BaseException],
    text: str | None,
    stage: str,
) -> None:
    path = pendulum.save(tmp_path / "r.nc")
    before = path.read_bytes()
    left: list[list[str]] = []

    def fail(*arguments: Any) -> None:
        left.append(os.listdir(tmp_path))
        raise failure

    monkeypatch.setattr(os, stage, fail)
    with pytest.raises(seen, match=text):
        pendulum.save(path)
    assert len(left[0]) == 2  # the new file was there, under another name
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["r.nc"]


def test_interrupt_while_encoding_writes_nothing(
    pendulum: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("trundle.run.write_netcdf.encode", interrupt)
    with pytest.raises(KeyboardInterrupt):
        pendulum.save(tmp_path / "r.nc")
    assert not os.listdir(tmp_path)


def test_a_full_disk_is_reported(pendulum: Run, tmp_path: Path) -> None:
    """A limit on the size of files fails in the same place as a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    run = load(pendulum.save(tmp_path / "r.nc"))  # nothing is left to compile, which would write files too
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
        with pytest.raises(StoreError, match="File too large"):
            run.save(tmp_path / "s.nc")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert os.listdir(tmp_path) == ["r.nc"]


def test_output_named_like_a_dimension_is_refused(tmp_path: Path) -> None:
    m = tr.Model("mass")
    m.connect(tr.Prismatic("z"), m.ground, m.body("mass", mass=1.0))
    m.output("axis", lambda s: s["mass.displacement"])
    with pytest.raises(StoreError, match="'axis' has the name of a dimension"):
        m.build().simulate(0.1, samples=2).save(tmp_path / "r")
    assert not os.listdir(tmp_path)


def test_missing_file_and_directory(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such file"):
        load(tmp_path / "r.nc")
    with pytest.raises(StoreError, match="is a directory"):
        load(tmp_path)


@pytest.mark.parametrize(("name", "reader"), [("four-bar.yaml", "load_model"), ("arm.URDF", "load_urdf")])
def test_a_model_is_not_a_result(tmp_path: Path, name: str, reader: str) -> None:
    (tmp_path / name).write_text("model: four-bar\n")
    with pytest.raises(StoreError, match=f"looks like a model. Read it with tr.{reader}"):
        load(tmp_path / name)


@pytest.mark.parametrize("content", [b"", b"not a result\n", b"\x89HDF\r\n\x1a\n" + bytes(200), b"CDF\x01" + bytes(64)])
def test_files_of_another_format_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "r.nc").write_bytes(content)
    with pytest.raises(StoreError, match=r"r\.nc: it is not a netCDF-4 file, or it is damaged"):
        load(tmp_path / "r.nc")


@pytest.mark.parametrize("part", [0.05, 0.5, 0.95, 0.9999])
def test_a_truncated_file_is_reported(pendulum: Run, tmp_path: Path, part: float) -> None:
    path = pendulum.save(tmp_path / "r.nc")
    content = path.read_bytes()
    path.write_bytes(content[: int(part * len(content))])
    with pytest.raises(StoreError, match="cut short"):
        load(path)


def test_damaged_numbers_are_noticed(pendulum: Run, tmp_path: Path) -> None:
    path = pendulum.save(tmp_path / "r.nc")
    content = bytearray(path.read_bytes())
    values = np.ascontiguousarray(pendulum.values("bob.angle")).tobytes()
    at = content.find(values)
    assert at > 0
    content[at + 20] ^= 1
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        load(path)


def test_netcdf_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "weather.nc"
    xr.Dataset({"rain": ("time", np.zeros(3))}, {"time": np.arange(3.0)}).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(StoreError, match=r"not a result written by Trundle.*open_dataset"):
        load(path)


@final
@dataclass(frozen=True, eq=False)
class Memory(tr.Block):
    """A block whose state is called "state"."""

    def states(self) -> Iterator[tr.State]:
        yield tr.State(self.name, "state", lambda s: -self.value(s, "state"))


def test_parts_are_found_by_the_kind_of_their_quantities(tmp_path: Path) -> None:
    """Only a contact has a state that bands show, in a run and in its file."""
    m = tr.Model("sledge")
    body = m.body("sledge", 1.0, 0.1)
    m.connect(tr.PlanarPair(tr.Line(), tr.Vertex()), m.ground, body, name="runner", law=tr.Coulomb(0.3))
    m.block(Memory(), "memory")
    run = m.build().simulate(0.01, {"sledge.x_rate": 1.0}, samples=3)
    assert "memory.state" in run.names and run.values("runner.state")[-1] == 1
    assert contacts_of(run) == contacts_of(load(run.save(tmp_path / "r"))) == ["runner"]
    assert run.owners("state", "state") == ["memory"]
