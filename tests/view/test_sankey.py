"""Sankey pictures: to scale, without overlaps or omissions."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import trundle as tr
from trundle import examples
from trundle.run.energy_table import SAMPLES, EnergyNode, EnergyTable, Transfer
from trundle.view.sankey import draw_sankey
from trundle.view.sankey_layout import LINE, Layout, Ribbon, joules, lay_out, text_width

Box = tuple[float, float, float, float]  # left, top, right, bottom


def driven_four_bar() -> EnergyTable:
    m = tr.Model("driven four-bar", gravity=(0, -9.81, 0))
    lengths = {"crank": 0.4, "coupler": 1.0, "rocker": 0.8}
    bars = {n: m.body(n, mass=2 * l, inertia=(1e-3, l**3 / 6, l**3 / 6), com=(l / 2, 0, 0)) for n, l in lengths.items()}
    m.connect(tr.Revolute("z"), m.ground, bars["crank"], name="A", law=tr.Motor(lambda t, q, u: 6.0 - 0.3 * u))
    m.connect(tr.Revolute("z"), bars["crank"].at(0.4, 0, 0), bars["coupler"], name="B", law=tr.Damper(0.05))
    m.connect(tr.Revolute("z"), m.ground.at(1.0, 0, 0), bars["rocker"], name="D", law=tr.Damper(0.6))
    m.connect(tr.Revolute("z"), bars["coupler"].at(1, 0, 0), bars["rocker"].at(0.8, 0, 0), name="C")
    m.apply(tr.SpringDamper(m.ground.at(1.5, 0.5, 0), bars["rocker"].at(0.8, 0, 0), 20.0, 2.0, 0.5), name="load")
    m.start = {"A.angle": 0.5, "B.angle": 0.3, "D.angle": 1.5}
    return m.build().simulate(1.2).power.table()


def made_up(n: int, seed: int) -> EnergyTable:
    """Energy between n bodies and their stores, in loops too."""
    rng = np.random.default_rng(seed)
    bodies = [EnergyNode("body", f"body number {i}") for i in range(n)]
    rows = []
    for body in bodies:
        store = EnergyNode(str(rng.choice(["kinetic", "gravity", "store", "source", "loss"])), body.of)
        ends = (
            (store, body) if store.kind == "source" or (store.kind != "loss" and rng.random() < 0.5) else (body, store)
        )
        rows.append(Transfer(*ends, float(rng.uniform(0.01, 5))))
    for _ in range(2 * n):
        a, b = rng.choice(n, 2, replace=False)
        rows.append(Transfer(bodies[a], bodies[b], float(rng.uniform(0.001, 3)), f"joint {a}-{b}"))
    return EnergyTable(0.0, 1.0, tuple(rows), 0.0, "")


TABLES = {
    "bicycle": lambda: examples.model("benchmark-bicycle").build().simulate(5.0).power.table(),
    "squeezer": lambda: examples.model("andrews-squeezer").build().simulate(0.03).power.table(),
    "Bricard": lambda: examples.model("bricard").build().simulate(1.3).power.table(),
    "four-bars": lambda: examples.model("n-four-bar").build().simulate(0.8).power.table(),
    "driven four-bar": driven_four_bar,
    **{f"made up {seed}": lambda seed=seed: made_up(3 + 2 * seed, seed) for seed in range(4)},
}


@pytest.fixture(scope="module", params=TABLES)
def table(request: pytest.FixtureRequest) -> EnergyTable:
    return TABLES[request.param]()


def text_box(label: tuple[str, float, float, str]) -> Box:
    text, x, y, align = label
    width = text_width(text)
    left = {"left": x, "right": x - width, "center": x - width / 2}[align]
    return left, y - LINE / 2, left + width, y + LINE / 2


def boxes(found: Layout) -> list[Box]:
    places = [p for p in found.places if not isinstance(p.node, Ribbon)]
    return [(p.x, p.y, p.x + p.width, p.y + p.height) for p in places]


def overlap(a: Box, b: Box) -> bool:
    slack = 1e-6
    across = min(a[2], b[2]) - max(a[0], b[0])
    return across > slack and min(a[3], b[3]) - max(a[1], b[1]) > slack


def samples_of(ribbon: Ribbon) -> list[tuple[float, float]]:
    """Points along the middle of a ribbon."""
    points = []
    for (_, a, y0), (b, _, y1) in zip(ribbon.stops, ribbon.stops[1:], strict=False):
        for s in np.linspace(0, 1, 21):
            points.append((a + (b - a) * (1.5 * s * (1 - s) + s**3), y0 + (y1 - y0) * s * s * (3 - 2 * s)))
    for a, b, y in ribbon.stops:
        points += [(x, y) for x in np.linspace(a, b, 11)]
    return points


def test_no_text_or_box_lies_on_another(table: EnergyTable):
    found = lay_out(table, [])
    texts = [text_box(label) for label in found.labels]
    for a, b in combinations(texts, 2):
        assert not overlap(a, b)
    for a, b in combinations(boxes(found), 2):
        assert not overlap(a, b)
    inside = (0.0, 0.0, found.width, found.height)
    for left, top, right, bottom in (*texts, *boxes(found)):
        assert left >= -1e-6 and right <= inside[2] + 1e-6 and top >= -1e-6 and bottom <= inside[3] + 1e-6


def test_no_ribbon_runs_over_a_box_or_a_strange_label(table: EnergyTable):
    found = lay_out(table, [])
    starts = [
        text_box(label) for label in found.labels if label[0] not in {line for p in found.places for line in p.lines}
    ]
    for ribbon in found.ribbons:
        ends = {id(p) for p in found.places if p.node in (ribbon.giver, ribbon.taker)}
        for x, y in samples_of(ribbon):
            for p in found.places:
                if not isinstance(p.node, Ribbon) and id(p) not in ends:
                    over = p.x < x < p.x + p.width
                    assert not (over and p.y < y + ribbon.width / 2 and y - ribbon.width / 2 < p.y + p.height)
            for left, top, right, bottom in starts:
                own = any(
                    abs(s[0] - (left - 0.09)) < 1e-6 and top <= s[2] + ribbon.width / 2 + LINE for s in ribbon.stops
                )
                assert own or not (left < x < right and top < y < bottom)


def test_ribbons_are_to_scale_and_carry_everything(table: EnergyTable):
    found = lay_out(table, [], bodies=100)
    wide = [r for r in found.ribbons if r.width > 0.011]
    scale = {round(r.width / r.energy, 9) for r in wide}
    assert len(scale) == 1
    net: dict[EnergyNode, float] = {}
    for giver, taker, energy in [(t.giver, t.taker, t.energy) for t in table]:
        net[giver] = net.get(giver, 0.0) - energy
        net[taker] = net.get(taker, 0.0) + energy
    for r in (*found.ribbons, *found.small):
        net[r.giver] += r.energy
        net[r.taker] -= r.energy
    assert max(map(abs, net.values())) < 1e-9 * max(t.energy for t in table)
    order = {id(p.node): p.column for p in found.places}
    columns = {p.node: p.column for p in found.places if isinstance(p.node, EnergyNode)}
    assert order and all(columns[r.giver] < columns[r.taker] for r in found.ribbons)


def test_a_picture_is_written_and_shows_its_numbers(tmp_path):
    run = examples.model("benchmark-bicycle").build().simulate(10.0)
    figure = run.power.sankey(tmp_path / "ride.png", end=9.0)
    assert (tmp_path / "ride.png").stat().st_size > 10_000
    told = [text.get_text() for text in figure.axes[0].texts]
    assert any("from 0 s to 9 s" in text for text in told) and "rear frame" in told
    assert any(text.startswith("Not drawn, less than 0.5 %") for text in told)
    largest = run.power.table(end=9.0)[0]
    assert any(joules(largest.energy) in text for text in told)
    width, height = figure.get_size_inches() * figure.dpi
    renderer = FigureCanvasAgg(figure).get_renderer()
    for text in figure.axes[0].texts:
        box = text.get_window_extent(renderer)
        assert box.x0 >= 0 and box.x1 <= width + 1 and box.y0 >= 0 and box.y1 <= height + 1


def test_many_bodies_are_taken_together_and_doubt_is_reported():
    found = lay_out(made_up(30, 7), [], bodies=5)
    names = {str(p.node) for p in found.places if isinstance(p.node, EnergyNode) and p.node.kind == "body"}
    assert len(names) <= 6 and "25 other bodies" in names
    rows = made_up(3, 1).transfers
    figure = draw_sankey(EnergyTable(0.0, 1.0, rows, 3.0, "body", SAMPLES), "doubtful")
    assert any("more samples" in text.get_text() for text in figure.axes[0].texts)


def test_nothing_exchanged_is_said():
    figure = draw_sankey(EnergyTable(0.0, 1.0, (), 0.0, ""), "at rest")
    assert any("No energy" in text.get_text() for text in figure.axes[0].texts)


def test_energies_are_written_with_three_digits():
    assert [joules(x) for x in (0.6457, 12.34, 999.7, 45678.0, 3.2e-5, 1e-12)] == [
        "646 mJ", "12.3 J", "1 kJ", "45.7 kJ", "32 µJ", "1.00e-12 J",
    ]  # fmt: skip
