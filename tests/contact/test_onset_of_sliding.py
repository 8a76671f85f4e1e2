"""Where sliding begins without a jump of the friction, its direction is stiff: it settles at the rate friction over
slip, which is without bound. A stiff method goes through that, and the motion is the same.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import trundle as tr

G, MU, MASS = 9.81, 0.4, 0.7
BEGINS = 0.2  # s


@cache
def puck(unilateral: bool = False, kinetic: float = MU, formalism: str = "kane") -> tr.System:
    """A point on a plane, pulled by a force that grows and turns."""
    m = tr.Model("puck")
    grows, turns = m.parameter("grows", 2.0), m.parameter("turns", 3.0)
    body = m.body("puck", MASS, 1e-3)
    law = tr.Coulomb(MU, kinetic)
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, body, name="c", law=law, unilateral=unilateral)

    def pull(s: Any) -> Any:
        force = MASS * G * (MU + grows * (s.t - BEGINS))
        return force * tr.cos(turns * s.t), force * tr.sin(turns * s.t), 0

    m.apply(tr.Wrench(body, force=pull))
    return m.build(formalism=formalism)


def expected(grows: float, turns: float, until: float) -> Any:
    """Velocity at the end, by an implicit method in polar coordinates of the slip, in which friction is smooth."""

    def slopes(t: float, y: Any) -> Any:
        speed, angle = y
        pull, ahead = G * (MU + grows * (t - BEGINS)), turns * t - angle
        return pull * np.cos(ahead) - MU * G, pull * np.sin(ahead) / speed

    after = 1e-7
    start = grows * G * after**2 / 2, turns * (BEGINS + after)
    found = solve_ivp(slopes, (BEGINS + after, until), start, "Radau", rtol=1e-11, atol=1e-14)
    speed, angle = found.y[:, -1]
    return speed * np.cos(angle), speed * np.sin(angle), 0.0


@pytest.mark.parametrize(("grows", "turns"), [(2.0, 3.0), (0.5, -1.0), (0.02, 0.3), (3.0, 20.0)])
def test_a_puck_that_begins_to_slide_moves_as_in_polar_coordinates(grows: float, turns: float) -> None:
    """In few steps, however slowly the slip grows: an explicit method alone takes hundreds to thousands."""
    for unilateral in (False, True):
        run = puck(unilateral).simulate(0.4, parameters={"grows": grows, "turns": turns}, samples=50)
        assert run.ok and run.events == [("c slips", pytest.approx(BEGINS, abs=1e-9))]
        assert np.min(run.values("c.friction_power")) > -1e-12
        assert run.values("puck.velocity")[-1] == pytest.approx(expected(grows, turns, 0.4), abs=1e-9)
        assert run.trajectory.counts.steps < 150 and run.trajectory.counts.jacobians > 0


def test_formalisms_and_coefficients_agree() -> None:
    """A kinetic coefficient just below the static one changes little, and the pseudo-inverse nothing."""
    slow = {"grows": 0.1, "turns": 1.0}
    exact = puck().simulate(0.4, parameters=slow, samples=50).values("puck.velocity")[-1]
    other = puck(formalism="udwadia_kalaba").simulate(0.4, parameters=slow, samples=50).values("puck.velocity")[-1]
    assert other == pytest.approx(exact, abs=1e-9)
    for part in (1e-3, 1e-4):
        less = puck(kinetic=(1.0 - part) * MU).simulate(0.4, parameters=slow, samples=50).values("puck.velocity")[-1]
        assert np.linalg.norm(less - exact) == pytest.approx(part * MU * G * 0.2, rel=0.1)


def test_samples_see_nothing_of_the_change_of_method() -> None:
    system, values = puck(), {"grows": 0.02, "turns": 0.3}
    dense, sparse = (system.simulate(0.4, parameters=values, samples=n) for n in (401, 5))
    assert dense.values("puck.velocity")[::100] == pytest.approx(sparse.values("puck.velocity"), abs=1e-12)
