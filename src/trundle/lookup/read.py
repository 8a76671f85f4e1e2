"""Tables from files of columns and from labelled arrays."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trundle.errors import ModelError, UnknownNameError
from trundle.typing import AnyArray, Json, Options, Settings

if TYPE_CHECKING:
    import xarray as xr

LARGEST = 64 * 2**20  # bytes of a file


def read_csv(path: Path, x: str | Sequence[str], y: str | Sequence[str]) -> Json:
    """Arguments for `Table` from columns, named in the first line; lines that begin with # are skipped."""
    arguments, outputs = [x] if isinstance(x, str) else list(x), [y] if isinstance(y, str) else list(y)
    columns = _columns(path, [*arguments, *outputs])
    names = {"arguments": arguments, "outputs": outputs}
    values = np.stack([columns[name] for name in outputs], axis=-1)
    values = values[:, 0] if isinstance(y, str) else values
    if len(arguments) == 1:
        return {"x": columns[arguments[0]], "y": values, **names}
    places = [np.unique(columns[name], return_inverse=True) for name in arguments]
    counts = [len(knots) for knots, _ in places]
    at = np.ravel_multi_index([inverse for _, inverse in places], counts)
    if len(at) != np.prod(counts) or len(np.unique(at)) != len(at):
        raise ModelError(
            f"{path}: a table of two arguments needs every pair of their values once; there are {len(at)} rows for "
            f"{' x '.join(map(str, counts))} values of {' and '.join(map(repr, arguments))}."
        )
    out = np.empty((int(np.prod(counts)), *values.shape[1:]))
    out[at] = values
    return {"x": tuple(knots for knots, _ in places), "y": out.reshape(*counts, *values.shape[1:]), **names}


def column_separator(first_line: str) -> str:
    """Comma, semicolon or tab: whichever occurs most often in the line of names."""
    return max(",;\t", key=first_line.count)


def _columns(path: Path, names: Sequence[str]) -> dict[str, AnyArray]:
    try:
        if path.stat().st_size > LARGEST:
            raise ModelError(f"cannot read {path}: it is larger than {LARGEST // 2**20} MB. Use fewer knots.")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ModelError(f"cannot read {path}: it is not a text file. A table needs columns of numbers.") from None
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror or error}.") from None
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        raise ModelError(f"{path} is empty; its first line must name the columns.")
    rows = list(csv.reader(lines, delimiter=column_separator(lines[0]), skipinitialspace=True))
    head = [name.strip() for name in rows[0]]
    for name in names:
        if name not in head:
            raise UnknownNameError(name, head, f"column of {path}")
        if head.count(name) > 1:
            raise ModelError(f"{path} has {head.count(name)} columns called {name!r}.")
    found: dict[str, list[float]] = {name: [] for name in names}
    for i, row in enumerate(rows[1:], start=1):
        if len(row) != len(head):
            raise ModelError(f"{path}: row {i} has {len(row)} entries where the first line names {len(head)} columns.")
        for name in names:
            try:
                found[name].append(float(row[head.index(name)]))
            except ValueError:
                cell = row[head.index(name)]
                remedy = " Write decimals with a point." if "," in cell else ""
                raise ModelError(
                    f"{path}: row {i} has {cell!r} in column {name!r}, which is not a number.{remedy}"
                ) from None
    return {name: np.array(values) for name, values in found.items()}


def read_xarray(array: "xr.DataArray", outputs: str | None) -> Json:
    """Arguments for `Table` from an array whose dimensions have coordinates."""
    dims = [str(d) for d in array.dims]
    if outputs is not None and outputs not in dims:
        raise UnknownNameError(outputs, dims, "dimension of the array")
    arguments = [d for d in dims if d != outputs]
    missing = [d for d in arguments if d not in array.coords]
    if missing or not arguments:
        raise ModelError(
            f"the dimension {missing[0]!r} has no coordinates: a table needs the knots of its arguments."
            if missing
            else "the array has no dimension that could be an argument."
        )
    ordered = array.transpose(*arguments, *([outputs] if outputs is not None else []))
    axes = [np.asarray(array.coords[d].values) for d in arguments]
    out: Options = {"x": axes[0] if len(axes) == 1 else tuple(axes), "y": np.asarray(ordered.values)}
    out["arguments"] = [_with_unit(d, array.coords[d].attrs) for d in arguments]
    if outputs is not None and outputs in array.coords:
        out["outputs"] = [str(label) for label in array.coords[outputs].values]
    return out | {
        "unit": str(array.attrs.get("units", "")),
        "text": str(array.attrs.get("long_name", "") or array.name or ""),
    }


def _with_unit(name: str, attributes: Settings) -> str:
    unit = attributes.get("units", "")
    return f"{name} ({unit})" if unit else name
