"""Shapes that touch a plane, declared by one keyword, and drawn shapes that pass through a floor without contact."""

import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.errors import ModelError

SHAPES = {
    "Box": (tr.shape.Box((0.3, 0.2, 0.1), at=(0.1, 0, 0)), 8, 0.2 / 2),
    "Sphere": (tr.shape.Sphere(0.1), 1, 0.1),
    "Ball": (tr.shape.Ball(0.1), 1, 0.1),
    "Cylinder": (tr.shape.Cylinder(0.1, 0.3, "x"), 8, 0.3 / 2),
    "Disc": (tr.shape.Disc(0.1), 7, 0.0),
    "thick disc": (tr.shape.Disc(0.1, "x", thickness=0.04), 8, 0.02),
    "Capsule": (tr.shape.Capsule(0.05, 0.2, (1, 1, 0)), 2, 0.0),
    "Rod": (tr.shape.Rod((0, 0, 0), (0.3, 0, 0)), 2, 0.0),
    "thick rod": (tr.shape.Rod((0, 0, 0), (0.3, 0, 0), 0.02), 2, 0.0),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_every_shape_has_contact_points(kind: str) -> None:
    shape, count, _ = SHAPES[kind]
    m = tr.Model("touch")
    made = m.contact(m.ground, m.body("b", 1.0, 0.01, shape=shape), tr.Coulomb(0.3), restitution=0.2)
    assert len(made) == count
    assert all(c.unilateral and c.name.startswith("b.") for c in made)
    middle = np.mean([[float(v) for v in c.second.position] for c in made], axis=0)
    wanted = {"Box": (0.1, 0, 0), "Rod": (0.15, 0, 0), "thick rod": (0.15, 0, 0)}.get(kind, (0, 0, 0))
    assert np.allclose(middle, wanted)
    if "rim" in made[0].name:
        axis = (0, 1, 0) if kind == "Disc" else (1, 0, 0)
        assert np.allclose(made[0].second.rotation[:, 1], axis)
        assert np.isclose(np.linalg.det(made[0].second.rotation), 1)


def test_corners_of_a_box_follow_its_frame() -> None:
    m = tr.Model("touch")
    body = m.body("b", 1.0, 0.01, shape=tr.shape.Box((2, 4, 6)))
    made = m.contact(m.ground, body.frame((0, 0, 1), ("z", np.pi / 2)))
    places = {tuple(np.round([float(v) for v in c.second.position], 12)) for c in made}
    assert places == {(x, y, z) for x in (-2.0, 2.0) for y in (-1.0, 1.0) for z in (-2.0, 4.0)}


FILE = """
name: slider
bodies: {box: {mass: 2, inertia: 0.05, shape: {box: {size: [0.3, 0.2, 0.1]}}}}
connections:
  pose: {pair: Planar, axis: y, first: ground, second: box}
  floor: {pair: Contact, first: ground, second: box, law: {Coulomb: 0.3}, restitution: 0.2, planar: true}
start: {box.position: [0, 0, 0.05], pose.x: 0, box.velocity: [0.9, 0, 0]}
"""


def slider() -> tr.Model:
    m = tr.Model("slider")
    box = m.body("box", 2.0, 0.05, shape=tr.shape.Box((0.3, 0.2, 0.1)))
    m.connect(tr.Planar("y"), m.ground, box, name="pose")
    m.contact(m.ground, box, tr.Coulomb(0.3), restitution=0.2, name="floor", planar=True)
    m.start = {"box.position": (0, 0, 0.05), "box.velocity": (0.9, 0, 0)}
    return m


def test_a_box_slides_and_stops_on_its_corners(tmp_path) -> None:
    """v^2 / (2 mu g), and no corner sinks; the file gives the same."""
    run = slider().build().simulate(0.6)
    assert run.ok
    assert run.values("box.position")[-1] == pytest.approx((0.9**2 / (2 * 0.3 * 9.81), 0, 0.05), abs=1e-9)
    assert run.warnings == []
    path = tmp_path / "slider.yaml"
    path.write_text(FILE, encoding="utf-8")
    model = tr.load_model(path)
    assert list(model.connections) == list(slider().connections)
    again = model.build().simulate(0.6)
    assert np.allclose(again.values("box.position"), run.values("box.position"), atol=1e-12)


def test_a_ball_bounces_as_in_the_closed_form() -> None:
    m = tr.Model("ball")
    ball = m.body("ball", density=1000.0, shape=tr.shape.Sphere(0.1))
    m.contact(m.ground, ball, restitution=0.5)
    t1, v1 = np.sqrt(2 * 0.9 / 9.81), np.sqrt(2 * 0.9 * 9.81)
    run = m.build().simulate(t1 + v1 / 2 / 9.81, {"ball.position": (0, 0, 1.0)})
    assert run.values("ball.position")[-1, 2] == pytest.approx(0.1 + 0.9 / 4, abs=1e-9)


def test_a_cylinder_rolls_on_its_rims() -> None:
    """Thrown without spin it slides until it rolls with two thirds of its speed."""
    m = tr.Model("cylinder")
    body = m.body("c", density=500.0, shape=tr.shape.Cylinder(0.1, 0.3, "y"))
    m.contact(m.ground, body, tr.Coulomb(0.3))
    run = m.build().simulate(0.5, {"c.position": (0, 0, 0.1), "c.velocity": (1.2, 0, 0)})
    assert run.ok
    assert run.values("c.velocity")[-1] == pytest.approx((0.8, 0, 0), abs=1e-9)


def falling(guarded: bool) -> tr.Run:
    """A ball that lies on the floor, and a larger one that falls on it from 0.5 m."""
    m = tr.Model("guard")
    ball = m.body("ball", density=1000.0, shape=tr.shape.Sphere(0.1))
    box = m.body("box", 1.0, 0.01, shape=tr.shape.Sphere(0.2))
    m.contact(m.ground, ball)
    m.connect(tr.Free(), m.ground, box, name="free")
    if guarded:
        m.contact(m.ground, box)
    return m.build().simulate(0.5, {"ball.position": (0, 0, 0.1), "box.position": (5, 0, 0.7)}, samples=501)


def test_what_passes_through_a_floor_is_reported_with_time_and_body() -> None:
    run = falling(False)
    (text,) = run.warnings
    fallen = np.sqrt(2 * (0.5 + 0.04) / 9.81)  # a tenth of its size below the floor
    assert "Sphere of body 'box' passes through the ground" in text and "m.contact" in text
    told = float(text.partition("t = ")[2].split()[0])
    assert fallen <= told <= fallen + 0.006
    assert "passes through the ground" in " ".join(run.summary().split())
    assert falling(True).warnings == []


def test_what_cannot_touch_is_refused() -> None:
    m = tr.Model("touch")
    with pytest.raises(ModelError, match="no shape to touch with"):
        m.contact(m.ground, m.body("bare", 1.0, 0.1))
    mesh = tr.shape.Mesh(((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((0, 1, 2),))
    with pytest.raises(ModelError, match="contact of a Mesh with a plane"):
        m.contact(m.ground, m.body("mesh", 1.0, 0.1, shape=mesh))
    upright = m.body("upright", 1.0, 0.1, shape=tr.shape.Cylinder(0.1, 0.3))
    with pytest.raises(ModelError, match="in a plane"):
        m.contact(m.ground, upright, planar=True)
    with pytest.raises(ModelError, match="already"):
        m.contact(m.ground, m.body("one", 1.0, 0.1, shape=tr.shape.Sphere(1)), name="x")
        m.contact(m.ground, m.body("two", 1.0, 0.1, shape=tr.shape.Sphere(1)), name="x")


@pytest.mark.slow
def test_five_dominoes_fall_and_rest_on_the_floor() -> None:
    run = examples.model("dominoes", n=5).build().simulate(3.0, steps=tr.Steps(most=100_000))
    assert run.ok
    assert run.warnings == [] or all("passes" not in text for text in run.warnings)
    assert run.values("d4.position")[-1, 2] == pytest.approx(0.05, abs=1e-9)
    for i in range(5):
        assert np.linalg.norm(run.values(f"d{i}.velocity")[-1]) < 1e-9
