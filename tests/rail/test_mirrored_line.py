"""A line mirrored left to right, with crest and reverse curve, gives the mirrored motion to round-off of the run."""

import numpy as np
import pytest

from trundle import rail

pytestmark = pytest.mark.slow


def test_a_mirrored_line_gives_the_mirrored_motion() -> None:
    contact = rail.Contact(rail.ContactGeometry(rail.S1002(), rail.Rail60E1()), rail.ShenHedrickElkins(0.4))
    box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    axle = rail.Wheelset(1813, (1120, 112, 1120), contact)
    wagon = rail.Wagon(rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9), axle, box, 8.0)
    profile = [rail.Grade(100, 0.01), rail.VerticalCurve(radius=4000, gradient=-0.01)]
    runs = []
    for way in (1, -1):
        curves = [rail.Sine(60, way * 400, 0.1), rail.Arc(way * 400, 80, 0.1), rail.Bloss(60, -way * 500, 0.06)]
        line = rail.Alignment([rail.Straight(40), *curves, rail.Arc(-way * 500, 100, 0.06)], profile=profile)
        runs.append(rail.Trip(wagon, line, 22.0).simulate(12.0, samples=601, rtol=1e-9))
    one, other = runs
    assert one.ok and other.ok
    for name in ("front", "rear"):
        for coordinate, sign in (("y", -1), ("z", 1), ("rx", -1), ("rz", -1)):
            a, b = (run.values(f"{name}.{coordinate}") for run in runs)
            assert a == pytest.approx(sign * b, abs=1e-10)
        for side, across in (("left", "right"), ("right", "left")):
            for force in ("Q", "Y"):
                a, b = one.values(f"{name}_{side}.{force}"), other.values(f"{name}_{across}.{force}")
                assert np.abs(a) == pytest.approx(np.abs(b), abs=1e-6 * float(np.max(np.abs(a))))


def test_unequal_sides_begin_in_their_steady_motion_and_mirror() -> None:
    """A worn wheel, a worn rail and wheels of two diameters; the other way round on the mirrored line. Before, the
    wheels carried 0 and 962 kN at the start."""
    wheel, rails = rail.S1002(), rail.Rail60E1()
    worn = wheel.worn(lambda s: 8e-4 * np.exp(-((s / 0.012) ** 2)))
    used = rails.worn(lambda s: 5e-4 * np.exp(-(((s + 0.02) / 0.008) ** 2)))
    box = rail.AxleBox(rail.Bushing((5e6, 2e6, 1.2e6), (1e4, 1e4, 2e4)))
    car = rail.CarBody(20e3, (3e4, 2e5, 2.1e5), 1.9)
    runs = []
    for way, (left, right), (on, off) in ((1, (worn, wheel), (used, rails)), (-1, (wheel, worn), (rails, used))):
        geometry = rail.ContactGeometry(left, on, right_wheel=right, right_rail=off, radius_offset=way * 1e-3)
        axle = rail.Wheelset(1813, (1120, 112, 1120), rail.Contact(geometry, rail.Polach(0.35)))
        wagon = rail.Wagon(car, axle, box, 8.0)
        curve = rail.Alignment([rail.Straight(30), rail.Clothoid(60, way * 400, 0.08), rail.Arc(way * 400, 60, 0.08)])
        runs.append(rail.Trip(wagon, curve, 16.0).simulate(7.0, samples=351, rtol=1e-9))
    one, other = runs
    assert one.ok and other.ok
    straight = one.values("distance") < 25.0
    for name in ("front_left.Q", "rear_right.Q", "front.y", "front.rz"):
        values = one.values(name)[straight]
        assert np.ptp(values) < 1e-5 * np.max(np.abs(values))
    for name in ("front", "rear"):
        for coordinate, sign in (("y", -1), ("z", 1), ("rx", -1), ("rz", -1)):
            a, b = (run.values(f"{name}.{coordinate}") for run in runs)
            assert a == pytest.approx(sign * b, abs=1e-10)
        for side, across in (("left", "right"), ("right", "left")):
            for force in ("Q", "Y"):
                a, b = one.values(f"{name}_{side}.{force}"), other.values(f"{name}_{across}.{force}")
                assert a == pytest.approx(b, abs=1e-6 * float(np.max(np.abs(a))))
