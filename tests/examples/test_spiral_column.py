"""The cylinder on the spiral column [Meijaard 2024, Sec. 3.1], against two independent ways to its height."""

from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar

from trundle import examples
from trundle.run.trace import Trace
from trundle.system import System

TROUGH = 1.5 * np.pi + 0.7
DISTANCE = 0.7 * np.sqrt(2)  # between the helix and the axis of the cylinder
HEIGHTS = {0.0: 0.7, 1.0: 1.574397780482, 4.0: 1.218711230581, TROUGH: -0.010050506339}


@cache
def system(**sizes: float) -> System:
    return examples.model("spiral-column", **sizes).build()


@cache
def fig7() -> Trace:
    return system().trace("column.displacement", [0.0, 1.0, 4.0, TROUGH, 2 * np.pi])


def height_by_balls(d: float, distance: float = DISTANCE) -> float:
    """The tube as balls along the helix (a, -cos a, -sin a): the cylinder rests on the one that lifts it highest."""
    a = np.linspace(0.7 - d - distance, 0.7 - d + distance, 4001)[1:-1]

    def lift(a):
        return -np.sin(a) + np.sqrt(distance**2 - (a + d - 0.7) ** 2)

    best = int(np.argmax(lift(a)))
    found = minimize_scalar(
        lambda a: -lift(a), bounds=(a[best - 1], a[best + 1]), method="bounded", options={"xatol": 1e-12}
    )
    return -float(found.fun)


def height_by_offset(d: float, near: float) -> float:
    """The curve z = -sin x, seen along the cylinder, moved outwards by the distance along its normal."""

    def normal(a):
        return np.array([np.cos(a), 1.0]) / np.hypot(1.0, np.cos(a))

    a = brentq(lambda a: a + d + DISTANCE * normal(a)[0] - 0.7, near - 0.05, near + 0.05, xtol=1e-15)
    return float(-np.sin(a) + DISTANCE * normal(a)[1])


def test_numbers_of_the_paper():
    trace = fig7()
    assert trace.ok
    np.testing.assert_allclose(trace.at(0.0)["contact.contact_point"], [0.5, -1.0, 0.5], atol=1e-14)
    for d, z in HEIGHTS.items():
        assert float(trace.at(d)["cylinder.displacement"]) == pytest.approx(z, abs=1e-12)
    rates = trace.at(TROUGH)["contact.contact_point_derivative"].values
    np.testing.assert_allclose(rates, [-28.14213562, -99.49747468, 0.0], atol=1e-8)
    assert trace.values("cylinder.displacement").min() == pytest.approx(HEIGHTS[TROUGH], abs=1e-12)
    assert trace.events == []


@pytest.mark.parametrize("d", [0.3, 1.7, 2.9, 4.6, 5.2, 5.41, 5.42, 5.9])
def test_height_by_two_other_ways(d):
    pose = fig7().at(d)
    z = float(pose["cylinder.displacement"])
    assert z == pytest.approx(height_by_balls(d), abs=1e-12)
    assert z == pytest.approx(height_by_offset(d, float(pose["contact.first_angle"])), abs=1e-12)


def test_the_fast_passage_is_resolved():
    trace = fig7()
    way = np.linalg.norm(np.diff(trace.values("contact.contact_point"), axis=0), axis=1)
    assert way.max() < 0.12
    assert 100 < len(trace.value) < 400
    rates = trace.values("contact.contact_point_y_derivative")
    middle = (trace.value > 0.2) & (trace.value < 4.0)
    slope = np.gradient(trace.values("contact.contact_point_y"), trace.value)
    np.testing.assert_allclose(rates[middle], slope[middle], atol=0.01)


def test_a_thick_tube_touches_twice_and_then_loses_contact():
    """Beyond the radius of curvature of the trough the offset curve has a swallowtail, symmetric about the trough."""
    tube = 0.8
    reach = tube + 0.2 * np.sqrt(2)
    cusp = brentq(lambda a: (1 + np.cos(a) ** 2) ** 1.5 / np.sin(a) - reach, np.pi / 2, np.pi / 2 + 1, xtol=1e-15)
    over = np.pi / 2 - cusp - reach * np.cos(cusp) / np.hypot(1, np.cos(cusp))
    wanted = [
        ("double contact", 0.0), ("turning point", over), ("loss of contact", over),
        ("turning point", -over), ("loss of contact", -over), ("double contact", 0.0),
    ]  # fmt: skip
    touching = {"cylinder.displacement": height_by_balls(0.0, reach)}
    trace = system(tube=tube).trace("column.displacement", 2 * np.pi, touching, through_folds=True)
    assert trace.ok
    found = [(event.name, event.value - TROUGH) for event in trace.events]
    assert sorted(name for name, _ in found) == sorted(name for name, _ in wanted)
    for kind in ("double contact", "turning point", "loss of contact"):
        np.testing.assert_allclose(
            [value for name, value in found if name == kind],
            [value for name, value in wanted if name == kind],
            atol=1e-10,
        )
    stopped = system(tube=tube).trace("column.displacement", 2 * np.pi, touching)
    assert not stopped.ok
    assert stopped.outcome.startswith("turning point")
    assert {event.name for event in stopped.events} == {"double contact", "turning point", "loss of contact"}
    assert stopped.value[-1] - TROUGH == pytest.approx(over, abs=1e-10)


def test_motion_keeps_energy_and_contact():
    run = system().simulate(1.6, rtol=1e-11, atol=1e-11, samples=41)
    assert run.ok, run.outcome
    assert run.values("column.displacement")[-1] > TROUGH  # the passage lies on the way
    assert run.energy.drift < 1e-8
    assert np.max(np.abs(run.values("contact.gap"))) < 1e-13
    for d, z in zip(run.values("column.displacement"), run.values("cylinder.displacement"), strict=True):
        assert z == pytest.approx(height_by_balls(d), abs=1e-11)
