"""Faces with ends: what slides past an end leaves the face, and nothing lands beside it."""

from functools import cache

import numpy as np
import pytest

import trundle as tr
from trundle.errors import ModelError, SolveError

G, MU = 9.81, 0.2


@cache
def table(formalism: str = "kane") -> tr.System:
    """A point that slides over a table, 2 m long and 1 m high, onto the floor."""
    m = tr.Model("table")
    point = m.body("point", 1.0, 0.1)
    m.connect(tr.Planar("y"), m.ground, point, name="pose")
    top = tr.PlanarPair(tr.Segment(2.0), tr.Vertex())
    m.connect(top, m.ground.at(0, 0, 1.0), point, "table", tr.Coulomb(MU), unilateral=True)
    floor = tr.PlanarPair(tr.Line(), tr.Vertex())
    m.connect(floor, m.ground, point, "floor", tr.Coulomb(MU), restitution=0.0)
    return m.build(formalism=formalism)


@pytest.mark.parametrize("formalism", ["kane", "udwadia_kalaba", "newton_euler"])
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_point_slides_off_the_end_and_falls(formalism: str, way: float) -> None:
    run = table(formalism).simulate(0.8, {"point.position": (0, 0, 1), "point.velocity": (3 * way, 0, 0)})
    off = np.sqrt(9 - 2 * MU * G)  # m/s at the end
    leaves = (3 - off) / (MU * G)
    assert run.ok
    assert [name for name, _ in run.events] == ["table parts"]
    assert run.events[0][1] == pytest.approx(leaves, abs=1e-6)  # faces are rounded by a millionth at their ends
    falls = 0.8 - run.events[0][1]
    np.testing.assert_allclose(run.values("point.position")[-1], [way * (1 + off * falls), 0, 1 - G / 2 * falls**2],
                               atol=5e-6)  # fmt: skip


def test_nothing_lands_beside_a_face() -> None:
    run = table().simulate(1.0, {"point.position": (1.1, 0, 1.5), "point.velocity": (0, 0, 0)})
    assert [name for name, _ in run.events] == ["floor lands"]
    assert run.events[0][1] == pytest.approx(np.sqrt(2 * 1.5 / G), abs=1e-9)
    assert np.min(run.values("table.gap")) > 0.09


def test_what_comes_in_past_an_end_is_reported() -> None:
    start = {"point.position": (1.5, 0, 0.5), "point.velocity": (-3, 0, 2)}
    run = table().simulate(1.0, start)
    assert not run.ok
    assert run.outcome.startswith("ENTERED: In contact 'table'")
    assert run.time[-1] == pytest.approx(0.5 / 3, abs=1e-6)
    cases = table().batch(1.0, {**start, "point.velocity": np.array([[-3.0, 0, 2], [3.0, 0, 2]])})
    assert cases.outcomes == ["ENTERED", "FINISHED"]


def test_what_passes_behind_a_body_does_not_come_in() -> None:
    """A face has the material of its body below, not all that is below: a point passes under a table top."""
    m = tr.Model("table top")
    point = m.body("point", 1.0, 0.1)
    m.connect(tr.Planar("y"), m.ground, point, name="pose")
    thickness = m.parameter("thickness", 0.25)
    top = tr.PlanarPair(tr.Segment(2.0, depth=thickness), tr.Vertex())
    m.connect(top, m.ground.at(0, 0, 1.0), point, "table", tr.Coulomb(MU), unilateral=True)
    m.start = {"point.position": (1.2, 0, 0.5), "point.velocity": (-3, 0, 2)}
    system = m.build()
    under = system.simulate(0.4)  # up to 0.7038 m
    assert under.ok
    np.testing.assert_allclose(under.values("point.position")[-1], [0, 0, 1.3 - G / 2 * 0.16], atol=1e-9)
    into = system.simulate(0.4, parameters={"thickness": 0.32})
    assert into.outcome.startswith("ENTERED")
    rises = (2 - np.sqrt(4 - 2 * G * 0.18)) / G  # to the lower side, 0.68 m above the floor
    assert into.time[-1] == pytest.approx(rises, abs=1e-6)


def test_what_rises_into_a_body_from_its_very_edge_comes_in() -> None:
    """A block lies on the floor, whose lower edge is at the height of what slides there: it is neither in nor out."""
    m = tr.Model("under a block")
    point = m.body("point", 1.0, 0.1)
    m.connect(tr.Planar("y"), m.ground, point, name="pose")
    top = tr.PlanarPair(tr.Segment(2.0, depth=0.1), tr.Vertex())
    m.connect(top, m.ground.at(0, 0, 0.1), point, "block", tr.Coulomb(MU), unilateral=True)
    m.connect(tr.PlanarPair(tr.Line(), tr.Vertex()), m.ground, point, "floor", tr.Coulomb(MU), unilateral=True)
    m.apply(tr.Wrench(point, force=lambda s: (0, 0, 20 * tr.step(s.t - 0.6))))
    m.start = {"point.position": (0.5, 0, 0), "point.velocity": (-0.1, 0, 0)}
    run = m.build().simulate(1.0)
    assert run.outcome.startswith("ENTERED: In contact 'block'")
    assert run.time[-1] == pytest.approx(0.6, abs=1e-4)


def test_a_start_inside_a_body_is_refused_and_one_below_a_face_is_not() -> None:
    with pytest.raises(SolveError, match=r"'table'.* overlaps .* by 0.1 m"):
        table().simulate(0.1, {"point.position": (0.9, 0, 0.9)})
    assert table().simulate(0.1, {"point.position": (1.2, 0, 0.9)}).ok


def test_a_face_with_ends_must_be_able_to_open() -> None:
    m = tr.Model("held")
    with pytest.raises(ModelError, match=r"slides past the end of a face .*unilateral=True"):
        m.connect(tr.PlanarPair(tr.Segment(1.0), tr.Vertex()), m.ground, m.body("point", 1.0, 0.1))
    with pytest.raises(ModelError, match="length must be greater than zero"):
        tr.Segment(-1.0)


def test_a_corner_passes_a_corner_that_slides_past_it() -> None:
    """The last corner of a block slides off a table: it passes the corner of the table there and does not strike it."""
    m = tr.Model("side by side")
    block = m.body("block", 1.0, 0.1)
    m.connect(tr.Planar("y"), m.ground, block, name="pose")
    fixed, up = m.ground.at(0, 0, 0), tr.PlanarPair(tr.Segment(1.0), tr.Vertex())
    m.connect(up, fixed, block.at(0, 0, 0), "below", unilateral=True)
    side = m.ground.frame((0.5, 0, -0.5), ((0, 1, 0), np.pi / 2))
    m.connect(up, side, block.at(0, 0, 0), "beside", unilateral=True)
    own = block.frame((0.5, 0, 0), ((0, 1, 0), np.pi))
    m.connect(up, own, m.ground.at(0.5, 0, 0), "corner", unilateral=True)
    m.start = {"block.position": (0.0, 0, 0), "block.velocity": (2.0, 0, 0)}
    run = m.build().simulate(0.4)
    assert run.ok
    assert run.events[-1][1] == pytest.approx(0.25, abs=1e-6)
    np.testing.assert_allclose(run.values("block.velocity")[-1], [2.0, 0, -G * 0.15], atol=1e-5)
