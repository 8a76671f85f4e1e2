"""Contacts that share loads beside other constraints: joints, driven bodies, loops. One rule for all formalisms."""

import numpy as np
import pytest

import trundle as tr
from trundle.contact.collision import layout as at
from trundle.contact.collision.collide import solve_collision

G, MU, HIGH = 9.81, 0.5, 0.1
THREE = ((0.2, 0.0), (-0.2, 0.15), (-0.2, -0.15))
FOUR = ((0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15))
EVERY = pytest.mark.parametrize("formalism", ["kane", "newton_euler", "udwadia_kalaba"])


def table(feet: tuple[tuple[float, float], ...], formalism: str, plate: float = 0.0, smooth: int = 0) -> tr.System:
    """A table on feet, of which some are smooth, pushed with 12 t N at its mass centre; or on a plate of this mass that
    is driven with the acceleration 6 t.
    """
    m = tr.Model("table")
    floor = m.ground
    body = m.body("table", mass=2.0, inertia=(0.03, 0.04, 0.05))
    if plate > 0:
        floor = m.body("plate", mass=plate, inertia=plate)
        m.connect(tr.Prismatic("x"), m.ground, floor, law=tr.Servo(lambda t: t**3))
    else:
        m.apply(tr.Wrench(body, force=lambda s: (12 * s.t, 0, 0)))
    for k, (x, y) in enumerate(feet):
        pair, law = tr.HigherPair(tr.Plane(), tr.Vertex()), None if k < smooth else tr.Coulomb(MU)
        m.connect(pair, floor, body.at(x, y, -HIGH), name=f"foot_{k}", law=law, unilateral=True)
    m.start = {"table.position": (0, 0, HIGH), "table.velocity": (0, 0, 0)}
    return m.build(formalism)


@EVERY
@pytest.mark.parametrize("feet", [THREE, FOUR], ids=["three", "four"])
@pytest.mark.parametrize("plate", [0.0, 1.0, 0.01])
def test_a_table_slides_at_its_limit(feet: tuple[tuple[float, float], ...], plate: float, formalism: str) -> None:
    """Whatever its floor is driven by: a light plate moves easily along its drive, which carries none of the shares."""
    run = table(feet, formalism, plate).simulate(1.2)
    begin = MU * G / 6
    assert run.ok and [time for _, time in run.events] == pytest.approx([begin] * len(feet), rel=1e-8)
    assert {event.kind for event in run.events} == {"slips"}
    speed = MU * G * (1.2 - begin) + 3 * begin**2 if plate else 3 * (1.2**2 - begin**2) - MU * G * (1.2 - begin)
    assert run["table.velocity_x"].values[-1] == pytest.approx(speed, rel=1e-8)


@EVERY
def test_smooth_feet_share_with_rough_ones(formalism: str) -> None:
    """The rough feet carry most where that holds the table: all that three feet can of the weight."""
    run = table(FOUR, formalism, smooth=1).simulate(1.0)
    expected = table(FOUR, "kane", smooth=1).simulate(1.0)
    assert run.ok and run.energy.drift < 1e-8
    assert [time for _, time in run.events] == pytest.approx([time for _, time in expected.events], rel=1e-6)
    np.testing.assert_allclose(run["table.velocity"].values[-1], expected["table.velocity"].values[-1], atol=1e-6)


def halves(formalism: str) -> tr.System:
    """A table of two halves, joined to each other, on three feet each, both pushed with 12 t N."""
    m = tr.Model("halves")
    bodies = [m.body(f"half_{k}", mass=2.0, inertia=(0.03, 0.04, 0.05)) for k in range(2)]
    m.connect(tr.Fixed(), bodies[0].at(0.3, 0, 0), bodies[1].at(-0.3, 0, 0), name="weld")
    for k, body in enumerate(bodies):
        m.apply(tr.Wrench(body, force=lambda s: (12 * s.t, 0, 0)))
        for i, (x, y) in enumerate(THREE):
            pair = tr.HigherPair(tr.Plane(), tr.Vertex())
            m.connect(pair, m.ground, body.at(x, y, -HIGH), name=f"foot_{k}_{i}", law=tr.Coulomb(MU), unilateral=True)
    m.start = {"half_0.position": (0, 0, HIGH), "half_1.position": (0.6, 0, HIGH)}
    return m.build(formalism)


@EVERY
def test_joined_bodies_slide_at_their_limit(formalism: str) -> None:
    run = halves(formalism).simulate(0.9)
    assert run.ok and [time for _, time in run.events] == pytest.approx([MU * G / 6] * 6, rel=1e-8)


def test_forces_of_joined_bodies_are_those_of_least_norm() -> None:
    """In joint coordinates, in absolute ones and by the pseudo-inverse."""
    names = [f"foot_{k}_{i}.{force}" for k in range(2) for i in range(3)
             for force in ("slip_force_x", "slip_force_y", "normal_force")]  # fmt: skip
    runs = [halves(f).simulate(0.2, samples=[0.2]) for f in ("kane", "newton_euler", "udwadia_kalaba")]
    expected, *found = (np.array([run[name].values[-1] for name in names]) for run in runs)
    np.testing.assert_allclose(found, [expected] * 2, atol=1e-7)


def test_round_off_of_slips_is_no_reason_to_refuse_a_slow_collision() -> None:
    """Of three feet at rest one comes down slowly. Their slips are zero up to round-off of the speed at which their
    floor moves along, which no motion of a rigid body has.
    """
    points = np.array([[0.3, 0, -0.1], [-0.3, 0.2, -0.1], [-0.3, -0.2, -0.1]])
    rows = []
    for x, y, z in points:
        rows.append(np.hstack([np.eye(3), -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])]))
    J = np.vstack(rows)
    D = J @ np.diag([0.35, 0.35, 0.35, 7.0, 16.0, 5.0]) @ J.T
    v = np.array([0, 3e-17, 0, 0, 6e-17, -1.4e-4, 0, 0, 0])
    data = np.tile([0.6, 0.6, 0, at.NEWTON, 1, 1e-9, 0, 0, -1, 1, 1, 0], 3)
    found = solve_collision(np.concatenate([v, D.ravel(), data]), 3, at.SIMULTANEOUS)
    assert found.good
    np.testing.assert_allclose(found.after[:8], 0, atol=1e-9)
    assert found.after[5] == pytest.approx(0, abs=1e-12) and found.lost > 0
