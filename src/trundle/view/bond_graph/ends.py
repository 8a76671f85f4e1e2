"""Marks at the ends of bonds: the half arrow at the head, the causal stroke, and numbers beside them.

Numbers stand above a level bond and left of an upright one, the half arrow points to the other side, as usual:
effort above, flow below.
"""

from trundle.bond_graph.bonds import Bond
from trundle.view.bond_graph.phrasing import Words
from trundle.view.bond_graph.shape import Label, Mark, Part, Point, Wire, write
from trundle.view.bond_graph.text import LINE

GAP = 3.0  # between a box and the end of its bond
SIZE_TEXT = 10.0
COUNT_TEXT = 8.0
_STROKE = 6.5  # half its length
_BARB = (10.0, 6.5)  # along and across
_ROOM = 3.5  # between the middle of a bond and what stands beside it


def dress_end(bond: Bond, node: str, at: Point, away: Point, words: Words) -> Part:
    """Marks where the bond ends at a node; `away` is the unit vector along the bond, away from the node."""
    is_head = bond.head == node
    conflict = words.is_conflict(bond)
    (x, y), (dx, dy) = at, away
    across = (abs(dy), abs(dx))  # to the right of an upright bond, below a level one
    marks = []
    if is_head:
        barb = (x + _BARB[0] * dx + _BARB[1] * across[0], y + _BARB[0] * dy + _BARB[1] * across[1])
        marks.append(Mark(bond, "arrow", (at, barb), conflict))
    strokes = bond.at_head if is_head else bond.size - bond.at_head
    labels: tuple[Label, ...] = ()
    if strokes:
        ends = tuple((x + s * _STROKE * across[0], y + s * _STROKE * across[1]) for s in (-1.0, 1.0))
        marks.append(Mark(bond, "stroke", ends, conflict))
        if strokes < bond.size:
            labels = (_beside(str(strokes), COUNT_TEXT, (x + 7.0 * dx, y + 8.0 * dy), dy != 0.0),)
    return Part(labels=labels, marks=tuple(marks))


def size_label(bond: Bond, at: Point, upright: bool) -> Label:
    """Number of scalar bonds beside a point of the bond."""
    return _beside(str(bond.size), SIZE_TEXT, at, upright)


def _beside(text: str, size: float, at: Point, upright: bool) -> Label:
    x, y = at
    if upright:
        return write(text, x - _ROOM, y - LINE * size / 2, size, anchor=1.0, quiet=True)
    return write(text, x, y - _ROOM - LINE * size, size, quiet=True)


def straight(bond: Bond, at: Point, to: Point, node: str, other: str, words: Words) -> Part:
    """A whole bond in one line between the edges of two boxes, level or upright."""
    upright = at[0] == to[0]
    sign = 1.0 if (to[1] > at[1] if upright else to[0] > at[0]) else -1.0
    away = (0.0, sign) if upright else (sign, 0.0)
    back = (-away[0], -away[1])
    start, end = along(at, away, GAP), along(to, back, GAP)
    one, two = dress_end(bond, node, start, away, words), dress_end(bond, other, end, back, words)
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    points = (start, end) if bond.tail == node else (end, start)
    wire = Wire(bond, points, words.of_bond(bond), words.is_conflict(bond))
    size = size_label(bond, middle, upright)
    return Part((), (size, *one.labels, *two.labels), (wire,), one.marks + two.marks)


def along(point: Point, way: Point, distance: float) -> Point:
    """The point at a distance in a direction."""
    return point[0] + way[0] * distance, point[1] + way[1] * distance
