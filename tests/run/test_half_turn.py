"""Laws on angles beyond half a turn, where these are measured: told, or right."""

import numpy as np
import pytest

import trundle as tr


def hinge(law: object, speed: float = 5.0) -> tr.Model:
    m = tr.Model("hinge", gravity=(0, 0, 0))
    m.connect(tr.Revolute("z"), m.ground, m.body("rotor", mass=1.0, inertia=0.1), law=law)
    m.start = {"rotor.angle_rate": speed}
    return m


def test_a_spring_wound_by_more_than_half_a_turn_is_told_of() -> None:
    run = hinge(tr.Spring(0.05)).build("newton_euler").simulate(2.0)
    assert run.outcome.startswith("HALF_TURN") and not run.ok
    assert "'rotor.angle' passed half a turn at t = 0.6" in run.outcome
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
