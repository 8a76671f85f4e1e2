"""Events that change the motion of a frame at once: bodies keep their velocities in the ground, or in the frame."""

from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError


def stopped_turntable(pair: Any, keeps: str = "absolute", action: bool = True, **body: Any) -> tr.Model:
    """A frame that turns and slides, and is stopped at t = 0.5; its pose is continuous."""
    m = tr.Model("stopped", gravity=(0, 0, 0))
    rate = m.parameter("rate", 2.0)
    turned = m.parameter("turned", 0.0)
    speed = m.parameter("speed", 1.5)
    gone = m.parameter("gone", 0.0)
    table = m.moving_frame(
        "table", lambda s: (gone + speed * (s.t - 0.5), 0.2, 0.0), lambda s: ("z", turned + rate * (s.t - 0.5))
    )
    m.connect(pair, table.at(0.3, 0.1, 0), m.body("b", **{"mass": 1.2, "inertia": (0.1, 0.2, 0.3), **body}), name="b")
    stop: Any = {"rate": lambda s: 0.4, "speed": lambda s: -0.7}
    m.event("stop", lambda s: s.t - 0.5, 1, stop if action else "record", keeps)
    return m


STOP = {"rate": 0.4, "speed": -0.7}
TIMES = (0.0, 0.4999999999, 0.5000000001, 1.0)  # around the event


@pytest.mark.parametrize("by_python", [False, True])
def test_a_free_body_flies_on(by_python: bool) -> None:
    system = stopped_turntable(tr.Free(), action=not by_python, com=(0.1, 0, 0.2)).build()
    start = {"b.velocity": (0.3, 0.4, -0.2), "b.angular_velocity": (0.5, -0.3, 0.8)}
    on_event = (lambda name, t, state: STOP) if by_python else None
    run = system.simulate(1.0, start, rtol=1e-11, samples=21, on_event=on_event)
    assert run.parameters["rate"] == 2.0 and len(run.events) == 1
    momentum = run.values("b.com_velocity")
    np.testing.assert_allclose(momentum, [momentum[0]] * len(momentum), atol=1e-9)
    assert np.ptp(run.values("energy.kinetic")) < 1e-9
    free = tr.Model("free", gravity=(0, 0, 0))
    free.connect(tr.Free(), free.ground, free.body("b", mass=1.2, inertia=(0.1, 0.2, 0.3), com=(0.1, 0, 0.2)))
    first = {**start, "b.position": run.values("b.position")[0], "b.orientation": run.values("b.orientation")[0]}
    first["b.quaternion"] = first.pop("b.orientation")
    other = free.build().simulate(1.0, first, rtol=1e-11, samples=21)
    np.testing.assert_allclose(run.values("b.rotation"), other.values("b.rotation"), atol=1e-8)


def test_absolute_coordinates_jump_alike() -> None:
    for pair in (tr.Free(), tr.Revolute("z"), tr.Prismatic((1, 1, 0))):
        system = stopped_turntable(pair, com=(0.4, 0, 0)).build()
        runs = [system.simulate(1.0, rtol=1e-11, samples=11, formalism=f) for f in ("kane", "newton_euler")]
        a, b = (run.values("b.com_position") for run in runs)
        np.testing.assert_allclose(a, b, atol=1e-8)
    with pytest.raises(ModelError, match="keeps the velocities in it"):
        stopped_turntable(tr.Free(), keeps="relative").build("newton_euler").simulate(1.0)


def test_where_a_joint_hinders_the_change_takes_least_kinetic_energy() -> None:
    """A hinge about z: only its own speed can change; the impulse of the hinge does no work on that freedom."""
    system = stopped_turntable(tr.Revolute("z"), com=(0.4, 0, 0)).build()
    run = system.simulate(1.0, {"b.angle_rate": 0.7, "b.angle": 0.3}, rtol=1e-11, samples=TIMES)
    v, w, p = (run.values(f"b.{name}") for name in ("velocity", "angular_velocity", "position"))
    centre = run.values("b.com_position")
    vc = run.values("b.com_velocity")
    # angular momentum about the hinge, which moves: impulses act there
    about = [0.3 * w[i, 2] + 1.2 * np.cross(centre[i] - p[i], vc[i])[2] for i in (1, 2)]
    np.testing.assert_allclose(about[0], about[1], rtol=1e-8)
    assert abs(v[1, 0] - v[2, 0]) > 1.0 and run.energy.drift < 1e-9


def test_the_other_choice_keeps_the_speeds() -> None:
    system = stopped_turntable(tr.Free(), keeps="relative").build()
    run = system.simulate(1.0, {"b.x_rate": 0.3}, rtol=1e-11, samples=TIMES)
    np.testing.assert_allclose(run.values("b.x_rate")[1], run.values("b.x_rate")[2], atol=1e-8)
    assert abs(np.diff(run.values("b.velocity")[1:3, 0])[0]) > 2.0


def test_loops_hold_after_the_jump() -> None:
    """A bar between a hinge on the frame and a slide on the ground."""
    m = tr.Model("loop", gravity=(0, 0, 0))
    rate = m.parameter("rate", 1.0)
    table = m.moving_frame("table", rotation=lambda s: ("z", rate * (s.t - 0.2)))
    crank, block = m.body("crank", mass=1, inertia=0.1, com=(0.2, 0, 0)), m.body("block", mass=2, inertia=0.1)
    m.connect(tr.Revolute("z"), table.at(0.1, 0, 0), crank)
    m.connect(tr.Prismatic("x"), m.ground, block, name="slide")
    m.connect(tr.Revolute("z"), crank.at(0.5, 0, 0), block, name="pin")
    m.event("stop", lambda s: s.t - 0.2, 1, {"rate": lambda s: -3.0})
    m.start = {"crank.angle": 0.2}
    run = m.build().simulate(0.4, rtol=1e-11)
    assert run.ok and len(run.events) == 1 and run.energy.drift < 1e-8
    gap = run.values("block.position") - run.values("crank.position")
    np.testing.assert_allclose(np.linalg.norm(gap, axis=1), 0.5, atol=1e-9)


def test_an_unknown_choice() -> None:
    with pytest.raises(ModelError, match="keeps is 'absolute'"):
        stopped_turntable(tr.Free(), keeps="both")
