"""Starts in singular poses are refused, open rows are named, and small inertias are no missing ones."""

import numpy as np
import pytest

import trundle as tr
from trundle.equations.assembly import worst_rows
from trundle.errors import AssemblyError, ModelError


def stretched(crank: float, coupler: float, rocker: float, base: float) -> tr.Model:
    """A four-bar that lies flat along x where all angles are zero."""
    m = tr.Model("four-bar", gravity=(0, -9.81, 0))
    sizes = {"crank": crank, "coupler": coupler, "rocker": rocker}
    bodies = {name: m.body(name, 1.0, (0.01, 0.1, 0.1), (size / 2, 0, 0)) for name, size in sizes.items()}
    m.connect(tr.Revolute("z"), m.ground, bodies["crank"], name="A")
    m.connect(tr.Revolute("z"), bodies["crank"].at(crank, 0), bodies["coupler"], name="B")
    m.connect(tr.Revolute("z"), m.ground.at(base, 0), bodies["rocker"], name="D")
    m.connect(tr.Revolute("z"), bodies["coupler"].at(coupler, 0), bodies["rocker"].at(rocker, 0), name="C")
    return m


@pytest.mark.parametrize("seed", range(4))
def test_a_four_bar_that_starts_stretched_is_refused(seed: int) -> None:
    a, b, c = np.random.default_rng(seed).uniform(0.2, 1.5, 3)
    turned = stretched(a, b, c, a + b + c)
    turned.start["D.angle"] = np.pi
    for model in (stretched(a, b, c, a + b - c), turned):
        with pytest.raises(AssemblyError, match="the start pose is singular: only 1 of 2 independent"):
            model.build().simulate(1.0)


def test_a_pose_that_is_found_near_a_singular_one_is_refused() -> None:
    """Newton's method comes to the folded kite no nearer than the root of its tolerance."""
    model = stretched(1.0, 1.0, 2.0, 2.0)
    model.start["A.angle"] = np.pi
    with pytest.raises(AssemblyError, match="the start pose is singular"):
        model.build().simulate(1.0, steps=tr.Steps(most=1000))


@pytest.mark.parametrize("seed", range(4))
def test_a_linkage_with_only_one_pose_is_refused(seed: int) -> None:
    """It is just long enough to close; the rocker, of which no angle is given, is turned to its place first."""
    a, b, c = np.random.default_rng([seed, 5]).uniform(0.2, 1.5, 3)
    system = stretched(a, b, c, a + b + c).build()
    with pytest.raises(AssemblyError, match=r"the start pose is singular.*change the dimensions"):
        system.simulate(1.0, {"A.angle": 0.0}, steps=tr.Steps(most=1000))
    with pytest.warns(match="2 of 2 cases were refused"):
        assert system.batch(1.0, {"A.angle": [0.0, 1e-9]}).outcomes == ["REFUSED", "REFUSED"]


def test_a_small_linkage_on_a_large_machine_is_not_singular() -> None:
    """Its rows are small beside the size of the machine, but it moves."""
    m = stretched(1.0e-6, 2.0e-6, 1.5e-6, 1.6e-6)
    m.connect(tr.Revolute("z"), m.ground.at(0, 50.0, 0), m.body("arm", 1.0, (0.1, 0.1, 0.1), (30.0, 0, 0)), name="arm")
    assert np.all(np.isfinite(m.build().start({"A.angle": 1.0}).q))


def test_a_little_away_from_the_singular_pose_it_runs() -> None:
    start = {"A.angle": 0.02, "A.angle_rate": 1.0}
    run = stretched(1.0, 2.0, 1.5, 1.5).build().simulate(0.1, start, samples=2, steps=tr.Steps(most=5000))
    assert run.ok
    assert run.energy.drift < 1e-6


def test_open_rows_are_always_named() -> None:
    assert worst_rows(np.array([1e-10, 0.0, -3e-10]), 6) == [2, 0]
    assert worst_rows(np.array([1.0, np.nan]), 6)[0] == 1
    with pytest.raises(AssemblyError, match=r"Violated constraints: C\.[xy] \(between 'coupler' and 'rocker'; off by"):
        stretched(0.3, 0.3, 0.3, 2.0).build()


def carriage(light: float, heavy: float, second: object = None) -> tr.Model:
    m = tr.Model("carriage", gravity=(0, 0, 0))
    cart, load = (m.body(n, mass, (mass, mass, mass)) for n, mass in (("cart", light), ("load", heavy)))
    m.connect(tr.Prismatic("x"), m.ground, cart, name="rail")
    m.connect(second or tr.Prismatic("x"), cart, load, name="seat", law=tr.Spring(2.0))
    return m


@pytest.mark.parametrize("ratio", [1e-12, 1e-6, 1e6, 1e12])
def test_inertias_far_apart_are_inertias(ratio: float) -> None:
    found = carriage(1.0, ratio).build().accelerations({"seat.displacement": 0.1})
    assert found["rail.displacement_acceleration"] == pytest.approx(0.2, rel=1e-12)
    assert found["seat.displacement_acceleration"] == pytest.approx(-0.2 - 0.2 / ratio, rel=1e-12)


def test_inertias_below_round_off_are_refused() -> None:
    with pytest.raises(ModelError, match=r"rail\.displacement has an inertia that is 1e-15 of what it carries"):
        carriage(1.0, 1e15).build().accelerations({})
