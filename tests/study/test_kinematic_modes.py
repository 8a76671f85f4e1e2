"""Linear equations about motion: modes of velocities alone, spinning bodies, turns; against runs and closed forms."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import fsolve
from test_steady_turns import nearest

import trundle as tr
from trundle.study.stability import SteadyMotions
from trundle.system import System


def trailer(length: float) -> tr.Model:
    """A cart on rails pulls a trailer on one wheel."""
    m = tr.Model("trailer")
    cart, bar = m.body("cart", mass=1.0, inertia=0.1), m.body("bar", mass=1.0, inertia=0.1)
    wheel = m.body("wheel", mass=0.1, inertia=(0.001, 0.002, 0.001))
    m.connect(tr.Prismatic("x"), m.ground, cart)
    m.connect(tr.Revolute("z"), cart, bar)
    m.connect(tr.Revolute("y"), bar.at(-length, 0, 0), wheel)
    road = tr.HigherPair(tr.Plane(), tr.CircleEdge(0.2))
    m.connect(road, m.ground.at(0, 0, -0.2), bar.at(-length, 0, 0), wheel=wheel, law=tr.NoSlip(), name="road")
    m.alias("speed", "cart.displacement_rate")
    return m


@pytest.mark.parametrize(("length", "speed"), [(1.0, 2.0), (1.0, -2.0), (0.3, 0.7), (2.5, -11.0)])
def test_hitch_angle_of_a_trailer(length: float, speed: float) -> None:
    """It decays by exp(-V t / l) when pulled and grows when pushed."""
    system = trailer(length).build()
    linear = system.linearise({"speed": speed})
    assert linear.steady and "bar.angle" in linear.names
    assert np.sort(linear.eigenvalues.real) == pytest.approx(np.sort([0.0, -speed / length]), abs=1e-9)
    run = system.simulate(length / abs(speed), {"speed": speed, "bar.angle": 1e-6}, samples=2)
    assert run.values("bar.angle")[-1] == pytest.approx(1e-6 * np.exp(-np.sign(speed)), rel=1e-6)


def test_a_trailer_is_stable_forwards() -> None:
    ((low, high),) = SteadyMotions(trailer(1.0).build()).stability(-3.0, 3.0, 13).ranges
    assert high == 3.0 and abs(low) < 1e-6


def disc(law: object) -> tr.Model:
    m = tr.Model("disc")
    body = m.body("disc", mass=2.0, inertia=(0.125, 0.25, 0.125))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(0.5)), m.ground, body, law=law, name="c")
    return m


@pytest.mark.parametrize("speed", [0.3, 3.0, 30.0])
def test_free_disc_that_sticks_equals_the_disc_of_the_tree(speed: float) -> None:
    rolling = disc(tr.NoSlip()).build().linearise({"c.x_rate": speed})
    free = {"disc.z": 0.5, "disc.x_rate": speed, "disc.angular_rate": (0, speed / 0.5, 0)}
    sticking = disc(tr.Coulomb(0.8)).build().linearise(free)
    assert sticking.steady
    assert nearest(sticking.eigenvalues, rolling.eigenvalues) < 1e-8 * speed
    assert nearest(rolling.eigenvalues, sticking.eigenvalues) < 1e-8 * speed


@pytest.mark.parametrize("heading", [0.0, 0.9])
def test_free_disc_in_a_steady_turn(heading: float) -> None:
    """The same turn described by the chain of its contact and by place and quaternion."""
    lean, turning, r, mass, I, C = 0.4, 1.7, 0.5, 2.0, 0.125, 0.25
    s, c = np.sin(lean), np.cos(lean)
    spin = (mass * 9.81 * r * s - I * turning**2 * s * c) / ((C + mass * r**2) * turning * c)
    state = {"c.roll": lean, "c.yaw_rate": -turning, "c.pitch_rate": spin + turning * s, "c.yaw": heading}
    tree = disc(tr.NoSlip()).build()
    run = tree.simulate(1e-3, state, samples=2)
    first = {f"disc.{n}": run.values(f"disc.{n}")[0] for n in ("position", "rotation", "velocity", "angular_velocity")}
    free = disc(tr.Coulomb(5.0)).build().linearise(first)
    expected = tree.linearise(state).eigenvalues
    assert free.steady
    assert nearest(free.eigenvalues, expected) < 1e-6


def car(joint: object) -> tr.Model:
    """A plane body on two smooth tyres, pushed along its axis: a single-track car."""
    m = tr.Model("car", gravity=(0, 0, 0))
    body = m.body("car", mass=1.0, inertia=(0.6, 0.7, 1.2))
    m.connect(joint, m.ground, body)
    steer = 0.1

    def push(place: tr.Frame, steer: float) -> None:
        def force(s: Any) -> list[object]:
            R, v = s.rotation(place), s.velocity(place)
            along = [R[0, 0] * v[0] + R[1, 0] * v[1] + R[2, 0] * v[2], R[0, 1] * v[0] + R[1, 1] * v[1] + R[2, 1] * v[2]]
            across = -np.sin(steer) * along[0] + np.cos(steer) * along[1]
            f = -6.0 * across
            return [-np.sin(steer) * f, np.cos(steer) * f, 0.0]

        m.apply(tr.Wrench(place, force=force, axes="body"))

    push(body.at(1.0, 0, 0), steer)
    push(body.at(-1.2, 0, 0), 0.0)

    def drive(s: Any) -> list[object]:
        R, v = s.rotation(body), s.velocity(body)
        return [2.0 - 0.4 * (R[0, 0] * v[0] + R[1, 0] * v[1] + R[2, 0] * v[2]), 0.0, 0.0]

    m.apply(tr.Wrench(body, force=drive, axes="body"))
    return m


def steady_turn(system: System, heading: float, free: bool) -> tuple[dict[str, object], np.ndarray]:
    """Speed, drift and turning of the car in which they do not change, and their exponents in axes of the car."""

    def state(z: np.ndarray, heading: float = heading) -> dict[str, object]:
        v, drift, turning = z
        direction = heading + drift
        rates: dict[str, object] = {"car.x_rate": v * np.cos(direction), "car.y_rate": v * np.sin(direction)}
        if free:
            quaternion = (np.cos(heading / 2), 0, 0, np.sin(heading / 2))
            return {**rates, "car.quaternion": quaternion, "car.angular_rate": (0, 0, turning)}
        return {**rates, "car.angle": heading, "car.angle_rate": turning}

    def change(z: np.ndarray) -> np.ndarray:
        a = system.accelerations(state(z))
        ax, ay = a["car.x_acceleration"], a["car.y_acceleration"]
        v, drift, turning = z
        direction = heading + drift
        along, across = np.cos(direction) * ax + np.sin(direction) * ay, np.cos(direction) * ay - np.sin(direction) * ax
        turn = a["car.angular_rate_acceleration"][2] if free else a["car.angle_acceleration"]
        return np.array([along, across / v - turning, turn])

    z = fsolve(change, [4.0, 0.0, 0.3], xtol=1e-12)
    columns = [(change(z + d) - change(z - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    return state(z), np.linalg.eigvals(np.array(columns).T)


@pytest.mark.parametrize("heading", [0.0, 0.7, 2.5])
@pytest.mark.parametrize("joint", [tr.Planar("z"), tr.Free()], ids=["planar", "free"])
def test_car_in_a_steady_turn(joint: object, heading: float) -> None:
    system = car(joint).build()
    state, expected = steady_turn(system, heading, isinstance(joint, tr.Free))
    linear = system.linearise(state)
    assert linear.steady
    assert nearest(linear.eigenvalues, expected) < 1e-6


def test_free_spinning_body() -> None:
    """Free rotor on springs through its centre: no mode but of springs, spin and the nutation C w / A."""
    m = tr.Model("rotor", gravity=(0, 0, 0))
    rotor = m.body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.2))
    m.connect(tr.Free(), m.ground, rotor, law={"x": tr.Spring(2.0), "y": tr.Spring(3.0), "z": tr.Spring(4.0)})
    linear = m.build().linearise({"rotor.angular_rate": (0, 0, 5.0)})
    expected = [0, 0, 0, *(s * 1j * w for s in (1, -1) for w in (*np.sqrt([2.0, 3.0, 4.0]), 10.0))]
    assert linear.steady
    assert (
        nearest(linear.eigenvalues, np.array(expected)) < 1e-7
        and nearest(np.array(expected), linear.eigenvalues) < 1e-7
    )


def test_spinning_body_in_springs_that_are_not_symmetric_is_not_steady() -> None:
    m = tr.Model("rotor", gravity=(0, 0, 0))
    rotor = m.body("rotor", mass=1.0, inertia=(0.1, 0.12, 0.2))
    m.connect(tr.Free(), m.ground, rotor)
    m.apply(tr.Bushing(m.ground, rotor, (1, 2, 3, 1, 2, 3)))
    assert not m.build().linearise({"rotor.angular_rate": (0, 0, 5.0)}).steady


def test_a_fast_rotor_does_not_hide_what_falls() -> None:
    m = tr.Model("rotor and pendulum")
    rotor, bob = m.body("rotor", mass=1.0, inertia=1.0), m.body("bob", mass=1.0, inertia=0.1, com=(0, 0, -1.0))
    m.connect(tr.Revolute("z"), m.ground, rotor)
    m.connect(tr.Revolute("y"), m.ground, bob)
    system = m.build()
    assert system.linearise({"rotor.angle_rate": 1e4}).steady
    assert not system.linearise({"rotor.angle_rate": 1e4, "bob.angle": 0.3}).steady


@pytest.mark.parametrize("stiffness", [1e2, 1e8])
def test_a_light_stiff_passenger_hides_no_mode(stiffness: float) -> None:
    """A mass of a milligram on a stiff spring in the wheel: its modes are those of the wheel alone."""
    alone = disc(tr.NoSlip()).build()
    m = disc(tr.NoSlip())
    m.connect(
        tr.Prismatic("y"), m.bodies["disc"], m.body("passenger", mass=1e-6, inertia=1e-12), law=tr.Spring(stiffness)
    )
    together = m.build()
    for speed in (0.1, 0.8, 1.2, 3.0):
        expected = alone.linearise({"c.x_rate": speed}).eigenvalues
        found = together.linearise({"c.x_rate": speed})
        assert "c.roll" in found.names
        assert nearest(found.eigenvalues, expected) < 1e-4
