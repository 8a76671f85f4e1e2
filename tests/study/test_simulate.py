"""Arguments and results of System.simulate: events, steps, samples, methods, endings, energy."""

import math
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import SolveError
from trundle.run.run import Run
from trundle.system import System

G = 9.81


def falling() -> tr.Model:
    """A ball that falls on a floor; its times are closed forms."""
    m = tr.Model("falling")
    ball = m.body("ball", mass=2.0, inertia=(1, 1, 1))
    m.connect(tr.Prismatic("z"), m.ground, ball)
    m.parameter("restitution", 0.5)
    return m


@pytest.fixture(scope="module")
def bouncing() -> System:
    m = falling()
    bounce = {
        "ball.displacement_rate": lambda s: -s["restitution"] * s["ball.displacement_rate"],
        "ball.displacement": 0.0,
    }
    m.event("floor", lambda s: s["ball.displacement"], direction=-1, action=bounce)
    m.event("apex", lambda s: s["ball.displacement_rate"], direction=-1)
    return m.build()


def test_event_times_of_a_bouncing_ball(bouncing: System) -> None:
    run = bouncing.simulate(1.0, {"ball.displacement": 1.0})
    first = math.sqrt(2 / G)
    floor = [t for name, t in run.events if name == "floor"]
    apex = [t for name, t in run.events if name == "apex"]
    np.testing.assert_allclose(floor[:2], [first, first + first], rtol=0, atol=1e-10)
    np.testing.assert_allclose(apex[0], 1.5 * first, rtol=0, atol=1e-10)
    assert run.ok


def test_parameter_in_an_assignment(bouncing: System) -> None:
    run = bouncing.simulate(1.0, {"ball.displacement": 1.0}, {"restitution": 0.8})
    floor = [t for name, t in run.events if name == "floor"]
    np.testing.assert_allclose(floor[0] * (1 + 1.6), 0.4515236409857309 * 2.6, atol=1e-10)
    assert len([n for n, _ in run.events if n == "floor"]) == 1


def test_stop_event_ends_the_run() -> None:
    m = falling()
    m.event("floor", lambda s: s["ball.displacement"], direction=-1, action="stop")
    run = m.build().simulate(5.0, {"ball.displacement": 1.0}, samples=[0.0, 0.1, 0.2, 3.0])
    assert run.outcome.startswith("EVENT_STOP") and run.ok
    assert run.events == [("floor", pytest.approx(math.sqrt(2 / G), abs=1e-10))]
    np.testing.assert_allclose(run.time, [0.0, 0.1, 0.2, math.sqrt(2 / G)])  # the end is kept
    assert run.trajectory is not None
    assert run.trajectory.t_end == pytest.approx(math.sqrt(2 / G), abs=1e-10)
    assert run.trajectory.x_end[0] == pytest.approx(0.0, abs=1e-10)


def test_on_event_is_called_and_its_result_used() -> None:
    m = falling()
    m.event("floor", lambda s: s["ball.displacement"], direction=-1)
    calls: list[tuple[str, float, float]] = []

    def answer(name: str, t: float, state: dict[str, Any]) -> dict[str, float]:
        calls.append((name, t, state["ball.displacement_rate"]))
        return {"ball.displacement_rate": -state["ball.displacement_rate"]}

    run = m.build().simulate(1.4, {"ball.displacement": 1.0}, on_event=answer)
    first = math.sqrt(2 / G)
    assert [c[0] for c in calls] == ["floor", "floor"]
    np.testing.assert_allclose([c[1] for c in calls], [first, 3 * first], rtol=0, atol=1e-10)
    np.testing.assert_allclose([c[2] for c in calls], -math.sqrt(2 * G), rtol=1e-10)
    height = 1.0 - G * (1.4 - 4 * first) ** 2 / 2 if 3 * first < 1.4 else 0.0
    assert run.values("ball.displacement")[-1] == pytest.approx(height, abs=1e-8)


def test_on_event_that_only_looks() -> None:
    m = falling()
    m.event("floor", lambda s: s["ball.displacement"], direction=-1)
    run = m.build().simulate(1.0, {"ball.displacement": 1.0}, on_event=lambda *_: None)
    assert run.values("ball.displacement")[-1] == pytest.approx(1.0 - G / 2, abs=1e-9)


def test_speed_given_by_an_event_is_kept_in_a_loop() -> None:
    """The crank gets the speed that it is given, and the rest of the linkage follows."""
    m = tr.Model("linkage", gravity=(0, -G, 0))
    crank, coupler, rocker = (
        m.body(n, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.5, 0.4, 0)) for n in ("crank", "coupler", "rocker")
    )
    for a, b, point in ((m.ground, crank, (0, 0, 0)), (m.ground, rocker, (1.2, 0, 0)), (crank, coupler, (0.1, 0.4, 0))):
        m.connect(tr.Revolute("z"), a.at(*point), b.at(*point))
    m.connect(tr.Revolute("z"), coupler.at(1.0, 0.8, 0), rocker.at(1.0, 0.8, 0), name="pin")
    m.event("kick", lambda s: s.t - 0.1, action={"crank.angle_rate": 2.5})
    run = m.build().simulate(0.2, samples=[0.0, 0.1 + 1e-9])
    assert run.values("crank.angle_rate")[-1] == pytest.approx(2.5, abs=1e-6)
    system, x = run.system, run.trajectory.x[-1]
    rows = system.formulation.row_functions
    g, rate, _, _ = rows(0.0, x[:3], x[3:6], system.formulation.parameter_vector(None))
    assert max(np.max(np.abs(g)), np.max(np.abs(rate))) < 1e-12


def test_event_cannot_change_absolute_coordinates() -> None:
    m = falling()
    m.event("floor", lambda s: s["ball.displacement"], direction=-1)
    system = m.build("newton_euler")
    with pytest.raises(tr.TrundleError, match="formalism='kane'"):
        system.simulate(1.0, {"ball.displacement": 1.0}, on_event=lambda *_: {"ball.displacement_rate": 1.0})


@pytest.fixture(scope="module")
def pendulum() -> System:
    m = tr.Model("pendulum")
    bob = m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -1.0))
    m.connect(tr.Revolute("y"), m.ground, bob)
    return m.build()


def test_samples_in_every_form(pendulum: System) -> None:
    start = {"bob.angle": 1.0}
    reference = pendulum.simulate(2.0, start)
    assert len(reference.time) == 501 and reference.time[-1] == 2.0
    seven = pendulum.simulate(2.0, start, samples=7)
    np.testing.assert_allclose(seven.time, np.linspace(0, 2, 7))
    chosen = pendulum.simulate(2.0, start, samples=(0.0, 0.4, 1.1, 2.0))
    np.testing.assert_allclose(chosen.time, [0, 0.4, 1.1, 2.0])
    assert chosen.values("bob.angle")[1] == pytest.approx(reference.values("bob.angle")[100], abs=1e-9)
    steps = pendulum.simulate(2.0, start, samples="steps")
    assert steps.time[0] == 0.0 and steps.time[-1] == 2.0 and np.all(np.diff(steps.time) > 0)
    later = pendulum.simulate(2.0, start, samples=3, t0=5.0)
    np.testing.assert_allclose(later.time, [5.0, 6.0, 7.0])
    np.testing.assert_allclose(later.values("bob.angle")[-1], reference.values("bob.angle")[-1], atol=1e-9)


def test_fixed_step_keeps_its_step_and_converges(pendulum: System) -> None:
    start = {"bob.angle": 1.0}
    exact = pendulum.simulate(1.0, start, samples=2, rtol=1e-13, atol=1e-13).values("bob.angle")[-1]
    errors = []
    for h in (0.1, 0.05):
        run = pendulum.simulate(1.0, start, samples="steps", steps=tr.Steps(fixed=h), method="order5")
        np.testing.assert_allclose(np.diff(run.time), h, rtol=1e-9)
        errors.append(abs(run.values("bob.angle")[-1] - exact))
    assert math.log2(errors[0] / errors[1]) > 4.0


def test_longest_step_is_kept(pendulum: System) -> None:
    run = pendulum.simulate(1.0, {"bob.angle": 0.5}, samples="steps", steps=tr.Steps(longest=0.01))
    assert np.max(np.diff(run.time)) <= 0.01 * (1 + 1e-9)


def test_first_and_shortest_steps_are_kept(pendulum: System) -> None:
    run = pendulum.simulate(1.0, {"bob.angle": 0.5}, samples="steps", steps=tr.Steps(first=1e-4))
    assert run.ok and run.time[1] == pytest.approx(1e-4)
    rough = pendulum.simulate(1.0, {"bob.angle": 0.5}, rtol=1e-13, steps=tr.Steps(first=0.5, shortest=0.4))
    assert rough.outcome.startswith("STEP_TOO_SMALL")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"longest": 0.0}, "longest must be a positive"),
        ({"longest": "short"}, "longest must be a positive"),
        ({"first": -1e-3}, "first must be a positive"),
        ({"shortest": np.inf}, "shortest must be a positive"),
        ({"first": 0.1, "longest": 0.01}, "first = 0.1 s is longer than the longest step, 0.01 s"),
        ({"fixed": 0.1, "longest": 0.01}, "fixed = 0.1 s is longer"),
        ({"fixed": 0.1, "first": 0.01}, "all steps are equal"),
        ({"most": 1.5}, "most must be an integer"),
        ({"most_events": -1}, "most_events must be an integer"),
    ],
)
def test_steps_that_cannot_be(given: dict[str, Any], said: str) -> None:
    with pytest.raises(tr.TrundleError, match=said):
        tr.Steps(**given)


def test_steps_are_one_object(pendulum: System) -> None:
    with pytest.raises(tr.TrundleError, match=r"steps=0\.01: write steps=tr\.Steps\(longest=0\.01\)"):
        pendulum.simulate(1.0, steps=0.01)  # type: ignore[arg-type]


def test_too_many_steps_keeps_what_was_computed(pendulum: System) -> None:
    run = pendulum.simulate(50.0, {"bob.angle": 1.0}, steps=tr.Steps(most=20), samples="steps")
    assert not run.ok and run.outcome.startswith("TOO_MANY_STEPS")
    assert 0 < run.time[-1] < 50.0 and len(run.values("bob.angle")) == len(run.time)


def test_interrupted_run_is_kept() -> None:
    m = falling()
    m.event("pass", lambda s: tr.sin(20 * s.t))

    def answer(name: str, t: float, state: dict[str, Any]) -> None:
        if t > 1.0:
            raise KeyboardInterrupt

    run = m.build().simulate(5.0, samples="steps", on_event=answer, steps=tr.Steps(longest=0.05))
    assert run.outcome.startswith("INTERRUPTED") and not run.ok
    assert 0.9 < run.time[-1] < 1.5
    assert run.values("ball.displacement")[-1] == pytest.approx(-G * run.time[-1] ** 2 / 2, abs=1e-8)


def machine(formalism: str = "kane") -> System:
    """Driven crank, rod, slide with motor, damper and spring: every kind of work at once."""
    m = tr.Model("machine", gravity=(0, -G, 0))
    crank = m.body("crank", mass=1, inertia=(0.1, 0.1, 0.1), com=(0.1, 0.1, 0))
    rod = m.body("rod", mass=1, inertia=(0.1, 0.1, 0.1), com=(0.6, 0.1, 0))
    slide = m.body("slide", mass=2, inertia=(0.1, 0.1, 0.1), com=(1, 0, 0))
    flap = m.body("flap", mass=0.5, inertia=(0.1, 0.1, 0.1), com=(1.0, -0.4, 0.1))
    m.connect(tr.Revolute("z"), m.ground, crank, law=tr.Servo(lambda t: 2 * t + 0.3 * tr.sin(3 * t)))
    m.connect(tr.Prismatic("x"), m.ground.at(1, 0, 0), slide.at(1, 0, 0), law=tr.Spring(20.0, 3.0, 0.1))
    m.connect(tr.Revolute("z"), crank.at(0.2, 0.2, 0), rod.at(0.2, 0.2, 0))
    m.connect(tr.Revolute("z"), rod.at(1, 0, 0), slide.at(1, 0, 0), name="pin")
    m.connect(
        tr.Revolute("z"),
        slide.at(1, 0, 0),
        flap.at(1, 0, 0),
        law=tr.Motor(lambda t, q, u: 0.5 * tr.cos(5 * t) - 0.1 * u),
    )
    return m.build(formalism)


@pytest.fixture(scope="module")
def machine_run() -> Run:
    return machine().simulate(2.0, samples=41)


def test_energy_balance_with_motor_damper_and_servo(machine_run: Run) -> None:
    energy = machine_run.energy
    assert energy.drift < 1e-8
    assert np.ptp(energy.work_in) > 0.1 and energy.work_lost[-1] > 0.1
    assert np.all(np.diff(energy.work_lost) >= 0)


def test_stiff_method_gives_the_same_motion(machine_run: Run) -> None:
    stiff = machine_run.system.simulate(2.0, samples=41, method="stiff", rtol=1e-9, atol=1e-9)
    assert stiff.ok, stiff.outcome
    for name in ("slide.displacement", "flap.angle", "flap.angle_rate"):
        np.testing.assert_allclose(stiff.values(name), machine_run.values(name), rtol=0, atol=2e-7)


def test_servo_is_followed_exactly(machine_run: Run) -> None:
    t = machine_run.time
    np.testing.assert_allclose(machine_run.values("crank.angle"), 2 * t + 0.3 * np.sin(3 * t), rtol=0, atol=1e-11)
    np.testing.assert_allclose(machine_run.values("crank.angle_rate"), 2 + 0.9 * np.cos(3 * t), rtol=0, atol=1e-10)


def test_near_singular_passage_is_reported() -> None:
    """A change-point linkage that folds flat."""
    m = tr.Model("change point", gravity=(0, 0, 0))
    lengths = {"crank": 1.0, "coupler": 1.3, "rocker": 1.1}
    bars = {n: m.body(n, mass=l, inertia=(l**3 / 12,) * 3, com=(l / 2, 0, 0)) for n, l in lengths.items()}
    m.connect(tr.Revolute("z"), m.ground, bars["crank"])
    m.connect(tr.Revolute("z"), bars["crank"].at(1, 0, 0), bars["coupler"])
    m.connect(tr.Revolute("z"), m.ground.at(1.2, 0, 0), bars["rocker"])
    m.connect(tr.Revolute("z"), bars["coupler"].at(1.3, 0, 0), bars["rocker"].at(1.1, 0, 0), name="pin")
    m.start = {"crank.angle": math.pi / 3, "coupler.angle": 0.0437 - math.pi / 3, "rocker.angle": 0.995}
    run = m.build().simulate(10.0, {"crank.angle_rate": -1.0}, samples=2)
    assert run.ok
    assert run.near_singular
    names = {loop for loop, _, _ in run.near_singular}
    closer = run.system.formulation.topology.loops[0].name
    assert names == {closer}
    assert run.values("crank.angle")[-1] == pytest.approx(-7.70445091594096, abs=1e-3)


def test_sample_times_may_be_negative_and_their_number_from_numpy() -> None:
    from trundle.study.run_options import sample_times

    np.testing.assert_array_equal(sample_times(np.linspace(-2.0, -1.0, 5), -2.0, -1.0), np.linspace(-2.0, -1.0, 5))
    np.testing.assert_array_equal(sample_times(np.int64(5), 0.0, 1.0), np.linspace(0.0, 1.0, 5))  # type: ignore[arg-type]


@pytest.mark.parametrize("direction", [-1, 0])
def test_bounces_pile_up_also_when_another_event_falls_between_them(direction: int) -> None:
    """The event at the top comes nearer and nearer to the impact; it must not swallow it."""
    m = falling()
    m.event(
        "impact",
        lambda s: s["ball.displacement"],
        -1,
        {"ball.displacement_rate": lambda s: -0.8 * s["ball.displacement_rate"]},
    )
    m.event("top", lambda s: s["ball.displacement_rate"], direction)
    run = m.build().simulate(6.0, {"ball.displacement": 1.0, "ball.displacement_rate": 0.0})
    assert run.outcome.startswith("ZENO")
    assert abs(run.time[-1] - 9 * math.sqrt(2 / G)) < 1e-9
    assert np.min(run.values("ball.displacement")) > -1e-9


@pytest.mark.parametrize("samples", [10**13, 10**30])
def test_samples_that_do_not_fit_into_memory(samples: int) -> None:
    system = falling().build()
    with pytest.raises(SolveError, match=r"samples=[\d,]+ would take [\d,.]+ GiB .* this machine has [\d,.]+ GiB"):
        system.simulate(1.0, samples=samples)


def test_the_copies_of_samples_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run takes 2 n + 5 numbers at each sample while it is made; with n alone the process could be killed."""
    monkeypatch.setattr("trundle.study.run_options.physical_memory", lambda: 10**6)
    system = falling().build()
    assert system.simulate(1.0, samples=10_000).ok
    with pytest.raises(SolveError, match="samples=20,000 would take"):
        system.simulate(1.0, samples=20_000)


def test_memory_that_ends_during_a_run_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("trundle.study.guarded_run.integrate", full)
    with pytest.raises(SolveError, match="do not fit into memory"):
        falling().build().simulate(1.0, samples="steps")
