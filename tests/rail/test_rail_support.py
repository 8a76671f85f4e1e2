"""Rails that yield: deflection at rest, resonance on Hertz's spring, energy, and the limit of track that does not."""

import numpy as np
import pytest

from trundle import rail
from trundle.errors import ModelError

STRAIGHT = rail.Alignment([rail.Straight(200)])
MASS, LOAD = 1813.0, 80e3
Q = (LOAD + 9.81 * MASS) / 2
SUPPORT = rail.RailSupport(250.0, (4e7, 8e7), (2e4, 5e4))


def wheelset(support, *profiles):
    cones = rail.Profile.cone(0.05), rail.Profile.arc(0.3)
    geometry = rail.ContactGeometry(*(profiles or cones))
    contact = rail.Contact(geometry, rail.ShenHedrickElkins(0.4), support=support)
    axle = rail.Wheelset(MASS, (1120, 112, 1120), contact)
    return rail.SingleWheelset(axle, rail.Bushing((5e6, 2e5, 0.0)), load=LOAD)


@pytest.fixture(scope="module")
def trip():
    return rail.Trip(wheelset(SUPPORT), STRAIGHT, 20.0)


def test_rails_yield_by_force_over_stiffness(trip):
    run = trip.simulate(2.0, samples=3)
    for side, out in (("left", 1.0), ("right", -1.0)):
        assert run.values(f"axle_{side}.Q")[0] == pytest.approx(Q, rel=2e-3)  # spin adds a lateral force
        assert run.values(f"axle_{side}.rail_z")[0] == pytest.approx(-Q / 8e7, rel=1e-9)
        assert run.values(f"axle_{side}.Q")[-1] == pytest.approx(Q, rel=1e-8)
        assert run.values(f"axle_{side}.rail_z")[-1] == pytest.approx(-Q / 8e7, rel=1e-6)
        aside = out * run.values(f"axle_{side}.Y")[-1] / 4e7
        assert run.values(f"axle_{side}.rail_y")[-1] == pytest.approx(aside, rel=1e-3)


def test_a_blow_keeps_the_account_of_energy(trip):
    """Dropped from 2 mm, displaced: energies of mass, springs and dampers of the rails are in the balance."""
    run = trip.simulate(1.0, {"axle.z": 0.462, "axle.y": 2e-3}, samples=201, rtol=1e-9)
    assert run.ok and run.energy.drift < 1e-10
    assert np.min(run.values("axle_left.rail_z")) < -1.5 * Q / 8e7


def test_modes_are_those_of_two_masses(trip):
    """Up and down: half the wheelset on the contact's spring 3/2 N / approach and damper N, on mass, spring and damper
    of the rail.
    """
    contact = trip.vehicle.wheelset.contact.tables["left"](0.0, 0.0)
    N = Q / np.cos(contact.angle)
    k, c = 1.5 * N / (N / contact.stiffness) ** (2 / 3), N
    M, m, (_, up), (_, lost) = MASS / 2, SUPPORT.mass, SUPPORT.stiffness, SUPPORT.damping
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2], A[3] = np.array([-k, k, -c, c]) / M, np.array([k, -k - up, c, -c - lost]) / m
    found = trip.linearise().eigenvalues
    for one in np.linalg.eigvals(A):
        assert np.min(np.abs(found - one)) < 3e-3 * np.abs(one)


@pytest.mark.slow
def test_stiff_supports_are_rigid_track():
    """A wheelset that swings across the track: the influence of the supports is proportional to one over their
    stiffness.
    """
    start, times = {"axle.rz": 2e-3}, {"samples": 201, "rtol": 1e-9}
    rigid = rail.Trip(wheelset(None, rail.S1002(), rail.Rail60E1()), STRAIGHT, 20.0).simulate(1.0, start, **times)
    off = []
    for stiffness in (1e9, 1e10):
        support = rail.RailSupport(250.0, (stiffness, stiffness), (1e5, 1e5))
        run = rail.Trip(wheelset(support, rail.S1002(), rail.Rail60E1()), STRAIGHT, 20.0).simulate(1.0, start, **times)
        assert run.values("axle.z")[-1] - rigid.values("axle.z")[-1] == pytest.approx(-Q / stiffness, rel=0.02)
        off.append(np.max(np.abs(run.values("axle.y") - rigid.values("axle.y"))))
    assert off[0] < 1e-4 and off[0] / off[1] == pytest.approx(10.0, rel=0.3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rail.RailSupport(0.0, (1e7, 1e7)), "mass must be greater than zero"),
        (lambda: rail.RailSupport(100.0, (0.0, 1e7)), "stiffness must be greater than zero"),
        (lambda: rail.RailSupport(100.0, (1e7, 1e7), (-1.0, 0.0)), "damping must be finite and not negative"),
        (lambda: wheelset(3.0), "support must be a rail.RailSupport"),
        (lambda: rail.RailSupport(100.0, 1e7), "stiffness has two numbers"),
    ],
)
def test_invalid_arguments(make, words):
    with pytest.raises(ModelError, match=words):
        make()
