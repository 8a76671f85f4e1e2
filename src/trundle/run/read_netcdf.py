"""Trundle's own netCDF-4 files read by h5py alone: what xarray's reader gives, in a third of the time."""

import json
from math import ceil
from pathlib import Path
from typing import Any, Final

import numpy as np

from trundle.run.stored_result import StoredResult, StoredVariable, stamp_of

HIDDEN: Final = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "coordinates")  # of HDF5 and netCDF, not ours
UNNAMED: Final = "This is a netCDF dimension but not a netCDF variable"  # what stands for a dimension without values


def read_own(path: Path, max_bytes: float, lazy: bool = False) -> StoredResult | None:
    """What a file holds that Trundle wrote, every n-th sample where it has more bytes than `max_bytes`, which its
    attribute "warnings" says; None for files of others. Nothing is decoded: a quantity in "seconds" is a number, and
    not-a-number is kept as it is. With `lazy` quantities over time are read when they are first asked for.
    """
    import h5py

    stamp = stamp_of(path)
    with h5py.File(path) as file:
        about = _attributes(file)
        if not str(about.get("source", "")).startswith("Trundle"):
            return None
        names = {name: item for name, item in file.items() if not _only_a_dimension(item)}
        every = max(1, ceil(sum(item.nbytes for item in names.values()) / max_bytes)) if max_bytes > 0 else 1
        every, samples = (every, len(names["time"])) if "time" in names else (1, 0)
        kept = {"time": slice(None, None, every)}
        variables = {}
        for name, item in names.items():
            dims = _dimensions(file, name, item)
            part = tuple(kept.get(dimension, slice(None)) for dimension in dims)
            shape = tuple(len(range(*one.indices(n))) for one, n in zip(part, item.shape, strict=True))
            made = StoredVariable(path, stamp, name, dims, shape, item.dtype, _attributes(item), part)
            if not lazy or name == "time" or "time" not in dims or item.dtype.kind != "f":
                made.load(item)
            variables[name] = made
        beside = str(file.attrs.get("coordinates", "")).split()
        for item in names.values():
            beside += str(item.attrs.get("coordinates", "")).split()
    if every > 1:
        text = f"only one in {every} of {samples} samples was read: the file is larger than {max_bytes:.3g} B."
        about["warnings"] = json.dumps([*json.loads(about.get("warnings", "[]")), text])
    coordinates = {name for name, one in variables.items() if one.dims == (name,) or name in beside}
    return StoredResult(variables, frozenset(coordinates), about)


def _only_a_dimension(item: Any) -> bool:
    return str(_text(item.attrs.get("NAME", ""))).startswith(UNNAMED)


def _dimensions(file: Any, name: str, item: Any) -> tuple[str, ...]:
    """Names of the dimensions: those of the scales that it is tied to, or its own where it is one."""
    if "DIMENSION_LIST" in item.attrs:
        return tuple(str(file[scale[0]].name).removeprefix("/") for scale in item.attrs["DIMENSION_LIST"])
    return (name,) if item.ndim else ()


def _attributes(item: Any) -> dict[str, Any]:
    shown = [name for name in item.attrs if name not in HIDDEN and not name.startswith(("_Netcdf4", "_NC"))]
    return {name: _text(item.attrs[name]) for name in shown}


def _text(value: object) -> Any:
    """Words as text, one number as a number."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray) and value.size == 1:
        return _text(value.flat[0])
    return value
