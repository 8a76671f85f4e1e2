"""Equilibria are checked: nothing accelerates there with the modes of the contacts, and stable ones are stable."""

import warnings
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import FrozenTimeWarning, SolveError
from trundle.system import System

G = 9.81


def largest_acceleration(system: System, pose: dict[str, object]) -> float:
    found = system.accelerations({**pose, **{k: 0.0 for k in pose if k.endswith("_rate")}})
    return max(float(np.max(np.abs(v))) for k, v in found.items() if k.endswith("acceleration"))


def sphere(law: object = None, gravity: tuple[float, float, float] = (0.0, 0.0, -G), **options: object) -> tr.Model:
    m = tr.Model("ball", gravity=gravity)
    ball = m.body("ball", mass=2.0, inertia=0.02)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, ball, law=law, name="c", **options)
    return m


@pytest.mark.parametrize("stiffness", [40.0, 300.0])
def test_ball_that_a_spring_lifts(stiffness: float) -> None:
    """The contact is open where the ball hangs."""
    m = sphere(unilateral=True)
    m.apply(tr.SpringDamper(m.ground.at(0, 0, 1.0), m.bodies["ball"], stiffness))
    m.start = {"ball.z": 0.1}
    system = m.build()
    pose = system.equilibrium()
    assert pose["ball.z"] == pytest.approx(1.0 - 2.0 * G / stiffness, abs=1e-9)
    assert largest_acceleration(system, pose) < 1e-6


def test_ball_that_a_weak_spring_does_not_lift() -> None:
    m = sphere(unilateral=True)
    m.apply(tr.SpringDamper(m.ground.at(0, 0, 1.0), m.bodies["ball"], 10.0))
    m.start = {"ball.z": 0.1}
    assert m.build().equilibrium()["ball.z"] == pytest.approx(0.1, abs=1e-9)


def test_ball_in_the_air_comes_down() -> None:
    """It is let go, strikes and rests on the plane."""
    m = sphere(unilateral=True)
    spring = tr.Spring(5.0)
    guide = tr.Connection(x=spring, y=spring, z=tr.Open(), rx=spring, ry=spring, rz=spring)
    m.connect(guide, m.ground, m.bodies["ball"], name="guide")
    m.start = {"guide.z": 0.6}
    system = m.build()
    pose = system.equilibrium()
    assert next(v for k, v in pose.items() if k.endswith(".z")) == pytest.approx(0.1, abs=1e-7)


def block_on_slope(law: object, slope: float) -> tr.Model:
    """A body that cannot turn, on a plane that leans."""
    g = (G * np.sin(slope), 0.0, -G * np.cos(slope))
    m = tr.Model("block", gravity=g)
    block = m.body("block", mass=1.0, inertia=0.1)
    fixed = {turn: tr.Locked() for turn in ("rx", "ry", "rz")}
    m.connect(tr.Connection(x=tr.Open(), y=tr.Open(), z=tr.Open(), **fixed), m.ground, block, name="guide")
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground.at(0, 0, -0.1), block, law=law, name="c")
    return m


def test_friction_that_holds_and_friction_that_does_not() -> None:
    held = block_on_slope(tr.Coulomb(0.3), 0.2).build()
    assert largest_acceleration(held, held.equilibrium()) < 1e-7
    with pytest.raises(SolveError, match=r"slide|no equilibrium"):
        block_on_slope(tr.Coulomb(0.3), 0.5).build().equilibrium()


def test_bristles_that_hold_are_bent() -> None:
    """LuGre with a rigid normal: the bristles carry the downhill force."""
    system = block_on_slope(tr.LuGre(0.5, 0.4, stiffness=1e3), 0.2).build()
    pose = system.equilibrium()
    assert largest_acceleration(system, pose) < 1e-6
    assert pose["c.bristle_x"] == pytest.approx(np.tan(0.2) / 1e3, rel=1e-6)


def pendulum(law: object = None) -> tr.Model:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1.0)), law=law)
    return m


@pytest.mark.parametrize("start", [np.pi, np.pi - 1e-9, 3.0])
def test_inverted_pendulum_is_not_stable(start: float) -> None:
    system = pendulum().build()
    assert np.cos(system.equilibrium({"bob.angle": start})["bob.angle"]) == pytest.approx(1.0, abs=1e-9)
    upright = system.equilibrium({"bob.angle": np.pi}, stable=False)["bob.angle"]
    assert upright == pytest.approx(np.pi, abs=1e-9)


def test_zieglers_column_in_flutter_has_no_stable_pose() -> None:
    """Two rods with springs under a load that follows the upper one: flutter above a critical load."""

    def column(load: float) -> System:
        m = tr.Model("column", gravity=(0, 0, 0))
        lower, upper = (m.body(n, mass=w, inertia=1e-6, com=(0, 0, 1.0)) for n, w in (("lower", 2.0), ("upper", 1.0)))
        m.connect(tr.Revolute("y"), m.ground, lower, law=tr.Spring(1.0))
        m.connect(tr.Revolute("y"), lower.at(0, 0, 1.0), upper, law=tr.Spring(1.0))
        m.apply(tr.Wrench(upper.at(0, 0, 1.0), force=(0, 0, -load), axes="body"))
        return m.build()

    critical = 7 / 2 - np.sqrt(2.0)  # k / l, Ziegler 1952
    assert column(0.98 * critical).equilibrium()["lower.angle"] == pytest.approx(0.0, abs=1e-9)
    with pytest.raises(SolveError, match="no stable equilibrium"):
        column(1.02 * critical).equilibrium()
    assert column(1.02 * critical).equilibrium(stable=False)["lower.angle"] == pytest.approx(0.0, abs=1e-9)


def test_van_der_pol_focus_is_not_stable() -> None:
    m = tr.Model("van der Pol", gravity=(0, 0, 0))
    law = tr.Motor(lambda t, q, u: 0.3 * (1 - q**2) * u - q)
    m.connect(tr.Prismatic("x"), m.ground, m.body("mass", mass=1.0), law=law)
    with pytest.raises(SolveError, match="no stable equilibrium"):
        m.build().equilibrium()


@pytest.mark.parametrize("stiffness", [1e3, 1e9])
def test_a_light_stiff_passenger_does_not_hide_instability(stiffness: float) -> None:
    m = pendulum()
    m.connect(tr.Prismatic("y"), m.bodies["bob"], m.body("passenger", mass=1e-6), law=tr.Spring(stiffness))
    pose = m.build().equilibrium({"bob.angle": np.pi})
    assert np.cos(pose["bob.angle"]) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("law", "passes"),
    [
        (lambda t, q, u: tr.sin(2 * t), True),
        (lambda t, q, u: 1 - tr.cos(2 * t), True),  # it begins at rest
        (lambda t, q, u: tr.step(t - 1.0), True),
        (lambda t, q, u: tr.sin(2 * t) * u, False),  # the matrix changes, not the equilibrium
        (lambda t, q, u: 0.3 + 0.0 * t, False),
    ],
)
def test_what_is_an_equilibrium_at_one_time_only_is_reported(law: Any, passes: bool) -> None:
    m = tr.Model("driven")
    bob = m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1))
    m.connect(tr.Revolute("y"), m.ground, bob, law=tr.Motor(law))
    system = m.build()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        system.equilibrium()
    assert [w.category for w in told] == [FrozenTimeWarning] * passes


def test_a_state_that_is_driven_is_no_equilibrium() -> None:
    m = tr.Model("clock")
    m.state("angle", lambda s: tr.sin(s.t) - s["angle"])
    with pytest.warns(FrozenTimeWarning, match="an equilibrium at t = 0 s only"):
        assert m.build().equilibrium() == {"angle": 0.0}
