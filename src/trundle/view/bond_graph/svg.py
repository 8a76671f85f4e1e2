"""The picture written as SVG; it needs no style sheet and no font of its own."""

from xml.etree import ElementTree as ET

from trundle.bond_graph.bonds import BondGraph
from trundle.view.bond_graph.layout import lay_out
from trundle.view.bond_graph.shape import Box, Label, Mark, Part, Wire
from trundle.view.bond_graph.text import BASELINE, FAMILY, printable

INK = "#222222"
QUIET = "#5F6670"
WARNING = "#B3261E"
PAPER = "#FFFFFF"
FILLS = {  # each pair can be distinguished with any kind of colour blindness
    "FC": "#0072B2", "EC": "#FFFFFF", "R": "#E06A10", "C": "#00A87A", "Se": "#F5E663", "Sf": "#C986B5",
    "I": "#9AD4F5", "TF": PAPER, "GY": "#B8A1D9", "0": PAPER, "1": "#F3F5F7", "bond": "#F3F5F7", "ground": "#C9CED5",
}  # fmt: skip
ROUNDING = {"1": 10.0, "bond": 10.0, "ground": 0.0, "0": 14.0, "TF": 2.0}  # radius of the corners
_DOUBLE = 4.6  # width of a multibond, of which the middle is left white
_LINE = 1.3


def to_svg(graph: BondGraph, dual: bool = False) -> str:
    """The multibond graph, or its dual, as an SVG picture, to print, for a page or for a notebook."""
    layout = lay_out(graph, dual)
    width, height = _number(layout.width), _number(layout.height)
    svg = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg", "width": width, "height": height, "viewBox": f"0 0 {width} {height}",
            "style": "max-width: 100%; height: auto", "role": "img", "font-family": FAMILY,
        },
    )  # fmt: skip
    _title(svg, f"{graph.name}: {'dual ' if dual else ''}multibond graph")
    ET.SubElement(svg, "rect", {"width": width, "height": height, "fill": PAPER})
    for name, part in (("legend", layout.legend), ("graph", layout.drawing)):
        _paint(ET.SubElement(svg, "g", {"class": name}), part)
    ET.indent(svg, " ")
    return ET.tostring(svg, encoding="unicode") + "\n"


def _paint(group: ET.Element, part: Part) -> None:
    for wire in part.wires:
        _wire(group, wire)
    for mark in part.marks:
        _mark(group, mark)
    for box in part.boxes:
        _box(group, box)
    kinds = {b.node: b.kind for b in part.boxes if b.node}
    for label in part.labels:
        _label(group, label, kinds.get(label.inside, ""))


def _wire(group: ET.Element, wire: Wire) -> None:
    g = ET.SubElement(group, "g", {"class": "bond", "fill": "none", "stroke-linejoin": "round"})
    if wire.title:
        _title(g, wire.title)
    points = {"points": " ".join(f"{_number(x)},{_number(y)}" for x, y in wire.points)}
    colour = WARNING if wire.conflict else INK
    dashes = {"stroke-dasharray": "4 3"} if wire.conflict else {}
    if wire.bond.size > 1:  # white beside the lines sets crossing bonds apart
        for stroke, width in ((PAPER, _DOUBLE + 3.0), (colour, _DOUBLE), (PAPER, _DOUBLE - 2 * _LINE)):
            ET.SubElement(g, "polyline", {**points, "stroke": stroke, "stroke-width": _number(width)})
    else:
        ET.SubElement(g, "polyline", {**points, "stroke": colour, "stroke-width": _number(_LINE), **dashes})
    # a wide invisible line for the tooltip of the bond
    ET.SubElement(g, "polyline", {**points, "stroke": PAPER, "stroke-opacity": "0", "stroke-width": "10"})


def _mark(group: ET.Element, mark: Mark) -> None:
    (x1, y1), (x2, y2) = mark.points
    ends = {"x1": _number(x1), "y1": _number(y1), "x2": _number(x2), "y2": _number(y2)}
    style = {"stroke": WARNING if mark.conflict else INK, "stroke-width": "1.8", "stroke-linecap": "round"}
    ET.SubElement(group, "line", {"class": mark.kind, **ends, **style})


def _box(group: ET.Element, box: Box) -> None:
    g = ET.SubElement(group, "g", {"class": "node", "data-kind": box.kind})
    if box.title:
        _title(g, box.title)
    r = box.rect
    corners = {"x": _number(r.x), "y": _number(r.y), "width": _number(r.width), "height": _number(r.height)}
    style = {"rx": _number(ROUNDING.get(box.kind, 4.0)), "fill": FILLS[box.kind], "stroke": INK, "stroke-width": "1.2"}
    ET.SubElement(g, "rect", {**corners, **style})
    if box.kind == "ground":  # the earth, hatched
        count = int(r.width // 7)
        lines = "".join(f"M{_number(r.x + 7 * i + 1)} {_number(r.bottom)}l5 -5" for i in range(count))
        ET.SubElement(g, "path", {"d": lines, "stroke": INK, "stroke-width": "0.8"})


def _label(group: ET.Element, label: Label, kind: str) -> None:
    r = label.rect
    colour = WARNING if label.warns else QUIET if label.quiet else PAPER if kind == "FC" else INK
    place = {"x": _number(r.x), "y": _number(r.y + BASELINE * label.size), "font-size": _number(label.size)}
    fit = {"textLength": _number(r.width), "lengthAdjust": "spacingAndGlyphs"}
    weight = {"font-weight": "bold"} if label.bold else {}
    text = ET.SubElement(group, "text", {**place, **fit, **weight, "fill": colour, "pointer-events": "none"})
    text.text = label.text
    if label.title:
        text.attrib.pop("pointer-events")
        title = _title(text, label.title)
        text.text, title.tail = None, label.text


def _title(parent: ET.Element, text: str) -> ET.Element:
    title = ET.SubElement(parent, "title")
    title.text = "\n".join(printable(line) for line in text.splitlines())
    return title


def _number(value: float) -> str:
    """Hundredths of a pixel are enough."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
