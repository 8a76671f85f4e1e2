"""Two bodies that touch in several points: one call, or one entry of a file, declares all of them."""

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError, UnknownNameError

CORNERS = [(x, y, -0.1) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
FILE = """
name: box
bodies:
  box: {mass: 10, inertia: [0.2, 0.4, 0.5]}
connections:
  box:
    pair: HigherPair
    surfaces: [Plane, Vertex]
    first: ground
    second: {body: box, at: [0, 0, 0.05], rotation: {axis: z, angle: 0.3}}
    points: [[-0.3, -0.2, -0.1], [-0.3, 0.2, -0.1], [0.3, -0.2, -0.1], [0.3, 0.2, -0.1]]
    law: {Coulomb: {mu_static: 0.4}}
    unilateral: true
start: {box.position: [0, 0, 0.05], box.velocity: [1, 0.5, 0], box.angular_velocity: [0, 0, 1]}
"""


def box(single: bool) -> tr.Model:
    m = tr.Model("box")
    body = m.body("box", 10.0, (0.2, 0.4, 0.5))
    frame = body.frame((0, 0, 0.05), ("z", 0.3))
    pair, law = tr.HigherPair(tr.Plane(), tr.Vertex()), tr.Coulomb(0.4)
    if single:
        made = m.connect_points(pair, m.ground, frame, CORNERS, law=law, unilateral=True)
        assert [c.name for c in made] == ["box.point_1", "box.point_2", "box.point_3", "box.point_4"]
    else:
        for i, point in enumerate(CORNERS, start=1):
            at = np.array([0, 0, 0.05]) + frame.rotation @ point
            m.connect(pair, m.ground, body.frame(at, ("z", 0.3)), f"box_{i}", law=law, unilateral=True)
    m.start = {"box.position": (0, 0, 0.05), "box.velocity": (1, 0.5, 0), "box.angular_velocity": (0, 0, 1)}
    return m


def test_one_call_one_file_entry_and_one_connection_for_each_move_alike(tmp_path) -> None:
    path = tmp_path / "box.yaml"
    path.write_text(FILE, encoding="utf-8")
    runs = [m.build().simulate(1.0, samples=11) for m in (box(True), box(False), tr.load_file(path).model)]
    assert all(run.ok for run in runs)
    for run in runs[1:]:
        np.testing.assert_allclose(run.values("box.position"), runs[0].values("box.position"), atol=1e-9)
    load = sum(runs[0].values(f"box.point_{i}.normal_force") for i in range(1, 5))
    np.testing.assert_allclose(load, 98.1, rtol=1e-9)
    assert np.linalg.norm(runs[0].values("box.velocity")[-1]) < 1e-9  # it has come to rest


def test_points_that_cannot_be_are_refused() -> None:
    m = tr.Model("box")
    body, pair = m.body("box", 1.0, 0.1), tr.HigherPair(tr.Plane(), tr.Vertex())
    with pytest.raises(ModelError, match="at least one point"):
        m.connect_points(pair, m.ground, body, [])
    with pytest.raises(ModelError, match="point_2 must have three components"):
        m.connect_points(pair, m.ground, body, [(0, 0, 1), (0, 1)])
    assert not m.connections


def test_contacts_stand_below_the_name_of_their_connection(tmp_path) -> None:
    """Their names are valid everywhere: results, short names, events, powers, the bond graph, files."""
    m = tr.Model("box")
    body = m.body("box", 10.0, (0.2, 0.4, 0.5))
    corners = {f"corner_{i}": p for i, p in enumerate(CORNERS, start=1)}
    spring = tr.HuntCrossley(1e5, 0.5)
    m.connect_points(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, body, corners, "feet", compliance=spring)
    m.alias("gap", "feet.corner_2.gap")
    m.event("lifts", lambda s: s["feet.corner_2.gap"] - 0.01, direction=1)
    m.start = {"box.position": (0, 0, 0.11), "box.angular_velocity": (0.5, 0, 0)}
    system = m.build()
    run = system.simulate(0.4, samples=5)
    z, w = run.values("box.position_z"), run.values("box.angular_velocity")
    assert np.allclose(run.values("gap")[0], z[0] - 0.1, atol=1e-12) and np.max(np.abs(w[-1])) > 0
    assert run.energy.drift < 1e-6 and run.power.residual.relative < 1e-9
    force = run.values("feet.corner_3.normal_force")
    assert run.power["feet.corner_3"]["effort"].sel(bond="normal").values == pytest.approx(force, abs=1e-9)
    np.testing.assert_array_equal(run.values("feet.corner_3.effort"), run.power["feet.corner_3"]["effort"])
    assert "feet.corner_4" in system.graph.to_json()
    with pytest.raises(UnknownNameError, match=r"feet\.corner_1\.gap"):
        run["feet.corner_1.gapp"]
    path = run.save(tmp_path / "box.nc")
    assert np.array_equal(tr.load(path)["gap"], run["gap"])


def test_laws_on_rows_of_a_contact_below_a_connection() -> None:
    """Two runners that stick: rows, drives and reports are assigned to their contacts."""
    m = tr.Model("sledge")
    body = m.body("sledge", 3.0, 0.2)
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(0.1))
    m.connect_points(pair, m.ground, body, {"left": (0, 0.3, 0), "right": (0, -0.3, 0)}, "runners", law=tr.NoSlip())
    system = m.build()
    assert system.mobility.freedoms == 1  # it turns about the line through both points
    assert any("runners.right." in name for name in system.mobility.redundant)
    assert "runners.left" in system.describe() and "runners.left" in system.graph.causality.report()
    run = system.simulate(0.5, {"sledge.angular_velocity": (0, 1.0, 0)}, samples=3)
    assert run.ok and run.energy.drift < 1e-9 and run.power.residual.absolute < 1e-12


def test_names_of_a_connection_with_several_contacts_are_unique() -> None:
    m = tr.Model("box")
    body, pair = m.body("box", 1.0, 0.1), tr.HigherPair(tr.Plane(), tr.Vertex())
    m.connect_points(pair, m.ground, body, {"left": (0, 0.1, 0)}, "feet")
    for name in ("feet", "feet.left"):
        with pytest.raises(ModelError, match="feet"):
            m.connect(pair, m.ground, body, name)
    with pytest.raises(ModelError, match="already a connection called 'feet'"):
        m.connect_points(pair, m.ground, body, {"right": (0, -0.1, 0)}, "feet")
    with pytest.raises(ModelError, match="cannot name a point of contact"):
        m.connect_points(pair, m.ground, body, {"a.b": (0, 0, 0)}, "hands")
    assert list(m.connections) == ["feet.left"]


def test_points_of_a_file_may_have_names(tmp_path) -> None:
    path = tmp_path / "box.yaml"
    text = FILE.replace("[[-0.3, -0.2, -0.1]", "{a: [-0.3, -0.2, -0.1]").replace(" [-0.3, 0.2,", " b: [-0.3, 0.2,")
    text = text.replace(" [0.3, -0.2,", " c: [0.3, -0.2,").replace(" [0.3, 0.2, -0.1]]", " d: [0.3, 0.2, -0.1]}")
    path.write_text(text + "names: {load: box.c.normal_force}\n", encoding="utf-8")
    model = tr.load_file(path).model
    assert list(model.connections) == ["box.a", "box.b", "box.c", "box.d"]
    run = model.build().simulate(0.01, samples=2)
    assert np.all(run.values("load") > 0)
