"""Layout of boxes, labels and ribbons of a Sankey diagram, in inches; x to the right, y downwards.

Givers are on the left, takers on the right, bodies in columns between them, through which energy flows to the right
only. Every ribbon has its own slot in every column that it crosses, so that none runs over a box or a label.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from typing import final

from trundle.run.energy_table import EnergyNode, EnergyTable, Transfer

FONT = 9.0  # points
LINE = 0.17  # height of a line of text (in)
GAP = 0.16  # between boxes of a column
PAD = 0.09  # between a text and what surrounds it
BEND = 0.75  # in which a ribbon changes its height
BAR = 0.10  # width of the mark of a giver or taker
HEIGHT = 3.2  # of all ribbons of the fullest column
BODIES = 12  # shown one by one
SHARE = 0.005  # of the largest sum in a column: smaller flows are written in words

Edge = tuple[EnergyNode, EnergyNode]


@final
@dataclass(eq=False)
class Ribbon:
    """Net energy from one node to another, with the places where its middle enters and leaves each column."""

    giver: EnergyNode
    taker: EnergyNode
    energy: float
    through: tuple[str, ...]
    label: str = ""
    width: float = 0.0
    stops: list[tuple[float, float, float]] = field(default_factory=list)  # x on the left and on the right, y
    at: dict[int, "Place"] = field(default_factory=dict)  # box or slot in each column


@final
@dataclass(eq=False)
class Place:
    """A box of a column: a node, or the slot of a ribbon that passes."""

    node: EnergyNode | Ribbon
    column: int
    lines: tuple[str, ...] = ()
    arriving: list[Ribbon] = field(default_factory=list)
    leaving: list[Ribbon] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


@final
@dataclass(frozen=True)
class Layout:
    """The finished picture; labels are (text, x, y, alignment), y in the middle of the text."""

    width: float
    height: float
    places: tuple[Place, ...]
    ribbons: tuple[Ribbon, ...]
    labels: tuple[tuple[str, float, float, str], ...]
    small: tuple[Ribbon, ...]
    circling: float  # energy of closed cycles, which is not drawn (J)


@cache
def text_width(text: str, size: float = FONT) -> float:
    """Width of a text (in)."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    return float(text_to_path.get_text_width_height_descent(text, FontProperties(size=size), False)[0]) / 72


def joules(energy: float) -> str:
    """An energy with three digits."""
    for scale, unit in ((1e9, "GJ"), (1e6, "MJ"), (1e3, "kJ"), (1.0, "J"), (1e-3, "mJ"), (1e-6, "µJ")):
        if abs(energy) >= 0.9995 * scale:
            return f"{energy / scale:.3g} {unit}" if energy / scale < 999.5 else f"{energy / scale:.0f} {unit}"
    return f"{energy:.2e} J"


def shortened(text: str, limit: int = 42) -> str:
    """The beginning of a long text."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def lay_out(table: EnergyTable, order: Sequence[str], bodies: int = BODIES) -> Layout:
    """Arrange the transfers; `order` has the bodies along the chain. Of many bodies those with the largest flows are
    shown and the others taken as one.
    """
    ribbons, circling = _net(_pooled(table, bodies))
    ribbons, small = _fold(ribbons)
    columns = _columns(ribbons, order)
    scale = HEIGHT / max((sum(_load(p) for p in column) for column in columns), default=1.0) if ribbons else 1.0
    for r in ribbons:
        r.width = max(r.energy * scale, 0.01)
    _write(columns)
    _sort(columns)
    width, bends = _set_x(columns)
    height = _set_y(columns)
    labels = _connect(columns, bends)
    return Layout(width, height, tuple(p for c in columns for p in c), tuple(ribbons), tuple(labels), small, circling)


def _pooled(table: EnergyTable, limit: int) -> list[Transfer]:
    """Rows in which all bodies except the `limit` busiest are merged."""
    flow: dict[str, float] = {}
    for row in table:
        for node in (row.giver, row.taker):
            if node.kind == "body":
                flow[node.of] = flow.get(node.of, 0.0) + row.energy
    if len(flow) <= limit:
        return list(table)
    others = set(sorted(flow, key=lambda name: (-flow[name], name))[limit:])
    pool = f"{len(others)} other bodies"

    def seen(node: EnergyNode) -> EnergyNode:
        inside = node.kind in ("body", "kinetic", "gravity") and node.of in others
        return EnergyNode(node.kind, pool) if inside else node

    rows = [Transfer(seen(r.giver), seen(r.taker), r.energy, r.through) for r in table]
    return [r for r in rows if r.giver != r.taker]


def _net(table: Sequence[Transfer]) -> tuple[list[Ribbon], float]:
    """One ribbon for each pair of nodes, without closed cycles between bodies."""
    net: dict[Edge, float] = {}
    through: dict[Edge, list[str]] = {}
    for row in table:
        key, back = (row.giver, row.taker), (row.taker, row.giver)
        at, sign = (back, -1.0) if back in net else (key, 1.0)
        net[at] = net.get(at, 0.0) + sign * row.energy
        names = through.setdefault(at, [])
        if row.through and row.through not in names:
            names.append(row.through)
    flows: dict[Edge, float] = {}
    names_of: dict[Edge, tuple[str, ...]] = {}
    for (a, b), energy in net.items():
        key = (a, b) if energy >= 0 else (b, a)
        flows[key], names_of[key] = abs(energy), tuple(through[a, b])
    flows = _spliced(flows, names_of)
    circling = 0.0
    flows = {edge: energy for edge, energy in flows.items() if energy > 0}
    while cycle := _cycle(flows):
        least = min(flows[edge] for edge in cycle)
        circling += least
        for edge in cycle:
            flows[edge] -= least
        for edge in cycle:
            if flows[edge] <= 0:
                del flows[edge]
    found = [Ribbon(a, b, energy, names_of[a, b]) for (a, b), energy in flows.items() if energy > 0]
    return sorted(found, key=lambda r: (-r.energy, str(r.giver), str(r.taker))), circling


def _spliced(flows: dict[Edge, float], names: dict[Edge, tuple[str, ...]]) -> dict[Edge, float]:
    """Remove stores that took energy from a body and lost it by a jump."""
    for node in list(dict.fromkeys(n for edge in flows for n in edge if n.kind != "body")):
        taken, given = ({e: x for e, x in flows.items() if e[side] == node} for side in (1, 0))
        passed = min(sum(taken.values()), sum(given.values()))
        if passed <= 0:
            continue
        shares = [{e: x * passed / sum(part.values()) for e, x in part.items()} for part in (taken, given)]
        for (giver, _), x in shares[0].items():
            for (_, taker), y in shares[1].items():
                if giver != taker:
                    flows[giver, taker] = flows.get((giver, taker), 0.0) + x * y / passed
                    names.setdefault((giver, taker), ())
        for e, x in (*shares[0].items(), *shares[1].items()):
            flows[e] -= x
    return flows


def _cycle(flows: dict[Edge, float]) -> list[Edge]:
    """Edges of a cycle; empty if there is none."""
    after: dict[EnergyNode, list[EnergyNode]] = {}
    for a, b in flows:
        after.setdefault(a, []).append(b)
    done: set[EnergyNode] = set()
    for root in after:
        way: list[EnergyNode] = []
        stack = [(root, iter(after.get(root, [])))] if root not in done else []
        way += [root] if stack else []
        while stack:
            node, rest = stack[-1]
            onward = next(rest, None)
            if onward is None:
                done.add(node)
                stack.pop()
                way.pop()
            elif onward in way:
                ring = [*way[way.index(onward) :], onward]
                return list(pairwise(ring))
            elif onward not in done:
                stack.append((onward, iter(after.get(onward, []))))
                way.append(onward)
    return []


def _fold(ribbons: list[Ribbon]) -> tuple[list[Ribbon], tuple[Ribbon, ...]]:
    """Large and small flows."""
    given: dict[EnergyNode, float] = {}
    for r in ribbons:
        if r.giver.kind != "body":
            given[r.giver] = given.get(r.giver, 0.0) + r.energy
    least = SHARE * max(sum(given.values()), max((r.energy for r in ribbons), default=0.0))
    return [r for r in ribbons if r.energy >= least], tuple(r for r in ribbons if r.energy < least)


def _columns(ribbons: list[Ribbon], order: Sequence[str]) -> list[list[Place]]:
    """Nodes by columns, and slots for ribbons that pass."""
    nodes = list(dict.fromkeys(n for r in ribbons for n in (r.giver, r.taker)))
    bodies = sorted((n for n in nodes if n.kind == "body"), key=lambda n: order.index(n.of) if n.of in order else 0)
    level = dict.fromkeys(bodies, 1)
    for _ in bodies:
        for r in ribbons:
            if r.giver in level and r.taker in level:
                level[r.taker] = max(level[r.taker], level[r.giver] + 1)
    last = max(level.values(), default=0) + 1
    for n in nodes:
        if n not in level:
            level[n] = 0 if any(r.giver == n for r in ribbons) else last
    places = {n: Place(n, level[n]) for n in (*bodies, *(n for n in nodes if n.kind != "body"))}
    columns: list[list[Place]] = [[p for p in places.values() if p.column == k] for k in range(last + 1)]
    for r in ribbons:
        places[r.giver].leaving.append(r)
        places[r.taker].arriving.append(r)
        for k in range(level[r.giver] + 1, level[r.taker]):
            columns[k].append(Place(r, k, (), [r], [r]))
    for column in columns:
        for p in column:
            for r in (*p.arriving, *p.leaving):
                r.at[p.column] = p
    return columns


def _load(place: Place) -> float:
    return max(sum(r.energy for r in place.arriving), sum(r.energy for r in place.leaving))


def _write(columns: list[list[Place]]) -> None:
    """Texts of boxes and ribbons."""
    nodes = [p for column in columns for p in column if isinstance(p.node, EnergyNode)]
    many = {p.node for p in nodes if len(p.arriving) > 1}
    for p in nodes:
        assert isinstance(p.node, EnergyNode)
        p.lines = (shortened(str(p.node)), joules(_load(p)))
        for r in p.leaving:
            labelled_beside = r.taker.kind != "body" and r.taker not in many  # by the label of the taker
            alone = labelled_beside if p.node.kind == "body" else len(p.leaving) == 1
            words = shortened(", ".join(r.through), 22)
            r.label = "" if alone else joules(r.energy) + (f" through {words}" if words else "")
    for p in nodes:
        p.height = max(_slots(p.arriving, False), _slots(p.leaving, True), len(p.lines) * LINE + PAD)
    for column in columns:
        for p in column:
            if isinstance(p.node, Ribbon):
                p.height = p.node.width


def _slot(r: Ribbon, labelled: bool) -> float:
    """Height that a ribbon needs at a box; the label of a thin one stands above it."""
    return r.width + (LINE if labelled and r.label and r.width < LINE else 0.0)


def _slots(ribbons: list[Ribbon], labelled: bool) -> float:
    return sum(_slot(r, labelled) for r in ribbons)


def _sort(columns: list[list[Place]]) -> None:
    """Order within columns: bodies along the chain at first, then each near its neighbours."""
    rank = {id(p): float(i) for column in columns for i, p in enumerate(column)}
    for sweep in range(8):
        forward = sweep % 2 == 0
        for column in columns if forward else reversed(columns):
            for p in column:
                ties = [rank[id(q)] for q in _neighbours(p, forward)]
                if ties:
                    rank[id(p)] = sum(ties) / len(ties)
            column.sort(key=lambda p: rank[id(p)])
            for i, p in enumerate(column):
                rank[id(p)] = i / max(len(column) - 1, 1) if len(column) > 1 else 0.5


def _neighbours(p: Place, before: bool) -> list[Place]:
    """Boxes of the next column to the left or right that ribbons of this one touch."""
    k = p.column - 1 if before else p.column + 1
    return [r.at[k] for r in (p.arriving if before else p.leaving)]


def _set_x(columns: list[list[Place]]) -> tuple[float, list[float]]:
    """Columns side by side, each wide enough for its texts; returns the width of the picture and where the ribbons
    that leave each column begin to bend.
    """
    x, bends = PAD, []
    for k, column in enumerate(columns):
        outer = k in (0, len(columns) - 1)
        words = max((text_width(line) for p in column for line in p.lines), default=0.0)
        x += words + PAD if k == 0 else 0.0
        for p in column:
            p.x, p.width = x, BAR if outer else words + 2 * PAD
        x += BAR if outer else words + 2 * PAD
        starting = [r.label for p in column if isinstance(p.node, EnergyNode) for r in p.leaving if r.label]
        bends.append(x + max((text_width(label) + 2 * PAD for label in starting), default=0.0))
        x = bends[-1] + BEND if k < len(columns) - 1 else x + words + 2 * PAD
    return x, bends


def _set_y(columns: list[list[Place]]) -> float:
    """Heights of boxes without overlap, each as close as possible to its neighbours."""
    for column in columns:
        y = 0.0
        for p in column:
            p.y = y
            y += p.height + GAP
    for sweep in range(24):
        forward = sweep % 2 == 0
        for column in columns if forward else reversed(columns):
            wanted = []
            for p in column:
                near = [q.middle for q in _neighbours(p, forward)]
                near += [q.middle for q in _neighbours(p, not forward)] if sweep > 11 else []
                wanted.append((sum(near) / len(near) if near else p.middle) - p.height / 2)
            _spread(column, wanted)
    top = min((p.y for column in columns for p in column), default=0.0)
    for column in columns:
        for p in column:
            p.y -= top - PAD
    return max((p.y + p.height for column in columns for p in column), default=0.0) + PAD


def _spread(column: list[Place], wanted: list[float]) -> None:
    """Heights as close as possible (least squares) to the desired ones, in the given order and with gaps: boxes that
    would overlap move as one block.
    """
    offset = 0.0
    blocks: list[tuple[float, int]] = []  # sum of wanted places of the first box of the block, number of boxes
    for p, want in zip(column, wanted, strict=True):
        blocks.append((want - offset, 1))
        offset += p.height + GAP
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            (a, m), (b, n) = blocks[-2:]
            blocks[-2:] = [(a + b, m + n)]
    firsts = [total / count for total, count in blocks for _ in range(count)]
    offset = 0.0
    for p, first in zip(column, firsts, strict=True):
        p.y = first + offset
        offset += p.height + GAP


def _connect(columns: list[list[Place]], bends: list[float]) -> list[tuple[str, float, float, str]]:
    """Ways of the ribbons through the columns, and all labels."""
    labels: list[tuple[str, float, float, str]] = []
    for k, column in enumerate(columns):
        for p in column:
            if isinstance(p.node, Ribbon):
                p.node.stops.append((p.x, bends[k], p.middle))
                continue
            for side, before in ((p.leaving, False), (p.arriving, True)):
                mine = sorted(side, key=partial(_far, p.column - 1 if before else p.column + 1))
                y = p.middle - _slots(mine, not before) / 2
                for r in mine:
                    y += _slot(r, not before)
                    middle = y - r.width / 2
                    r.stops.append((p.x, p.x, middle) if before else (p.x + p.width, bends[k], middle))
                    if r.label and not before:
                        above = 0.0 if r.width >= LINE else (r.width + LINE) / 2
                        labels.append((r.label, p.x + p.width + PAD, middle - above, "left"))
            x, at = p.x + p.width / 2, "center"
            if k == 0:
                x, at = p.x - PAD, "right"
            elif k == len(columns) - 1:
                x, at = p.x + p.width + PAD, "left"
            labels += [(line, x, p.middle + (i - 0.5) * LINE, at) for i, line in enumerate(p.lines)]
    return labels


def _far(column: int, r: Ribbon) -> float:
    """Height of a ribbon in another column."""
    return r.at[column].middle
