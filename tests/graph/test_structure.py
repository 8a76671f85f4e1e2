"""Kinematic structures of the examples against the published ones, and their pictures."""

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import trundle as tr
from trundle import examples
from trundle.cli import app
from trundle.graph.structure import Structure, StructureJoint, find_structure
from trundle.view.structure import RADIUS, crossings, draw_structure, overlaps, place, unfolded


def structure(name: str) -> Structure:
    system = examples.model(name).build()
    return find_structure(system.model, system.formulation.topology)


# Letters in any order, loops, freedoms by count: [Meijaard 2024, Figs. 6, 9, 11, 13].
PUBLISHED = {
    "spiral-column": ("PPHRRRP", 1, 1),
    "benchmark-bicycle": ("ERRRRRERR", 1, 7),
    "roller-rig": ("PPRRRRRRRPRRRRRP", 2, 4),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_joints_are_those_of_the_figure(name: str) -> None:
    found = structure(name)
    letters, loops, count = PUBLISHED[name]
    assert sorted(joint.letter for joint in found.joints) == sorted(letters)
    assert (found.loops, found.count) == (loops, count)


def test_the_sphere_is_turned_by_a_ball() -> None:
    """Fig. 9 has two revolute joints where the ball of the model has a spherical one; so P, H, P, S, R and no yaw."""
    found = structure("sphere-on-tangent-surface")
    assert sorted(joint.letter for joint in found.joints) == sorted("RPHPS")
    assert found.count == 1


def test_the_count_of_a_planar_linkage_is_too_small() -> None:
    found = structure("four-bar")
    assert (found.loops, found.count) == (1, -2)
    assert "-2 by count, 1 coordinate by rank, 1 freedom with" in found.sentence(1, 1)


def test_every_lower_pair_has_a_letter() -> None:
    m = tr.Model("all")
    pairs = [tr.Revolute(), tr.Prismatic(), tr.Helical("z", 0.1), tr.Cylindrical(), tr.Planar(), tr.Spherical()]
    pairs += [tr.Universal(), tr.Fixed(), tr.Free()]
    for i, pair in enumerate(pairs):
        m.connect(pair, m.ground, m.body(f"b{i}", 1.0, (1, 1, 1)))
    system = m.build()
    found = find_structure(system.model, system.formulation.topology)
    assert "".join(joint.letter for joint in found.joints) == "RPHCESUWF"
    assert [joint.freedoms for joint in found.joints] == [pair.chain().n_u for pair in pairs]
    assert found.loops == 0 and found.count == system.mobility.freedoms


@pytest.mark.parametrize("example", ["roller-rig", pytest.param("four-wheel-vehicle", marks=pytest.mark.slow)])
def test_a_theta_is_drawn_without_crossings_and_overlaps(example: str) -> None:
    """Three or five chains between two links can be drawn in the plane."""
    found = structure(example)
    x, n = place(found), len(found.links)
    edges = np.array([(i, link) for i, j in enumerate(found.joints, n) for link in (j.first, j.second)])
    assert crossings(x, edges) == 0
    assert overlaps(x[n:], np.full((len(found.joints), 2), RADIUS / np.sqrt(2))) == 0
    assert np.all(x[1:, 1].mean() > x[0, 1])  # the ground is below


def test_what_is_planar_unfolds_without_crossings() -> None:
    """Seven chains of three nodes between two, and five nodes all joined, which no plane takes without crossings."""
    chains = [(0, 2 + 3 * k, 3 + 3 * k, 4 + 3 * k, 1) for k in range(7)]
    theta = np.array([edge for nodes in chains for edge in pairwise(nodes)])
    found = list(unfolded(theta, 23))
    assert len(found) >= 4 and all(crossings(x, theta) == 0 for x in found)
    assert all(np.min(np.linalg.norm(x[:, None] - x + 9 * np.eye(23)[..., None], axis=2)) > 1e-4 for x in found)
    assert not list(unfolded(np.array(list(combinations(range(5), 2))), 5))


def test_crossings_and_overlaps_are_counted() -> None:
    x = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert crossings(x, np.array([[0, 1], [2, 3]])) == 1 and crossings(x, np.array([[0, 2], [1, 3]])) == 0
    assert overlaps(x, np.full((4, 2), 0.4)) == 0 and overlaps(x, np.full((4, 2), 0.6)) == 6


def test_a_single_body_is_drawn(tmp_path: Path) -> None:
    one = Structure(("ground", "bob"), (StructureJoint("R", ("bob.angle",), 0, 1, "bob", False),))
    draw_structure(one, path=tmp_path / "one.svg")
    assert "R1" in (tmp_path / "one.svg").read_text() or (tmp_path / "one.svg").stat().st_size > 1000


def test_the_verb_draws_and_lists(tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    drawn = CliRunner().invoke(app, ["structure", "four-bar", "-o", str(out)])
    assert drawn.exit_code == 0 and out.read_text().startswith("<?xml")
    listed = CliRunner().invoke(app, ["structure", "four-bar"])
    assert listed.exit_code == 0 and "closes a loop" in listed.output and "-2 by count" in listed.output
