"""A dataset as a table, of pandas or as comma-separated text: one row a sample, names with units in the header."""

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trundle.errors import StoreError
from trundle.typing import AnyArray

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

Columns = dict[str, AnyArray]


def csv_text(dataset: "xr.Dataset") -> str:
    """The table as text; numbers to the last bit."""
    table, out = columns(dataset), io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))
    return out.getvalue()


def data_frame(dataset: "xr.Dataset") -> "pd.DataFrame":
    """The table of pandas; its index is the first column, the time of a run."""
    import pandas as pd

    table = pd.DataFrame(columns(dataset))
    return table.set_index(table.columns[0])


def batch_frame(arrays: "Sequence[xr.DataArray]", varied: Columns) -> "pd.DataFrame":
    """The table of a batch: a row for each case, or for each case and time, with the varied values as columns."""
    import numpy as np
    import pandas as pd

    times = arrays[0]["time"].values if "time" in arrays[0].dims else None
    cases = np.arange(arrays[0].sizes["case"])
    index: pd.Index = pd.RangeIndex(len(cases), name="case")
    if times is not None:
        index = pd.MultiIndex.from_product([cases, times], names=["case", "time [s]"])
    found = {name: np.repeat(values, len(index) // len(cases)) for name, values in varied.items()}
    for values in arrays:
        unit = values.attrs.get("units", "")
        ending = f" [{unit}]" if unit else ""
        if values.dims[-1] in ("case", "time"):
            found[f"{values.name}{ending}"] = values.values.ravel()
        else:
            for label, column in zip(values[values.dims[-1]].values, np.moveaxis(values.values, -1, 0), strict=True):
                found[f"{values.name}_{label}{ending}"] = column.ravel()
    return pd.DataFrame(found, index)


def columns(dataset: "xr.Dataset") -> Columns:
    """All quantities over the samples of a run or the points of a trace; components of vectors are columns of their
    own.
    """
    along = "time" if "time" in dataset.dims else "point"
    found: Columns = {}
    rows = {name: values for name, values in dataset.coords.items() if values.dims == (along,)}
    for name, values in {**rows, **dataset.data_vars}.items():
        if values.dims[:1] != (along,) or values.ndim > 2:
            raise StoreError(
                f"{name!r} has the dimensions {values.dims}: it cannot be written as a table. Save as .nc instead."
            )
        unit = values.attrs.get("units", "")
        ending = f" [{unit}]" if unit else ""
        if values.ndim == 1:
            found[f"{name}{ending}"] = values.values
        else:
            for label, column in zip(values[values.dims[1]].values, values.values.T, strict=True):
                found[f"{name}_{label}{ending}"] = column
    return found
