"""Linear equations about steady turns against derivatives of the exact motion."""

import numpy as np
import pytest
from scipy.optimize import fsolve

import trundle as tr
from trundle.bicycle import benchmark
from trundle.system import System


def growth(system: System, state: dict[str, float], names: tuple[str, ...], t: float) -> np.ndarray:
    """Exponents of the motion over time t in the named states, by central differences of runs."""
    columns = []
    for name in names:
        ends = []
        for sign in (1, -1):
            run = system.simulate(t, {**state, name: state[name] + sign * 1e-5}, samples=2, rtol=1e-13, atol=1e-13)
            ends.append(np.array([run.values(n)[-1] for n in names]))
        columns.append((ends[0] - ends[1]) / 2e-5)
    return np.log(np.linalg.eigvals(np.array(columns).T).astype(complex)) / t


def nearest(found: np.ndarray, expected: np.ndarray) -> float:
    return max(float(np.min(np.abs(found - value))) for value in expected)


@pytest.mark.parametrize("yaw", [0.0, 0.9])
def test_disc_in_a_steady_turn(yaw: float) -> None:
    """Whatever its heading, also where a speed in ground axes rests for a moment (yaw = 0)."""
    lean, turning, r, mass, I, C = 0.4, 1.7, 0.5, 2.0, 0.125, 0.25
    s, c = np.sin(lean), np.cos(lean)
    spin = (mass * 9.81 * r * s - I * turning**2 * s * c) / ((C + mass * r**2) * turning * c)
    m = tr.Model("disc")
    body = m.body("disc", mass, (I, C, I))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(r)), m.ground, body, law=tr.NoSlip())
    state = {"disc.roll": lean, "disc.roll_rate": 0.0, "disc.yaw_rate": -turning, "disc.pitch_rate": spin + turning * s}
    system = m.build()
    linear = system.linearise({**state, "disc.yaw": yaw})
    assert linear.steady and set(linear.cyclic) == {"disc.x", "disc.y", "disc.yaw", "disc.pitch"}
    assert nearest(linear.eigenvalues, growth(system, state, tuple(state), 0.3)) < 1e-6


def test_bicycle_in_a_steady_turn() -> None:
    system = benchmark().build()

    def state(steer: float, wheel: float) -> dict[str, float]:
        return {"roll": 0.2, "steer": steer, "roll_rate": 0.0, "steer_rate": 0.0, "rear_angle_rate": wheel}

    def accelerations(z: np.ndarray) -> list[float]:
        found = system.accelerations(state(*z))
        return [found["rear.roll_acceleration"], found["steering.angle_acceleration"]]

    turn = state(*fsolve(accelerations, [-0.05, 15.0], xtol=1e-13))
    linear = system.linearise(turn)
    assert linear.steady and {"rear.x", "rear.y", "rear.yaw"} <= set(linear.cyclic)
    assert nearest(linear.eigenvalues, growth(system, turn, tuple(turn), 0.2)) < 1e-6
    other = system.linearise({**turn, "yaw": 1.3, "x": 2.0})
    assert nearest(other.eigenvalues, linear.eigenvalues) < 1e-9


def test_a_state_that_is_not_steady_is_reported() -> None:
    assert not benchmark().build().linearise({"speed": 5.0, "roll": 0.1}).steady
