"""System.batch: every case is the run that simulate makes of the same values."""

import re
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import SolveError, TrundleError, UnknownNameError
from trundle.integrate.lanes import batch_events
from trundle.integrate.lanes import integrate as lanes
from trundle.study.batch import BatchWarning
from trundle.study.cases import parameter_faults


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


def refusal(system: tr.System, start: dict[str, Any], parameters: dict[str, Any]) -> str:
    """Message of `simulate` about the case."""
    with pytest.raises(TrundleError) as told:
        system.simulate(0.1, start, parameters, samples=2)
    return str(told.value)


def _swinging() -> tr.Model:
    m = tr.Model("swinging")
    mass, size = m.parameter("M", 1.0), m.parameter("L", 1.0)
    bob = m.body("bob", mass=mass, inertia=(0.1 * mass * size**2, 0.1, 0.1), com=(0, 0, -size))
    m.connect(tr.Revolute("y"), m.ground, bob)
    return m


def _rolling(**options: Any) -> tr.Model:
    m = tr.Model("rolling")
    radius, bounce = m.parameter("R", 0.1), m.parameter("e", 0.5)
    ball = m.body("ball", 1.0, 0.01)
    surfaces = tr.HigherPair(tr.Plane(), tr.Sphere(radius))
    law = tr.Coulomb(m.parameter("mu", 0.2))
    m.connect(surfaces, m.ground, ball, name="floor", law=law, restitution=tr.Poisson(bounce))
    m.start["ball.position"] = (0, 0, 0.2)
    return m


def _spinning() -> tr.Model:
    m = tr.Model("spinning")
    top = m.body("top", mass=m.parameter("M", 1.0), inertia=(0.1, 0.1, 0.1), com=(0, 0, 0.3))
    m.connect(tr.Spherical(), m.ground, top)
    return m


def _yielding() -> tr.Model:
    """A law that divides by the normal force, which gravity brings."""
    m = tr.Model("yielding", gravity=(0, 0, 0))
    m.gravity = (0, 0, -m.parameter("g", 9.81))
    wheel = m.body("wheel", 1.0, 0.01)
    m.connect(tr.HigherPair(tr.Plane(), tr.Sphere(0.1)), m.ground, wheel, name="road", law=tr.Relaxed(0.3))
    m.start["wheel.position"] = (0, 0, 0.1)
    return m


REFUSALS: dict[str, tuple[Callable[[], tr.Model], dict[str, Any], dict[str, Any], str]] = {
    "mass": (_swinging, {"bob.angle": 0.3}, {"M": [1.0, -1.0, 2.0]}, "mass -1 kg is negative"),
    "inertia": (_swinging, {}, {"L": [1.0, 9.0, 1.1]}, "triangle inequality"),
    "not finite": (_swinging, {"bob.angle": 0.3}, {"M": [1.0, np.nan, 2.0]}, "'M' must be finite"),
    "start": (_swinging, {"bob.angle": [0.1, np.inf, 0.2]}, {}, "finite"),
    "quaternion": (_spinning, {"top.quaternion": np.diag([1.0, 0.0, 1.0, 1.0])[:3]}, {}, "zero.*for no rotation"),
    "radius": (_rolling, {}, {"R": [0.1, -0.1, 0.2]}, "radius must be greater than zero"),
    "restitution": (_rolling, {}, {"e": [0.5, 1.5, 0.2]}, "restitution lies between"),
    "friction": (_rolling, {}, {"mu": [0.5, -0.5, 0.2]}, "must not be negative"),
    "overlap": (_rolling, {"ball.position": np.array([[0, 0, 0.3], [0, 0, 0.05], [0, 0, 0.2]])}, {}, "overlaps"),
    "offset": (_slider_crank, {"crank.angle": 0.5}, {"offset": [0.0, 5.0, 0.1]}, "pin"),
    "no load": (_yielding, {}, {"g": [9.81, 0.0, 3.0]}, "normal force"),
    "target": (_swinging, {"bob.com_position_x": [0.3, 5.0, -0.8]}, {}, "com_position_x"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_a_case_that_simulate_refuses_is_reported_and_the_others_run(name: str) -> None:
    make, start, parameters, text = REFUSALS[name]
    system = make().build()

    def of_case(values: dict[str, Any], i: int) -> dict[str, Any]:
        return {k: v[i] if np.ndim(v) else v for k, v in values.items()}

    with pytest.warns(BatchWarning, match="1 of 3 cases was refused and not run.*\ncase 1: "):
        batch = system.batch(0.05, start, parameters, samples=[0.0, 0.05])
    assert batch.outcomes == ["FINISHED", "REFUSED", "FINISHED"] and list(batch.refused) == [1]
    assert re.search(text, batch.messages[1]) and batch.messages[::2] == ["", ""]
    said = refusal(system, of_case(start, 1), of_case(parameters, 1))
    assert batch.messages[1].split(", got")[0] == said.split(", got")[0] or name == "start"
    moving = next(name for name in system.model.bodies if name != "ground")
    for quantity in (f"{moving}.position_x", "energy.kinetic"):
        assert np.isnan(batch.end(quantity)[1]) and np.all(np.isnan(batch[quantity].values[1]))
        for i in (0, 2):
            run = system.simulate(0.05, of_case(start, i), of_case(parameters, i), samples=2, rtol=1e-8, atol=1e-8)
            assert batch.end(quantity)[i] == pytest.approx(run.values(quantity)[-1], abs=1e-7)
    assert len(batch.events) == 3 and batch.events[1] == []


def test_cases_may_be_refused_by_who_asks() -> None:
    """What a model cannot know is told by index; a case that the batch does not have is refused."""
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1.0)))
    system, start = m.build(), {"bob.angle": np.array([0.1, 0.2, 0.3])}
    with pytest.warns(BatchWarning, match="1 of 3 cases was refused"):
        found = system.batch(1.0, start, refused={1: "no such pendulum"})
    assert found.outcomes == ["FINISHED", "REFUSED", "FINISHED"] and "no such pendulum" in found.messages[1]
    every = system.batch(1.0, start).end("bob.angle").values
    np.testing.assert_array_equal(found.end("bob.angle").values, [every[0], np.nan, every[2]])
    for case in (3, -1):
        with pytest.raises(SolveError, match=f"refused names case {case}: this batch has the cases 0 to 2"):
            system.batch(1.0, start, refused={case: "no such case"})


def test_a_batch_of_which_nothing_can_start() -> None:
    with pytest.warns(BatchWarning, match="(?s)5 of 5 cases were refused.*case 0.*case 2.*\nand 2 more"):
        batch = _swinging().build().batch(0.1, {"bob.angle": 0.1}, {"M": -np.ones(5)}, samples=3)
    assert batch.outcomes == ["REFUSED"] * 5 and np.all(np.isnan(batch.end("bob.angle")))


def test_what_holds_for_no_case_is_refused_at_once() -> None:
    system = _swinging().build()
    many = {"bob.angle": [0.1, 0.2]}
    for changes, text in (
        ({"samples": "steps"}, "share their sample times"),
        ({"samples": 10**13}, "GiB"),
        ({"start": {"bob.angle": np.broadcast_to(0.1, 10**11)}}, "cases=100,000,000,000 would take .* GiB"),
        ({"threads": 0}, "positive number of threads"),
        ({"parameters": [1.0]}, "goes by name"),
    ):
        with pytest.raises(SolveError, match=text):
            system.batch(**{"duration": 0.1, "start": many, **changes})  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError):
        system.batch(0.1, {"bob.angel": [0.1, 0.2]})
    m = tr.Model("fixed")
    m.connect(tr.Fixed(), m.ground, m.body("block", m.parameter("M", 1.0)))
    with pytest.raises(SolveError, match="nothing can move"):
        m.build().batch(0.1, {}, {"M": [1.0, 2.0]})


def test_thousands_of_cases_are_checked_quickly() -> None:
    """In tables, not model by model: as many checks one by one would take minutes."""
    system, masses = _swinging().build(), np.linspace(1.0, 2.0, 20_000)
    masses[777] = -1.0
    p = np.repeat(system.formulation.default_parameters[None], 20_000, axis=0)
    p[:, :2] = np.column_stack([masses, np.ones(20_000)])
    assert list(parameter_faults(system.formulation, p)) == [777]


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


@pytest.mark.parametrize("lengths", [["a", "b"], np.ones((2, 2)), []])
def test_parameters_must_be_one_number_for_each_case(lengths: object) -> None:
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


def interrupt() -> None:
    """As the keyboard does it, whichever thread runs this; where that is not the main one, nothing wakes the latter."""
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="Windows cannot signal a thread")
@pytest.mark.usefixtures("keyboard")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_keeps_the_cases_that_are_done(
    bouncing: tr.System, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervision, begun, never = batch_events.Supervision, [], threading.Event()

    def interrupted(progress: bool, between_chunks: Callable[[float], None]) -> Any:
        def between(t: float) -> None:
            if t > 100.0 and not begun:
                begun.append(t)
                interrupt()
                for _ in range(60_000):  # a busy machine lets the main thread wait
                    between_chunks(t)
                    never.wait(0.01)
                raise AssertionError("the interruption was not heard")
            between_chunks(t)

        return supervision(progress=progress, between_chunks=between, chunk_steps=50)

    monkeypatch.setattr(batch_events, "Supervision", interrupted)
    limits = {"rebound": 1.0, "limit": np.array([2.0, 2.0, 1e8, 1e8, 1e8, 1e8])}  # the last ones would take minutes
    batch = bouncing.batch(1e7, {"bob.displacement": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}, limits, threads=threads)
    assert batch.outcomes == ["EVENT_STOP"] * 2 + ["INTERRUPTED"] * 4
    run = bouncing.simulate(2.0, {"bob.displacement": 2.0}, {"rebound": 1.0}, rtol=1e-8, atol=1e-8, samples=2)
    assert batch.end("bob.displacement")[1] == pytest.approx(run.values("bob.displacement")[-1], abs=1e-9)
    longest = int(np.argmax(batch.batch.t_end))
    assert batch.batch.t_end[longest] > 100.0 and "interrupted" in batch.messages[longest]
    for name in ("bob.displacement", "bob.position_z", "energy.kinetic"):
        np.testing.assert_array_equal(np.isnan(batch.end(name)), [False] * 2 + [True] * 4)
    assert batch.histogram("bob.displacement").sum() == 2 and np.isfinite(batch.quantiles("bob.displacement")).all()
    assert len(batch.events[longest]) > 50 and batch.events[5] == []


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="Windows cannot signal a thread")
@pytest.mark.usefixtures("keyboard")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_in_lanes_keeps_the_cases_that_are_done(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    m = tr.Model("oscillator")
    bob = m.body("bob", mass=1.0)
    m.connect(tr.Prismatic("x"), m.ground, bob, law=tr.Spring(m.parameter("k", 1.0)))
    system = m.build()
    run, calls = lanes._Share.run, []

    def interrupted(self: Any, loop: Callable[[int], None], report: Callable[[], None] | None = None) -> None:
        def counted(table: int) -> None:
            loop(table)
            calls.append(table)
            if len(calls) == 20:
                interrupt()

        run(self, counted, report)

    monkeypatch.setattr(lanes._Share, "run", interrupted)
    stiffness = np.where(np.arange(64) % 32 < 24, 1.0, 1e14)  # the last ones of each half take very long
    batch = system.batch(5.0, {"bob.displacement": 1.0}, {"k": stiffness}, samples=[0.0, 5.0], threads=threads)
    done = np.array(batch.outcomes) == "FINISHED"
    assert 8 <= np.sum(done) < 64 and set(batch.outcomes) == {"FINISHED", "INTERRUPTED"}
    assert not np.any(done[stiffness > 1])
    np.testing.assert_allclose(batch.end("bob.displacement")[done], np.cos(5.0), atol=1e-6)
    assert np.isnan(batch.end("bob.displacement")[~done]).all()
    np.testing.assert_allclose(batch["bob.displacement"].values[done, 1], np.cos(5.0), atol=1e-6)


def test_a_method_that_is_not_made_for_lanes_runs_one_by_one() -> None:
    """Each case is the stiff run of the same values, number for number."""
    m = tr.Model("stiff")
    bob = m.body("bob", 1.0)
    m.connect(tr.Prismatic("x"), m.ground, bob, law=tr.Spring(m.parameter("k", 1e6), 2e3))
    system, stiffness = m.build(), np.array([1e4, 1e6, 1e8])
    batch = system.batch(0.1, {"bob.displacement": 1e-2}, {"k": stiffness}, samples=5, method="stiff", rtol=1e-8)
    assert batch.settings["way"] == "one by one" and batch.settings["method"] == "Rodas5P"
    for i, k in enumerate(stiffness):
        run = system.simulate(
            0.1, {"bob.displacement": 1e-2}, {"k": k}, samples=5, method="stiff", rtol=1e-8, atol=1e-12
        )
        np.testing.assert_allclose(batch["bob.displacement"].values[i], run.values("bob.displacement"), atol=1e-9)


def test_cases_whose_event_is_not_a_number_at_the_start_are_refused() -> None:
    m = tr.Model("pendulum")
    m.connect(tr.Revolute("y"), m.ground, m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1)))
    m.event("far", lambda s: tr.log(s["bob.angle"] - 0.15))
    with pytest.warns(BatchWarning, match="1 of 2"):
        found = m.build().batch(0.1, {"bob.angle": [0.1, 0.2]})
    assert found.outcomes == ["REFUSED", "FINISHED"]
    assert "event 'far' is not a number at the start" in found.messages[0]


def test_a_case_that_is_not_a_number_at_its_start_ends_there() -> None:
    """At t = 0 no step is too short by round-off: it ended after ten million attempts, as too many steps."""
    m = tr.Model("tie", gravity=(0, 0, 0))
    body = m.body("b", 1.0, 1.0)
    m.connect(tr.Prismatic("x"), m.ground, body)
    m.apply(tr.SpringDamper(m.ground, body, stiffness=2.0, length=1.0), name="tie")
    batch = m.build().batch(1.0, {"b.displacement": [0.0, 0.5]})
    assert batch.outcomes == ["NOT_FINITE", "FINISHED"]
