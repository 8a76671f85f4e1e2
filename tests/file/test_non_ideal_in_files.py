"""Weights and resistances in model files: as in Python, and their faults."""

import pytest

import trundle as tr
from trundle.errors import FileError
from trundle.file import read_model
from trundle.model.fingerprint import fingerprint

GOOD = """\
name: wheel
parameters: {hold: 0.5, mu: 0.2}
bodies: {wheel: {mass: 2, inertia: [0.1, 0.2, 0.1]}, block: {mass: 1, inertia: 0.1}}
connections:
  road: {pair: HigherPair, surfaces: [Plane, {CircleEdge: {radius: 0.5}}], first: ground, second: wheel, law: NoSlip}
  bar: {pair: Prismatic, axis: x, first: ground, second: block}
relax:
  "road.slip_x, road.slip_y": [[hold, 0.1], [0.1, 0.7 + 0*road.roll]]
  bar.x: 1/(1 + (bar.y_multiplier/100)^2)
resist: {bar.displacement: -mu*abs(bar.y_multiplier)*tanh(bar.displacement_rate)}
"""


def in_python() -> tr.Model:
    m = tr.Model("wheel")
    hold, mu = m.parameter("hold", 0.5), m.parameter("mu", 0.2)
    wheel, block = m.body("wheel", 2, (0.1, 0.2, 0.1)), m.body("block", 1, 0.1)
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(0.5)), m.ground, wheel, name="road", law=tr.NoSlip())
    m.connect(tr.Prismatic("x"), m.ground, block, name="bar")
    m.relax(("road.slip_x", "road.slip_y"), lambda s: [[hold, 0.1], [0.1, 0.7 + 0 * s["road.roll"]]])
    m.relax("bar.x", lambda s: 1 / (1 + (s.multiplier("bar.y") / 100) ** 2))
    m.resist("bar.displacement", lambda s: -mu * tr.abs(s.multiplier("bar.y")) * tr.tanh(s["bar.displacement_rate"]))
    return m


def test_a_file_gives_the_same_model_as_python() -> None:
    found = read_model(GOOD, "wheel.yaml").model
    assert fingerprint(found) == fingerprint(in_python())
    start = {"road.pitch_rate": 3.0, "bar.displacement_rate": 1.0}
    a, b = (m.build().accelerations(start) for m in (found, in_python()))
    assert a["block.acceleration"] == pytest.approx(b["block.acceleration"], abs=1e-13)
    assert a["wheel.acceleration"] == pytest.approx(b["wheel.acceleration"], abs=1e-13)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("bar.x: 1/(1 + (bar.y_multiplier/100)^2)", "bar.x: 1.5", "between 0"),
        ("bar.x: 1/(1 + (bar.y_multiplier/100)^2)", "bars.x: 0.5", "row of a connection"),
        ("-mu*abs(bar.y_multiplier)", "-mu*abs(bars.y_multiplier)", "there is no quantity called 'bars.y_multiplier'"),
        ("bar.displacement: -mu", "bolt.displacement: -mu", "relative motion of a connection"),
        ("[[hold, 0.1], [0.1, 0.7 + 0*road.roll]]", "[[1, 2], [3, 4]]", "symmetric matrix"),
    ],
)
def test_faults_in_the_file_are_reported(old: str, new: str, told: str) -> None:
    assert old in GOOD
    with pytest.raises(FileError, match=told):
        read_model(GOOD.replace(old, new), "wheel.yaml")
