"""Trundle's writer of netCDF files: xarray reads them like its own."""

from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray as xr

from trundle.errors import StoreError
from trundle.run.write_netcdf import encode


def dataset(seed: int) -> xr.Dataset:
    """Dimensions with and without values, text, truth values, whole numbers, scalars, nan, nothing at all."""
    rng = np.random.default_rng(seed)
    n, cases = int(rng.integers(1, 4000)), int(rng.integers(1, 9))
    values = rng.normal(size=(n, cases, 3))
    values[rng.random(values.shape) < 0.1] = np.nan
    values[0, 0] = [-0.0, np.inf, 5e-324]
    return xr.Dataset(
        {
            "bob.position": (("time", "case", "axis"), values, {"units": "m", "long_name": "where it is, in µm"}),
            "plain": (("row", "time"), rng.normal(size=(2, n)).astype(np.float32)),
            "outcome": ("case", np.array([f"FINISHED: größer {k}" for k in range(cases)])),
            "ok": ("case", rng.random(cases) < 0.5),
            "steps": ("case", rng.integers(-5, 5, cases), {"largest": 7, "range": [1.5, 2.5], "empty": ""}),
            "gravity": ((), 9.81),
            "nothing": ("none", np.zeros(0)),
        },
        {
            "time": ("time", np.sort(rng.random(n)), {"units": "s"}),
            "axis": list("xyz"),
            "stiffness": ("case", rng.random(cases), {"units": "N/m"}),
        },
        {"title": "ä model", "count": 3, "rtol": 1e-10, "list": [1, 2, 3], "short": "x" * 70_000},
    )


@pytest.mark.parametrize("seed", range(6))
def test_xarray_reads_what_it_would_have_written(seed: int, tmp_path: Path) -> None:
    given = dataset(seed)
    (tmp_path / "own.nc").write_bytes(encode(given))
    no_fill = {name: {"_FillValue": None} for name, v in given.variables.items() if v.dtype.kind == "f"}
    given.to_netcdf(tmp_path / "other.nc", engine="h5netcdf", encoding=no_fill)
    for options in ({}, {"decode_times": False, "mask_and_scale": False}):
        own, other = (xr.load_dataset(tmp_path / name, engine="h5netcdf", **options) for name in ("own.nc", "other.nc"))
        xr.testing.assert_identical(own, other)
        assert {n: v.dtype for n, v in own.variables.items()} == {n: v.dtype for n, v in other.variables.items()}
        assert {n: type(v) for n, v in own.attrs.items()} == {n: type(v) for n, v in other.attrs.items()}
    assert own["bob.position"].values.tobytes() == given["bob.position"].values.tobytes()


def test_the_file_is_one_of_netcdf(tmp_path: Path) -> None:
    """What the specification of netCDF-4 requires beyond HDF5."""
    (tmp_path / "own.nc").write_bytes(encode(dataset(1)))
    with h5py.File(tmp_path / "own.nc") as file:
        assert file.attrs["_NCProperties"].startswith(b"version=2,")
        position = file["bob.position"]
        assert [position.dims[k][0].name for k in range(3)] == ["/time", "/case", "/axis"]
        assert file["case"].attrs["NAME"].startswith(b"This is a netCDF dimension but not a netCDF variable")
        assert position.fletcher32 and file["time"].fletcher32
        numbers = {name: int(item.attrs["_Netcdf4Dimid"]) for name, item in file.items() if item.is_scale}
        assert sorted(numbers.values()) == list(range(len(numbers)))
        assert position.attrs["_Netcdf4Coordinates"].tolist() == [numbers[name] for name in ("time", "case", "axis")]


def test_what_netcdf_does_not_hold_is_refused() -> None:
    with pytest.raises(StoreError, match="'root': netCDF files hold real numbers and text, not complex128"):
        encode(xr.Dataset({"root": ("k", np.array([1j]))}))
