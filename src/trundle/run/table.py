"""A dataset as a table, of pandas or as comma-separated text: one row a sample, names with units in the header."""

import csv
import io
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
