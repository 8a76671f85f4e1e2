"""Results of a sweep as an xarray Dataset."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from trundle.sweeps.part import Part
from trundle.sweeps.store import IDENTITY, Frame, SweepStore
from trundle.typing import Columns

if TYPE_CHECKING:
    import xarray as xr


def dataset_of_parts(parts: Mapping[int, Part], whole: Frame) -> "xr.Dataset":
    """Results stored in memory."""
    import xarray as xr

    columns = [parts[i][0] for i in sorted(parts)]
    variables: Columns = {}
    coords: Columns = {}
    for label, first in columns[0].items():
        values = np.concatenate([found[label].values for found in columns])
        attributes = {"units": first.unit, "long_name": first.text} | (dict(whole.flags) if label == "outcome" else {})
        variables[label] = (("case", *first.dims), values, attributes)
        coords |= {axis: (axis, list(names)) for axis, names in first.coords}
    if whole.time is not None:
        coords["time"] = ("time", whole.time, {"units": "s", "long_name": "time"})
    for name, values in whole.labels.items():
        coords[name] = (("case", *(f"{name} component",) * (values.ndim - 1)), values)
    found = xr.Dataset(variables, coords)
    size = 0
    messages: dict[int, str] = {}
    for i in sorted(parts):
        messages |= {size + place: text for place, text in parts[i][1].items()}
        size += len(parts[i][0]["outcome"].values)
    return found.assign_attrs(messages=json.dumps(messages))


def dataset_of_store(store: SweepStore) -> "xr.Dataset":
    """Results on disk, read on access."""
    import xarray as xr

    found = xr.open_dataset(store.path, engine="zarr", consolidated=False, chunks=None)
    named = {}
    for name, coordinate in found.coords.items():
        if "meanings" in coordinate.attrs:
            named[name] = (name, list(coordinate.attrs["meanings"]))
    found = found.assign_coords(named)
    found.attrs.pop(IDENTITY, None)
    return found.assign_attrs(messages=json.dumps(store.messages()))
