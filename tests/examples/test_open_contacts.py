"""Examples whose contacts are open at the start, against collisions in closed form."""

import math

import numpy as np
import pytest

from trundle import examples
from trundle.run.run import Run

G = 9.81


def test_the_wheel_climbs_from_the_speed_of_its_closed_form() -> None:
    """A plastic collision without slip turns the wheel about the edge of the kerb."""
    R, h, m = 0.3, 0.08, 10.0
    about_edge = 1.5 * m * R**2
    factor = 1 - m * R * h / about_edge
    least = math.sqrt(2 * m * G * h / about_edge) * R / factor

    def run(v: float, samples: object = 501) -> Run:
        return examples.model("wheel-climbs-kerb", {"v": v}).build().simulate(1.2, samples=samples)

    for v in (1.001 * least, 1.5):
        found = run(v)
        assert found.events[0] == (
            "kerb lands",
            pytest.approx((0.6 - math.sqrt(R**2 - (R - h) ** 2)) / v, abs=1e-9),
        )
        assert np.max(found.values("wheel.position_x")) > 0
    over = run(1.5, np.linspace(0, 0.52, 200))
    speed, height = over.values("wheel.angular_velocity")[-1, 1], over.values("wheel.position_z")[-1] - R
    assert 0.5 * about_edge * ((factor * 1.5 / R) ** 2 - speed**2) == pytest.approx(m * G * height, abs=1e-8)
    back = run(0.999 * least)
    assert np.max(back.values("wheel.position_x")) < 0
    assert back.energy.drift < 1e-9


def test_the_ball_leaves_the_edge_along_the_line_of_centres() -> None:
    r, h, beside, e = 0.1, 0.5, 0.06, 0.7
    run = examples.model("ball-on-step").build().simulate(0.5, rtol=1e-12, atol=1e-12)
    fall = 1.0 - (h + math.sqrt(r**2 - beside**2))
    t = math.sqrt(2 * fall / G)
    assert run.events == [("edge lands", pytest.approx(t, abs=1e-10))]
    n = np.array([beside, 0.0, math.sqrt(r**2 - beside**2)]) / r
    before = np.array([0.0, 0.0, -G * t])
    after = before - (1 + e) * (before @ n) * n
    expected = after + np.array([0.0, 0.0, -G]) * (0.5 - t)
    assert run.values("ball.velocity")[-1] == pytest.approx(expected, abs=1e-9)
    assert run.values("edge.gap")[0] == pytest.approx(math.hypot(beside, 0.5) - r, abs=1e-12)
