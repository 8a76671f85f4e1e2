"""Angles that are measured between bodies keep their whole turns, however sparse the samples are."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import trundle as tr
from trundle.run.turns import TurnsWarning


def spinner(formalism="kane") -> tr.System:
    """A wheel on a swinging arm, driven by a torque that comes and goes."""
    m = tr.Model("spinner")
    arm = m.body("arm", 1.0, (0.1, 0.1, 0.1), com=(0, 0, -0.5))
    wheel = m.body("wheel", 1.0, (0.02, 0.03, 0.02))
    m.connect(tr.Revolute("y"), m.ground, arm)
    m.connect(tr.Revolute("y"), arm.at(0, 0, -1), wheel, law=tr.Motor(lambda t, q, u: 1.5 * tr.sin(2 * t)))
    m.output("half", lambda s: s["wheel.angle"] / 2)
    return m.build(formalism)


@pytest.mark.parametrize("samples", [2, 3, 7, [0.9, 5.0], 501])
@pytest.mark.parametrize("start", [0.5, -20.0, 31.0])
def test_turns_in_absolute_coordinates(samples, start):
    given = {"wheel.angle": start, "wheel.angle_rate": 40.0, "arm.angle": 0.7}
    system = spinner()
    right = system.simulate(5.0, given, samples=samples)
    run = system.simulate(5.0, given, samples=samples, formalism="newton_euler")
    for name in ("wheel.angle", "arm.angle"):
        np.testing.assert_allclose(run.values(name), right.values(name), atol=1e-6)
    assert abs(run.values("wheel.angle")[-1] - start) > 20 * np.pi
    assert run.energy.work_in[-1] == pytest.approx(right.energy.work_in[-1], abs=1e-7)


def test_free_turns_and_no_work():
    """Without any power there is no work in the state, and turns are not taken for it."""
    m = tr.Model("top", gravity=(0, 0, 0))
    m.connect(tr.Cylindrical("z"), m.ground, m.body("top", 1.0, (0.02, 0.02, 0.01)))
    run = m.build("newton_euler").simulate(10.0, {"top.angle_rate": 100.0, "top.displacement_rate": 0.3}, samples=3)
    np.testing.assert_allclose(run.values("top.angle"), [0.0, 500.0, 1000.0], atol=1e-6)
    np.testing.assert_allclose(run.values("top.displacement"), [0.0, 1.5, 3.0], atol=1e-8)
    assert np.all(run.energy.work_in == 0) and np.all(run.energy.work_lost == 0)


@pytest.mark.parametrize("formalism", ["kane", "udwadia_kalaba"])
def test_a_joint_that_closes_a_loop(formalism):
    """A crank that turns in a four-bar: its pin, which closes the loop, turns with it."""
    m = tr.Model("crank-rocker", gravity=(0, 0, 0))
    crank = m.body("crank", 50.0, (10.0, 10.0, 10.0))
    rocker, coupler = (m.body(n, 0.1, (0.01, 0.01, 0.01)) for n in ("rocker", "coupler"))
    m.connect(tr.Revolute("z"), m.ground.at(1, 0, 0), rocker)
    m.connect(tr.Revolute("z"), m.ground, crank)
    m.connect(tr.Revolute("z"), rocker.at(0.8, 0, 0), coupler)
    m.connect(tr.Revolute("z"), crank.at(0.2, 0, 0), coupler.at(-0.9, 0, 0), name="pin")
    m.start = {"crank.angle": 1.0, "crank.angle_rate": 20.0, "rocker.angle": 1.7, "coupler.angle": -1.0}
    system = m.build(formalism)
    assert "pin.angle" in system.quantities and "pin.angle" not in system.formulation.layout.places
    fine = system.simulate(2.0, samples=2001).values("pin.angle")
    assert abs(fine[-1] - fine[0]) > 30.0
    coarse = system.simulate(2.0, samples=11).values("pin.angle")  # 4 rad from one sample to the next
    np.testing.assert_allclose(coarse, fine[::200], atol=1e-6)
    sparse = system.simulate(2.0, samples=3).values("pin.angle")  # 20 rad, and rates that differ
    np.testing.assert_allclose(sparse, fine[::1000], atol=1e-6)


@pytest.mark.parametrize("samples", [2, 3, 5])
def test_a_second_hinge_turns_as_the_first_does(samples):
    """A heavy door that goes over the top again and again: its rate at the samples does not determine its turns."""
    m = tr.Model("door on two hinges")
    door = m.body("door", 3.0, (0.3, 0.2, 0.4), com=(0.5, 0, 0))
    for name, place in (("low", 0.0), ("high", 1.0)):
        m.connect(tr.Revolute("y"), m.ground.at(0, place, 0), door.at(0, place, 0), name=name)
    run = m.build().simulate(20.0, {"low.angle_rate": 9.0}, samples=samples)
    assert abs(run.values("low.angle")[-1]) > 100.0
    np.testing.assert_allclose(run.values("high.angle"), run.values("low.angle"), atol=1e-6)


def bodies_on_balls() -> tr.System:
    """Two bodies on ball joints at one point; the pin between them closes the loop, and one is driven to and fro."""
    m = tr.Model("bodies on balls", gravity=(0, 0, 0))
    for name, inertia in (("a", (0.1, 0.12, 0.15)), ("b", (0.1, 0.1, 0.2))):
        m.connect(tr.Spherical(), m.ground, m.body(name, 1.0, inertia), name=f"ball_{name}")
    m.connect(tr.Revolute("z"), m.bodies["a"], m.bodies["b"], name="pin")
    m.apply(tr.Wrench(m.bodies["b"], moment=lambda s: (0, 0, 1.5 * tr.sin(1.7 * s.t))))
    m.start = {"a.angular_velocity": (0.3, 0.2, 5.0), "b.angular_velocity": (0.3, 0.2, -9.0)}
    return m.build()


@pytest.mark.parametrize("samples", [2, 3, 6])
def test_a_pin_beside_ball_joints_keeps_its_turns(samples):
    """The steps of the run give the angle between two samples."""
    system = bodies_on_balls()
    assert "pin.angle" not in system.formulation.layout.places
    fine = system.simulate(10.0, samples=5001).values("pin.angle")
    assert np.max(np.abs(np.diff(fine))) < 0.2 and abs(fine[-1]) > 30.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sparse = system.simulate(10.0, samples=samples).values("pin.angle")
    np.testing.assert_allclose(sparse, fine[:: 5000 // (samples - 1)], atol=1e-5)


def test_turns_that_are_not_clear_are_reported():
    """As in a run from a file, which has the samples alone."""
    run = bodies_on_balls().simulate(10.0, samples=3)
    assert run.trajectory is not None
    run.trajectory = replace(run.trajectory, trail=None)
    with pytest.warns(TurnsWarning, match=r"'pin.angle'.*whole turns"):
        run.values("pin.angle")


@pytest.mark.parametrize("formalism", ["kane", "newton_euler"])
def test_a_run_in_steps_counts_turns(formalism):
    """Between the steps at which somebody looks the wheel makes several turns, and so does an output that uses them."""
    start = {"wheel.angle": 31.0, "wheel.angle_rate": 40.0, "arm.angle": 0.7}
    right, stepper = spinner().simulate(2.0, start, samples=5), spinner(formalism).stepper(2.0, start)
    for i, t in enumerate(right.time):
        if i:
            stepper.advance(t)
        for name in ("wheel.angle", "half"):
            np.testing.assert_allclose(stepper[name], right.values(name)[i], atol=1e-6)
    assert right.values("wheel.angle")[-1] > 31.0 + 10 * np.pi
