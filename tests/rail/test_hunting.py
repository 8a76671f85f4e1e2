"""Limit cycles of a wheelset: continuation and ramp agree, multipliers tell the growth in runs."""

from pathlib import Path

import numpy as np
import pytest

from trundle import rail
from trundle.errors import SolveError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found() -> rail.Hunting:
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4), eps=50e-6)
    axle = rail.Wheelset(1813, (1120, 112, 1120), contact)
    spring = rail.Bushing((4e5, 4e5, 1e6), (1e3, 1e3, 1e4))
    return rail.hunting(rail.SingleWheelset(axle, spring, 1.0, 60e3), 5.0, 80.0, 16, limit=42, ramp=10, settle=4.0)


def test_cycles_begin_at_the_linear_critical_speed(found: rail.Hunting) -> None:
    assert found.branch.parameter[0] == pytest.approx(found.critical, rel=5e-3)
    assert 1 / found.branch["period"].values[0] == pytest.approx(found.locus.frequency, rel=1e-2)
    assert found.swing[0] < 1e-3


def test_the_soft_minimum_is_always_printed(found: rail.Hunting) -> None:
    assert any("eps 50 um" in text for text in found.contacts)
    assert "eps 50 um" in found.summary()


def test_a_saddle_node_lies_far_below_the_linear_critical_speed(found: rail.Hunting) -> None:
    assert found.subcritical
    assert found.saddle_nodes[0] == pytest.approx(30.58, abs=0.02)
    assert found.nonlinear_critical < 0.75 * found.critical
    below = found.ramp_speeds < found.saddle_nodes[0]
    assert below.any() and np.all(found.ramp_swing[below] < 0.5 * found.ramp_swing[0])  # it dies out
    assert np.all(found.ramp_swing[~below] > 0.9 * found.ramp_swing[0])


def test_the_multiplier_of_an_unstable_cycle_is_the_growth_of_a_disturbance(found: rail.Hunting) -> None:
    """Two runs over one period from states on both sides of the cycle, apart along its unstable direction."""
    flow, branch = found.locus.track.flow, found.branch
    k = int(np.argmax([one.growth[0] for one in branch.judgements]))
    place, curve = branch.nodes[k].place, branch.follower.curve
    values, vectors = np.linalg.eig(curve.linear(place, place).kept.monodromy)
    most = int(np.argmax(np.abs(values)))
    value, mode = float(values[most].real), np.real(vectors[:, most])
    size = 1e-4 / float(np.max(np.abs(mode) / curve.sizes(place)[: len(mode)]))
    ends = []
    for sign in (1, -1):
        start = flow.start_values(place.start + sign * size * mode)
        run = found.locus.track.system.simulate(
            place.period, start, {"speed": place.parameter}, method="stiff", rtol=1e-11, samples=2, progress=False
        )
        assert run.raw is not None
        ends.append(run.raw[1][-1][flow.kept])
    grown = (ends[0] - ends[1]) / (2 * size)
    assert value > 2.0
    assert grown @ mode / (mode @ mode) == pytest.approx(value, rel=2e-2)


def test_ramp_and_continuation_agree(found: rail.Hunting) -> None:
    compared = 0
    for speed, swing in zip(found.ramp_speeds[1:], found.ramp_swing[1:], strict=True):
        stable = [size for size, ok in found.cycles(float(speed)) if ok]
        if stable and swing > 1e-4:
            assert min(abs(size - swing) for size in stable) < 0.02 * swing
            compared += 1
    assert compared >= 3


def test_picture_of_the_hunting_diagram(found: rail.Hunting, tmp_path: Path) -> None:
    found.plot(tmp_path / "hunting.png")
    assert (tmp_path / "hunting.png").stat().st_size > 8000


def test_a_range_without_a_critical_speed_is_refused(found: rail.Hunting) -> None:
    with pytest.raises(SolveError, match="no motion is unstable"):
        rail.hunting(found.locus.track.system, 5.0, 10.0, 3)


@pytest.mark.parametrize(
    ("eps", "critical", "folds", "lowest"), [(15e-6, 34.51, (), 34.51), (50e-6, 57.11, (67.58, 52.27), 52.27)]
)
def test_a_wagon_hunts_differently_with_another_soft_minimum(
    eps: float, critical: float, folds: tuple[float, ...], lowest: float
) -> None:
    """Two-axle wagon: both begin stable (supercritical); with 50 um the cycle folds twice on its way to the flanges."""
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4), eps=eps)
    axle = rail.Wheelset(1813, (1120, 112, 1120), contact)
    box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    wagon = rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), height=1.9), axle, box, wheelbase=8.0)
    found = rail.hunting(wagon, 10.0, 80.0, 15, limit=26, ramp=0, intervals=30)
    assert f"eps {eps * 1e6:.0f} um" in found.summary()
    assert not found.subcritical and found.critical == pytest.approx(critical, abs=0.01)
    assert found.saddle_nodes == pytest.approx(folds, abs=0.03)
    assert found.nonlinear_critical == pytest.approx(lowest, abs=0.03)


def test_a_bogie_vehicle_hunts_far_below_its_linear_critical_speed() -> None:
    """Cooperrider's, 81 states: the cycle begins unstable at 53 m/s and turns at 40 m/s into one at the flanges; runs
    from there keep to it, and die out below the saddle-node.
    """
    geometry = rail.ContactGeometry(rail.S1002(), rail.Rail60E1(), radius=0.425, back_to_back=1.36)
    vehicle = rail.cooperrider_vehicle(rail.Contact(geometry, rail.ShenHedrickElkins(0.3), eps=50e-6))
    found = rail.hunting(vehicle, 30.0, 60.0, 4, limit=34, ramp=3, settle=6.0)
    assert found.subcritical and found.critical == pytest.approx(53.155, abs=0.01)
    assert found.saddle_nodes == pytest.approx((39.90,), abs=0.02)
    [(small, first), (large, second)] = found.cycles(40.3)
    assert (first, second) == (False, True) and small == pytest.approx(5.95e-3, rel=0.01)
    assert large == pytest.approx(6.14e-3, rel=0.01)
    assert found.ramp_speeds[0] > found.saddle_nodes[0] > found.ramp_speeds[-1]
    assert found.ramp_swing[0] == pytest.approx(found.swing[-1], rel=0.02)
    assert found.ramp_swing[-1] < 0.2 * found.ramp_swing[0]
