"""Creep laws over creepage in one picture."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trundle.errors import ModelError
from trundle.rail.wheel_rail.creep import CreepLaw, FallingFriction, JohnsonVermeulen, Linear, Polach, ShenHedrickElkins
from trundle.rail.wheel_rail.fastsim import Fastsim
from trundle.rail.wheel_rail.kalker import Patch
from trundle.typing import Expr, Look

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REACH = 4.0  # linear force over mu N at the right end of each panel
PANELS = (
    ("longitudinal creepage (%)", "longitudinal force / mu N", 0, 0),
    ("lateral creepage (%)", "lateral force / mu N", 1, 1),
    ("spin (1/m)", "lateral force / mu N", 2, 1),
)


def creep_plot(
    patch: Patch | None = None,
    load: float = 80e3,
    mu: Expr = 0.3,
    *,
    laws: Sequence[CreepLaw] | Mapping[str, CreepLaw] | None = None,
    speed: float = 20.0,
    path: Path | str | None = None,
) -> "Figure":
    """Forces of creep laws over longitudinal creepage, lateral creepage and spin, each alone, as a figure.

    By default all laws, with the friction `mu`, on a patch with the semi-axes 6 mm and 5 mm. speed: for friction that
    falls with the slip velocity, m/s.

    Parameters
    ----------
    patch : Patch, optional
        One with the semi-axes 6 mm and 5 mm unless given.
    load : float
        Normal force (N).
    mu : float or FallingFriction
        Coefficient of friction.
    laws : sequence or mapping of CreepLaw, optional
        All unless given.
    speed : float
        Of rolling (m/s).
    path : str or Path, optional
        File to write.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from trundle.view.style import QUIET, finish, new_figure, side_legend, style

    patch = Patch.ellipse(6e-3, 5e-3) if patch is None else patch
    if not load > 0:
        raise ModelError(
            f"creep_plot: load is {load:g} N; an open contact carries no creep force. Give a load above 0."
        )
    drawn = _named(laws, mu)
    bound = load * (mu.mu if isinstance(mu, FallingFriction) else mu)
    spans = (REACH * bound / patch.f11, REACH * bound / patch.f22, REACH * bound / patch.f23)
    with style():
        figure = new_figure(9.0, 3.4 * len(PANELS) + 0.4, _title(patch, load, mu))
        for axes, (x_text, y_text, which, component) in zip(figure.subplots(len(PANELS), 1), PANELS, strict=True):
            x = np.linspace(0.0, spans[which], 200)
            for i, (name, law) in enumerate(drawn.items()):
                along, across, spin = (x if k == which else 0.0 * x for k in range(3))
                force = law.force(along, across, spin, load, patch, speed=speed)
                axes.plot(x if which == 2 else 100 * x, -force[component] / bound, label=name, **_look(i))
            axes.axhline(1.0, color=QUIET, linewidth=0.8, zorder=0)
            axes.set_ylim(0.0, 1.25)
            axes.set_xlabel(x_text)
            axes.set_ylabel(y_text)
        side_legend(figure.axes[0])
        return finish(figure, path)


def _look(index: int) -> Look:
    """Whole lines are broad and lie below, so that equal curves show both."""
    from trundle.view.style import COLOURS, DASHES

    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": DASHES[index % len(DASHES)],
        "linewidth": 3.0 if index % len(DASHES) == 0 else 1.6,
        "zorder": 2.0 if index % len(DASHES) == 0 else 3.0,
    }


def _named(laws: Sequence[CreepLaw] | Mapping[str, CreepLaw] | None, mu: Expr) -> dict[str, CreepLaw]:
    if isinstance(laws, Mapping):
        return dict(laws)
    if laws is not None:
        return {f"{i + 1} {type(law).__name__}": law for i, law in enumerate(laws)}
    return {
        "Linear (Kalker)": Linear(mu),
        "Johnson-Vermeulen": JohnsonVermeulen(mu),
        "Shen-Hedrick-Elkins": ShenHedrickElkins(mu),
        "Polach": Polach(mu),
        "FASTSIM 10 x 10": Fastsim(mu),
        "FASTSIM, elliptic bound": Fastsim(mu, 20, 20, "elliptic"),
        "Polach, falling friction": Polach(mu if isinstance(mu, FallingFriction) else FallingFriction(mu)),
    }


def _title(patch: Patch, load: float, mu: Expr) -> str:
    value = mu.mu if isinstance(mu, FallingFriction) else mu
    return f"Creep laws: a {1e3 * patch.a:.3g} mm, b {1e3 * patch.b:.3g} mm, {1e-3 * load:.3g} kN, mu {value:g}"
