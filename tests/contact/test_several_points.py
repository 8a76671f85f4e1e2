"""Two bodies that touch in several points: one call, or one entry of a file, for all of them."""

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError

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
        assert [c.name for c in made] == ["box_1", "box_2", "box_3", "box_4"]
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
    load = sum(runs[0].values(f"box_{i}.normal_force") for i in range(1, 5))
    np.testing.assert_allclose(load, 98.1, rtol=1e-9)
    assert np.linalg.norm(runs[0].values("box.velocity")[-1]) < 1e-9  # it has come to rest


def test_points_that_cannot_be_are_refused() -> None:
    m = tr.Model("box")
    body, pair = m.body("box", 1.0, 0.1), tr.HigherPair(tr.Plane(), tr.Vertex())
    with pytest.raises(ModelError, match="at least one point"):
        m.connect_points(pair, m.ground, body, [])
    with pytest.raises(ModelError, match="point 2 must have three components"):
        m.connect_points(pair, m.ground, body, [(0, 0, 1), (0, 1)])
    assert not m.connections
