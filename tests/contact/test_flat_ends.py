"""Cans, coins and tins: they roll on their rims, and stand and lie on flat ends."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError

G, MASS, RADIUS, HEIGHT = 9.81, 0.3, 0.03, 0.1
TIPS = 2 * RADIUS / HEIGHT  # push at the mass centre, over the weight, that tips it over its rim


@cache
def can(feet: int = 3, height: float = HEIGHT) -> tr.System:
    """A can that is pushed along x at its mass centre, `push` times its weight."""
    m = tr.Model(f"can on {feet} feet")
    push, mu, e = m.parameter("push", 0.0), m.parameter("mu", 0.4), m.parameter("e", 0.2)
    across = MASS / 12 * (3 * RADIUS**2 + height**2)
    shape = tr.shape.Cylinder(RADIUS, height, axis="z")
    body = m.body("can", MASS, (across, across, MASS * RADIUS**2 / 2), shape=shape)
    m.contact(m.ground, body, law=tr.Coulomb(mu), restitution=tr.Poisson(e), feet=feet)
    m.apply(tr.Wrench(body, force=(push * MASS * G, 0, 0)))
    return m.build()


def turned(lean: float, about: float = 0.0, spin: float = 0.0) -> tuple[float, ...]:
    """Turned by `spin` about z, then leaning about a horizontal axis."""
    (a, b), (c, s) = (np.cos(spin / 2), np.sin(spin / 2)), (np.cos(lean / 2), np.sin(lean / 2))
    x, y = s * np.cos(about), s * np.sin(about)
    return (c * a, x * a + y * b, y * a - x * b, c * b)


def lean_of(run: tr.Run) -> np.ndarray[Any, Any]:
    """Angle between the axis of the can and the vertical."""
    q = run.values("can.quaternion")
    return 2 * np.arcsin(np.minimum(np.hypot(q[:, 1], q[:, 2]), 1.0))


def keeps_to_the_rules(run: tr.Run) -> None:
    """Nothing penetrates the floor, friction only dissipates, and no energy is created."""
    assert not [text for text in run.warnings if "several motions" in text]
    assert run.ok, run.outcome
    for name in [n.removesuffix(".gap") for n in run.names if n.endswith(".gap")]:
        assert np.min(run.values(f"{name}.gap")) > -1e-9
        assert np.min(run.values(f"{name}.friction_power")) > -1e-9
    energy = run.energy.kinetic + run.energy.potential
    assert np.max(np.diff(energy)) < 1e-8 * abs(energy[0])


def test_a_can_dropped_upright_stands() -> None:
    """Its end lies flat in the air too, which is no reason to stop."""
    run = can().simulate(1.0, {"can.position": (0, 0, 0.06)})
    keeps_to_the_rules(run)
    assert run.values("can.position")[-1] == pytest.approx((0, 0, HEIGHT / 2), abs=1e-9)
    assert np.max(np.abs(run.values("can.velocity")[-1])) < 1e-12


@pytest.mark.parametrize("spin", [0.0, np.pi])  # over a foot, and between two
def test_a_can_that_is_pushed_slides_or_tips_by_its_whole_radius(spin: float) -> None:
    """It slides at mu m g, and tips at m g b / h, whichever way it is pushed; over a foot at 0.2 % less. Where the load
    leaves the triangle of the feet it rocks a little on the rim beside them, at less than 1e-4 rad.
    """
    start = {"can.position": (0, 0, HEIGHT / 2), "can.quaternion": turned(0.0, spin=spin)}
    for mu, off, leans in ((0.2, 1e-9, 1e-9), (0.4, 2e-3, 1e-4)):
        slides = can().simulate(0.2, start, {"mu": mu, "push": mu + 0.1})
        assert slides.ok and slides.values("can.velocity")[-1] == pytest.approx((0.1 * G * 0.2, 0, 0), abs=off)
        assert np.max(lean_of(slides)) < leans
    for push, falls in ((0.98 * TIPS, False), (1.005 * TIPS, True)):
        run = can().simulate(1.0, start, {"mu": 0.9, "push": push}, steps=tr.Steps(most=100_000))
        assert run.ok, run.outcome
        assert (np.max(lean_of(run)) > 0.1) == falls


def test_a_can_rolls_on_its_side_as_a_cylinder_does() -> None:
    """Without a loss: the rims are round, and the feet do not touch."""
    start = {"can.position": (0, 0, RADIUS), "can.quaternion": turned(np.pi / 2)}
    start |= {"can.velocity": (0.3, 0, 0), "can.angular_velocity": (0, 0.3 / RADIUS, 0)}
    run = can().simulate(1.0, start)
    keeps_to_the_rules(run)
    assert run.values("can.position")[-1] == pytest.approx((0.3, 0, RADIUS), abs=1e-8) and not run.events


def test_a_can_on_its_rim_moves_as_one_with_a_sharp_edge() -> None:
    start = {"can.position": (0, 0, 0.09), "can.quaternion": turned(0.3, 0.4), "can.angular_velocity": (1, 2, -3)}
    runs = [can(feet).simulate(0.22, start, samples=6) for feet in (3, 0)]
    keeps_to_the_rules(runs[0])
    assert np.min(lean_of(runs[0])) > 0.05 and [name for name, _ in runs[0].events] == [n for n, _ in runs[1].events]
    np.testing.assert_allclose(*(run.values("can.position") for run in runs), atol=2e-4 * RADIUS)


def test_a_can_that_leans_a_little_rocks_to_rest() -> None:
    start = {"can.position": (0, 0, HEIGHT / 2 + 0.01), "can.quaternion": turned(0.03, 0.7)}
    run = can().simulate(2.0, start, {"e": 0.0}, steps=tr.Steps(most=100_000))
    keeps_to_the_rules(run)
    assert run.values("can.position")[-1, 2] == pytest.approx(HEIGHT / 2, abs=1e-9)
    assert np.max(np.abs(run.values("can.velocity")[-1])) < 1e-12 and lean_of(run)[-1] < 1e-9


def throws_of_a_coin(count: int) -> list[dict[str, Any]]:
    rng, starts = np.random.default_rng(20), []
    for _ in range(count):
        q = rng.normal(size=4)
        start = {"can.position": (0, 0, 0.06), "can.quaternion": tuple(q / np.linalg.norm(q))}
        starts.append(start | {"can.angular_velocity": tuple(rng.uniform(-5, 5, 3))})
    return starts


def thrown_coin(start: dict[str, Any]) -> tr.Run:
    run = can(3, 0.006).simulate(6.0, start, {"e": 0.1}, steps=tr.Steps(most=400_000))
    keeps_to_the_rules(run)
    return run


@pytest.mark.slow
def test_coins_come_to_rest_flat() -> None:
    """Whatever face comes up: of 20 throws most rest after 6 s; the others still wobble on a rim, as nothing but
    sliding takes their energy.
    """
    resting = 0
    for start in throws_of_a_coin(20):
        run = thrown_coin(start)
        lean = lean_of(run)
        if np.max(np.abs(run.values("can.velocity")[-1])) < 1e-9:
            assert min(lean[-1], np.pi - lean[-1]) < 1e-9, start
            resting += 1
        else:
            assert "rim" in run.events[-1][0] and np.ptp(lean[-20:]) > 0.05, start
            lost = run.values("energy.work_lost")
            assert lost[-1] > lost[len(lost) // 2] > 0, start
    assert resting >= 12


@pytest.mark.slow
def test_a_coin_that_wobbles_through_a_small_lean_comes_to_rest() -> None:
    """At less than a thousandth of a radian its lowest point runs around the rim, which presses with 70 times the
    weight and stops sliding within nanoseconds.
    """
    run = thrown_coin(throws_of_a_coin(33)[-1])
    assert np.max(np.abs(run.values("can.velocity")[-1])) < 1e-9
    assert np.pi - lean_of(run)[-1] < 1e-9


@pytest.mark.slow
def test_more_feet_give_the_same_result() -> None:
    """A can that rocks comes to rest in nearly the same place with three, four and five feet."""
    start = {"can.position": (0, 0, HEIGHT / 2 + 0.01), "can.quaternion": turned(0.06, 0.7)}
    places = []
    for feet in (3, 4, 5):
        run = can(feet).simulate(2.0, start, {"e": 0.0}, steps=tr.Steps(most=100_000))
        keeps_to_the_rules(run)
        places.append(run.values("can.position")[-1])
    assert np.max(np.abs(np.diff(places, axis=0))) < 0.02 * RADIUS


@pytest.mark.parametrize("feet", [2, -1, 2.5])
def test_feet_on_which_nothing_stands_are_refused(feet: Any) -> None:
    m = tr.Model("can")
    body = m.body("can", MASS, 1e-3, shape=tr.shape.Cylinder(RADIUS, HEIGHT))
    with pytest.raises(ModelError, match="feet is the number of points on which each flat end stands, at least 3"):
        m.contact(m.ground, body, feet=feet)
