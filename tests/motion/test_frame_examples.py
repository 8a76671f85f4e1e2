"""The examples with moving frames against closed forms."""

import warnings

import numpy as np
import pytest
from scipy.optimize import brentq

import trundle as tr
from trundle import examples
from trundle.errors import FrozenTimeWarning

G = 9.81
DAY = 2 * np.pi / 7.292115e-5  # s, sidereal


def test_the_plane_of_foucaults_pendulum_turns_by_the_sine_of_the_latitude() -> None:
    """From one pair of turning points of the bob to another a sidereal day later, in the frame of the floor; the middle
    of a pair is where the bob would hang at rest, aside by the centrifugal force.
    """
    model = examples.model("foucault-pendulum")
    names = ("hall.angle", "hall.cross_angle")
    model.event("far", lambda s: sum(s[name] * s[f"{name}_rate"] for name in names), -1)
    system = model.build()
    swing = 2 * np.pi * np.sqrt(67 / G)
    start, last = {"hall.angle": 1e-4}, (round(DAY / swing) + 0.7) * swing
    run = system.simulate(last, start, rtol=1e-12, samples=2)
    far = np.array([t for name, t in run.events if name == "far"])
    pairs = far[[0, 1, -2, -1]]
    again = system.simulate(pairs[-1], start, rtol=1e-12, samples=pairs)
    angle, cross = (again.values(name) for name in names)
    x, y = -np.sin(cross), np.sin(angle) * np.cos(cross)
    heading = [np.arctan2(x[i + 1] - x[i], y[i + 1] - y[i]) for i in (0, 2)]
    expected = 2 * np.pi * np.sin(0.8525) * (pairs[2] + pairs[3] - pairs[0] - pairs[1]) / 2 / DAY
    turned = heading[1] - heading[0]
    turned += np.pi * round((expected - turned) / np.pi)  # to and fro
    np.testing.assert_allclose(turned, expected, rtol=1e-6)


def test_the_modes_of_foucaults_pendulum() -> None:
    linear = examples.model("foucault-pendulum").build().linearise({"hall.angle": 0.0})
    rates = sorted(w for w in linear.eigenvalues.imag if w > 0)
    np.testing.assert_allclose((rates[1] - rates[0]) / 2, 7.292115e-5 * np.sin(0.8525), rtol=1e-6)


def test_a_satellite_drifts_by_the_equations_of_clohessy_and_wiltshire() -> None:
    system = examples.model("satellite").build()
    n = np.sqrt(3.986004418e14 / 7.0e6**3)
    x0, y0, z0, vx, vy, vz = 0.1 * np.array([1.0, -2.0, 0.5, 1e-3, -2 * n * 1.0 + 5e-4, 2e-4])
    start = {"satellite.x": x0, "satellite.y": y0, "satellite.z": z0}
    start |= {
        "satellite.x_rate": vx,
        "satellite.y_rate": vy,
        "satellite.z_rate": vz,
        "satellite.angular_rate": (0, 0, 0),
    }
    run = system.simulate(6000.0, start, rtol=1e-12, samples=7)
    t = run.time
    s, c = np.sin(n * t), np.cos(n * t)
    x = (4 - 3 * c) * x0 + s / n * vx + 2 / n * (1 - c) * vy
    y = 6 * (s - n * t) * x0 + y0 - 2 / n * (1 - c) * vx + (4 * s - 3 * n * t) / n * vy
    z = c * z0 + s / n * vz
    for name, wanted in (("x", x), ("y", y), ("z", z)):
        np.testing.assert_allclose(run.values(f"satellite.{name}"), wanted, atol=1e-6 * np.max(np.abs(wanted)))


def test_gravity_gradient_makes_the_satellite_librate() -> None:
    """Pitch with its long axis up: n sqrt(3 (J_y - J_x) / J_z)."""
    system = examples.model("satellite").build()
    n = np.sqrt(3.986004418e14 / 7.0e6**3)
    state = {"satellite.x": 0.0, "satellite.z": 0.0}
    rates = np.abs(system.linearise(state).eigenvalues.imag)
    assert np.min(np.abs(rates / (n * np.sqrt(3 * (60 - 10) / 65)) - 1)) < 1e-6


def test_a_lamp_in_a_small_swell() -> None:
    """Steady swing of a small pendulum whose hook sways; its inertia makes it a little slower."""
    system = examples.model("lamp-on-ship").build()
    roll, rate, inertia = 1e-4, 0.8, 0.001 / 2
    hook = 3.0 * roll * rate**2  # amplitude of the acceleration of the hook, to the other side
    amplitude = -hook / (G - (1 + inertia) * rate**2)  # of the lamp in the ground
    start = {"lamp.angle_rate": (amplitude - roll) * rate}
    run = system.simulate(10.0, start, {"roll": roll, "heave": 0.0}, rtol=1e-11)
    wanted = (amplitude - roll) * np.sin(rate * run.time)
    np.testing.assert_allclose(run.values("lamp.angle"), wanted, atol=2e-6 * roll + 1e-10)


def test_the_slant_of_the_seat() -> None:
    system = examples.model("carousel").build()
    slant = brentq(lambda a: np.tan(a) - 1.5**2 * (4 + 3 * np.sin(a)) / G, 0.1, 1.4)
    found = system.equilibrium({"seat.angle": 0.7})
    np.testing.assert_allclose(found["seat.angle"], slant, rtol=1e-9)
    run = system.simulate(5.0, {"seat.angle": slant})
    np.testing.assert_allclose(run.values("seat.angle"), slant, atol=1e-8)
    slow = np.sqrt(G / 3 * np.cos(slant) + 1.5**2 * ((4 / 3 + np.sin(slant)) * np.sin(slant) - np.cos(slant) ** 2))
    np.testing.assert_allclose(max(system.linearise({"seat.angle": slant}).eigenvalues.imag), slow, rtol=1e-9)


@pytest.mark.parametrize("name", ["carousel", "foucault-pendulum", "satellite"])
def test_steady_frames_have_eigenvalues_that_last(name: str, recwarn: pytest.WarningsRecorder) -> None:
    system = examples.model(name).build()
    assert not any(
        system.linearise({"satellite.x": 0.0, "satellite.z": 0.0} if name == "satellite" else {}, t=t).frozen
        for t in (0.0, 7.0)
    )
    assert not [w for w in recwarn if w.category is FrozenTimeWarning]


def test_eigenvalues_in_an_unsteady_frame_are_reported_to_hold_at_one_time() -> None:
    """A lamp under a hook that heaves: (g + a) / l at that time; a force that depends on time does not count."""
    system = examples.model("lamp-on-ship").build()
    with pytest.warns(FrozenTimeWarning, match="at t = 1 s, frozen at that time.*Linearise where frames") as told:
        linear = system.linearise({"lamp.angle": 0.0}, {"roll": 0.0, "heave": 0.5}, t=1.0)
    assert linear.frozen and told[0].filename == __file__
    for t in (0.0, np.pi / 1.6):  # also where the rate of change passes zero
        with pytest.warns(FrozenTimeWarning):
            system.linearise({"lamp.angle": 0.0}, {"roll": 0.1, "heave": 0.5}, t=t)
    m = tr.Model("shaken")
    motor = tr.Spring(3.0) + tr.Motor(lambda t, q, u: tr.sin(5 * t))
    m.connect(tr.Prismatic("x"), m.ground, m.body("cart", mass=1.0), law=motor)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not m.build().linearise().frozen


def test_a_frame_that_follows_a_puck_does_not_change_its_motion() -> None:
    system = examples.model("following-frame").build()
    runs = [system.simulate(15.0, parameters={"gain": n}, rtol=1e-12, samples=16) for n in (3.0, 0.5)]
    a, b = (run.values("puck.position") for run in runs)
    np.testing.assert_allclose(a, b, atol=1e-9)
    assert np.max(np.abs(runs[0].values("V") - runs[1].values("V"))) > 1e-3  # the frames differ
    assert all(run.energy.drift < 1e-9 for run in runs)
