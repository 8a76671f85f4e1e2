"""A cone on its line of contact, made of rim and apex: a pendulum in closed form."""

from math import atan2, cos, pi, sin, tan

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from trundle import examples


def test_the_cone_swings_like_a_pendulum() -> None:
    """It turns about the line of contact with yaw rate times cot(half angle); the mass centre is 3/4 of the height from
    the apex along the axis.
    """
    m, g, slope, h, R = 2.0, 9.81, 0.4, 0.3, 0.12
    half = atan2(R, h)
    about_line = 0.3 * m * R**2 * cos(half) ** 2 + m * (3 / 20 * R**2 + 3 / 5 * h**2) * sin(half) ** 2
    square = m * g * sin(slope) * 0.75 * h * cos(half) * tan(half) ** 2 / about_line  # of the small frequency
    system = examples.model("rolling-cone").build()
    assert system.mobility.freedoms == 1 and system.mobility.redundant == ("rim.slip_y",)
    run = system.simulate(2.0, rtol=1e-11, atol=1e-12, samples=101)
    assert run.ok and run.energy.drift < 1e-9
    times = np.linspace(0.0, 2.0, 101)
    wanted = solve_ivp(
        lambda _, y: [y[1], -square * np.sin(y[0])], (0, 2), [0.8, 0], t_eval=times, rtol=1e-11, atol=1e-12
    )
    assert run.values("rim.yaw") + pi / 2 == pytest.approx(wanted.y[0], abs=1e-8)
    assert run.values("rim.roll") == pytest.approx(half, abs=1e-12)


def test_rim_and_apex_share_the_load() -> None:
    """At rest on the line of greatest slope: moments about the apex and the rim, across the plane."""
    state = {"rim.yaw": -pi / 2}
    system = examples.model("rolling-cone").build()
    forces = system.accelerations(state)
    half, h = atan2(0.12, 0.3), 0.3
    line, weight = h / cos(half), 2.0 * 9.81 * cos(0.4)
    along = 0.75 * h * cos(half)  # of the mass centre, from the apex
    height = 0.75 * h * sin(half)
    pull = 2.0 * 9.81 * sin(0.4)
    rim = (weight * along + pull * height) / line
    assert float(forces["rim.normal_force"]) == pytest.approx(rim, rel=1e-9)
    assert float(forces["apex.normal_force"]) == pytest.approx(weight - rim, rel=1e-9)
