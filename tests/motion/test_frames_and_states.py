"""Frames that move with states of the model: given speed, feedback of a body, jumps of a state."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError

RADIUS = 50.0


def along_a_circle(s: Any) -> tuple[Any, ...]:
    place = s["s"]
    return RADIUS * tr.sin(place / RADIUS), RADIUS * (1 - tr.cos(place / RADIUS)), 0.3 * tr.sin(place / 9)


def heading(s: Any) -> tuple[str, Any]:
    return "z", s["s"] / RADIUS


def car_on_track(speed_rate: Any, **course: Any) -> tr.Model:
    m = tr.Model("follow")
    m.state("s", lambda s: s["V"], unit="m")
    m.state("V", speed_rate, unit="m/s")
    track = m.moving_frame("track", **(course or {"position": along_a_circle, "rotation": heading}))
    car = m.body("car", mass=3.0, inertia=(1, 2, 3.0))
    m.connect(tr.Free(), track, car)
    spring = tr.SpringDamper(m.ground.at(10, 0, 5), car.at(0.5, 0.2, 0), stiffness=30.0, damping=1.0, length=2.0)
    m.apply(spring, "spring")
    m.start = {"car.x_rate": 2.0}
    return m


@pytest.fixture(scope="module")
def followed() -> list[tr.Run]:
    runs = []
    for n in (3.0, 5.0):
        system = car_on_track(lambda s, n=n: n**2 * s["car.x"] + 2 * n * s["car.x_rate"]).build()
        runs += [system.simulate(3.0, rtol=1e-11, samples=7, formalism=f) for f in ("kane", "newton_euler")]
    return runs


def test_a_frame_that_follows_a_body_changes_nothing_whatever_its_gain(followed: list[tr.Run]) -> None:
    for run in followed:
        np.testing.assert_allclose(run.values("car.position"), followed[0].values("car.position"), atol=1e-9)
        assert run.energy.drift < 1e-9
    assert abs(followed[0].values("V")[-1] - followed[2].values("V")[-1]) > 0.1
    system = followed[0].system
    assert system is not None and float(abs(system.inertial_residual(followed[0])).max()) < 1e-12


def test_given_speed_is_as_if_the_place_were_given() -> None:
    states = car_on_track(lambda s: 0.4 + 0 * s["s"]).build().simulate(2.0, {"V": 1.5}, rtol=1e-11, samples=5)
    m = tr.Model("given")

    def position(s: Any) -> tuple[Any, ...]:
        return along_a_circle({"s": 1.5 * s.t + 0.2 * s.t**2})

    track = m.moving_frame("track", position, lambda s: ("z", (1.5 * s.t + 0.2 * s.t**2) / RADIUS))
    car = m.body("car", mass=3.0, inertia=(1, 2, 3.0))
    m.connect(tr.Free(), track, car)
    spring = tr.SpringDamper(m.ground.at(10, 0, 5), car.at(0.5, 0.2, 0), stiffness=30.0, damping=1.0, length=2.0)
    m.apply(spring, "spring")
    given = m.build().simulate(2.0, {"car.x_rate": 2.0}, rtol=1e-11, samples=5)
    for name in ("car.x", "car.y", "car.quaternion", "car.imaginary_gyroscopic_force", "car.imaginary_rotation_moment"):
        np.testing.assert_allclose(states.values(name), given.values(name), atol=1e-8, err_msg=name)


def test_an_object_that_gives_its_rates_needs_those_of_states() -> None:
    class Circle:
        def frame_state(self, s: Any) -> Any:
            a, v, A = s["s"] / RADIUS, s["V"], s.rate("V")
            R = [[tr.cos(a), -tr.sin(a), 0], [tr.sin(a), tr.cos(a), 0], [0, 0, 1]]
            p = (RADIUS * tr.sin(a), RADIUS * (1 - tr.cos(a)), 0)
            return SimpleNamespace(
                R=R, p=p, v=(v, 0, 0), w=(0, 0, v / RADIUS), a=(A, v**2 / RADIUS, 0), eps=(0, 0, A / RADIUS)
            )

    def flat(s: Any) -> tuple[Any, ...]:
        return (*along_a_circle(s)[:2], 0)

    runs = []
    for course in ({"motion": Circle()}, {"position": flat, "rotation": heading}):
        m = car_on_track(lambda s: 9 * s["car.x"] + 6 * s["car.x_rate"], **course)
        runs.append(m.build().simulate(2.0, rtol=1e-11, samples=5))
    np.testing.assert_allclose(runs[0].values("car.x"), runs[1].values("car.x"), atol=1e-9)
    np.testing.assert_allclose(runs[0].values("V"), runs[1].values("V"), atol=1e-8)


def test_a_state_that_jumps_keeps_the_velocities() -> None:
    m = car_on_track(lambda s: 0.0)
    m.forces.clear()
    m.gravity = (0.0, 0.0, 0.0)
    m.event("kick", lambda s: s.t - 0.5, 1, {"V": lambda s: 3.0 * s["V"]})
    run = m.build().simulate(1.0, {"V": 2.0}, rtol=1e-11, samples=11)
    velocity = run.values("car.velocity")
    np.testing.assert_allclose(velocity, [velocity[0]] * 11, atol=1e-9)
    assert abs(run.values("car.x_rate")[-1] - run.values("car.x_rate")[0]) > 3.0


def test_motions_that_would_depend_on_accelerations() -> None:
    m = tr.Model("circle")
    m.state("s", lambda s: s["b.angle_rate"])
    m.connect(tr.Revolute("z"), m.moving_frame("f", lambda s: (s["s"], 0, 0)), m.body("b", mass=1, inertia=1))
    with pytest.raises(ModelError, match="its acceleration would depend on accelerations"):
        m.build()
    m = car_on_track(lambda s: s["track.acceleration_x"])
    with pytest.raises(ModelError, match="depends on the acceleration of a frame"):
        m.build()
