"""A wheelset on irregular rails: against a higher track, a vertical curve, and its own books."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import trundle as tr
from trundle import rail
from trundle.rail.track.line import irregularity_table
from trundle.rail.track.signal import SineSum

MASS, SPEED = 1813.0, 20.0
K, C = (1e6, 0, 0, 0, 0, 1e6), (1e4, 1e4, 0, 0, 0, 1e4)  # of the guide, which lets it go across but not hunt
STRAIGHT = rail.Alignment([rail.Straight(400)])


class Spline:
    """A signal through points."""

    def __init__(self, s, values):
        self.spline = make_interp_spline(s, values, 5)

    def __call__(self, s, derivative=0):
        return self.spline(s, derivative)

    def on_grid(self, start, step, count, derivatives=3):
        s = start + step * np.arange(count)
        return np.array([self.spline(s, order) for order in range(derivatives)])


def wave(channel, length, height):
    """A cosine; of infinite length a constant."""
    return rail.Irregularity({channel: SineSum(np.array([2 * np.pi / length]), np.array([height]), np.array([0.0]))})


def build(line, rough):
    m = tr.Model("wheelset")
    ride = rail.Ride.on(m, line, rail.UniformTravel(SPEED), 2.0, rough)
    contact = rail.Contact(
        rail.ContactGeometry(rail.Profile.cone(0.05), rail.Profile.arc(0.3)), rail.ShenHedrickElkins(0.4)
    )
    part, place = rail.Wheelset(MASS, (1120, 112, 1120), contact), ride.place("axle", 0.0)
    hub = part.add(m, "axle", place).hub
    m.apply(tr.Bushing(place.track.at(0, 0, part.radius), hub, K, C), name="guide")
    m.start |= part.start("axle", ride.first_speed, 0.0)
    return m.build()


@pytest.fixture(scope="module")
def system():
    return build(STRAIGHT, rail.Irregularity({}))


def ride(system, rough, duration=6.0, **options):
    tables = {"irregularity": irregularity_table(rough, 0.0, 400.0, 0.25)}
    return system.simulate(duration, tables=tables, method="stiff", rtol=1e-11, samples=1001, **options)


@pytest.fixture(scope="module")
def smooth(system):
    return ride(system, rail.Irregularity({}), start={"axle.y": 2e-3})


def test_rails_that_lie_elsewhere_are_a_track_that_does(system, smooth):
    for channel, coordinate, shift in (("vertical", "z", 0.02), ("lateral", "y", -0.03)):
        first = {"axle.y": 2e-3, "axle.z": float(smooth.values("axle.z")[0])}
        run = ride(
            system,
            wave(channel, np.inf, shift),
            start={**first, f"axle.{coordinate}": first[f"axle.{coordinate}"] + shift},
        )
        for name in ("axle.y", "axle.z", "axle.rz", "axle_left.Q", "axle_right.lateral_creepage"):
            wanted = smooth.values(name) + (shift if name == f"axle.{coordinate}" else 0.0)
            assert run.values(name) == pytest.approx(wanted, abs=1e-5 * np.max(np.abs(wanted)))


def test_a_long_wave_is_followed(system):
    """The wave is eleven times as long as that of the wheelset: it keeps to the middle within (1/11)^2 of its height
    and what the guide and the rest of its own wave add.
    """
    run = ride(system, wave("lateral", 180.0, 0.02).faded(2.0, 150.0), 18.0)
    middle = 0.02 * np.cos(2 * np.pi / 180.0 * run.values("distance"))[run.values("distance") > 200]
    y = run.values("axle.y")[run.values("distance") > 200]
    assert np.max(np.abs(y - middle)) < 0.1 * 0.02 and np.ptp(middle) > 0.03


def test_a_vertical_curve_is_the_same_as_a_wave_of_its_shape(system):
    """Once as a line that bends, with its track frame, and once as rails that leave a straight one."""
    profile = [rail.Grade(40, 0.0), rail.VerticalCurve(length=40, gradient=2e-3, shape="bloss")]
    curved = rail.Alignment([rail.Straight(400)], profile=profile)
    s = np.linspace(0, 400, 3201)
    rough = rail.Irregularity({"vertical": Spline(s, curved.position(s)[:, 2])})
    run = ride(system, rough, 5.0)
    other = build(curved, None).simulate(5.0, method="stiff", rtol=1e-9, samples=1001)
    weight = MASS * 9.81 / 2
    found, wanted = run.values("axle_left.Q"), other.values("axle_left.Q")
    assert np.ptp(wanted) > 4e-3 * weight
    assert found == pytest.approx(wanted, abs=2e-5 * weight)
    place, height = other.values("axle.z") + curved.position(other.values("distance"))[:, 2], run.values("axle.z")
    assert height == pytest.approx(place, abs=2e-6)  # z is along the normal of the line there: 0.46 m (1 - cos 2e-3)


def test_energy_is_lost_by_creep_and_damping_only(system):
    """The rails do no work: the energy lost at a contact is that of creep, apart from a little damping."""
    run = ride(system, rail.Irregularity.erri("high", seed=3).faded(5.0, 30.0))
    assert run.ok and run.energy.drift < 1e-8
    for name in ("axle_left", "axle_right"):
        books, creep = run.power.force(name), run.values(f"{name}.power_lost")
        assert books["lost"].values == pytest.approx(creep, abs=3e-6 * SPEED * MASS * 9.81)
        assert np.max(creep) > 20.0 and np.min(creep) > -1e-9
    slope = rail.Irregularity.erri("high", seed=3).lateral(np.linspace(5, 100, 400), 1)
    assert np.max(np.abs(slope)) > 1e-3  # if the contact did not turn with the rail this would show
