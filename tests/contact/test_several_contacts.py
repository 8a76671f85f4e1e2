"""Influence of contacts on each other, and contacts at the start of a run."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import trundle as tr

G = 9.81
MASS, HALF, HEIGHT, INERTIA, LOW = 10.0, 0.4, 0.5, 1.2, 0.1


@cache
def box() -> tr.System:
    """A box in a plane on two sharp feet, pushed near the ground with push + rise t."""
    m = tr.Model("box")
    push, rise, static = m.parameter("push", 0.0), m.parameter("rise", 0.0), m.parameter("static", 0.5)
    body = m.body("box", MASS, INERTIA)
    for name, x in (("rear", -HALF), ("front", HALF)):
        ends = m.ground, body.at(x, 0, -HEIGHT)
        law = tr.Coulomb(static, 0.1)
        m.connect(tr.PlanarPair(tr.Line(), tr.Vertex()), *ends, name=name, law=law, unilateral=True)
    m.apply(tr.Wrench(body.at(0, 0, LOW - HEIGHT), force=lambda s: (push + rise * s.t, 0, 0)))
    m.start = {"box.position": (0, 0, HEIGHT)}
    return m.build()


def test_feet_share_a_push_up_to_the_limit_of_both() -> None:
    """How rigid feet share a push is not determined: the front foot takes over what the rear one cannot hold, and the
    box slides where both together cannot.
    """
    run = box().simulate(2.0, parameters={"rise": 40.0})
    limit = pytest.approx(0.5 * MASS * G / 40.0, rel=1e-7)
    assert run.events == [("rear slips", limit), ("front slips", limit)]
    begin = run.events[0][1]
    speed = (20 * (4 - begin**2) - 0.1 * MASS * G * (2 - begin)) / MASS
    assert run.values("box.velocity")[-1, 0] == pytest.approx(speed, rel=1e-9)
    for name in ("rear", "front"):
        assert np.all(np.abs(run.values(f"{name}.slip_force_x")) <= 0.5 * run.values(f"{name}.normal_force") + 1e-6)


def test_a_box_pushed_hard_tips_from_the_start() -> None:
    """A closed contact that would pull at the start is open: the box turns about the other foot."""
    pushed = {"push": 500.0, "static": 20.0}
    turning = (500.0 * LOW - MASS * G * HALF) / (INERTIA + MASS * (HALF**2 + HEIGHT**2))
    found = box().accelerations(parameters=pushed)
    assert found["box.angular_rate_acceleration"][1] == pytest.approx(turning, rel=1e-9)
    run = box().simulate(0.2, parameters=pushed)
    assert np.all(run.values("rear.state") == 0) and np.all(run.values("front.state") == 2)
    assert run.values("rear.gap")[-1] > 1e-3 and np.all(run.values("rear.normal_force") == 0)


def test_a_contact_that_moves_down_from_the_start_strikes() -> None:
    """One foot after the other is struck, and the box may rock until it stands."""
    run = box().simulate(0.5, {"box.velocity": (0.0, 0.0, -1.0)})
    assert run.ok and run.events[0] == ("rear lands", 0.0)
    assert min(np.min(run.values(f"{foot}.gap")) for foot in ("rear", "front")) > -1e-12
    assert run.energy.work_lost[-1] == pytest.approx(MASS / 2, rel=1e-9)
    assert [run.values(f"{foot}.state")[-1] for foot in ("rear", "front")] == [2, 2]


def test_a_ball_of_a_planar_joint_may_slide_on_a_plane() -> None:
    """Slip across the plane of the joint moves nothing: a row without entries."""
    m = tr.Model("bowling in a plane")
    ball = m.body("ball", 6.0, 0.4 * 6.0 * 0.11**2)
    m.connect(tr.Planar("y"), m.ground, ball, name="plane")
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.11)), m.ground, ball, name="lane", law=tr.Coulomb(0.2))
    run = m.build().simulate(1.0, {"ball.position": (0, 0, 0.11), "ball.velocity": (5.0, 0, 0)})
    assert run.events == [("lane stops", pytest.approx(10.0 / (7 * 0.2 * G), rel=1e-10))]


@pytest.mark.parametrize("law", [tr.LuGre(0.5, 0.5), "springs"])
def test_deflections_are_zero_at_the_start_wherever_the_pose_is_found(law: Any) -> None:
    """In the middle of a bowl no normal exists and a pose is searched for; deflections of springs are no part of it."""
    m = tr.Model("bowl")
    ball = m.body("ball", 1.0, 0.004)
    springs = {"compliance": {b: tr.Spring(1e5) for b in ("slip_x", "slip_y")}, "law": tr.NoSlip()}
    laws: dict[str, Any] = springs if law == "springs" else {"law": law}
    m.connect(tr.HigherPair(tr.Sphere(1.0, inside=True), tr.Sphere(0.1)), m.ground, ball, name="c", **laws)
    system = m.build()
    run = system.simulate(0.5, {"ball.position": (0.01, 0.0, -np.sqrt(0.81 - 1e-4))}, rtol=1e-8, atol=1e-8)
    assert run.values("c.bristle_x")[0] == run.values("c.bristle_y")[0] == 0.0
    frequency = np.sqrt(5 * G / 7 / 0.9)
    assert run.values("ball.position")[-1] == pytest.approx([0.01 * np.cos(0.5 * frequency), 0, -0.9], abs=1e-4)
