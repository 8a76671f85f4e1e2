"""One curve by several transitions: steepest ramps by hand, the same arc in the end."""

import numpy as np
import pytest

from trundle import rail
from trundle.errors import SolveError

STEEPEST = {"Bloss": 1.5, "sine": 2.0}  # of the shape over its length
RADIUS, LENGTH, SPEED, CANT = 600.0, 80.0, 28.0, 0.1


def wagon():
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4))
    axle = rail.Wheelset(1813, (1120, 112, 1120), contact)
    springs = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    return rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9), axle, springs, 8.0)


def test_roll_rates_by_hand_and_the_same_arc(tmp_path):
    found = rail.compare_transitions(wagon(), RADIUS, LENGTH, SPEED, CANT, kinds=list(STEEPEST))
    peaks = found.peaks()
    for name, steepest in STEEPEST.items():
        assert peaks[name]["roll rate"] == pytest.approx(SPEED * steepest * CANT / 1.5 / LENGTH, rel=0.1)
    unbalanced = SPEED**2 / RADIUS * np.cos(np.arcsin(CANT / 1.5)) - 9.81 * CANT / 1.5
    ends = [one.lateral_acceleration[-100:].mean() for one in found.runs.values()]
    assert ends[0] == pytest.approx(ends[1], rel=0.05) and 0.9 < ends[0] / unbalanced < 1.2  # the car rolls outwards
    for wheel in next(iter(found.runs.values())).wheels:
        loads = [one.Q[wheel.name][-100:].mean() for one in found.runs.values()]
        assert loads[0] == pytest.approx(loads[1], rel=0.02)
    assert peaks["sine"]["lowest Q/Q0"] < peaks["Bloss"]["lowest Q/Q0"] < 1
    assert "jerk" in found.table() and found.plot(tmp_path / "transitions.png")


def test_invalid_arguments():
    with pytest.raises(SolveError, match="kinds are parabola, clothoid"):
        rail.compare_transitions(wagon(), 600.0, 80.0, 28.0, kinds=["circle"])
