"""Pictures of mechanisms that are traced along a driven coordinate."""

from __future__ import annotations

from functools import cache
from math import pi

from matplotlib.figure import Figure

from trundle import examples
from trundle.run.trace import Trace

WIDTH = 7.0  # inches


@cache
def _column() -> Trace:  # [Meijaard 2024, Figs. 5 and 7]
    return examples.model("spiral-column").build().trace("column.displacement", [0.0, 2 * pi])


@cache
def _ball() -> Trace:  # [Meijaard 2024, Figs. 8 and 9]
    return examples.model("sphere-on-tangent-surface", moves="y").build().trace("surface.angle", [0.5, -2.5])


def column_in_space() -> Figure:
    """The spiral column under the cylinder, with the way of the contact."""
    return _column().draw(0.0, width=WIDTH)


def column_curves() -> Figure:
    """Point of contact and height of the cylinder over the displacement of the column."""
    names = ("contact.contact_point", "cylinder.displacement")
    return _column().plot(*names, width=WIDTH, panel_height=3.0, title="cylinder on a spiral column")


def ball_in_space() -> Figure:
    """The ball on the tangent surface."""
    return _ball().draw(0.0, width=5.0)


def ball_curves() -> Figure:
    """Displacement of the ball and of its contact along the tangent, to the cusp and beyond."""
    return _ball().plot("ball.displacement", "contact.slide", "smallest_singular_value", width=WIDTH)
