"""Start values may be given for quantities that are not states of the tree."""

import copy

import numpy as np
import pytest

import trundle as tr
from trundle.errors import AssemblyError, ModelError, UnknownNameError
from trundle.study.batch import BatchWarning


@pytest.fixture(scope="module")
def linkage():
    """Four-bar whose closing joint is C; the tree holds crank, coupler and rocker."""
    m = tr.Model("linkage", gravity=(0, -9.81, 0))
    crank, coupler, rocker = (
        m.body(n, mass=1.0, inertia=(0.001, 0.1, 0.1), com=(x / 2, 0, 0))
        for n, x in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.8))
    )
    m.connect(tr.Revolute("z"), m.ground, crank)
    m.connect(tr.Revolute("z"), crank.at(0.4, 0, 0), coupler)
    m.connect(tr.Revolute("z"), m.ground.at(0.9, 0, 0), rocker)
    m.connect(tr.Revolute("z"), coupler.at(1.0, 0, 0), rocker.at(0.8, 0, 0), name="C")
    m.start = {"crank.angle": 1.0, "rocker.angle": 1.7}
    return m.build()


def test_the_angle_of_a_loop_closer_can_be_given(linkage):
    here = linkage.simulate(0.01, {"crank.angle": 1.2}, samples=2)
    angle, rate = here.values("C.angle")[0], -0.7
    m = copy.deepcopy(linkage.model)
    m.start = {}
    linkage = m.build()
    near = {"crank.angle": 1.1, "rocker.angle": 1.7}
    state = linkage.start({**near, "C.angle": angle, "C.angle_rate": rate} | {"rocker.angle": 1.75})
    run = linkage.simulate(0.01, {"C.angle": angle, "C.angle_rate": rate}, samples=2)
    assert run.values("C.angle")[0] == pytest.approx(angle, abs=1e-10)
    assert run.values("C.angle_rate")[0] == pytest.approx(rate, abs=1e-10)
    assert state.changed  # three coordinates of a one-freedom linkage cannot all be held


def test_the_position_and_velocity_of_a_body_can_be_given():
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, com=(0, 0, -1.0))
    m.connect(tr.Revolute("y"), m.ground, bob)
    s = m.build()
    state = s.start({"bob.com_position_x": 0.6, "bob.com_velocity_x": -1.6})
    assert np.sin(state.q[0]) == pytest.approx(-0.6, abs=1e-12)
    assert state.u[0] * np.cos(state.q[0]) == pytest.approx(1.6, abs=1e-10)
    with pytest.raises(AssemblyError, match=r"bob\.com_position_x"):
        s.start({"bob.com_position_x": 1.7})
    with pytest.raises(AssemblyError, match="contradict"):
        s.start({"bob.com_position_x": 0.6, "bob.com_velocity_x": 1.0, "bob.com_velocity_y": 1.0})
    with pytest.raises(UnknownNameError, match=r"bob\.com_position"):
        s.start({"bob.com_positon": 1.0})


FAR = [(1e4, -2e3, 300.0), (-1e6, 5.0, 0.0), (0.0, 3e4, -1e5), (1e-7, 0.0, 2e-7)]


@pytest.mark.parametrize("place", FAR)
@pytest.mark.parametrize("kind", ["free", "chain"])
def test_targets_far_away_and_near_are_reached(place, kind):
    m = tr.Model("far")
    body = m.body("b", 1.0, (0.1, 0.2, 0.15), com=(0.1, 0, 0))
    m.connect(tr.Free(), m.ground, body)
    if kind == "chain":
        arm = m.body("arm", 1.0, (0.1, 0.2, 0.15))
        m.connect(tr.Revolute("y"), body.at(1, 0, 0), arm)
    name = "arm" if kind == "chain" else "b"
    run = m.build().simulate(0.01, {f"{name}.position": place, f"{name}.velocity": (1.0, 2.0, 3.0)}, samples=2)
    found = run.values(f"{name}.position")[0]
    size = np.max(np.abs(place))
    np.testing.assert_allclose(found, place, atol=1e-13 * max(size, 1.0) if kind == "chain" else 1e-13 * size, rtol=0)


def test_a_wheel_ten_kilometres_away_is_put_on_the_road():
    m = tr.Model("wheel")
    wheel = m.body("w", 1.0, (0.1, 0.2, 0.1))
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.3, 0.05)), m.ground, wheel, law=tr.NoSlip())
    run = m.build().simulate(0.01, {"w.position": (1e4, 2e3, 0.3)}, samples=2)
    np.testing.assert_allclose(run.values("w.position")[0], (1e4, 2e3, 0.3), atol=1e-9)
    np.testing.assert_allclose(run.values("w.contact_point")[0], (1e4, 2e3, 0.0), atol=1e-9)


def test_a_component_given_for_a_run_replaces_that_of_the_vector_of_the_model() -> None:
    m = tr.Model("thrown")
    m.connect(tr.Free(), m.ground, m.body("ball", mass=1.0, inertia=0.01))
    m.start = {"ball.position": (1.0, 2.0, 3.0), "ball.velocity": (4.0, 5.0, 6.0)}
    run = m.build().simulate(0.1, {"ball.velocity_x": -1.0, "ball.position_z": 7.0}, samples=2)
    np.testing.assert_allclose(run.values("ball.position")[0], (1.0, 2.0, 7.0), atol=1e-14)
    np.testing.assert_allclose(run.values("ball.velocity")[0], (-1.0, 5.0, 6.0), atol=1e-14)


def test_a_component_of_a_quaternion_keeps_its_value() -> None:
    """The others, which follow from it, keep their proportions."""
    m = tr.Model("turned")
    m.connect(tr.Free(), m.ground, m.body("ball", mass=1.0, inertia=0.01))
    m.start = {"ball.quaternion": (0.8, 0.0, 0.48, 0.36)}
    system = m.build()
    found = system.simulate(0.1, {"ball.quaternion_x": 0.6}, samples=2).values("ball.quaternion")[0]
    np.testing.assert_allclose(found, (0.64, 0.6, 0.384, 0.288), atol=1e-14)
    with pytest.warns(BatchWarning, match="case 2"):
        batch = system.batch(0.1, {"ball.quaternion_x": [0.0, 0.6, 2.0]}, samples=2)
    np.testing.assert_allclose(batch["ball.quaternion"][:2, 0], [(0.8, 0.0, 0.48, 0.36), found], atol=1e-14)
    assert batch.outcomes[2] == "REFUSED" and "Give all four" in batch.messages[2]
    m.start = {"ball.quaternion_x": 0.6}
    np.testing.assert_allclose(m.build().start().q[3:], (0.8, 0.6, 0.0, 0.0), atol=1e-14)
    m.start = {}
    with pytest.raises(ModelError, match="Give all four"):
        m.build().start({"ball.quaternion_w": 0.6})
