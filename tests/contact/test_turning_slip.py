"""Exact Coulomb friction whose direction turns: bodies thrown over a plane at random, with one contact and several.

Against Newton and Euler written by hand, the limit of a smooth law, the other formalism, and what friction may do.
"""

from typing import Any

import numpy as np
import pytest
import random_starts as thrown

import trundle as tr
from trundle.contact.modes.find import transitions

COEFFICIENTS = ({"mu": 0.3, "mu_k": 0.3}, {"mu": 0.4, "mu_k": 0.3}, {"mu": 0.8, "mu_k": 0.8})


def at_event(system: tr.System, name: str, t: float, x: Any, p: Any) -> Any:
    """A quantity at a logged event."""
    return system.formulation.evaluate(name, np.array([t]), x[None, :], p)[name][0]


def stopping_slips(run: tr.Run) -> list[float]:
    """Slip (m/s) at every end of sliding."""
    system, log = run.system, run.trajectory.events
    assert system is not None
    names = [c.name for c in transitions(system.model)]
    found = []
    for i, t, x, p in zip(log.index, log.t, log.x, log.p, strict=True):
        contact, _, kind = names[int(i)].partition(" ")
        if kind == "stops":
            slip = [at_event(system, f"{contact}.slip_{a}", t, x, p).item() for a in "xy"]
            found.append(float(np.hypot(*slip)))
    return found


def assert_friction_only_resists(run: tr.Run, contacts: tuple[str, ...], what: object) -> None:
    """It ends at the end, stops at rest, and friction is of its size and against the slip at all times."""
    assert run.outcome.startswith("FINISHED"), (what, run.outcome)
    assert max(stopping_slips(run), default=0.0) < 1e-6, what
    assert run.energy.drift < 1e-7, (what, run.energy.drift)
    mu, mu_k = run.parameters["mu"], run.parameters["mu_k"]
    for contact in contacts:
        assert np.min(run.values(f"{contact}.friction_power")) > -1e-9, what
        state, N = run.values(f"{contact}.state"), np.abs(run.values(f"{contact}.normal_force"))
        F, slip = (np.column_stack([run.values(f"{contact}.{q}_{a}") for a in "xy"]) for q in ("slip_force", "slip"))
        speed, slides, sticks = np.linalg.norm(slip, axis=1), state == 1, state == 2
        fast = slides & (speed > 1e-4)
        unit = slip[fast] / speed[fast, None]
        np.testing.assert_allclose(F[fast], -mu_k * N[fast, None] * unit, rtol=0, atol=1e-7 * np.max(N), err_msg=what)
        assert np.all(np.linalg.norm(F[sticks], axis=1) <= mu * N[sticks] * (1 + 1e-6) + 1e-6 * np.max(N)), what
        assert np.max(speed[sticks], initial=0.0) < 1e-9, what


def check_friction(kind: str, seed: int, unilateral: bool, duration: float, formalism: str = "kane") -> None:
    values, system = COEFFICIENTS[seed % 3], thrown.system(kind, formalism=formalism, unilateral=unilateral)
    run = system.simulate(duration, thrown.start(kind, seed), values)
    assert_friction_only_resists(run, thrown.contacts(kind), f"{kind} {seed} {unilateral} {values} {formalism}")


def check_first_stop(kind: str, seed: int) -> None:
    """Time and place at which sliding ends, against equations written by hand."""
    at = thrown.thrown(kind, seed)
    t, place = thrown.first_stop(thrown.SHAPES[kind], at, 1.0)
    run = thrown.system(kind).simulate(1.0, at.named("body"))
    stops = [time for name, time in run.events if name == "c stops"]
    if not np.isfinite(t):
        assert stops == []
        np.testing.assert_allclose(run.values("body.position")[-1], place, rtol=0, atol=1e-8)
        return
    assert stops[0] == pytest.approx(t, abs=1e-8)
    log = run.trajectory.events
    i = int(np.flatnonzero(log.t == stops[0])[0])
    there = at_event(run.system, "body.position", stops[0], log.x[i], log.p[i])
    np.testing.assert_allclose(there, place, rtol=0, atol=1e-8)


def final_pose(run: tr.Run, kind: str) -> Any:
    parts = [run.values(f"{body}.{q}")[-1].ravel() for body in thrown.bodies(kind) for q in ("position", "rotation")]
    return np.concatenate(parts)


def check_formalisms(kind: str, seed: int) -> None:
    start = thrown.start(kind, seed)
    runs = [thrown.system(kind, formalism=f).simulate(1.0, start) for f in ("kane", "udwadia_kalaba")]
    events = [sorted((t, name) for name, t in run.events) for run in runs]  # two feet may stop at one instant
    assert [name for _, name in events[0]] == [name for _, name in events[1]]
    np.testing.assert_allclose([t for t, _ in events[0]], [t for t, _ in events[1]], rtol=0, atol=1e-7)
    np.testing.assert_allclose(final_pose(runs[0], kind), final_pose(runs[1], kind), rtol=0, atol=1e-7)


def check_limit(kind: str, seed: int) -> None:
    """The distance to the motion with a smooth law falls at least in proportion to its v0."""
    start, v0 = thrown.start(kind, seed), 1e-5 if kind == "top" else 1e-3
    exact = final_pose(thrown.system(kind).simulate(1.0, start), kind)
    far, near = (
        final_pose(thrown.system(kind, "smooth").simulate(1.0, start, {"v0": v}, rtol=1e-9, atol=1e-10), kind) - exact
        for v in (2 * v0, v0)
    )
    sizes = np.linalg.norm(far), np.linalg.norm(near)
    if sizes[1] < 1e-5:
        return  # it slides all the time
    assert sizes[0] / sizes[1] > 1.5 and sizes[1] < 100 * v0, sizes


# -- in every run of the tests -----------------------------------------------------------------------------------------


def test_the_direction_of_sliding_turns_without_a_stop() -> None:
    """A disc whose slip turns by more than a quarter: earlier it was stopped at 0.242 s with 0.85 m/s of slip."""
    tilt = 2 * np.arctan2(0.229095094, 0.973404047)
    R = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    at = thrown.State(np.array([0, 0, 0.179006175]), R, np.array([-1.889, -0.175, 0.0]), np.array([0.0, 1.068, 1.087]))
    t, _ = thrown.first_stop(thrown.SHAPES["disc"], at, 1.0)
    assert t == pytest.approx(0.7516, abs=1e-4)
    for unilateral in (False, True):
        run = thrown.system("disc", unilateral=unilateral).simulate(1.0, at.named("body"))
        assert run.events[0][0] == "c stops" and run.events[0][1] == pytest.approx(t, abs=1e-8)
        assert_friction_only_resists(run, ("c",), "disc")


def test_friction_only_resists_whichever_way_a_body_is_thrown() -> None:
    for kind, seed, unilateral in thrown.cases(40, thrown.QUICK):
        check_friction(kind, seed, unilateral, 1.0)


@pytest.mark.parametrize(
    ("kind", "seed"), [("disc", 1), ("disc", 0), ("torus", 3), ("torus", 8), ("ball", 2), ("top", 3)]
)
def test_sliding_ends_where_newton_and_euler_end_it(kind: str, seed: int) -> None:
    check_first_stop(kind, seed)


@pytest.mark.parametrize(("kind", "seed"), [("disc", 3), ("ball", 5)])
def test_exact_friction_is_the_limit_of_a_smooth_law(kind: str, seed: int) -> None:
    check_limit(kind, seed)


@pytest.mark.parametrize("kind", ["disc", "ball"])
def test_formalisms_agree(kind: str) -> None:
    check_formalisms(kind, 1)


def test_two_feet_rub_alike_in_both_formalisms() -> None:
    """How they share a force along the line between them is not determined: the motion is."""
    for seed in range(8):
        check_formalisms("dumbbell", seed)
        check_friction("dumbbell", seed, False, 1.0, "udwadia_kalaba")


def test_two_feet_that_may_open_stop_alike_in_both_formalisms() -> None:
    """With these seeds the pseudo-inverse once found one more stop."""
    for seed in (6, 22):
        start = thrown.start("dumbbell", seed)
        runs = [thrown.system("dumbbell", formalism=f, unilateral=True).simulate(1.0, start)
                for f in ("kane", "udwadia_kalaba")]  # fmt: skip
        told = [[(name, t) for name, t in run.events if not name.endswith("turns")] for run in runs]
        assert [name for name, _ in told[0]] == [name for name, _ in told[1]]
        np.testing.assert_allclose([t for _, t in told[0]], [t for _, t in told[1]], rtol=0, atol=1e-7)


def check_bowling(seed: int, system: tr.System) -> None:
    """A uniform ball thrown on a lane: it lands, and its slip falls evenly along one line to its end."""
    random = np.random.default_rng(seed)
    mass, radius, mu = 10 ** random.uniform(-2, 2), 10 ** random.uniform(-2, 0), random.uniform(0.05, 1.0)
    height, v = 10 ** random.uniform(-3, 0.5), np.array([random.uniform(0, 10), 0.0, random.uniform(-2, 2)])
    w = random.normal(size=3) * (seed % 2)
    start = {"ball.position": (0, 0, radius + height), "ball.velocity": v, "ball.angular_velocity": w}
    run = system.simulate(2.0, start, {"mass": mass, "radius": radius, "mu": mu}, samples=11)
    fall = np.sqrt(v[2] ** 2 + 2 * thrown.G * height)
    lands = (v[2] + fall) / thrown.G
    slip = np.linalg.norm((v + thrown.cross(w, np.array([0, 0, -radius])))[:2]) - 3.5 * mu * fall  # after the impact
    expected = [("lane lands", lands)]
    if slip > 0 and lands + slip / (3.5 * mu * thrown.G) < 2.0:
        expected.append(("lane stops", lands + slip / (3.5 * mu * thrown.G)))
    assert run.outcome.startswith("FINISHED"), (seed, run.outcome)
    assert [name for name, _ in run.events] == [name for name, _ in expected], seed
    np.testing.assert_allclose([t for _, t in run.events], [t for _, t in expected], rtol=0, atol=1e-9)


def bowling() -> tr.System:
    m = tr.Model("bowling")
    mass, radius, mu = m.parameter("mass", 6.0), m.parameter("radius", 0.11), m.parameter("mu", 0.2)
    ball = m.body("ball", mass, (0.4 * mass * radius**2,) * 3)
    lane = tr.HigherPair(tr.Plane(), tr.Sphere(radius))
    m.connect(lane, m.ground, ball, name="lane", law=tr.Coulomb(mu), unilateral=True)
    return m.build()


def test_a_ball_lands_once_and_stops_at_its_time() -> None:
    """With these seeds a step once ended milliseconds behind the end of sliding."""
    system = bowling()
    for seed in (1, 87, 249, 549, 647):
        check_bowling(seed, system)


# -- many more ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_thousands_of_balls_land_once_and_stop_at_their_times() -> None:
    system = bowling()
    for seed in range(2000):
        check_bowling(seed, system)


@pytest.mark.slow
def test_friction_only_resists_in_five_hundred_throws() -> None:
    for kind, seed, unilateral in thrown.cases(500):
        check_friction(kind, seed, unilateral, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dumbbell", "tripod", "pair"])
def test_several_contacts_rub_alike_in_both_formalisms(kind: str) -> None:
    for seed in range(40):
        for unilateral in (False, True):
            check_friction(kind, seed, unilateral, 1.0, "udwadia_kalaba")


@pytest.mark.slow
@pytest.mark.parametrize("kind", thrown.SHAPES)
def test_sliding_of_many_ends_where_newton_and_euler_end_it(kind: str) -> None:
    for seed in range(10):
        check_first_stop(kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", thrown.KINDS)
def test_formalisms_and_limits_of_many_agree(kind: str) -> None:
    for seed in range(10):
        check_formalisms(kind, seed)
        check_limit(kind, seed)
