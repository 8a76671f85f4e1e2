"""Equilibria that Newton's method alone does not find, and springs, parameters and energies at their limits."""

import math

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError


def pendulum() -> tr.Model:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, com=(1, 0, 0))
    m.connect(tr.Revolute("y"), m.ground, bob)
    return m


@pytest.mark.parametrize("angle", [0.0, -0.3, -1.5, 2.0])
def test_a_pendulum_hangs_down_from_wherever_it_starts(angle):
    found = pendulum().build().equilibrium({"bob.angle": angle})["bob.angle"]
    assert math.remainder(found - math.pi / 2, 2 * math.pi) == pytest.approx(0.0, abs=1e-9)


def test_the_unstable_equilibrium_can_be_requested():
    found = pendulum().build().equilibrium({"bob.angle": -1.4}, stable=False)["bob.angle"]
    assert found == pytest.approx(-math.pi / 2, abs=1e-9)


def test_a_linkage_settles_on_its_springs():
    """A slider-crank under gravity with a spring at the slider: the forces balance by virtual work."""
    m = tr.Model("linkage")
    crank = m.body("crank", mass=1.0, inertia=(0.001, 0.01, 0.01), com=(0.15, 0, 0))
    rod = m.body("rod", mass=1.0, inertia=(0.001, 0.05, 0.05), com=(0.3, 0, 0))
    slider = m.body("slider", mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.connect(tr.Revolute("y"), m.ground, crank)
    m.connect(tr.Revolute("y"), crank.at(0.3, 0, 0), rod)
    m.connect(tr.Prismatic("x"), m.ground, slider, law=tr.Spring(200.0, rest=0.6))
    m.connect(tr.Revolute("y"), rod.at(0.6, 0, 0), slider, name="pin")
    m.start = {"crank.angle": -1.0}
    s = m.build()
    found = s.equilibrium()
    held = s.accelerations(found)
    assert max(abs(v) for k, v in held.items() if k.endswith("_acceleration") and np.ndim(v) == 0) < 1e-7
    assert np.max(s.linearise(found).eigenvalues.real) < 1e-6


def test_a_spring_without_length_is_smooth_where_its_ends_meet():
    m = tr.Model("cart", gravity=(0, 0, 0))
    cart = m.body("cart", mass=1.0)
    m.connect(tr.Prismatic("x"), m.ground, cart)
    m.apply(tr.SpringDamper(m.ground, cart, stiffness=100.0, damping=2.0), "spring")
    s = m.build()
    assert s.accelerations({"cart.displacement": 0.0})["cart.displacement_acceleration"] == 0.0
    run = s.simulate(1.0, {"cart.displacement": 0.2}, samples=101)
    w = math.sqrt(99.0)
    exact = 0.2 * np.exp(-run.time) * (np.cos(w * run.time) + np.sin(w * run.time) / w)
    np.testing.assert_allclose(run.values("cart.displacement"), exact, atol=1e-8)
    assert run.energy.drift < 1e-7


def test_parameters_of_a_run_must_be_physical_too():
    m = tr.Model("mass")
    mass = m.parameter("mass", 2.0, "kg")
    body = m.body("body", mass=mass)
    m.connect(tr.Prismatic("x"), m.ground, body, law=tr.Spring(10.0))
    s = m.build()
    with pytest.raises(ModelError, match="negative"):
        s.simulate(1.0, parameters={"mass": -1.0})
    with pytest.raises(ModelError, match="neither mass nor inertia"):
        s.simulate(1.0, parameters={"mass": 0.0})


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda s: s.simulate(1.0, parameters=[1]), "give parameters by name"),
        (lambda s: s.simulate(1.0, t0="a"), "t0"),
        (lambda s: s.simulate(1.0)[3], "Use one name"),
    ],
)
def test_invalid_requests_are_reported(question, message):
    with pytest.raises(tr.TrundleError, match=message):
        question(pendulum().build())


def test_the_balance_starts_anew_after_a_jump(tmp_path):
    m = tr.Model("ball")
    ball = m.body("ball", mass=2.0)
    m.connect(tr.Prismatic("z"), m.ground, ball)
    half = {"ball.displacement_rate": lambda s: -0.5 * s["ball.displacement_rate"]}
    m.event("floor", lambda s: s["ball.displacement"], direction=-1, action=half)
    run = m.build().simulate(1.0, {"ball.displacement": 1.0}, samples=201)
    assert len(run.jump_times) == 2
    assert run.energy.drift < 1e-9
    assert tr.load(run.save(tmp_path / "ball.nc")).energy.drift == run.energy.drift
