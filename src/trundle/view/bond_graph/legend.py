"""Title and legend of the picture."""

from math import ceil

from trundle.graph.bonds import Bond, BondGraph
from trundle.view.bond_graph.ends import straight
from trundle.view.bond_graph.shape import Box, Part, Rect, join, write
from trundle.view.bond_graph.text import LINE
from trundle.view.bond_graph.words import MEANINGS, Words

_TEXT = 10.0
_ROW = 28.0
_SAMPLE = 34.0  # width of what is explained
_BETWEEN = 26.0
_NO_WORDS = Words({}, {}, {})


def draw_heading(graph: BondGraph, bodies: int, links: int) -> Part:
    """Name of the model and what the graph counts."""
    causality = graph.causality
    counts = [
        f"{bodies - 1} moving {'body' if bodies == 2 else 'bodies'}",
        f"{links} {'connection' if links == 1 else 'connections'}",
        f"{causality.integral} degree{'s' * (causality.integral != 1)} of freedom",
        f"{len(causality.derivative)} dependent inertance components",
    ]
    if causality.conflicts:
        counts.append(f"{len(causality.conflicts)} causal conflict{'s' * (len(causality.conflicts) != 1)}")
    return Part(
        labels=(
            write(f"{graph.name}: multibond graph", 0.0, 0.0, 16.0, width=660.0, anchor=0.0, bold=True),
            write(", ".join(counts), 0.0, 24.0, _TEXT, anchor=0.0, quiet=True),
        )
    )


def draw_legend(graph: BondGraph, width: float) -> Part:
    """Kinds of boxes that the graph has, and how bonds are drawn; in as many columns as the width takes."""
    kinds = {n.kind for n in graph.nodes} | {"ground"}
    entries = [(_box(kind), text) for kind, text in MEANINGS.items() if kind in kinds]
    entries += [
        (_bond(Bond("", "to", 1, 1)), "bond: half arrow where power counts positive, stroke where effort is received"),
        (_bond(Bond("", "to", 6, 2)), "multibond: so many bonds side by side, so many strokes at either end"),
    ]
    if graph.causality.conflicts:
        conflict = _bond(Bond("", "to", 1, 1), Words({}, {"to": ""}, {}))
        entries.append((conflict, "causal conflict: this flow is determined by others already"))
    labels = [write(text, _SAMPLE + 10.0, -LINE * _TEXT / 2, _TEXT, width=width, anchor=0.0) for _, text in entries]
    for count in (4, 3, 2, 1):
        rows = ceil(len(entries) / count)
        starts = [0.0]
        for first in range(0, len(entries), rows):
            starts.append(starts[-1] + max(t.rect.right for t in labels[first : first + rows]) + _BETWEEN)
        if starts[-1] - _BETWEEN <= width:
            break
    return join(
        join([sample, Part(labels=(label,))]).moved(starts[i // rows], _ROW * (i % rows + 0.5))
        for i, ((sample, _), label) in enumerate(zip(entries, labels, strict=True))
    )


def _box(kind: str) -> Part:
    """A box as in the picture."""
    text = "1" if kind == "ground" else kind
    rect = Rect(0.0, -10.0, _SAMPLE, 20.0)
    return Part((Box("", kind, rect),), (write(text, _SAMPLE / 2, -LINE * _TEXT / 2, _TEXT, bold=True),))


def _bond(bond: Bond, words: Words = _NO_WORDS) -> Part:
    """A bond as in the picture."""
    return straight(bond, (-4.0, 0.0), (_SAMPLE + 4.0, 0.0), bond.tail, bond.head, words)
