"""Small runs that the tests of results share."""

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.run.run import Run


def pendulum_run() -> Run:
    m = tr.Model("pendulum")
    length = m.parameter("length", 1.0, "m", "distance of the bob from the pivot")
    bob = m.body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -length))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Damper(0.3))
    m.event("lowest", lambda s: s["bob.angle"])
    m.output("height", lambda s: s["bob.com_position"][2], "m", "height of the bob")
    return m.build().simulate(3.0, {"bob.angle": 1.2}, {"length": 0.8}, samples=61)


def four_bar_run(duration: float = 1.0) -> Run:
    m = tr.Model("four-bar", gravity=(0.0, -9.81, 0.0))
    bars = {
        n: m.body(n, mass=1.0, inertia=(0, 1 / 12, 1 / 12), com=(0.5, 0, 0)) for n in ("crank", "rocker", "coupler")
    }
    m.connect(tr.Revolute("z"), m.ground, bars["crank"])
    m.connect(tr.Revolute("z"), m.ground.at(1, 0, 0), bars["rocker"])
    m.connect(tr.Revolute("z"), bars["crank"].at(1, 0, 0), bars["coupler"])
    m.connect(tr.Revolute("z"), bars["coupler"].at(1, 0, 0), bars["rocker"].at(1, 0, 0), name="pin")
    m.event("flat", lambda s: ca.sin(s["crank.angle"]), direction=-1)
    m.start = {"crank.angle": np.pi / 2, "rocker.angle": np.pi / 2, "coupler.angle": -np.pi / 2}
    return m.build().simulate(duration, {"crank.angle_rate": -1.0}, samples=41)


def ball_run() -> Run:
    """A spatial one: a top on a ball joint."""
    m = tr.Model("top")
    top = m.body("top", mass=1.0, inertia=(0.02, 0.02, 0.01), com=(0, 0, 0.3))
    m.connect(tr.Spherical(), m.ground, top)
    return m.build().simulate(0.5, {"top.angular_rate": (1.0, 0.0, 40.0)}, samples=21)


@pytest.fixture(scope="session")
def pendulum() -> Run:
    return pendulum_run()


@pytest.fixture(scope="session")
def four_bar() -> Run:
    return four_bar_run()


@pytest.fixture(scope="session")
def top() -> Run:
    return ball_run()
