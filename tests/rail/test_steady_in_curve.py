"""Steady motion of a wheelset in a curve against rolling without slip."""

import numpy as np
import pytest
from scipy.optimize import brentq

import trundle as tr
from trundle import rail

RADIUS, CONICITY = 0.46, 0.05


def wheelset(radius, head):
    """A wheelset on cones in an arc, which soft springs keep along the track; rail heads of a radius."""
    geometry = rail.ContactGeometry(rail.Profile.cone(CONICITY), rail.Profile.arc(head))
    m = tr.Model("wheelset in a curve")
    ride = rail.Ride.on(m, rail.Alignment([rail.Arc(radius, 500)]), rail.UniformTravel(1.0), 50.0)
    place = ride.place("axle", 0.0)
    part = rail.Wheelset(1813.0, (1120, 112, 1120), rail.Contact(geometry, rail.ShenHedrickElkins(0.4)))
    hub = part.add(m, "axle", place).hub
    m.apply(tr.Bushing(hub.at(0, 0, 0), place.track.at(0, 0, RADIUS), (1e4, 0, 0, 0, 0, 1.0), (0,) * 6), name="soft")
    m.start |= part.start("axle", 1.0, 0.0)
    return m.build(), geometry


@pytest.mark.parametrize(("radius", "head"), [(600.0, 0.3), (-900.0, 0.05)])
def test_a_free_wheelset_moves_out_until_its_wheels_roll_on_the_curve(radius, head):
    """Rolling circles are as the lengths of the rails; y = -r b / (conicity R) for small rail heads."""
    system, geometry = wheelset(radius, head)
    found = system.steady({"axle_spin.angle": 0.0})

    def slip(y):
        at = geometry.contact(y)
        rails = (radius + at.right.lateral) / (radius - at.left.lateral)
        return float(at.right.radius / at.left.radius - rails)

    assert found["axle.y"] == pytest.approx(brentq(slip, -0.0118, 0.0118), rel=1e-4)
    half = geometry.tape_distance / 2
    assert found["axle.y"] == pytest.approx(-RADIUS * half / (CONICITY * radius), rel=0.07 if head > 0.1 else 0.04)
    assert found["axle_spin.angle_rate"] == pytest.approx(1.0 / RADIUS, rel=2e-3)
    assert all(abs(found[f"axle.{name}_rate"]) < 1e-12 for name in ("x", "y", "z", "rx", "rz"))
    linear = system.linearise(found)
    assert linear.steady and linear.cyclic == ("axle_spin.angle",)
    # Small motions about it have the wave of the rigid geometry: slope of the rolling condition over y.
    y, d = found["axle.y"], 1e-5
    slope = (slip(y + d) - slip(y - d)) / (2 * d)
    at, far = geometry.contact(y), geometry.contact(y + d)
    width = float(at.left.lateral + at.right.lateral)
    wave = np.sqrt(abs(slope) / width / (1 + RADIUS * float(far.roll - at.roll) / d))
    assert min(abs(linear.eigenvalues.imag - wave)) == pytest.approx(0.0, abs=3e-3 * wave)
