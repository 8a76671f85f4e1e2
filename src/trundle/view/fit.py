"""A fit in one picture: measured data, fitted run, and their difference."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from trundle.view.style import COLOURS, INK, finish, new_figure, style

if TYPE_CHECKING:
    from trundle.fitting.result import Fit


def plot_fit(fit: "Fit", path: Path | str | None = None, width: float = 8.0) -> Figure:
    """Two panels for each quantity, data with the run above and residuals below; one column for each experiment."""
    names = list(dict.fromkeys(name for data in fit.data for name in data))
    count = len(fit.runs)
    with style():
        title = ", ".join(f"{n} = {v:.4g} \N{PLUS-MINUS SIGN} {fit.errors[n]:.1g}" for n, v in fit.values.items())
        figure = new_figure(width, 0.8 + 2.7 * len(names), title)
        ratios = [2, 1] * len(names)
        axes = figure.subplots(2 * len(names), count, sharex="col", height_ratios=ratios, squeeze=False)
        for k, (run, data, off) in enumerate(zip(fit.runs, fit.data, fit.residuals, strict=True)):
            for i, name in enumerate(names):
                above, below = axes[2 * i][k], axes[2 * i + 1][k]
                if name not in data:
                    above.set_axis_off()
                    below.set_axis_off()
                    continue
                unit = run[name].attrs["units"]
                above.plot(run.time, data[name], ".", color=COLOURS[i % len(COLOURS)], markersize=3, label="data")
                above.plot(run.time, run.values(name), color=INK, linewidth=1.0, label="fit")
                below.plot(run.time, off[name], ".", color=COLOURS[i % len(COLOURS)], markersize=3)
                for edge in (-2, 2):
                    below.axhline(edge * fit.noise[name], color=INK, linewidth=0.6, linestyle="--")
                below.axhline(0.0, color=INK, linewidth=0.6)
                if k == 0:
                    above.set_ylabel(f"{name} ({unit})" if unit else name)
                    below.set_ylabel("fit - data")
            axes[0][k].legend(loc="best")
            axes[-1][k].set_xlabel("time (s)")
        figure.align_ylabels(np.ravel(axes))
        return finish(figure, path)
