"""Title and legend of the picture."""

from dataclasses import replace
from math import ceil

from trundle.bond_graph.bonds import Bond, BondGraph
from trundle.bond_graph.phrasing import counted
from trundle.view.bond_graph.ends import straight
from trundle.view.bond_graph.phrasing import Words
from trundle.view.bond_graph.shape import Box, Part, Rect, join, write
from trundle.view.bond_graph.text import LINE

_TEXT = 10.0
_ROW = 26.0
_SAMPLE = 34.0  # width of what is explained
_BETWEEN = 26.0
_NO_WORDS = Words({}, {})


def draw_heading(graph: BondGraph, width: float, dual: bool) -> Part:
    """Name of the model and the counts of the graph, within a width."""
    causality = graph.causality
    moving, links, freedoms = graph.counts
    dependent = len(causality.derivative)
    counts = [
        f"{moving} moving {'body' if moving == 1 else 'bodies'}",
        counted(links, "connection"),
        f"{counted(freedoms, 'degree')} of freedom",
        counted(dependent, "dependent inertance component"),
        *([counted(len(causality.conflicts), "causal conflict")] if causality.conflicts else []),
    ]
    title = f"{graph.name}: {'dual ' if dual else ''}multibond graph"
    return Part(
        labels=(
            write(title, 0.0, 0.0, 16.0, width=width, anchor=0.0, bold=True),
            write(", ".join(counts), 0.0, 24.0, _TEXT, anchor=0.0, quiet=True),
        )
    )


def draw_legend(graph: BondGraph, width: float, words: Words) -> Part:
    """Kinds of boxes in the graph, and of bonds, in as many columns as fit into the width."""
    kinds = {"bond" if n.kind == "1" and not n.is_body else n.kind for n in graph.nodes} | {"ground"}
    entries = [(_box(kind, words), text) for kind, text in words.meanings.items() if kind in kinds]
    boxes = len(entries)
    whole, mixed = _bond(Bond("", "to", 1, 1)), _bond(Bond("", "to", 6, 2))
    arrow = tuple(m for m in whole.marks if m.kind == "arrow")
    stroke = tuple(m for m in whole.marks if m.kind == "stroke")
    entries += [
        (Part(wires=whole.wires, marks=arrow), "half arrow: power counts positive this way"),
        (Part(wires=whole.wires, marks=stroke), "stroke: this end receives effort, the other one flow"),
        (mixed, "multibond: so many bonds, so many strokes at each end"),
    ]
    if graph.causality.conflicts:
        conflict = _bond(Bond("", "to", 1, 1), Words({"to": ""}, {}))
        sign = write("!", _SAMPLE / 2, -17.0, 12.0, bold=True, warns=True)
        entries.append((replace(conflict, labels=(sign,)), "causal conflict: others determine this flow already"))
    labels = [write(text, _SAMPLE + 10.0, -LINE * _TEXT / 2, _TEXT, width=width, anchor=0.0) for _, text in entries]
    for count in (4, 3, 2, 1):
        cells = _in_columns(len(entries), count) if count < 3 else _in_columns(boxes, count - 1)
        cells += [(count - 1, i) for i in range(len(entries) - len(cells))]  # bonds have a column of their own
        widths = [max((t.rect.right for t, cell in zip(labels, cells, strict=True) if cell[0] == c), default=0.0)
                  for c in range(count)]  # fmt: skip
        if sum(widths) + _BETWEEN * (count - 1) <= width:
            break
    return join(
        join([sample, Part(labels=(label,))]).moved(sum(widths[:c]) + _BETWEEN * c, _ROW * (row + 0.5))
        for (sample, _), label, (c, row) in zip(entries, labels, cells, strict=True)
    )


def _in_columns(things: int, count: int) -> list[tuple[int, int]]:
    """Column and row of each entry."""
    rows = ceil(things / count)
    return [(i // rows, i % rows) for i in range(things)]


def _box(kind: str, words: Words) -> Part:
    """A box as in the picture."""
    text = words.kind("1" if kind in ("ground", "bond") else kind)
    kind = kind if kind in ("0", "1") else words.kind(kind)
    rect = Rect(0.0, -10.0, _SAMPLE, 20.0)
    name = f"legend {kind}"
    label = write(text, _SAMPLE / 2, -LINE * _TEXT / 2, _TEXT, bold=True, inside=name)
    return Part((Box(name, kind, rect),), (label,))


def _bond(bond: Bond, words: Words = _NO_WORDS) -> Part:
    """A bond as in the picture."""
    return straight(bond, (-4.0, 0.0), (_SAMPLE + 4.0, 0.0), bond.tail, bond.head, words)
