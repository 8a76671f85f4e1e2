"""What a trip says of its end: a wheel that leaves its rail, and tables that have nothing to do with it."""

import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.errors import SolveError

STRAIGHT = rail.Alignment([rail.Straight(200)])


def wheelset(**sizes):
    geometry = rail.ContactGeometry(rail.S1002(), rail.Rail60E1(), **sizes)
    contact = rail.Contact(geometry, rail.Polach(0.35))
    axle = rail.Wheelset(1813.0, (1120, 112, 1120), contact)
    return rail.SingleWheelset(axle, rail.Bushing((1e6, 1e4, 1e6), (1e4, 1e4, 2e4)), load=60e3)


@pytest.fixture(scope="module")
def single():
    return wheelset()


@pytest.fixture(scope="module")
def wagon(single):
    box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    return rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9), single.wheelset, box, 8.0)


def test_a_table_that_ends_is_not_a_derailment(single):
    """It was reported as a wheel that climbed over its rail, in the middle of the track."""
    short = tr.Table([0.0, 1.0], [16.0, 16.0], between="linear", beyond="refuse")
    run = rail.Trip(single, STRAIGHT, short).simulate(3.0)
    assert run.outcome.startswith("TABLE_LEFT") and "'speed_over_time'" in run.outcome
    trip = rail.Trip(single, STRAIGHT, 16.0)
    mine = trip.model.table("mine", short)
    trip.model.state("sum", lambda s: mine(s.t))
    batch = trip.batch(3.0, parameters={"speed": [15.0, 16.0]})
    assert batch.outcomes == ["TABLE_LEFT"] * 2


def test_a_vehicle_that_stops_on_the_way_has_not_come_to_the_end(single):
    for speed, acceleration, t, s in ((16.0, -2.0, 8.0, 64.0), (lambda s: 10.0 - 2.0 * s.t, 0.0, 5.0, 25.0)):
        run = rail.Trip(single, STRAIGHT, speed, acceleration=acceleration).simulate()
        assert run.outcome.startswith("STANDSTILL: The vehicle came to rest") and not run.ok
        assert run.time[-1] == pytest.approx(t, abs=1e-9) and run.values("distance")[-1] == pytest.approx(s, abs=1e-9)
    long = rail.Alignment([rail.Straight(900)])
    run = rail.Trip(single, long, lambda s: 80.0 + 0.1 * s.t).simulate(samples=2)  # not beyond its last 0.5 m
    assert run.outcome.startswith("END_OF_LINE") and run.values("distance")[-1] == pytest.approx(899.5, abs=0.01)


def test_a_free_vehicle_does_not_start_backwards(wagon):
    trip = rail.Trip(wagon, STRAIGHT, rail.Free(10.0), start=100.0)
    for given in (-5.0, 0.0):
        with pytest.raises(SolveError, match="a trip goes forwards"):
            trip.simulate(1.0, parameters={"speed": given})
    with pytest.raises(SolveError, match=r"all 2 cases are refused, the first: .* a trip goes forwards"):
        trip.batch(1.0, parameters={"speed": [0.0, -5.0]})


def test_cases_of_a_batch_that_single_trips_refuse_do_not_stop_the_others(single):
    trip = rail.Trip(single, STRAIGHT, 16.0)
    given = {
        "speed": np.array([16.0, -5.0, 16.0, 12.0, 16.0]),
        "acceleration": np.array([0.0, 0.0, -8.0, 0.5, 0.0]),
        "start_distance": np.array([5.0, 5.0, 5.0, 20.0, -30.0]),
    }
    with pytest.warns(UserWarning, match="3 of 5 cases were refused"):
        batch = trip.batch(3.0, parameters=given)
    assert batch.outcomes == ["FINISHED", "REFUSED", "REFUSED", "FINISHED", "REFUSED"]
    assert "a trip goes forwards" in batch.messages[1] and "after 2 s" in batch.messages[2]
    assert "the rear wheelset stands" in batch.messages[4] or "start is -30 m" in batch.messages[4]
    distance = batch.end("distance").values
    np.testing.assert_allclose(distance[[0, 3]], [53.0, 20.0 + 36.0 + 2.25], atol=1e-9)
    assert np.isnan(distance[[1, 2, 4]]).all()
    for case in (0, 3):
        alone = trip.simulate(3.0, parameters={name: values[case] for name, values in given.items()}, samples=2)
        assert batch.end("axle.y").values[case] == pytest.approx(alone.values("axle.y")[-1], abs=1e-9)


def test_a_wheelset_that_leans_too_far_has_lost_a_wheel(single):
    run = rail.Trip(single, STRAIGHT, 16.0).simulate(0.5, {"axle.rx": 0.028})
    assert run.outcome.startswith("DERAILED: The wheel axle_left rose from its rail") and "leans by" in run.outcome
    run = rail.Trip(single, STRAIGHT, 16.0).simulate(0.5, {"axle.y": -0.013})
    assert run.outcome.startswith("DERAILED: The wheel axle_right climbed") and "13 mm to the right" in run.outcome


@pytest.mark.parametrize("gauge", [1.45, 1.46])
def test_tables_of_wide_gauges_reach_beyond_the_flange(gauge):
    """Their tables ended before the flange, where trips through tight curves were told to have derailed."""
    vehicle = wheelset(gauge=gauge)
    geometry = vehicle.wheelset.contact.geometry
    flange = geometry.flange_contact()
    assert all(table.u[-1] > abs(flange) + 4e-3 for table in vehicle.wheelset.contact.tables.values())
    curve = rail.Alignment([rail.Straight(20), rail.Sine(60, 250, 0.1), rail.Arc(250, 100, 0.1)])
    run = rail.Trip(vehicle, curve, 15.0).simulate(10.0, samples=101)
    assert run.ok
    y = run.values("axle.y")[-1]
    assert y < -0.0125 and y == pytest.approx(rail.curving(vehicle, 250, 15.0, 0.1)["axle.y"][0], abs=1e-6)
