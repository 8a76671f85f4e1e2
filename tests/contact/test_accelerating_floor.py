"""Contacts on a floor that accelerates: the motion is that under another gravity, the work of the floor is counted."""

from functools import cache

import numpy as np
import pytest

import trundle as tr

LIFT, PUSH, GRAVITY = 0.9, 1.2, 9.81  # m/s^2


@cache
def plank(moves: bool) -> tr.System:
    """A plank in a plane, thrown onto a floor: one that accelerates, or one at rest under the difference."""
    m = tr.Model("plank")
    m.gravity = (0, 0, -GRAVITY) if moves else (-PUSH, 0, -GRAVITY - LIFT)
    lift = m.moving_frame("lift", position=lambda s: (PUSH * s.t**2 / 2, 0, LIFT * s.t**2 / 2)) if moves else m.ground
    body = m.body("body", mass=1.0, inertia=0.01, shape=tr.shape.Box((0.3, 0.2, 0.1)))
    m.connect(tr.Planar("y"), m.ground, body)
    m.contact(lift, body, tr.Coulomb(0.4), restitution=0.2, planar=True)
    return m.build()


@pytest.mark.parametrize("seed", range(4))
def test_accelerating_floor_equals_another_gravity(seed: int) -> None:
    rng = np.random.default_rng(seed)
    speed, turn, tilt = rng.normal(size=2), 3 * rng.normal(), rng.uniform(0, np.pi)
    start = {"body.position": (0, 0, 0.4), "body.angle": tilt, "body.angle_rate": turn}
    start["body.velocity"] = (speed[0], 0, speed[1])
    lifted, still = (plank(moves).simulate(1.0, start, samples=101) for moves in (True, False))
    t = lifted.time[:, None]
    place = lifted.values("body.position") - np.array([PUSH, 0, LIFT]) * t**2 / 2
    assert lifted.ok and still.ok and len(still.events) > 10
    np.testing.assert_allclose(place, still.values("body.position"), atol=1e-6)
    assert lifted.energy.drift < 1e-9
