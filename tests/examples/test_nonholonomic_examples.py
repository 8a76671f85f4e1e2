"""Examples whose wheels and blades hold velocities only: the sleigh, the snakeboard, the ball in a turning pipe."""

from collections.abc import Callable
from math import pi, sqrt

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from trundle import examples
from trundle.system import System

G = 9.81
TIGHT = {"rtol": 1e-13, "atol": 1e-13}


@pytest.fixture(scope="module")
def sleigh() -> System:
    return examples.model("chaplygin-sleigh").build()


@pytest.fixture(scope="module")
def board() -> System:
    return examples.model("snakeboard").build()


@pytest.mark.parametrize(("a", "v", "w"), [(0.2, -1.0, 0.1), (0.2, 0.5, -2.0), (0.05, -0.3, 1.5)])
def test_the_sleigh_follows_its_closed_form(sleigh: System, a: float, v: float, w: float) -> None:
    """m v' = m a w^2 and J w' = -m a v w have the solutions V tanh and W / cosh; the heading is a Gudermannian."""
    m, I = 2.0, 0.1
    J = I + m * a**2
    V = sqrt(v**2 + J * w**2 / m)
    W, b = np.sign(w) * V * sqrt(m / J), m * a * V / J
    t0 = -np.arctanh(v / V) / b

    def heading(t: float) -> float:
        return float(2 * W / b * (np.arctan(np.tanh(b * (t - t0) / 2)) + np.arctan(np.tanh(b * t0 / 2))))

    def velocity(t: float, component: Callable[[float], float]) -> float:
        return float(V * np.tanh(b * (t - t0)) * component(heading(t)))

    run = sleigh.simulate(10.0, {"blade.x_rate": v, "yaw_rate": w}, {"a": a}, samples=21, **TIGHT)
    t = run.time
    speed, turning = V * np.tanh(b * (t - t0)), W / np.cosh(b * (t - t0))
    assert run.values("speed") == pytest.approx(speed, abs=1e-10)
    assert run.values("yaw_rate") == pytest.approx(turning, abs=1e-10)
    assert run.values("yaw") == pytest.approx([heading(s) for s in t], abs=1e-10)
    place = [quad(velocity, 0, 10.0, (way,), epsabs=1e-13, epsrel=1e-13, limit=200)[0] for way in (np.cos, np.sin)]
    assert run.values("blade.contact_point")[-1, :2] == pytest.approx(place, abs=1e-10)
    side = m * (1 - m * a**2 / J) * speed * turning  # m (v w + a w')
    assert run.values("blade.slip_force_y") == pytest.approx(side, abs=1e-10)
    left, right = (run.values(f"{foot} foot.normal_force") for foot in ("left", "right"))
    assert right - left == pytest.approx(
        side * 0.1 / 0.15, abs=1e-10
    )  # the mass centre is 0.1 m above the blade's edge
    assert left + right == pytest.approx(m * G * a / 0.4, abs=1e-10)
    assert run.energy.drift < 1e-11


def gait(steer: float, twist: float, steer_rate: float, twist_rate: float, times: np.ndarray) -> np.ndarray:
    """Reduced equations of the snakeboard: place, heading and s.

    d'Alembert along the one motion that the wheels allow, (l cos f, 0, sin f) in the axes of the board, is
    m l cos f vx' + sin f (J w' + J_rotor p'') + 4 c (l^2 s' + k^2 sin f w') = 0 with vx = l s cos f and w = s sin f.
    The last part is that of the wheels, half a track k beside the middle: each turns with (l s -+ k (w +- f'))/r, and
    c = I/r^2.
    """
    l, k, wheel, c = 0.25, 0.07, 0.1, 0.1 / 2
    m = 2.0 + 3.0 + 2 * 0.3 + 4 * wheel
    J = 0.06 + 0.12 + 2 * (4e-4 + 0.3 * l**2) + 4 * wheel * (0.03**2 / 4 + l**2 + k**2)

    def rate(t: float, x: np.ndarray) -> list[float]:
        f, f_rate = steer * np.sin(steer_rate * t), steer * steer_rate * np.cos(steer_rate * t)
        twisting, sf, cf = -twist * twist_rate**2 * np.sin(twist_rate * t), np.sin(f), np.cos(f)
        inertia = m * l**2 * cf**2 + J * sf**2 + 4 * c * (l**2 + k**2 * sf**2)
        s_rate = -(x[3] * sf * cf * f_rate * (J - m * l**2 + 4 * c * k**2) + 0.12 * sf * twisting) / inertia
        return [l * x[3] * cf * np.cos(x[2]), l * x[3] * cf * np.sin(x[2]), x[3] * sf, s_rate]

    found = solve_ivp(rate, (0, times[-1]), np.zeros(4), "DOP853", times, rtol=1e-13, atol=1e-14)
    return np.asarray(found.y)


@pytest.mark.parametrize(
    ("steer", "twist", "steer_rate", "twist_rate"), [(0.4, 0.7, 4.0, 4.0), (0.7, 0.7, 2.0, 4.0), (0.7, 0.7, 4.0, 6.0)]
)
def test_the_gaits_of_the_snakeboard(
    board: System, steer: float, twist: float, steer_rate: float, twist_rate: float
) -> None:
    motion = {"steer": steer, "twist": twist, "steer_rate": steer_rate, "twist_rate": twist_rate}
    run = board.simulate(4 * pi, None, motion, samples=41, rtol=1e-12, atol=1e-12)
    x, y, heading, s = gait(steer, twist, steer_rate, twist_rate, run.time)
    place = np.column_stack([x, y, np.full_like(x, 0.03)])
    assert run.values("board.position") == pytest.approx(place, abs=1e-10)
    ahead = np.column_stack([np.cos(heading), np.sin(heading), 0 * x])
    assert run.values("board.rotation")[:, :3] == pytest.approx(ahead, abs=1e-10)
    end = run.values("board.position")[-1]
    if twist_rate == steer_rate:  # drives along
        assert end[0] > 10 and abs(end[1]) < 0.1
    elif twist_rate == 2 * steer_rate:  # turns on the spot
        assert heading[-1] > 2.5 and np.hypot(*end[:2]) < 0.15 and abs(s[-1]) < 1e-9
    else:  # parks: sideways without turning
        assert end == pytest.approx([0.0, 4 * 0.115, 0.03], abs=1e-3)
        assert end[0] == pytest.approx(0.0, abs=1e-9)
        assert ahead[-1] == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)


def test_the_board_has_one_freedom(board: System) -> None:
    """One of four normal forces is redundant, and on each axle one of the two lateral rows."""
    assert (board.mobility.freedoms, len(board.mobility.redundant)) == (1, 3)


def test_the_ball_in_the_pipe_does_not_fall_through() -> None:
    turning, f, m, across = -5.0, 9.0, 0.2, 0.5 - 0.05
    half = pi / (sqrt(2 / 7) * f)
    times = [0.0, half / 2, half, 2 * half]
    system = examples.model("ball-in-turning-pipe").build()
    start = {"wall.angle_rate": f - turning}
    run = system.simulate(2 * half, start, {"turning": turning}, samples=times, **TIGHT)
    depth = 5 * G / f**2
    assert run.values("z") == pytest.approx([0.0, -depth / 2, -depth, 0.0], abs=1e-11)
    assert run.values("wall.normal_force") == pytest.approx(m * across * f**2, abs=1e-10)
    assert run.values("wall.slip_force_y")[2] == pytest.approx(12 / 7 * m * G, abs=1e-10)
    round_trip = run.values("x")[-1], run.values("y")[-1]
    assert round_trip == pytest.approx((-across * np.sin(2 * half * f), across * np.cos(2 * half * f)), abs=1e-10)
