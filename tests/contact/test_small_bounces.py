"""Bounces that get too small to be resolved end in contact, from any start, at any tolerance, anywhere."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import trundle as tr

G = 9.81
REST = 1e-8  # of the typical speed of a run: approaches below do not bounce (the default rest_speed)


@cache
def system(e: float, radius: float) -> tr.System:
    m = tr.Model("ball")
    ball = m.body("ball", 1.0, 0.001)
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(radius))
    m.connect(pair, m.ground, ball, name="floor", law=tr.Coulomb(0.4), restitution=tr.Newton(e))
    return m.build()


def thrown(seed: int, radius: float, far: float = 0.0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "ball.position": (far, 0, radius + rng.uniform(0.0, 0.4)),
        "ball.velocity": rng.uniform(-2, 2, 3) * [1, 1, 0.3],
        "ball.angular_velocity": rng.uniform(-20, 20, 3),
    }


def comes_to_rest_in_time(e: float, seed: int, tolerance: float, radius: float = 0.1, far: float = 0.0) -> None:
    """The normal motion is that of a ball without friction: its bounces end at a time of closed form, less what those
    would take that are below the rest speed, and a few whose height is round-off.
    """
    start = thrown(seed, radius, far)
    height, speed = start["ball.position"][2] - radius, start["ball.velocity"][2]
    down = np.sqrt(speed**2 + 2 * G * height)
    end = (speed + down) / G + 2 * e * down / (G * (1 - e))
    run = system(e, radius).simulate(end + 0.2, start, rtol=tolerance, atol=tolerance, steps=tr.Steps(most_events=2000))
    assert run.ok, (seed, run.outcome)
    last = [t for name, t in run.events if name == "floor lands"][-1]
    turns, slides = np.max(np.abs(start["ball.angular_velocity"])), np.max(np.abs(start["ball.velocity"]))
    left = 2 * e * REST * max(slides, radius * turns, np.sqrt(G * radius)) / (G * (1 - e))
    unseen = 4e-8 / (1 - e) * max(1.0, np.sqrt(far))
    assert end - left - unseen < last < end + unseen
    assert abs(run.values("ball.velocity")[-1][2]) < 1e-9 and run.values("floor.state")[-1] > 0
    assert abs(run.values("ball.position")[-1][2] - radius) < 1e-9


@pytest.mark.parametrize(
    ("seed", "tolerance", "radius"),
    [(40, 1e-12, 0.1), (11, 1e-10, 0.1), (85, 1e-8, 0.1), (3, 1e-8, 1.0), (21, 1e-10, 3.0)],
)
def test_a_ball_comes_to_rest(seed: int, tolerance: float, radius: float) -> None:
    comes_to_rest_in_time(0.5, seed, tolerance, radius)


def test_a_ball_comes_to_rest_far_away() -> None:
    comes_to_rest_in_time(0.5, 1, 1e-10, far=1e3)


def test_a_run_may_end_just_after_a_landing() -> None:
    """Where one foot lands and another lifts, the gap of the other is round-off at first: no landing."""
    m = tr.Model("table")
    table = m.body("table", mass=2.0, inertia=(0.03, 0.04, 0.05))
    for k, (x, y) in enumerate(((0.2, 0.0), (-0.2, 0.15), (-0.2, -0.15))):
        ends = m.ground, table.at(x, y, -0.1)
        m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), *ends, name=f"foot_{k}", law=tr.Coulomb(0.3), unilateral=True)
    lean = (np.cos(0.07), 0.6 * np.sin(0.07), 0.8 * np.sin(0.07), 0)
    m.start = {"table.position": (0.3, -0.7, 0.15), "table.velocity": (1.3, 0.4, 0), "table.quaternion": lean}
    rocking = m.build()
    times = {event.time for event in rocking.simulate(0.4).events}
    assert len(times) > 10
    after = [0, *10.0 ** np.arange(-18, -12), *3 * 10.0 ** np.arange(-18, -12)]  # some are less than the clock resolves
    for end in {time + more for time in times for more in after}:
        assert rocking.simulate(end, samples=2).ok, end


@pytest.mark.slow
@pytest.mark.parametrize("e", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("radius", [0.1, 1.0, 3.0])
def test_many_balls_come_to_rest(e: float, radius: float) -> None:
    for seed in range(100):
        for tolerance in (1e-12, 1e-10, 1e-8):
            comes_to_rest_in_time(e, seed, tolerance, radius)
