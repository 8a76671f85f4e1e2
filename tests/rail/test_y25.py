"""The freight wagon with friction of the kind of Y25 over a curve: friction that sticks and slides exactly, and smooth
friction that comes to the same as it grows stiff.
"""

import numpy as np
import pytest

from trundle import rail
from trundle.errors import ModelError

LINE = rail.Alignment([rail.Straight(30), rail.Sine(50, 400, 0.1), rail.Arc(400, 150, 0.1)])
SPEED, RADIUS, TILT = 15.0, 400.0, np.arcsin(0.1 / 1.5)
BOXES = [f"w{i}_spring_{side}_friction" for i in (1, 2, 3, 4) for side in ("left", "right")]


def trip(friction, stick):
    wagon = rail.changed(rail.y25_wagon("laden", friction=friction), {"bogie.axle_box.suspension.stick": stick})
    return rail.Trip(wagon, LINE, SPEED)


def over_limit(run):
    """Largest friction over its limit, of all boxes."""
    return max(np.max(np.linalg.norm(run.values(f"{box}.force"), axis=1) / run.values(f"{box}.limit")) for box in BOXES)


@pytest.mark.slow
def test_exact_and_smooth_friction_over_a_curve_agree_in_the_limit():
    """By the stiffness with which the guides stick; in the arc the rails carry weight and centripetal force."""
    exact = trip("exact", 1e9)
    run = exact.simulate(12.0, samples=1201)
    assert run.ok and run.energy.drift < 1e-9 and over_limit(run) < 1 + 1e-4
    kinds = {name.rsplit("_", 1)[1] for name, _ in run.events}
    assert {"slips", "sticks"} <= kinds
    off = {}
    for stick in (1e7, 1e9):
        smooth = trip("smooth", stick).simulate(12.0, samples=1201)
        assert smooth.ok and smooth.energy.drift < 1e-9 and over_limit(smooth) < 1.01
        for one in (run, smooth):
            for box in BOXES:
                lost = one.values(f"{box}.power_lost")
                assert np.min(lost) > -1e-6 * np.max(lost) - 1e-9, box  # friction never drives
        off[stick] = np.max(np.abs(smooth.values("car.y") - run.values("car.y")))
    assert off[1e9] < 3e-4 and off[1e7] > 10 * off[1e9]
    wagon, wheels = exact.vehicle, exact.placed.wheels
    assert wagon.mass == 67e3 + 2 * 2000 + 4 * 1300
    Q = sum(run.values(f"{wheel.contact}.Q")[-1] for wheel in wheels)
    wanted = wagon.mass * (9.81 * np.cos(TILT) + SPEED**2 / RADIUS * np.sin(TILT))
    assert pytest.approx(wanted, rel=2e-3) == Q


def test_invalid_arguments():
    with pytest.raises(ModelError, match="friction is 'smooth' or 'exact'"):
        rail.y25_wagon(friction="dry")
