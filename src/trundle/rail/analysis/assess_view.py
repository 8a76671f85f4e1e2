"""An assessment over the distance in one picture."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trundle.view.style import COLOURS, DASHES, WARNING, finish, new_figure, side_legend, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trundle.rail.analysis.assess import Assessment


def assessment_picture(found: "Assessment", path: Path | str | None) -> "Figure":
    """Q, Y/Q over 2 m, sum of Y over 2 m with their limits, and accelerations in the body."""
    with style():
        figure = new_figure(8.2, 8.4, f"{found.run.model_name}: forces on the track and accelerations")
        loads, ratio, sums, accelerations = figure.subplots(4, 1, sharex=True)
        for i, wheel in enumerate(found.wheels):
            look = {"color": COLOURS[i % len(COLOURS)], "linestyle": DASHES[i // len(COLOURS)], "linewidth": 1.0}
            name = wheel.name
            loads.plot(found.distance, 1e-3 * found.Q[name], label=name.replace("_", " "), **look)
            ratio.plot(*found.mean_over(found.Y[name] / np.maximum(found.Q[name], 1.0)), **look)
        ratio.axhline(found.derailment_limit, color=WARNING, linewidth=0.8, label=f"limit {found.derailment_limit:.3g}")
        for i, (name, values) in enumerate(found.sum_Y.items()):
            at, mean = found.mean_over(values)
            sums.plot(at, 1e-3 * mean, color=COLOURS[i % len(COLOURS)], label=name.replace("_", " "), linewidth=1.0)
        for limit in sorted({round(1e-3 * limit, 6) for limit in found.track_limits.values()}):
            for sign in (-1, 1):
                label = f"Prud'homme,\n{limit:.3g} kN" if sign > 0 else None
                sums.axhline(sign * limit, color=WARNING, linewidth=0.8, label=label)
        for k, text in ((1, "lateral"), (2, "vertical")):
            accelerations.plot(
                found.distance, found.acceleration[:, k], color=COLOURS[k - 1], label=text, linewidth=1.0
            )
        texts = ("Q (kN)", "Y/Q, mean of 2 m", "sum of Y,\nmean of 2 m (kN)", f"in {found.body}\n(m/s²)")
        for axes, text in zip((loads, ratio, sums, accelerations), texts, strict=True):
            axes.set_ylabel(text)
        for axes in (loads, ratio, sums, accelerations):
            side_legend(axes)
        accelerations.set_xlabel("distance (m)")
        return finish(figure, path)
