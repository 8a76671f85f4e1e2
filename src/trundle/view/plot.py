"""Quantities, energy and eigenvalues as figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from trundle.errors import UnknownNameError
from trundle.messages.arguments import advised
from trundle.quantity import units_of
from trundle.typing import AnyArray, Array
from trundle.view.bands import contacts_of, draw_bands
from trundle.view.style import (
    COLOURS,
    INK,
    QUIET,
    WARNING,
    finish,
    legend_name,
    line_style,
    new_figure,
    side_legend,
    style,
)  # fmt: skip
from trundle.view.units import pretty

if TYPE_CHECKING:
    from trundle.run.run import Run
    from trundle.study.linearise import Linearisation

MOST = 8  # coordinates drawn when no names are given
KINDS = {
    "rad": "angle", "rad/s": "angular velocity", "rad/s^2": "angular acceleration",
    "m": "length", "m/s": "velocity", "m/s^2": "acceleration",
    "N": "force", "N m": "moment", "J": "energy", "W": "power",
}  # fmt: skip


@final
@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a panel."""

    label: str
    unit: str
    values: AnyArray


@advised(
    "",
    "run.plot",
    **dict.fromkeys("xy", "give names of quantities, run.plot('bob.angle', 'bob.angle_rate')"),
    **dict.fromkeys(
        ("ax", "axes", "label", "color", "marker", "linestyle"),
        "draw into axes of your own, run['bob.angle'].plot(ax=axes, label='first')",
    ),
)
def plot_quantities(
    run: "Run",
    names: Sequence[str] = (),
    path: Path | str | None = None,
    title: str | None = None,
    width: float = 8.0,
    panel_height: float = 2.1,
) -> Figure:
    """Quantities over time, those of one unit in one panel; without names the first coordinates, or positions
    if there are none. Bands below show the state of contacts that stick, slide or open.
    """
    if "time" in names and "time" not in run:
        raise UnknownNameError("time", run.names, remedy="It is the horizontal axis of every plot: leave it out.")
    contacts = contacts_of(run)
    usual = (run.coordinates or [name for name in run.names if name.rpartition(".")[2] == "position"])[:MOST]
    banded = {f"{contact}.state" for contact in contacts} if set(names) - {f"{c}.state" for c in contacts} else set()
    shown = [name for name in names or usual if name not in banded]  # bands show the states
    curves = [curve for name in shown for curve in _curves(run, name)]
    units = list(dict.fromkeys(curve.unit for curve in curves))
    band = 0.3 * len(contacts) + 0.2 if contacts else 0.0
    with style():
        heading = run.model_name if title is None else title
        figure = new_figure(width, max(panel_height * len(units) + 0.7, 3.4) + band, heading)
        ratios = [panel_height] * len(units) + ([band] if contacts else [])
        panels = list(figure.subplots(len(ratios), 1, sharex=True, squeeze=False, height_ratios=ratios)[:, 0])
        for panel, unit in zip(panels, units, strict=False):
            _fill_panel(panel, run.time, [curve for curve in curves if curve.unit == unit], unit)
        if contacts:
            draw_bands(panels[-1], run, contacts)
        _mark_times(run, panels, named_in_bands=bool(contacts))
        return finish(figure, path)


def _curves(run: "Run", name: str) -> list[Curve]:
    values, unit, labels = run.values(name), run.unit(name), run.component_labels(name)
    if not labels:
        return [Curve(name, unit, values)]
    units = units_of(unit, len(labels))
    return [Curve(f"{name}_{label}", units[i], values[:, i]) for i, label in enumerate(labels)]


CLOSE = 0.12  # of the time shown: notes that are nearer to each other are written as one


def _fill_panel(panel: Axes, t: Array, curves: list[Curve], unit: str) -> None:
    for i, curve in enumerate(curves):
        panel.plot(t, curve.values, label=legend_name(curve.label), **line_style(i))
    what = in_words(curves[0].label) if len(curves) == 1 else KINDS.get(unit, "value")
    panel.set_ylabel(f"{what} ({pretty(unit)})" if unit else what)
    panel.margins(y=0.08)
    if len(curves) > 1:
        side_legend(panel)


def in_words(name: str) -> str:
    """A name for labels: crank angle rate for crank.angle_rate."""
    return name.replace(".", " ").replace("_", " ").strip() or name


def _mark_times(run: "Run", panels: Sequence[Axes], named_in_bands: bool = False) -> None:
    """Events as thin lines, named once above the first panel; near-singular passages as marks on the upper edge.
    Transitions of contacts that bands show are left out.
    """
    banded = contacts_of(run) if named_in_bands else ()
    panels[-1].set_xlabel("time (s)")
    if run.time[-1] > run.time[0]:
        panels[-1].set_xlim(run.time[0], run.time[-1])
    named: set[str] = set()
    for event in run.events:
        name, t = event
        if event.contact in banded:
            continue
        for panel in panels:
            panel.axvline(t, color=QUIET, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
        if name not in named:
            _note(panels[0], t, name, QUIET, len(named))
            named.add(name)
    for _, t, _ in run.near_singular:
        for panel in panels:
            panel.plot(t, 1.0, "v", color=WARNING, markersize=5, transform=panel.get_xaxis_transform(), clip_on=False)
    for i, (t, loops) in enumerate(first_passages(run.near_singular, CLOSE * float(run.time[-1] - run.time[0]))):
        more = f" and {len(loops) - 2} more" if len(loops) > 3 else ""
        names = ", ".join(loops[:2] if more else loops)
        _note(panels[0], t, f"{names}{more} near singular", WARNING, len(named) + i)


def first_passages(passages: Sequence[tuple[str, float, float]], close: float) -> list[tuple[float, list[str]]]:
    """The first near-singular passage of every loop; those closer than `close` (s) to each other share one note."""
    out: list[tuple[float, list[str]]] = []
    seen: set[str] = set()
    for loop, t, _ in sorted(passages, key=lambda passage: passage[1]):
        if loop in seen:
            continue
        seen.add(loop)
        if out and t - out[-1][0] <= close:
            out[-1][1].append(loop)
        else:
            out.append((t, [loop]))
    return out


def _note(panel: Axes, t: float, text: str, colour: str, number: int) -> None:
    """A name above the panel, on one of three levels so that neighbours do not overlap."""
    start, end = panel.get_xlim()
    right = t > start + 0.8 * (end - start)
    offset = (-3 if right else 3, 4 + 11 * (number % 3))
    panel.annotate(
        text, (t, 1.0), offset, xycoords=panel.get_xaxis_transform(), textcoords="offset points",
        ha="right" if right else "left", va="bottom", fontsize=8, color=colour, annotation_clip=False,
    )  # fmt: skip


@advised("", "run.energy.plot")
def plot_energy(run: "Run", path: Path | str | None = None, title: str | None = None, width: float = 8.0) -> Figure:
    """Terms of the energy balance, and below it the remaining error, relative to the energy exchanged."""
    energy = run.energy
    terms = {"kinetic": energy.kinetic, "potential": energy.potential, "total": energy.total}
    works = {"work in": energy.work_in, "work of events": energy.work_events, "work lost": energy.work_lost}
    terms |= {name: work for name, work in works.items() if np.any(work)}
    with style():
        figure = new_figure(width, 5.2, f"{run.model_name}: energy" if title is None else title)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2.2, 1))
        for i, (label, values) in enumerate(terms.items()):
            emphasis = {"color": INK, "linewidth": 2.0} if label == "total" else line_style(i if i < 2 else i - 1)
            above.plot(run.time, values, label=label, **emphasis)
        above.set_ylabel("energy (J)")
        above.margins(y=0.08)
        side_legend(above)
        relative = np.abs(energy.imbalance) / energy.scale
        below.plot(run.time, np.where(relative > 0, relative, np.nan), color=WARNING, linewidth=1.1)
        below.set_yscale("log")
        if not np.any(relative > 0):
            below.set_ylim(1e-17, 1e-15)
        below.set_ylabel("relative imbalance")
        worst = f"largest {energy.drift:.1e} of {energy.scale:.3g} J" if energy.scale > 1e-200 else "none"
        below.set_title(worst, loc="right", fontsize=9, color=QUIET)
        _mark_times(run, (above, below))
        return finish(figure, path)


def plot_eigenvalues(
    linearisations: "Linearisation | Sequence[Linearisation]",
    values: Sequence[float] | None = None,
    parameter: str = "",
    path: Path | str | None = None,
    title: str | None = None,
    width: float = 6.4,
) -> Figure:
    """Eigenvalues in the complex plane; several linearisations with the `values` of a parameter make a root locus."""
    several = list(linearisations) if isinstance(linearisations, Sequence) else [linearisations]
    points = [np.asarray(one.eigenvalues) for one in several]
    with style():
        usual = "Root locus" if len(several) > 1 else "Eigenvalues"
        figure = new_figure(width, 0.78 * width, usual if title is None else title)
        axes = figure.subplots()
        x, y = np.concatenate(points).real, np.concatenate(points).imag
        if len(several) == 1:
            axes.plot(x, y, "o", color=COLOURS[0], markersize=7, markeredgecolor="white", markeredgewidth=0.8)
            _name_oscillations(axes, several[0])
        else:
            given = np.arange(len(several)) if values is None else np.asarray(values, dtype=float)
            colour = np.concatenate([np.full(len(p), v) for p, v in zip(points, given, strict=True)])
            dots = axes.scatter(x, y, c=colour, s=18, cmap="viridis", linewidths=0, zorder=3)
            figure.colorbar(dots, ax=axes, label=parameter or "number", pad=0.02, aspect=30).outline.set_visible(False)
        _set_complex_plane(axes, x, y)
        return finish(figure, path)


def _set_complex_plane(axes: Axes, x: Array, y: Array) -> None:
    """Limits with room for labels, axes through zero, and the unstable half-plane shaded."""
    reach = float(max(np.abs(x).max(initial=0.0), 0.02 * np.abs(y).max(initial=0.0), 1e-9))
    tall = float(max(np.abs(y).max(initial=0.0), 1e-9))
    left, right = float(x.min(initial=0.0)) - 0.2 * reach, float(x.max(initial=0.0)) + 0.35 * reach
    axes.set_xlim(left, right)
    axes.set_ylim(-1.15 * tall, 1.15 * tall)
    axes.axvspan(0, right, color=WARNING, alpha=0.06, linewidth=0, zorder=0)
    axes.text(1.0, 0.01, "unstable ", color=WARNING, fontsize=8, transform=axes.transAxes, ha="right", va="bottom")
    axes.axhline(0, color=QUIET, linewidth=0.8, zorder=1)
    axes.axvline(0, color=QUIET, linewidth=0.8, zorder=1)
    axes.set_xlabel("real part (1/s)")
    axes.set_ylabel("imaginary part (rad/s)")


def _name_oscillations(axes: Axes, linearisation: "Linearisation") -> None:
    """Frequency and damping beside the upper one of each pair, moved up where two would overlap."""
    rows = sorted((row for row in linearisation.table() if row["imaginary"] > 0), key=lambda row: row["imaginary"])
    if not rows:
        return
    points_per_unit = 130.0 / rows[-1]["imaginary"]  # the upper half of the panel is about 130 points high
    lowest = -np.inf
    for row in rows:
        height = row["imaginary"] * points_per_unit
        lowest = max(height, lowest + 11.0)
        damping = "undamped" if abs(row["damping_ratio"]) < 1e-9 else f"ζ = {row['damping_ratio']:.2g}"
        axes.annotate(
            f"{row['frequency_hz']:.3g} Hz, {damping}", (row["real"], row["imaginary"]), (8, lowest - height),
            textcoords="offset points", va="center", fontsize=8, color=INK,
        )  # fmt: skip
