"""Pitch of the bicycle: numbers, responses to invalid arguments, and the closure of the whole chain of joints."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import root

import trundle as tr
from trundle.bicycle import Geometry, loop_pitch, pitch
from trundle.errors import AssemblyError, ModelError

KNIFE = Geometry(1.02, 0.08, np.pi / 10, 0.3, 0.35)
TYRES = replace(KNIFE, rear_tyre=0.02, front_tyre=0.015)
DEG = np.pi / 180

# --- numbers and symmetries


@pytest.mark.parametrize(
    ("geometry", "roll", "steer", "wanted"),
    [
        (KNIFE, 10, 20, 0.309399464807),
        (TYRES, 10, 20, 0.309627505798),
        (KNIFE, 45, 60, 0.396393114303),
    ],
)
def test_known_numbers(geometry, roll, steer, wanted):
    found = pitch(geometry, roll * DEG, steer * DEG)
    assert found.pitch == pytest.approx(wanted, abs=1e-12)
    assert found.touches
    assert found.roots.shape == found.physical.shape == (4,)
    assert np.isfinite(found.roots).sum() == 4
    assert found.roots[found.physical] == [found.pitch]


def test_upright_and_straight():
    for geometry in (KNIFE, TYRES):
        upright = pitch(geometry, 0.0, 0.0)
        assert upright.pitch == pytest.approx(geometry.tilt, abs=1e-15)
        assert upright.front_roll == pytest.approx(0.0, abs=1e-15)
    # On knife edges a plane bicycle leans as a whole.
    roll = np.linspace(-80, 80, 33) * DEG
    leaning = pitch(KNIFE, roll, 0.0)
    assert leaning.pitch == pytest.approx(np.full(33, KNIFE.tilt), abs=1e-13)
    assert leaning.front_roll == pytest.approx(roll, abs=1e-13)


def test_left_and_right_are_mirror_images():
    roll, steer = np.random.default_rng(1).uniform(-1.2, 1.2, (2, 500))
    one, other = pitch(TYRES, roll, steer), pitch(TYRES, -roll, -steer)
    assert one.touches.all()
    assert one.pitch == pytest.approx(other.pitch, abs=1e-13)
    assert one.front_roll == pytest.approx(-other.front_roll, abs=1e-13)
    assert np.abs(one.pitch - pitch(TYRES, roll, -steer).pitch).max() > 0.1  # and the relative sign matters


def rotation(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[j, i], R[i, j] = s, -s
    return R


def test_signs_in_axes_with_z_up():
    """x forward, y left, z up: roll keeps its sign, steer and pitch change theirs; the wheel then touches z = 0."""
    roll, steer = 0.5, 0.8  # leaning and steering to the right
    found = pitch(TYRES, roll, steer)
    lean, frame, fork = rotation("x", roll), rotation("y", -found.pitch), rotation("z", -steer)
    rear_centre = np.array([0, 0, 0.02]) + lean @ [0, 0, 0.3 - 0.02]
    u_r, u_f, d = TYRES.rear_offset, TYRES.front_offset, TYRES.axial_distance
    centre = rear_centre + lean @ frame @ ([u_r, 0, -d] + fork @ [u_f, 0, 0])
    axis = lean @ frame @ fork @ [0, 1, 0]  # to the left: it rises when the wheel leans to the right
    assert np.arcsin(axis[2]) == pytest.approx(found.front_roll, abs=1e-13) and found.front_roll > 0
    assert centre[2] == pytest.approx(0.015 + (0.35 - 0.015) * np.cos(found.front_roll), abs=1e-13)


def test_auxiliary_lengths_are_distances_from_the_steering_axis():
    g = Geometry(1.1, 0.05, 0.4, 0.33, 0.28)
    along, forward = np.array([np.sin(0.4), -np.cos(0.4)]), np.array([np.cos(0.4), np.sin(0.4)])  # x forward, z up
    foot, rear, front = np.array([1.15, 0.0]), np.array([0.0, 0.33]), np.array([1.1, 0.28])
    assert g.rear_offset == pytest.approx(forward @ (foot - rear))
    assert g.front_offset == pytest.approx(forward @ (front - foot))
    assert g.axial_distance == pytest.approx(along @ (front - rear))
    assert g.wheels_stay_clear and g.loop().wheels_stay_clear
    for near in (replace(g, wheelbase=0.6), replace(g, trail=-0.3)):  # wheels that meet: at once, or turned round
        assert not near.wheels_stay_clear and not near.loop().wheels_stay_clear


# --- many poses, and poses without an answer


def test_arrays_broadcast_and_carry_nan():
    roll, steer = np.array([[0.1], [0.7], [85 * DEG], [2.0]]), np.array([0.0, 0.4, 150 * DEG])
    found = pitch(KNIFE, roll, steer)
    assert found.pitch.shape == found.front_roll.shape == found.touches.shape == (4, 3)
    assert found.roots.shape == found.physical.shape == (4, 3, 4)
    assert found.touches.tolist() == [[True] * 3, [True] * 3, [True, False, False], [False] * 3]
    assert np.array_equal(np.isnan(found.pitch), ~found.touches)
    assert np.array_equal(np.isnan(found.front_roll), ~found.touches)
    assert np.array_equal(found.physical.sum(-1), found.touches)
    assert np.array_equal(found.roots[found.physical], found.pitch[found.touches])
    for i, j in ((0, 1), (1, 2)):
        alone = pitch(KNIFE, roll[i, 0], steer[j])
        assert alone.pitch == pytest.approx(found.pitch[i, j], abs=1e-15)
        assert isinstance(alone.pitch, float)
    assert pitch(KNIFE, np.array([]), 0.1).pitch.shape == (0,)
    assert pitch(KNIFE, np.array([np.nan, 0.1]), 0.1).touches.tolist() == [False, True]


def test_more_poses_than_a_block():
    roll, steer = np.random.default_rng(2).uniform(-0.7, 0.7, (2, 20_001))
    found = pitch(TYRES, roll, steer)
    some = slice(8_190, 8_195)
    assert found.pitch[some] == pytest.approx(pitch(TYRES, roll[some], steer[some]).pitch, abs=1e-15)
    c1, c2, c3, c4, c5, c6 = TYRES.coefficients(roll, steer)
    s, k = np.sin(found.pitch), np.cos(found.pitch)
    assert np.abs((c1 * s + c2 * k + c3) ** 2 + (c4 * s + c5 * k + c6) ** 2 - 1).max() < 1e-14


@pytest.mark.parametrize(
    ("roll", "steer", "words"),
    [(85, 150, "cuts into the road at every pitch"), (95, 0, "the rear wheel itself lies on its side")],
)
def test_one_pose_that_cannot_be(roll, steer, words):
    with pytest.raises(AssemblyError, match=rf"roll of {roll} deg and a steer of {steer} deg.*{words}"):
        pitch(KNIFE, roll * DEG, steer * DEG)


def test_a_wheel_that_hangs_above_the_road():
    high = replace(KNIFE.loop(), road_point=(0.0, 0.0, 5.0))  # the front road lies in a pit
    with pytest.raises(AssemblyError, match="hangs above the road"):
        loop_pitch(high, 0.1, 0.1)


def test_one_pose_must_be_finite():
    with pytest.raises(ModelError, match="roll nan"):
        pitch(KNIFE, np.nan, 0.1)


def test_all_faults_of_a_geometry_at_once():
    with pytest.raises(ModelError) as error:
        Geometry(-1.0, 0.08, 0.3, -0.3, 0.35, -0.01, 0.4)
    assert len(error.value.faults) == 4
    for words in ("wheelbase -1 m", "rear_radius -0.3 m", "rear_tyre -0.01 m", "front_tyre 0.4 m is not smaller"):
        assert words in str(error.value)
    for wrong, words in (
        ({"tilt": 18.0}, "in degrees"),
        ({"trail": np.inf}, "trail must be one finite number"),
        ({"front_radius": "0.3"}, "front_radius must be one finite number, got '0.3'"),
        ({"front_tyre": 0.35}, "front_tyre 0.35 m is not smaller than front_radius 0.35 m"),
    ):
        with pytest.raises(ModelError, match=words):
            replace(KNIFE, **wrong)


def test_all_faults_of_a_loop_at_once():
    with pytest.raises(ModelError) as error:
        replace(
            KNIFE.loop(),
            rear_hub=tr.Screw((0.0, 0.0, 0.0)),
            steering=tr.Screw("z", pitch=0.1),
            front_hub=tr.Screw("y", at=(1.0, np.nan, 0.0)),
            front_radius=0.0,
            tilt=18.0,
            road_normal=(0.0, 0.0, -1.0),
            road_point=(0.0, 0.0),
        )
    words = (
        "rear_hub: axis",
        "a hinge only turns",
        "the point of front_hub",
        "front_radius 0 m",
        "degrees",
        "down into",
    )
    assert len(error.value.faults) == 7
    assert all(word in str(error.value) for word in (*words, "road_point must be three finite numbers"))


# --- the closed chain, joint by joint


def motion(R, p=(0.0, 0.0, 0.0)):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def shift(x, y, z):
    return motion(np.eye(3), (x, y, z))


def about(hinge, angle):
    """Turn about a line, by the exponential of its matrix."""
    e = np.array(hinge.axis) / np.linalg.norm(hinge.axis)
    K = np.cross(np.eye(3), e).T * -1
    R = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    at = np.array(hinge.at)
    return motion(R, at - R @ at)


def frame_with_y(axis, origin):
    y = np.array(axis) / np.linalg.norm(axis)
    x = np.cross(y, [0.0, 0.0, 1.0])
    x /= np.linalg.norm(x)
    return motion(np.column_stack([x, y, np.cross(x, y)]), origin)


def chain(loop, pose, unknown):
    """From the rear road along E1, R1 to R7 and E2 to the front road: the pose of the last in the first."""
    roll, steer, rear_angle, front_angle, yaw, x, y = pose
    chi_r, chi_f, phi_f, x_f, y_f, psi_f = unknown
    tube_r, tube_f = loop.rear_tyre, loop.front_tyre
    return (
        shift(x, y, 0)
        @ motion(rotation("z", yaw))  # E1
        @ shift(0, 0, -tube_r)
        @ motion(rotation("x", roll))  # R1
        @ shift(0, 0, tube_r - loop.rear_radius)
        @ motion(rotation("y", chi_r))  # R2
        @ about(loop.rear_hub, rear_angle)  # R3
        @ about(loop.steering, steer)  # R4
        @ about(loop.front_hub, front_angle)  # R5
        @ frame_with_y(loop.front_wheel.axis, loop.front_wheel.at)
        @ motion(rotation("y", -chi_f))  # R6
        @ shift(0, 0, loop.front_radius - tube_f)
        @ motion(rotation("x", -phi_f))  # R7
        @ shift(0, 0, tube_f)
        @ motion(rotation("z", -psi_f))  # E2
        @ shift(-x_f, -y_f, 0)
    )


def road_frame(loop):
    z = np.array(loop.road_normal) / np.linalg.norm(loop.road_normal)
    x = np.cross([0.0, 1.0, 0.0], z)
    x /= np.linalg.norm(x)
    return motion(np.column_stack([x, np.cross(z, x), z]), loop.road_point)


def close(loop, pose, steps=6):
    """Pitch and front roll by closing the chain numerically, in steps from the upright pose."""
    road = road_frame(loop)

    def gap(unknown, share):
        X = np.linalg.inv(road) @ chain(loop, (share * pose[0], share * pose[1], *pose[2:]), unknown)
        return [*X[:3, 3], X[2, 1] - X[1, 2], X[0, 2] - X[2, 0], X[1, 0] - X[0, 1]]

    x, y, yaw = pose[5], pose[6], pose[4]
    wheelbase = loop.front_wheel.at[0]
    start = np.array([x + wheelbase * np.cos(yaw), y + wheelbase * np.sin(yaw), 0.0]) - loop.road_point
    x_f, y_f = (start @ road[:3, :3])[:2]
    unknown = np.array([-pose[2], pose[3], 0.0, x_f, y_f, yaw])
    for share in np.linspace(0, 1, steps + 1):
        found = root(gap, unknown, args=(share,), tol=1e-14)
        assert np.abs(found.fun).max() < 1e-11
        assert np.abs(found.x - unknown)[:3].max() < 1.0
        unknown = found.x
    assert np.trace(np.linalg.inv(road) @ chain(loop, pose, unknown)) == pytest.approx(4.0, abs=1e-9)  # not half a turn
    return loop.tilt + unknown[0] + pose[2], unknown[2]


def random_geometry(rng):
    rear, front = rng.uniform(0.2, 0.4, 2)
    return Geometry(
        *(rng.uniform(0.9, 1.5), rng.uniform(-0.05, 0.15), rng.uniform(0.0, 0.6), rear, front),
        *(rear * rng.uniform(0, 0.4), front * rng.uniform(0, 0.4)),
    )


def askew(rng, loop, size):
    """Every hinge moved and turned a little."""

    def bent(hinge):
        axis = {"y": (0.0, 1.0, 0.0)}.get(hinge.axis, hinge.axis) if isinstance(hinge.axis, str) else hinge.axis
        axis, at = np.array(axis) + rng.uniform(-size, size, 3), np.array(hinge.at) + rng.uniform(-size, size, 3) / 3
        return tr.Screw(tuple(axis), at=tuple(at))

    names = ("rear_hub", "steering", "front_hub", "front_wheel")
    return replace(loop, **{name: bent(getattr(loop, name)) for name in names})


def test_symmetric_bicycle_closes_its_chain():
    rng = np.random.default_rng(11)
    for _ in range(6):
        geometry = random_geometry(rng)
        roll, steer = rng.uniform(-0.8, 0.8), rng.uniform(-1.0, 1.0)
        loop = replace(
            geometry.loop(),
            rear_hub=tr.Screw((0, 1, 0)),
            front_hub=tr.Screw((0, 1, 0), at=geometry.loop().front_hub.at),
        )
        loop = replace(loop, front_wheel=loop.front_hub)
        wanted = close(loop, (roll, steer, 0.0, 0.0, 0.0, 0.0, 0.0))
        found = pitch(geometry, roll, steer)
        assert (found.pitch, found.front_roll) == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize("same_road", [True, False])
def test_general_bicycle_closes_its_chain(same_road):
    rng = np.random.default_rng(12)
    for _ in range(6):
        loop = askew(rng, random_geometry(rng).loop(), 0.1)
        if not same_road:
            loop = replace(
                loop, road_normal=(*rng.uniform(-0.15, 0.15, 2), 1.0), road_point=(0.9, 0.1, rng.uniform(-0.1, 0.1))
            )
        roll, steer = rng.uniform(-0.6, 0.6), rng.uniform(-0.8, 0.8)
        pose = (roll, steer, *rng.uniform(-1.5, 1.5, 2), rng.uniform(-0.5, 0.5), *rng.uniform(-0.3, 0.3, 2))
        wanted = close(loop, pose)
        rear_angle, front_angle, yaw, x, y = pose[2:]
        found = loop_pitch(loop, roll, steer, rear_angle, front_angle, yaw=yaw, x=x, y=y)
        assert (found.pitch, found.front_roll) == pytest.approx(wanted, abs=1e-10)


def test_general_equations_of_a_symmetric_bicycle_are_its_own():
    rng = np.random.default_rng(13)
    for _ in range(20):
        geometry = random_geometry(rng)
        roll, steer, rear_angle, front_angle, yaw = rng.uniform(-1.4, 1.4, (5, 50))
        plain = geometry.coefficients(roll, steer)
        general = geometry.loop().coefficients(roll, steer, rear_angle, front_angle, yaw, 3.0, -2.0)
        assert np.array(general) == pytest.approx(np.array(plain), abs=1e-13)
        one, other = pitch(geometry, roll, steer), loop_pitch(geometry.loop(), roll, steer, rear_angle, front_angle)
        assert one.touches.mean() > 0.8 and np.array_equal(one.touches, other.touches)
        assert one.pitch[one.touches] == pytest.approx(other.pitch[one.touches], abs=1e-11)


def test_import_takes_no_compiler():
    code = "import sys, trundle as tr; tr.bicycle.Geometry(1, 0.1, 0.3, 0.3, 0.3); assert 'llvmlite' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
