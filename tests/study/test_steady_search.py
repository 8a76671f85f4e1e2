"""system.steady: closed forms, independent searches, and motions that stay as they are."""

import numpy as np
import pytest
from scipy.optimize import fsolve

import trundle as tr
from trundle import examples
from trundle.bicycle import benchmark
from trundle.study.steady_motion import _made

G = 9.81


def stays(system: tr.System, state: dict[str, float], names: tuple[str, ...], duration: float = 10.0) -> float:
    """How far the named quantities leave their first values."""
    run = system.simulate(duration, state, rtol=1e-13, atol=1e-14, samples=101)
    assert run.ok
    return max(float(np.max(np.abs(run.values(n) - run.values(n)[0]))) for n in names)


@pytest.fixture(scope="module")
def bicycle() -> tr.System:
    return benchmark_with_display()


def benchmark_with_display() -> tr.System:
    """With a display that lags behind the steering, and the distance travelled."""
    m = benchmark()
    m.block(tr.FirstOrderLag(lambda s: s["steer"], 0.3), "display")
    m.state("travelled", lambda s: s["speed"], unit="m")
    return m.build()


def test_bicycle_in_a_turn(bicycle: tr.System) -> None:
    """Hands free: the lean decides steer and speed, as a search over accelerations finds them too."""
    turn = bicycle.steady({"roll": 0.2}, {"speed": 5.0})

    def state(steer: float, wheel: float) -> dict[str, float]:
        return {"roll": 0.2, "steer": steer, "roll_rate": 0.0, "steer_rate": 0.0, "rear_angle_rate": wheel}

    def accelerations(z: np.ndarray) -> list[float]:
        found = bicycle.accelerations(state(*z))
        return [found["rear.roll_acceleration"], found["steering.angle_acceleration"]]

    steer, wheel = fsolve(accelerations, [-0.05, 15.0], xtol=1e-13)
    assert abs(turn["steering.angle"] - steer) < 1e-10 and abs(turn["rear hub.angle_rate"] - wheel) < 1e-8
    assert abs(turn["display.output"] - steer) < 1e-10
    assert stays(bicycle, turn, ("roll", "steer", "speed", "yaw_rate", "display.output")) < 1e-9
    linear = bicycle.linearise(turn)
    assert linear.steady and "travelled" in linear.cyclic and "travelled" not in linear.names
    assert np.min(np.abs(linear.eigenvalues + 1 / 0.3)) < 1e-9


def test_equations_are_derived_once_and_given_values_are_not_part_of_them(bicycle: tr.System) -> None:
    found = [bicycle.steady({"roll": roll}, {"speed": 5.0}) for roll in (0.15, 0.1)]
    kept = bicycle.formulation.by_kane.once(_made)
    assert sum(given == ("rear.roll",) for _, given, _ in kept) == 1
    assert found[1] == benchmark_with_display().steady({"roll": 0.1}, {"speed": 5.0})


def test_bicycle_by_its_speed(bicycle: tr.System) -> None:
    """Given speed: the upright motion is steady at any, a turn only from some speed on."""
    straight = bicycle.steady({"speed": 5.0, "roll": 0.0})
    assert abs(straight["steering.angle"]) < 1e-12 and abs(straight["rear.yaw_rate"]) < 1e-12
    exact = np.array([-14.078389692, -0.775341882, -0.322866429])  # [Meijaard et al. 2007, Table 2], v = 5 m/s
    found = bicycle.linearise(straight).eigenvalues
    for value in (exact[0], exact[2], exact[1] + 4.464867713j):
        assert np.min(np.abs(found - value)) < 1e-8
    with pytest.raises(tr.TrundleError, match=r"with 'roll' and 'speed' given: not all|would still change"):
        bicycle.steady({"roll": 0.2, "speed": 5.0})


def governor(I: float, mass: float, length: float) -> tr.Model:
    """A shaft with one ball on a massless arm."""
    m = tr.Model("governor")
    shaft = m.body("shaft", 1.0, (I, I, I))
    arm = m.body("arm", mass, 0.0, com=(0, 0, -length))
    m.connect(tr.Revolute("z"), m.ground, shaft)
    m.connect(tr.Revolute("y"), shaft, arm)
    m.state("turned", lambda s: s["shaft.angle_rate"], unit="rad")
    m.state("raised", lambda s: 4 * (s["arm.com_position_z"] - s["raised"]), unit="m")
    return m


@pytest.mark.parametrize(
    ("I", "mass", "length", "speed"), [(0.3, 2.0, 0.5, 6.0), (50.0, 0.1, 2.0, 2.9), (1e-3, 8.0, 0.05, 31.0)]
)
def test_governor_at_speed(I: float, mass: float, length: float, speed: float) -> None:
    """cos(angle) = g / (l w^2); small motions at n^2 = w^2 sin^2 (1 + 4 m l^2 cos^2 / (I + m l^2 sin^2))."""
    system = governor(I, mass, length).build()
    cosine = G / (length * speed**2)
    found = system.steady({"shaft.angle_rate": speed}, {"arm.angle": -0.8 * np.arccos(cosine)})
    assert abs(np.cos(found["arm.angle"]) - cosine) < 1e-12
    assert abs(found["raised"] + length * cosine) < 1e-12 * length
    assert found["shaft.angle_rate"] == speed
    sine2, m_l2 = 1 - cosine**2, mass * length**2
    n = speed * np.sqrt(sine2 * (1 + 4 * m_l2 * cosine**2 / (I + m_l2 * sine2)))
    linear = system.linearise(found)
    assert linear.steady and set(linear.cyclic) == {"shaft.angle", "turned"}
    assert np.min(np.abs(linear.eigenvalues - 1j * n)) < 1e-8 * n and np.min(np.abs(linear.eigenvalues + 4)) < 1e-8
    assert stays(system, found, ("arm.angle", "shaft.angle_rate", "raised"), 3.0) < 1e-9


def test_stiff_governor() -> None:
    """Springs of 8e5 N/m do not keep Newton's method from it."""
    system = examples.model("flyball-governor").build()
    found = system.steady({"shaft.angle_rate": 6.0})
    assert system.linearise(found).steady
    assert abs(found["right arm.angle"] - found["left arm.angle"]) < 1e-10
    values = system.accelerations(found)
    assert abs(values["sleeve.displacement_acceleration"]) < 1e-6 and abs(values["shaft.angle_acceleration"]) < 1e-9


def test_disc_in_a_turn() -> None:
    """Lean and turning given: spin by the closed form of [Kane 1985]-like textbooks, whatever heading and place."""
    lean, turning, r, mass, I, C = 0.4, 1.7, 0.5, 2.0, 0.125, 0.25
    s, c = np.sin(lean), np.cos(lean)
    spin = (mass * G * r * s - I * turning**2 * s * c) / ((C + mass * r**2) * turning * c)
    m = tr.Model("disc")
    body = m.body("disc", mass, (I, C, I))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(r)), m.ground, body, law=tr.NoSlip())
    system = m.build()
    given = {"disc.roll": lean, "disc.yaw_rate": -turning, "disc.yaw": 0.9, "disc.x": 3.0}
    found = system.steady(given, {"disc.pitch_rate": 1.0})
    assert abs(found["disc.pitch_rate"] - (spin + turning * s)) < 1e-10 and abs(found["disc.roll_rate"]) < 1e-12
    assert stays(system, found, ("disc.roll", "disc.yaw_rate", "disc.pitch_rate"), 2.0) < 1e-9


@pytest.mark.parametrize(("r", "mass"), [(0.5, 1.0), (0.012, 0.007), (1e-3, 1e-6), (20.0, 1e5)])
def test_a_disc_of_any_size_turns_steadily(r: float, mass: float) -> None:
    """Lean and spin given; a coin has round-off in its yaw acceleration that is not small for so small a number."""
    lean, s, c = 0.35, np.sin(0.35), np.cos(0.35)
    spin = 2.0 * np.sqrt(G / r)  # twice the scale of the speed above which it rolls upright
    m = tr.Model("disc")
    body = m.body("disc", mass, (mass * r**2 / 4, mass * r**2 / 2, mass * r**2 / 4))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(r)), m.ground, body, law=tr.NoSlip())
    system = m.build()
    found = system.steady({"disc.roll": lean, "disc.pitch_rate": spin})
    turning = -found["disc.yaw_rate"]
    balance = 1.5 * (spin - turning * s) * turning * c + 0.25 * turning**2 * s * c - G / r * s
    assert abs(balance) < 1e-10 * G / r
    assert stays(system, found, ("disc.roll",), 20 / spin) < 1e-7
    assert system.linearise(found).steady


@pytest.mark.parametrize("fast", [False, True])
def test_precession_of_a_top(fast: bool) -> None:
    """Both roots of C n W - A W^2 cos = m g l at a given lean and spin, with a ball joint."""
    A, C, mass, arm, lean, spin = 0.02, 0.005, 0.7, 0.1, 0.6, 60.0
    m = tr.Model("top")
    m.connect(tr.Spherical(), m.ground, m.body("top", mass, (A - mass * arm**2, A - mass * arm**2, C), com=(0, 0, arm)))
    quaternion = (np.cos(lean / 2), np.sin(lean / 2), 0.0, 0.0)
    roots = np.sort(np.roots([-A * np.cos(lean), C * spin, -mass * G * arm]))
    system = m.build()
    near = 1.2 * roots[int(fast)] * np.sin(lean)
    found = system.steady({"top.quaternion": quaternion, "top.angular_rate_z": spin}, {"top.angular_rate_y": near})
    assert abs(found["top.angular_rate"][1] / np.sin(lean) - roots[int(fast)]) < 1e-9 * roots[1]
    assert abs(found["top.angular_rate"][0]) < 1e-10
    run = system.simulate(1.0, found, rtol=1e-12)
    assert np.ptp(run.values("top.com_position_z")) < 1e-9
    assert system.linearise(found).steady


def test_all_formalisms_solve_the_same_equations(bicycle: tr.System) -> None:
    other = bicycle.in_formalism("newton_euler").steady({"roll": 0.1}, {"speed": 5.0})
    found = bicycle.steady({"roll": 0.1}, {"speed": 5.0})
    assert all(abs(found[name] - other[name]) < 1e-9 for name in ("steering.angle", "rear.yaw_rate", "rear.roll"))


def test_what_has_no_steady_motion() -> None:
    m = governor(0.3, 2.0, 0.5)
    system = m.build()
    with pytest.raises(tr.TrundleError, match=r"such as \{'shaft.angle_rate': 10.0\}"):
        system.steady(6.0)  # type: ignore[arg-type]
    with pytest.raises(tr.TrundleError, match=r"there is no .* called 'shaft\.angel_rate'. Did you mean"):
        system.steady({"shaft.angel_rate": 3.0})
    m.apply(tr.CoordinateForce("shaft.angle", tr.Damper(0.1)))
    with pytest.raises(tr.TrundleError, match=r"would still change at .* per second"):
        m.build().steady({"shaft.angle_rate": 6.0}, {"arm.angle": -0.5})
    m = governor(0.3, 2.0, 0.5)
    m.apply(tr.CoordinateForce("arm.angle", lambda s: tr.sin(s.t)))
    with pytest.raises(tr.TrundleError, match="change with time"):
        m.build().steady({"shaft.angle_rate": 6.0}, {"arm.angle": -0.5})
