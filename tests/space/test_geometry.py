"""Rotations, screws, chains and inertia against scipy and against their definitions."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import trundle as tr
from trundle.errors import ModelError
from trundle.space import Ball, Chain, Inertia, Screw, align_z, axis_vector, rotation
from trundle.space.chain import SLIDE
from trundle.space.inertia import inertia_faults
from trundle.space.rotation import (
    as_matrix,
    quaternion_from_rotation,
    quaternions_from_rotations,
    rotation_from_quaternion,
)

FEW = settings(max_examples=25, derandomize=True, deadline=None, database=None)
axes = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 1e-3)


@FEW
@given(axis=axes, angle=st.floats(-7, 7))
def test_rotation_about_an_axis(axis: tuple[float, float, float], angle: float) -> None:
    e = np.array(axis) / np.linalg.norm(axis)
    np.testing.assert_allclose(rotation(axis, angle), Rotation.from_rotvec(angle * e).as_matrix(), atol=2e-14)


@FEW
@given(axis=axes)
def test_align_z_is_a_rotation_onto_the_axis(axis: tuple[float, float, float]) -> None:
    R = align_z(axis)
    np.testing.assert_allclose(R[:, 2], axis_vector(axis), atol=1e-14)
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-13)
    assert np.linalg.det(R) > 0


@FEW
@given(q=st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda v: np.linalg.norm(v) > 1e-2))
def test_quaternion_there_and_back(q: tuple[float, float, float, float]) -> None:
    R = rotation_from_quaternion(np.array(q))
    np.testing.assert_allclose(R, Rotation.from_quat(q, scalar_first=True).as_matrix(), atol=1e-13)
    again = quaternion_from_rotation(R)
    unit = np.array(q) / np.linalg.norm(q)
    assert abs(abs(again @ unit) - 1) < 1e-13 and again[0] >= 0
    np.testing.assert_allclose(as_matrix(q), R, atol=1e-13)


@pytest.mark.parametrize("pitch", [0.0, 0.3, -2.0, SLIDE])
def test_screw_is_the_exponential_of_its_twist(pitch: float) -> None:
    at, q = np.array([0.3, -0.2, 0.5]), 0.8
    e = axis_vector((1, 2, 2))
    slides = not np.isfinite(pitch)
    w = np.zeros(3) if slides else e
    v = e if slides else np.cross(at, e) + pitch * e
    X = np.zeros((4, 4))
    X[:3, :3] = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
    X[:3, 3] = v
    R, p = Screw((1, 2, 2), pitch, tuple(at)).pose(ca.SX(q))
    exact = expm(q * X)
    np.testing.assert_allclose(np.array(ca.DM(R)), exact[:3, :3], atol=1e-14)
    np.testing.assert_allclose(np.array(ca.DM(p)).ravel(), exact[:3, 3], atol=1e-14)


def test_chain_is_the_product_of_its_steps() -> None:
    steps = (Screw("x", SLIDE, name="a"), Screw("z", 0.2, (0.1, 0, 0), "b"), Ball("c"))
    chain = Chain(*steps)
    assert (chain.n_q, chain.n_u) == (6, 5)
    q = ca.SX(ca.DM([0.3, -0.7, 0.5, 0.1, 0.2, 0.3]))
    R, p = chain.pose(q)
    X = np.eye(4)
    for step, part in zip(steps, (q[0], q[1], q[2:6]), strict=True):
        R_step, p_step = step.pose(part)
        Y = np.eye(4)
        Y[:3, :3], Y[:3, 3] = np.array(ca.DM(R_step)), np.array(ca.DM(p_step)).ravel()
        X = X @ Y
    np.testing.assert_allclose(np.array(ca.DM(R)), X[:3, :3], atol=1e-14)
    np.testing.assert_allclose(np.array(ca.DM(p)).ravel(), X[:3, 3], atol=1e-14)


def test_chain_needs_different_names() -> None:
    with pytest.raises(ModelError, match="different names"):
        Chain(Screw("x"), Screw("y"))


def test_inertia_about_another_point_is_that_of_parallel_axes() -> None:
    mass, com, about = 2.0, np.array([0.1, 0.2, 0.3]), np.array([-0.4, 0.0, 0.5])
    I = np.array([[0.5, 0.02, 0.01], [0.02, 0.6, 0.03], [0.01, 0.03, 0.7]])
    d = com - about
    moved = I + mass * (d @ d * np.eye(3) - np.outer(d, d))
    found = Inertia.of(mass, moved, tuple(com), tuple(about))
    np.testing.assert_allclose(np.array(ca.DM(found.matrix)), I, atol=1e-14)


@pytest.mark.parametrize(
    "given", [(1, 2, 2.5), (1, 2, 2.5, 0, 0, 0), [[1, 0, 0], [0, 2, 0], [0, 0, 2.5]], np.diag([1, 2, 2.5])]
)
def test_inertia_in_every_form(given: object) -> None:
    matrix = Inertia.of(1.0, given, (0, 0, 0), "com").matrix
    np.testing.assert_allclose(np.array(ca.DM(matrix)), np.diag([1, 2, 2.5]))


def test_an_inertia_is_as_symmetric_as_its_largest_moment_lets_it_be() -> None:
    """Equal moments in other axes have products of the size of round-off, which need not agree with each other; what is
    askew is refused whatever its size.
    """
    rng = np.random.default_rng(2)
    for R in Rotation.random(10, random_state=rng).as_matrix():
        turned = R @ np.diag([800.0, 800.0, 800.0]) @ R.T + rng.normal(scale=1e-13, size=(3, 3))
        assert inertia_faults(0.0, turned) == []
        assert inertia_faults(0.0, 1e-16 * (turned + np.triu(np.full((3, 3), 1e-3)))) == [
            "the inertia matrix is not symmetric"
        ]
    assert inertia_faults(0.0, np.zeros((3, 3))) == []


def test_solid_sphere_in_one_number() -> None:
    np.testing.assert_allclose(np.array(ca.DM(Inertia.of(1.0, 0.4, (0, 0, 0), "com").matrix)), 0.4 * np.eye(3))


def test_named_axes() -> None:
    np.testing.assert_allclose(axis_vector("-y"), [0, -1, 0])
    np.testing.assert_allclose(tr.rotation("z", np.pi / 2) @ [1, 0, 0], [0, 1, 0])


def test_quaternions_of_many_rotations() -> None:
    rng = np.random.default_rng(5)
    turns = Rotation.random(300, rng=rng)
    axes = [
        axis / np.linalg.norm(axis) for axis in ([1, 0, 0], [0, -1, 0], [0, 0, 1], [-1, 2, 0], [0, 1, -3], [3, -2, 1])
    ]
    vectors = [angle * np.array(axis) for axis in axes for angle in (0.0, 1e-9, 3.0, np.pi - 1e-9, np.pi)]
    R = np.concatenate([turns.as_matrix(), Rotation.from_rotvec(vectors).as_matrix(), np.diag([1.0, -1, -1])[None]])
    q = quaternions_from_rotations(R)
    assert np.max(np.abs(np.linalg.norm(q, axis=1) - 1)) < 1e-15
    assert np.max(np.abs(np.moveaxis(rotation_from_quaternion(q.T), -1, 0) - R)) < 1e-15
    theirs = Rotation.from_matrix(R).as_quat(canonical=True, scalar_first=True)
    apart = np.abs(q[:, 0]) > 1e-12  # at a half turn the sign of the first entry is round-off
    assert np.max(np.abs(q - theirs)[apart]) < 1e-15 and np.all(q[:, 0] >= 0.0)
    assert quaternions_from_rotations(np.zeros((0, 3, 3))).shape == (0, 4)
