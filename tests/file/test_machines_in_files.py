"""Cams of arcs, bevel gears and backlash in model files: the same models as those of Python."""

import numpy as np
import pytest

import trundle as tr
from trundle.errors import FileError
from trundle.file import read_model
from trundle.model.fingerprint import fingerprint

CAM = """\
name: cam
constants: {{base: 0.03}}
parameters: {{free: 0.02}}
bodies: {{cam: {{mass: 1, inertia: 0.001}}, follower: {{mass: 1, inertia: 0.001}}}}
connections:
  cam: {{pair: Revolute, axis: y, first: ground, second: cam}}
  follower: {{pair: Prismatic, axis: z, first: ground, second: follower}}
  touch: {{pair: PlanarPair, surfaces: [{{Cam: {{arcs: {arcs}}}}}, {{Circle: 0.01}}], first: cam, second: follower}}
"""
ARCS = "[{at: [0, 0], radius: base}, {at: [0, 0.02], radius: 0.012}]"


def test_a_cam_of_arcs() -> None:
    m = tr.Model("cam")
    m.parameter("free", 0.02)
    cam, follower = (m.body(name, 1.0, (0.001, 0.001, 0.001)) for name in ("cam", "follower"))
    m.connect(tr.Revolute("y"), m.ground, cam, name="cam")
    m.connect(tr.Prismatic("z"), m.ground, follower, name="follower")
    m.connect(tr.PlanarPair(tr.Cam.tangent(0.03, 0.012, 0.02), tr.Circle(0.01)), cam, follower, name="touch")
    assert fingerprint(read_model(CAM.format(arcs=ARCS), "cam.yaml").model) == fingerprint(m)


@pytest.mark.parametrize(
    ("arcs", "words"),
    [
        ("[]", "arcs"),
        ("[{at: [0, 0, 0], radius: 0.1}]", "at"),
        ("[{at: [0, 0], radius: 0.03}, {at: [0, 0.01], radius: 0.001}]", "lies inside the other"),
        ("[{at: [0, 0], radius: free}]", "cannot depend on the parameter"),
        ("[{at: [0, 0], wide: 0.1, radius: 0.1}]", "wide"),
    ],
)
def test_arcs_that_make_no_cam(arcs: str, words: str) -> None:
    with pytest.raises(FileError, match=words):
        read_model(CAM.format(arcs=arcs), "cam.yaml")


GEARS = """\
name: gears
bodies: {first: {mass: 1, inertia: 0.1}, second: {mass: 1, inertia: 0.1}}
connections:
  first: {pair: Revolute, first: ground, second: first}
  second: {pair: Revolute, axis: x, first: ground, second: second}
  mesh:
    pair: BevelGear
    ratio: -2
    radius: 0.05
    first: first
    second: {body: second, rotation: {axis: y, angle: pi/2}}
    compliance: {normal: {backlash: {stiffness: 1e5, clearance: 1e-4, damping: 0.5}}}
"""


BELT = """\
name: belt
bodies: {{p: {{mass: 1, inertia: 0.1}}, q: {{mass: 1, inertia: 0.1}}}}
connections:
  p: {{pair: Revolute, axis: z, first: ground, second: p}}
  q: {{pair: Revolute, axis: z, first: {{body: ground, at: [1, 0, 0]}}, second: q}}
  belt: {{pair: Belt, first_radius: 0.1, second_radius: 0.2, crossed: {crossed}, first: p, second: q}}
"""


@pytest.mark.parametrize("crossed", ["true", "false"])
def test_a_belt_that_is_crossed(crossed: str) -> None:
    started = read_model(BELT.format(crossed=crossed), "belt.yaml").model.build().start({"p.angle_rate": 1.0})
    assert started.u == pytest.approx([1.0, -0.5 if crossed == "true" else 0.5])


@pytest.mark.parametrize("crossed", ["1", "twice", "[true]"])
def test_a_belt_is_crossed_or_not(crossed: str) -> None:
    with pytest.raises(FileError, match=r"line 6, connections\.belt\.crossed: give "):
        read_model(BELT.format(crossed=crossed), "belt.yaml")


def test_bevel_gears_with_backlash() -> None:
    m = tr.Model("gears")
    first, second = (m.body(name, 1.0, (0.1, 0.1, 0.1)) for name in ("first", "second"))
    m.connect(tr.Revolute("z"), m.ground, first, name="first")
    m.connect(tr.Revolute("x"), m.ground, second, name="second")
    teeth = tr.Backlash(1e5, 1e-4, 0.5)
    turned = second.frame(rotation=("y", np.pi / 2))
    m.connect(tr.BevelGear(-2.0, 0.05), first, turned, name="mesh", compliance={"normal": teeth})
    assert fingerprint(read_model(GEARS, "gears.yaml").model) == fingerprint(m)
