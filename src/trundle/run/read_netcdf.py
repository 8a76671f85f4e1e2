"""Trundle's own netCDF-4 files read by h5py alone: what xarray's reader gives, in a third of the time."""

import json
from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Final

import numpy as np

from trundle.run.stored_result import StoredResult, StoredVariable, stamp_of
from trundle.typing import Json, Raw, Settings, Untyped

HIDDEN: Final = ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "coordinates")  # of HDF5 and netCDF, not ours
NUMBER, NUMBERS = "_Netcdf4Dimid", "_Netcdf4Coordinates"  # of a dimension, and of those of a variable
UNNAMED: Final = "This is a netCDF dimension but not a netCDF variable"  # what stands for a dimension without values


def read_own(path: Path, max_bytes: float, lazy: bool = False) -> StoredResult | None:
    """What a file holds that Trundle wrote, every n-th sample where it has more bytes than `max_bytes`, which its
    attribute "warnings" says; None for files of others. Nothing is decoded: a quantity in "seconds" is a number, and
    not-a-number is kept as it is. With `lazy` quantities over time are read on first use.
    """
    import h5py

    stamp = stamp_of(path)
    with h5py.File(path) as file:
        about = _shown(_all_attributes(file))
        if not str(about.get("source", "")).startswith("Trundle"):
            return None
        items = dict(file.items())
        about_items = {name: _all_attributes(item) for name, item in items.items()}
        names = {name: item for name, item in items.items() if not _only_a_dimension(about_items[name])}
        numbered = {_text(own[NUMBER]): name for name, own in about_items.items() if "CLASS" in own and NUMBER in own}
        every = max(1, ceil(sum(item.nbytes for item in names.values()) / max_bytes)) if max_bytes > 0 else 1
        every, samples = (every, len(names["time"])) if "time" in names else (1, 0)
        kept = {"time": slice(None, None, every)}
        variables = {}
        for name, item in names.items():
            dims = _dimensions(file, name, item, about_items[name], numbered)
            part = tuple(kept.get(dimension, slice(None)) for dimension in dims)
            shape = tuple(len(range(*one.indices(n))) for one, n in zip(part, item.shape, strict=True))
            made = StoredVariable(path, stamp, name, dims, shape, item.dtype, _shown(about_items[name]), part)
            if not lazy or name == "time" or "time" not in dims or item.dtype.kind != "f":
                made.load(item)
            variables[name] = made
        beside = str(_text(file.attrs.get("coordinates", ""))).split()
        for own in about_items.values():
            beside += str(_text(own.get("coordinates", ""))).split()
    text = ""
    if every > 1:
        text = f"only one in {every} of {samples} samples was read: the file is larger than {max_bytes:.3g} B."
        about["warnings"] = json.dumps([*json.loads(about.get("warnings", "[]")), text])
    coordinates = {name for name, one in variables.items() if one.dims == (name,) or name in beside}
    return StoredResult(variables, frozenset(coordinates), about, text)


def _only_a_dimension(own: Settings) -> bool:
    return str(_text(own.get("NAME", ""))).startswith(UNNAMED)


def _dimensions(
    file: Untyped, name: str, item: Untyped, own: Settings, numbered: Mapping[Untyped, str]
) -> tuple[str, ...]:
    """Names of the dimensions: by their numbers, else those of the scales that it is tied to, or its own."""
    numbers = np.atleast_1d(own.get(NUMBERS, ())).tolist()
    if len(numbers) == item.ndim and all(number in numbered for number in numbers):
        return tuple(numbered[number] for number in numbers)
    if "DIMENSION_LIST" in own:
        return tuple(str(file[scale[0]].name).removeprefix("/") for scale in item.attrs["DIMENSION_LIST"])
    return (name,) if item.ndim else ()


def _all_attributes(item: Untyped) -> Json:
    """All but lists of references, which are slow to read; of those the names."""
    return {name: None if name.endswith("_LIST") else item.attrs[name] for name in item.attrs}


def _shown(own: Settings) -> Json:
    kept = [name for name in own if name not in HIDDEN and not name.startswith(("_Netcdf4", "_NC"))]
    return {name: _text(own[name]) for name in kept}


def _text(value: object) -> Raw:
    """Words as text, one number as a number."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray) and value.size == 1:
        return _text(value.flat[0])
    return value
