"""A wheelset on a roller rig: pose against closed forms and independent root-finding."""

from dataclasses import replace
from math import cos, inf, sin, tan

import casadi as ca
import numpy as np
import pytest
from rigs import BOTH, CONE, DRUM, HOLLOW, INERTIA, MASS, TRACK
from scipy.optimize import brentq, root

import trundle as tr
from trundle.errors import AssemblyError, ModelError
from trundle.rail import JOINTS, RollerRig, WheelsetGuide

# -- independent geometry ----------------------------------------------------------------------------------------------


def trammel(rig: RollerRig, roll: float) -> tuple[float, float]:
    """Lateral displacement and lift of conical wheels at a roll without yaw: the centres of the two ring profiles slide
    on two straight lines of the wheelset, like the ends of an ellipsograph's bar [Antali 2015 for a track].
    """
    c = rig.half_gauge + rig.ring_profile_radius * sin(rig.cone_angle)
    h = rig.wheel_radius + rig.ring_profile_radius * cos(rig.cone_angle)
    slope, fall = tan(rig.cone_angle), 2 * sin(roll / 2) ** 2
    lateral = sin(roll) * (c * cos(roll) / slope - h - c * fall * slope)
    lift = c * sin(roll) ** 2 / slope + c * fall * slope * cos(roll) - h * fall
    return lateral, lift


def turn_x(a):
    return np.array([[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]])


def turn_y(a):
    return np.array([[cos(a), 0, sin(a)], [0, 1, 0], [-sin(a), 0, cos(a)]])


def turn_z(a):
    return np.array([[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]])


def ring_point(rig, sign, angle, lean):
    """Point and outward normal of a ring from textbook parameters."""
    a, rho = rig.cone_angle, rig.ring_profile_radius
    if rig.ring_radius == inf:  # the rail is a cylinder, and the angle a place along it
        n = np.array([0.0, -sin(lean), cos(lean)])
        return np.array([angle, sign * (rig.half_gauge + rho * sin(a)), -rho * cos(a)]) + rho * n, n
    n = turn_y(angle) @ np.array([0.0, -sin(lean), cos(lean)])
    core = turn_y(angle) @ np.array([0.0, sign * (rig.half_gauge + rho * sin(a)), rig.ring_radius - rho * cos(a)])
    return core + rho * n, n


def wheel_point(rig, sign, angle, along):
    """Point and outward normal of a wheel; `along` is the distance along the axle from the middle."""
    a, b, r0, rho = rig.cone_angle, rig.half_gauge, rig.wheel_radius, rig.wheel_profile_radius
    if rho == inf:
        radius, lean = r0 - (along - b) * tan(a), a
    else:
        lean = np.arcsin((b + rho * sin(a) - along) / rho)
        radius = r0 + rho * cos(a) - rho * cos(lean)
    down = turn_y(angle) @ np.array([0.0, 0.0, -1.0])
    out = np.array([0.0, sign, 0.0])
    return sign * along * np.array([0.0, 1.0, 0.0]) + radius * down, sin(lean) * out + cos(lean) * down


def by_common_normals(rig, lateral, yaw):
    """Roll, lift and points of contact from ten equations: on each side equal points and opposite normals."""

    def contacts(v):
        R = turn_x(v[0]) @ turn_z(yaw)
        drum = 0.0 if rig.ring_radius == inf else rig.ring_radius
        centre = np.array([0.0, lateral, drum + rig.wheel_radius + v[1]])
        for sign, (angle, lean, on_wheel, along) in ((-1.0, v[2:6]), (1.0, v[6:10])):
            p, n = ring_point(rig, sign, angle, lean)
            q, m = wheel_point(rig, sign, on_wheel, along)
            yield p, n, centre + R @ q, R @ m

    def residual(v):
        return np.concatenate([[*(p - q), n[0] + m[0], n[1] + m[1]] for p, n, q, m in contacts(v)])

    b, a = rig.half_gauge, rig.cone_angle
    start = np.array([lateral * a / b, 0.0, 0.0, -a, 0.0, b + lateral, 0.0, a, 0.0, b - lateral])
    found = root(residual, start, tol=1e-15, method="hybr")
    assert np.max(np.abs(residual(found.x))) < 1e-14
    return found.x[0], found.x[1], [p for p, *_ in contacts(found.x)]


# -- sizes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        (
            {"half_gauge": -1.0, "wheel_radius": float("nan"), "ring_radius": -inf},
            ["half_gauge", "wheel_radius", "ring_r"],
        ),
        ({"cone_angle": 0.0}, ["does not centre itself"]),
        ({"cone_angle": 0.8}, ["45 degrees"]),
        ({"half_gauge": 0.01, "ring_profile_radius": 1.2}, ["above the axle", "does not fit on a drum"]),
        ({"wheel_profile_radius": 0.3}, ["does not fit into a hollow wheel"]),
        ({"wheel_profile_radius": 1e4}, ["would reach the axle"]),
    ],
)
def test_faults_are_all_reported(sizes, words):
    with pytest.raises(ModelError) as caught:
        replace(CONE, **sizes)
    assert len(caught.value.faults) == len(words)
    for fault, word in zip(caught.value.faults, words, strict=True):
        assert word in fault and fault.endswith(".")


# -- pose --------------------------------------------------------------------------------------------------------------


def test_the_published_size_of_roll_and_lift():
    pose = CONE.pose(0.004)
    assert pose.roll == pytest.approx(2.7510317813783e-4, rel=1e-13)
    assert pose.lift == pytest.approx(1.1306050238e-6, rel=1e-9)


@pytest.mark.parametrize("roll", [1e-9, 2.7e-4, -3e-3, 0.03])
def test_without_yaw_the_pose_is_that_of_a_trammel(roll):
    lateral, lift = trammel(CONE, roll)
    pose = CONE.pose(lateral)
    assert pose.roll == pytest.approx(roll, rel=1e-13)
    assert pose.lift == pytest.approx(lift, rel=1e-12)


def test_the_trammel_gives_the_reference_lift():
    roll = brentq(lambda a: trammel(CONE, a)[0] - 0.004, 1e-4, 1e-3, xtol=1e-18, rtol=1e-15)
    assert CONE.pose(0.004).roll == pytest.approx(roll, rel=1e-14)
    assert CONE.pose(0.004).lift == pytest.approx(trammel(CONE, roll)[1], rel=1e-12)


@pytest.mark.parametrize("rig", [CONE, HOLLOW, TRACK, replace(HOLLOW, ring_radius=inf)])
@pytest.mark.parametrize("place", [(0.004, 0.0), (0.01, 0.02), (-0.03, 0.05), (0.002, -0.3)])
def test_the_pose_has_common_normals(rig, place):
    roll, lift, points = by_common_normals(rig, *place)
    pose = rig.pose(*place)
    assert (pose.roll, pose.lift) == pytest.approx((roll, lift), rel=1e-11, abs=1e-14)
    assert np.allclose([pose.contacts["right"], pose.contacts["left"]], points, rtol=0, atol=1e-13)


def test_a_wheel_that_is_almost_conical():
    almost = replace(CONE, wheel_profile_radius=300.0)
    assert almost.pose(0.004, 0.01).roll == pytest.approx(CONE.pose(0.004, 0.01).roll, rel=1e-6)
    assert almost.wavelength == pytest.approx(CONE.wavelength, rel=2e-2)
    assert abs(almost.wavelength / CONE.wavelength - 1) > 1e-5


@BOTH
def test_the_sixteen_joints_close_both_loops(rig):
    pose = rig.pose(0.012, -0.04, pitch=0.7, drum_angle=-0.3)
    q = list(pose.joints.values())
    assert [int("".join(filter(str.isdigit, name))) for name in pose.joints] == list(range(1, 17))
    R_w, p_w = (np.array(ca.DM(v)) for v in WheelsetGuide().chain().pose(ca.DM(q[:5])))
    p_w = p_w.ravel() + np.array([0, 0, rig.axle_height])
    R_d = turn_y(q[10])
    for side, joints in (("right", q[5:10]), ("left", q[11:16])):
        sign, chain = rig.sides[side], tr.HigherPair(rig.ring, rig.wheel(side)).chain()
        coordinates = np.array(joints[::-1])
        coordinates[1] += sign * rig.cone_angle  # the model counts profile angles from the top
        coordinates[3] -= 0.0 if rig.conical else sign * rig.cone_angle
        R, p = (np.array(ca.DM(v)) for v in chain.pose(ca.DM(coordinates)))
        assert np.allclose(R_d @ R, R_w, rtol=0, atol=1e-14)
        ring_to_wheel = R_d @ (rig.ring_place(side) + p.ravel())
        assert np.allclose(ring_to_wheel, p_w + R_w @ rig.wheel_place(side), rtol=0, atol=1e-14)


def test_which_joints_move_without_yaw():
    joints = CONE.pose(0.004).joints
    moving = {"s1", "s2", "theta3", "s7", "theta9", "s13", "theta15"}  # [Meijaard 2024, Sec. 3.3]
    assert set(joints) == set(JOINTS)
    assert {name for name, value in joints.items() if abs(value) > 1e-13} == moving
    assert np.abs([joints["theta9"], joints["theta15"]]) == pytest.approx(joints["theta3"], rel=1e-11)


@BOTH
def test_middle_mirror_and_pitch(rig):
    middle = rig.pose(0.0)
    assert max(np.abs(list(middle.joints.values()))) < 1e-15
    assert middle.contacts["left"] == pytest.approx([0, rig.half_gauge, rig.ring_radius], abs=1e-15)
    pose, mirrored = rig.pose(0.01, 0.03), rig.pose(-0.01, -0.03)
    assert (mirrored.roll, mirrored.lift) == pytest.approx((-pose.roll, pose.lift), rel=1e-13)
    assert mirrored.contacts["right"] == pytest.approx(pose.contacts["left"] * [1, -1, 1], abs=1e-15)
    turned = rig.pose(0.01, 0.03, pitch=1.0, drum_angle=2.0)
    assert np.array_equal(turned.contacts["left"], pose.contacts["left"])


@BOTH
def test_small_displacements_have_the_coefficients_of_the_linear_theory(rig):
    small = rig.pose(1e-6)
    assert small.roll == pytest.approx(rig.roll_coefficient * 1e-6, rel=1e-5)
    radii = small.rolling_radius
    assert (radii["left"] - radii["right"]) / 2e-6 == pytest.approx(rig.conicity, rel=1e-5)


@BOTH
def test_arrays_are_the_single_poses(rig):
    lateral, yaw = np.linspace(-0.006, 0.006, 5)[:, None], np.array([0.0, 0.02, 0.1])
    many = rig.pose(lateral, yaw)
    assert many.roll.shape == (5, 3) and many.contacts["left"].shape == (5, 3, 3) and many.touches.all()
    one = rig.pose(0.006, 0.1)
    assert (many.roll[4, 2], many.joints["theta14"][4, 2]) == pytest.approx(
        (one.roll, one.joints["theta14"]), abs=1e-15
    )


@pytest.mark.parametrize(
    ("rig", "place", "words"),
    [
        (CONE, (0.8, 0.0), "reaches the middle of the wheelset"),
        (replace(CONE, cone_angle=0.5), (0.0, 5.0), "cannot both touch"),
        (replace(CONE, wheel_profile_radius=0.31), (0.02, 0.0), "dead centre"),
        (replace(CONE, wheel_profile_radius=0.31), (0.0, 0.3), "second point"),
    ],
)
def test_no_pose_has_a_reason(rig, place, words):
    with pytest.raises(AssemblyError, match=words):
        rig.pose(*place)
    many = rig.pose([0.0, place[0]], [0.0, place[1]])
    assert list(many.touches) == [True, False]
    assert np.isnan(many.roll[1]) and np.isnan(many.contacts["left"][1]).all() and many.roll[0] == 0


def test_at_a_dead_centre_the_normals_intersect_at_the_height_of_the_axle():
    rig = replace(CONE, wheel_profile_radius=0.31)
    with pytest.raises(AssemblyError, match=r"just after 0.0079[45]\d* m"):
        rig.pose(0.05)
    lateral = np.array([0.007946, 0.007948])
    pose = rig.pose(lateral)
    heights = []
    for i in range(2):
        (p1, n1), (p2, n2) = ((pose.contacts[side][i, 1:], pose.normals[side][i, 1:]) for side in rig.sides)
        reach = np.linalg.solve(np.column_stack([n1, -n2]), p2 - p1)[0]
        heights.append(float((p1 + reach * n1)[1]) - rig.axle_height - pose.lift[i])
    # The height above the axle vanishes like the root of the distance from the dead centre.
    slope, offset = np.polyfit(lateral, np.square(heights), 1)
    assert heights[0] > heights[1] > 0
    limit = -offset / slope
    assert limit == pytest.approx(0.0079503, abs=2e-7)
    assert list(rig.pose([limit - 2e-6, limit + 2e-6]).touches) == [True, False]


def test_a_track_is_a_rig_with_an_endless_drum():
    """Poses differ from those on a large drum by one over its radius; forward moves the contacts along the rails."""
    on_track, far = TRACK.pose(0.01, 0.05, pitch=0.3, forward=2.0), TRACK.pose(0.01, 0.05, pitch=0.3)
    errors = [replace(CONE, ring_radius=R).pose(0.01, 0.05).roll / on_track.roll - 1 for R in (1e3, 1e4)]
    assert errors[0] / errors[1] == pytest.approx(10, rel=1e-2) and abs(errors[1]) < 1e-3
    assert on_track.contacts["left"] - far.contacts["left"] == pytest.approx([2, 0, 0], abs=1e-14)
    for side, joint in (("right", "s10"), ("left", "s16")):
        assert on_track.joints[joint] == pytest.approx(on_track.contacts[side][0], abs=1e-14)
    state = TRACK.model(MASS, INERTIA).build().start({"wheelset.lateral": 0.01, "wheelset.yaw": 0.05})
    assert state.q[[3, 1]] == pytest.approx([on_track.roll, on_track.lift], abs=1e-14)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: TRACK.pose(0.0, drum_angle=1.0), "has no drum"),
        (lambda: CONE.pose(0.0, forward=1.0), "does not move forward on a rig"),
        (lambda: TRACK.model(MASS, INERTIA, DRUM), "has no drum"),
        (lambda: CONE.model(MASS, INERTIA), "drum_inertia"),
    ],
)
def test_what_belongs_to_a_rig_or_a_track(ask, words):
    with pytest.raises(ModelError, match=words):
        ask()


def test_a_pose_needs_finite_numbers():
    with pytest.raises(ModelError, match="finite"):
        CONE.pose(np.nan)
