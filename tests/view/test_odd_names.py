"""Names are shown literally, not as formulas, markup or hidden labels."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import trundle as tr

NAMES = ("$_{^$", "_hidden", "<b>&\"' %s{}", r"\$")


@pytest.fixture(scope="module")
def system() -> tr.System:
    """A ball that rolls with friction and carries a chain of arms."""
    m = tr.Model("model $_{^$")
    last = m.body("$ball_{$", mass=1.0, inertia=0.1, shape=tr.shape.Ball(0.1))
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, last, law=tr.Coulomb(0.3))
    for name in NAMES:
        arm = m.body(name, mass=1.0, inertia=0.1, com=(0, 0, -1), shape=tr.shape.Rod((0, 0, 0), (0, 0, -1)))
        m.connect(tr.Revolute("y"), last, arm)
        m.event(f"{name} event", lambda s, n=name: s[f"{n}.angle"])
        last = arm
    m.start = {f"{NAMES[0]}.angle": 0.5, "$ball_{$.x_rate": 1.0}
    return m.build()


def texts(artist: Any) -> set[str]:
    return {t.get_text().removeprefix("\u200b") for t in artist.findobj(lambda o: hasattr(o, "get_parse_math"))}


def test_pictures_of_a_run(system: tr.System, tmp_path: Path) -> None:
    run = system.simulate(0.3, samples=9)
    assert run.ok
    figure = run.plot(*(f"{name}.angle" for name in NAMES), path=tmp_path / "motion.svg")
    ElementTree.fromstring((tmp_path / "motion.svg").read_text(encoding="utf-8"))
    assert {"model $_{^$", *(name for name, _ in run.events if " event" in name)} <= texts(figure)
    legends = [axes.get_legend() for axes in figure.axes]
    assert {f"{name}.angle" for name in NAMES} <= set().union(*(texts(legend) for legend in legends if legend))
    run.energy.plot(path=tmp_path / "energy.png")
    run.draw(path=tmp_path / "mechanism.png")


def test_the_bond_graph_is_well_formed(system: tr.System, tmp_path: Path) -> None:
    root = ElementTree.parse(system.graph.save(tmp_path / "graph.svg"))
    shown = ["".join(t.itertext()) for t in root.iter() if t.tag.endswith("text")]
    assert all(any(name in text for text in shown) for name in NAMES)
    system.graph.save(tmp_path / "graph.graphml")


def test_pictures_of_a_trace(tmp_path: Path) -> None:
    m = tr.Model("$_{^$")
    m.connect(tr.Revolute("z"), m.ground, m.body("$_{^$", mass=1.0, inertia=0.1))
    m.build().trace("$_{^$.angle", 1.0).plot(path=tmp_path / "trace.png")


def test_numbers_along_axes_keep_their_powers(tmp_path: Path) -> None:
    m = tr.Model("small", gravity=(0, 0, 0))
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", mass=1.0), law=tr.Spring(9.0))
    figure = m.build().simulate(2.0, {"cart.displacement": 1e-9}).plot(path=tmp_path / "small.svg")
    assert any("times" in axes.yaxis.get_offset_text().get_text() for axes in figure.axes)
    assert all(axes.yaxis.get_offset_text().get_parse_math() for axes in figure.axes)
