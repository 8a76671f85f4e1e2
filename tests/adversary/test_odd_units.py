"""The same machines in other units: millimetres, grams and milliseconds, kilometres and tonnes. Results scale."""

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
