"""Actions of events that move a body in contact: modes are decided anew, and no contact holds against them."""

import re
from typing import Any

import numpy as np
import pytest

import trundle as tr
from trundle.errors import SolveError

G, MU = 9.81, 0.5
FEET = {1: ((0.0, 0.0),), 3: ((0.2, 0.0), (-0.2, 0.15), (-0.2, -0.15))}
EVERY = pytest.mark.parametrize(("feet", "formalism"), [(1, "kane"), (3, "kane"), (3, "udwadia_kalaba")])


def block(feet: int, action: Any, restitution: float | None = None, height: float = 0.0) -> tr.Model:
    """A block on feet at the height of its mass centre, for which an event acts at 0.1 s."""
    m = tr.Model("block")
    body = m.body("block", mass=2.0, inertia=(0.02, 0.02, 0.03))
    for k, (x, y) in enumerate(FEET[feet]):
        m.connect(
            tr.HigherPair(tr.Plane(), tr.Vertex()), m.ground, body.at(x, y, 0), name=f"foot_{k}", law=tr.Coulomb(MU),
            unilateral=True, restitution=restitution,
        )  # fmt: skip
    m.event("push", lambda s: s.t - 0.1, action=action)
    m.start = {"block.position": (0, 0, height), "block.velocity": (0, 0, 0)}
    return m


def last(run: Any) -> list[float]:
    assert run.ok and run.energy.drift < 1e-9
    return [float(run[name].values[-1]) for name in ("block.position_x", "block.position_z", "block.velocity_z")]


@EVERY
def test_a_push_slides(feet: int, formalism: str) -> None:
    run = block(feet, {"block.x_rate": 1.0}).build(formalism).simulate(0.5)
    assert last(run) == pytest.approx([1 / (2 * MU * G), 0, 0], abs=1e-9)
    assert {event.kind for event in run.events if event.contact} == {"slips", "stops"}


@EVERY
def test_a_push_upwards_lifts(feet: int, formalism: str) -> None:
    run = block(feet, {"block.z_rate": 1.0}).build(formalism).simulate(0.2)
    assert last(run) == pytest.approx([0, 0.1 - G * 0.005, 1 - G * 0.1], abs=1e-9)


@EVERY
def test_a_push_downwards_bounces(feet: int, formalism: str) -> None:
    run = block(feet, {"block.z_rate": -1.0}, restitution=0.5).build(formalism).simulate(0.15)
    assert last(run) == pytest.approx([0, 0.025 - G * 0.00125, 0.5 - G * 0.05], abs=1e-9)


@EVERY
def test_a_block_that_is_lifted_falls(feet: int, formalism: str) -> None:
    run = block(feet, {"block.z": 0.05}).build(formalism).simulate(0.15)
    assert last(run) == pytest.approx([0, 0.05 - G * 0.00125, -G * 0.05], abs=1e-9)


@EVERY
def test_contacts_in_the_air_hold_nothing(feet: int, formalism: str) -> None:
    run = block(feet, {"block.x_rate": 1.0}, height=1.0).build(formalism).simulate(0.2)
    assert last(run) == pytest.approx([0.1, 1 - G * 0.02, -G * 0.2], abs=1e-9)
    assert np.max(np.abs(run["block.angular_velocity"].values)) < 1e-12


@EVERY
@pytest.mark.parametrize("height", [0.0, 0.1])
def test_a_block_that_is_pushed_into_the_ground_is_refused(feet: int, formalism: str, height: float) -> None:
    system = block(feet, {"block.z": -0.05}, height=height).build(formalism)
    expected = r"EVENT_REFUSED: Event 'push' moved a body at t = 0\.1 s so that .* overlap"
    assert re.match(expected, system.simulate(0.2).outcome)
    cases = system.batch(0.2, {"block.velocity_x": np.array([0.0, 0.1])})
    assert list(cases.outcomes) == ["EVENT_REFUSED"] * 2


@pytest.mark.parametrize("feet", [1, 3])
def test_the_same_from_python(feet: int) -> None:
    system = block(feet, "record").build()
    run = system.simulate(0.5, on_event=lambda name, t, state: {"block.x_rate": 1.0})
    assert last(run) == pytest.approx([1 / (2 * MU * G), 0, 0], abs=1e-9)
    with pytest.raises(SolveError, match=r"after on_event has moved something at t = 0\.1 s: .*overlaps"):
        system.simulate(0.5, on_event=lambda name, t, state: {"block.z": -0.05})


def test_batches_agree() -> None:
    system = block(3, {"block.x_rate": 1.0}).build()
    cases = system.batch(0.5, {"block.velocity_x": np.array([0.0, 0.2])}, samples=3)
    np.testing.assert_allclose(cases["block.position_x"].values[0, -1], 1 / (2 * MU * G), atol=1e-7)


@pytest.mark.parametrize("feet", [1, 3])
def test_a_block_slides_on_where_its_plate_halts(feet: int) -> None:
    """A frame at 1 m/s stops at once: friction stops nothing in no time."""
    m = tr.Model("plate")
    speed = m.parameter("speed", 1.0)
    plate = m.moving_frame("plate", position=lambda s: (speed * (s.t - 0.1), 0, 0))
    body = m.body("block", mass=2.0, inertia=(0.02, 0.02, 0.03))
    for k, (x, y) in enumerate(FEET[feet]):
        ends = plate, body.at(x, y, 0)
        m.connect(tr.HigherPair(tr.Plane(), tr.Vertex()), *ends, name=f"foot_{k}", law=tr.Coulomb(MU), unilateral=True)
    m.event("halt", lambda s: s.t - 0.1, action={"speed": 0.0})
    m.start = {"block.position": (-0.1, 0, 0), "block.velocity": (1, 0, 0)}
    assert last(m.build().simulate(0.5)) == pytest.approx([1 / (2 * MU * G), 0, 0], abs=1e-9)
