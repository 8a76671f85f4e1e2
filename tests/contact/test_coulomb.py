"""Exact Coulomb friction: times of sticking and sliding against closed forms, reactions inside the cone, no creep."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import trundle as tr
from trundle.errors import ModelError, SolveError
from trundle.study.batch import BatchWarning

G = 9.81
EVERY = pytest.mark.parametrize("formalism", ["kane", "newton_euler", "udwadia_kalaba"])


def ball(mu: Any, formalism: str = "kane", **options: Any) -> tr.System:
    m = tr.Model("ball")
    body = m.body("ball", 6.0, (0.4 * 6.0 * 0.11**2,) * 3)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.11)), m.ground, body, name="lane", law=tr.Coulomb(mu), **options)
    m.start["ball.position"] = (0, 0, 0.11)
    return m.build(formalism)


def assert_friction_is_coulomb(run: tr.Run, contact: str, mu_static: float, mu_kinetic: float) -> None:
    """Inside the cone while it sticks, on it and against the slip while it slides; never a gain of energy."""
    state, N = run.values(f"{contact}.state"), run.values(f"{contact}.normal_force")
    F = np.column_stack([run.values(f"{contact}.slip_force_{a}") for a in "xy"])
    slip = np.column_stack([run.values(f"{contact}.slip_{a}") for a in "xy"])
    size, speed = np.linalg.norm(F, axis=1), np.linalg.norm(slip, axis=1)
    sticks, slides = state == 2, (state == 1) & (speed > 1e-6)
    assert np.all(size[sticks] <= mu_static * N[sticks] * (1 + 1e-9) + 1e-12)
    assert np.max(speed[sticks], initial=0.0) < 1e-11
    np.testing.assert_allclose(size[slides], mu_kinetic * N[slides], rtol=1e-9)
    along = np.sum(F[slides] * slip[slides], axis=1)
    np.testing.assert_allclose(along, -size[slides] * speed[slides], rtol=1e-9)
    assert np.min(run.values(f"{contact}.friction_power")) > -1e-12


@EVERY
def test_a_bowling_ball_stops_sliding(formalism: str) -> None:
    """Slip ends at 2 v0 / (7 mu g) with 5 v0 / 7; two sevenths of the energy are lost."""
    run = ball(0.2, formalism).simulate(3.0, {"ball.velocity": (5.0, 0, 0)})
    ((name, t),) = run.events
    assert name == "lane stops"
    assert t == pytest.approx(2 * 5.0 / (7 * 0.2 * G), abs=1e-12)
    assert run.values("ball.velocity")[-1, 0] == pytest.approx(5 * 5.0 / 7, abs=1e-12)
    assert run.energy.work_lost[-1] == pytest.approx(6.0 * 25.0 / 7, rel=1e-12)
    assert_friction_is_coulomb(run, "lane", 0.2, 0.2)


@pytest.mark.parametrize("tolerance", [1e-8, 1e-10, 1e-12])
def test_a_ball_with_side_spin_slides_straight(tolerance: float) -> None:
    """The slip of a ball keeps its direction: its size falls by 7/2 mu g a second."""
    start = {"ball.velocity": (5.0, 0, 0), "ball.angular_velocity": (10.0, -3.0, 20.0)}
    run = ball(0.2).simulate(2.0, start, rtol=tolerance, atol=tolerance)
    slip = np.hypot(5.0 + 3.0 * 0.11, 10.0 * 0.11)
    ((_, t),) = run.events
    assert t == pytest.approx(slip / (3.5 * 0.2 * G), abs=10 * tolerance)
    assert_friction_is_coulomb(run, "lane", 0.2, 0.2)
    assert run.energy.drift < 1e-8


@cache
def on_a_plate(formalism: str) -> tr.System:
    """A block that cannot turn, on a plate that is moved along."""
    m = tr.Model("block on a plate")
    plate, block = m.body("plate", 10.0, (1, 1, 1)), m.body("block", 1.0, (0.01, 0.01, 0.01))
    a, w, mu_s, mu_k = (
        m.parameter(name, value) for name, value in (("a", 0.1), ("w", 8.0), ("mu_s", 0.3), ("mu_k", 0.25))
    )
    m.connect(tr.Prismatic("x"), m.ground, plate, law=tr.Servo(lambda t: a * tr.sin(w * t)))
    upright = dict.fromkeys(("roll_x", "roll_y", "spin"), tr.Locked())
    law = {"friction": tr.Coulomb(mu_s, mu_k), **upright}
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), plate, block, name="foot", law=law)
    m.start |= {"block.position": (0, 0, 0), "block.velocity": (0, 0, 0)}
    return m.build(formalism)


def holding(plate: tuple[Any, Any], mu: float, t: Any) -> Any:
    """What is left of the friction that holds the block (N/kg)."""
    return mu * G - abs(plate[1](t))


def sliding(plate: tuple[Any, Any], mu: float, begin: float, speed: float, side: float, t: Any) -> Any:
    """Slip of the block since it began to slide."""
    return speed - side * mu * G * (t - begin) - plate[0](t)


def times_by_hand(a: float, w: float, mu_s: float, mu_k: float, end: float) -> list[tuple[str, float]]:
    """Transitions of a block at rest on a plate that moves by a sin(w t), piece by piece."""
    plate = (lambda t: a * w * np.cos(w * t)), (lambda t: -a * w**2 * np.sin(w * t))
    found: list[tuple[str, float]] = []
    t, v, sticks = 0.0, 0.0, False
    ahead = -np.sign(plate[0](0.0))
    while True:
        left = partial(holding, plate, mu_s) if sticks else partial(sliding, plate, mu_k, t, v, ahead)
        grid = np.arange(t + 1e-7, end, 1e-4)
        values = left(grid)
        cross = np.nonzero(values[:-1] * values[1:] < 0)[0]
        if not len(cross):
            return found
        t = brentq(left, grid[cross[0]], grid[cross[0] + 1], xtol=1e-15, rtol=1e-15)
        found.append(("foot slips" if sticks else "foot stops", t))
        v = plate[0](t)
        sticks = not sticks and abs(plate[1](t)) <= mu_s * G
        ahead = -np.sign(plate[1](t))


@pytest.mark.parametrize(
    ("a", "w", "mu_s", "mu_k", "formalism"),
    [
        (0.1, 8.0, 0.3, 0.25, "kane"),
        (0.1, 6.0, 0.33, 0.2, "newton_euler"),
        (0.05, 9.0, 0.4, 0.3, "udwadia_kalaba"),
        (0.05, 9.0, 0.4, 0.3, "kane"),
    ],
)
def test_a_block_sticks_and_slips_on_a_plate(a: float, w: float, mu_s: float, mu_k: float, formalism: str) -> None:
    run = on_a_plate(formalism).simulate(5.0, parameters={"a": a, "w": w, "mu_s": mu_s, "mu_k": mu_k})
    expected = times_by_hand(a, w, mu_s, mu_k, 5.0)
    assert len(expected) > 4
    assert [name for name, _ in run.events] == [name for name, _ in expected]
    np.testing.assert_allclose([t for _, t in run.events], [t for _, t in expected], rtol=0, atol=1e-9)
    assert_friction_is_coulomb(run, "foot", mu_s, mu_k)


def test_a_box_inside_the_cone_does_not_creep() -> None:
    m = tr.Model("incline", gravity=(G * np.sin(0.2), 0, -G * np.cos(0.2)))
    box = m.body("box", 1.0, (0.01, 0.01, 0.01))
    law = {"friction": tr.Coulomb(0.5), **dict.fromkeys(("roll_x", "roll_y", "spin"), tr.Locked())}
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, box, name="foot", law=law)
    run = m.build().simulate(1000.0, {"box.position": (0, 0, 0)})
    assert np.max(np.abs(run.values("box.position"))) < 1e-15
    assert run.events == []


@pytest.mark.parametrize("mu", [0.2, 0.5])
def test_a_disc_rolls_down_while_friction_suffices(mu: float) -> None:
    """Without slip exactly while tan(angle) < 3 mu."""
    angle = np.arctan(3 * mu)
    m = tr.Model("disc", gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    disc, rough = m.body("disc", 2.0, (0.045, 0.09, 0.045)), m.parameter("mu", mu)
    m.connect(tr.PlanarPair(tr.Line(), tr.Circle(0.3)), m.ground, disc, name="slope", law=tr.Coulomb(rough))
    system = m.build()
    for spare in (1e-7, -1e-7):
        run = system.simulate(1.0, {"disc.position": (0, 0, 0.3)}, {"mu": mu + spare})
        assert run.values("slope.state")[-1] == (2 if spare > 0 else 1)
        assert (abs(run.values("slope.slip_x")[-1]) < 1e-14) == (spare > 0)


def test_a_braked_wheel_locks_and_rolls_again() -> None:
    """A brake that needs more friction than the road provides makes the wheel slide; released, it rolls again."""
    m = tr.Model("brake")
    wheel = m.body("wheel", 25.0, (0.6, 1.125, 0.6))
    m.connect(tr.PlanarPair(tr.Line(), tr.Circle(0.3)), m.ground, wheel, name="road", law=tr.Coulomb(0.8, 0.6))
    m.apply(tr.Wrench(wheel, moment=lambda s: (0, -tr.where(s.t < 0.25, 100.0, 0.0), 0)), "brake")
    start = {"wheel.position": (0, 0, 0.3), "wheel.velocity": (15.0, 0, 0), "wheel.angular_velocity": (0, 50.0, 0)}
    run = m.build().simulate(2.0, start, steps=tr.Steps(longest=0.02))
    assert [name for name, _ in run.events] == ["road stops"]
    # sliding: v' = -mu g, I w' = mu m g R - T until 0.25 s, then without T until v = R w
    force = 0.6 * 25.0 * G
    w = 50.0 + 0.25 * (force * 0.3 - 100.0) / 1.125
    v = 15.0 - 0.25 * 0.6 * G
    t = 0.25 + (v - 0.3 * w) / (0.6 * G + 0.3 * force * 0.3 / 1.125)
    assert run.events[0][1] == pytest.approx(t, abs=1e-8)  # the torque jumps inside a step
    assert_friction_is_coulomb_planar(run, 0.8, 0.6)


def assert_friction_is_coulomb_planar(run: tr.Run, mu_static: float, mu_kinetic: float) -> None:
    ratio = np.abs(run.values("road.slip_force_x")) / run.values("road.normal_force")
    state = run.values("road.state")
    assert np.all(ratio[state == 2] <= mu_static + 1e-9)
    np.testing.assert_allclose(ratio[state == 1], mu_kinetic, rtol=1e-9)


@EVERY
def test_a_body_leaves_and_lands(formalism: str) -> None:
    """On a shaker the block leaves when the plate falls faster than g, and lands where the parabola intersects it."""
    a, w = 0.05, 20.0
    m = tr.Model("shaker")
    plate, block = m.body("plate", 10.0, (1, 1, 1)), m.body("block", 1.0, (0.01, 0.01, 0.01))
    m.connect(tr.Prismatic("z"), m.ground, plate, law=tr.Servo(lambda t: a * tr.sin(w * t)))
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), plate, block, name="foot", unilateral=True)
    run = m.build(formalism).simulate(1.0, {"block.position": (0, 0, 0), "block.velocity": (0, 0, a * w)})
    leaves = np.arcsin(G / (a * w**2)) / w
    z, v = a * np.sin(w * leaves), a * w * np.cos(w * leaves)
    lands = brentq(
        lambda t: z + v * (t - leaves) - G * (t - leaves) ** 2 / 2 - a * np.sin(w * t), leaves + 0.05, leaves + 0.5
    )
    assert [name for name, _ in run.events[:2]] == ["foot parts", "foot lands"]
    np.testing.assert_allclose([t for _, t in run.events[:2]], [leaves, lands], rtol=0, atol=1e-11)
    assert np.min(run.values("foot.gap")) > -1e-12
    assert np.min(run.values("foot.normal_force")) >= -1e-12
    assert run.energy.drift < 1e-7


def test_a_ball_falls_slides_and_rolls() -> None:
    """The impulse of friction as it lands makes up for the fall: it slides as long as if it had never left the lane."""
    run = ball(0.1, unilateral=True).simulate(2.0, {"ball.position": (0, 0, 1.11), "ball.velocity": (2.0, 0, 0)})
    falling, sliding = np.sqrt(2 / G), 2 * 2.0 / (7 * 0.1 * G)
    assert [name for name, _ in run.events] == ["lane lands", "lane stops"]
    np.testing.assert_allclose([t for _, t in run.events], [falling, sliding], rtol=0, atol=1e-11)
    assert list(run.values("lane.state")[[0, 130, 499]]) == [0, 1, 2]


def test_rolling_without_slip_ends_where_the_contact_opens() -> None:
    """In the air nothing holds the slip; on landing the angular momentum about the point of contact stays."""
    m = tr.Model("hop")
    body = m.body("ball", 2.0, 0.4 * 2.0 * 0.1**2)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, body, name="floor", law=tr.NoSlip(), unilateral=True)
    m.apply(tr.Wrench(body, force=lambda s: (3.0, 0, tr.where(s["t"] < 1.5, 30.0 * s["t"], 0))), name="pull")
    m.start["ball.position"] = (0, 0, 0.1)
    run = m.build().simulate(3.0, samples=np.array([0.3, 1.4, 1.6, 2.9]))
    (_, leaves), (_, lands) = run.events
    assert leaves == pytest.approx(2.0 * G / 30.0, abs=1e-9)
    assert list(run.values("floor.state")) == [2, 0, 0, 2]
    rolling, flying = 3.0 / (2.0 * 1.4), 3.0 / 2.0
    speed = rolling * leaves + flying * (1.4 - leaves)
    assert run.values("ball.velocity")[1, 0] == pytest.approx(speed, abs=1e-9)
    assert run.values("floor.slip_x")[1] == pytest.approx(flying * (1.4 - leaves), abs=1e-9)
    landed = rolling * leaves + flying * (lands - leaves) * 5 / 7 + rolling * (2.9 - lands)
    assert run.values("ball.velocity")[3, 0] == pytest.approx(landed, abs=1e-9)
    with pytest.raises(SolveError, match=r"'floor' is closed at the start and its laws constrain slip_x, slip_y"):
        m.build().simulate(1.0, {"ball.velocity": (1.0, 0, 0)})


def test_a_coin_settles_from_spinning_with_slip() -> None:
    """A disc set spinning on its edge slides, then rolls; energy only falls and the balance closes."""
    m = tr.Model("coin")
    coin = m.body("coin", 0.01, (5e-7, 1e-6, 5e-7))
    m.connect(tr.HigherPair(tr.Plane(), tr.Torus(0.012, 0.001)), m.ground, coin, name="table", law=tr.Coulomb(0.3))
    run = m.build().simulate(0.5, {"table.roll": 0.3, "coin.angular_velocity": (0, 0, 20.0)})
    assert run.ok and [name for name, _ in run.events] == ["table stops"]
    assert run.energy.drift < 1e-8
    assert np.max(np.diff(run.energy.total)) < 1e-12
    assert_friction_is_coulomb(run, "table", 0.3, 0.3)


@cache
def rod(formalism: str = "kane") -> tr.System:
    """A thin rod whose tip slides on a rough floor."""
    m = tr.Model("rod")
    body, mu = m.body("rod", 1.0, (1e-3, 1 / 12, 1 / 12)), m.parameter("mu", 1.6)
    ends = m.ground, body.frame((-0.5, 0, 0))
    m.connect(tr.PlanarPair(tr.Line(), tr.Vertex()), *ends, name="tip", law=tr.Coulomb(mu), unilateral=True)
    return m.build(formalism)


def leaning(angle: float, speed: float, turning: float = 0.0) -> dict[str, Any]:
    """The rod at an angle above the floor; its middle moves along with the speed and about the tip."""
    half = angle / 2
    return {
        "rod.x": np.cos(angle) / 2, "rod.z": np.sin(angle) / 2, "rod.angular_rate": (0, -turning, 0),
        "rod.x_rate": speed - np.sin(angle) / 2 * turning, "rod.z_rate": np.cos(angle) / 2 * turning,
        "rod.quaternion": (np.cos(half), 0, -np.sin(half), 0),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("speed", "turning", "formalism", "rtol"),
    [(-10.0, 3.0, "kane", 1e-10), (-10.0, 3.0, "kane", 1e-8), (-50.0, 1.0, "udwadia_kalaba", 1e-10),
     (-100.0, 2.5, "kane", 1e-10)],
)  # fmt: skip
def test_painleves_paradox_is_reported(speed: float, turning: float, formalism: str, rtol: float) -> None:
    """Friction is unique while 1 + 3 cos(a) (cos(a) - mu sin(a)) > 0; the run ends where that is lost."""
    with pytest.raises(SolveError, match=r"no unique acceleration.*Painleve.*compliant"):
        rod(formalism).simulate(0.1, leaning(1.0, -2.0), {"mu": 2.0})
    poses = {name: np.array([leaning(angle, -2.0)[name] for angle in (1.4, 1.0)]) for name in leaning(1.0, -2.0)}
    with pytest.warns(BatchWarning, match=r"case 1: .*Painleve"):
        batch = rod().batch(0.1, poses, {"mu": 2.0})
    assert batch.outcomes == ["FINISHED", "REFUSED"]
    run = rod(formalism).simulate(2.0, leaning(0.5, speed, turning), rtol=rtol)
    assert "Painleve" in run.outcome and "'tip'" in run.outcome and not run.events[:-1]
    angle = 2 * np.arcsin(-run.values("rod.quaternion")[-1, 2])
    assert 1 + 3 * np.cos(angle) * (np.cos(angle) - 1.6 * np.sin(angle)) == pytest.approx(0.0, abs=1e-2)


def test_friction_may_depend_on_time_and_place() -> None:
    """Ice from x = 1 m on: the block is braked before, and slides on unbraked."""
    m = tr.Model("ice")
    block = m.body("block", 1.0, (0.01, 0.01, 0.01))
    mu = tr.Coulomb(lambda s: tr.where(s["block.position_x"] < 1.0, 0.4, 0.0))
    law = {"friction": mu, **dict.fromkeys(("roll_x", "roll_y", "spin"), tr.Locked())}
    m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, block, name="foot", law=law)
    run = m.build().simulate(
        1.0, {"block.position": (0, 0, 0), "block.velocity": (4.0, 0, 0)}, steps=tr.Steps(longest=0.01)
    )
    assert run.values("block.velocity")[-1, 0] == pytest.approx(np.sqrt(16.0 - 2 * 0.4 * G), abs=1e-6)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tr.Coulomb(-0.1), "mu_static must not be negative"),
        (lambda: tr.Coulomb(0.3, 0.5), "mu_kinetic 0.5 is above mu_static 0.3"),
        (lambda: tr.Coulomb("rough"), "is a number, a parameter or a function"),
        (lambda: tr.RegularisedCoulomb(0.3, 0.0), "v0 must be above zero"),
        (lambda: tr.Creep(100.0, 0.0), "mu and slow must be above zero"),
    ],
)
def test_bad_coefficients_are_refused(make: Callable[[], Any], text: str) -> None:
    with pytest.raises(ModelError, match=text):
        make()


def test_what_does_not_know_transitions_refuses() -> None:
    system = ball(0.2)
    with pytest.raises(SolveError, match=r"stiff method does not support contacts that stick"):
        system.simulate(1.0, method="stiff")
    with pytest.raises(SolveError, match=r"'lane' slides or is open"):
        system.linearise({"ball.velocity": (1.0, 0, 0)})
    assert np.max(np.abs(system.linearise().eigenvalues)) < 1e-6  # a ball that rolls on a plane is neutral


def test_surfaces_that_overlap_at_the_start_are_refused() -> None:
    with pytest.raises(SolveError, match=r"'lane': 'ball' overlaps 'ground' by 0.01 m at the start"):
        ball(0.2, unilateral=True).simulate(1.0, {"ball.position": (0, 0, 0.1)})
