"""Overconstrained linkages have the same motion in all formalisms, and redundant closers take no freedom, whatever
their axes."""

from typing import Any

import numpy as np
import pytest
from tests.equations.linkages import (
    LINKAGES,
    bennett,
    held_twice,
    plane_symmetric_bricard,
    plates,
    trihedral_bricard,
)
from tests.equations.reposed import Posed

import trundle as tr

AXES = [(1, 0, 0), (1, 2, 3), (0.3, -0.5, 0.8), (-0.2, 0.9, 0.1), (0.6, 0.64, -0.48)]


def places(run: tr.Run) -> np.ndarray:
    bodies = [name for name in run.system.model.bodies if name != "ground"]
    return np.hstack([run.values(f"{name}.com_position") for name in bodies])


def alike(model: tr.Model, formalisms: tuple[str, ...], end: float, bound: float, **options: Any) -> None:
    runs = [model.build(f).simulate(end, samples=11, steps=tr.Steps(most=20000), **options) for f in formalisms]
    for run in runs:
        assert run.ok, run.outcome
        assert run.energy.drift < 1e-8
        assert np.max(np.abs(places(run) - places(runs[0]))) < bound
    assert np.max(np.abs(places(runs[0]) - places(runs[0])[0])) > 0.05  # it moved


@pytest.mark.parametrize("model", [bennett, trihedral_bricard])
def test_rows_that_change_places_as_the_linkage_moves(model: Any) -> None:
    """No choice of rows is good at all poses: the linkages pass poses where each choice that is fixed fails."""
    alike(model(), ("kane", "udwadia_kalaba"), 3.0, 1e-8)
    system = model().build()
    assert system.mobility.freedoms == 1
    assert len(system.mobility.exchanged) == 1
    assert not system.simulate(3.0, samples=2).near_singular  # it is the choice that fails there, not the linkage


@pytest.mark.slow
@pytest.mark.parametrize("name", LINKAGES)
def test_all_formalisms_agree_over_five_seconds(name: str) -> None:
    alike(LINKAGES[name](), ("kane", "udwadia_kalaba", "newton_euler"), 5.0, 1e-8, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", [5, 6])
def test_the_plane_symmetric_bricard_turned_and_shifted(seed: int) -> None:
    """By three formalisms, each body in axes of its own, as it moves where it is written."""
    written = plane_symmetric_bricard().build()
    names = [name for name in written.model.bodies if name != "ground"]
    exact = written.simulate(5.0, samples=11, rtol=1e-11, atol=1e-11)
    assert exact.ok and np.ptp(exact.values("b2.com_position"), axis=0).max() > 0.5
    posed = Posed(plane_symmetric_bricard(), seed, far=2 * written.formulation.length)
    for formalism in ("kane", "udwadia_kalaba", "newton_euler"):
        run = posed.model.build(formalism).simulate(5.0, samples=11, rtol=1e-11, atol=1e-11)
        assert run.ok, run.outcome
        assert run.energy.drift < 1e-9
        for name in names:
            where = exact.values(f"{name}.com_position") @ posed.R.T + posed.d
            np.testing.assert_allclose(run.values(f"{name}.com_position"), where, rtol=0, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, -9.81, 0)])
@pytest.mark.parametrize("first", [0.3, 0.9, 1.2, 1.57, 2.2, 2.8])
def test_bennett_from_many_poses(first: float, gravity: tuple[float, ...]) -> None:
    model = bennett(first)
    model.gravity = gravity
    alike(model, ("kane", "udwadia_kalaba"), 2.0, 1e-8)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("formalism", ["kane", "udwadia_kalaba"])
def test_a_body_on_two_slides_falls_along_them(axis: tuple[float, ...], formalism: str) -> None:
    system = held_twice(tr.Prismatic, axis).build(formalism)
    assert (system.mobility.freedoms, len(system.mobility.redundant)) == (1, 5)
    assert not np.any(system.start().q)
    run = system.simulate(0.5, samples=2)
    along = np.array(axis) / np.linalg.norm(axis)
    fallen = -9.81 * along[2] * along * 0.5**2 / 2
    np.testing.assert_allclose(run.values("body.position")[-1], fallen, atol=1e-12)


@pytest.mark.parametrize("axis", AXES)
def test_a_door_on_two_hinges_swings_as_on_one(axis: tuple[float, ...]) -> None:
    once, twice = (held_twice(tr.Revolute, axis, times) for times in (1, 2))
    exact = once.build().simulate(0.5, samples=2).values("body.com_position")[-1]
    for formalism in ("kane", "udwadia_kalaba"):
        system = twice.build(formalism)
        assert (system.mobility.freedoms, len(system.mobility.redundant)) == (1, 5)
        np.testing.assert_allclose(system.simulate(0.5, samples=2).values("body.com_position")[-1], exact, atol=1e-9)


@pytest.mark.parametrize("turn", [None, ((1, 0.5, -0.2), 0.7), ((0.3, -1, 0.4), 2.1)])
def test_plates_that_slide_on_each_other(turn: Any) -> None:
    system = plates(turn).build()
    assert (system.mobility.freedoms, len(system.mobility.redundant)) == (6, 3)


def sized(size: float) -> tr.Model:
    """Crank, rod and slide: rows in m and rad, speeds in m/s and rad/s."""
    m = tr.Model("slider-crank", gravity=(0, -9.81 * size, 0))
    inertia = (0.1 * size**2, 0.1 * size**2, 0.1 * size**2)
    crank, rod, slide = (m.body(n, 1.0, inertia, (0.1 * size, 0.05 * size, 0)) for n in ("crank", "rod", "slide"))
    for pair, first, second, x, y in (
        (tr.Revolute("z"), m.ground, crank, 0, 0),
        (tr.Prismatic("x"), m.ground, slide, 1.0, 0),
        (tr.Revolute("z"), crank, rod, 0.2, 0.25),
        (tr.Revolute("z"), rod, slide, 1.0, 0),
    ):
        place = (x * size, y * size, 0)
        m.connect(pair, first.at(*place), second.at(*place), name=f"{first.name}_{second.name}")
    return m


def test_rank_does_not_depend_on_the_size_of_the_machine() -> None:
    found = []
    for size in (1.0, 1e-6, 1e4):
        system = sized(size).build()
        assert (system.mobility.freedoms, len(system.mobility.redundant)) == (1, 3)
        found.append(system.accelerations({})["ground_crank.angle_acceleration"])
    np.testing.assert_allclose(found, found[0], rtol=1e-9)
