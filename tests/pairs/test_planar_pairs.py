"""The four planar pairs, inner and outer, in the tree and closing a loop."""

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError

PAIRS = [
    (tr.Circle(0.3), tr.Circle(0.2)),
    (tr.Circle(1.0, inside=True), tr.Circle(0.2)),
    (tr.Circle(0.2), tr.Circle(1.0, inside=True)),
    (tr.Circle(0.3), tr.Line()),
    (tr.Line(), tr.Circle(0.3)),
    (tr.Circle(0.3), tr.Vertex()),
    (tr.Vertex(), tr.Circle(0.3)),
    (tr.Circle(1.0, inside=True), tr.Vertex()),
    (tr.Line(), tr.Vertex()),
    (tr.Vertex(), tr.Line()),
]


@pytest.mark.parametrize("law", [None, tr.NoSlip()])
@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_tree_joint_equals_loop_closer(a, b, law) -> None:
    pair = tr.PlanarPair(a, b)
    m = tr.Model("planar")
    body = m.body("body", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.03, 0, 0.02))
    m.connect(pair, m.ground, body, law=law)
    first, second = (s.name for s in pair.chain().steps)
    state = {f"body.{first}": 0.3, f"body.{second}": 0.4, f"body.{second}_rate": 0.5}
    if law is None:
        state[f"body.{first}_rate"] = -0.2
    tree = m.build()
    loop = tree.in_formalism("newton_euler")
    assert tree.mobility.freedoms == loop.mobility.freedoms == (2 if law is None else 1)
    x, y = tree.accelerations(state), loop.accelerations(state)
    for name, value in y.items():
        assert x[name] == pytest.approx(value, abs=1e-10 * (1 + np.max(np.abs(value)))), name
    runs = [s.simulate(0.3, state) for s in (tree, loop)]
    assert runs[0].values("body.position") == pytest.approx(runs[1].values("body.position"), abs=1e-8)
    if law is not None:
        assert max(np.max(np.abs(r.values("body.slip_x"))) for r in runs) < 1e-12


def test_eccentric_cam_with_flat_follower() -> None:
    """A loop closed by circle and line: the lift of an eccentric circle is a sine."""
    m = tr.Model("cam")
    cam, follower = m.body("cam", 1.0, (0.1, 0.1, 0.1)), m.body("follower", 0.5, (0.1, 0.1, 0.1))
    m.connect(tr.Revolute("y"), m.ground, cam, "cam")
    m.connect(tr.Prismatic("z"), m.ground, follower, "follower")
    upside_down = follower.frame(rotation=("y", np.pi))
    m.connect(tr.PlanarPair(tr.Circle(0.2), tr.Line()), cam.at(0.05, 0, 0), upside_down, "contact")
    system = m.build()
    assert system.mobility.freedoms == 1
    run = system.simulate(2.0, {"cam.angle_rate": 3.0})
    lift = 0.2 - 0.05 * np.sin(run.values("cam.angle"))
    assert run.values("follower.displacement") == pytest.approx(lift, abs=1e-13)


def test_disc_rolling_inside_a_ring_swings_like_a_pendulum() -> None:
    """Small oscillation of a rolling disc in a ring: 3/2 (R - r) phi'' + g phi = 0."""
    R, r, mass = 1.0, 0.2, 2.0
    m = tr.Model("ring")
    disc = m.body("disc", mass, (mass * r**2 / 4, mass * r**2 / 2, mass * r**2 / 4))
    m.connect(tr.PlanarPair(tr.Circle(R, inside=True), tr.Circle(r)), m.ground, disc, law=tr.NoSlip())
    values = m.build().linearise().eigenvalues
    assert np.max(values.imag) == pytest.approx(np.sqrt(9.81 / (1.5 * (R - r))), rel=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (tr.Line(), tr.Line(), "Prismatic"),
        (tr.Vertex(), tr.Vertex(), "Revolute"),
        (tr.Line(), tr.Circle(1.0, inside=True), "ring"),
        (tr.Circle(0.1, inside=True), tr.Circle(0.2), "does not fit"),
        (tr.Plane(), tr.Circle(0.2), "Circle, Line, Segment, Vertex and Cam"),
    ],
)
def test_what_is_no_planar_pair(a, b, words) -> None:
    with pytest.raises(ModelError, match=words):
        tr.PlanarPair(a, b)
