"""The geometry of every surface follows from its two screws: normals, curvatures, closest points, offsets."""

import itertools
import warnings
from dataclasses import astuple
from math import cos, inf, pi, sin

import casadi as ca
import numpy as np
import pytest
from surface_samples import EVERY, SHARP, SMOOTH, title

from trundle.errors import ModelError
from trundle.pairs import (
    CircleEdge,
    Cone,
    Cylinder,
    HelixEdge,
    HigherPair,
    LineEdge,
    ParametricSurface,
    Plane,
    Sphere,
    SpiralColumn,
    Surface,
    TangentSurface,
    Torus,
    Vertex,
    edges,
    surfaces,
)
from trundle.pairs.closest import limits
from trundle.pairs.higher import refusal
from trundle.pairs.numeric import read_sweep
from trundle.space.chain import Chain
from trundle.space.pose import Pose


def coordinates(surface: Surface, count: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates at random on the sheet of the contact, away from its ends."""
    rng = np.random.default_rng(5)
    low, high = limits(read_sweep(surface.sweep(), "surface"))
    return rng.uniform(-3, 3, count), rng.uniform(max(0.8 * low, -2.5), min(0.8 * high, 2.5), count)


def matrix(R: np.ndarray, p: object) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = np.array(ca.DM(R)), np.array(ca.DM(p)).ravel()
    return X


def test_every_kind_has_a_sample() -> None:
    kinds = {*surfaces(of_user=False), *edges(of_user=False)}
    assert {type(s) for s in EVERY} == {kind for kind in kinds if not issubclass(kind, ParametricSurface)}


@pytest.mark.parametrize("surface", EVERY, ids=title)
def test_tangents_are_derivatives_and_normals_are_normal(surface: Surface) -> None:
    a, b = coordinates(surface)
    x_a, x_b = surface.tangents(a, b)
    h = 1e-6
    np.testing.assert_allclose(x_a, (surface.point(a + h, b) - surface.point(a - h, b)) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(x_b, (surface.point(a, b + h) - surface.point(a, b - h)) / (2 * h), atol=1e-8)
    n = surface.normal(a, b)
    np.testing.assert_allclose(np.linalg.norm(n, axis=-1), 1, atol=1e-14)
    np.testing.assert_allclose(np.sum(n * x_a, axis=-1), 0, atol=1e-13)
    np.testing.assert_allclose(np.sum(n * x_b, axis=-1), 0, atol=1e-13)


@pytest.mark.parametrize("surface", EVERY, ids=title)
def test_the_surface_starts_at_its_contact_frame(surface: Surface) -> None:
    contact = surface.sweep().contact
    np.testing.assert_allclose(surface.point(0, 0), np.array(ca.DM(contact.p)).ravel(), atol=1e-15)
    np.testing.assert_allclose(surface.normal(0, 0), contact.R[:, 2], atol=1e-15)


@pytest.mark.parametrize("surface", SMOOTH, ids=title)
def test_curvatures_are_the_turn_of_the_normal(surface: Surface) -> None:
    """Along a principal direction the normal changes by the curvature times the way, against a finite difference."""
    a, b = coordinates(surface)
    curvatures, directions = surface.curvatures(a, b)
    assert curvatures.shape == (20, 2) and directions.shape == (20, 2, 3)
    assert np.all(curvatures[:, 0] >= curvatures[:, 1])
    np.testing.assert_allclose(np.sum(directions[:, 0] * directions[:, 1], axis=-1), 0, atol=1e-12)
    x = np.stack(surface.tangents(a, b), axis=-1)
    for k, t in zip(curvatures.T, np.moveaxis(directions, 1, 0), strict=True):
        step = np.einsum("...ji,...i->...j", np.linalg.pinv(x), t)  # coordinates that move the point along t
        h = 1e-6
        turn = surface.normal(a + h * step[:, 0], b + h * step[:, 1]) - surface.normal(
            a - h * step[:, 0], b - h * step[:, 1]
        )
        np.testing.assert_allclose(turn / (2 * h), k[:, None] * t, atol=1e-7 * (1 + np.max(np.abs(k))))


HELIX = 1.0 / (1.0 + 0.4**2)  # curvature of a helix of radius 1 and pitch 0.4


@pytest.mark.parametrize(
    ("surface", "at", "expected"),
    [
        (Plane(), (3.0, -2.0), (0, 0)),
        (Cylinder(0.4), (1.0, 5.0), (2.5, 0)),
        (Cylinder(0.4, inside=True), (1.0, 5.0), (0, -2.5)),
        (Sphere(0.5), (1.0, 0.4), (2, 2)),
        (Sphere(0.5, inside=True), (1.0, 0.4), (-2, -2)),
        (Sphere(0.5), (1.0, pi / 2), (2, 2)),  # the pole
        (Cone(0.5, 0.3), (1.0, 0.0), (cos(0.3) / 0.5, 0)),
        (Cone(0.5, 0.3), (1.0, 1.0), (cos(0.3) / (0.5 + sin(0.3)), 0)),
        (Torus(1.0, 0.25), (0.3, 0.0), (4, 1)),
        (Torus(1.0, 0.25), (0.3, pi), (4, -2)),
        (Torus(1.0, 0.25, inside=True), (0.3, 0.0), (1, -4)),
        (SpiralColumn(1.0, 1.0, 0.5), (2.0, 0.0), (2, 0.4)),
        (TangentSurface(1.0, 2.0, 4.0), (1.0, -2.0), (1.0, 0)),  # torsion / curvature / reach = 2 / 1 / 2
        (CircleEdge(0.5), (1.0, 0.0), (inf, 2)),
        (CircleEdge(0.5), (1.0, pi), (inf, -2)),
        (LineEdge(), (0.2, 3.0), (inf, 0)),
        (HelixEdge(1.0, 0.4), (1.0, 0.0), (inf, HELIX)),
        (Vertex(), (0.5, 0.2), (inf, inf)),
        (Vertex(), (0.5, pi / 2), (inf, inf)),
        (Torus(0.5), (1.0, 0.0), (inf, 2)),
        (Cone(0.5, 0.3), (1.0, -0.5 / sin(0.3)), (inf, 0)),  # the apex
    ],
)
def test_known_curvatures(surface: Surface, at: tuple[float, float], expected: tuple[float, float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        curvatures, _ = surface.curvatures(*at)
    np.testing.assert_allclose(curvatures, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("surface", EVERY, ids=title)
def test_a_point_off_the_surface_finds_its_foot(surface: Surface) -> None:
    a, b = coordinates(surface)
    x, n = surface.point(a, b), surface.normal(a, b)
    distance = np.array([0.02] if surface in SHARP else [0.02, -0.02, 0.0])[:, None]
    found_a, found_b, found = surface.closest(x + distance[..., None] * n)
    np.testing.assert_allclose(found, np.broadcast_to(distance, found.shape), atol=1e-12)
    np.testing.assert_allclose(surface.point(found_a, found_b), np.broadcast_to(x, (*found.shape, 3)), atol=1e-9)
    np.testing.assert_allclose(surface.normal(found_a[0], found_b[0]), n, atol=1e-9)


@pytest.mark.parametrize("surface", EVERY, ids=title)
def test_closest_is_global(surface: Surface) -> None:
    """No point of a fine grid is closer; the way to the closest point is along the normal unless it is a tip."""
    points = 1.5 * np.random.default_rng(7).normal(size=(25, 3))
    a, b, distance = surface.closest(points)
    low, high = limits(read_sweep(surface.sweep(), "surface"))
    first, second = surface.sweep().first, surface.sweep().second
    span_a = 8.0 if first.slides else (pi if first.pitch == 0 else 8.0 / abs(first.pitch))
    span_b = 8.0 if second.slides else pi
    grid = np.meshgrid(np.linspace(-span_a, span_a, 301), np.linspace(max(low, -span_b), min(high, span_b), 81))
    fine = surface.point(*grid).reshape(-1, 3)
    square = np.sum(points**2, axis=-1)[:, None] - 2 * points @ fine.T + np.sum(fine**2, axis=-1)
    assert np.all(np.abs(distance) <= np.sqrt(np.maximum(square.min(axis=-1), 0)) + 1e-9)
    gap = surface.point(a, b) + distance[:, None] * surface.normal(a, b) - points
    tip = (np.abs(b - low) < 1e-9) | (np.abs(b - high) < 1e-9)
    np.testing.assert_allclose(gap[~tip], 0, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(surface.point(a, b) - points, axis=-1), np.abs(distance), atol=1e-12)


def test_inside_and_outside_have_opposite_distances() -> None:
    points = np.random.default_rng(2).normal(size=(20, 3))
    for solid, hollow in ((Sphere(0.7), Sphere(0.7, inside=True)), (Cylinder(0.7), Cylinder(0.7, inside=True))):
        np.testing.assert_allclose(solid.closest(points)[2], -hollow.closest(points)[2], atol=1e-12)
        assert solid.closest((0.0, 0.0, 5.0))[2] == pytest.approx(4.3)


def test_beyond_the_apex_of_a_cone_the_apex_is_closest() -> None:
    cone, apex = Cone(0.5, 0.3), np.array([0.0, -0.5 / np.tan(0.3), 0.0])
    for way in ((0.0, -2.0, 0.0), (0.1, -2.0, 0.3)):
        a, b, distance = cone.closest(apex + way)
        assert distance == pytest.approx(np.linalg.norm(way), abs=1e-12)
        np.testing.assert_allclose(cone.point(a, b), apex, atol=1e-12)
        assert Cone(0.5, 0.3, inside=True).closest(apex + way)[2] == pytest.approx(-np.linalg.norm(way), abs=1e-12)


def test_a_helix_is_touched_on_the_closest_winding() -> None:
    column = SpiralColumn(1.0, 0.3, 0.2)
    near = np.array([0.1, 0.2, 1.4])
    a, b, distance = column.closest(near)
    again = column.closest(near + np.array([0.0, 7 * 2 * pi * 0.3, 0.0]))
    assert again == pytest.approx((a + 7 * 2 * pi, b, distance), abs=1e-9)


def test_middle_points_do_not_crash() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Sphere(0.7).closest((0, 0, 0))[2] == pytest.approx(-0.7)
        assert Sphere(0.7).closest((0, 2, 0))[2] == pytest.approx(1.3)  # the pole
        assert Cylinder(0.7).closest((0, 3, 0))[2] == pytest.approx(-0.7)
        assert Torus(1.0, 0.3).closest((0, 0, 0))[2] == pytest.approx(0.4)
        assert CircleEdge(0.5).closest((0, 0, 0))[2] == pytest.approx(0.5)
        assert CircleEdge(0.5).closest((0, 0, 0.5))[2] == pytest.approx(0.0, abs=1e-12)
        assert Vertex().closest((0, 0, 0))[2] == pytest.approx(0.0, abs=1e-12)


def test_shapes_of_results() -> None:
    distance = Sphere(0.7).closest((1.0, 2.0, 2.0))[2]
    assert isinstance(distance, float) and distance == pytest.approx(2.3)
    assert [v.shape for v in Sphere(0.7).closest(np.ones((4, 2, 3)))] == [(4, 2)] * 3
    assert [v.shape for v in Sphere(0.7).closest(np.ones((0, 3)))] == [(0,)] * 3
    assert Torus(1.0, 0.2).point(np.zeros((5, 1)), np.zeros(4)).shape == (5, 4, 3)
    with pytest.raises(ModelError, match="three finite numbers"):
        Plane().closest((1.0, 2.0))
    with pytest.raises(ModelError, match="three finite numbers"):
        Plane().closest((1.0, 2.0, inf))


def test_sizes_that_are_parameters_have_no_numbers() -> None:
    radius = ca.SX.sym("wheel_radius")
    for ask in (
        lambda: Sphere(radius).point(0, 0),
        lambda: Torus(0.5, radius).curvatures(0, 0),
        lambda: Cylinder(radius).offset(0.1),
        lambda: TangentSurface(1.0, 0.5, radius).mesh(),
    ):
        with pytest.raises(ModelError, match="depend on wheel_radius: its geometry can only be computed in numbers"):
            ask()


@pytest.mark.parametrize("surface", EVERY, ids=title)
def test_mesh_lies_on_the_surface(surface: Surface) -> None:
    X, Y, Z = surface.mesh(count=(7, 5))
    assert X.shape == Y.shape == Z.shape == (7, 5)
    distance = surface.closest(np.stack([X, Y, Z], axis=-1))[2]
    np.testing.assert_allclose(distance, 0, atol=1e-9)
    X, Y, Z = surface.mesh(a=(0.1, 0.2), b=(0.0, 0.1), count=(2, 3))
    np.testing.assert_allclose(np.array([X[0, 0], Y[0, 0], Z[0, 0]]), surface.point(0.1, 0.0), atol=1e-15)
    np.testing.assert_allclose(np.array([X[1, 2], Y[1, 2], Z[1, 2]]), surface.point(0.2, 0.1), atol=1e-15)


def test_default_ranges_show_the_whole() -> None:
    assert Torus(1.0, 0.3).ranges() == ((-pi, pi), (-pi, pi))
    np.testing.assert_allclose(Sphere(0.7).ranges(), ((-pi, pi), (-pi / 2, pi / 2)))
    low, high = Cone(0.5, 0.8).ranges()[1]
    assert low == pytest.approx(-0.5 / sin(0.8)) and high > 0.5


def offset_cases() -> list[tuple[Surface, Surface, float]]:
    cases = []
    for a, b in itertools.product(EVERY, EVERY):
        for d in (0.05, -0.05):
            if refusal(a, b) or (a in SHARP and d < 0) or (b in SHARP and d > 0):
                continue
            cases.append((a, b, d))
    return cases


def test_offset_surfaces_have_the_same_chain() -> None:
    """HigherPair(a + d, b - d), each in its moved frame, moves the bodies exactly as HigherPair(a, b)."""
    rng = np.random.default_rng(3)
    cases = offset_cases()
    assert len(cases) > 500
    for index in rng.permutation(len(cases))[:60]:
        a, b, d = cases[index]
        new_a, new_b = a.offset(d), b.offset(-d)
        old, new = HigherPair(a, b).chain(), HigherPair(new_a.surface, new_b.surface).chain()
        q = rng.normal(size=old.n_q)
        moved = placed(new_a.pose) @ at(new, q) @ np.linalg.inv(placed(new_b.pose))
        np.testing.assert_allclose(moved, at(old, q), atol=1e-12, err_msg=f"{a}, {b}, {d}")


def at(chain: Chain, q: np.ndarray) -> np.ndarray:
    return matrix(*chain.pose(ca.SX(ca.DM(q))))


def placed(pose: Pose) -> np.ndarray:
    return matrix(pose.R, pose.p)


@pytest.mark.parametrize("surface", EVERY, ids=title)
def test_offset_surfaces_keep_their_distance(surface: Surface) -> None:
    moved = surface.offset(0.03)
    a, b = coordinates(surface)
    X = placed(moved.pose)
    x = moved.surface.point(a, b) @ X[:3, :3].T + X[:3, 3]
    np.testing.assert_allclose(x, surface.point(a, b) + 0.03 * surface.normal(a, b), atol=1e-12)
    np.testing.assert_allclose(moved.surface.normal(a, b) @ X[:3, :3].T, surface.normal(a, b), atol=1e-12)


@pytest.mark.parametrize(
    ("surface", "expected"),
    [
        (Cylinder(0.4), Cylinder(0.5)),
        (Cylinder(0.4, inside=True), Cylinder(0.3, inside=True)),
        (Sphere(0.4, inside=True), Sphere(0.3, inside=True)),
        (Torus(1.0, 0.3), Torus(1.1, 0.4)),
        (Torus(1.0, 0.3, inside=True), Torus(1.1, 0.2, inside=True)),
        (SpiralColumn(1.0, 0.4, 0.3), SpiralColumn(1.0, 0.4, 0.4)),
        (CircleEdge(0.5), Torus(0.6, 0.1)),
        (LineEdge(), Cylinder(0.1)),
        (HelixEdge(1.0, 0.4), SpiralColumn(1.0, 0.4, 0.1)),
        (Vertex(), Sphere(0.1)),
    ],
)
def test_round_surfaces_grow_where_they_are(surface: Surface, expected: Surface) -> None:
    moved = surface.offset(0.1)
    assert type(moved.surface) is type(expected)
    np.testing.assert_allclose(astuple(moved.surface), astuple(expected))
    np.testing.assert_allclose(placed(moved.pose), np.eye(4), atol=1e-15)


def test_flat_and_ruled_surfaces_move() -> None:
    assert Plane().offset(0.1).surface == Plane()
    np.testing.assert_allclose(placed(Plane().offset(0.1).pose)[:3, 3], (0, 0, 0.1))
    for surface in (Cone(0.5, 0.4), TangentSurface(1.0, 0.5, 0.7)):
        pose = placed(surface.offset(0.1).pose)
        np.testing.assert_allclose(pose[:3, :3], np.eye(3), atol=1e-15)
        assert pose[0, 3] == pytest.approx(0, abs=1e-15) and abs(pose[1, 3]) > 0.01  # along the axis
    for surface in EVERY:
        assert surface.offset(0.0).surface == surface


@pytest.mark.parametrize(
    ("surface", "distance", "reason"),
    [
        (Sphere(0.5), -0.5, "inwards to or beyond the centre of curvature, which is 0.5 m below"),
        (Sphere(0.5, inside=True), 0.6, "outwards to or beyond the centre of curvature, which is 0.5 m above"),
        (Torus(1.0, 0.2), -0.3, "which is 0.2 m below"),
        (Torus(1.0, 0.2, inside=True), 0.3, "which is 0.2 m above"),
        (Cone(0.5, 0.3), -0.6, "beyond the centre of curvature"),
        (SpiralColumn(1.0, 0.5, 0.3), 1.0, "folds over itself"),
        (TangentSurface(1.0, 1.0, 0.5), -0.6, "which is 0.5 m below"),
        (CircleEdge(0.5), -0.1, "which is 0 m below"),
        (Plane(), inf, "finite number"),
    ],
)
def test_offsets_that_are_refused(surface: Surface, distance: float, reason: str) -> None:
    with pytest.raises(ModelError, match=reason):
        surface.offset(distance)
