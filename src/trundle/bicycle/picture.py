"""The pitch of a bicycle as a picture: over roll and steer, and all roots of its quartic along one steer."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from trundle.bicycle.geometry import Geometry
from trundle.bicycle.pitch import pitch
from trundle.view.style import COLOURS, INK, QUIET, finish, new_figure, style


def draw_pitch(
    geometry: Geometry,
    steer: float = 0.7,
    path: Path | str | None = None,
    most: tuple[float, float] = (1.5, 2.2),
    width: float = 10.0,
) -> Figure:
    """Left: pitch less tilt over roll and steer, up to `most` (rad); white where the front wheel cannot touch. Right:
    the real roots over roll at one `steer` (rad), the pitch itself drawn strong; [Meijaard 2024, Eq. 28].
    """
    rolls, steers = (np.linspace(-limit, limit, 241) for limit in most)
    found = pitch(geometry, rolls[:, None], steers)
    with style():
        figure = new_figure(width, 0.48 * width, "Pitch of a bicycle on both wheels")
        left, right = figure.subplots(1, 2)
        change = np.degrees(found.pitch - geometry.tilt).T
        levels = np.unique(np.nanpercentile(change, np.linspace(0, 100, 15)))
        filled = left.contourf(np.degrees(rolls), np.degrees(steers), change, levels=levels, cmap="viridis")
        left.contour(np.degrees(rolls), np.degrees(steers), change, levels=[0.0], colors=[INK], linewidths=0.9)
        figure.colorbar(filled, ax=left, label="pitch less tilt (deg)", format="%.1f")
        left.axhline(np.degrees(steer), color="white", linewidth=1.0, linestyle="--")
        left.set(xlabel="roll (deg)", ylabel="steer (deg)")
        along = np.linspace(-most[0], most[0], 721)
        one = pitch(geometry, along, np.full_like(along, steer))
        for roots in one.roots.T:
            right.plot(np.degrees(along), np.degrees(roots), ".", color=QUIET, markersize=2.0)
        right.plot([], [], ".", color=QUIET, label="real roots of the quartic")
        right.plot(np.degrees(along), np.degrees(one.pitch), color=COLOURS[1], linewidth=2.2, label="the pitch")
        right.set(xlabel="roll (deg)", ylabel="angle (deg)", title=f"steer {np.degrees(steer):.4g} deg")
        right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
        return finish(figure, path)
