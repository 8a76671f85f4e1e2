"""System.batch: every case is the run that simulate makes of the same values."""

import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import AssemblyError, SolveError
from trundle.solve import one_by_one


def _slider_crank() -> tr.Model:
    m = tr.Model("slider-crank")
    length, offset = m.parameter("L", 0.8), m.parameter("offset", 0.0)
    crank = m.body("crank", mass=1.0, inertia=(0.001, 0.02, 0.02), com=(0.15, 0, 0))
    rod = m.body("rod", mass=1.5, inertia=(0.001, 0.1, 0.1), com=(0.4, 0, 0))
    piston = m.body("piston", mass=2.0)
    m.connect(tr.Revolute("y"), m.ground, crank)
    m.connect(tr.Revolute("y"), crank.at(0.3, 0, 0), rod)
    m.connect(tr.Prismatic("x"), m.ground.at(0, 0, offset), piston)
    m.connect(tr.Revolute("y"), rod.at(length, 0, 0), piston, name="pin")
    return m


def test_given_start_values_are_held_in_a_loop() -> None:
    system = _slider_crank().build()
    angles = np.array([0.2, 0.5, 0.9, 1.3])
    batch = system.batch(0.5, {"crank.angle": angles, "crank.angle_rate": 5.0}, samples=[0.0, 0.5])
    np.testing.assert_allclose(batch["crank.angle"].values[:, 0], angles, atol=1e-12)
    np.testing.assert_allclose(batch["crank.angle_rate"].values[:, 0], 5.0, atol=1e-12)
    for i, angle in enumerate(angles):
        run = system.simulate(0.5, {"crank.angle": angle, "crank.angle_rate": 5.0}, samples=2)
        np.testing.assert_allclose(batch.end("crank.angle")[i], run.values("crank.angle")[-1], atol=1e-7)
    assert batch.settings["way"] == "in lanes" and batch.events == [[], [], [], []]


def test_lengths_may_vary_and_start_values_stay() -> None:
    system = _slider_crank().build()
    start, lengths = {"crank.angle": 0.4, "crank.angle_rate": 5.0}, np.array([0.7, 0.8, 1.0])
    batch = system.batch(0.5, start, {"L": lengths}, samples=[0.0, 0.5])
    np.testing.assert_allclose(batch["crank.angle"].values[:, 0], 0.4, atol=1e-12)
    expected = [system.simulate(0.5, start, {"L": v}, samples=2).values("crank.angle")[-1] for v in lengths]
    np.testing.assert_allclose(batch.end("crank.angle"), expected, atol=1e-7)


def test_a_case_that_cannot_be_assembled_is_named() -> None:
    system = _slider_crank().build()
    with pytest.raises(AssemblyError, match="case 1 of the batch"):
        system.batch(0.1, {"crank.angle": 0.5}, {"offset": np.array([0.0, 5.0])})


def test_motions_of_bodies_may_vary() -> None:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, com=(1.0, 0, 0))
    m.connect(tr.Revolute("y"), m.ground, bob)
    system = m.build()
    heights = np.array([-0.3, -0.5])
    batch = system.batch(0.1, {"bob.com_position_z": heights}, samples=[0.0, 0.1])
    np.testing.assert_allclose(np.sin(batch["bob.angle"].values[:, 0]), -heights, atol=1e-10)


def test_quaternions_may_vary() -> None:
    m = tr.Model("ball")
    ball = m.body("ball", mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0, 0, -0.5))
    m.connect(tr.Spherical(), m.ground, ball)
    system = m.build()
    poses = np.array([[1.0, 0.3, 0, 0], [2.0, 0, 0.4, 0], [1.0, 0, 0, 1.0]])
    batch = system.batch(0.5, {"ball.quaternion": poses})
    for i, pose in enumerate(poses):
        run = system.simulate(0.5, {"ball.quaternion": pose}, samples=2)
        np.testing.assert_allclose(batch.end("ball.position")[i], run.values("ball.position")[-1], atol=1e-7)
        np.testing.assert_allclose(batch.end("ball.quaternion")[i], run.values("ball.quaternion")[-1], atol=1e-7)


@pytest.mark.parametrize("lengths", [[0.8, np.nan], ["a", "b"], np.ones((2, 2)), []])
def test_parameters_must_be_one_finite_number_for_each_case(lengths: object) -> None:
    with pytest.raises(SolveError):
        _slider_crank().build().batch(0.1, parameters={"L": lengths})


@pytest.mark.parametrize("changes", [{"duration": np.nan}, {"rtol": 0.0}, {"atol": "a"}])
def test_duration_and_tolerances_must_be_positive(changes: dict[str, object]) -> None:
    with pytest.raises(SolveError, match=f"{next(iter(changes))} must be a (positive )?number"):
        _slider_crank().build().batch(**{"duration": 0.1, "parameters": {"L": [0.8, 0.9]}, **changes})  # type: ignore[arg-type]


def test_vectors_and_their_components_are_named_as_in_a_single_run() -> None:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, com=(0, 0, -1.0))
    m.connect(tr.Revolute("y"), m.ground, bob)
    s = m.build()
    many = s.batch(0.5, {"bob.angle": [0.1, 0.4]}, samples=4)
    one = s.simulate(0.5, {"bob.angle": 0.4}, samples=4, rtol=1e-8, atol=1e-8)
    assert many["bob.com_position"].dims == ("case", "time", "axis")
    for name in ("bob.com_position", "bob.com_position_x", "bob.angle"):
        np.testing.assert_allclose(many[name].values[1], one.values(name), atol=1e-6)
    np.testing.assert_allclose(many.end("bob.com_position_z"), many["bob.com_position_z"].values[:, -1], atol=1e-12)


def test_how_far_a_bowling_ball_slides_over_friction_and_speed() -> None:
    """It slides for 2 v / (7 mu g) and 12 v^2 / (49 mu g), then rolls with 5 v / 7."""
    m = tr.Model("bowling")
    body = m.body("ball", 6.0, (0.4 * 6.0 * 0.11**2,) * 3)
    law = tr.Coulomb(m.parameter("mu", 0.2))
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.11)), m.ground, body, name="lane", law=law)
    m.start["ball.position"] = (0, 0, 0.11)
    mu, v = (grid.ravel() for grid in np.meshgrid(np.linspace(0.05, 0.5, 5), np.linspace(1.0, 8.0, 5)))
    start = {"ball.velocity": np.column_stack([v, 0 * v, 0 * v])}
    times = np.linspace(0.0, 3.0, 13)
    batch = m.build().batch(3.0, start, {"mu": mu}, samples=times)
    sliding = 2 * v / (7 * mu * 9.81)
    rolls = sliding < 3.0
    assert 0 < np.sum(~rolls) < 5
    assert [[name for name, _ in case] for case in batch.events] == [["lane stops"] * int(r) for r in rolls]
    found = [case[0][1] for case in batch.events if case]
    np.testing.assert_allclose(found, sliding[rolls], rtol=0, atol=1e-9)
    way = np.minimum(sliding, 3.0)
    distance = v * way - mu * 9.81 * way**2 / 2 + 5 * v / 7 * (3.0 - way)
    np.testing.assert_allclose(batch.end("ball.position_x"), distance, rtol=0, atol=1e-9)
    np.testing.assert_allclose(distance[rolls], (12 * v**2 / (49 * mu * 9.81) + 5 * v / 7 * (3.0 - sliding))[rolls])
    # what sticks is known for every case, at the samples as at the end
    np.testing.assert_array_equal(batch.end("lane.state"), np.where(rolls, 2, 1))
    np.testing.assert_array_equal(batch["lane.state"].values, np.where(times > sliding[:, None], 2, 1))
    assert batch.settings["way"] == "one by one"
    assert batch.summary() == "Batch of 'bowling': 25 cases, one by one, 25 FINISHED"


@pytest.fixture(scope="module")
def bouncing() -> tr.System:
    m = tr.Model("bouncing")
    bob = m.body("bob", mass=1.0)
    m.connect(tr.Prismatic("z"), m.ground, bob)
    rebound, limit = m.parameter("rebound", 0.8), m.parameter("limit", 5.0)
    back = {"bob.displacement_rate": lambda s: -rebound * s["bob.displacement_rate"]}
    m.event("floor", lambda s: s["bob.displacement"], -1, back)
    m.event("top", lambda s: s["bob.displacement_rate"], -1, "record")
    m.event("late", lambda s: s.t - limit, 1, "stop")
    return m.build()


@pytest.mark.parametrize("threads", [1, 3])
def test_events_are_those_of_single_runs(bouncing: tr.System, threads: int) -> None:
    heights, parameters = np.array([0.2, 0.5, 1.0, 1.7, 2.0]), {"rebound": np.array([0.3, 0.5, 0.8, 0.9, 1.0])}
    limit = np.array([5.0, 0.3, 5.0, 1.5, 5.0])
    times = np.linspace(0.0, 1.6, 9)
    batch = bouncing.batch(
        2.0, {"bob.displacement": heights}, {**parameters, "limit": limit}, samples=times, threads=threads, atol=1e-8
    )
    for i, height in enumerate(heights):
        values = {"rebound": parameters["rebound"][i], "limit": limit[i]}
        run = bouncing.simulate(2.0, {"bob.displacement": height}, values, rtol=1e-8, atol=1e-8, samples=times)
        assert batch.events[i] == run.events and len(run.events) > 0
        assert run.trajectory is not None
        assert batch.batch.t_end[i] == run.trajectory.t_end
        np.testing.assert_array_equal(batch.batch.x_end[i], run.trajectory.x_end)
        reached = times <= run.trajectory.t_end
        np.testing.assert_array_equal(np.isnan(batch["bob.displacement"].values[i]), ~reached)
        np.testing.assert_array_equal(
            batch["bob.displacement"].values[i, reached], run.values("bob.displacement")[: reached.sum()]
        )
    assert batch.outcomes[1:4:2] == ["EVENT_STOP"] * 2


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_ends_all_runs(bouncing: tr.System, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    march, begun = one_by_one.march, []

    def interrupted(*args: Any, between_chunks: Callable[[float], None], **options: Any) -> Any:
        def between(t: float) -> None:
            if not begun:  # as the keyboard does it, whichever thread runs this
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            begun.append(t)
            between_chunks(t)

        return march(*args, between_chunks=between, **options, chunk_steps=50)

    monkeypatch.setattr(one_by_one, "march", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):  # each of these runs would take minutes
            bouncing.batch(1e7, {"bob.displacement": [1.0, 2.0, 3.0]}, {"rebound": 1.0, "limit": 1e8}, threads=threads)
    finally:
        signal.signal(signal.SIGINT, before)
