"""A wheelset that rolls on a roller rig: degrees of freedom, wavelength against linear theory, slips and energy."""

from dataclasses import replace
from functools import cache
from math import inf, pi, sin, sqrt, tan

import numpy as np
import pytest
from rigs import CONE, DRUM, INERTIA, MASS, ROLLING, SPIN, TRACK, WORN, rolling
from scipy.interpolate import CubicSpline

import trundle as tr
from trundle.errors import ModelError
from trundle.rail import RollerRig

# -- the model ---------------------------------------------------------------------------------------------------------


@ROLLING
def test_freedoms_by_rank(rig):
    smooth, rough = rolling(rig, no_slip=False).mobility, rolling(rig).mobility
    assert (smooth.configuration, smooth.freedoms, smooth.redundant) == (4, 4, ())
    assert (rough.configuration, rough.freedoms) == (4, 1)
    assert len(rough.redundant) == 1 and "slip" in rough.redundant[0]


@ROLLING
def test_the_model_finds_the_same_pose(rig):
    system = rolling(rig, no_slip=False)
    place = {"wheelset.lateral": 0.006, "wheelset.yaw": 0.03, "wheelset.pitch": 0.4, "drum.angle": -0.2}
    state = system.start(place)
    pose = rig.pose(0.006, 0.03, pitch=0.4, drum_angle=-0.2)
    j, a = pose.joints, rig.cone_angle
    tree = [j["theta11"], j["s1"], j["s2"], j["theta3"], j["theta4"], j["theta5"]]
    profile = [j["s7"], j["s13"]] if rig.conical else [j["theta7"] + a, j["theta13"] - a]
    right = [j["theta10"], j["theta9"] - a, j["theta6"], profile[0]]
    left = [j["theta16"], j["theta15"] + a, j["theta12"], profile[1]]
    assert np.allclose(state.q, [*tree, *right, *left], rtol=0, atol=1e-13)


# -- rolling -----------------------------------------------------------------------------------------------------------


def displaced(rig: RollerRig, lateral: float, yaw: float = 0.0) -> dict[str, float]:
    """Start in contact: the pose is known, so none has to be searched for."""
    pose = rig.pose(lateral, yaw)
    return {"wheelset.lateral": lateral, "wheelset.yaw": yaw, "wheelset.roll": pose.roll, "wheelset.lift": pose.lift}


@cache
def oscillation(rig: RollerRig, amplitude: float):
    """Free rolling from a lateral displacement; returns the run and the wavelength along the ring."""
    start = {**displaced(rig, amplitude), "wheelset.pitch_rate": SPIN}
    run = rolling(rig).simulate(3.0, start, rtol=1e-12, atol=1e-13, samples=1001)
    assert run.ok
    forward = "wheelset.forward" if rig.straight else "drum.angle"
    distance = (1.0 if rig.straight else -rig.ring_radius) * run.values(forward).ravel()
    crossings = CubicSpline(distance, run.values("wheelset.lateral").ravel()).roots(extrapolate=False)
    return run, float(crossings[2] - crossings[0])


@pytest.mark.parametrize(
    "rig", [CONE, WORN, replace(CONE, ring_radius=50.0), TRACK], ids=["conical", "worn", "large drum", "track"]
)
def test_the_wavelength_tends_to_the_linear_one(rig):
    errors = [oscillation(rig, amplitude)[1] / rig.wavelength - 1 for amplitude in (0.008, 0.004, 0.002)]
    assert abs(errors[2]) < 1e-6
    assert np.array(errors[:2]) / errors[1:] == pytest.approx([4, 4], rel=0.05)  # second order in the amplitude


def test_large_drums_are_a_track():
    def excess(R):
        track = 2 * pi * sqrt(0.46 * 0.75**2 / (tan(CONE.cone_angle) * (0.75 + 0.3 * sin(CONE.cone_angle))))
        return 1 - replace(CONE, ring_radius=R).wavelength / track

    assert excess(1e12) == pytest.approx(0.0, abs=1e-12) and excess(inf) == pytest.approx(0.0, abs=1e-14)
    assert excess(1e3) / excess(1e4) == pytest.approx(10, rel=1e-3)
    track = replace(CONE, ring_radius=1e12)
    roll_part = 1 - CONE.wheel_radius * tan(CONE.cone_angle) / CONE.half_gauge
    assert track.klingel_wavelength == pytest.approx(track.wavelength * sqrt(roll_part), rel=1e-12)
    knife = replace(track, ring_profile_radius=1e-12, cone_angle=1e-6)  # all that Klingel knew
    assert knife.wavelength == pytest.approx(2 * pi * sqrt(0.46 * 0.75 / 1e-6), rel=1e-6)


@ROLLING
def test_rolling_keeps_slips_energy_and_contacts(rig):
    run, _ = oscillation(rig, 0.004)
    speed = SPIN * rig.wheel_radius
    for side in rig.sides:
        for row in ("slip_x", "slip_y", "gap"):
            assert np.max(np.abs(run.values(f"{side}.{row}"))) < 1e-12 * speed
    assert run.energy.drift < 1e-12
    lateral, yaw = (run.values(f"wheelset.{name}").ravel() for name in ("lateral", "yaw"))
    pose = rig.pose(lateral, yaw)
    assert np.max(np.abs(yaw)) > 5e-4
    assert np.max(np.abs(pose.roll - run.values("wheelset.roll").ravel())) < 1e-12
    assert np.max(np.abs(pose.lift - run.values("wheelset.lift").ravel())) < 1e-12
    assert np.allclose(pose.contacts["left"], run.values("left.contact_point"), rtol=0, atol=1e-11)


def test_a_driven_drum_leads_the_wheelset_along_the_same_path():
    driven = CONE.model(2 * MASS, INERTIA, DRUM, no_slip=True, drum_law=tr.Servo(lambda t: -8.0 * t)).build()
    assert (driven.mobility.configuration, driven.mobility.freedoms) == (3, 0)
    run = driven.simulate(3.0, displaced(CONE, 0.004), rtol=1e-12, atol=1e-13, samples=101)
    free, _ = oscillation(CONE, 0.004)
    path = CubicSpline(-free.values("drum.angle").ravel(), free.values("wheelset.lateral").ravel())
    there = -run.values("drum.angle").ravel()
    assert there[-1] == pytest.approx(24.0)
    assert np.max(np.abs(run.values("wheelset.lateral").ravel() - path(there))) < 1e-11


def test_absolute_coordinates_give_the_same_motion():
    start = {**displaced(CONE, 0.004, 0.002), "wheelset.pitch_rate": SPIN}
    systems = [rolling(CONE), CONE.model(MASS, INERTIA, DRUM, drum_mass=900.0, no_slip=True).build("newton_euler")]
    places = [s.simulate(0.5, start, rtol=1e-11, atol=1e-11, samples=11).values("wheelset.position") for s in systems]
    assert np.max(np.abs(places[0] - places[1])) < 1e-10


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("a",), "lateral must be a real number .* got 'a'"),
        ((0.0, 1j), "yaw must be a real number .* got 1j"),
        (([0.001, 0.002], [0.0, 0.001, 0.002]), r"different shapes cannot be combined: lateral \(2,\), yaw \(3,\)"),
    ],
)
def test_an_invalid_place_is_reported(given, told):
    with pytest.raises(ModelError, match=told):
        RollerRig(0.75, 0.5, 1.0, 0.3, 0.05).pose(*given)


@pytest.mark.parametrize("rate", [-8.0, 3.0])
def test_the_linear_equations_have_the_hunting_pair(rate):
    """Without slip the wheelset swings sideways with the wavelength of the exact small motion, at any speed."""
    linear = rolling(CONE).linearise({**displaced(CONE, 0.0), "drum.angle_rate": rate})
    assert linear.steady
    swing = 2 * pi * abs(rate) * CONE.ring_radius / CONE.wavelength
    for value in (1j * swing, -1j * swing):
        assert np.min(np.abs(linear.eigenvalues - value)) < 1e-7 * swing
