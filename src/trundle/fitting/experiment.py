"""Measured data of one experiment, with its start values and parameters."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.errors import ModelError, StoreError
from trundle.lookup.read import column_separator
from trundle.lookup.table import Table
from trundle.lookup.units import plain
from trundle.quantity import Part
from trundle.system import System
from trundle.typing import Array, Given, Values

if TYPE_CHECKING:
    import xarray as xr

    Data = xr.Dataset | Values | str | Path


@final
class Experiment:
    """Measured quantities over time, with the start values and parameters that are known of the experiment.

    Parameters
    ----------
    data : xarray.Dataset, pandas.DataFrame (as of `run.to_pandas`), mapping or path of a CSV file
        "time" (s) and quantities of the model by name, one number per sample, or a row of numbers if the quantity is a
        vector ("ball.position" of shape (n, 3)); NaN for missing values. Columns with the names of inputs are the
        input signals of the system. A CSV file has the names in its first line, with or without units in brackets, as
        `run.save("x.csv")` writes them; units must be those of the model. Commas, semicolons or tabs separate the
        columns.
    start, parameters : mapping, optional
        Values of this experiment by name; all others are those of the model.
    hold : {"linear", "previous"}
        Interpolation of inputs: linear, or constant until the next sample.
    """

    def __init__(
        self,
        data: "Data",
        start: Values | None = None,
        parameters: Values | None = None,
        hold: str = "linear",
    ) -> None:
        if hold not in ("linear", "previous"):
            raise ModelError(f"hold={hold!r}: inputs are interpolated ('linear'), or hold their 'previous' sample.")
        self.start, self.parameters, self.hold = dict(start or {}), dict(parameters or {}), hold
        columns, self.units = _columns(data)
        if "time" not in columns:
            names = ", ".join(map(repr, columns)) or "nothing"
            raise ModelError(
                f"the data have no 'time'; they have {names}. Rename the column of the times (s) to 'time'; the "
                "first line of a file names its columns."
            )
        self.time = columns.pop("time")
        self.values = columns
        if not columns:
            raise ModelError("the data have 'time' but no measured quantity.")
        for name, values in columns.items():
            if values.ndim not in (1, 2) or self.time.ndim != 1 or len(values) != len(self.time):
                raise ModelError(
                    f"{name!r} has numbers of shape {values.shape} for {len(self.time)} times: one number each is "
                    "needed, or a row of components."
                )
            if np.any(np.isinf(values)):
                at = self.time[np.argmax(np.isinf(values))]
                raise ModelError(f"{name!r} is infinite at t = {at:g} s: put nan where a measurement failed.")
        if len(self.time) < 2 or not np.all(np.isfinite(self.time)) or np.any(np.diff(self.time) <= 0):
            raise ModelError("the times of the data must be at least two increasing finite numbers.")

    def __repr__(self) -> str:
        return f"<Experiment: {', '.join(self.values)}, {len(self.time)} samples>"

    def check(self, system: System) -> None:
        """Check that the system has the measured quantities, with the same units; inputs become signals.

        Parameters
        ----------
        system : System
            The system whose parameters are estimated.
        """
        register = system.formulation.register
        for name, unit in self.units.items():
            known = "s" if name == "time" else register.get(name).unit
            if plain(unit) != plain(known):
                raise ModelError(
                    f"{name!r} was measured in {unit!r}, but the model has it in {known or '1'!r}: convert the "
                    f"numbers, and give their new unit."
                )
        for name in [name for name in self.values if name in system.model.inputs]:
            if name in self.parameters:
                raise ModelError(f"input {name!r} is given twice: among the data and as a parameter.")
            if not np.all(np.isfinite(self.values[name])):
                raise ModelError(
                    f"input {name!r} has missing values (nan) in the data: a run needs it at all times. Fill them."
                )
            self.parameters[name] = Table(self.time, self.values.pop(name), between=self.hold)
        if not self.values:
            raise ModelError("the data have inputs but no measured quantity.")
        self.values = {name: column for given, values in self.values.items()
                       for name, column in _scalars(register.get(given), given, values).items()}  # fmt: skip


def _scalars(part: Part, given: str, values: Array) -> dict[str, Array]:
    """Numbers over time by name: those of a scalar, or of each component of a vector."""
    if part.quantity.group == "orientations":
        raise ModelError(f"{given!r} has no derivatives to fit by: leave it out of the data, or give angles.")
    if values.ndim == 1 and part.size > 1:
        raise ModelError(
            f"{given!r} is a vector: give rows of {part.size} numbers, or its components by name, such as "
            f"{part.quantity.names()[1]!r}."
        )
    if values.ndim == 1:
        return {given: values}
    if values.shape[1] != part.size:
        raise ModelError(f"{given!r} has {part.size} component{'s' * (part.size > 1)}, but rows of {values.shape[1]}.")
    if part.size == 1:
        return {given: values[:, 0]}
    return {f"{given}_{label}": values[:, k] for k, label in enumerate(part.quantity.labels)}


def experiments(data: "Data | Experiment | Sequence[Data | Experiment]") -> list[Experiment]:
    """One or several experiments as a list."""
    several: Sequence[Given] = data if isinstance(data, list | tuple) else [data]
    if not several:
        raise ModelError("there are no data to fit.")
    return [one if isinstance(one, Experiment) else Experiment(one) for one in several]


def _columns(data: Given) -> tuple[dict[str, Array], dict[str, str]]:
    """Numbers by name, and units if given."""
    if isinstance(data, str | Path):
        return _read(Path(data))
    if type(data).__name__ == "Run":
        raise ModelError(
            "data are quantities by name; of a run give run.to_pandas('bob.angle'), or others of its names."
        )
    if isinstance(data, np.ndarray | list | tuple):
        raise ModelError(
            "data are quantities by name, {'time': t, 'bob.angle': angle}, or a table with these columns, not "
            f"{'an array' if isinstance(data, np.ndarray) else 'a list'} of numbers."
        )
    if hasattr(data, "columns") and hasattr(data, "index"):  # pandas
        return _of_frame(data)
    names = [n for n, v in data.variables.items() if "time" in v.dims] if hasattr(data, "variables") else data  # xarray
    try:
        units = {str(n): str(attrs["units"]) for n in names if "units" in (attrs := getattr(data[n], "attrs", {}))}
        dates = [str(name) for name in names if np.asarray(data[name]).dtype.kind in "mM"]
        if dates:
            raise ModelError(f"{dates[0]!r} has dates or time spans: give seconds, as numbers.")
        return {str(name): np.array(data[name], dtype=float) for name in names}, units
    except (TypeError, ValueError, IndexError) as error:
        raise ModelError(
            f"the data are not numbers by name, such as {{'time': t, 'bob.angle': angle}}: {str(error).rstrip('.')}."
        ) from error


def _of_frame(frame: Given) -> tuple[dict[str, Array], dict[str, str]]:
    """Columns of a DataFrame, with or without units in brackets; an index called "time" is the time."""
    if str(frame.index.name).partition("[")[0].strip() == "time":
        frame = frame.reset_index()
    names = {str(column): str(column).partition("[")[0].strip() for column in frame.columns}
    units = {name: column.partition("[")[2].rstrip("] ") for column, name in names.items() if "[" in column}
    found, attributes = _columns(
        {name: frame[column] for column, name in zip(frame.columns, names.values(), strict=True)}
    )
    return found, attributes | units


def _read(path: Path) -> tuple[dict[str, Array], dict[str, str]]:
    """Columns of a CSV file by name, and units in brackets."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise StoreError(f"{path} cannot be read: it is not a text file. Save it as CSV.") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}.") from None
    separator = column_separator(text.partition("\n")[0])
    rows = [row for row in csv.reader(text.splitlines(), delimiter=separator) if any(cell.strip() for cell in row)]
    if len(rows) < 2:
        raise StoreError(f"{path} has no data: it needs a line of names and lines of numbers.")
    names = [cell.split("[")[0].strip() for cell in rows[0]]
    units = {name: cell.split("[")[1].rstrip("] ") for name, cell in zip(names, rows[0], strict=True) if "[" in cell}
    columns: dict[str, list[float]] = {name: [] for name in names}
    if len(columns) < len(names):
        raise StoreError(f"{path}, line 1: a name appears twice.")
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(names):
            raise StoreError(f"{path}, line {line}: {len(row)} numbers for {len(names)} names in the first line.")
        for name, cell in zip(names, row, strict=True):
            try:
                columns[name].append(float(cell) if cell.strip() else np.nan)
            except ValueError:
                remedy = " Write decimals with a point." if "," in cell else ""
                raise StoreError(f"{path}, line {line}: {cell!r} under {name!r} is not a number.{remedy}") from None
    return {name: np.array(values) for name, values in columns.items()}, units
