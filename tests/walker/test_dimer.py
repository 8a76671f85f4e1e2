"""The bouncing dimer: both balls at once on a plate that moves, one ball alone, and long runs with many bounces."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import trundle as tr
from trundle.errors import ModelError
from trundle.walker.dimer import bouncing_dimer

SIZE, RATE, G = 0.0005, 2 * np.pi * 25, 9.81


def shaking(t: Any) -> Any:
    return SIZE * tr.sin(RATE * t)


def test_both_balls_together_bounce_like_one() -> None:
    """Treated at once they keep the rod level: v = V - e (v - V) against a plate of speed V."""
    m = bouncing_dimer(shaking=shaking, restitution=0.8)
    m.impacts = "simultaneous"
    lands = brentq(lambda t: 0.01 - G * t**2 / 2 - SIZE * np.sin(RATE * t), 0.01, 0.06, xtol=1e-15)
    run = m.build().simulate(0.05, rtol=1e-12, atol=1e-14, samples=[0.05])
    assert run.events[0][1] == pytest.approx(lands, abs=1e-11)
    plate = SIZE * RATE * np.cos(RATE * lands)
    after = plate - 0.8 * (-G * lands - plate)
    assert run.values("height_rate")[-1] == pytest.approx(after - G * (0.05 - lands), abs=1e-9)
    assert abs(run.values("pose.angle_rate")[-1]) < 1e-9


def test_one_ball_and_many_bounces() -> None:
    """The lower ball alone, without friction, by the mass that it feels; then bounces beyond count come to an end."""
    system = bouncing_dimer(shaking=shaking, tilt=0.1, friction=0.0, restitution=0.6).build()
    run = system.simulate(0.0445, rtol=1e-12, atol=1e-14, samples=[0.0445])
    ((name, lands),) = run.events
    assert name == "right lands"
    arm, inertia = 0.03 * np.cos(0.1), 0.02 * (0.4 * 0.01**2 + 0.03**2)
    impulse = 1.6 * (G * lands + SIZE * RATE * np.cos(RATE * lands)) / (1 / 0.02 + arm**2 / inertia)
    assert run.values("pose.angle_rate")[-1] == pytest.approx(-impulse * arm / inertia, rel=1e-9)
    many = system.simulate(2.0, parameters={"mu": 0.2}, rtol=1e-9, samples=3)
    assert many.ok and len(many.events) > 300
    gaps = [many.values(f"{ball}.gap") for ball in ("left", "right")]
    assert np.min(gaps) > -1e-9  # nothing fell through the plate


def test_invalid_arguments() -> None:
    with pytest.raises(ModelError, match="distance must be above zero"):
        bouncing_dimer(distance=0.0)
