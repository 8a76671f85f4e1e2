"""The model of a bicycle with crooked hinges against the quartic of the loop, and the true one as its limit."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import trundle as tr
from trundle import examples
from trundle.bicycle import Loop, loop_pitch
from trundle.bicycle.whipple import benchmark, benchmark_parts, whipple
from trundle.examples.askew_bicycle import askew_loop

OTHER_ROAD = replace(askew_loop(2.0), road_normal=(0.05, -0.03, 1.0), road_point=(0.9, 0.1, 0.03))


@cache
def system(loop: Loop) -> tr.System:
    return whipple(benchmark_parts(), loop=loop).build()


@pytest.mark.parametrize("loop", [askew_loop(), OTHER_ROAD], ids=["one road", "two roads"])
def test_the_model_stands_where_the_loop_closes(loop: Loop) -> None:
    """Axes with z up change the sign of steer, yaw, pitch and the front hub; the rear hub is counted from the frame."""
    rng = np.random.default_rng(5)
    for roll, steer, rear, front, yaw, x, y in rng.uniform(-0.5, 0.5, (6, 7)):
        pose = {"roll": roll, "steer": -steer, "rear_angle": rear, "front_angle": -3 * front}
        state = system(loop).start({**pose, "yaw": -yaw, "x": x, "y": -y})
        wanted = loop_pitch(loop, roll, steer, rear, 3 * front, yaw=yaw, x=x, y=y).pitch
        assert loop.tilt - state.q[4] + rear == pytest.approx(wanted, abs=1e-12)


def test_hubs_that_are_turned_far_leave_the_bicycle_upright() -> None:
    """The frame could close the loop upside down as well, and from a quarter of a turn on that pose is nearer."""
    loop, angles = askew_loop(), np.array([0.5, 1.55, -3.0, 4.0])
    wanted = np.array([loop_pitch(loop, 0.0, 0.0, rear, 0.0).pitch for rear in angles])
    alone = [system(loop).start({"rear_angle": float(rear)}).q[4] for rear in angles]
    assert loop.tilt - np.array(alone) + angles == pytest.approx(wanted, abs=1e-12)
    batch = system(loop).batch(1e-6, {"rear_angle": angles, "speed": 0.0, "roll_rate": 0.0})
    assert np.asarray(batch.end("rear.pitch")) == pytest.approx(alone, abs=1e-9)


def test_without_faults_it_is_the_benchmark() -> None:
    state = {"roll": 0.2, "steer": 0.1, "rear_angle_rate": 12.0, "roll_rate": 0.3, "steer_rate": -0.4}
    true, askew = benchmark(0.02, 0.015).build(), system(askew_loop(0.0))
    a, pitch_rate = true.accelerations(state), true.start(state).u[4]
    b = askew.accelerations({**state, "rear.pitch_rate": 12.0 + pitch_rate})
    for name in (
        "rear hub.reaction_force",
        "front.reaction_force",
        "steering.reaction_moment",
        "steering.angle_acceleration",
    ):
        assert a[name] == pytest.approx(b[name], abs=1e-8), name
    crooked = system(askew_loop()).accelerations({**state, "rear.pitch_rate": 12.0 + pitch_rate})
    assert np.max(np.abs(crooked["front.reaction_force"] - a["front.reaction_force"])) > 1.0


def test_seven_coordinates_and_three_freedoms() -> None:
    mobility = system(askew_loop()).mobility
    assert (mobility.configuration, mobility.freedoms, mobility.redundant) == (7, 3, ())


@pytest.mark.slow
def test_the_wobble_grows_with_the_faults() -> None:
    """Half the faults, half the force that changes as the wheels turn."""

    def wobble(bend: float) -> float:
        run = examples.model("askew-bicycle", bend=bend).build().simulate(0.5, {"roll_rate": 0.0}, samples=201)
        assert run.ok and run.energy.drift < 1e-9
        return float(np.std(run.values("front.normal_force")))

    assert wobble(1.0) / wobble(0.5) == pytest.approx(2.0, rel=0.1)
