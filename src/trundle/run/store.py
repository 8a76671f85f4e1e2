"""Results on disk: netCDF-4 files, written atomically and read back to the last bit; tables as CSV."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trundle.atomic_write import check_target, file_path, write_whole
from trundle.errors import StoreError
from trundle.messages.preparing import preparing
from trundle.run import write_netcdf
from trundle.run.content import content
from trundle.run.read_netcdf import read_own
from trundle.run.stored_result import StoredResult
from trundle.run.surfaces import surfaces_as_json
from trundle.run.table import csv_text

if TYPE_CHECKING:
    import xarray as xr

    from trundle.run.run import Run

SMALL_MODEL = 30  # bodies; up to here velocities, accelerations, reactions and measures of forces are stored unasked
ENGINE: Final = "h5netcdf"
FORMS: Final = {".nc": "netCDF", ".nc4": "netCDF", ".csv": "a table"}
MODEL_FILES: Final = dict.fromkeys((".yaml", ".yml"), "tr.load_model(path)") | {".urdf": "tr.load_urdf(path)"}


def save(run: "Run", path: Path | str) -> Path:
    """Write a run as netCDF (.nc) or as a table (.csv); returns the path, with ".nc" added when it has no suffix."""
    target = _target(file_path(path))
    with preparing(f"all quantities of the run of {run.model_name!r} for {target.name}"):
        if run.formulation is None:
            return write(run.dataset, target)
        _evaluate_all(run)
        surfaces = {"surfaces": surfaces_as_json(run)}
        if _is_table(target):
            return write(run.dataset.assign_attrs(surfaces), target)
        write_whole(target, _encode(content(run, surfaces)))
        return target


def write(dataset: "xr.Dataset", path: Path | str) -> Path:
    """Write a dataset in the format of the suffix, ".nc" unless given; returns the path."""
    target = _target(file_path(path))
    write_whole(target, csv_text(dataset).encode() if _is_table(target) else _encode(dataset))
    return target


def _is_table(path: Path) -> bool:
    return FORMS[path.suffix.lower()] == "a table"


def _target(path: Path) -> Path:
    check_target(path)  # a directory is refused as it is named, before a suffix makes a neighbour of it
    target = path if path.suffix else path.with_name(path.name + ".nc")
    if target.suffix.lower() not in FORMS:
        raise StoreError(
            f"cannot write {target}: {target.suffix!r} is not a format of results. Choose .nc (netCDF, which "
            "trundle.load reads back, and MATLAB, R and Julia too) or .csv (a table of numbers); pandas writes others, "
            "run.to_pandas('bob.angle').to_excel('run.xlsx')."
        )
    check_target(target)
    return target


def load(path: Path | str, max_bytes: float = inf, lazy: bool = False) -> "Run":
    """Read a run written by `save`. It has the stored quantities, but no model.

    Parameters
    ----------
    path : str or Path
        A netCDF file; the ending .nc may be left out.
    max_bytes : float
        Bytes to read at most: of a longer run every second, third, ... sample is taken, and `warnings` says so.
    lazy : bool
        Read each quantity on first use: a long run opens at once. The file must stay as it is.

    Returns
    -------
    Run

    Raises
    ------
    StoreError
        If it cannot be read or is not a run.
    """
    from trundle.run.run import Run

    path = _existing(Path(path))
    with _in_words(path):
        stored = read_own(path, max_bytes, lazy)
    attrs = _check_run(stored, path).attrs
    return Run(stored, str(attrs["outcome"]), settings=json.loads(attrs["settings"]))


def _existing(path: Path) -> Path:
    if not path.suffix and not path.exists():
        path = path.with_name(path.name + ".nc")
    if not path.exists():
        raise StoreError(
            f"cannot read {path}: there is no such file. tr.load reads results of run.save; models are read by "
            "tr.load_model('model.yaml'), examples by tr.examples.load('four-bar').model."
        )
    if path.suffix.lower() == ".csv":
        raise StoreError(f"cannot read {path}: a table keeps numbers only. Save runs as .nc to load them again.")
    if path.suffix.lower() in MODEL_FILES:
        raise StoreError(
            f"cannot read {path}: a result ends in .nc, and this looks like a model. Read it with "
            f"{MODEL_FILES[path.suffix.lower()]}."
        )
    if path.is_dir():
        raise StoreError(f"cannot read {path}: this is a directory. Give the name of a result file (*.nc).")
    if not path.is_file():
        raise StoreError(f"cannot read {path}: this is a device or pipe. Give the name of a result file (*.nc).")
    return path


def read(path: Path | str, max_bytes: float = inf, lazy: bool = False) -> "xr.Dataset":
    """Read a dataset as it was written, or every n-th sample where it has more bytes than `max_bytes`."""
    path = _existing(Path(path))
    with _in_words(path):
        own = read_own(path, max_bytes, lazy)
        if own is not None:
            return own.dataset
        import xarray as xr

        with xr.open_dataset(path, engine=ENGINE, decode_times=False, mask_and_scale=False) as dataset:
            return dataset.load()


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """A message about a file that cannot be read."""
    try:
        yield
    except PermissionError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}. You need permission to read it.") from error
    except ImportError as error:
        raise StoreError(f"cannot read {path}: {error} Install it with: pip install h5py") from error
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError) as error:
        # Damage shows in many ways.
        raise StoreError(
            f"cannot read {path}: it is not a netCDF-4 file, or it is damaged or cut short ({error}). "
            "Copy it again from its source, or run the model again."
        ) from error


def _check_run(stored: StoredResult | None, path: Path) -> StoredResult:
    if stored is not None and "driven" in stored.attrs:
        raise StoreError(
            f"cannot read {path} as a run: it is a trace, written by trace.save. Read it with "
            "trundle.run.trace.Trace.load(path)."
        )
    needed = ("outcome", "settings", "events", "near_singular")
    if stored is None or any(name not in stored.attrs for name in needed) or "time" not in stored.coordinates:
        raise StoreError(
            f"cannot read {path}: it is a netCDF file, but not a result written by Trundle, or that of a batch. "
            "Open it with xarray.open_dataset instead."
        )
    return stored


def _evaluate_all(run: "Run") -> None:
    """Evaluate the quantities to be stored, so that the file is useful without the model."""
    assert run.formulation is not None
    small = len(run.formulation.model.moving_bodies) <= SMALL_MODEL
    groups = {"state", "energy", "joints", "contacts", "curvatures", "outputs", "inputs", "orientations"}
    groups |= {"reactions", "accelerations", "forces", "relative"} if small else set()
    for quantity in run.formulation.quantities.values():
        placed = quantity.part == "body" and quantity.signal and (small or quantity.kind in ("position", "rotation"))
        if quantity.group in groups or placed:
            run.values(quantity.name)


def _encode(content: "write_netcdf.Content | xr.Dataset") -> bytes:
    try:
        return write_netcdf.encode(content)
    except ImportError as error:
        raise StoreError(f"cannot write netCDF files: {error} Install it with: pip install h5py") from error
