"""Elements of a picture: boxes, labels, wires and the marks at their ends. Lengths are in pixels, y points down."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import final

from trundle.bond_graph.bonds import Bond
from trundle.view.bond_graph.text import LINE, printable, shorten, text_width

Point = tuple[float, float]


@final
@dataclass(frozen=True)
class Rect:
    """A rectangle by its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    def moved(self, dx: float, dy: float) -> "Rect":
        return Rect(self.x + dx, self.y + dy, self.width, self.height)


@final
@dataclass(frozen=True)
class Box:
    """A junction, a transformer or an element."""

    node: str  # its name in the graph, empty in the legend
    kind: str  # as in trundle.bond_graph.bonds.Node, or "ground"
    rect: Rect
    title: str = ""  # tooltip

    def moved(self, dx: float, dy: float) -> "Box":
        return replace(self, rect=self.rect.moved(dx, dy))


@final
@dataclass(frozen=True)
class Label:
    """A line of text."""

    text: str
    rect: Rect
    size: float
    bold: bool = False
    quiet: bool = False
    warns: bool = False
    title: str = ""  # the full text if it was shortened
    inside: str = ""  # node in whose box it is

    def moved(self, dx: float, dy: float) -> "Label":
        return replace(self, rect=self.rect.moved(dx, dy))


@final
@dataclass(frozen=True)
class Wire:
    """A bond from its tail to its head."""

    bond: Bond
    points: tuple[Point, ...]
    title: str = ""
    conflict: bool = False

    def moved(self, dx: float, dy: float) -> "Wire":
        return replace(self, points=moved(self.points, dx, dy))

    @property
    def segments(self) -> list[tuple[Point, Point]]:
        return list(pairwise(self.points))


@final
@dataclass(frozen=True)
class Mark:
    """A half arrow or a causal stroke at the end of a bond."""

    bond: Bond
    kind: str  # "arrow", "stroke"
    points: tuple[Point, ...]
    conflict: bool = False

    def moved(self, dx: float, dy: float) -> "Mark":
        return replace(self, points=moved(self.points, dx, dy))


@final
@dataclass(frozen=True)
class Part:
    """A movable part of the picture."""

    boxes: tuple[Box, ...] = ()
    labels: tuple[Label, ...] = ()
    wires: tuple[Wire, ...] = ()
    marks: tuple[Mark, ...] = ()

    @property
    def rects(self) -> list[Rect]:
        """Rectangles of all boxes and labels."""
        return [b.rect for b in self.boxes] + [t.rect for t in self.labels]

    def moved(self, dx: float, dy: float) -> "Part":
        return Part(
            tuple(b.moved(dx, dy) for b in self.boxes),
            tuple(t.moved(dx, dy) for t in self.labels),
            tuple(w.moved(dx, dy) for w in self.wires),
            tuple(m.moved(dx, dy) for m in self.marks),
        )


def join(parts: Iterable[Part]) -> Part:
    """All parts as one."""
    parts = list(parts)
    return Part(
        tuple(b for p in parts for b in p.boxes),
        tuple(t for p in parts for t in p.labels),
        tuple(w for p in parts for w in p.wires),
        tuple(m for p in parts for m in p.marks),
    )


def moved(points: Iterable[Point], dx: float, dy: float) -> tuple[Point, ...]:
    """The points shifted."""
    return tuple((x + dx, y + dy) for x, y in points)


def write(
    text: str, x: float, y: float, size: float, *, width: float = 1e9, anchor: float = 0.5, bold: bool = False,
    quiet: bool = False, warns: bool = False, inside: str = "",
) -> Label:  # fmt: skip
    """A label with its top at y and the fraction `anchor` of its width left of x; shortened to `width`."""
    whole = printable(text)
    shown = shorten(whole, size, width, bold)
    length = text_width(shown, size, bold)
    rect = Rect(x - anchor * length, y, length, LINE * size)
    return Label(shown, rect, size, bold, quiet, warns, whole if shown != whole else "", inside)
