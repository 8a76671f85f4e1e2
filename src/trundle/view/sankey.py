"""Sankey diagram of an energy table: the widths of ribbons are the energies from givers to takers."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path as Outline

from trundle.messages.arguments import advised
from trundle.run.energy_table import EnergyNode, EnergyTable
from trundle.view.sankey_layout import BODIES, FONT, LINE, PAD, Layout, Ribbon, joules, lay_out, text_width
from trundle.view.style import INK, QUIET, WARNING, Picture, finish, style

ELEMENTS = {
    "source": ("#F0B93A", "source of effort (Se)"),
    "drive": ("#DB9BBE", "source of flow (Sf)"),
    "motion": ("#C77BA6", "moving frame (Sf)"),
    "store": ("#2DB48C", "compliance (C)"),
    "loss": ("#E8762C", "resistance (R)"),
    "kinetic": ("#8CCBEF", "inertance (I)"),
    "gravity": ("#A9B665", "gravity"),
    "event": ("#7F7F9A", "jumps"),
    "body": ("#D5DAE1", ""),
}
"""Colours and words for givers and takers; elements as in the picture of the bond graph."""

MARGIN = 0.15
HEAD = 0.62  # height of title and subtitle (in)


@advised()
def draw_sankey(
    table: EnergyTable, title: str, order: Sequence[str] = (), path: Path | str | None = None, bodies: int = BODIES
) -> Figure:
    """Givers left, bodies in the middle, takers right; `order` has the bodies along the chain, of which the `bodies`
    busiest are shown one by one.
    """
    found = lay_out(table, order, bodies)
    notes = _notes(table, found)
    span = f"Energy from {table.start:g} s to {table.end:g} s; ribbons are as wide as the energy is large"
    inner = max(found.width, 5.5, text_width(span) + 0.2, text_width(title, 12) + 0.4)
    lines = [line for note in notes for line in _wrapped(note, inner)]
    kinds = [k for k in ELEMENTS if k != "body" and any(k in (r.giver.kind, r.taker.kind) for r in found.ribbons)]
    rows = _legend_rows(kinds, inner)
    foot = (len(rows) * 1.25 + len(lines)) * LINE + 2 * PAD
    width, height = inner + 2 * MARGIN, HEAD + max(found.height, 0.5) + foot + 2 * MARGIN
    with style():
        figure = Picture(figsize=(width, height))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(0, width), ylim=(height, 0))
        axes.axis("off")
        _text(axes, title, MARGIN, MARGIN + 0.12, "left", size=12, weight="bold")
        _text(axes, span, MARGIN, MARGIN + 0.38, "left", colour=QUIET)
        left, top = MARGIN + (inner - found.width) / 2, MARGIN + HEAD
        if not found.ribbons:
            _text(axes, "No energy was exchanged.", width / 2, top + 0.25, "center")
        _draw(axes, found, left, top)
        y = top + max(found.height, 0.5) + PAD + LINE / 2
        for row in rows:
            x = MARGIN
            for kind in row:
                colour, words = ELEMENTS[kind]
                axes.add_patch(Rectangle((x, y - 0.05), 0.16, 0.10, color=colour, linewidth=0))
                _text(axes, words, x + 0.22, y, "left")
                x += _legend_width(words)
            y += 1.25 * LINE
        for line in lines:
            doubtful = bool(table.doubt) and line in lines[-len(_wrapped(notes[-1], inner)) :]
            _text(axes, line, MARGIN, y, "left", colour=WARNING if doubtful else QUIET)
            y += LINE
        return finish(figure, path)


def _draw(axes: Axes, found: Layout, left: float, top: float) -> None:
    for ribbon in found.ribbons:
        colour = ELEMENTS[_kind(ribbon)][0]
        outline = _outline(ribbon, left, top)
        axes.add_patch(PathPatch(outline, facecolor=colour, edgecolor="none", alpha=0.62, linewidth=0))
    for place in found.places:
        if isinstance(place.node, Ribbon):
            continue
        at, kind = (left + place.x, top + place.y), place.node.kind
        if kind == "body":
            look = "round,pad=0,rounding_size=0.05"
            axes.add_patch(
                FancyBboxPatch(at, place.width, place.height, look, facecolor="#F3F5F7", edgecolor=INK, linewidth=0.9)
            )
        else:
            ends = [(r.stops[0][2], r.width) for r in place.leaving]
            ends += [(r.stops[-1][2], r.width) for r in place.arriving]
            upper, lower = min(y - w / 2 for y, w in ends), max(y + w / 2 for y, w in ends)
            at = (left + place.x, top + upper)
            axes.add_patch(Rectangle(at, place.width, lower - upper, color=ELEMENTS[kind][0], linewidth=0))
    for text, x, y, align in found.labels:
        _text(axes, text, left + x, top + y, align)


def _kind(ribbon: Ribbon) -> str:
    """What gives the ribbon its colour: the giver, or the taker of what a body gives."""
    node: EnergyNode = ribbon.taker if ribbon.giver.kind == "body" else ribbon.giver
    return node.kind


def _outline(ribbon: Ribbon, left: float, top: float) -> Outline:
    """Closed outline: along the upper edge through all stops and back along the lower one."""
    points: list[tuple[float, float]] = []
    codes: list[np.uint8] = []
    for side in (-1, 1):
        shift = side * ribbon.width / 2
        stops = [(left + a, left + b, top + y + shift) for a, b, y in ribbon.stops]
        if side > 0:
            stops = [(b, a, y) for a, b, y in reversed(stops)]
        for i, (a, b, y) in enumerate(stops):
            if i == 0:
                points.append((a, y))
                codes.append(Outline.LINETO if codes else Outline.MOVETO)
            else:
                x0, y0 = points[-1]
                half = (x0 + a) / 2
                points += [(half, y0), (half, y), (a, y)]
                codes += [Outline.CURVE4] * 3
            points.append((b, y))
            codes.append(Outline.LINETO)
    return Outline([*points, points[0]], [*codes, Outline.CLOSEPOLY])


def _text(
    axes: Axes, text: str, x: float, y: float, align: str, colour: str = INK, size: float = FONT, weight: str = "normal"
) -> None:
    axes.text(x, y, text, ha=align, va="center", fontsize=size, color=colour, fontweight=weight, parse_math=False)


def _notes(table: EnergyTable, found: Layout) -> list[str]:
    notes = []
    if found.small:
        listed = ", ".join(f"{r.giver} to {r.taker} {joules(r.energy)}" for r in found.small[:4])
        more = f", and {len(found.small) - 4} more" if len(found.small) > 4 else ""
        notes.append(f"Not drawn, less than 0.5 %: {listed}{more}.")
    if found.circling > 0:
        notes.append(f"Left out: {joules(found.circling)} that went round in a circle between bodies.")
    notes.append(f"Closing error {table.closing:.1e} J. {table.doubt}".rstrip())
    return notes


def _wrapped(text: str, width: float) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _legend_width(words: str) -> float:
    return 0.22 + text_width(words) + 0.25


def _legend_rows(kinds: Sequence[str], width: float) -> list[list[str]]:
    rows: list[list[str]] = []
    used = 0.0
    for kind in kinds:
        need = _legend_width(ELEMENTS[kind][1])
        if not rows or used + need > width:
            rows.append([])
            used = 0.0
        rows[-1].append(kind)
        used += need
    return rows
