"""Trips: speeds given and free, frames of any choice, endings, and what is refused."""

from importlib import import_module

import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.errors import ModelError, SolveError
from trundle.rail.trip import steady_start
from trundle.rail.trip.place import Place
from trundle.run.run import Run
from trundle.study.batch import BatchWarning

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
def test_a_free_vehicle_accelerates_by_its_traction(wagon):
    """The frames follow at two rates, up to 9 cm behind, with the same motion in the ground; the wagon gains F/m with
    all its wheels.
    """
    force = 20e3
    runs = [
        rail.Trip(wagon, LINE, rail.Free(20.0, traction=force, following=n)).simulate(
            6.0, rtol=1e-10, atol={"m": 1e-13, "rad": 1e-13, "m/s": 1e-12, "rad/s": 1e-11}
        )
        for n in (3.0, 5.0)
    ]
    for name in [f"{body}.position_{c}" for body in ("car", "front_axle", "rear_axle") for c in "xyz"]:
        one, other = (run.values(name) for run in runs)
        assert one == pytest.approx(other, abs=1e-9), name  # over 140 m
    assert np.max(np.abs(runs[0].values("car.x"))) > 0.08 and max(run.energy.drift for run in runs) < 1e-10
    inert = wagon.mass + 2 * 112 / 0.46**2
    gained = runs[0].values("vehicle_speed")[-1] - 20.0
    assert gained == pytest.approx(force / inert * 6.0, rel=0.03)  # the flange costs a little
    for name in ("distance", "vehicle_speed"):  # of the vehicle, not of its frames
        assert runs[0].values(name) == pytest.approx(runs[1].values(name), abs=5e-8)


CONES = rail.Contact(rail.ContactGeometry(rail.Profile.cone(0.05), rail.Profile.arc(0.3)), rail.ShenHedrickElkins(0.4))


@pytest.fixture(scope="module")
def on_cones():
    with pytest.warns(rail.TripWarning, match="no flange, and line has curves"):
        return rail.Trip(vehicle(CONES), LINE, 20.0)


def test_a_derailment_has_wheel_place_and_time(on_cones):
    off = on_cones.simulate()
    assert not off.ok and off.outcome.startswith("DERAILED: The wheel front_right climbed over its rail")
    s = float(off["front.y"].distance[-1])
    assert 40 < s < 200 and f"s = {s:.6g} m, t = {off.time[-1]:.6g} s" in off.outcome
    batch = on_cones.batch(2.5, parameters={"speed": [15.0, 20.0, 30.0]})
    assert (batch.outcomes[0], batch.outcomes[2]) == ("FINISHED", "DERAILED")
    assert "The wheel front_right climbed" in batch.messages[2]


def test_to_the_end_of_the_line(trip):
    run = trip.simulate(samples=21)
    assert run.ok and run.outcome.startswith("END_OF_LINE") and run.values("distance")[-1] == pytest.approx(285.5)
    assert Run(None, run.outcome, settings=run.settings).ok and not Run(None, run.outcome).ok  # as from a file
    assert trip.simulate(0.5, samples=2).outcome.startswith("FINISHED")


def test_another_start_and_speed_compile_nothing(trip, run, monkeypatch):
    """A run that begins in the arc, with the rows of its frames; the frames' places follow."""
    monkeypatch.setattr("trundle.kernel.compile.read_tape", lambda function: pytest.fail("derived again"))
    there = trip.simulate(1.0, parameters={"start_distance": 190.0, "speed": 25.0})
    assert there.values("distance")[[0, -1]] == pytest.approx([190.0, 215.0])
    for name in NAMES:
        assert np.ptp(there.values(name)) < 1e-5 * np.max(np.abs(there.values(name))) + 1e-9
        assert there.values(name)[-1] == pytest.approx(run.values(name)[-1], rel=0.05)
    batch = trip.batch(0.4, parameters={"start_distance": np.array([5.0, 100.0]), "speed": [10.0, 20.0]})
    assert batch.end("distance").values == pytest.approx([9.0, 108.0])
    with pytest.raises(SolveError, match="the rear wheelset stands 4 m behind"):
        trip.simulate(1.0, parameters={"start_distance": 1.0})


@pytest.mark.slow
def test_rows_that_are_counted_follow_the_start(wagon):
    """A clothoid has kinks: its rows are parameters."""
    line = rail.Alignment([rail.Straight(40), rail.Clothoid(60, 600, 0.1), rail.Arc(600, 200, cant=0.1)])
    trip = rail.Trip(wagon, line, 25.0)
    rows = trip.parameters({"start_distance": 102.0})
    assert (rows["front_row"], rows["middle_row"], rows["rear_row"]) == (2.0, 2.0, 1.0)
    whole, part = trip.simulate(6.0, rtol=1e-8), trip.simulate(1.0, parameters={"start_distance": 150.0}, rtol=1e-8)
    assert part.ok and part.values("front.y")[-1] == pytest.approx(whole.values("front.y")[-1], abs=5e-4)


def test_the_progress_bar_shows_place_and_speed(trip, monkeypatch):
    given = Place(trip.law, 4.0, {"acceleration": 1.0})
    assert given(2.0, {}) == "56 m, 27.0 m/s"
    assert Place(rail.Free(20.0), 4.0, {})(2.0, {"track_distance": 50.2, "track_speed": 3.33}) == "50 m, 3.3 m/s"
    told = []
    small = tr.Model("slide")
    small.connect(tr.Prismatic("x"), small.ground, small.body("a", mass=1.0, inertia=1.0))

    def tell(t, state):
        told.append((t, state["a.displacement_rate"]))
        return "here"

    monkeypatch.setattr(import_module("trundle.integrate.integrate"), "PROGRESS_AFTER_SECONDS", -1.0)
    small.build().simulate(
        1.0, {"a.displacement_rate": 2.0}, progress=tr.ProgressBar(tell, shown=True), steps=tr.Steps(longest=1e-3)
    )
    assert told and all(v == pytest.approx(2.0) for _, v in told)


def test_wheels_that_lift_off(trip):
    run = trip.simulate(0.5, start={"front.z": 0.47, "front.rx": 0.004}, samples=501)
    found = rail.lift_offs(run, trip.placed)
    assert {one.wheel for one in found[:2]} == {"front_left", "front_right"}
    assert found[0].time == 0.0 and 0.01 < found[0].duration < 0.3 and found[0].distance == pytest.approx(4.0)


@pytest.mark.slow
def test_events_record_when_wheels_lift_off(wagon, trip):
    """By events at exact times, which samples show to their step."""
    start = {"front.z": 0.47, "front.rx": 0.004}
    watched = rail.Trip(wagon, LINE, 25.0, lift_offs=True)
    exact = rail.lift_offs(watched.simulate(0.5, start=start, samples=11), watched.placed)
    shown = rail.lift_offs(trip.simulate(0.5, start=start, samples=5001), trip.placed)
    assert {one.wheel for one in exact[:2]} == {"front_left", "front_right"} and len(exact) >= 3
    assert exact[0].time == 0.0 and 0.01 < exact[0].duration < 0.3 and exact[0].distance == pytest.approx(4.0)
    for one, other in zip(exact[:3], shown[:3], strict=True):
        assert one.wheel == other.wheel and one.time == pytest.approx(other.time, abs=3e-4)
        assert one.duration == pytest.approx(other.duration, abs=3e-4)


@pytest.mark.slow
def test_free_trips_end_where_the_line_or_the_way_does(wagon):
    there = rail.Trip(wagon, LINE, rail.Free(20.0, traction=2e4)).simulate()
    assert there.ok and there.outcome.startswith("END_OF_LINE") and there.values("distance")[-1] == pytest.approx(285.5)
    still = rail.Trip(wagon, LINE, rail.Free(5.0, traction=-4e4)).simulate()
    assert still.outcome.startswith("STANDSTILL") and not still.ok
    inert = wagon.mass + 2 * 112 / 0.46**2
    assert still.time[-1] == pytest.approx(4.9 * inert / 4e4, rel=5e-3)
    t, v, frame = still.time, still.values("vehicle_speed"), still.values("track_speed")
    late = (t > 0.5) & (t < 2.0)
    assert v[-1] == pytest.approx(0.1) and np.polyfit(t[late], v[late], 1)[0] == pytest.approx(-4e4 / inert, rel=5e-3)
    assert np.polyfit(t[late], frame[late], 1)[0] < -1.05 * 4e4 / inert  # that of the frames overshoots
    way = still.values("car.position_x")
    assert way[-1] - way[0] == pytest.approx((5.0**2 - 0.1**2) / 2 * inert / 4e4, rel=5e-3)  # on straight track


def test_a_start_on_a_transition_without_a_steady_motion_is_reported():
    line = rail.Alignment([rail.Straight(2), rail.Sine(20, 150, 0.1), rail.Arc(150, 100, 0.1)])
    short, bare = (pytest.warns(rail.TripWarning, match=m) for m in ("shorter than the wheelbase", "no flange"))
    with bare, short:
        trip = rail.Trip(vehicle(CONES), line, 12.0)  # less than half the work of worn profiles
    with pytest.raises(SolveError, match="starts between 0 and 8 m of line, where curvature or cant change along it"):
        trip.first_state()


def test_every_case_in_a_curve_begins_in_its_own_steady_motion(wagon, monkeypatch):
    """Of a batch, as single runs do, and of free vehicles; a case that has none is refused by its index."""
    line = rail.Alignment([rail.Straight(20), rail.Sine(20, 600, 0.1), rail.Arc(600, 100, 0.1)])
    trip, free = (rail.Trip(wagon, line, speed) for speed in (20.0, rail.Free(20.0)))
    cases = [{"speed": v, "start_distance": s} for v, s in ((10.0, 60.0), (20.0, 8.0), (15.0, 60.0), (25.0, 60.0))]
    first = [trip.first_state(case) for case in cases]
    assert first[1] == free.first_state(cases[1]) == {}
    same = free.first_state(cases[0])
    assert same.keys() == first[0].keys() and all(np.array_equal(same[name], first[0][name]) for name in same)

    def found(trip, given):
        if given["speed"] == 15.0:
            raise SolveError("none was found")
        return steady_start._steady(trip.system, {f"{name}_spin.angle": 0.0 for name in trip.placed.wheelsets}, given)

    monkeypatch.setattr(steady_start, "_found", found)
    with pytest.warns(BatchWarning, match="case 2: none was found"):
        batch = trip.batch(0.1, parameters={name: [c[name] for c in cases] for name in cases[0]}, samples=3)
    for i in (0, 3):
        for name in ("front.y", "car.y", "car.z"):
            np.testing.assert_allclose(batch[name].values[i], first[i][name], rtol=0, atol=1e-12)
    assert (
        batch["car.y"].values[0, 0] > batch["car.y"].values[3, 0] + 0.01 and abs(batch["front.y"].values[1, 2]) < 1e-9
    )


def test_speeds_that_change_have_no_small_motions_but_begin_in_the_steady_motion_of_their_start(wagon):
    arc = rail.Alignment([rail.Arc(600, 100, cant=0.1)])
    free = rail.Trip(wagon, arc, rail.Free(20.0))
    begins = "begins at 4 m of line, at 20 m/s"
    with pytest.raises(SolveError, match=f"{begins}, with a free speed, .* only a traction of 651 N .* trip.held.lin"):
        free.linearise()
    held = free.held
    with pytest.raises(SolveError, match=rf"{begins}, with an acceleration of -0.5 m/s\^2.*'acceleration': 0.0"):
        held.linearise({"acceleration": -0.5})
    steady = held.linearise()
    assert steady.steady and steady.cyclic == ("front_spin.angle", "rear_spin.angle")
    same_start(held.first_state({"acceleration": -0.5}), held.first_state())


@pytest.mark.slow
def test_a_speed_over_time_begins_in_the_steady_motion_of_its_start(wagon):
    trip = rail.Trip(wagon, rail.Alignment([rail.Arc(600, 100, cant=0.1)]), lambda s: 20.0 + s.t)
    same_start(trip.first_state(), trip.held.first_state())
    with pytest.raises(SolveError, match=r"where its speed changes with time: no motion is steady .* trip\.held\.lin"):
        trip.linearise()


def same_start(one, other):
    assert one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def test_speeds_that_overturn(wagon):
    """70 m/s on a radius of 600 m: refused if the speed is given, reported if the vehicle may still brake."""
    with pytest.raises(ModelError, match="would fall over: with 70 m/s"):
        rail.Trip(wagon, LINE, lambda s: 20.0 + s.t * 50.0 / 2.0 - tr.step(s.t - 2.0) * (s.t - 2.0) * 25.0)
    with pytest.warns(rail.TripWarning, match="if it keeps the speed of the start, at .* would fall over"):
        rail.Trip(wagon, LINE, rail.Free(70.0))


@pytest.mark.slow
def test_small_motions_about_the_trip(trip):
    """Stable at 25 m/s and unstable at 45 m/s, in agreement with the critical speed of 34.5 m/s; all eigenvalues of a
    pair.
    """
    growth = [np.max(trip.linearise({"speed": v}).eigenvalues.real) for v in (25.0, 45.0)]
    assert growth[0] < 1e-6 < 0.1 < growth[1]


def test_irregularities_go_on_where_a_wheelset_may_stand_behind_its_frame(wagon):
    """The rear wheelset stands at the very beginning of the line, the front one may reach its end."""
    rough = rail.Trip(wagon, LINE, 25.0, irregularity=rail.Irregularity.erri("low", seed=1))
    places = rough.model.tables["irregularity"].table.x[0]
    assert places[0] < -0.5 and places[-1] > LINE.length + 0.5


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::trundle.errors.FrozenTimeWarning")
def test_small_motions_at_the_start_of_a_rough_line(wagon, trip):
    """Irregularities grow before the vehicle: under it the track is smooth."""
    rough = rail.Trip(wagon, LINE, 25.0, irregularity=rail.Irregularity.erri("low", seed=1))
    found, wanted = (np.sort(one.linearise().eigenvalues.real)[-8:] for one in (rough, trip))
    assert found == pytest.approx(wanted, abs=1e-8)


TIGHT = rail.Alignment([rail.Straight(30), rail.Sine(40, 30), rail.Arc(30, 60)])
SHORT = rail.Alignment([rail.Straight(30), rail.Sine(5, 600, 0.1), rail.Arc(600, 100, cant=0.1)])


def geometry(**sizes):
    return rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1(), **sizes), rail.Polach(0.3))


BAD = [
    (lambda w: rail.Trip(w, TIGHT, 5.0), "curve of 30 m .* too tight: wheelsets 8 m apart .* at least 40 m"),
    (lambda w: rail.Trip(w, LINE, 80.0), "would fall over: with 80 m/s on a radius of 600 m"),
    (lambda w: rail.Trip(w, LINE, 0.0), r"speed at the start is 0 m/s.*Vehicle\.on_fixed_wheelsets"),
    (lambda w: rail.Trip(w, LINE, -5.0), "turn the line round"),
    (lambda w: rail.Trip(w, LINE, float("nan")), "goes forwards"),
    (lambda w: rail.Trip(w, LINE, "fast"), "speed must be a number"),
    (lambda w: rail.Trip(w, LINE, 20.0, start=1.0), "the rear wheelset stands 4 m behind"),
    (lambda w: rail.Trip(w, LINE, 20.0, start=287.0), "290 m long: take a longer line"),
    (lambda w: rail.Trip(LINE, w, 20.0), "a vehicle such as a rail.Wagon is needed"),
    (lambda w: geometry(gauge=1.0), "profiles and gauge do not meet: the left wheel misses its rail"),
    (lambda w: geometry(gauge=1.4), "do not stand on their treads, but where they lean by 0.71 rad"),
    (lambda w: geometry(gauge=1.3), "do not stand on their treads, but 28 mm deeper, on a flange"),
    (lambda w: geometry(back_to_back=1.2), "touches its rail '60E1' with an end of the wheel profile"),
    (lambda w: rail.ShenHedrickElkins(0.0), "mu must be greater than zero"),
    (lambda w: rail.manchester_vehicle(mu=-0.3), "mu must be greater than zero"),
]


@pytest.mark.parametrize(("make", "words"), BAD)
def test_bad_input_is_refused_before_the_run(wagon, make, words):
    with pytest.raises(ModelError, match=words):
        make(wagon)


def test_what_may_not_be_meant(wagon):
    with pytest.warns(rail.TripWarning, match=r"segment 2 \(Sine\) .* 5 m long, shorter than the wheelbase of 8 m"):
        rail.Trip(wagon, SHORT, 20.0)


@pytest.mark.parametrize(("radius", "speed"), [(300.0, 8.0), (-300.0, 8.0)])
def test_starts_in_arcs_that_newtons_method_alone_does_not_find(wagon, radius, speed):
    """They were refused; the motion is sought again near where a run settles."""
    found = rail.Trip(wagon, rail.Alignment([rail.Arc(radius, 100, 0.1)]), speed).simulate(1.0, samples=5)
    for name in NAMES:
        values = found.values(name)
        assert np.ptp(values) < 1e-6 * np.max(np.abs(values))
    curved = rail.curving(wagon, radius, speed, 0.1)
    assert found.values("front.y")[0] == pytest.approx(curved["front.y"][0], abs=1e-8)


def test_a_line_of_another_gauge_is_noted(wagon, recwarn):
    curves = [rail.Straight(30), rail.Sine(length=60, radius=600, cant=0.1), rail.Arc(600, 60, cant=0.1)]
    rail.Trip(wagon, rail.Alignment(curves), 20.0)
    assert not recwarn.list
    with pytest.warns(rail.TripWarning, match=r"contacts are 1\.506 m apart, those of line 1\.08 m.*half_gauge=0\.753"):
        rail.Trip(wagon, rail.Alignment(curves, half_gauge=0.54), 20.0)


def test_times_that_are_refused(trip):
    with pytest.raises(SolveError, match=r"too long: after 11\.26 s"):
        trip.simulate(12.0)
    with pytest.raises(SolveError, match="too long: after 5 s"):
        trip.simulate(6.0, parameters={"acceleration": -5.0})
    with pytest.raises(SolveError, match="goes forwards"):
        trip.simulate(1.0, parameters={"speed": -1.0})
    with pytest.warns(UserWarning, match="case 1: 6 s are too long: after 5 s"):  # it would come back
        assert trip.batch(6.0, parameters={"acceleration": [0.0, -5.0]}).outcomes == ["FINISHED", "REFUSED"]
    with pytest.raises(SolveError, match=r"t0 is 2\.0: a trip begins at t = 0"):
        trip.simulate(1.0, t0=2.0)
    assert trip.longest() == pytest.approx((290 - 0.5 - 8.0) / 25.0)
