"""A picture of a table: curves over one argument, a map of each output over two."""

from typing import TYPE_CHECKING

import numpy as np

from trundle.view.style import finish, line_style, new_figure, side_legend, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trundle.lookup.table import Table

POINTS = 601
MARGIN = 0.08  # of the range, drawn beyond it


def plot_table(table: "Table") -> "Figure":
    """Knots as dots, the table between and beyond them as a curve; for two arguments contours of each output."""
    names = table.outputs or tuple(f"output {i + 1}" for i in range(table.kind.outputs))
    knots = table.y if table.kind.outputs else table.y[..., None]
    with style():
        return finish(_curves(table, names, knots) if len(table.x) == 1 else _maps(table, names), None)


def _labelled(table: "Table", name: str) -> str:
    """What the numbers are, with their unit."""
    return f"{name} ({table.unit})" if table.unit else name


def _curves(table: "Table", names: tuple[str, ...], knots: np.ndarray) -> "Figure":
    x = table.x[0]
    margin = MARGIN * (x[-1] - x[0])
    at = np.sort(np.concatenate([np.linspace(x[0] - margin, x[-1] + margin, POINTS), x]))
    values = np.asarray(table(at)).reshape(len(at), -1)
    figure = new_figure(7.0, 4.2, table.text or "table")
    axes = figure.subplots()
    for i in range(values.shape[1]):
        look = line_style(i)
        axes.plot(at, values[:, i], label=names[i] if names else None, **look)
        axes.plot(x, knots[:, i], ".", color=look["color"])
    axes.set(xlabel=table.arguments[0], ylabel=_labelled(table, names[0] if len(names) == 1 else "value"))
    if len(names) > 1:
        side_legend(axes)
    return figure


def _maps(table: "Table", names: tuple[str, ...]) -> "Figure":
    x1, x2 = (np.linspace(x[0], x[-1], 121) for x in table.x)
    field = np.asarray(table(x1[:, None], x2[None, :])).reshape(len(x1), len(x2), -1)
    count = field.shape[2]
    figure = new_figure(5.6 * count, 4.4, table.text or "table")
    for i, axes in enumerate(figure.subplots(1, count, squeeze=False)[0]):
        drawn = axes.contourf(x1, x2, field[..., i].T, 24)
        lines = axes.contour(x1, x2, field[..., i].T, 8, colors="black", linewidths=0.5)
        axes.clabel(lines, fontsize=7, fmt="%g")
        axes.plot(*(a.ravel() for a in np.meshgrid(*table.x)), ".", color="white", markersize=1.5)
        axes.set(xlabel=table.arguments[0], ylabel=table.arguments[1])
        figure.colorbar(drawn, ax=axes, label=_labelled(table, names[i] if names else "value"))
    return figure
