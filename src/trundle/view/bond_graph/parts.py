"""Pictures of one body and of one connection, before they are placed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from typing import final

from trundle.bond_graph.bonds import Bond, Node
from trundle.view.bond_graph.ends import GAP, SIZE_TEXT, along, dress_end, size_label, straight
from trundle.view.bond_graph.phrasing import Words
from trundle.view.bond_graph.read import BodyGroup, LinkGroup, Side, Step
from trundle.view.bond_graph.shape import Box, Label, Part, Point, Rect, join, moved, write
from trundle.view.bond_graph.text import LINE, printable, shorten, text_width

NAME_TEXT = 11.0
SMALL_TEXT = 9.5
PORT = 28.0  # distance of neighbouring bonds at a body
STUB = 36.0  # bond beside a body, where its marks have room
_ELEMENT = (30.0, 22.0)
_TRANSFORMER = (30.0, 24.0)
_ZERO = 28.0
_BAR = 20.0  # height of the central transformer
_DOWN = 46.0  # length of upright bonds
_SCALAR = 40.0
_APART = 40.0  # between elements that meet on one bond
_BESIDE = 60.0  # between transformer and 0-junction
_OUTSIDE = 50.0  # from a transformer to the edge of its connection
_NAME_WIDTH = 150.0
_WORD_WIDTH = 80.0
_WORDS_WIDTH = 260.0  # of all words side by side above or below a body


@final
@dataclass(frozen=True)
class Placed:
    """A part around the point (0, 0), its extent, and where the bonds to its neighbours leave it."""

    part: Part
    frame: Rect
    ports: dict[tuple[str, Bond], tuple[Point, ...]]  # (node, bond) -> way from the box to the edge of the frame

    def moved(self, dx: float, dy: float) -> "Placed":
        ports = {key: moved(points, dx, dy) for key, points in self.ports.items()}
        return Placed(self.part.moved(dx, dy), self.frame.moved(dx, dy), ports)


def draw_box(node: Node, centre: Point, size: tuple[float, float], words: Words) -> Part:
    """A box with the letters of its kind."""
    x, y = centre
    rect = Rect(x - size[0] / 2, y - size[1] / 2, *size)
    label = write(words.kind(node.kind), x, y - LINE * NAME_TEXT / 2, NAME_TEXT, bold=True, inside=node.name)
    kind = "bond" if node.kind == "1" else node.kind if node.kind == "0" else words.kind(node.kind)
    return Part((Box(node.name, kind, rect, words.of_node(node)),), (label,))


def draw_body(body: BodyGroup, left: Sequence[Bond], right: Sequence[Bond], words: Words) -> Placed:
    """A body with the bonds that leave it on either side, from top to bottom."""
    name = write(body.junction.label, 0.0, 1.0, NAME_TEXT, width=_NAME_WIDTH, inside=body.name)
    above = [b for b in body.branches if len(b) == 1 and b[0][1].kind in ("I", "Sf")]
    below = [b for b in body.branches if b not in above]
    rows = [_word_widths(body, row) for row in (above, below)]
    box_width = max(name.rect.width + 20.0, 64.0, *(sum(w + 14.0 for w in row) for row in rows))
    height = max(46.0, PORT * max(len(left), len(right)))
    kind = "ground" if body.is_root else "1"
    rect = Rect(-box_width / 2, -height / 2, box_width, height)
    one = write(words.kind("1"), 0.0, -18.0, 14.0, bold=True, inside=body.name)
    parts = [Part((Box(body.name, kind, rect, words.of_node(body.junction)),), (one, name))]
    for row, branches, sign in ((rows[0], above, -1.0), (rows[1], below, 1.0)):
        for branch, width, middle in zip(branches, row, _middles([w + 14.0 for w in row]), strict=True):
            parts.append(_draw_branch(body, branch, (middle, sign * height / 2), sign, width, words))
    half = box_width / 2 + STUB
    ports: dict[tuple[str, Bond], tuple[Point, ...]] = {}
    for bonds, side in ((left, -1.0), (right, 1.0)):
        for bond, y in zip(bonds, _port_heights(len(bonds)), strict=True):
            start = (side * (box_width / 2 + GAP), y)
            ports[body.name, bond] = (start, (side * half, y))
            parts.append(dress_end(bond, body.name, start, (side, 0.0), words))
    part = join(parts)
    top = min(r.y for r in part.rects)
    bottom = max(r.bottom for r in part.rects)
    return Placed(part, Rect(-half, top, 2 * half, bottom - top), ports)


def _port_heights(count: int) -> list[float]:
    """Heights at which bonds leave the side of a body, relative to its middle."""
    return [PORT * (i - (count - 1) / 2) for i in range(count)]


def _middles(widths: list[float]) -> list[float]:
    """Centres of adjacent boxes, relative to the centre of all."""
    ends = list(accumulate(widths))
    return [end - w / 2 - ends[-1] / 2 for end, w in zip(ends, widths, strict=True)]


def _word_widths(body: BodyGroup, branches: Sequence[tuple[Step, ...]]) -> list[float]:
    """Width of each branch with its caption, limited by the available width."""
    needed = [text_width(_caption(body, b), SMALL_TEXT) for b in branches]
    least = [min(w, _WORD_WIDTH) for w in needed]
    spare = max(_WORDS_WIDTH - sum(least), 0.0)
    return [max(_ELEMENT[0], min(w, short + spare)) for w, short in zip(needed, least, strict=True)]


def _caption(body: BodyGroup, branch: tuple[Step, ...]) -> str:
    """Caption of the element of a branch: the name of a force; none for the inertance."""
    node = branch[-1][1]
    own = "" if node.kind == "I" else node.label
    return printable(own if node.of == body.junction.of else node.of)


def _draw_branch(body: BodyGroup, branch: tuple[Step, ...], at: Point, sign: float, width: float, words: Words) -> Part:
    """Elements above (sign -1) or below a body, the nearest first, with captions not wider than `width`."""
    parts, node, (x, y) = [], body.name, at
    for bond, other in branch:
        size = _TRANSFORMER if other.kind == "TF" else _ELEMENT
        near = y + sign * _DOWN
        parts.append(straight(bond, (x, y), (x, near), node, other.name, words))
        parts.append(draw_box(other, (x, near + sign * size[1] / 2), size, words))
        node, y = other.name, near + sign * size[1]
    if caption := _caption(body, branch):
        top = y + 3.0 if sign > 0 else y - 3.0 - LINE * SMALL_TEXT
        parts.append(Part(labels=(write(caption, x, top, SMALL_TEXT, width=width),)))
    return join(parts)


def draw_link(link: LinkGroup, flipped: bool, folded: bool, words: Words) -> Placed:
    """A connection: its first body left (right when flipped), its elements below [Kosenko 2022, Fig. 2].

    Folded: both bodies are left; the bond on the right side turns back over the top.
    """
    left, right = reversed(link.sides) if flipped else link.sides
    reach = _ZERO / 2 + _BESIDE + _TRANSFORMER[0] + _OUTSIDE
    most = _WORD_WIDTH if len(link.elements) > 1 else 2 * reach - 12.0
    names = [_bond_name(node, link.junction.label, most) for _, node in link.elements]
    pitch = max(40.0, *(text_width(n, SMALL_TEXT) + 9.0 for n in names)) if names else 40.0
    widths = [max(pitch, _APART * link.ends(node.name)) for _, node in link.elements]
    half = max(reach, sum(widths) / 2 + 6.0)
    zero = link.junction
    parts = [draw_box(zero, (0.0, 0.0), (_ZERO, _ZERO), words), Part(labels=_heading(link, 2 * half))]
    top = -float(ceil(_ZERO / 2 + 8.0 + LINE * (NAME_TEXT + SMALL_TEXT)))
    ports: dict[tuple[str, Bond], tuple[Point, ...]] = {}
    for side, sign in ((left, -1.0), (right, 1.0)):
        parts.append(_draw_side(side, zero, sign, words))
        start = (sign * (reach - _OUTSIDE + GAP), 0.0)
        parts.append(dress_end(side.outer, side.transformer.name, start, (sign, 0.0), words))
        parts.append(Part(labels=(size_label(side.outer, along(start, (sign, 0.0), 21.0), False),)))
        way: tuple[Point, ...] = (start, (sign * half, 0.0))
        if folded and sign > 0:
            turn = sign * (reach - _OUTSIDE + 40.0)
            top -= 14.0
            way = (start, (turn, 0.0), (turn, top), (-half, top))
        ports[side.transformer.name, side.outer] = way
    parts.append(_draw_elements(link, names, widths, words))
    part = join(parts)
    bottom = max(r.bottom for r in part.rects)
    return Placed(part, Rect(-half, top, 2 * half, bottom - top), ports)


def _heading(link: LinkGroup, width: float) -> tuple[Label, ...]:
    """Name and pair of the connection above its 0-junction."""
    pair_top = -_ZERO / 2 - 6.0 - LINE * SMALL_TEXT
    name = write(link.junction.of, 0.0, pair_top - 1.0 - LINE * NAME_TEXT, NAME_TEXT, width=width - 12.0, bold=True)
    if not link.junction.label:
        return (name,)
    return name, write(link.junction.label, 0.0, pair_top, SMALL_TEXT, width=width - 12.0, quiet=True)


def _draw_side(side: Side, zero: Node, sign: float, words: Words) -> Part:
    """Transformer of one body and its bond to the 0-junction."""
    near, far = sign * _ZERO / 2, sign * (_ZERO / 2 + _BESIDE)
    centre = (far + sign * _TRANSFORMER[0] / 2, 0.0)
    return join(
        [
            straight(side.inner, (near, 0.0), (far, 0.0), zero.name, side.transformer.name, words),
            draw_box(side.transformer, centre, _TRANSFORMER, words),
        ]
    )


def _draw_elements(link: LinkGroup, names: list[str], widths: list[float], words: Words) -> Part:
    """The central transformer as a bar, and the bonds below it, each with its element, or with a 1-junction and the
    elements that meet there.
    """
    parts, y, above = [], _ZERO / 2, link.junction.name
    if link.stem:
        bond, bar = link.stem
        parts.append(straight(bond, (0.0, y), (0.0, y + _DOWN), above, bar.name, words))
        y, above = y + _DOWN, bar.name
        parts.append(draw_box(bar, (0.0, y + _BAR / 2), (sum(widths) - 8.0, _BAR), words))
        y += _BAR
    length = _SCALAR if link.stem else _DOWN
    for (bond, node), name, x in zip(link.elements, names, _middles(widths), strict=True):
        parts.append(straight(bond, (x, y), (x, y + length), above, node.name, words))
        drawn, bottom = _draw_below(link, node, x, y + length, words)
        parts += drawn
        below = bottom + 3.0
        parts.append(Part(labels=(write(name, x, below, SMALL_TEXT),) if name else ()))
        if words.is_conflict(bond):
            middle = y + length / 2 - LINE * SIZE_TEXT / 2
            parts.append(Part(labels=(write("!", x + 9.0, middle - 5.0, 12.0, bold=True, warns=True),)))
    return join(parts)


def _draw_below(link: LinkGroup, node: Node, x: float, y: float, words: Words) -> tuple[list[Part], float]:
    """A node with its top at y and the nodes below it, side by side; and the lower end of the lowest one."""
    several, edge = link.parts.get(node.name, ()), y + _ELEMENT[1]
    wide = _APART * link.ends(node.name) - 8.0 if len(several) > 1 else _ELEMENT[0]
    parts = [draw_box(node, (x, y + _ELEMENT[1] / 2), (max(_ELEMENT[0], wide), _ELEMENT[1]), words)]
    lowest = edge
    for (bond, below), dx in zip(several, _middles([_APART * link.ends(n.name) for _, n in several]), strict=True):
        parts.append(straight(bond, (x + dx, edge), (x + dx, edge + _SCALAR), node.name, below.name, words))
        drawn, bottom = _draw_below(link, below, x + dx, edge + _SCALAR, words)
        parts, lowest = parts + drawn, max(lowest, bottom)
    return parts, lowest


def _bond_name(node: Node, pair: str, most: float) -> str:
    """x, y, ..., slip_x of a bond; if the heading has that already, its seal."""
    name = node.bond or node.name
    shown = next((n for n in (name, node.label) if n not in (node.name, pair)), "")
    return shorten(printable(shown), SMALL_TEXT, most)
