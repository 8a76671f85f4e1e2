"""Trips: speeds given and free, frames of any choice, endings, and what is refused."""

import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.errors import ModelError, SolveError

LINE = rail.Alignment([rail.Straight(30), rail.Sine(length=60, radius=600, cant=0.1), rail.Arc(600, 200, cant=0.1)])
NAMES = ("front.y", "front.rz", "rear.y", "front_right.Q", "front_left.Y")


def vehicle(contact=None):
    geometry = rail.ContactGeometry(rail.S1002(), rail.Rail60E1())
    contact = contact or rail.Contact(geometry, rail.ShenHedrickElkins(0.4))
    axle = rail.Wheelset(1813.0, (1120, 112, 1120), contact)
    box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    return rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9), axle, box, 8.0)


@pytest.fixture(scope="module")
def wagon():
    return vehicle()


@pytest.fixture(scope="module")
def trip(wagon):
    return rail.Trip(wagon, LINE, 25.0)


@pytest.fixture(scope="module")
def run(trip):
    return trip.simulate(8.0, rtol=1e-10)


def same(one, other, limit):
    for name in NAMES:
        wanted = other.values(name)
        assert one.values(name) == pytest.approx(wanted, abs=limit * np.max(np.abs(wanted))), name


def test_distance_is_a_second_coordinate(run):
    force = run["front_right.Q"]
    assert force["distance"].values == pytest.approx(4.0 + 25.0 * run.time)
    assert run.dataset["distance"].attrs["units"] == "m" and run.energy.drift < 1e-8
    assert float(force.swap_dims(time="distance").interp(distance=104.0)) == pytest.approx(
        float(force.interp(time=4.0)), rel=1e-9
    )


def test_the_loose_default_is_good_for_four_digits(trip, run):
    same(trip.simulate(8.0), run, 1e-4)


@pytest.mark.slow
def test_a_trip_that_starts_in_the_arc_is_steady(wagon, trip, run):
    other = rail.Trip(wagon, LINE, 25.0, start=150.0)
    still = other.simulate(1.0)
    for name in NAMES:
        values = still.values(name)
        assert np.ptp(values) < 1e-5 * np.max(np.abs(values)) + 1e-9
        assert values[-1] == pytest.approx(run.values(name)[-1], rel=0.05)


@pytest.mark.slow
def test_frames_are_a_matter_of_description(wagon, run):
    other = rail.Trip(wagon, LINE, 25.0, frames="one").simulate(8.0, rtol=1e-10)
    places = [f"{body}.position_{c}" for body in ("car", "front_axle", "rear_axle") for c in "xyz"]
    for name in places:
        assert other.values(name) == pytest.approx(run.values(name), abs=1e-9), name
    for wheel in ("front_left", "front_right", "rear_left", "rear_right"):
        assert other.values(f"{wheel}.Q") == pytest.approx(run.values(f"{wheel}.Q"), abs=1e-2)  # N
    assert np.max(np.abs(other.values("front.y") - run.values("front.y"))) > 1e-3  # which is told in another frame


@pytest.mark.slow
def test_a_speed_over_time(wagon):
    """A function, a table of it, and the same as a constant acceleration."""
    runs = [
        rail.Trip(wagon, LINE, speed, **more).simulate(6.0, rtol=1e-9)
        for speed, more in (
            (20.0, {"acceleration": 0.5}),
            (lambda s: 20.0 + 0.5 * s.t, {}),
            (tr.Table([0.0, 5.0, 10.0], [20.0, 22.5, 25.0]), {}),
        )
    ]
    for other in runs[1:]:
        same(other, runs[0], 1e-6)


@pytest.mark.slow
def test_a_free_vehicle_goes_as_its_traction_lets_it(wagon):
    """The frames follow at two rates, with the same motion in the ground; the wagon gains F/m with all its wheels."""
    force = 20e3
    runs = [
        rail.Trip(wagon, LINE, rail.Free(20.0, traction=force, following=n)).simulate(
            6.0, rtol=1e-10, atol={"m": 1e-13, "rad": 1e-13, "m/s": 1e-12, "rad/s": 1e-11}
        )
        for n in (3.0, 5.0)
    ]
    for name in ("car.position_x", "car.position_y", "front_axle.position_y"):
        one, other = (run.values(name) for run in runs)
        assert one == pytest.approx(other, abs=1e-6)  # over 140 m; a place 9 cm ahead counts to second order
    assert np.max(np.abs(runs[0].values("car.x"))) > 1e-3
    inert = wagon.mass + 2 * 112 / 0.46**2
    gained = runs[0].values("track_speed")[-1] - 20.0
    assert gained == pytest.approx(force / inert * 6.0, rel=0.03)  # the flange costs a little


def test_endings():
    cones = rail.Contact(
        rail.ContactGeometry(rail.Profile.cone(0.05), rail.Profile.arc(0.3)), rail.ShenHedrickElkins(0.4)
    )
    off = rail.Trip(vehicle(cones), LINE, 20.0).simulate()
    assert not off.ok and off.outcome.startswith("DERAILED: The wheel front_right climbed over its rail")
    assert 40 < float(off["front.y"].distance[-1]) < 200


def test_wheels_that_lift_off(trip):
    start = {"front.z": 0.47, "front.rx": 0.004}
    run = trip.simulate(0.5, start=start, samples=501)
    found = rail.lift_offs(run, trip.placed)
    assert {one.wheel for one in found[:2]} == {"front_left", "front_right"}
    assert found[0].time == 0.0 and 0.01 < found[0].duration < 0.3 and found[0].distance == pytest.approx(4.0)


def test_refusals(wagon, trip):
    for speed, text in ((0.0, "goes forwards"), (-5.0, "goes forwards"), ("fast", "speed must be a number")):
        with pytest.raises(ModelError, match=text):
            rail.Trip(wagon, LINE, speed)
    with pytest.raises(ModelError, match="the rear wheelset stands 4 m behind"):
        rail.Trip(wagon, LINE, 20.0, start=1.0)
    with pytest.raises(ModelError, match="290 m long"):
        rail.Trip(wagon, LINE, 20.0, start=287.0)
    with pytest.raises(SolveError, match=r"too long: after 11\.26 s"):
        trip.simulate(12.0)
    with pytest.raises(SolveError, match="too long: after 5 s"):
        trip.simulate(6.0, parameters={"acceleration": -5.0})
    with pytest.raises(SolveError, match="goes forwards"):
        trip.simulate(1.0, parameters={"speed": -1.0})
    assert trip.longest() == pytest.approx((290 - 0.5 - 8.0) / 25.0)
