"""A trace: poses of a mechanism along a driven coordinate, as xarray data with units and sentences."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError, StoreError, UnknownNameError
from trundle.messages.arguments import explain_calls
from trundle.messages.preparing import preparing
from trundle.typing import Array, Columns, Option, Settings, Values

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure


DIMENSIONS = {3: "axis", 4: "quaternion", 9: "matrix"}
LABELS = {3: list("xyz"), 4: list("wxyz"), 9: [f"{r}{c}" for c in "xyz" for r in "xyz"]}


@final
@dataclass(frozen=True)
class Finding:
    """A finding along a trace: its kind, the value of the driven coordinate, and a sentence."""

    name: str  # "turning point", "singular pose", "loss of contact", "double contact"
    value: float
    text: str
    where: str = ""  # connection or loop


@final
@dataclass(frozen=True, eq=False)
class Column:
    """Values (points, size) of a quantity."""

    name: str
    values: Array
    unit: str
    text: str
    slope_of: str = ""  # quantity whose change per unit of the driven coordinate it is


REACHED = "reached: all wanted values were passed."


def slope_name(name: str) -> str:
    """Name of the change of a quantity per unit of the driven coordinate."""
    return f"{name}_derivative"


@explain_calls
@final
class Trace:
    """Result of `system.trace`. trace["crank.angle"] is an xarray.DataArray over the points; trace.events lists the
    findings; "crank.angle_derivative" is the change of a quantity per unit of the driven coordinate.
    """

    def __init__(
        self,
        dataset: "xr.Dataset",
        events: Sequence[Finding] = (),
        formulation: Formulation | None = None,
        solve: Callable[[float, Values], "xr.Dataset"] | None = None,
    ) -> None:
        self.dataset, self.events, self.formulation, self._solve = dataset, list(events), formulation, solve

    def __reduce__(self) -> tuple[object, ...]:
        return Trace, (self.dataset, self.events, self.formulation)  # as a stored one

    def __repr__(self) -> str:
        ends = f"{self.value[0]:g} to {self.value[-1]:g}"
        return f"<Trace of {self.model_name!r}: {len(self.value)} points, {self.driven} from {ends}, {self.outcome}>"

    @property
    def driven(self) -> str:
        """Name of the driven coordinate."""
        return str(self.dataset.attrs["driven"])

    @property
    def value(self) -> Array:
        """The driven coordinate at the points."""
        return np.asarray(self.dataset[self.driven].values)

    @property
    def outcome(self) -> str:
        """How the trace ended."""
        return str(self.dataset.attrs["outcome"])

    @property
    def ok(self) -> bool:
        """True when all wanted values were reached."""
        return self.outcome == REACHED

    @property
    def model_name(self) -> str:
        return str(self.dataset.attrs.get("title", ""))

    @property
    def names(self) -> list[str]:
        """Names of the available quantities."""
        return [str(name) for name in self.dataset.data_vars]

    def __getitem__(self, name: str) -> "xr.DataArray":
        """A quantity over the points; components such as "contact.contact_point_x" too."""
        if self.formulation is not None:
            name = self.formulation.register.full(name)
        if name in self.dataset:
            return self.dataset[name]
        for whole, array in self.dataset.data_vars.items():
            slope_of = array.attrs.get("slope_of")
            for label in array[array.dims[1]].values if array.ndim == 2 else ():
                if name == (slope_name(f"{slope_of}_{label}") if slope_of else f"{whole}_{label}"):
                    part = array.sel({array.dims[1]: label}, drop=True).rename(name)
                    part.attrs = {**array.attrs, "long_name": f"{array.attrs['long_name']}, component {label}"}
                    return part
        raise UnknownNameError(name, self.names)

    @property
    def _slopes(self) -> dict[str, str]:
        """Quantity -> name of its change per unit of the driven coordinate."""
        slopes = {array.attrs.get("slope_of"): str(name) for name, array in self.dataset.data_vars.items()}
        return {str(of): name for of, name in slopes.items() if of}

    def values(self, name: str) -> Array:
        """Plain numbers of a quantity.

        Parameters
        ----------
        name : str
            Of the quantity or component.

        Returns
        -------
        array
        """
        return np.asarray(self[name].values)

    def at(self, value: float) -> "xr.Dataset":
        """All quantities where the driven coordinate first has a value.

        Parameters
        ----------
        value : float
            Of the driven coordinate (m or rad).

        Returns
        -------
        xarray.Dataset
            Exact; for a trace from a file interpolated (cubic) between its points.
        """
        c = self.value
        same = np.flatnonzero(np.abs(c - value) <= 4e-16 * max(1.0, abs(value)))
        if len(same):
            return self.dataset.isel(point=int(same[0]))
        passed = np.flatnonzero((c[:-1] - value) * (c[1:] - value) < 0)
        if not len(passed):
            raise SolveError(
                f"{self.driven} = {value:g} is not on the trace, which runs from {c.min():.9g} to {c.max():.9g}."
            )
        i = int(passed[0])
        between = self._interpolated(i, value)
        return between if self._solve is None else self._solve(value, {"point": i, "dataset": between})

    def _interpolated(self, i: int, value: float) -> "xr.Dataset":
        """Cubic in the driven coordinate where derivatives are known, else linear."""
        a, b = self.dataset.isel(point=i), self.dataset.isel(point=i + 1)
        h = float(b[self.driven] - a[self.driven])
        x = (value - float(a[self.driven])) / h
        out, slopes = a.copy(), self._slopes
        for name in self.names:
            y0, y1 = a[name].values, b[name].values
            line = (1 - x) * y0 + x * y1
            slope = slopes.get(name)
            if slope is not None and np.all(np.isfinite([a[slope].values, b[slope].values])):
                m0, m1 = h * a[slope].values - (y1 - y0), h * b[slope].values - (y1 - y0)
                line = line + x * (1 - x) * ((1 - x) * m0 - x * m1)
            out[name] = (a[name].dims, line, a[name].attrs)
        return out.assign_coords({self.driven: value})

    @preparing("the picture")
    def plot(self, *names: str, **options: Option) -> "Figure":
        """Draw quantities over the driven coordinate.

        Parameters
        ----------
        *names : str
            What is drawn.
        **options
            Options of `trundle.view.trace.plot_trace`, such as path="out/trace.png".

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.view.trace import plot_trace

        return plot_trace(self, names, **options)

    @preparing("the picture")
    def draw(self, value: float | None = None, **options: Option) -> "Figure":
        """Draw the surfaces in contact, with the path of the contact.

        Parameters
        ----------
        value : float, optional
            Of the driven coordinate (m or rad); the first pose unless given.
        **options
            Options of `trundle.view.trace.draw_trace`.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.view.trace import draw_trace

        return draw_trace(self, value, **options)

    def save(self, path: str | Path) -> Path:
        """Write everything as netCDF (.nc) or as a table (.csv), atomically.

        Parameters
        ----------
        path : str or Path
            The file; its ending chooses the format.

        Returns
        -------
        Path
            Of the file that was written.
        """
        from trundle.run.store import write

        return write(self.dataset, path)

    @staticmethod
    def load(path: str | Path) -> "Trace":
        """Read a trace written by `save`.

        Parameters
        ----------
        path : str or Path
            A netCDF file.

        Returns
        -------
        Trace
        """
        from trundle.run.store import read

        dataset = read(path)
        if "driven" not in dataset.attrs:
            raise StoreError(f"cannot read {path}: it is not a trace. A run is read by trundle.load(path).")
        return Trace(dataset, [Finding(**each) for each in json.loads(dataset.attrs["events"])])


def make_dataset(driven: Column, columns: Sequence[Column], attrs: Settings, events: Sequence[Finding]) -> "xr.Dataset":
    """Columns as variables over the points, the driven coordinate as their coordinate."""
    import xarray as xr

    arrays = {}
    for column in columns:
        size = column.values.shape[1]
        about = {"units": column.unit, "long_name": column.text}
        about |= {"slope_of": column.slope_of} if column.slope_of else {}
        dims: tuple[str, ...] = ("point",) if size == 1 else ("point", DIMENSIONS[size])
        arrays[column.name] = (dims, column.values[:, 0] if size == 1 else column.values, about)
    sizes = {column.values.shape[1] for column in columns} - {1}
    coords: Columns = {DIMENSIONS[size]: LABELS[size] for size in sizes}
    coords[driven.name] = ("point", driven.values[:, 0], {"units": driven.unit, "long_name": driven.text})
    events_text = json.dumps([asdict(event) for event in events], ensure_ascii=False)
    return xr.Dataset(arrays, coords, {**attrs, "driven": driven.name, "events": events_text})
