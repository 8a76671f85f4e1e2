"""Columns of measured numbers from a CSV file or from arrays by name, with messages about their faults."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import FileError
from trundle.lookup.read import column_separator
from trundle.typing import Array

MAX_BYTES = 200_000_000
MILLIMETRES = "_mm"


def read_columns(source: str | Path | Mapping[str, ArrayLike], known: Sequence[str]) -> tuple[dict[str, Array], str]:
    """Columns by name in SI, and the name of the source. A column "cant_mm" becomes "cant" in m; # begins a comment."""
    if isinstance(source, Mapping):
        given, name = {str(key): _array(key, value) for key, value in source.items()}, "measured"
    elif not isinstance(source, str | Path):
        raise FileError(f"measured points come from a CSV file or from arrays by name, not from {source!r}.")
    else:
        given, name = _read_file(Path(source)), Path(source).stem
    where = f"{source}: " if not isinstance(source, Mapping) else ""
    out: dict[str, Array] = {}
    for key, values in given.items():
        plain, scale = (key.removesuffix(MILLIMETRES), 1e-3) if key.endswith(MILLIMETRES) else (key, 1.0)
        if plain not in known or plain in out:
            raise FileError(f"{where}the column {key!r} is not known here, or given twice; known: {', '.join(known)}.")
        if values.ndim != 1 or not np.all(np.isfinite(values)):
            raise FileError(f"{where}the column {key!r} must be finite numbers, one in each line.")
        out[plain] = scale * values
    if len({len(values) for values in out.values()}) > 1:
        raise FileError(f"{where}the columns differ in length.")
    return out, name


def _array(key: str, values: ArrayLike) -> Array:
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise FileError(f"the column {key!r} must be finite numbers.") from error


def check_growing(s: Array, source: object, least: int) -> None:
    """Distances must grow, and be enough for a spline."""
    where = f"{source}: " if isinstance(source, str | Path) else ""
    if len(s) < least:
        raise FileError(f"{where}{len(s)} points are too few; a spline needs at least {least}.")
    back = np.flatnonzero(np.diff(s) <= 0.0)
    if len(back):
        raise FileError(
            f"{where}s must grow from point to point; after point {back[0] + 1} ({s[back[0]]:g} m) comes "
            f"{s[back[0] + 1]:g} m."
        )


def _read_file(path: Path) -> dict[str, Array]:
    try:
        if not path.is_file():  # a device or pipe has no end
            raise FileError(f"{path} cannot be read: there is no such file.")
        if path.stat().st_size > MAX_BYTES:
            raise FileError(f"{path}: more than {MAX_BYTES // 1_000_000} MB; thin out the points.")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path} cannot be read: {error}.") from error
    rows = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    if not rows:
        raise FileError(f"{path} is empty; it needs a line of names, then numbers.")
    mark = column_separator(rows[0][1])
    names = [cell.strip() for cell in next(csv.reader([rows[0][1]], delimiter=mark))]
    if any(_is_number(cell) for cell in names):
        raise FileError(f"{path}, line {rows[0][0]}: the first line must name the columns, such as s,curvature,cant.")
    numbers = np.empty((len(rows) - 1, len(names)))
    for k, (i, line) in enumerate(rows[1:]):
        cells = next(csv.reader([line], delimiter=mark))
        if len(cells) != len(names) or not all(_is_number(cell) for cell in cells):
            raise FileError(
                f"{path}, line {i}: {len(names)} finite numbers are expected here, not {line.strip()[:60]!r}."
            )
        numbers[k] = [float(cell) for cell in cells]
    if len(set(names)) < len(names):
        raise FileError(f"{path}, line {rows[0][0]}: a column is named twice.")
    return dict(zip(names, numbers.T, strict=True))


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False
