"""Classification of swept surfaces: every row of the published table found, checked point by point, and no other."""

from math import inf, pi

import casadi as ca
import numpy as np
import pytest
from screw_pairs import FAMILIES, Family, Layout

from trundle.errors import ModelError
from trundle.pairs import (
    CircleEdge,
    Classification,
    Cone,
    Cylinder,
    HelixEdge,
    LineEdge,
    Plane,
    Sphere,
    Surface,
    Torus,
    Vertex,
    classify,
    table,
)
from trundle.pairs.closest import sheet
from trundle.pairs.numeric import NumericSweep, read_screw
from trundle.space.chain import SLIDE, Screw

each_family = pytest.mark.parametrize(
    ("first", "second", "surface", "family", "sizes"), FAMILIES, ids=["-".join(f[:3]) for f in FAMILIES]
)


def implicit(surface: Surface, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance and normal of the five surfaces that have a closed form, written independently of the sweep."""
    radial = np.hypot(x[:, 0], x[:, 2])
    out = np.stack([x[:, 0], 0 * radial, x[:, 2]], axis=-1) / radial[:, None]
    y = np.array([0.0, 1.0, 0.0])
    if isinstance(surface, Plane):
        return x[:, 2], np.tile([0.0, 0.0, 1.0], (len(x), 1))
    if isinstance(surface, Cylinder):
        return radial - surface.radius, out
    if isinstance(surface, Sphere):
        length = np.linalg.norm(x, axis=-1)
        return length - surface.radius, x / length[:, None]
    if isinstance(surface, Cone):
        c, s = np.cos(surface.angle), np.sin(surface.angle)
        return (radial - surface.radius) * c - x[:, 1] * s, c * out - s * y
    assert isinstance(surface, Torus)
    way = x - (surface.radius - surface.tube) * out
    length = np.linalg.norm(way, axis=-1)
    return length - surface.tube, way / length[:, None]


def distances(surface: Surface, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if type(surface).__name__ in ("SpiralColumn", "TangentSurface"):
        a, b, distance = surface.closest(x)
        return distance, surface.normal(a, b)
    return implicit(surface, x)


def swept(first: Screw, second: Screw, point: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points and unit normals at random displacements on the sheet of the point."""
    screws = read_screw(first, ""), read_screw(second, "")
    sweep = NumericSweep(*screws, point, np.zeros(3))
    patch = sweep.at(0.0, 0.0)
    normal = np.cross(patch.x_a, patch.x_b)
    low, high = sheet(NumericSweep(*screws, point, normal / np.linalg.norm(normal)))
    b = rng.uniform(max(0.9 * low, -2.0), min(0.9 * high, 2.0), 12)
    patch = sweep.at(rng.uniform(-2, 2, 12), b)
    across = np.cross(patch.x_a, patch.x_b)
    return patch.point, across / np.linalg.norm(across, axis=-1, keepdims=True)


def in_frame(found: Classification, x: np.ndarray) -> np.ndarray:
    assert found.pose is not None
    return (x - np.array(ca.DM(found.pose.p)).ravel()) @ found.pose.R


@each_family
def test_admissible_screws_sweep_the_surface(
    first: str, second: str, surface: str, family: Family, sizes: tuple[str, ...]
) -> None:
    rng = np.random.default_rng(11)
    for _ in range(20 if surface in ("SpiralColumn", "TangentSurface") else 60):
        one, two, point = family(rng).placed(rng)
        found = classify(one, two, point)
        assert type(found.surface).__name__ == surface, found.reason
        assert found.kinds == (first, second)
        assert found.surface is not None and found.pose is not None
        assert np.max(np.abs(found.pose.R @ found.pose.R.T - np.eye(3))) < 1e-12
        assert np.linalg.det(found.pose.R) > 0
        x, n = swept(one, two, point, rng)
        distance, normal = distances(found.surface, in_frame(found, x))
        assert np.max(np.abs(distance)) < 1e-9
        assert np.max(np.linalg.norm(np.cross(normal @ found.pose.R.T, n), axis=-1)) < 1e-9


@each_family
def test_a_change_of_any_condition_is_refused(
    first: str, second: str, surface: str, family: Family, sizes: tuple[str, ...]
) -> None:
    rng = np.random.default_rng(12)
    for name in sizes:
        for by in (1e-3, -1e-3):
            layout = family(rng)
            assert classify(*layout.screws()).surface is not None
            found = classify(*layout.changed(name, by).placed(rng))
            assert found.surface is None and found.pose is None, (name, found)
            assert "does not stay a normal" in found.reason


def test_random_screws_are_refused() -> None:
    rng = np.random.default_rng(13)
    for _ in range(300):
        pitches = rng.choice([0.0, inf, 0.7, -0.4], size=2)
        if np.all(np.isinf(pitches)):
            continue  # two slides always sweep a plane
        one, two = (Screw(rng.normal(size=3), float(p), tuple(rng.normal(size=3))) for p in pitches)
        assert classify(one, two, rng.normal(size=3)).surface is None


def test_the_surface_is_placed_to_touch_at_the_point() -> None:
    rng = np.random.default_rng(14)
    for _, _, surface, family, _ in FAMILIES:
        if surface in ("Torus", "SpiralColumn"):
            continue  # these are met on top of the tube, wherever the point is on it
        one, two, point = family(rng).placed(rng)
        found = classify(one, two, point)
        assert found.surface is not None
        np.testing.assert_allclose(in_frame(found, point), found.surface.point(0, 0), atol=1e-12)


def test_numbers_of_a_surface() -> None:
    found = classify(*Layout(0.0, 0.0, pi / 2, a=1.5, r=0.25, theta=1.0).screws())
    assert isinstance(found.surface, Torus)
    assert (found.surface.radius, found.surface.tube) == pytest.approx((1.75, 0.25))
    assert found.reason == (
        "A revolute and a revolute joint with perpendicular axes that do not meet sweep a torus: a tube of radius 0.25 "
        "about a circle of radius 1.5."
    )


@pytest.mark.parametrize(
    ("screws", "point", "words"),
    [
        (
            (Screw("z", 0.5), Screw("-z", 0.5)),
            (1, 0, 0),
            "equal pitches: both move the point along the same curve, a h",
        ),
        ((Screw("z"), Screw("z")), (1, 0, 0), "the same curve, a circle, and sweep no surface"),
        ((Screw("x", SLIDE), Screw("-x", SLIDE)), (1, 2, 3), "the same curve, a straight line"),
        ((Screw("z"), Screw("z")), (0, 0, 3), "lies on both axes, which coincide, and only rotates in place"),
        ((Screw("z", 0.5), Screw("x")), (2, 0, 0), "runs along a helix, an edge only if the axis is tangent to it"),
        ((Screw("z"), Screw("x", at=(1, 1, 0))), (0.5, 1, 1), "does not stay a normal"),
    ],
)
def test_screws_that_sweep_no_surface(screws: tuple[Screw, Screw], point: tuple[float, ...], words: str) -> None:
    found = classify(*screws, point)
    assert found.surface is None and found.pose is None
    assert words in found.reason


def tangent_to_helix(r: float, s: float, p_2: float) -> Layout:
    return Layout(-1.0 / np.tan(0.8), p_2, 0.8, 1.0, r, s, 0.3)


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (tangent_to_helix(0.0, 0.0, inf), "the point is on its cusp"),
        (Layout(0.0, inf, 0.5), "the point is its apex"),
        (tangent_to_helix(1.1 / np.sin(0.8) ** 2, 0.0, 0.0), "it folds: its normals are singular"),
        (tangent_to_helix(1.0 / np.sin(0.8) ** 2, 0.0, 0.0), "it folds: its normals are singular"),
        (Layout(0.0, 0.0, pi / 2, 0.5, 1.0, theta=pi / 2 - 0.2), "the tube has crossed the axis"),
    ],
)
def test_singular_points(layout: Layout, words: str) -> None:
    found = classify(*layout.placed(np.random.default_rng(1)))
    assert found.surface is None and words in found.reason


def test_surfaces_with_singular_coordinates_at_the_point() -> None:
    """The pole of a sphere and the centre of a turned plane are points like others."""
    pole = classify(Screw("z"), Screw("x"), (0, 0, 2)).surface
    assert isinstance(pole, Sphere) and pole.radius == pytest.approx(2)
    assert isinstance(classify(Screw("z"), Screw("x", SLIDE), (0, 0, 1)).surface, Plane)
    spindle = classify(*Layout(0.0, 0.0, pi / 2, 0.5, 1.0, theta=-pi / 2).screws())
    assert isinstance(spindle.surface, Torus) and "singular where the tube meets the axis" in spindle.reason


@pytest.mark.parametrize(
    ("screws", "point", "edge"),
    [
        ((Screw("z"), Screw("y", at=(2, 0, 0))), (2, 0, 0), CircleEdge(2.0)),
        ((Screw("z", 0.5), Screw((0, 2.0, 0.5), at=(2, 0, 0))), (2, 0, 0), HelixEdge(2.0, 0.5)),
        ((Screw("z", SLIDE), Screw("z", at=(1, 0, 0))), (1, 0, 4), LineEdge()),
        ((Screw("z"), Screw("z", SLIDE)), (0, 0, 4), LineEdge()),
        ((Screw("z", 0.3), Screw("z", 0.8)), (0, 0, 4), LineEdge()),
        ((Screw("z", at=(1, 1, 0)), Screw("y", at=(1, 0, 3))), (1, 1, 3), Vertex()),
    ],
)
def test_points_on_an_axis_are_edges(screws: tuple[Screw, Screw], point: tuple[float, ...], edge: Surface) -> None:
    found = classify(*screws, point)
    assert type(found.surface) is type(edge)
    for name in edge.__dataclass_fields__:
        assert getattr(found.surface, name) == pytest.approx(getattr(edge, name))
    assert "edge" in found.reason or "vertex" in found.reason
    sweep = NumericSweep(read_screw(screws[0], ""), read_screw(screws[1], ""), np.array(point, float), np.zeros(3))
    x = sweep.points(np.linspace(-2, 2, 7), np.linspace(1, -1, 7))
    assert found.surface is not None
    np.testing.assert_allclose(found.surface.closest(in_frame(found, x))[2], 0, atol=1e-12)


def test_tolerance_decides_what_is_round_off() -> None:
    nearly = Layout(0.0, 0.0, pi / 2, 1.5, 0.3, 1e-6)
    assert classify(*nearly.screws()).surface is None
    assert isinstance(classify(*nearly.screws(), tolerance=1e-5).surface, Torus)


def test_what_cannot_be_classified() -> None:
    with pytest.raises(ModelError, match="three finite numbers"):
        classify(Screw("z"), Screw("x"), (1.0, 2.0))
    with pytest.raises(ModelError, match="second screw has sizes that depend on pitch"):
        classify(Screw("z"), Screw("x", ca.SX.sym("pitch")), (1.0, 2.0, 3.0))


TANGENT = "second axis tangent to a screw line of the first"
PUBLISHED = {  # [Meijaard 2024, Table 1], with s = 0 for torus and spiral column, which stands only in Eq. 13
    ("Prismatic", "Prismatic"): {"Plane": "non-parallel axes"},
    ("Prismatic", "Revolute"): {"Cylinder": "parallel axes", "Plane": "perpendicular axes"},
    ("Prismatic", "Screw"): {"Cylinder": "parallel axes"},
    ("Revolute", "Prismatic"): {
        "Cylinder": "parallel axes",
        "Plane": "perpendicular axes",
        "Cone": "oblique intersecting axes",
    },
    ("Revolute", "Revolute"): {
        "Plane": "parallel axes",
        "Sphere": "intersecting axes",
        "Torus": "perpendicular axes that do not meet, s = 0",
    },
    ("Revolute", "Screw"): {"Cylinder": "coincident axes"},
    ("Screw", "Prismatic"): {"Cylinder": "parallel axes", "TangentSurface": TANGENT},
    ("Screw", "Revolute"): {"Cylinder": "coincident axes", "SpiralColumn": f"{TANGENT}, s = 0"},
    ("Screw", "Screw"): {"Cylinder": "coincident axes, unequal pitches"},
}


def test_the_published_table() -> None:
    computed: dict[tuple[str, str], dict[str, str]] = {}
    for row in table():
        computed.setdefault((row.first, row.second), {})[row.surface] = row.condition
    assert computed == PUBLISHED
