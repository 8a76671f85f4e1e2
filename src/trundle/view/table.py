"""A picture of a table: curves over one argument, a map of each output over two."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trundle.lookup.table import Table

POINTS = 601
MARGIN = 0.08  # of the range, drawn beyond it


def plot_table(table: "Table") -> "Figure":
    """Knots as dots, what is between and beyond them as a curve; for two arguments contours of each output."""
    import matplotlib.pyplot as plt

    title = table.text or "table"
    unit = f" ({table.unit})" if table.unit else ""
    names = table.outputs or tuple(f"output {i + 1}" for i in range(table.kind.outputs)) or ("value",)
    knots = table.y if table.kind.outputs else table.y[..., None]
    if len(table.x) == 1:
        x = table.x[0]
        margin = MARGIN * (x[-1] - x[0])
        at = np.sort(np.concatenate([np.linspace(x[0] - margin, x[-1] + margin, POINTS), x]))
        values = np.asarray(table(at)).reshape(len(at), -1)
        figure, axes = plt.subplots(layout="constrained")
        for i, name in enumerate(names):
            (line,) = axes.plot(at, values[:, i], label=name)
            axes.plot(x, knots[:, i], ".", color=line.get_color())
        axes.set(xlabel=table.arguments[0], ylabel=f"{names[0] if len(names) == 1 else 'value'}{unit}", title=title)
        if len(names) > 1:
            axes.legend()
        return figure
    x1, x2 = (np.linspace(x[0], x[-1], 121) for x in table.x)
    field = np.asarray(table(x1[:, None], x2[None, :])).reshape(len(x1), len(x2), -1)
    figure, grid = plt.subplots(1, len(names), layout="constrained", squeeze=False, figsize=(5.2 * len(names), 4.2))
    for i, (axes, name) in enumerate(zip(grid[0], names, strict=True)):
        drawn = axes.contourf(x1, x2, field[..., i].T, 24)
        lines = axes.contour(x1, x2, field[..., i].T, 8, colors="black", linewidths=0.5)
        axes.clabel(lines, fontsize=7)
        axes.plot(*(a.ravel() for a in np.meshgrid(*table.x)), ".", color="white", markersize=1.5)
        axes.set(xlabel=table.arguments[0], ylabel=table.arguments[1], title=name)
        figure.colorbar(drawn, ax=axes, label=f"{name}{unit}")
    figure.suptitle(title)
    return figure
