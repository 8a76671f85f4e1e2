"""Lines of gear wheels, racks and belts in pictures: pitch radii, and teeth that engage over the whole run."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.path import Path as Polygon

import trundle as tr
from trundle import examples
from trundle.run.surfaces import Grid, surfaces
from trundle.typing import Array


def in_ground(run: tr.Run, grid: Grid, i: int) -> Array:
    points = grid.points[:, 0]
    if grid.body == "ground":
        return points
    R = run.values(f"{grid.body}.rotation")[i].reshape(3, 3).T
    return run.values(f"{grid.body}.position")[i] + points @ R.T


def overlap(one: Array, other: Array, hollow: bool) -> float:
    """How deep corners of one line lie in the material of the other, m; both in the plane x, y."""
    around = Polygon(other[:, :2])
    inside = around.contains_points(one[:, :2]) != hollow
    depth = 0.0
    for point in one[inside, :2]:
        ends = [_distance(point, a, b) for a, b in pairwise(other[:, :2])]
        depth = max(depth, min(ends))
    return depth


def _distance(point: Array, a: Array, b: Array) -> float:
    s = np.clip((point - a) @ (b - a) / max(float((b - a) @ (b - a)), 1e-300), 0, 1)
    return float(np.linalg.norm(point - a - s * (b - a)))


@pytest.fixture(scope="module")
def planetary() -> tr.Run:
    return examples.model("planetary-gear").build().simulate(0.4)


def test_teeth_engage_all_the_time(planetary: tr.Run) -> None:
    """A planet between sun and ring has one set of teeth for both; they stay in the gaps of the others."""
    by_mesh = {(g.connection, g.body): g for g in surfaces(planetary)}
    sun, planet = by_mesh["sun mesh", "sun"], by_mesh["sun mesh", "planet"]
    same, ring = by_mesh["ring mesh", "planet"], by_mesh["ring mesh", "ground"]
    assert np.allclose(planet.points, same.points)
    counts = [(len(grid.points) - 1) // 4 for grid in (sun, planet, ring)]
    assert counts == [12, 15, 42]
    module = 0.04 / 12
    for i in np.linspace(0, len(planetary.time) - 1, 7).astype(int):
        teeth = in_ground(planetary, planet, i)
        assert overlap(teeth, in_ground(planetary, sun, i), hollow=False) < 0.25 * module
        assert overlap(teeth, in_ground(planetary, ring, i), hollow=True) < 0.25 * module
    radii = [np.linalg.norm(grid.points[:, 0, :2], axis=1).max() for grid in (sun, planet)]
    assert radii == pytest.approx([0.02 + module, 0.025 + module], rel=1e-9)


def test_lines_are_stored_with_the_run(planetary: tr.Run, tmp_path: object) -> None:
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    planetary.save(tmp_path / "run.nc")
    again = [g for g in surfaces(tr.load(tmp_path / "run.nc")) if g.toothed]
    assert [(g.body, g.kind) for g in again] == [(g.body, g.kind) for g in surfaces(planetary)]


@pytest.mark.parametrize("crossed", [False, True])
def test_a_belt_touches_its_pulleys(crossed: bool) -> None:
    """No point of the loop lies in a pulley, and its length is that of the closed form."""
    m = tr.Model("belt", gravity=(0, 0, 0))
    a, b = (m.body(name, 1.0, 0.01) for name in "ab")
    m.connect(tr.Revolute("z"), m.ground, a)
    m.connect(tr.Revolute("z"), m.ground.at(0.3, 0.4, 0), b)
    m.connect(tr.Belt(0.05, 0.15, crossed=crossed), a, b, name="belt")
    run = m.build().simulate(0.1, {"a.angle_rate": 1.0})
    (loop,) = [g.points[:, 0] for g in surfaces(run) if g.body == "ground"]
    for centre, radius in (((0, 0, 0), 0.05), ((0.3, 0.4, 0), 0.15)):
        assert np.min(np.linalg.norm(loop - centre, axis=1)) == pytest.approx(radius, rel=1e-9)
    d, r, s = 0.5, 0.15, 0.05
    tilt = np.arcsin(((r + s) if crossed else (r - s)) / d)
    straight = 2 * d * np.cos(tilt)
    bent = (np.pi + 2 * tilt) * (r + s) if crossed else (np.pi + 2 * tilt) * r + (np.pi - 2 * tilt) * s
    length = np.sum(np.linalg.norm(np.diff(loop, axis=0), axis=1))
    assert length == pytest.approx(straight + bent, rel=2e-3)


def test_a_rack_is_as_long_as_its_travel() -> None:
    run = examples.model("rack-and-pinion").build().simulate(0.5)
    pinion, rack = surfaces(run)
    assert (pinion.body, rack.body) == ("pinion", "rack") and (len(pinion.points) - 1) // 4 == 18
    way = np.ptp(run.values("rack.displacement"))
    assert np.ptp(rack.points[:, 0, 0]) > way
    for i in (0, len(run.time) // 2, -1):
        here = in_ground(run, pinion, i)
        teeth = in_ground(run, rack, i)
        ground = np.vstack([teeth, [teeth[-1] - [0, 0.1, 0], teeth[0] - [0, 0.1, 0], teeth[0]]])
        assert overlap(here, ground, hollow=False) < 0.25 * 2 * 0.02 / 18


def test_a_ratio_without_whole_numbers_has_pitch_circles() -> None:
    m = tr.Model("gears", gravity=(0, 0, 0))
    a, b = (m.body(name, 1.0, 0.01) for name in "ab")
    m.connect(tr.Revolute("z"), m.ground, a)
    m.connect(tr.Revolute("z"), m.ground.at(0.3, 0, 0), b)
    m.connect(tr.Gear(-np.sqrt(2)), a, b, name="teeth")
    first, second = (g.points[:, 0] for g in surfaces(m.build().simulate(0.1)))
    radii = [np.linalg.norm(points, axis=1) for points in (first, second)]
    assert np.allclose(radii[0], 0.3 * np.sqrt(2) / (1 + np.sqrt(2))) and np.allclose(radii[1] + radii[0], 0.3)
