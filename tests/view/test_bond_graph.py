"""The picture of a multibond graph: nothing overlaps, and everything of the graph is in it."""

from random import Random
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.bond_graph.bonds import Bond, BondGraph, Node
from trundle.bond_graph.causality import Causality, Conflict
from trundle.model.seal import ELEMENTS
from trundle.view.bond_graph import Layout, lay_out, to_svg
from trundle.view.bond_graph.shape import Part, Point, Rect
from trundle.view.bond_graph.text import shorten, text_width

SVG = "{http://www.w3.org/2000/svg}"
EXAMPLES = (
    "benchmark-bicycle",
    "simple-pendulum",
    "four-bar",
    "andrews-squeezer",
    "four-bar-diagonal-spring",
    "bricard",
)
PAIRS = (tr.Revolute("z"), tr.Prismatic("x"), tr.Spherical(), tr.Fixed(), tr.Cylindrical("y"))


def random_model(seed: int, bodies: int = 8, loops: int = 3) -> tr.Model:
    """A tree of joints with springs between some bodies, and names of all lengths."""
    chance = Random(seed)
    m = tr.Model("some machine & its <parts>")
    places = [m.ground]
    for i in range(bodies):
        body = m.body("body" + "-of-a-long-name" * chance.randrange(4) + f" {i}", mass=1.0, inertia=(0.1, 0.2, 0.3))
        m.connect(
            chance.choice(PAIRS),
            chance.choice(places).at(i, 0, 0),
            body,
            name=f"joint {i}" + " of many" * chance.randrange(9),
        )
        places.append(body)
    for i in range(loops):
        one, other = chance.sample(places, 2)
        m.apply(tr.SpringDamper(one.at(0, 0, 1), other.at(0, 1, 0), stiffness=1.0), f"spring {i}")
    m.apply(tr.Wrench(places[1], force=(1.0, 0.0, 0.0)), "wind")
    return m


def bare_graph(seed: int, bodies: int, links: int) -> BondGraph:
    """A graph without a model behind it: bodies, connections, strokes and conflicts by chance."""
    chance = Random(seed)
    nodes, bonds = [Node("1 ground", "1", "ground", "ground", 6), Node("Sf ground", "Sf", "at rest", "ground", 6)], []
    bonds.append(Bond("Sf ground", "1 ground", 6, 0))
    for i in range(bodies):
        nodes += [Node(f"1 b{i}", "1", f"b{i}", f"b{i}", 6), Node(f"I b{i}", "I", "inertia", f"b{i}", 6)]
        bonds.append(Bond(f"1 b{i}", f"I b{i}", 6, chance.randrange(7)))
    for i in range(links):
        others = ["1 ground", *(f"1 b{k}" for k in range(min(i, bodies)))]
        first, second = chance.choice(others), f"1 b{i}" if i < bodies else chance.choice(others)
        if chance.random() < 0.4:
            first, second = second, first
        c = f"c{i}"
        nodes += [
            Node(f"0 {c}", "0", "Joint", c, 6),
            *(Node(f"TF {c}{s}", "TF", "", c, 6) for s in ("", " first", " second")),
        ]
        ways = (
            (first, f"TF {c} first"),
            (f"TF {c} first", f"0 {c}"),
            (f"0 {c}", f"TF {c} second"),
            (f"TF {c} second", second),
            (f"0 {c}", f"TF {c}"),
        )
        bonds += [Bond(a, b, 6, chance.randrange(7)) for a, b in ways]
        for axis in ("slip_x", "slip_y", "normal", "rx", "ry", "rz"):
            nodes.append(Node(f"{c}.{axis}", chance.choice(list(ELEMENTS)), "a law", c, 1))
            bonds.append(Bond(f"TF {c}", f"{c}.{axis}", 1, chance.randrange(2)))
    conflicts = tuple(Conflict(f"c{i}.normal", (), "others hold it", f"c{i}", "normal", ()) for i in range(0, links, 3))
    return BondGraph("bare", tuple(nodes), tuple(bonds), (), Causality(bodies, (), conflicts, ()))


def around(a: Point, b: Point, room: float = 0.0) -> Rect:
    """The rectangle that two points span, widened on all sides."""
    (x, y), (x2, y2) = (min(a[0], b[0]), min(a[1], b[1])), (max(a[0], b[0]), max(a[1], b[1]))
    return Rect(x - room, y - room, x2 - x + 2 * room, y2 - y + 2 * room)


def holds(outer: Rect, inner: Rect) -> bool:
    """Whether one box lies in the other."""
    across = outer.x <= inner.x and inner.right <= outer.right
    return across and outer.y <= inner.y and inner.bottom <= outer.bottom


def overlaps(ones: list[Rect], others: list[Rect]) -> set[tuple[int, int]]:
    """Pairs that have more than a border in common; a line overlaps what it passes through."""
    a, b = (np.array([(r.x, r.y, r.right, r.bottom) for r in rects]).reshape(-1, 4) for rects in (ones, others))
    apart = (a[:, None, :2] >= b[None, :, 2:]) | (b[None, :, :2] >= a[:, None, 2:])
    return {(int(i), int(k)) for i, k in np.argwhere(~apart.any(axis=2))}


def check(layout: Layout) -> None:
    """No label over a label, a box, a bond or a mark; no box over a box; no bond through a box; all on the page."""
    parts = (layout.drawing, layout.legend)
    boxes, labels = [b for p in parts for b in p.boxes], [t for p in parts for t in p.labels]
    lines = [around(a, b) for p in parts for w in p.wires for a, b in w.segments]
    lines += [around(*m.points) for p in parts for m in p.marks]
    framed, written = [b.rect for b in boxes], [t.rect for t in labels]
    place = {b.node: i for i, b in enumerate(boxes)}
    assert len(place) == len(boxes)
    assert overlaps(framed, framed) == {(i, i) for i in range(len(boxes))}
    assert overlaps(written, written) == {(i, i) for i in range(len(labels))}
    assert overlaps(written, framed) == {(i, place[t.inside]) for i, t in enumerate(labels) if t.inside}
    assert not overlaps(lines, framed + written)
    for label in labels:
        assert label.rect.width == pytest.approx(text_width(label.text, label.size, label.bold))
        assert not label.inside or holds(framed[place[label.inside]], label.rect)
    page = Rect(0.0, 0.0, layout.width, layout.height)
    assert all(holds(page, r) for r in framed + written + lines)
    check_bonds(layout.drawing)


def check_bonds(drawing: Part) -> None:
    """Each bond runs level or upright from its tail to its head, and none along another one."""
    rects = {b.node: b.rect for b in drawing.boxes}
    for wire in drawing.wires:
        for node, end in ((wire.bond.tail, wire.points[0]), (wire.bond.head, wire.points[-1])):
            assert overlaps([around(end, end, 4.0)], [rects[node]]), wire
        assert all((a[0] == b[0]) != (a[1] == b[1]) for a, b in wire.segments), wire
    for across in (0, 1):
        pieces = [(w.bond, around(a, b, 3.0)) for w in drawing.wires for a, b in w.segments if a[across] == b[across]]
        strips = [strip for _, strip in pieces]
        assert all(pieces[i][0] == pieces[k][0] for i, k in overlaps(strips, strips))


@pytest.fixture(scope="module", params=[*EXAMPLES, "random"])
def graph(request: pytest.FixtureRequest) -> BondGraph:
    model = random_model(4) if request.param == "random" else examples.model(request.param)
    return model.build().graph


def test_nothing_lies_over_anything_else(graph: BondGraph) -> None:
    check(lay_out(graph))


def test_everything_of_the_graph_is_in_the_picture(graph: BondGraph) -> None:
    svg = ET.fromstring(to_svg(graph))
    drawn = next(g for g in svg.iter(f"{SVG}g") if g.get("class") == "graph")
    kinds = [g.get("data-kind") for g in drawn.iter(f"{SVG}g") if g.get("class") == "node"]
    assert sorted("1" if k in ("ground", "bond") else str(k) for k in kinds) == sorted(n.kind for n in graph.nodes)
    assert kinds.count("ground") == 1
    lines = [line.get("class") for line in drawn.iter(f"{SVG}line")]
    assert lines.count("arrow") == len(graph.bonds)
    assert lines.count("stroke") == sum(1 + (0 < b.at_head < b.size) for b in graph.bonds)
    titles = [t.text or "" for t in drawn.iter(f"{SVG}title")]
    for seal in graph.seals:
        assert sum(t.startswith(f"{seal.name}: {seal.element}") and seal.by in t for t in titles) == 1
    assert all(text.get("textLength") for text in svg.iter(f"{SVG}text"))


def test_the_picture_is_the_same_each_time_and_shows_in_a_notebook(graph: BondGraph) -> None:
    svg = to_svg(graph)
    assert svg == to_svg(graph) == graph._repr_svg_()
    assert svg.index('fill="#FFFFFF"') < svg.index("<text")  # paper first: it shows on a dark page too


@pytest.mark.parametrize(("seed", "bodies", "links"), [(1, 3, 9), (2, 8, 12), (3, 8, 8), (4, 1, 4), (5, 15, 20)])
def test_any_graph_is_laid_out_without_overlap(seed: int, bodies: int, links: int) -> None:
    check(lay_out(bare_graph(seed, bodies, links)))


@pytest.mark.slow
def test_a_long_chain_continues_in_bands_on_one_page() -> None:
    model = examples.model("chain", n=100)
    layout = lay_out(model.build().graph)
    assert sum(b.kind in ("1", "ground") for b in layout.drawing.boxes) == 101
    assert 0.8 < layout.width / layout.height < 2.5
    boxes = [b.rect for b in layout.drawing.boxes]
    assert len(overlaps(boxes, boxes)) == len(boxes)


@pytest.mark.parametrize("name", ["benchmark-bicycle", "four-bar", "bricard", "flyball-governor"])
def test_bonds_of_a_planar_graph_do_not_cross(name: str) -> None:
    wires = lay_out(examples.model(name).build().graph).drawing.wires
    pieces = [(w.bond, around(a, b, 1.0)) for w in wires for a, b in w.segments]
    rects = [rect for _, rect in pieces]
    assert {(pieces[i][0], pieces[k][0]) for i, k in overlaps(rects, rects)} == {(w.bond, w.bond) for w in wires}


def test_forces_on_one_body_hang_on_it_with_their_name() -> None:
    drawing = lay_out(random_model(4).build().graph).drawing
    (wind,) = [t for t in drawing.labels if t.text == "wind"]
    (source,) = [b.rect for b in drawing.boxes if b.node == "Se wind"]
    assert abs(wind.rect.y - source.bottom) < 5.0 and source.x < wind.rect.x + wind.rect.width / 2 < source.right


def test_conflicts_are_marked() -> None:
    graph = bare_graph(7, 4, 6)
    drawing = lay_out(graph).drawing
    marked = {w.bond.head for w in drawing.wires if w.conflict}
    assert marked == {c.seal for c in graph.causality.conflicts}
    assert sum(t.warns for t in drawing.labels) == len(marked)
    assert "others hold it" in to_svg(graph)


def test_long_names_are_shortened_and_listed_in_full() -> None:
    assert shorten("rear frame", 11.0, 200.0) == "rear frame"
    short = shorten("rear frame with the rider", 11.0, 80.0)
    assert short.startswith("rear fr") and short.endswith("…") and text_width(short, 11.0) <= 80.0
    name = "bicycle\x07 " + "with a rider " * 12
    graph = bare_graph(8, 1, 1)
    nodes = tuple(Node(n.name, n.kind, name if n.name == "1 b0" else n.label, n.of, n.size) for n in graph.nodes)
    svg = ET.fromstring(to_svg(BondGraph(name, nodes, graph.bonds, (), graph.causality)))
    titles = [t.text or "" for t in svg.iter(f"{SVG}title")]
    assert any(t.count("with a rider") == 12 for t in titles)


@pytest.mark.parametrize(("bodies", "links"), [(5, 2), (2, 0), (0, 0)])
def test_bodies_that_nothing_joins_to_the_ground_are_drawn(bodies: int, links: int) -> None:
    layout = lay_out(bare_graph(9, bodies, links))
    check(layout)
    assert sum(b.kind == "1" for b in layout.drawing.boxes) == bodies


def test_labels_are_cut_only_where_there_is_no_space() -> None:
    m = tr.Model("a model whose name is long enough to need most of the width that a wide page has for its title")
    last: tr.Body = m.ground
    for i in range(6):
        body = m.body(f"b{i}", mass=1.0, inertia=(0.1, 0.2, 0.3))
        m.connect(tr.Revolute("z"), last, body, name=f"joint {i}")
        last = body
    m.apply(tr.Wrench(last, force=(1.0, 0.0, 0.0)), "wind from the north-west")
    layout = lay_out(m.build().graph)
    labels = [*layout.drawing.labels, *layout.legend.labels]
    assert "wind from the north-west" in [t.text for t in labels]
    title = next(t for t in layout.legend.labels if t.text.startswith("a model whose"))
    whole = text_width(f"{m.name}: multibond graph", title.size, bold=True)
    assert whole > 760.0
    assert title.text.endswith(": multibond graph") or whole > layout.width - 48.0
    assert all(t.rect.right <= layout.width for t in labels)
