"""Small runs that the tests of pictures share."""

import casadi as ca
import numpy as np
import pytest

import trundle as tr
from trundle.run.run import Run


@pytest.fixture(scope="session")
def four_bar() -> Run:
    m = tr.Model("four-bar", gravity=(0.0, -9.81, 0.0))
    bars = {
        n: m.body(n, mass=1.0, inertia=(0, 1 / 12, 1 / 12), com=(0.5, 0, 0)) for n in ("crank", "rocker", "coupler")
    }
    m.connect(tr.Revolute("z"), m.ground, bars["crank"])
    m.connect(tr.Revolute("z"), m.ground.at(1, 0, 0), bars["rocker"])
    m.connect(tr.Revolute("z"), bars["crank"].at(1, 0, 0), bars["coupler"], law=tr.Damper(0.1))
    m.connect(tr.Revolute("z"), bars["coupler"].at(1, 0, 0), bars["rocker"].at(1, 0, 0), name="pin")
    m.event("flat", lambda s: ca.sin(s["crank.angle"]), direction=-1)
    m.start = {"crank.angle": np.pi / 2, "rocker.angle": np.pi / 2, "coupler.angle": -np.pi / 2}
    return m.build().simulate(1.0, {"crank.angle_rate": -1.0}, samples=41)


@pytest.fixture(scope="session")
def cart() -> Run:
    """Every shape, a slider on the ground and a spring."""
    m = tr.Model("cart")
    shapes = (tr.shape.Box((0.5, 0.3, 0.2)), tr.shape.Disc(0.1, "y", (-0.15, 0, -0.1)))
    cart = m.body("cart", mass=2.0, inertia=(0.1, 0.1, 0.1), shape=shapes)
    bar = (tr.shape.Rod((0, 0, 0), (0, 0, 0.6)), tr.shape.Ball(0.07, (0, 0, 0.6)))
    mast = m.body("mast", mass=0.4, inertia=(0.02, 0.02, 0.02), com=(0, 0, 0.6), shape=bar)
    m.connect(tr.Prismatic("x"), m.ground, cart)
    m.connect(tr.Revolute("y"), cart.at(0, 0, 0.1), mast)
    m.apply(tr.SpringDamper(m.ground.at(-1.2, 0, 0), cart.at(-0.25, 0, 0), stiffness=40.0, length=0.95), "spring")
    return m.build().simulate(1.0, {"cart.displacement": 0.4, "mast.angle": 0.3}, samples=41)


@pytest.fixture(scope="session")
def arm() -> Run:
    """A spatial mechanism without shapes."""
    m = tr.Model("arm")
    place: tr.Body | tr.Frame = m.ground
    for i, axis in enumerate("zyx"):
        link = m.body(f"link{i}", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.5, 0.1, 0))
        m.connect(tr.Revolute(axis), place, link)
        place = link.at(1, 0, 0)
    return m.build().simulate(1.0, {"link0.angle_rate": 2.0}, samples=41)
