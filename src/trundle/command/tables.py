"""Tables that the command line prints."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trundle.typing import AnyArray, Values

if TYPE_CHECKING:
    from rich.table import Table

    from trundle.study.linearise import Linearisation
    from trundle.system import System


def show(table: "Table") -> None:
    """Print a table at its own width, so that a pipe or a narrow window cuts nothing."""
    from rich.console import Console

    console = Console()
    needed = table.__rich_measure__(console, console.options.update(max_width=10_000)).maximum
    Console(width=max(console.width, needed)).print(table)


def _table(title: str, *columns: str) -> "Table":
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right", no_wrap=True)
    return table


def word_table(title: str, *columns: str) -> "Table":
    """An empty table whose columns contain words."""
    table = _table(title, *columns)
    for column in table.columns:
        column.justify = "left"
    return table


def coordinate_table(system: "System", values: Values) -> "Table":
    """Coordinates by name with unit."""
    import numpy as np

    table = _table(f"{system.model.name}: static equilibrium", "coordinate", "value", "unit")
    for name, value in values.items():
        numbers = " ".join(f"{_tidy(v):.9g}" for v in np.atleast_1d(value))
        table.add_row(name, numbers, system.quantity(name).unit)
    return table


def eigenvalue_table(linear: "Linearisation") -> "Table":
    """One row per real eigenvalue or conjugate pair."""
    import numpy as np

    table = _table("eigenvalues", "real (1/s)", "imaginary (rad/s)", "frequency (Hz)", "damping ratio", "mode")
    modes = linear.modes
    for i, row in enumerate(linear.table()):
        if row["imaginary"] < 0:
            continue
        sign = "±" if row["imaginary"] > 0 else " "
        shape = np.abs(modes[:, i])
        largest = [linear.motion_names[k] for k in np.argsort(-shape)[:3] if shape[k] > 0.1]
        table.add_row(
            f"{_tidy(row['real']):.6g}",
            f"{sign}{row['imaginary']:.6g}",
            f"{row['frequency_hz']:.6g}",
            f"{_tidy(row['damping_ratio']):.4g}",
            ", ".join(largest),
        )
    return table


def locus_table(
    title: str, parameter: str, values: Sequence[float], roots: Sequence[AnyArray], digits: int = 4
) -> "Table":
    """One row of eigenvalues per value of the parameter, with one of each conjugate pair."""
    table = _table(title, parameter, "largest real part", "eigenvalues (1/s)")
    for value, some in zip(values, roots, strict=True):
        texts = [
            f"{_tidy(r.real):.{digits}g}" + (f"±{r.imag:.{digits}g}i" if r.imag > 0 else "")
            for r in some
            if r.imag >= 0
        ]
        largest = f"{_tidy(max(r.real for r in some)):.{digits}g}" if len(some) else ""
        table.add_row(f"{value:.6g}", largest, "  ".join(texts))
    return table


def _tidy(value: float) -> float:
    """Round-off shown as zero."""
    return 0.0 if abs(value) < 1e-12 else float(value)
