"""Mass, centre and inertia from shapes: closed forms against a sum over many points and against each other."""

from pathlib import Path

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError, TrundleError, UnknownNameError
from trundle.model.material import MATERIALS, from_shapes
from trundle.model.shape import Shape


def inside(shape: Shape, p: np.ndarray) -> np.ndarray:
    """Whether points lie in a shape."""
    kind = type(shape).__name__
    if kind == "Box":
        return np.all(np.abs(p - shape.at) <= np.array(shape.size) / 2, axis=1)
    if kind in ("Sphere", "Ball"):
        return np.linalg.norm(p - shape.at, axis=1) <= shape.radius
    if kind == "Rod":
        a, b = np.array(shape.start), np.array(shape.end)
        axis, at, length = b - a, (a + b) / 2, np.linalg.norm(b - a)
    else:
        axis = np.eye(3)["xyz".index(shape.axis)] if isinstance(shape.axis, str) else np.array(shape.axis)
        at, length = np.array(shape.at), shape.thickness if kind == "Disc" else shape.length
    e = axis / np.linalg.norm(axis)
    along = (p - at) @ e
    if kind == "Capsule":
        near = at + np.clip(along, -length / 2, length / 2)[:, None] * e
        return np.linalg.norm(p - near, axis=1) <= shape.radius
    off = np.linalg.norm(p - at - along[:, None] * e, axis=1)
    return (np.abs(along) <= length / 2) & (off <= shape.radius)


@pytest.mark.parametrize(
    "shape",
    [
        tr.shape.Box((0.6, 0.4, 0.9), (0.1, -0.2, 0.05)),
        tr.shape.Sphere(0.5, (0.2, 0.1, 0.0)),
        tr.shape.Ball(0.4),
        tr.shape.Cylinder(0.3, 1.1, "x", (0.1, 0, 0)),
        tr.shape.Cylinder(0.4, 0.9, (1.0, 2.0, -1.0)),
        tr.shape.Capsule(0.25, 0.7, "y", (0, 0.1, 0)),
        tr.shape.Capsule(0.3, 0.5, (1.0, 1.0, 0.3)),
        tr.shape.Disc(0.6, "z", thickness=0.3),
        tr.shape.Rod((-0.4, 0, -0.3), (0.4, 0.2, 0.5), 0.3),
    ],
    ids=lambda s: type(s).__name__,
)
def test_closed_forms_agree_with_a_sum_over_points(shape: Shape) -> None:
    grid = (np.arange(100) + 0.5) / 50 - 1.0
    p = np.stack(np.meshgrid(grid, grid, grid, indexing="ij"), -1).reshape(-1, 3)
    p = p + np.random.default_rng(7).uniform(-0.01, 0.01, p.shape)  # one point somewhere in every cell
    p = p[inside(shape, p)]
    cell = 0.02**3
    mass, centre, inertia = from_shapes("x", [shape], 1.0)
    assert mass == pytest.approx(cell * len(p), rel=0.01)
    assert centre == pytest.approx(p.mean(axis=0), abs=2e-3)
    d = p - p.mean(axis=0)
    summed = cell * (np.sum(d * d) * np.eye(3) - d.T @ d)
    assert np.max(np.abs(inertia - summed)) < 0.012 * np.max(summed)


def test_two_halves_are_the_whole() -> None:
    whole = from_shapes("x", [tr.shape.Box((1.0, 0.4, 0.2), (0.3, 0, 0))], 2.0)
    halves = [tr.shape.Box((0.5, 0.4, 0.2), (0.05, 0, 0)), tr.shape.Box((0.5, 0.4, 0.2), (0.55, 0, 0))]
    for one, other in zip(whole, from_shapes("x", halves, 2.0), strict=True):
        assert np.allclose(one, other, rtol=1e-13, atol=1e-15)
    long = from_shapes("x", [tr.shape.Capsule(0.2, 1e-9)], 1.0)
    assert np.allclose(long[2], from_shapes("x", [tr.shape.Sphere(0.2)], 1.0)[2], rtol=1e-7)


def test_body_reports_the_values_of_its_material() -> None:
    m = tr.Model("wheel")
    wheel = m.body("wheel", shape=tr.shape.Cylinder(0.5, 0.1, "y"), material="steel")
    mass = MATERIALS["steel"] * np.pi * 0.25 * 0.1
    assert wheel.mass == pytest.approx(mass) and "of steel (7850 kg/m^3)" in wheel.mass_source
    m.connect(tr.Revolute("y"), m.ground, wheel, law=tr.Motor(lambda t, q, u: 1.0))
    system = m.build()
    assert f"{mass:.6g} kg" in system.describe()
    run = system.simulate(1.0)
    assert run.values("wheel.angle_rate")[-1] == pytest.approx(1.0 / (mass * 0.125))


def test_mesh_is_read_and_weighed(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed")
    path = tmp_path / "brick.stl"
    trimesh.creation.box((600.0, 400.0, 200.0)).export(path)
    brick = tr.shape.read_mesh(path, scale=0.001)
    mass, centre, inertia = from_shapes("x", [brick], 1000.0)
    exact = from_shapes("x", [tr.shape.Box((0.6, 0.4, 0.2))], 1000.0)
    assert mass == pytest.approx(exact[0]) and np.allclose(centre, 0, atol=1e-9)
    assert np.allclose(inertia, exact[2], rtol=1e-6, atol=1e-9)
    m = tr.Model("brick")
    m.connect(tr.Free(), m.ground, m.body("brick", shape=brick, density=1000.0))
    assert m.build().simulate(0.1, samples=3).save_html(tmp_path / "brick.html").stat().st_size > 1000
    with pytest.raises(ModelError, match="holes"):
        tr.shape.Mesh(brick.vertices, brick.triangles[1:]).volume()
    with pytest.raises(ModelError, match="cannot read the mesh"):
        tr.shape.read_mesh(tmp_path / "nothing.stl")


def test_files_use_the_same_keywords(tmp_path: Path) -> None:
    from trundle.file import load_model

    path = tmp_path / "wheel.yaml"
    text = """
    name: wheel
    bodies:
      wheel:
        material: steel
        shape:
          - cylinder: {radius: 0.5, length: 0.1, axis: y}
          - capsule: {radius: 0.02, length: 0.3, axis: y}
          - sphere: {radius: 0.05, at: [0, 0.3, 0]}
          - rod: {start: [0, 0, 0], end: [0.4, 0, 0], radius: 0.01}
    connections:
      hinge: {pair: Revolute, axis: y, first: ground, second: wheel}
    """
    path.write_text(text, encoding="utf-8")
    m = tr.Model("same")
    shapes = (
        tr.shape.Cylinder(0.5, 0.1, "y"),
        tr.shape.Capsule(0.02, 0.3, "y"),
        tr.shape.Sphere(0.05, (0, 0.3, 0)),
        tr.shape.Rod((0, 0, 0), (0.4, 0, 0), 0.01),
    )
    same = m.body("wheel", shape=shapes, material="steel")
    assert load_model(path).bodies["wheel"].mass_source == same.mass_source
    path.write_text(text.replace("material: steel", "material: steel\n        mass: 2"), encoding="utf-8")
    with pytest.raises(TrundleError, match="mass cannot be given beside a material or density"):
        load_model(path)


def test_contradictions_are_refused() -> None:
    m = tr.Model("m")
    box = tr.shape.Box((1, 1, 1))
    with pytest.raises(ModelError, match="leave them out"):
        m.body("a", mass=1.0, shape=box, density=1.0)
    with pytest.raises(ModelError, match="not both"):
        m.body("b", shape=box, density=1.0, material="steel")
    with pytest.raises(UnknownNameError, match="steel"):
        m.body("c", shape=box, material="steal")
    with pytest.raises(UnknownNameError, match=r"no material called 'oak'.* aluminium, .* give density=, in kg/m\^3"):
        m.body("c", shape=box, material="oak")
    with pytest.raises(ModelError, match="volume"):
        m.body("d", shape=tr.shape.Rod((0, 0, 0), (1, 0, 0)), density=1.0)
    with pytest.raises(ModelError, match="density"):
        m.body("e", shape=box, density=-1.0)
    assert list(m.bodies) == ["ground"]
