"""A dataset as comma-separated text: one row a sample, names with units in the header, numbers to the last bit."""

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from trundle.errors import StoreError

if TYPE_CHECKING:
    import xarray as xr


def csv_text(dataset: "xr.Dataset") -> str:
    """All quantities over the samples of a run or the points of a trace; components of vectors are columns of their
    own.
    """
    along = "time" if "time" in dataset.dims else "point"
    columns: dict[str, np.ndarray[Any, Any]] = {}
    rows = {name: values for name, values in dataset.coords.items() if values.dims == (along,)}
    for name, values in {**rows, **dataset.data_vars}.items():
        if values.dims[:1] != (along,) or values.ndim > 2:
            raise StoreError(f"{name!r} has the dimensions {values.dims}: it fits no table. Save as .nc instead.")
        unit = values.attrs.get("units", "")
        ending = f" [{unit}]" if unit else ""
        if values.ndim == 1:
            columns[f"{name}{ending}"] = values.values
        else:
            for label, column in zip(values[values.dims[1]].values, values.values.T, strict=True):
                columns[f"{name}_{label}{ending}"] = column
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    return out.getvalue()
