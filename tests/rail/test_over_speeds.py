"""Trips at several speeds in one table, against trips one by one and forces by hand."""

import csv

import numpy as np
import pytest

from trundle import rail
from trundle.errors import SolveError

LINE = rail.Alignment([rail.Straight(30), rail.Sine(60, 600, 0.15), rail.Arc(600, 150, 0.15)])


@pytest.fixture(scope="module")
def wagon():
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4))
    axle = rail.Wheelset(1813, (1120, 112, 1120), contact)
    box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    return rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9), axle, box, 8.0)


@pytest.fixture(scope="module")
def found(wagon):
    return rail.over_speeds(wagon, LINE, [30.0, 20.0, 70.0])


def test_the_table_has_what_single_trips_have(wagon, found):
    assert found.speeds.tolist() == [20.0, 30.0, 70.0]
    trip = rail.Trip(wagon, LINE, 30.0)
    time = trip.longest()
    lines = rail.assess(trip.simulate(time, samples=round(200 * time))).lines()
    for quantity in ("Q, largest", "sum of Y over 2 m", "Y/Q over 2 m"):
        wanted = max((line for line in lines if line.quantity == quantity), key=lambda line: line.value)
        assert found.worst(quantity)[1].value == pytest.approx(wanted.value, rel=1e-4)
        assert found.worst(quantity)[1].where == wanted.where


def test_accelerations_by_hand(found):
    """In the arc, which is more than half of the trip: v^2/R cos - g sin, and a few per cent by the roll of the car."""
    sine = 0.15 / 1.5
    for line, v in zip(found.worst("lateral acceleration, median"), (20.0, 30.0), strict=False):
        assert line.value == pytest.approx(abs(v**2 / 600 * np.sqrt(1 - sine**2) - 9.81 * sine), rel=0.1)


def test_speeds_that_cannot_be_run_have_a_reason(found, tmp_path):
    assert found.assessments[2] is None and found.worst("Q, median")[2] is None
    text = found.table().splitlines()
    assert text[0].split()[-6:] == ["20", "m/s", "30", "m/s", "70", "m/s"] and text[1].endswith("-")
    assert text[-1].startswith("70 m/s: refused: at ") and "the vehicle would fall over" in text[-1]
    found.save(tmp_path / "speeds.csv")
    with (tmp_path / "speeds.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["quantity", "unit", "limit", "20 m/s", "30 m/s", "70 m/s"] and len(rows) == len(text) - 1


def test_invalid_arguments(wagon, found):
    with pytest.raises(SolveError, match="give speeds above zero"):
        rail.over_speeds(wagon, LINE, [20.0, 0.0])
    with pytest.raises(SolveError, match="'Z' is not in the table; there are Q, largest"):
        found.worst("Z")
