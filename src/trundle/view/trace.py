"""Traces as figures: quantities over the driven coordinate, and the surfaces in contact with the way of the contact."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from trundle.errors import SolveError
from trundle.messages.arguments import advised
from trundle.model.body import Frame
from trundle.model.part_check import evaluate
from trundle.pairs.higher import HigherPair
from trundle.pairs.surface import Surface
from trundle.typing import AnyArray, Index
from trundle.view.outline import Points
from trundle.view.plot import KINDS
from trundle.view.scene3d import Camera, Scene3D
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
)
from trundle.view.surface import draw_skin, picture_height
from trundle.view.units import pretty

if TYPE_CHECKING:
    from trundle.run.trace import Trace

MOST = 8  # quantities drawn when no names are given
Range = tuple[float, float]
SKINS = ("#C9DCEB", "#F3D3BC")  # of the first and the second surface


@advised("", "trace.plot")
def plot_trace(
    trace: "Trace",
    names: Sequence[str] = (),
    path: Path | str | None = None,
    title: str | None = None,
    width: float = 8.0,
    panel_height: float = 2.1,
) -> Figure:
    """Quantities over the driven coordinate, those of one unit in one panel; without names the coordinates."""
    usual = [n for n in trace.names if trace[n].ndim == 1 and trace[n].attrs.get("units") in ("m", "rad")]
    curves = [curve for name in names or usual[:MOST] for curve in _curves(trace, name)]
    units = list(dict.fromkeys(unit for _, unit, _ in curves))
    with style():
        heading = trace.model_name if title is None else title
        figure = new_figure(width, max(panel_height * len(units) + 0.7, 3.4), heading)
        panels = list(figure.subplots(max(len(units), 1), 1, sharex=True, squeeze=False)[:, 0])
        for panel, unit in zip(panels, units, strict=False):
            here = [curve for curve in curves if curve[1] == unit]
            for i, (label, _, values) in enumerate(here):
                panel.plot(trace.value, values, label=legend_name(label), **line_style(i))
            what = here[0][0] if len(here) == 1 else KINDS.get(unit, "value")
            panel.set_ylabel(f"{what} ({pretty(unit)})" if unit else what)
            panel.margins(y=0.08)
            if len(here) > 1:
                side_legend(panel)
        unit = str(trace.dataset[trace.driven].attrs.get("units", ""))
        panels[-1].set_xlabel(f"{trace.driven} ({unit})" if unit else trace.driven)
        _mark_events(trace, panels)
        return finish(figure, path)


def _curves(trace: "Trace", name: str) -> list[tuple[str, str, AnyArray]]:
    """Label, unit and values of a quantity and its components."""
    array = trace[name]
    unit = str(array.attrs.get("units", ""))
    if array.ndim == 1:
        return [(name, unit, array.values)]
    labels = array[array.dims[1]].values
    return [(f"{name}_{label}", unit, array.values[:, i]) for i, label in enumerate(labels)]


def _mark_events(trace: "Trace", panels: Sequence[Axes]) -> None:
    """Findings as thin lines, named above the first panel on levels that do not overlap."""
    places: dict[str, list[str]] = {}
    for event in trace.events:
        names = places.setdefault(f"{event.value:.6g}", [])
        if event.name not in names:
            names.append(event.name)
    for level, (place, names) in enumerate(places.items()):
        for panel in panels:
            panel.axvline(float(place), color=WARNING, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
        panels[0].annotate(
            ", ".join(names), (float(place), 1.0), (3, 3 + 11 * (level % 3)), xycoords=panels[0].get_xaxis_transform(),
            textcoords="offset points", va="bottom", fontsize=8, color=WARNING, annotation_clip=False,
        )  # fmt: skip


@advised("", "trace.draw")
def draw_trace(
    trace: "Trace",
    value: float | None = None,
    path: Path | str | None = None,
    contact: str | None = None,
    camera: Camera | None = None,
    title: str | None = None,
    width: float = 7.0,
) -> Figure:
    """The two surfaces of a contact at a value of the driven coordinate (the first one without), with the way of the
    point of contact over the whole trace in the ground.
    """
    if trace.formulation is None:
        raise SolveError("a trace read from a file has no surfaces; compute it again to draw them.")
    pairs = {n: c for n, c in trace.formulation.model.connections.items() if isinstance(c.pair, HigherPair)}
    if not pairs or (contact is not None and contact not in pairs):
        known = ", ".join(map(repr, pairs)) or "none in this model"
        raise SolveError(
            f"contact={contact!r}: a picture of a trace shows the surfaces of a contact; there are: {known}."
        )
    name = contact or next(iter(pairs))
    connection = pairs[name]
    pair = connection.surface_pair
    pose = trace.at(float(trace.value[0]) if value is None else value)
    way = trace.values(f"{name}.contact_point")
    scene = Scene3D(camera or Camera())
    for surface, frame, skin in zip(
        (pair.first, pair.second), (connection.first, connection.second), SKINS, strict=True
    ):
        R, p = _placed(trace, frame, pose)
        seen = _window(trace, surface, frame, way)
        a, b = np.meshgrid(np.linspace(*seen[0], 121), np.linspace(*seen[1], 49), indexing="ij")
        draw_skin(scene, surface, p + surface.point(a, b) @ R.T, surface.normal(a, b) @ R.T, skin)
    scene.line(way, COLOURS[2], 2.0, lift=0.02)
    point, normal = (pose[f"{name}.{k}"].values for k in ("contact_point", "contact_normal"))
    size = float(np.max(np.ptp(way, axis=0), initial=0.2))
    scene.arrow(point, point + 0.25 * size * normal, INK)
    scene.dot(point)
    with style():
        figure = new_figure(width, picture_height(scene, width) + 0.3, trace.model_name if title is None else title)
        scene.paint(figure.subplots())
        said = float(pose[trace.driven])
        figure.supxlabel(
            f"{trace.driven} = {said:.4g}; green: way of the contact", fontsize=8, color=QUIET, x=0.99, ha="right"
        )
        return finish(figure, path)


def _placed(trace: "Trace", frame: Frame, pose: Index) -> tuple[Points, Points]:
    """Rotations (..., 3, 3) and positions (..., 3) of a frame in the ground, at one or all points of a trace."""
    assert trace.formulation is not None
    at = np.asarray(evaluate(trace.formulation.model, ca.vertcat(*frame.position)), dtype=float).ravel()
    if frame.body.is_at_rest:
        return frame.rotation, at
    columns = pose[f"{frame.body.name}.rotation"].values
    R = np.swapaxes(columns.reshape(*columns.shape[:-1], 3, 3), -1, -2)
    return R @ frame.rotation, pose[f"{frame.body.name}.position"].values + R @ at


def _window(trace: "Trace", surface: Surface, frame: Frame, way: Points) -> tuple[Range, Range]:
    """Ranges of the surface coordinates: full rotations, and slides and helices as far as the contact moves."""
    R, p = _placed(trace, frame, trace.dataset)
    some = slice(None, None, max(len(way) // 60, 1))
    points = np.einsum("...ji,...j->...i", np.broadcast_to(R, (len(way), 3, 3)), way - p)[some]
    a, b, _ = surface.closest(points)
    usual = surface.ranges()
    ranges = []
    for coordinate, found, whole, least in zip(
        surface.chart().coordinates, (a, b), usual, (-np.inf, _end(usual[1])), strict=True
    ):
        if coordinate.closed or not surface.swept:
            ranges.append(whole)
            continue
        room = 0.25 * float(np.ptp(found)) + 0.3 * (whole[1] - whole[0]) if coordinate.slides else np.pi / 2
        ranges.append((max(float(np.min(found)) - room, least), float(np.max(found)) + room))
    return ranges[0], ranges[1]


def _end(usual: Range) -> float:
    """End of the surface at a cusp or apex, or minus infinity."""
    low, high = usual
    return low if low > -0.999 * abs(high) else -np.inf
