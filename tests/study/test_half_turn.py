"""Laws on measured angles beyond half a turn: correct, or with a warning."""

import numpy as np
import pytest

import trundle as tr
from trundle.run.turns import TurnsWarning


def hinge(law: object, speed: float = 5.0) -> tr.Model:
    m = tr.Model("hinge", gravity=(0, 0, 0))
    m.connect(tr.Revolute("z"), m.ground, m.body("rotor", mass=1.0, inertia=0.1), law=law)
    m.start = {"rotor.angle_rate": speed}
    return m


def test_a_spring_wound_by_more_than_half_a_turn_is_reported_of() -> None:
    run = hinge(tr.Spring(0.05)).build("newton_euler").simulate(2.0)
    assert run.outcome.startswith("HALF_TURN") and not run.ok
    assert "'rotor.angle' exceeded half a turn at t = 0.6" in run.outcome
    kane = hinge(tr.Spring(0.05)).build().simulate(2.0)
    assert kane.ok and kane.values("rotor.angle")[-1] == pytest.approx(50**0.5 * np.sin(2**0.5), rel=1e-8)


@pytest.mark.parametrize("law", [tr.Damper(0.01), tr.Motor(lambda t, q, u: 0.1), None])
def test_what_does_not_count_turns_may_turn(law: object) -> None:
    runs = [hinge(law).build(formalism).simulate(2.0) for formalism in ("newton_euler", "kane")]
    assert all(run.ok for run in runs)
    assert runs[0].values("rotor.angle")[-1] == pytest.approx(runs[1].values("rotor.angle")[-1], rel=1e-8)


def test_a_force_that_repeats_every_turn_may_turn() -> None:
    m = hinge(None)
    m.apply(tr.CoordinateForce("rotor.angle", lambda s: -0.05 * tr.sin(s["rotor.angle"])))
    assert m.build("newton_euler").simulate(2.0).ok


def test_a_joint_that_closes_a_loop() -> None:
    m = tr.Model("crank", gravity=(0, 0, 0))
    crank = m.body("crank", mass=1.0, inertia=0.1)
    for name in ("first", "second"):
        m.connect(tr.Revolute("z"), m.ground, crank, name=name, law=tr.Spring(0.05))
    m.start = {"first.angle_rate": 5.0}
    run = m.build().simulate(2.0)
    assert run.outcome.startswith("HALF_TURN") and "second.angle" in run.outcome


def test_a_start_beyond_half_a_turn() -> None:
    """The measured angle lacks a turn from the beginning on."""
    run = hinge(tr.Spring(0.05), 0.0).build("newton_euler").simulate(0.5, {"rotor.angle": 4.0})
    assert run.outcome.startswith("HALF_TURN") and "'rotor.angle' exceeded half a turn at t = 0 s" in run.outcome
    for formalism in ("newton_euler", "kane"):
        free = hinge(None, 1.0).build(formalism).simulate(0.5, {"rotor.angle": 4.0})
        assert free.ok and free.values("rotor.angle")[-1] == pytest.approx(4.5)


EVENTS = [
    (lambda s: s["rotor.angle"] - 7.0, 0, "record"),
    (lambda s: s["rotor.angle"] - 1.0, -1, "stop"),  # a jump from pi to -pi is no crossing
    (lambda s: s["rotor.angle"] * s["rotor.angle_rate"] - 1.0, 1, {"k": lambda s: s["k"] + 1}),
]


@pytest.mark.parametrize(("function", "direction", "action"), EVENTS)
def test_events_on_a_measured_angle_are_right_or_warned_about(function: object, direction: int, action: object) -> None:
    m = hinge(None)
    m.parameter("k", 1.0)
    m.event("there", function, direction, action)
    kane, other = (m.build(formalism).simulate(2.0) for formalism in ("kane", "newton_euler"))
    assert kane.ok and kane.time[-1] == 2.0
    assert other.outcome.startswith("HALF_TURN")


def test_events_that_repeat_every_turn_are_found() -> None:
    m = hinge(None)
    m.event("upright", lambda s: tr.sin(s["rotor.angle"]), 1)
    kane, other = (m.build(formalism).simulate(4.0) for formalism in ("kane", "newton_euler"))
    assert other.ok
    np.testing.assert_allclose([t for _, t in other.events], [t for _, t in kane.events], atol=1e-8)
    assert len(kane.events) == 3


def test_states_fed_by_a_measured_angle() -> None:
    m = hinge(None)
    m.state("sum", rate=lambda s: s["rotor.angle"])
    assert m.build().simulate(2.0).values("sum")[-1] == pytest.approx(10.0)
    assert m.build("newton_euler").simulate(2.0).outcome.startswith("HALF_TURN")


def test_outputs_count_the_turns() -> None:
    m = hinge(tr.Damper(0.01))
    m.output("twice", lambda s: 2 * s["rotor.angle"] + s["rotor.angle_rate"])
    kane, other = (m.build(formalism).simulate(4.0, samples=4) for formalism in ("kane", "newton_euler"))
    assert kane.values("twice")[-1] > 8 * np.pi
    np.testing.assert_allclose(other.values("twice"), kane.values("twice"), rtol=1e-7)


def crank(law: object) -> tr.Model:
    m = tr.Model("crank on two bearings", gravity=(0, 0, 0))
    body = m.body("crank", mass=1.0, inertia=0.1)
    m.connect(tr.Revolute("z"), m.ground, body, name="first", law=law)
    m.connect(tr.Revolute("z"), m.ground, body, name="second", law=law)
    m.output("twice", lambda s: 2 * s["second.angle"])
    return m


SPEEDS = [1.0, 5.0, -3.0]


def test_a_batch_reports_cases_whose_springs_are_wound_too_far() -> None:
    batch = crank(tr.Spring(0.05)).build().batch(1.0, {"first.angle_rate": SPEEDS}, samples=3)
    single = [crank(tr.Spring(0.05)).build().simulate(1.0, {"first.angle_rate": v}) for v in SPEEDS]
    assert batch.outcomes == [run.outcome.split(":")[0] for run in single] == ["FINISHED", "HALF_TURN", "FINISHED"]
    assert "second.angle" in batch.messages[1]
    np.testing.assert_allclose(batch.end("first.angle")[[0, 2]], [v * np.sin(1.0) for v in (1.0, -3.0)], rtol=1e-6)


@pytest.mark.parametrize("event", [False, True])
def test_angles_and_outputs_of_a_batch_count_the_turns(event: bool) -> None:
    m = crank(None)
    if event:
        m.event("passed", lambda s: s["first.angle"] - 2.0)
    batch = m.build().batch(4.0, {"first.angle_rate": SPEEDS}, samples=3)
    assert all(outcome == "FINISHED" for outcome in batch.outcomes)
    way = np.outer(SPEEDS, [0.0, 2.0, 4.0])
    np.testing.assert_allclose(batch["second.angle"], way, atol=1e-7)
    np.testing.assert_allclose(batch["twice"], 2 * way, atol=1e-7)
    np.testing.assert_allclose(batch.end("second.angle"), way[:, -1], atol=1e-7)
    np.testing.assert_allclose(batch.end("twice"), 2 * way[:, -1], atol=1e-7)
    ends = m.build().batch(4.0, {"first.angle_rate": SPEEDS})
    with pytest.warns(TurnsWarning, match="known up to whole turns"):
        ends.end("second.angle")


def test_a_screw_that_yields_along_its_axis_turns_many_times() -> None:
    """How far it has yielded does not jump by the lead where its angle passes half a turn."""
    m = tr.Model("screw", gravity=(0, 0, 0))
    nut = m.body("nut", mass=1.0, inertia=0.1)
    m.connect(tr.Helical("z", pitch=0.01), m.ground, nut, name="thread", compliance={"z": tr.Spring(1e4, 10.0)})
    m.start = {"thread.angle_rate": 5.0}
    runs = [m.build(formalism).simulate(3.0, samples=4) for formalism in ("kane", "newton_euler")]
    assert all(run.ok for run in runs)
    np.testing.assert_allclose(*[run.values("nut.position_z") for run in runs], atol=1e-7)
    assert runs[0].values("nut.position_z")[-1] == pytest.approx(0.15, rel=0.01)
