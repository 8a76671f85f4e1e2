"""The wheel of [Ikoki 2021] with k_s and k_f other than 1: the stories of its Figs. 3 and 4, and where slips settle."""

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
    """Fig. 3: 20 N m; the slip stays small and goes back."""
    slip, speed = driven(20.0, 2, 6, 0.1)
    assert np.max(slip) == pytest.approx(0.126, abs=2e-3)
    assert slip[-1] == pytest.approx(0.055, abs=1e-3)
    assert np.min(speed[100:]) > 1.74


@pytest.mark.parametrize(("torque", "settled"), [(20.0, 10.702), pytest.param(60.0, 33.961, marks=pytest.mark.slow)])
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
