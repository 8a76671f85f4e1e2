"""A table: values at knots, and interpolation between them."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, final
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.lookup.memory import CORNERS, KINKS, PLACE, WORDS, Block
from trundle.lookup.pieces import corners, edges, grid, patches, pieces, quintic, with_ends
from trundle.lookup.table_fields import Description, choice, knots_of, numbers, table_fields
from trundle.lookup.table_kind import TableKind
from trundle.messages.arguments import advised_class, explain_calls
from trundle.messages.preparing import preparing
from trundle.typing import Array, Expr, Integers, Option, State

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

_by_handle: WeakValueDictionary[float, "Table"] = WeakValueDictionary()
BETWEEN = ("cubic", "linear", "monotone", "previous")


@explain_calls
@final
@advised_class("from a file by tr.Table.from_csv('spring.csv', 'deflection', 'force')")
class Table:
    """A function given by data at knots, of one or two arguments, with one or several outputs. It is immutable.

    Parameters
    ----------
    x : array, or two of them
        Knots in increasing order. For two arguments (x1, x2).
    y : array
        Values at the knots, of shape (len(x),) or (len(x1), len(x2)); with one more axis for several outputs.
    between : {"cubic", "linear", "monotone", "previous"}
        Interpolation: cubic spline with continuous curvature (not-a-knot ends), straight lines, cubics without new
        extrema (PCHIP; one argument only), or steps: the value of the last knot passed.
    beyond : {"hold", "line", "refuse", "repeat"}, or one for each argument
        Outside the knots: keep the value at the end, continue the tangent at the end, end the run, or repeat the table
        periodically (the values at both ends must be the same).
    unit, text : str
        Unit of the values, and their description.
    arguments, outputs : sequence of str
        Their names, for plots.
    """

    x: tuple[Array, ...]
    y: Array

    def __init__(
        self, x: ArrayLike, y: ArrayLike, between: str = "cubic", beyond: str | Sequence[str] = "hold", *,
        unit: str = "", text: str = "", arguments: Sequence[str] = (), outputs: Sequence[str] = (),
    ) -> None:  # fmt: skip
        if between not in BETWEEN:
            raise ModelError(f"between={between!r} is not valid; choose {choice(BETWEEN)}.")
        vars(self).update(table_fields(x, y, between, beyond, Description(unit, text, arguments, outputs)))
        if between == "monotone" and len(self.x) > 1:
            raise ModelError("between='monotone' is for one argument; for two choose 'cubic' or 'linear'.")
        repeats = [word == "repeat" for word in self.beyond]
        try:
            if len(self.x) == 2:
                c = patches(self.x, self._column, between, repeats)
            else:
                c = pieces(self.x[0], self._column, between, repeats[0])
        except (ValueError, np.linalg.LinAlgError):  # raised for numbers that overflow
            c = np.full((1, 1), np.nan)
        self._freeze(c)

    @classmethod
    def hermite(
        cls, x: ArrayLike, f: ArrayLike, f1: ArrayLike, f2: ArrayLike, beyond: str = "hold", *,
        unit: str = "", text: str = "", arguments: Sequence[str] = (), outputs: Sequence[str] = (),
    ) -> "Table":  # fmt: skip
        """Quintic polynomials through values and derivatives at the knots; one argument.

        Parameters
        ----------
        x : array
            Knots.
        f, f1, f2 : array
            Values, first and second derivatives at the knots; with one more axis for several outputs.
        beyond : str
            Rule outside the knots, as for `Table`.
        unit, text, arguments, outputs
            As for `Table`.

        Returns
        -------
        Table
        """
        out = object.__new__(cls)
        vars(out).update(table_fields(x, f, "hermite", beyond, Description(unit, text, arguments, outputs)))
        if len(out.x) > 1:
            raise ModelError("Table.hermite is for one argument; for two give values: tr.Table((x1, x2), y).")
        given = []
        for name, values in (("f1", f1), ("f2", f2)):
            array = numbers(values, name)
            if array.shape != out.y.shape:
                raise ModelError(f"{name} has the shape {array.shape}; it must be that of the values, {out.y.shape}.")
            given.append(array.reshape(out._column.shape))
        out._freeze(quintic(out.x[0], out._column, *given))
        return out

    @classmethod
    def polynomials(
        cls, x: ArrayLike, c: ArrayLike, beyond: str = "hold", *, smooth: int = 2,
        unit: str = "", text: str = "", arguments: Sequence[str] = (), outputs: Sequence[str] = (),
    ) -> "Table":  # fmt: skip
        """Polynomials between the knots, given by their coefficients; one argument.

        Parameters
        ----------
        x : array
            Knots.
        c : array
            Coefficients of ascending powers of the distance from the lower knot, of shape (degree + 1, intervals), or
            with one more axis for several outputs.
        beyond : str
            Rule outside the knots, as for `Table`.
        smooth : int
            Number of derivatives that do not jump at the knots.
        unit, text, arguments, outputs
            As for `Table`.

        Returns
        -------
        Table
        """
        knots, given = knots_of(x, "x"), numbers(c, "c")
        if given.ndim not in (2, 3) or given.shape[1] != len(knots) - 1 or len(given) < 2:
            raise ModelError(
                f"c has the shape {given.shape}; for these knots it must be (degree + 1, {len(knots) - 1}), the degree "
                "at least 1, or that with one more axis for several outputs."
            )
        last = np.polynomial.polynomial.polyval(knots[-1] - knots[-2], given[:, -1])
        out = object.__new__(cls)
        values = np.concatenate([given[0], last[None]])
        order = len(given) - 1, smooth
        said = Description(unit, text, arguments, outputs)
        vars(out).update(table_fields(knots, values, "polynomials", beyond, said, order))
        out._freeze(given.reshape(*given.shape[:2], -1))
        return out

    @classmethod
    def from_csv(cls, path: Path | str, x: str | Sequence[str], y: str | Sequence[str], **options: Option) -> "Table":
        """Table from columns of a file.

        Parameters
        ----------
        path : str or Path
            A file whose first line has the names of the columns.
        x : str or sequence of str
            Columns of one or two arguments; with two, every pair of their values must occur exactly once.
        y : str or sequence of str
            Columns of the outputs.
        **options
            As for `Table`: between, beyond, unit, text.

        Returns
        -------
        Table
        """
        from trundle.lookup.read import read_csv

        return cls(**{**read_csv(Path(path), x, y), **options})

    @classmethod
    def from_xarray(cls, array: "xr.DataArray", outputs: str | None = None, **options: Option) -> "Table":
        """Table from a DataArray, whose dimensions are the arguments.

        Parameters
        ----------
        array : xarray.DataArray
            With coordinates along its dimensions.
        outputs : str, optional
            Dimension that lists outputs.
        **options
            As for `Table`: between, beyond, unit, text.

        Returns
        -------
        Table
        """
        from trundle.lookup.read import read_xarray

        return cls(**{**read_xarray(array, outputs), **options})

    between: str
    beyond: tuple[str, ...]
    kind: TableKind
    unit: str
    text: str
    arguments: tuple[str, ...]
    outputs: tuple[str, ...]
    _pieces: Array

    def _freeze(self, c: Array) -> None:
        if not np.all(np.isfinite(c)):
            raise ModelError(
                "the values cannot be interpolated: a coefficient overflows. Some knots may be too close together."
            )
        c.flags.writeable = False
        vars(self)["_pieces"] = c

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Table cannot be changed ({name}); make another one.")

    def __copy__(self) -> "Table":
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> "Table":
        return self

    def __reduce__(self) -> tuple[object, ...]:
        cached = {"block", "digest", "signal", "_grids", "_cells"}  # computed again when needed
        return _restored, ({k: v for k, v in vars(self).items() if k not in cached},)

    def __repr__(self) -> str:
        return f"<Table of {self.summary()}>"

    def summary(self) -> str:
        """Description of its arguments, outputs and unit."""
        ranges = ", ".join(
            f"{name} {axis[0]:g} to {axis[-1]:g} ({len(axis)} knots)"
            for name, axis in zip(self.arguments, self.x, strict=True)
        )
        about = "".join(f", {word}" for word in (self.text, self.unit and f"in {self.unit}") if word)
        return f"{ranges}: {self.kind}{about}"

    @property
    def _column(self) -> Array:
        """Values with an axis of outputs."""
        return self.y if self.kind.outputs else self.y[..., None]

    @cached_property
    def _grids(self) -> list[Array]:
        return [grid(axis, self.between) for axis in self.x]

    @cached_property
    def _cells(self) -> Array:
        """Coefficients of every cell: (cells, ..., outputs, powers of the first argument, ...)."""
        return np.moveaxis(self._numbers(self.block.records), -1, len(self.x))

    def _numbers(self, records: Array) -> Array:
        """Numbers of records behind their first words: (cells, ..., powers of the first argument, ..., outputs).

        Outputs vary fastest: coefficients of one power are adjacent for all outputs.
        """
        powers = (self.kind.degree + 1,) * len(self.x)
        return records[..., WORDS:].reshape(*records.shape[:-1], *powers, -1)

    def _write(self, records: Array) -> None:
        """Fill in the record of each cell."""
        counts = records.shape[:-1]
        records[..., :WORDS] = 0.0
        records[..., PLACE] = np.arange(np.prod(counts)).reshape(counts)
        for i, (axis, word) in enumerate(zip(self._grids, self.beyond, strict=True)):
            shape = [-1 if k == i else 1 for k in range(len(counts))]
            records[..., KINKS + i] = self._kinks_before(counts[i]).reshape(shape)
            records[..., CORNERS + i] = corners(axis, word).reshape(shape)
        numbers, c = self._numbers(records), self._pieces
        if len(counts) == 1:
            numbers[:] = np.moveaxis(with_ends(c, self._grids[0], self.beyond[0]), 0, 1)
        elif self.beyond == ("refuse", "refuse"):  # the table may be large: no copy
            numbers[1:-1, 1:-1] = c
            numbers[[0, -1]], numbers[:, [0, -1]] = np.nan, np.nan
        else:
            c = with_ends(np.moveaxis(c, (3, 1), (0, 1)), self._grids[1], self.beyond[1])  # powers and cells of x2
            c = with_ends(np.moveaxis(c, (3, 2), (0, 1)), self._grids[0], self.beyond[0])  # and of x1
            numbers[:] = np.transpose(c, (1, 3, 0, 2, 4))

    def _kinks_before(self, cells: int) -> "Integers":
        """Number of kinks before each cell: one at every knot, unless the kinks were given."""
        known = vars(self).get("_kinks")
        return np.arange(cells) if known is None else np.cumsum([0, *known])

    def with_kinks(self, kinks: object) -> "Table":
        """The same table with only some of its knots as kinks, at which steps of a run end; one argument.

        Parameters
        ----------
        kinks : sequence of bool
            For each knot, whether it is a kink.

        Returns
        -------
        Table
        """
        out = object.__new__(Table)
        cached = {"block", "signal", "_cells"}
        kept = {k: v for k, v in vars(self).items() if k not in cached}
        vars(out).update(kept, _kinks=np.asarray(kinks, dtype=bool))
        return out

    @property
    def knows_kinks(self) -> bool:
        """Whether the kinks were given."""
        return "_kinks" in vars(self)

    @property
    def breakpoints(self) -> tuple[Array, Array]:
        """Ends of the pieces and their coefficients, of shape (degree + 1, pieces, outputs): one argument."""
        return self._grids[0], self._pieces

    @cached_property
    def signal(self) -> "Table":
        """The same curve as a table of the kind of signals, which inputs need."""
        from trundle.lookup.signal import as_signal

        return as_signal(self)

    @cached_property
    def block(self) -> Block:
        """The table in the memory of this process."""
        every = [edges(axis, word) for axis, word in zip(self._grids, self.beyond, strict=True)]
        block = Block(every, self.kind.width, [(float(a[0]), float(a[-1])) for a in self.x])
        self._write(block.records)
        _by_handle[block.handle] = self
        return block

    @cached_property
    def digest(self) -> str:
        """Hash of all its numbers, and of the rules between and beyond the knots."""
        digest = hashlib.sha256(f"{self.kind!r} {self.between} {self.beyond}".encode())
        made_of = self.y if self.between in BETWEEN else self._pieces  # polynomials through values follow from these
        for array in (*self.x, made_of):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def refuses(self, arguments: Sequence[float]) -> int | None:
        """The argument that lies outside the range of a table with beyond="refuse".

        Parameters
        ----------
        arguments : sequence of float
            One value for each.

        Returns
        -------
        int or None
            Its index; None if all arguments are in range.
        """
        for i, (x, axis, word) in enumerate(zip(arguments, self._grids, self.beyond, strict=True)):
            at = edges(axis, word)
            if word == "refuse" and not at[0] <= x < at[-1]:
                return i
        return None

    def __call__(self, *arguments: Expr) -> Array:
        """Values at numbers, or arrays of them; with several outputs these are the last axis."""
        if len(arguments) != len(self.x):
            raise ModelError(f"the table takes {len(self.x)} argument(s), got {len(arguments)}.")
        given = np.broadcast_arrays(*[np.asarray(a, float) for a in arguments])
        cell, distances = [], []
        for x, axis, word in zip(given, self._grids, self.beyond, strict=True):
            if word == "repeat":
                x = axis[0] + np.mod(x - axis[0], axis[-1] - axis[0])
            i = np.searchsorted(edges(axis, word), x, side="right")
            cell.append(i)
            distances.append((x - corners(axis, word)[i])[..., None])
        c = self._cells[tuple(cell)]  # ..., outputs, powers
        powers = np.arange(self.kind.degree + 1)
        for d in reversed(distances):
            d = d.reshape(*d.shape[:-1], *[1] * (c.ndim - d.ndim), 1)
            c = np.sum(c * d**powers, axis=-1)
        return c if self.kind.outputs else c[..., 0]

    @preparing("the picture")
    def plot(self) -> "Figure":
        """Plot of the knots and of the curve, extended a little beyond them; for two arguments a map of each output."""
        from trundle.view.table import plot_table

        return plot_table(self)


def table_with(handle: float) -> Table | None:
    """The table of this process with this handle, if there is one."""
    return _by_handle.get(handle)


def _restored(state: State) -> Table:
    out = object.__new__(Table)
    for array in (*state["x"], state["y"], state["_pieces"]):
        array.flags.writeable = False
    vars(out).update(state)
    return out
