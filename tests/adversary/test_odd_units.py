"""The same machines in other units: millimetres, grams, milliseconds; kilometres, tonnes, hours. Results scale."""

import numpy as np
import pytest

import trundle as tr

UNITS = {"mm, g, ms": (1e3, 1e3, 1e3), "km, t, s": (1e-3, 1e-3, 1.0)}  # of a metre, a kilogram, a second

REACH = float(0.3 * np.cos(0.4) + np.sqrt(0.64 - (0.3 * np.sin(0.4)) ** 2))  # of the crank at 0.4 rad


def linkage(length: float = 1.0, mass: float = 1.0, time: float = 1.0) -> tr.Model:
    """A slider-crank with a spring, under its weight."""
    m = tr.Model("slider-crank", gravity=(0, 0, -9.81 * length / time**2))
    inertia = mass * length**2
    crank = m.body("crank", mass, 0.02 * inertia, com=(0.15 * length, 0, 0))
    rod = m.body("rod", 1.5 * mass, 0.1 * inertia, com=(0.4 * length, 0, 0))
    piston = m.body("piston", 2.0 * mass, 0.01 * inertia)
    m.connect(tr.Revolute("y"), m.ground, crank)
    m.connect(tr.Revolute("y"), crank.at(0.3 * length, 0, 0), rod)
    m.connect(
        tr.Prismatic("x"), m.ground, piston, law=tr.Spring(50.0 * mass / time**2, 1.0 * mass / time, 0.9 * length)
    )
    m.connect(tr.Revolute("y"), rod.at(0.8 * length, 0, 0), piston, name="pin")
    m.start = {"crank.angle": 0.4, "piston.displacement": REACH * length, "crank.angle_rate": 3.0 / time}
    return m


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_a_linkage_moves_alike_in_other_units(units: tuple[float, float, float]) -> None:
    length, mass, time = units
    usual = linkage().build().simulate(2.0, samples=5)
    run = linkage(*units).build().simulate(2.0 * time, samples=5)
    assert usual.ok and run.ok
    np.testing.assert_allclose(run.values("crank.angle"), usual.values("crank.angle"), atol=1e-7)
    np.testing.assert_allclose(
        run.values("piston.displacement") / length, usual.values("piston.displacement"), atol=1e-7
    )
    force = mass * length / time**2
    found = run.values("pin.reaction_force") / force
    np.testing.assert_allclose(found, usual.values("pin.reaction_force"), atol=1e-5)


# -- contacts ----------------------------------------------------------------------------------------------------------

ODD = UNITS | {"um, mg, ms": (1e6, 1e6, 1e3), "km, t, h": (1e-3, 1e-3, 1 / 3600), "no system": (7.3e-3, 310.0, 0.17)}


def thrown(length: float, mass: float, time: float, soft: bool) -> tr.Run:
    """A ball that is thrown on a floor: it bounces, slides and rolls; or it sinks into it and slides on."""
    m = tr.Model("thrown ball", gravity=(0, 0, -9.81 * length / time**2))
    ball = m.body("ball", 6.0 * mass, 0.4 * 6.0 * mass * (0.11 * length) ** 2)
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(0.11 * length))
    if soft:
        law = tr.RegularisedCoulomb(0.2, v0=1e-3 * length / time)
        stiff = tr.Hertz(1e6 * mass / (length**0.5 * time**2))
        m.connect(pair, m.ground, ball, name="floor", law=law, compliance=stiff)
    else:
        m.connect(pair, m.ground, ball, name="floor", law=tr.Coulomb(0.2), unilateral=True, restitution=0.5)
    m.start = {"ball.position": (0, 0, 0.5 * length), "ball.velocity": (2.0 * length / time, 0.5 * length / time, 0)}
    return m.build().simulate((1.0 if soft else 2.0) * time, samples=6)


@pytest.mark.parametrize("units", ODD.values(), ids=ODD)
def test_a_ball_bounces_slides_and_rolls_alike_in_other_units(units: tuple[float, float, float]) -> None:
    """Bounces too small to be resolved are counted otherwise; all others come at the same time."""
    usual, run = thrown(1.0, 1.0, 1.0, soft=False), thrown(*units, soft=False)
    assert usual.ok and run.ok
    np.testing.assert_allclose(run.values("ball.position") / units[0], usual.values("ball.position"), atol=1e-12)
    first = [(name, pytest.approx(t * units[2], rel=1e-11)) for name, t in usual.events[:10]]
    assert run.events[:10] == first and {name for name, _ in run.events} == {name for name, _ in usual.events}


@pytest.mark.parametrize("units", ODD.values(), ids=ODD)
def test_a_ball_sinks_in_alike_in_other_units(units: tuple[float, float, float]) -> None:
    usual, run = thrown(1.0, 1.0, 1.0, soft=True), thrown(*units, soft=True)
    assert usual.ok and run.ok
    np.testing.assert_allclose(run.values("ball.position") / units[0], usual.values("ball.position"), atol=5e-7)
