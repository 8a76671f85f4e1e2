"""Start states: given values are held exactly, changes are reported, impossible states are refused."""

import math

import numpy as np
import pytest

import trundle as tr
from trundle.errors import AssemblyError, ModelError
from trundle.system import System


def four_bar(servo: bool = False) -> tr.Model:
    """Assembled at zero angles, as an open quadrangle."""
    m = tr.Model("four-bar", gravity=(0, -9.81, 0))
    crank, coupler, rocker = (
        m.body(n, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.5, 0.4, 0)) for n in ("crank", "coupler", "rocker")
    )
    law = tr.Servo(lambda t: 0.3 + 0.5 * t) if servo else None
    for a, b, point in ((m.ground, crank, (0, 0, 0)), (m.ground, rocker, (1.2, 0, 0)), (crank, coupler, (0.1, 0.4, 0))):
        m.connect(tr.Revolute("z"), a.at(*point), b.at(*point), law=law if b is crank else None)
    m.connect(tr.Revolute("z"), coupler.at(1.0, 0.8, 0), rocker.at(1.0, 0.8, 0), name="pin")
    return m


@pytest.fixture(scope="module")
def linkage() -> System:
    return four_bar().build()


def residual(system: System, q: np.ndarray, u: np.ndarray, t: float = 0.0) -> float:
    rows = system.formulation.row_functions
    assert rows is not None
    g, rate, _, _ = rows(t, q, u, system.formulation.parameter_vector(None))
    return float(max(np.max(np.abs(g)), np.max(np.abs(rate))))


@pytest.mark.parametrize("angle", [0.4, -0.3, 0.0])
@pytest.mark.parametrize("rate", [2.0, -0.7])
def test_given_values_are_held_and_the_rest_is_found(linkage: System, angle: float, rate: float) -> None:
    for joint in ("crank", "rocker", "coupler"):
        state = linkage.start({f"{joint}.angle": 0.3 * angle, f"{joint}.angle_rate": rate})
        index = [c.name for c in linkage.formulation.layout.coordinates].index(f"{joint}.angle")
        assert state.q[index] == 0.3 * angle and state.u[index] == rate
        assert not state.changed
        assert residual(linkage, state.q, state.u) < 1e-12
        if angle:
            assert len(state.found) >= 2


def test_overgiven_but_consistent_values_are_held(linkage: System) -> None:
    found = linkage.start({"crank.angle": 0.2})
    names = [c.name for c in linkage.formulation.layout.coordinates]
    given = {n: float(found.q[i]) for i, n in enumerate(names)}
    again = linkage.start(given)
    assert not again.changed
    np.testing.assert_allclose(again.q, found.q, rtol=0, atol=1e-13)


def test_contradicting_speeds_are_changed_and_reported(linkage: System) -> None:
    state = linkage.start({"crank.angle_rate": 1.0, "rocker.angle_rate": -3.0})
    assert set(state.changed) == {"crank.angle_rate", "rocker.angle_rate"}
    given, used = state.changed["rocker.angle_rate"]
    assert given == -3.0 and used != -3.0
    assert residual(linkage, state.q, state.u) < 1e-12
    assert "rocker.angle_rate: given -3, used" in state.report()


def test_contradicting_angles_are_changed_and_reported(linkage: System) -> None:
    state = linkage.start({"crank.angle": 0.2, "rocker.angle": 0.35, "coupler.angle": 0.0})
    assert state.changed
    assert residual(linkage, state.q, state.u) < 1e-12


def test_angle_out_of_reach_is_changed_and_reported() -> None:
    m = tr.Model("short")
    crank, rod = (m.body(n, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0)) for n in ("crank", "rod"))
    m.connect(tr.Revolute("z"), m.ground, crank)
    m.connect(tr.Spherical(), m.ground.at(1.5, 0, 0), rod)
    m.connect(tr.Spherical(), rod.at(1, 0, 0), crank.at(1, 0, 0), name="pin")
    m.start = {"crank.angle": 0.3}
    system = m.build()
    state = system.start({"crank.angle": 3.0})  # out of reach: the nearest pose is used, and told
    assert "crank.angle" in state.changed


def test_servo_sets_the_start_at_any_time() -> None:
    system = four_bar(servo=True).build()
    for t in (0.0, 0.4):
        state = system.start(t=t)
        index = [c.name for c in system.formulation.layout.coordinates].index("crank.angle")
        assert state.q[index] == pytest.approx(0.3 + 0.5 * t, abs=1e-13)
        assert state.u[index] == pytest.approx(0.5, abs=1e-13)
        assert residual(system, state.q, state.u, t) < 1e-12
    told = system.start({"crank.angle": 0.9})
    assert told.changed["crank.angle"] == (0.9, pytest.approx(0.3))
    run = system.simulate(0.3, t0=0.4, samples=2)
    assert run.values("crank.angle")[0] == pytest.approx(0.5, abs=1e-12)


def test_quaternion_of_any_length() -> None:
    m = tr.Model("top")
    top = m.body("top", mass=1, inertia=(0.1, 0.1, 0.05), com=(0, 0, 0.3))
    m.connect(tr.Spherical(), m.ground, top)
    system = m.build()
    state = system.start({"top.quaternion": (3.0, 0.0, 4.0, 0.0), "top.angular_rate_z": 7.0})
    np.testing.assert_allclose(state.q, [0.6, 0, 0.8, 0])
    np.testing.assert_allclose(state.u, [0, 0, 7.0])
    run = system.simulate(1.0, {"top.quaternion": (3.0, 0.0, 4.0, 0.0), "top.angular_rate": (0, 1, 7)})
    np.testing.assert_allclose(np.linalg.norm(run.values("top.quaternion"), axis=1), 1, atol=1e-14)
    with pytest.raises(ModelError, match=r"length zero.*give \(1, 0, 0, 0\) for no rotation"):
        system.start({"top.quaternion": (0, 0, 0, 0)})


def test_start_of_the_model_chooses_the_branch_whatever_was_built_before() -> None:
    """Two models that differ in their start alone must not share an assembled pose in the cache."""

    def two_bars(side: float) -> System:
        m = tr.Model("elbow")
        a, b = (m.body(n, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0)) for n in "ab")
        m.connect(tr.Revolute("z"), m.ground, a)
        m.connect(tr.Revolute("z"), m.ground.at(1.2, 0, 0), b)
        m.connect(tr.Revolute("z"), a.at(1, 0, 0), b.at(1, 0, 0), name="pin")
        m.start = {"a.angle": side * 0.9}
        return m.build()

    up, down = two_bars(1.0), two_bars(-1.0)
    assert up.mobility.freedoms == 0
    exact = math.acos(0.6)
    assert up.mobility.q[0] == pytest.approx(exact) and down.mobility.q[0] == pytest.approx(-exact)


def test_defaults_of_parameters_are_checked_whatever_was_built_before() -> None:
    def slide(length: float) -> tr.Model:
        m = tr.Model("reach")
        reach = m.parameter("reach", length)
        a, b = (m.body(n, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0)) for n in "ab")
        m.connect(tr.Revolute("z"), m.ground, a)
        m.connect(tr.Revolute("z"), m.ground.at(reach, 0, 0), b)
        m.connect(tr.Revolute("z"), a.at(1, 0, 0), b.at(1, 0, 0), name="pin")
        m.start = {"a.angle": 0.9}
        return m

    system = slide(1.2).build()
    with pytest.raises(AssemblyError, match="pin"):
        slide(3.0).build()
    with pytest.raises(AssemblyError, match=r"cannot be assembled.*pin"):
        system.start({}, {"reach": 3.0})


def test_accelerations_by_name(linkage: System) -> None:
    a = linkage.accelerations({"crank.angle": 0.2, "crank.angle_rate": 1.0})
    for name in ("crank.angle_acceleration", "coupler.acceleration", "pin.reaction_force", "rocker.reaction_moment"):
        assert np.all(np.isfinite(a[name])), name
    run = linkage.simulate(1e-3, {"crank.angle": 0.2, "crank.angle_rate": 1.0}, samples=3, rtol=1e-12, atol=1e-12)
    rate = run.values("crank.angle_rate")
    slope = (-3 * rate[0] + 4 * rate[1] - rate[2]) / 1e-3
    assert a["crank.angle_acceleration"] == pytest.approx(slope, rel=1e-5)


def test_values_given_to_a_run_override_those_of_the_model() -> None:
    m = tr.Model("four-bar")
    a, b, c = (m.body(name, mass=1.0, inertia=0.1, com=(0.5, 0, 0)) for name in "abc")
    m.connect(tr.Revolute("y"), m.ground, a)
    m.connect(tr.Revolute("y"), a.at(1, 0, 0), b)
    m.connect(tr.Revolute("y"), m.ground.at(2, 0, 0), c)
    m.connect(tr.Revolute("y"), b.at(2, 0, 0), c.at(1.5, 0, 0), name="pin")
    m.start = {"a.angle": -1.0, "c.angle": -1.2, "a.angle_rate": 1.0}
    system = m.build()
    state = system.start({"c.angle": -1.3, "c.angle_rate": 2.0})
    assert "c.angle" not in state.changed and "c.angle_rate" not in state.changed
    assert {"a.angle", "a.angle_rate"} <= state.changed.keys()
    places = {coordinate.name: coordinate.i_q for coordinate in system.formulation.layout.coordinates}
    assert state.q[places["c.angle"]] == pytest.approx(-1.3, abs=1e-12)
