"""Bodies on several feet with elastic normals and exact friction: they come to rest, and slide at their true limit."""

from typing import Any

import numpy as np
import pytest

import trundle as tr

FEET = [(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)]  # m
MU, G = 0.3, 9.81
SOFT, STRONGLY_DAMPED = tr.HuntCrossley(1e5, 1.0), tr.HuntCrossley(1e5, 10.0)


def box(feet: Any = FEET, law: Any = None, compliance: Any = SOFT, slope: float = 0.0) -> tr.Model:
    """A box of 1 kg, the centres of its feet as high as its own, on a slope along x."""
    m = tr.Model("box on feet", gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    body = m.body("box", mass=1.0, inertia=(0.1, 0.1, 0.1))
    for i, (x, y) in enumerate(feet):
        m.connect(
            tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, body.at(x, y, 0), name=f"foot{i}",
            law=tr.Coulomb(MU) if law is None else law, compliance=compliance,
        )  # fmt: skip
    return m


@pytest.mark.parametrize("formalism", ["kane", "newton_euler", "udwadia_kalaba"])
@pytest.mark.parametrize("spin", [0.0, 0.3])
def test_a_box_slides_to_rest(formalism: Any, spin: float) -> None:
    """v^2 / (2 mu g), but for what it bounces; the feet that stop stay where they are while it rocks."""
    start = {"box.position": (0, 0, 0.1), "box.velocity": (1.0, 0.2, 0.0), "box.angular_velocity": (0, 0, spin)}
    run = box().build(formalism=formalism).simulate(2.0, start, samples=41)
    assert run.ok and run.energy.drift < 1e-8 and len(run.events) < 20
    at, speed = run.values("box.position"), np.linalg.norm(run.values("box.velocity"), axis=1)
    assert speed[-1] < 1e-4
    assert np.hypot(*at[-1, :2]) == pytest.approx(1.04 / (2 * MU * G), rel=0.02)
    feet = [run.values(f"foot{i}.state")[-1] for i in range(4)]
    assert feet == [2.0] * 4
    assert max(np.max(np.abs(run.values(f"foot{i}.slip_x")[-10:])) for i in range(4)) < 1e-12


def test_undamped_springs_bounce_on_while_the_slides_end() -> None:
    """Feet leave and land for ever; energy is kept but for the friction."""
    start = {"box.position": (0, 0, 0.1), "box.velocity": (1.0, 0.2, 0.0), "box.angular_velocity": (0, 0, 0.3)}
    run = box(compliance=tr.Hertz(1e6)).build().simulate(1.0, start, samples=101)
    assert run.ok and run.energy.drift < 1e-8
    assert np.max(run.values("foot0.gap")[-50:]) > 0  # it bounces
    v = run.values("box.velocity")[-50:]
    assert np.max(np.abs(v[:, :2])) < 0.05


@pytest.mark.parametrize("seed", [2, 5, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 36))])
def test_three_formalisms_see_the_same_motion(seed: int) -> None:
    """Feet at random places, thrown at random: 3 to 8 of them, dozens of slips and stops, on a slope."""
    found = [thrown(seed, formalism) for formalism in ("kane", "newton_euler", "udwadia_kalaba")]
    for run in found:
        assert run.ok and run.energy.drift < 1e-7
        np.testing.assert_allclose(run.values("box.position")[-1], found[0].values("box.position")[-1], atol=1e-6)


def thrown(seed: int, formalism: Any) -> tr.Run:
    rng = np.random.default_rng(seed)
    feet = rng.uniform(-0.4, 0.4, (int(rng.integers(3, 6 if seed < 6 else 9)), 2))
    m = box(feet, tr.Coulomb(rng.uniform(0.36, 0.7), 0.3), tr.HuntCrossley(1e4, 1.0, exponent=1.0), 0.2 * (seed % 2))
    start = {
        "box.position": (0, 0, 0.1 + rng.uniform(0, 0.1)),
        "box.velocity": tuple(rng.uniform(-1, 1, 3)),
        "box.angular_velocity": tuple(rng.uniform(-1, 1, 3)),
    }
    return m.build(formalism=formalism).simulate(0.3 if seed < 6 else 1.0, start, samples=2, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("feet", [FEET, [(0.3, 0.2), (0.3, -0.2), (-0.4, 0.0)], [*FEET, (0.05, 0.1), (-0.3, 0.0)]])
@pytest.mark.parametrize(("part", "holds"), [(0.999, True), (1.001, False)])
def test_a_table_slides_at_its_true_limit(feet: Any, part: float, holds: bool) -> None:
    """Pushed with mu m g at its height, so that the feet in front carry more than those behind."""
    m = box(feet, compliance=STRONGLY_DAMPED)
    push = part * MU * G
    m.apply(tr.Wrench(m.bodies["box"], force=lambda s: (tr.where(s.t < 2, s.t - 1, 1) * push * tr.step(s.t - 1), 0, 0)))
    run = m.build().simulate(3.0, {"box.position": (0, 0, 0.099)}, samples=31)
    assert run.ok
    v = run.values("box.velocity")[:, 0]
    assert abs(v[-1]) < 1e-6 if holds else v[-1] > 1e-3


@pytest.mark.parametrize(("part", "turns"), [(0.998, False), (1.002, True)])
def test_a_box_turns_at_its_true_limit(part: float, turns: bool) -> None:
    """Four feet at one radius with equal loads hold a moment of mu m g r, which rigid bodies share in many ways."""
    m = box(compliance=STRONGLY_DAMPED)
    most = MU * G * np.hypot(0.3, 0.2)
    m.apply(tr.Wrench(m.bodies["box"], moment=lambda s: (0, 0, part * most * tr.step(s.t - 2))))
    run = m.build().simulate(3.0, {"box.position": (0, 0, 0.099)}, samples=31)
    assert run.ok
    rate = abs(run.values("box.angular_velocity")[-1, 2])
    assert rate > 1e-3 if turns else rate < 1e-9


def test_feet_of_a_box_that_rocks_are_at_rest() -> None:
    """Slips at four feet of a pose that is pressed in unevenly: turning about an axis in the plane moves none."""
    tilt, speed = 2e-3, (0.7, -0.4)
    start = {
        "box.position": (0, 0, 0.099),
        "box.quaternion": (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0),
        "box.angular_velocity": (*speed, 0.0),
        "box.velocity": (0.099 * speed[1], -0.099 * speed[0], 0),
    }
    run = box().build().simulate(1e-9, start, samples=2)
    gaps = [run.values(f"foot{i}.gap")[0] for i in range(4)]
    assert max(gaps) < 0 and max(gaps) - min(gaps) > 5e-4
    slips = [run.values(f"foot{i}.{slip}")[0] for i in range(4) for slip in ("slip_x", "slip_y")]
    assert np.max(np.abs(slips)) < 1e-14


@pytest.mark.parametrize("phase", [0.0, 1.0])
def test_a_spring_that_just_touches_at_the_start_is_watched(phase: float) -> None:
    """Driven to and fro under a weight from a gap of exactly zero: friction is against the slip after each reversal."""
    m = tr.Model("rubbing")
    slide, body = m.body("slide", mass=1.0, inertia=0.1), m.body("body", mass=2.0, inertia=0.1)
    m.connect(tr.Prismatic("x"), m.ground, slide, name="drive", law=tr.Flow(lambda t, q: tr.sin(5 * t + phase)))
    m.connect(tr.Prismatic("z"), slide, body, name="lift")
    pair = tr.HigherPair(tr.Plane(), tr.Sphere(0.1))
    m.connect(pair, m.ground, body, name="foot", law=tr.Coulomb(MU), compliance=SOFT)
    run = m.build().simulate(2.0, {"lift.displacement": 0.1}, samples=201)
    slip = run.values("foot.slip_x")
    against = -MU * run.values("foot.normal_force") * np.sign(slip)
    wrong = np.abs(run.values("foot.slip_force_x") - against)[np.abs(slip) > 0.05]
    assert run.ok and np.max(wrong) < 1e-9
