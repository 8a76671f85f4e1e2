"""The wheel of [Ikoki 2021] with k_s and k_f other than 1: its Figs. 3 and 4, and the final values of slips."""

from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.examples import slippery_wheel as paper


def driven(torque: float, k_s: float, k_f: float, v0: float, end: float = 20.0, mu: Any = None) -> tuple[Any, Any]:
    """Slip of the rim and speed of the centre (m/s)."""
    law = tr.Relaxed(mu or paper.spell(), k_s, k_f, traction=paper.traction(torque), v0=v0)
    run = paper.driven(law, torque).build().simulate(end, samples=401, method="stiff", rtol=1e-8)
    return -run.values("tyre.slip_x"), run.values("wheel.velocity")[:, 0]


@pytest.mark.parametrize(
    ("numbers", "slips", "speeds"),
    [((3, 3, 1.0), (22.64, 10.36), (1.970, 2.885)), ((2, 6, 0.1), (20.23, 1.353), (1.984, 3.238))],
)
def test_spins_slows_down_and_regains_traction(numbers: Any, slips: Any, speeds: Any) -> None:
    """Fig. 4: 60 N m; largest slip and least speed on the slippery ground, and both at 20 s."""
    slip, speed = driven(60.0, *numbers)
    assert (np.max(slip), slip[-1]) == pytest.approx(slips, rel=2e-3)
    assert (np.min(speed[100:]), speed[-1]) == pytest.approx(speeds, abs=2e-3)


def test_rolls_in_spite_of_low_friction() -> None:
    """Fig. 3: 20 N m; the slip stays small and decreases again."""
    slip, speed = driven(20.0, 2, 6, 0.1)
    assert np.max(slip) == pytest.approx(0.126, abs=2e-3)
    assert slip[-1] == pytest.approx(0.055, abs=1e-3)
    assert np.min(speed[100:]) > 1.74


def test_the_largest_slip_by_the_paper_s_matrices() -> None:
    """The same wheel from Eqs. 17 and 18 with full matrices and another integrator: 0.1264 m/s, not 0.1."""
    from scipy.integrate import solve_ivp

    mass, radius = np.diag([paper.MASS, paper.MASS, paper.INERTIA]), paper.RADIUS
    root, A = np.sqrt(np.linalg.inv(mass)), np.array([[0.0, 1.0, 0.0], [1.0, 0.0, -radius]])

    def rates(t: float, v: Any) -> Any:
        pull = 20.0 * np.tanh(0.5 * t) / radius
        limit = (0.3 + 0.6 * np.tanh((t - 10) / 2) ** 4) * paper.WEIGHT
        drag = -1.7 * v[0] * abs(v[0]) / radius**2
        a = np.linalg.inv(mass) @ [drag, -paper.WEIGHT, radius * pull - 0.34 * v[2]]
        s = 1 - np.tanh(2 * pull / (3 * limit)) ** 2
        friction = limit * np.tanh(6 * pull / (3 * limit)) * np.tanh((radius * v[2] - v[0]) / 0.1)
        N = np.diag([1.0, s])
        X = root @ np.linalg.pinv(np.linalg.pinv(N) @ A @ root) @ N
        C = np.linalg.inv(mass) @ [friction, 0.0, -radius * friction]
        return a - X @ A @ a + (np.eye(3) - X @ A) @ C

    found = solve_ivp(rates, (0, 12), [0.0, 0.0, 0.0], method="LSODA", rtol=1e-6, atol=1e-8, max_step=0.2)
    slip = radius * found.y[2] - found.y[0]
    assert np.max(slip) == pytest.approx(0.1264, abs=3e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("torque", "settled"), [(20.0, 10.702), (60.0, 33.961)])
def test_where_the_slip_settles(torque: float, settled: float) -> None:
    """With k_f = 1 and T = T_m / R, where the friction is all that rolling takes: F = drag, T_m - R F = bearing."""
    slip, speed = driven(torque, 1, 1, 1.0, 4000.0, 0.9)
    limit = 0.9 * paper.WEIGHT
    friction = limit * np.tanh(torque / paper.RADIUS / (3 * limit))
    centre = paper.RADIUS * np.sqrt(friction / 1.7)
    by_hand = paper.RADIUS * (torque - paper.RADIUS * friction) / 0.34 - centre
    assert by_hand == pytest.approx(settled, abs=1e-3)
    assert slip[-1] == pytest.approx(by_hand, abs=1e-4)
    assert speed[-1] == pytest.approx(centre, abs=1e-5)
