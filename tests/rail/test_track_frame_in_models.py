"""A frame along a line inside a model: bodies in it move as the closed forms of the line say."""

import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.errors import ModelError
from trundle.rail.line import plan_table, row_table

AT = np.array([0.3, 0.2, 1.0])  # m, of the box in the track frame
START, SPEED, GAIN = 5.0, 20.0, 1.0  # m, m/s, m/s^2


def distance(t):
    return START + SPEED * t + GAIN * t**2 / 2


def winding(**options):
    """All angles change: curves of four kinds to both sides on a crest."""
    plan = [rail.Straight(50), rail.Sine(100, 600, 0.15), rail.Arc(600, 100, 0.15), rail.Vienna(120, -500, 0.1)]
    plan += [rail.Arc(-500, 60, 0.1), rail.Helmert(60)]
    profile = [rail.Grade(40, 0.01), rail.VerticalCurve(150, -0.015, shape="bloss")]
    return rail.Alignment(plan, profile=profile, **options)


def trolley(line, **options):
    """A box that goes along with the frame, and a pendulum that hangs in it."""
    m = tr.Model("trolley")
    course = rail.TrackFrame(m, line, options.pop("distance", lambda s: distance(s.t)), **options)
    track = m.moving_frame("track", motion=course)
    box = m.body("box", mass=10.0, inertia=(1, 2, 3))
    bob = m.body("bob", mass=5.0, inertia=0.1, com=(0, 0, -0.8))
    m.connect(tr.Fixed(), track.at(*AT), box)
    m.connect(tr.Spherical(), track.at(0, 0, 2.0), bob)
    return m


@pytest.fixture(scope="module")
def run():
    return trolley(winding()).build().simulate(14.0, samples=200, rtol=1e-10)


def test_the_box_is_where_the_line_is(run):
    at = winding().motion(distance(run.time), SPEED + GAIN * run.time, GAIN)
    assert run.ok and distance(run.time)[-1] > 380
    place = np.column_stack([run.values(f"box.com_position_{c}") for c in "xyz"])
    assert place == pytest.approx(at.position + at.rotation @ AT, abs=1e-10)


def test_the_box_is_carried_by_its_inertia(run):
    line = winding()
    at = line.motion(distance(run.time), SPEED + GAIN * run.time, GAIN)
    acceleration = at.a + np.cross(at.eps, AT) + np.cross(at.w, np.cross(at.w, AT))
    wanted = 10.0 * (np.einsum("nij,nj->ni", at.rotation, acceleration) + np.array([0, 0, 9.81]))  # N, in the ground
    found = np.column_stack([run.values(f"box.reaction_force_{c}") for c in "xyz"])
    assert found == pytest.approx(wanted, abs=1e-7)
    assert np.ptp(wanted[:, 1]) > 20


def test_relative_and_inertial_description_agree(run):
    other = trolley(winding()).build("newton_euler").simulate(14.0, samples=200, rtol=1e-10)
    for name in ("bob.com_position_x", "bob.com_position_y", "bob.com_position_z"):
        assert run.values(name) == pytest.approx(other.values(name), abs=1e-7)
    assert run.energy.drift < 1e-8


def test_another_line_without_compiling():
    system = trolley(winding()).build()
    straight = rail.Alignment([rail.Straight(600)])
    tables = {"track_rows": row_table(straight), "track_plan": plan_table(straight)}
    run = system.simulate(4.0, tables=tables)
    assert run.values("box.com_position_x") == pytest.approx(distance(run.time) + AT[0], abs=1e-10)
    assert run.values("box.com_position_y") == pytest.approx(AT[1], abs=1e-10)


def test_row_by_number_and_rates_by_hand():
    """One row only, so that nothing has to count."""
    line = rail.Alignment([rail.Arc(300, 400, 0.1)])
    options = {"speed": lambda s: SPEED + GAIN * s.t, "acceleration": GAIN, "row": 0.0}
    run = trolley(line, **options).build().simulate(5.0)
    at = line.motion(distance(run.time))
    place = np.column_stack([run.values(f"box.com_position_{c}") for c in "xyz"])
    assert place == pytest.approx(at.position + at.rotation @ AT, abs=1e-9)


def test_the_end_of_the_line_ends_the_run():
    run = trolley(rail.Alignment([rail.Straight(30)])).build().simulate(4.0)
    assert not run.ok and "TABLE_LEFT" in str(run.outcome) and "'track_rows'" in str(run.outcome)
    assert distance(run.time[-1]) == pytest.approx(30.0, abs=1e-6)


@pytest.mark.parametrize(
    "line", [winding(), rail.Alignment([rail.Straight(20), rail.Arc(150, 40)], curvature_jumps=True)]
)
def test_tables_are_the_line(line):
    s = np.linspace(0, line.length, 3001)
    plan, rows = plan_table(line), row_table(line)
    assert plan(s) == pytest.approx(line.position(s)[:, :2], abs=1e-9)
    found = rows(s[:-1])
    assert np.array_equal(found[:, :40], line.rows[line.row_at(s[:-1])])
    assert np.array_equal(row_table(line, "number")(float(len(line.rows) - 1))[:40], line.rows[-1])


def test_irregularities_as_a_table():
    rough = rail.Irregularity.erri("high", seed=2, fade_in=(10.0, 30.0))
    table = rail.irregularity_table(rough, 0.0, 300.0)
    s = np.random.default_rng(1).uniform(0, 299, 400)
    rails = rough.rails(s)
    wanted = np.column_stack([rails.left_y, rails.left_z, rails.right_y, rails.right_z])
    assert table(s) == pytest.approx(wanted, abs=1e-9)
    assert np.abs(wanted).max() > 5e-3


def test_refusals():
    m = tr.Model("m")
    with pytest.raises(ModelError, match="both, or neither"):
        rail.TrackFrame(m, winding(), 3.0, speed=1.0)
    with pytest.raises(ModelError, match="jumps at 20, 60 m"):
        rail.TrackFrame(m, rail.Alignment([rail.Straight(20), rail.Clothoid(40, 300, 0.1), rail.Arc(300, 9, 0.1)]), 3.0)
    m = trolley(winding(), distance=lambda s: s["bob.x"])
    with pytest.raises(ModelError, match="depends on"):
        m.build()
