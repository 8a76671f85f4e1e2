"""The figures of [Barjau 2022], drawn anew: 7, 11, 12, 14 to 20, 22 to 24.

python -m benchmarks.impact_figures [--out DIR] [NUMBER ...]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from benchmarks.impact_pictures import with_weight
from trundle.view.regions import cut_polygon
from trundle.view.style import COLOURS, INK, QUIET, WARNING, new_figure, style
from trundle.walker import PercussionPlane, Scenario, critical_values, predict
from trundle.walker.pictures.percussion import draw_plane, name_domains
from trundle.walker.pictures.percussion_panel import Window, draw_panel, draw_spokes
from trundle.walker.pictures.percussion_signs import plot_signs

FOLDER = Path(__file__).parents[1] / "docs" / "impacts" / "figures"
SIXTY, THIRTY = np.radians(60.0), np.radians(30.0)
BLOCK = 1 / 3  # inertia ratio of a rocking block
FAR = np.array([-20.0, 20.0])
HALF = "#EDEFF2"


def half_plane(axes: Axes, plane: PercussionPlane, window: Window) -> None:
    """The half-plane of centres, grey, with spokes, ground, and the lines through G and the feet."""
    s, c = np.sin(plane.half_angle), np.cos(plane.half_angle)
    draw_panel(axes, window)
    axes.add_patch(Polygon(cut_polygon(window.corners, [(-s, c, 0.0)]), facecolor=HALF, edgecolor="none", zorder=0))
    axes.axhline(-plane.height, color=INK, linewidth=1.2)
    axes.axhline(0.0, color=QUIET, linewidth=0.7, linestyle=(0, (4, 2)))
    for x in (-plane.reach, 0.0, plane.reach):
        axes.axvline(x, color=QUIET, linewidth=0.7, linestyle=(0, (4, 2)))
    draw_spokes(axes, plane)


def inertia_lines(axes: Axes, plane: PercussionPlane, ratios: Sequence[float], colour: str = QUIET) -> None:
    """Lambda-lines with their numbers at the ground."""
    for ratio in ratios:
        axes.plot(*plane.inertia_line(ratio).at(FAR), color=colour, linewidth=1.0)
        x, y = plane.critical_point(ratio)
        axes.annotate(
            f"{ratio:.3g}", (float(x), float(y)), (-3, -11), textcoords="offset points", fontsize=8, ha="right"
        )


def figure_7() -> Figure:
    """Lambda-lines of one half angle; that of a rocking block in red."""
    plane = PercussionPlane(SIXTY)
    with style():
        figure = new_figure(6.4, 5.6, "λ-lines, half angle β = 60°")
        axes = figure.add_subplot()
        half_plane(axes, plane, Window(plane, None))
        inertia_lines(axes, plane, (0.0, 0.5, 0.75, 1.0))
        axes.plot(*plane.inertia_line(BLOCK).at(FAR), color=WARNING, linewidth=1.6)
        axes.set_title("λ at the ground line; red: homogeneous block, λ = 1/3", loc="left", fontsize=9.5)
        return figure


def figure_11() -> Figure:
    """Lambda-lines and mu-lines for forward and backward sliding."""
    plane = PercussionPlane(SIXTY)
    with style():
        figure = new_figure(11.0, 5.6, "λ-lines and μ-lines, half angle β = 60°")
        for axes, sliding in zip(figure.subplots(1, 2), ("forward", "backward"), strict=True):
            half_plane(axes, plane, Window(plane, None))
            inertia_lines(axes, plane, (0.0, 0.5, 1.0))
            for n, friction in enumerate((0.0, 0.3, 0.8, 1.4, 2.5, 4.0)):
                line = plane.friction_line(friction, sliding)
                axes.plot(*line.at(np.array([0.0, 20.0])), color=COLOURS[n % len(COLOURS)], label=f"μ = {friction:g}")
            axes.set_title(f"{sliding} sliding", loc="left")
            axes.legend(loc="lower right", fontsize=8, frameon=True, framealpha=1.0)
        return figure


def figure_12() -> Figure:
    """Signs of the changes of motion."""
    return plot_signs(SIXTY)


def jumps(title: str, half_angle: float, ratio: float, impacts: dict[str, Scenario]) -> Figure:
    """The half-plane with the centres of several impacts of one wheel, side by side."""
    plane = PercussionPlane(half_angle)
    points = [phase.centre for found in impacts.values() for phase in found.phases]
    window = Window(plane, ratio, points)
    with style():
        figure = new_figure(5.4 * len(impacts), 4.7 * window.ratio + 1.1, title)
        row: Any = figure.subplots(1, len(impacts), squeeze=False)[0]
        for axes, (name, found) in zip(row, impacts.items(), strict=True):
            draw_plane(axes, plane, window, ratio, None, found)
            axes.set_title(f"{name}: {found.label}", loc="left", fontsize=10)
        for axes in row:
            name_domains(figure, axes, plane, window, ratio)
        return figure


def both_ways(friction: float, what: str) -> Figure:
    """A wheel with lambda = 0.625 and a half angle of 30 degrees whose foot slides forward, and backward."""
    found = {f"({letter}) slip {slip:+g} m/s": predict(0.625, THIRTY, friction, slip)
             for letter, slip in (("a", 0.05), ("b", -0.05))}  # fmt: skip
    return jumps(f"{what}, μ = {friction:.3g}: λ = 0.625, β = 30°", THIRTY, 0.625, found)


def figure_14() -> Figure:
    """Critical friction: forward sliding stays as it is, backward sliding ends in stick."""
    return both_ways(critical_values(0.625, THIRTY).mu_c, "Critical friction")


def figure_15() -> Figure:
    """Less friction: forward sliding grows, backward sliding is reversed."""
    return both_ways(0.15, "Less than critical friction")


def figure_16() -> Figure:
    """More friction: sliding ends in stick."""
    return both_ways(0.6, "More than critical friction")


def figure_17() -> Figure:
    """A foot at rest: without friction, with less and with more than the critical one."""
    found = {f"μ = {mu:g}": predict(0.625, THIRTY, mu, 0.0) for mu in (0.0, 0.15, 0.6)}
    return jumps("A foot that rests along the ground: λ = 0.625, β = 30°", THIRTY, 0.625, found)


def maps(title: str, angles: Sequence[float], ratio: float | None = None) -> Figure:
    """Complete maps side by side."""
    with style():
        figure = new_figure(4.6 * len(angles), 4.6, title)
        row: Any = figure.subplots(1, len(angles), squeeze=False)[0]
        shown = []
        for axes, beta in zip(row, angles, strict=True):
            plane = PercussionPlane(beta)
            window = Window(plane, ratio)
            handles = draw_plane(axes, plane, window, ratio)
            axes.set_title(f"β = {np.degrees(beta):.4g}°", loc="left")
            shown.append((axes, plane, window))
            if len(angles) == 1:
                axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
        for axes, plane, window in shown:
            name_domains(figure, axes, plane, window, ratio)
        return figure


def figure_18() -> Figure:
    """The hyperbola of conjugated critical centres, with the area of reversal below it."""
    plane = PercussionPlane(THIRTY)
    with style():
        figure = new_figure(7.2, 3.9, "Conjugated critical centres (eq. 4.2), half angle β = 30°")
        axes = figure.add_subplot()
        half_plane(axes, plane, Window(plane, 1.5))
        y = plane.height * (1 - np.geomspace(1.0, 1e-3, 300))
        axes.plot(plane.hyperbola(y), y, color="#5B4A9C", linewidth=1.6)
        axes.fill_between(plane.hyperbola(y), 0, y, color="#CDB7DE", linewidth=0)
        axes.axhline(plane.height, color="#5B4A9C", linewidth=0.8, linestyle=":")
        for ratio in (0.25, 0.5, 1.0, 1.5):
            axes.plot(*plane.inertia_line(ratio).at(FAR), color=QUIET, linewidth=0.8)
            for point, mark in ((plane.critical_point(ratio), "s"), (plane.conjugated_point(ratio), "D")):
                axes.plot(*point, marker=mark, color=WARNING, markeredgecolor="white", markersize=8)
        axes.set_title("squares: critical, diamonds: conjugated, λ = 0.25, 0.5, 1, 1.5; dots: asymptote", loc="left",
                       fontsize=9.5)  # fmt: skip
        return figure


def figure_19() -> Figure:
    """The complete map for 60, 45 and 30 degrees: an SP-DP area only above 45 degrees."""
    return maps("Maps of the half-plane", (SIXTY, np.pi / 4, THIRTY))


def figure_20() -> Figure:
    """Centres in the SP-DP area: A outside the jamb domain, B inside."""
    found = {f"({name}) μ = {mu:g}": predict(0.25, SIXTY, mu, 0.1) for name, mu in (("A", 1.4), ("B", 2.9))}
    return jumps("From a single-point to a double-point collision: λ = 0.25, β = 60°, slip 0.1 m/s", SIXTY, 0.25, found)


def simplified(half_angle: float, ratio: float, marks: dict[str, float], title: str) -> Figure:
    """The few lines that predict the phases of forward sliding, with the centres of some coefficients of friction."""
    plane = PercussionPlane(half_angle)
    critical = critical_values(ratio, half_angle)
    finite = [plane.centre(ratio, -mu) for mu in marks.values() if np.isfinite(mu)]
    window = Window(plane, ratio, [(float(x), float(y)) for x, y in finite])
    with style():
        figure = new_figure(8.6, 5.8 * window.ratio + 0.9, title)
        axes = figure.add_subplot()
        half_plane(axes, plane, window)
        for lam in (0.0, 1.0):
            axes.plot(*plane.inertia_line(lam).at(FAR), color=QUIET, linewidth=0.9)
        axes.plot(*plane.inertia_line(ratio).at(FAR), color=WARNING, linewidth=1.8)
        axes.plot(
            *plane.friction_line(critical.mu_c, "forward").at(np.array([0, 20.0])), color="#1B5E20", linewidth=1.2
        )
        for x, name in ((-plane.reach / 2, "DP"), (plane.reach / 2, "jamb")):
            axes.axvspan(x - plane.reach / 2, x + plane.reach / 2, color=WARNING, alpha=0.07, linewidth=0)
            axes.text(x, window.high - 0.15, name, ha="center", color=WARNING)
        lines = []
        for name, mu in marks.items():
            x, y = plane.centre(ratio, -mu) if np.isfinite(mu) else (0.0, ratio / np.cos(half_angle))
            told = f"μ = {mu:.4g}" if np.isfinite(mu) else "μ = ∞"
            lines.append(f"{name}: {told}, {_does(ratio, half_angle, mu)}")
            if window.left < x < window.right and window.low < y < window.high:
                axes.plot([x], [y], marker="o", color=INK, zorder=8)
                axes.annotate(name, (float(x), float(y)), (6, 5), textcoords="offset points", fontsize=10, zorder=9)
        axes.text(1.02, 0.98, "\n".join(lines), transform=axes.transAxes, va="top", fontsize=9)
        return figure


def _does(ratio: float, half_angle: float, mu: float) -> str:
    found = predict(ratio, half_angle, min(mu, 1e6), 1e-4)
    return found.label + (", jamb" if found.jamb else "")


def figure_23() -> Figure:
    """The simplified map of the wheel with lambda = 0.625 and a half angle of 60 degrees."""
    c = critical_values(0.625, SIXTY)
    marks = {"A": 0.0, "B": c.mu_DP, "PC$_c$": c.mu_c, "C": 0.7, "D": 3.0, "E": c.mu_j, "F": np.inf}
    return simplified(SIXTY, 0.625, marks, "Simplified map, λ = 0.625, β = 60°")


def figure_24() -> Figure:
    """The simplified map of a rocking block at the half angle below which no double point is."""
    beta = critical_values(BLOCK, 1.0).beta_DP
    c = critical_values(BLOCK, beta)
    title = f"Simplified map of a rocking block, λ = 1/3, β$_{{DP}}$ = {np.degrees(beta):.2f}°"
    return simplified(beta, BLOCK, {"A": 0.0, "PC$_c$": c.mu_c, "E": c.mu_j, "F": np.inf}, title)


FIGURES = {
    "7": figure_7, "11": figure_11, "12": figure_12, "14": figure_14, "15": figure_15, "16": figure_16,
    "17": figure_17, "18": figure_18, "19": figure_19, "20": figure_20, "22": with_weight, "23": figure_23,
    "24": figure_24,
}  # fmt: skip


def main() -> None:
    """Draw all, or those with the given numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("numbers", nargs="*", default=list(FIGURES))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for number in given.numbers:
        path = given.out / f"figure-{number}.png"
        FIGURES[number]().savefig(path, dpi=80)
        print(path)


if __name__ == "__main__":
    main()
