"""Examples that roll: the disc, the ball in a bowl, the benchmark bicycle."""

import math

import numpy as np
import pytest
from scipy.special import ellipk

from trundle import examples
from trundle.bicycle.whipple import benchmark
from trundle.study.stability import SteadyMotions
from trundle.system import System

M, R, G = 1.0, 0.5, 9.81
A, C = M * R**2 / 2, M * R**2  # of the hoop
# Meijaard, Papadopoulos, Ruina and Schwab (2007), Table 2: eigenvalues at 5 m/s.
PUBLISHED = (-14.07838969279822, -0.32286642900409, -0.77534188219585 + 4.46486771378823j)


@pytest.fixture(scope="module")
def disc() -> System:
    return examples.model("rolling-disc").build()


@pytest.fixture(scope="module")
def bike() -> System:
    return examples.model("benchmark-bicycle").build()


def test_the_disc_keeps_energy_and_its_vertical_force(disc: System) -> None:
    run = disc.simulate(10.0, rtol=1e-12, atol=1e-12)
    assert run.energy.drift < 1e-10
    height = M * (run.values("disc.acceleration")[:, 2] + G)  # Newton's law for the mass centre
    assert run.values("disc.normal_force") == pytest.approx(height, abs=1e-9)
    assert np.max(np.abs(run.values("disc.slip_x"))) < 1e-11


@pytest.mark.parametrize(("lean", "yaw_rate"), [(0.3, -1.5), (0.8, -4.0), (-0.5, 2.0)])
def test_the_disc_in_a_steady_turn(disc: System, lean: float, yaw_rate: float) -> None:
    s, c = math.sin(lean), math.cos(lean)
    spin = (A * yaw_rate**2 * s * c - M * G * R * s) / ((C + M * R**2) * yaw_rate * c)
    pitch_rate = spin - yaw_rate * s
    start = {"roll": lean, "yaw_rate": yaw_rate, "pitch_rate": pitch_rate, "roll_rate": 0.0}
    run = disc.simulate(5.0, start, rtol=1e-12, atol=1e-12)
    assert run.values("roll") == pytest.approx(lean, abs=1e-9)
    assert run.values("yaw")[-1] == pytest.approx(5.0 * yaw_rate, abs=1e-8)
    radius = R * pitch_rate / yaw_rate  # of the circle that the point of contact runs through
    x, y = run.values("x"), run.values("y")
    assert np.hypot(x, y - radius) == pytest.approx(abs(radius), abs=1e-8)


def test_the_upright_disc_is_stable_above_the_speed_of_its_closed_form(disc: System) -> None:
    least = R * math.sqrt(M * G * R * A / (C * (C + M * R**2)))
    found = SteadyMotions(disc, start={"roll": 0.0}).stability(0.0, 3.0)
    assert found.ranges == (pytest.approx((least, 3.0), abs=1e-9),)


@pytest.mark.parametrize("height", [0.2, 1.2])
def test_the_ball_swings_as_a_pendulum_of_seven_fifths_the_length(height: float) -> None:
    period = 4 * ellipk(math.sin(height / 2) ** 2) / math.sqrt(5 / 7 * 9.81 / (0.5 - 0.05))
    system = examples.model("ball-in-bowl").build()
    start = {"ball.pitch": height, "ball.roll_rate": 0.0}
    run = system.simulate(period, start, rtol=1e-13, atol=1e-13, samples=[0.0, period / 4, period])
    assert run.values("ball.pitch") == pytest.approx([height, 0.0, height], abs=1e-10)
    assert run.values("ball.roll") == pytest.approx(0.0, abs=1e-12)
    # At the lowest point m v^2/(R - r) + m g with v from the energy m g (R - r)(1 - cos) = 7/10 m v^2.
    lowest = 0.2 * 9.81 * (1 + 10 / 7 * (1 - math.cos(height)))
    assert run.values("ball.normal_force")[1] == pytest.approx(lowest, abs=1e-9)


def test_the_period_given_in_the_file_of_the_ball() -> None:
    period = 4 * ellipk(math.sin(0.6) ** 2) / math.sqrt(5 / 7 * 9.81 / 0.45)
    assert f"{period:.4f} s" in examples.find("ball-in-bowl").path.read_text(encoding="utf-8")


def test_the_bicycle_of_the_file_is_that_of_python(bike: System) -> None:
    python = benchmark().build()
    rates = {"speed": 3.0, "roll_rate": 0.3, "steer_rate": -0.2}
    for state in ({"roll": 0.1, "steer": 0.2, **rates}, {"yaw": 1.0, "roll": -0.4, "steer": 0.9, **rates}):
        ours, theirs = bike.accelerations(state), python.accelerations(state)
        assert ours.keys() == theirs.keys()
        for name, value in theirs.items():
            assert ours[name] == pytest.approx(value, abs=2e-11), name
    assert bike.model.aliases == python.model.aliases
    assert {"x", "y", "yaw", "roll", "pitch", "steer", "rear_angle", "front_angle", "speed"} == set(bike.model.aliases)


def test_the_bicycle_has_the_published_eigenvalues(bike: System) -> None:
    values = bike.linearise({"speed": 5.0, "roll_rate": 0.0}).eigenvalues
    for published in PUBLISHED:
        assert np.min(np.abs(values - published)) < 1e-11


def test_the_bicycle_recovers_from_its_push(bike: System) -> None:
    run = bike.simulate(10.0)
    assert run.energy.drift < 1e-9
    roll = run.values("roll")
    assert 0.1 < np.max(roll) < 0.13 and np.max(np.abs(roll[run.time > 8.0])) < 0.01
    assert run.values("steer")[20] < 0  # a fall to the right is met by steering to the right
