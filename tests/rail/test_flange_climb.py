"""A wheelset that is pushed against a rail climbs over it at Nadal's limit, if it runs into the rail at an angle."""

import numpy as np
import pytest

import trundle as tr
from trundle import rail

pytestmark = pytest.mark.slow
MU, YAW_STIFFNESS = 0.35, 4e7  # N m/rad


@pytest.fixture(scope="module")
def trip() -> rail.Trip:
    """A wheelset that is held in yaw, turned by a moment and pushed to the left by a force that grows by 4 kN/s."""
    geometry = rail.ContactGeometry(rail.S1002(), rail.Rail60E1())
    axle = rail.Wheelset(1813, (1120, 112, 1120), rail.Contact(geometry, rail.Fastsim(MU, 5, 5)))
    single = rail.SingleWheelset(axle, rail.Bushing((YAW_STIFFNESS / 2, 1e3, 1e3), (1e5, 1e4, 2e4)), 1.0, load=60e3)
    found = rail.Trip(single, rail.Alignment([rail.Straight(400)]), 10.0)
    turn = found.model.parameter("turn", 0.0, "N m")
    hub = found.placed.wheelsets["axle"].hub
    push = tr.Wrench(hub, force=lambda s: (0, 4e3 * s.t, 0), moment=lambda s: (0, 0, turn * tr.tanh(s.t)))
    found.model.apply(push, name="push")
    return found


@pytest.mark.parametrize("yaw", [0.01, 0.02])
def test_derailment_at_the_limit_of_nadal(trip: rail.Trip, yaw: float) -> None:
    run = trip.simulate(30.0, parameters={"turn": yaw * YAW_STIFFNESS}, samples=6001, rtol=1e-7)
    assert run.outcome.startswith("DERAILED: The wheel axle_left")
    ratio = run.values("axle_left.Y") / run.values("axle_left.Q")
    last = int(np.argmax(ratio))
    assert run.values("axle.rz")[last] == pytest.approx(yaw, rel=0.02)
    steepest = float(run.values("axle_left.contact_angle")[last])
    assert np.degrees(steepest) == pytest.approx(70, abs=1)
    assert ratio[last] == pytest.approx(rail.nadal(steepest, MU), rel=3e-3)


def test_without_an_angle_of_attack_more_is_needed(trip: rail.Trip) -> None:
    """Friction then holds the wheel down as it slides up."""
    run = trip.simulate(24.0, samples=2401, rtol=1e-7)
    assert run.ok
    assert np.max(run.values("axle_left.Y") / run.values("axle_left.Q")) > 1.5 * rail.nadal(np.radians(70), MU)
