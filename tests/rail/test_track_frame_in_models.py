"""A frame along a line inside a model: bodies in it move as the closed forms of the line say."""

import numpy as np
import pytest

import trundle as tr
from trundle import rail
from trundle.errors import ModelError, SolveError
from trundle.rail.track.line import plan_table, row_table

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
    """A box that moves with the frame, and a pendulum that hangs in it."""
    m = tr.Model("trolley")
    options.pop("before", lambda m: None)(m)
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


def test_counted_rows_are_those_of_the_distance(run):
    """Helmert and Vienna curves have several joints; there is an event at each."""
    options = {"speed": lambda s: SPEED + GAIN * s.t, "acceleration": GAIN, "count": True}
    counted = trolley(winding(), **options).build().simulate(14.0, samples=200, rtol=1e-10)
    for name in ("bob.com_position_x", "bob.com_position_y", "box.com_position_z"):
        assert counted.values(name) == pytest.approx(run.values(name), abs=1e-6)
    ends = winding().rows[:, 1]
    passed = ends[(ends > START) & (ends < distance(14.0))]
    assert distance(np.array([t for name, t in counted.events if name == "track_joint"])) == pytest.approx(passed)


KINKED = [rail.Straight(50), rail.Clothoid(100, 600, 0.15), rail.Arc(600, 100, 0.15), rail.Clothoid(60)]


def test_bodies_keep_their_velocity_where_the_frame_has_a_kink():
    """In the relative description velocities jump with the frame; in the inertial one they do not."""
    line = rail.Alignment([*KINKED, rail.Straight(40)], profile=[rail.Grade(30), rail.VerticalCurve(60, 0.01)])
    found = [trolley(line).build(f).simulate(11.0, samples=100, rtol=1e-10) for f in ("kane", "newton_euler")]
    assert len(line.continuity().kinks) == 6 and all(one.ok for one in found)
    for name in ("bob.com_position_x", "bob.com_position_y", "bob.com_position_z", "box.com_position_y"):
        assert found[0].values(name) == pytest.approx(found[1].values(name), abs=1e-6)
    assert found[0].energy.drift < 1e-8
    rate = found[0].values("bob.angular_rate_x")  # relative to the frame: it jumps with the roll rate of the frame
    assert np.abs(np.diff(rate)).max() > 0.01


def test_a_start_elsewhere_with_its_row():
    line = rail.Alignment(KINKED)
    m = trolley(line, distance=lambda s: s["s0"] + SPEED * s.t, before=lambda m: m.parameter("s0", 0.0))
    system = m.build()
    run = system.simulate(3.0, parameters={"s0": 160.0, "track_row": float(line.row_at(160.0))})
    at = line.motion(160.0 + SPEED * run.time)
    place = np.column_stack([run.values(f"box.com_position_{c}") for c in "xyz"])
    assert run.ok and place == pytest.approx(at.position + at.rotation @ AT, abs=1e-9)
    # In a wrong row nothing runs on: far from it not at all, beside it for two metres.
    for s0, way in ((120.0, 0.0), (51.0, 1.0)):
        wrong = system.simulate(3.0, parameters={"s0": s0})
        assert not wrong.ok and SPEED * wrong.time[-1] <= way + 1e-6


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
    within = s[:-1] + 1e-4  # not at a joint
    c, at = plan._pieces, np.searchsorted(plan.x[0], within) - 1
    u, powers = within - plan.x[0][at], np.arange(2, c.shape[0])
    second = np.sum(((powers * (powers - 1))[:, None, None] * c[2:, at]) * u[:, None] ** (powers - 2)[:, None, None], 0)
    wanted = line.motion(within, 1.0, 0.0)
    assert second == pytest.approx((wanted.rotation @ wanted.a[..., None])[:, :2, 0], abs=3e-16)
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


def test_invalid_uses_are_refused():
    m = tr.Model("m")
    with pytest.raises(ModelError, match="both, or neither"):
        rail.TrackFrame(m, winding(), 3.0, speed=1.0)
    with pytest.raises(ModelError, match="jumps at 50, 150, 250"):
        rail.TrackFrame(m, rail.Alignment(KINKED), 3.0, count=False)
    with pytest.raises(SolveError, match="not on the line"):
        rail.TrackFrame(m, rail.Alignment(KINKED), -3.0)
    m = trolley(winding(), distance=lambda s: s["bob.x"])
    with pytest.raises(ModelError, match="depends on"):
        m.build()
