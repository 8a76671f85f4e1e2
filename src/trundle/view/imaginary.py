"""Inertial (fictitious) forces of a body over time, by kind and axis of its frame."""

from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from trundle.errors import UnknownNameError
from trundle.model.imaginary import AXES, KINDS
from trundle.view.style import finish, line_style, new_figure, side_legend, style

if TYPE_CHECKING:
    from trundle.run.run import Run


def plot_imaginary(
    run: "Run", body: str, path: Path | str | None = None, title: str | None = None, width: float = 10.0
) -> Figure:
    """Forces (N) and moments (N m) about the mass centre of a body in a moving frame: a row for each, a column for each
    axis of the frame, a line for each kind.
    """
    known = run.owners("imaginary_rotation_force", "body")
    if body not in known:
        raise UnknownNameError(body, known, "body in a moving frame")
    with style():
        figure = new_figure(width, 5.2, f"{run.model_name}: imaginary forces of {body}" if title is None else title)
        panels = figure.subplots(2, 3, sharex=True, sharey="row", squeeze=False)
        for row, (what, unit) in enumerate((("force", "N"), ("moment", "N m"))):
            for column, axis in enumerate(AXES):
                panel = panels[row, column]
                for i, kind in enumerate(KINDS):
                    values = run.values(f"{body}.imaginary_{kind}_{what}_{axis}")
                    panel.plot(run.time, values, label=kind, **line_style(i))
                if column == 0:
                    panel.set_ylabel(f"{what} ({unit})")
                if row == 0:
                    panel.set_title(f"{axis} of the frame")
                else:
                    panel.set_xlabel("time (s)")
        side_legend(panels[0, 2])
        return finish(figure, path)
