"""The ball on the tangent surface of a helix [Meijaard 2024, Sec. 3.1]: its motion is proportional to the angle."""

from functools import cache

import numpy as np
import pytest

from trundle import examples
from trundle.errors import AssemblyError, SolveError, UnknownNameError
from trundle.study.batch import BatchWarning
from trundle.system import System

RATIO = {"z": -1.0, "y": 1.0}  # minus the pitch, and the radius


@cache
def system(moves: str) -> System:
    return examples.model("sphere-on-tangent-surface", moves=moves).build()


@pytest.mark.parametrize("moves", ["z", "y"])
def test_displacement_is_proportional_to_the_angle(moves):
    trace = system(moves).trace("surface.angle", [2.0, -1.0])
    assert trace.ok
    np.testing.assert_allclose(trace.values("ball.displacement"), RATIO[moves] * trace.value, atol=1e-12)
    np.testing.assert_allclose(trace.values("ball.displacement_derivative"), RATIO[moves], atol=1e-12)
    np.testing.assert_allclose(trace.at(0.0)["contact.contact_point"], [1.0, 2.0, 2.0], atol=1e-14)
    np.testing.assert_allclose(trace.at(0.0)["ball.position"], [1.0, 1.5, 2.5], atol=1e-14)
    # The sheet has the curvature -1/distance from the helix across its generators, the ball sqrt(2).
    distance = 2 * np.sqrt(2) + trace.values("contact.slide")
    np.testing.assert_allclose(trace.values("contact.relative_curvature"), np.sqrt(2) - 1 / distance, atol=1e-12)
    assert trace.events == []


def test_the_ball_leaves_towards_the_cusp():
    """Led along y the contact runs down the tangent: 1/sqrt(2) from the helix the sheet is as hollow as the ball, and
    on the helix it ends.
    """
    trace = system("y").trace("surface.angle", -2.5)
    assert trace.ok
    np.testing.assert_allclose(trace.values("ball.displacement"), trace.value, atol=1e-12)
    found = [(event.name, event.value) for event in trace.events]
    assert {name for name, value in found if abs(value + 1.5) < 1e-10} == {"singular pose", "loss of contact"}
    assert [name for name, value in found if abs(value + 2.0) < 1e-10] == ["loss of contact"]
    assert len(found) == 3
    assert "TangentSurface" in next(event.text for event in trace.events if abs(event.value + 2.0) < 1e-10)


@pytest.mark.parametrize(("moves", "acceleration"), [("z", 9.81 / 3.0), ("y", 0.0)])
def test_motion_agrees_with_the_closed_form(moves, acceleration):
    """Inertia 2 kg m^2 about the axis and a ball of 1 kg that sinks by 1 m/rad, or moves level."""
    run = system(moves).simulate(1.0, samples=11)
    assert run.ok, run.outcome
    assert run.energy.drift < 1e-12
    angle = 0.5 * run.time + acceleration / 2 * run.time**2
    np.testing.assert_allclose(run.values("surface.angle"), angle, atol=1e-12)
    np.testing.assert_allclose(run.values("ball.displacement"), RATIO[moves] * angle, atol=1e-12)


def test_other_directions_are_refused():
    with pytest.raises(UnknownNameError, match="direction for the ball"):
        examples.model("sphere-on-tangent-surface", moves="x")


@pytest.mark.parametrize("angle", [-1.3, 1.2, 1.9, 2.5, 3.0])
def test_a_start_finds_the_pose_that_a_trace_reaches(angle: float) -> None:
    """Led along y the ball moves by the angle, far beyond the reach of a search about the pose of the model."""
    made = system("y")
    reached = made.trace("surface.angle", angle).values("ball.displacement")[-1]
    state = made.start({"surface.angle": angle})
    names = [c.name for c in made.formulation.layout.coordinates]
    assert state.q[names.index("surface.angle")] == angle
    assert state.q[names.index("ball.displacement")] == pytest.approx(reached, abs=1e-9)
    assert reached == pytest.approx(angle, abs=1e-9)


@pytest.mark.parametrize("angle", [-3.0, -2.5, -1.0, 1.0, 3.0, 9.0])
def test_a_start_by_the_angle_alone_is_the_pose_that_a_trace_reaches(angle: float) -> None:
    ball = system("z")
    traced = ball.trace("surface.angle", angle)
    start = ball.start({"surface.angle": angle})
    found = dict(zip((c.name for c in ball.formulation.layout.coordinates), start.q, strict=False))
    assert found["ball.displacement"] == pytest.approx(traced.values("ball.displacement")[-1], abs=1e-9)


@pytest.mark.parametrize("angle", [-2.5, -3.0])
def test_a_start_beyond_the_cusp_is_refused(angle: float) -> None:
    """A trace continues there, and reports that the sheet has ended; nothing touches."""
    with pytest.raises(AssemblyError, match=r"'contact' (cannot touch|would lie beyond the end)"):
        system("y").start({"surface.angle": angle})
    with pytest.raises(AssemblyError, match=r"'contact' would lie beyond the end .* of its TangentSurface"):
        system("y").start({"surface.angle": angle, "ball.displacement": angle, "contact.slide": 2**0.5 * angle})


@pytest.mark.parametrize("angle", [-1.6, -1.9])
def test_a_start_between_interference_and_cusp_is_refused(angle: float) -> None:
    """There the sheet is more hollow than the ball."""
    ball = system("y")
    with pytest.raises(SolveError, match=r"'contact': at the start the surfaces .* interfere"):
        ball.simulate(0.1, {"surface.angle": angle})
    with pytest.warns(BatchWarning, match="case 1"):
        batch = ball.batch(0.01, {"surface.angle": [-1.4, angle]})
    assert batch.outcomes == ["FINISHED", "REFUSED"]
    assert "interfere" in batch.messages[1] or "overlap elsewhere" in batch.messages[1]  # near the cusp they do both
