"""Distances of surfaces in random poses against distances of their cores, which are known to one dimension."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

import trundle as tr
from trundle.pairs.common_normal import PRESSED, Placed, nearest
from trundle.pairs.numeric import read_sweep
from trundle.pairs.surface import Surface

Array = np.ndarray[Any, np.dtype[np.float64]]
RADIUS, TUBE, HALF_ANGLE, PITCH = 0.8, 0.2, 0.4, 0.2


# -- distances of a point from cores, which turn about y ---------------------------------------------------------------


def from_line(x: Array) -> Array:
    return np.hypot(x[..., 0], x[..., 2])


def from_circle(x: Array, radius: float) -> Array:
    return np.hypot(from_line(x) - radius, x[..., 1])


def from_cone(x: Array) -> Array:
    """Signed distance from the cone that has the radius RADIUS at y = 0."""
    along = x[..., 1] * np.cos(HALF_ANGLE) + (from_line(x) - RADIUS) * np.sin(HALF_ANGLE)
    side = (from_line(x) - RADIUS) * np.cos(HALF_ANGLE) - x[..., 1] * np.sin(HALF_ANGLE)
    return np.where(along > -RADIUS / np.sin(HALF_ANGLE), side, from_apex(x))


def from_apex(x: Array) -> Array:
    return np.hypot(from_line(x), x[..., 1] + RADIUS / np.tan(HALF_ANGLE))


POINT_TO: dict[str, tuple[Surface, Callable[[Array], Array]]] = {
    "cylinder": (tr.Cylinder(RADIUS), lambda x: from_line(x) - RADIUS),
    "pipe": (tr.Cylinder(4.0, inside=True), lambda x: 4.0 - from_line(x)),
    "cone": (tr.Cone(RADIUS, HALF_ANGLE), from_cone),
    "torus": (tr.Torus(RADIUS, TUBE), lambda x: from_circle(x, RADIUS - TUBE) - TUBE),
    "circle": (tr.CircleEdge(RADIUS), lambda x: from_circle(x, RADIUS)),
    "line": (tr.LineEdge(), from_line),
}
"""First surfaces, with the distance of a point from each."""


def round_about(radius: float, pitch: float = 0.0) -> Callable[[Array], Array]:
    return lambda s: np.stack([radius * np.sin(s), pitch * s, radius * np.cos(s)], axis=-1)


def straight(s: Array) -> Array:
    return np.stack([0 * s, s, 0 * s], axis=-1)


CURVES: dict[str, tuple[Surface, Callable[[Array], Array], float, float]] = {
    "torus": (tr.Torus(RADIUS, TUBE), round_about(RADIUS - TUBE), TUBE, np.pi),
    "circle": (tr.CircleEdge(RADIUS), round_about(RADIUS), 0.0, np.pi),
    "cylinder": (tr.Cylinder(TUBE), straight, TUBE, 400.0),
    "line": (tr.LineEdge(), straight, 0.0, 400.0),
    "helix": (tr.HelixEdge(RADIUS, PITCH), round_about(RADIUS, PITCH), 0.0, 60.0),
    "column": (tr.SpiralColumn(RADIUS, PITCH, TUBE / 4), round_about(RADIUS, PITCH), TUBE / 4, 60.0),
}
"""Second surfaces: tubes about curves, with the radius of the tube and how far the curve is looked at."""

PAIRS = [
    ("cylinder", "torus"), ("cylinder", "circle"), ("cylinder", "cylinder"), ("cylinder", "line"), ("pipe", "torus"),
    ("pipe", "circle"), ("cone", "torus"), ("cone", "circle"), ("torus", "torus"), ("torus", "circle"),
    ("torus", "line"), ("torus", "cylinder"), ("torus", "helix"), ("circle", "circle"), ("circle", "torus"),
    ("circle", "line"), ("circle", "column"), ("line", "line"), ("line", "torus"), ("line", "circle"),
]  # fmt: skip


def least(f: Callable[[Array], Array], half: float) -> float:
    """Global minimum between -half and half: by a fine grid, then in the lowest cells."""
    s = np.linspace(-half, half, 4001)
    values = f(s)
    found = []
    for i in np.argsort(values)[:3]:
        ends = (s[max(i - 1, 0)], s[min(i + 1, len(s) - 1)])
        found.append(minimize_scalar(lambda v: float(f(np.array([v]))[0]), bounds=ends, options={"xatol": 1e-12}).fun)
    return float(min(found))


def check(first: str, second: str, count: int, seed: int) -> int:
    """Compare `count` random poses; the number of those in which the bodies are apart."""
    rng = np.random.default_rng(seed)
    surface, distance = POINT_TO[first]
    other, curve, tube, half = CURVES[second]
    apart = 0
    for _ in range(count):
        R, p = Rotation.random(random_state=rng).as_matrix(), 1.5 * rng.normal(size=3)
        exact = least(lambda s, R=R, p=p: distance(curve(s) @ R.T + p), half) - tube
        at_apex = (
            first == "cone" and least(lambda s, R=R, p=p: from_apex(curve(s) @ R.T + p), half) - tube < exact + 1e-9
        )
        if exact < 1e-3 or at_apex:  # overlaps are no distances, and an apex has no normal
            continue
        apart += 1
        placed = Placed(read_sweep(surface.sweep(), first), np.eye(3), np.zeros(3))
        moved = Placed(read_sweep(other.sweep().half_turn(), second), R, p)
        found = nearest(placed, moved)
        assert found is not None, (first, second, R, p)
        edges = placed.surface.is_edge and moved.surface.is_edge
        if edges and exact < PRESSED * max(placed.surface.size, moved.surface.size):
            exact = math.copysign(exact, found[1])  # a little apart or pressed into each other: outer sides count
        assert abs(found[1] - exact) < 1e-8, (first, second, found[1], exact)
    return apart


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_distance_in_random_poses(first: str, second: str) -> None:
    assert check(first, second, 5, 3) >= 1


@pytest.mark.slow
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_distance_in_many_random_poses(first: str, second: str) -> None:
    assert check(first, second, 150, 4) >= 20


def test_overlap_is_the_least_way_out() -> None:
    """Crossed cylinders that overlap, and a rim pressed into a cylinder: the shallow side, not the far one."""
    first = Placed(read_sweep(tr.Cylinder(1.0).sweep(), ""), np.eye(3), np.zeros(3))
    R = Rotation.from_euler("z", 1.0).as_matrix()
    found = nearest(first, Placed(read_sweep(tr.Cylinder(0.5).sweep().half_turn(), ""), R, np.array([0.2, 0.3, 1.4])))
    assert found is not None and abs(found[1] + 0.1) < 1e-12
    R = Rotation.from_euler("x", 0.3).as_matrix()
    found = nearest(first, Placed(read_sweep(tr.CircleEdge(0.5).sweep().half_turn(), ""), R, np.array([0.0, 0.3, 1.4])))
    assert found is not None and abs(found[1] - (0.4 - 0.5 * np.cos(0.3))) < 1e-12
