"""The plane of inertia ratio and friction, coloured by what happens in an impact."""

from pathlib import Path

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from trundle.typing import AnyArray, Array, Flags, Look, Untyped
from trundle.view.regions import name_region
from trundle.view.style import INK, WARNING, finish, new_figure, style
from trundle.walker.impact.closed_form import LABELS
from trundle.walker.impact.critical import critical_values
from trundle.walker.impact.scenario import ScenarioArray, check_impact, predict

COLOURS = ("#E9A9A0", "#BFE0C4", "#A9CBE6", "#D9D9D9", "#DCE6A8", "#8FB7DA", "#CDB7DE", "#F2CE8A")
JAMB = len(LABELS)  # one more colour, for jamb
NAMES = (*LABELS, "forward+stick, jamb")
HOLDS = "μ$_c$: a foot at rest stays above"
STEPS = (900, 720)


def plot_scenarios(
    half_angle: float,
    slip: float = 0.3,
    approach: float = -1.0,
    restitution: float = 0.0,
    largest: tuple[float | None, float | None] = (None, None),
    path: Path | str | None = None,
    width: float = 9.4,
) -> Figure:
    """Scenarios over inertia ratio and friction (up to `largest`) for a half angle (rad) and a start."""
    check_impact(0.0, half_angle, 0.0, slip, approach, restitution)
    reach = critical_values(0.6, half_angle)
    lam_top = largest[0] or (1.2 if slip >= 0 else 2.0)
    mu_top = largest[1] or float(max(min(1.35 * reach.mu_j, 6.0), 1.3 * reach.tan_beta))
    lam, mu = np.linspace(0.0, lam_top, STEPS[0]), np.linspace(0.0, mu_top, STEPS[1])
    found = predict(lam, half_angle, mu[:, None], slip, approach, restitution)
    classes = np.where(found.jamb, JAMB, found.code)
    with style():
        figure = new_figure(width, 0.6 * width, f"Scenarios of an impact, half angle β = {np.degrees(half_angle):.4g}°")
        axes = figure.add_subplot()
        axes.grid(False)
        look: Look = {
            "cmap": ListedColormap(COLOURS),
            "vmin": -0.5,
            "vmax": JAMB + 0.5,
            "origin": "lower",
            "aspect": "auto",
        }
        axes.imshow(classes, extent=(0, lam_top, 0, mu_top), interpolation="nearest", zorder=0, **look)
        handles: list[Artist] = [Patch(facecolor=COLOURS[k], label=NAMES[k]) for k in np.unique(classes)]
        handles += _hatch(axes, lam, mu, found) + _draw_critical(axes, lam, half_angle, slip)
        axes.set_xlim(0, lam_top)
        axes.set_ylim(0, mu_top)
        axes.set_xlabel("inertia ratio λ = I$_G$ / (m L²)")
        axes.set_ylabel("coefficient of friction μ")
        notes = f"slip {slip:+.3g}, approach {approach:.3g} (m/s), restitution {restitution:.3g}"
        axes.set_title(notes, loc="left", fontsize=9.5)
        axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
        figure.draw_without_rendering()
        _name_scenarios(axes, lam[::4], mu[::4], classes[::4, ::4], found.back_foot_lands[::4, ::4], half_angle, slip)
        return finish(figure, path, formulas=True)


def _name_scenarios(
    axes: Axes, lam: Array, mu: Array, classes: AnyArray, hatched: Flags, half_angle: float, slip: float
) -> None:
    lines = critical_lines(lam, half_angle, slip).values()
    drawn = [hatched, *(np.abs(mu[:, None] - friction) < 0.012 * mu[-1] for friction, _, _ in lines)]
    upright = np.abs(lam + np.cos(2 * half_angle)) < 0.008 * lam[-1]
    drawn.append(np.broadcast_to(upright, classes.shape))
    for k in np.unique(classes):
        name = NAMES[k].replace("+", "\n+ ").replace(", ", ",\n")
        name_region(axes, lam, mu, classes == k, name, drawn)


def _hatch(axes: Axes, lam: Array, mu: Array, found: ScenarioArray) -> list[Artist]:
    """Where the back foot comes down in a later phase."""
    handles: list[Artist] = []
    areas = {
        "double contact later": (found.double_contact, "///"),
        "back foot lands after the release": (found.back_foot_lands & ~found.double_contact, "..."),
    }
    for text, (mask, hatch) in areas.items():
        if mask.any():
            drawn = axes.contourf(lam, mu, mask.astype(float), levels=[0.5, 1.5], colors="none", hatches=[hatch])
            drawn.set_edgecolor(WARNING)
            drawn.set_linewidth(0.0)
            handles.append(Patch(facecolor="none", edgecolor=WARNING, hatch=hatch, linewidth=0.0, label=text))
    return handles


def critical_lines(lam: Array, half_angle: float, slip: float) -> dict[str, tuple[Array, Untyped, str]]:
    """Friction over inertia ratio, dash and colour of the critical lines for the direction of the slip."""
    critical = critical_values(lam, half_angle)
    if slip < 0:
        limit = critical.mu_DP_backward
        return {
            "DP above, backward sliding": (np.where(limit > 0, limit, np.nan), "-", WARNING),
            HOLDS: (critical.mu_c, "-", "#1B5E20"),
        }
    mu_DP = np.where(critical.mu_DP > 0, critical.mu_DP, np.nan)
    lines = {
        "μ$_j$: jamb above": (critical.mu_j, "-", "#8A5A00"),
        "tan β: impulse through G": (critical.tan_beta, (0, (1.2, 1.2)), INK),
        HOLDS: (critical.mu_c, "-", "#1B5E20"),
        "μ$_{DP}$: DP below, forward sliding": (mu_DP, "-", WARNING),
    }
    return lines if slip > 0 else {HOLDS: lines[HOLDS]}


def _draw_critical(axes: Axes, lam: Array, half_angle: float, slip: float) -> list[Artist]:
    handles: list[Artist] = []
    for text, (friction, dash, colour) in critical_lines(lam, half_angle, slip).items():
        axes.plot(lam, friction, color=colour, linestyle=dash, linewidth=1.5, zorder=3)
        handles.append(Line2D([], [], color=colour, linestyle=dash, linewidth=1.5, label=text))
    limit = -np.cos(2 * half_angle)
    if 0 < limit < lam[-1] and slip >= 0:
        look: Look = {"color": INK, "linestyle": (0, (5, 2)), "linewidth": 1.0}
        axes.axvline(limit, zorder=3, **look)
        handles.append(Line2D([], [], label="λ = -cos 2β: stick drives Q$_b$ down, left of it", **look))
    return handles
