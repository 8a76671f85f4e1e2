"""The half-plane of percussion centres and its domains, in a picture."""

from pathlib import Path

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon

from trundle.typing import Array, Look
from trundle.view.regions import cut_polygon, name_region
from trundle.view.style import FAINT, INK, QUIET, WARNING, finish, new_figure, style
from trundle.walker.impact.critical import critical_values
from trundle.walker.impact.percussion import PercussionPlane
from trundle.walker.impact.scenario import Scenario
from trundle.walker.pictures.percussion_jump import draw_jump
from trundle.walker.pictures.percussion_panel import Window, draw_panel, draw_spokes

DOMAINS = {
    "double point": ("#E9A9A0", "DP: the back foot is driven down"),
    "jamb": ("#F2CE8A", "jamb: forward sliding surely stops"),
    "reversal": ("#CDB7DE", "backward: falls, may reverse to forward"),
    "backward": ("#A9CBE6", "backward: falls, may end in stick"),
    "growing": ("#BFE0C4", "forward: grows to the end"),
    "falling": ("#DCE6A8", "forward: falls, may end in stick"),
}
SIDE = 4.8  # inches for the legend and the numbers of the axes


def plot_percussion_plane(
    half_angle: float,
    inertia_ratio: float | None = None,
    friction: float | None = None,
    path: Path | str | None = None,
    width: float = 10.6,
    scenario: Scenario | None = None,
) -> Figure:
    """Domains of the half-plane for a half angle (rad); with an inertia ratio its line and critical points, and with
    friction too the centres of forward and backward sliding; with the scenario of an impact the centres of its phases
    and the jump from one to the other.
    """
    plane = PercussionPlane(half_angle)
    window = Window(plane, inertia_ratio, () if scenario is None else [phase.centre for phase in scenario.phases])
    with style():
        title = f"Percussion centres, half angle β = {np.degrees(half_angle):.4g}°"
        figure = new_figure(width, max((width - SIDE) * window.ratio + 0.9, 4.2), title)
        axes = figure.add_subplot()
        handles = draw_plane(axes, plane, window, inertia_ratio, friction, scenario)
        axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
        name_domains(figure, axes, plane, window, inertia_ratio)
        return finish(figure, path, formulas=True)


def draw_plane(
    axes: Axes,
    plane: PercussionPlane,
    window: Window,
    inertia_ratio: float | None = None,
    friction: float | None = None,
    scenario: Scenario | None = None,
) -> list[Artist]:
    """Draw what `plot_percussion_plane` shows into axes; the handles of a legend are returned."""
    draw_panel(axes, window)
    for name, polygon in domains(plane, window).items():
        axes.add_patch(Polygon(polygon, closed=True, facecolor=DOMAINS[name][0], edgecolor="none", zorder=0))
    handles: list[Artist] = [Patch(facecolor=colour, label=text) for colour, text in DOMAINS.values()]
    handles += _draw_later_area(axes, plane, window) + _draw_lines(axes, plane, window)
    if inertia_ratio is not None:
        handles += _draw_wheel(axes, plane, inertia_ratio, friction)
    if scenario is not None:
        handles += draw_jump(axes, window, scenario)
        axes.set_title(_title(scenario), loc="left", fontsize=9.5)
    draw_spokes(axes, plane)
    return handles


def _title(scenario: Scenario) -> str:
    given = scenario.phases[0].impact
    return (
        f"slip {given.slip:+.3g}, approach {given.approach:.3g} (m/s), friction {given.friction:.4g}: {scenario.label}"
    )


def domains(plane: PercussionPlane, window: Window) -> dict[str, Array]:
    """Polygons of the domains inside the window; empty ones are left out."""
    s, c = plane.reach, plane.height
    inside = (-np.sin(plane.half_angle), np.cos(plane.half_angle), 0.0)
    behind = (-1.0, 0.0, s)
    arc = _arc(plane)
    under = np.vstack([arc, [(arc[-1, 0], 0.0)]])
    over = np.vstack([arc, [(arc[-1, 0], window.high), (0.0, window.high)]])
    view = [(1.0, 0.0, window.left), (0.0, -1.0, -window.high)]
    found = {
        "double point": cut_polygon(window.corners, [inside, (1.0, 0.0, -s), (-1.0, 0.0, 0.0)]),
        "jamb": cut_polygon(window.corners, [inside, (1.0, 0.0, 0.0), (-1.0, 0.0, -s)]),
        "reversal": cut_polygon(under, [*view, behind]),
        "backward": cut_polygon(over, [*view, behind]),
        "growing": cut_polygon(window.corners, [inside, behind, (0.0, -1.0, 0.0), (0.0, 1.0, -c)]),
        "falling": cut_polygon(window.corners, [inside, behind, (0.0, -1.0, c)]),
        "falling ahead": cut_polygon(window.corners, [inside, (1.0, 0.0, s)]),
    }
    ahead = found.pop("falling ahead")
    if len(ahead):  # two polygons of one domain, joined by a line without width
        behind_too = found["falling"]
        found["falling"] = np.vstack([behind_too, behind_too[:1], ahead, ahead[:1]]) if len(behind_too) else ahead
    return {name: polygon for name, polygon in found.items() if len(polygon) > 2}


def _arc(plane: PercussionPlane) -> Array:
    """Points of the hyperbola, from G almost to its asymptote."""
    y = plane.height * (1 - np.geomspace(1.0, 1e-3, 300))
    return np.column_stack([plane.hyperbola(y), y])


def _draw_lines(axes: Axes, plane: PercussionPlane, window: Window) -> list[Artist]:
    s, c = plane.reach, plane.height
    for x in (-s, 0.0, s):
        axes.plot([x, x], [window.low, window.high], color=QUIET, linewidth=0.8, linestyle=(0, (4, 2)), zorder=2)
    axes.plot([window.left, 0.0], [0.0, 0.0], color=QUIET, linewidth=0.8, linestyle=(0, (4, 2)), zorder=2)
    axes.axhline(-c, color=INK, linewidth=1.3, zorder=3)
    for lam in (0.0, 0.5, 1.0):
        axes.plot(
            *plane.inertia_line(lam).at(np.array([-20.0, 20.0])),
            color="#5A6068",
            linewidth=1.2 if lam == 0 else 0.7,
            zorder=2,
        )
    arc = _arc(plane)
    axes.plot(arc[:, 0], arc[:, 1], color="#5B4A9C", linewidth=1.4, zorder=3)
    return [
        Line2D([], [], color=INK, linewidth=1.3, label="ground"),
        Line2D([], [], color="#5B4A9C", linewidth=1.4, label="conjugated critical centres (eq. 4.2)"),
        Line2D([], [], color="#5A6068", linewidth=1.0, label="λ-lines 0 (limit of the half-plane), 0.5, 1"),
        Line2D([], [], color=QUIET, linewidth=0.8, linestyle=(0, (4, 2)), label="lines through G and the feet"),
    ]


def _draw_later_area(axes: Axes, plane: PercussionPlane, window: Window) -> list[Artist]:
    limit = plane.limit_inertia()
    if limit <= 1e-9:
        return []
    s, c = np.sin(plane.half_angle), np.cos(plane.half_angle)
    strip = [(-s, c, 0.0), (s, -c, -limit)]
    look: Look = {"facecolor": "none", "edgecolor": WARNING, "hatch": "///", "linewidth": 0.0}
    for side in ([(-1.0, 0.0, plane.reach)], [(1.0, 0.0, 0.0)]):
        polygon = cut_polygon(window.corners, [*strip, *side])
        if len(polygon) > 2:
            axes.add_patch(Polygon(polygon, closed=True, zorder=1, **look))
    return [Patch(label=f"SP-DP: stick would drive the back foot down (λ < {limit:.3g})", **look)]


def _draw_wheel(axes: Axes, plane: PercussionPlane, lam: float, friction: float | None) -> list[Artist]:
    """The line of one wheel, its critical points, and the centres for one coefficient of friction."""
    mu_c = critical_values(lam, plane.half_angle).mu_c
    x, y = plane.inertia_line(lam).at(np.array([-20.0, 20.0]))
    axes.plot(x, y, color=WARNING, linewidth=1.8, zorder=4)
    handles: list[Artist] = [Line2D([], [], color=WARNING, linewidth=1.8, label=f"λ = {lam:.4g}")]
    marks = [(plane.critical_point(lam), "s", f"critical centre, μ$_c$ = {mu_c:.4f}")]
    marks += [(plane.conjugated_point(lam), "D", "conjugated critical centre")]
    if friction is not None:
        for sliding, sign, mark in (("forward", -1, ">"), ("backward", 1, "<")):
            marks.append((plane.centre(lam, sign * friction), mark, f"{sliding} sliding, μ = {friction:.4g}"))
            line = plane.friction_line(friction, "forward" if sign < 0 else "backward")
            axes.plot(*line.at(np.array([0.0, 20.0])), color=WARNING, linewidth=0.9, linestyle=":", zorder=3)
    for (px, py), mark, text in marks:
        look: Look = {"marker": mark, "color": WARNING, "linestyle": "none"}
        look |= {"markeredgecolor": "white", "markersize": 8.0}
        axes.plot([px], [py], zorder=6, **look)
        handles.append(Line2D([], [], label=text, **look))
    return handles


def name_domains(
    figure: Figure, axes: Axes, plane: PercussionPlane, window: Window, inertia_ratio: float | None = None
) -> None:
    """Write the names of the domains where there is room for them."""
    wheels = (0.5, 1.0) if inertia_ratio is None else (0.5, 1.0, inertia_ratio)
    figure.draw_without_rendering()
    x, y, px, py = window.grid()
    s, c = plane.reach, plane.height
    inside, behind = plane.inside(px, py), px < -s
    reversal = plane.reversal(px, py) & behind
    spokes = (np.abs(py + np.abs(px) * c / s) < 0.06 / s) & (py < 0.05) & (py > -c - 0.3)
    lam = plane.inertia_ratio(px, py)
    lines = (np.abs(py + c) < 0.03) | np.any([np.abs(lam - k) < 0.03 for k in wheels], axis=0)
    curve = (np.abs(plane.kappa(px, py) * (lam + c * c) - s * c) < 0.12 * s * c) & inside & (px < 0) & (py > 0)
    drawn = (spokes, lines, curve)
    names = (
        ("DP", plane.double_point(px, py)),
        ("jamb", plane.jamb(px, py)),
        ("may\nreverse", reversal),
        ("backward,\nmay stick", inside & behind & (py > 0) & ~reversal),
        ("forward,\nslip grows", inside & behind & (py < 0) & (py > -c)),
        ("forward,\nmay stick", inside & behind & (py < -c)),
        ("forward,\nmay stick", inside & (px > s)),
        ("no centre", ~inside & (py < -c) & (px > 0)),
    )
    for name, mask in names:
        name_region(axes, x, y, mask, name, drawn)
    axes.set_facecolor(FAINT)
