"""Many runs in one picture: bands of quantiles over time, histograms of final values."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from trundle.messages.arguments import advised
from trundle.view.style import COLOURS, INK, finish, new_figure, side_legend, style

if TYPE_CHECKING:
    from trundle.equations.formulation import Formulation
    from trundle.run.batch import BatchRun

BANDS = ((0.05, 0.95, 0.25), (0.25, 0.75, 0.45))  # quantiles and shade
MOST = 4  # coordinates drawn when no names are given


@advised("", "batch.plot")
def plot_batch(
    batch: "BatchRun", names: Sequence[str] = (), path: Path | str | None = None, bins: int = 30, width: float = 8.0
) -> Figure:
    """One panel for each quantity: the median with bands of 50 % and 90 % of the cases over time, or a histogram."""
    chosen = list(names) or _usual(batch.formulation)[:MOST]
    with style():
        figure = new_figure(width, 0.6 + 2.1 * len(chosen), f"{batch.formulation.model.name}: {len(batch)} cases")
        axes = np.atleast_1d(figure.subplots(len(chosen), 1, sharex=batch.batch.x.size > 0))
        for name, ax, colour in zip(chosen, axes, COLOURS, strict=False):
            unit = batch.end(name).attrs["units"]
            label = f"{name} ({unit})" if unit else name
            if batch.batch.x.size == 0:
                counts = batch.histogram(name, bins)
                middle = counts[name].values
                ax.bar(middle, counts.values, width=np.diff(middle).mean() if len(middle) > 1 else 1.0, color=colour)
                ax.set_xlabel(label)
                ax.set_ylabel("cases")
                continue
            parts = batch.quantiles(name, [0.05, 0.25, 0.5, 0.75, 0.95])
            time = parts["time"].values
            for low, high, shade in BANDS:
                ax.fill_between(
                    time, parts.sel(quantile=low), parts.sel(quantile=high), color=colour, alpha=shade, linewidth=0,
                    label=f"{100 * (high - low):.0f} % of the cases",
                )  # fmt: skip
            ax.plot(time, parts.sel(quantile=0.5), color=INK, linewidth=1.0, label="median")
            ax.set_ylabel(label)
        axes[-1].set_xlabel("time (s)" if batch.batch.x.size else axes[-1].get_xlabel())
        if batch.batch.x.size:
            side_legend(axes[0])
        return finish(figure, path)


def _usual(f: "Formulation") -> list[str]:
    """The coordinates that are numbers; if there are none, the components of vectors."""
    quantities = [f.quantity(name) for name in f.usual_names]
    numbers = [q.name for q in quantities if not q.labels]
    return numbers or [name for q in quantities for name in q.names()[1:]]
