"""Each case of a batch ends where its contact becomes invalid, as the single run does; the others continue."""

import math

import numpy as np
import pytest
from test_guards import first_time_at, swinging

import trundle as tr
from trundle.errors import SolveError
from trundle.study.batch import BatchWarning
from trundle.system import System

SHORT = {"rtol": 1e-10, "atol": 1e-12}


def rolling(event: bool) -> System:
    m = tr.Model("rolling")
    body = m.body("b", 1.0, (0.01, 0.02, 0.01))
    m.connect(tr.HigherPair(tr.Plane(), tr.CircleEdge(0.2)), m.ground, body, name="c", law=tr.NoSlip())
    if event:
        m.event("half", lambda s: s["c.roll"] - 0.8)
    return m.build()


def check(system: System, duration: float, start: dict[str, np.ndarray], samples: int | None, codes: list[str]) -> None:
    found = system.batch(duration, start, samples=samples, **SHORT)
    assert found.outcomes == codes
    for i in range(len(codes)):
        single = system.simulate(duration, {k: v[i] for k, v in start.items()}, **SHORT)
        assert single.trajectory is not None
        assert single.outcome.startswith(codes[i])
        assert found.batch.t_end[i] == pytest.approx(single.trajectory.t_end, abs=1e-8)
        np.testing.assert_allclose(found.batch.x_end[i], single.trajectory.x_end, rtol=0, atol=1e-5)
        assert [name for name, _ in found.events[i]] == [name for name, _ in single.events]
        if codes[i] == "FINISHED":
            assert found.messages[i] == ""
        else:
            assert "'c'" in found.messages[i] and "The point of contact is" in found.messages[i]
            assert "{" not in found.messages[i]
        if samples is not None:
            reached = np.all(np.isfinite(found["b.position"].values[i]), axis=1)
            np.testing.assert_array_equal(reached, found.batch.t <= single.trajectory.t_end)
            assert len(found.batch.t) == samples


@pytest.mark.parametrize("samples", [None, 5])
@pytest.mark.parametrize("event", [False, True])
def test_discs_that_fall_flat_beside_discs_that_roll(samples: int | None, event: bool) -> None:
    """In lanes, and one by one where there is an event."""
    system = rolling(event)
    start = {"c.roll": np.array([0.3, 0.05, 0.2, 0.0, 0.6]), "c.pitch_rate": np.array([0.0, 30.0, 0.0, 25.0, 0.0])}
    codes = ["LIES_FLAT", "FINISHED", "LIES_FLAT", "FINISHED", "LIES_FLAT"]
    check(system, 1.5, start, samples, codes)


def test_balls_that_roll_over_the_apex_of_a_cone_beside_others() -> None:
    half, r = 0.4, 0.2
    m = tr.Model("cone", gravity=(0, 0, 0))
    body = m.body("b", 1.0, (0.4 * r**2,) * 3)
    m.connect(tr.HigherPair(tr.Cone(1.0, half), tr.Sphere(r)), m.ground, body, name="c", law=tr.NoSlip())
    system = m.build()
    start = {"c.slide_rate": np.array([-2.0, -2.0, 1.0, -3.0]), "c.angle_rate": np.array([0.0, 0.3, 0.0, 0.0])}
    check(system, 3.0, start, 4, ["SURFACE_LEFT", "FINISHED", "FINISHED", "SURFACE_LEFT"])
    found = system.batch(3.0, start, **SHORT)
    for case, speed in ((0, 2.0), (3, 3.0)):
        assert found.batch.t_end[case] == pytest.approx(1.0 / math.sin(half) / speed, abs=1e-8)


def test_a_case_that_touches_along_a_line_is_refused_alone() -> None:
    m = tr.Model("cylinders")
    body = m.body("b", 1.0, (0.01, 0.02, 0.01))
    m.connect(tr.HigherPair(tr.Cylinder(2.0), tr.Cylinder(0.5)), m.ground, body, name="c")
    system = m.build()
    with pytest.raises(SolveError, match="along a line"):
        system.simulate(0.1)
    with pytest.warns(BatchWarning, match="along a line"):
        found = system.batch(0.1, {"c.yaw": np.array([0.5, 0.0])})
    assert found.outcomes == ["FINISHED", "REFUSED"]


def test_interference_between_samples_in_some_cases() -> None:
    """Harmonic motions whose far ends interfere for a moment, or do not."""
    system = swinging()
    amplitude = 1.5 * np.array([0.99, 1.01, 1 - 1e-4, 1 + 1e-4, 0.2, 1.3])
    found = system.batch(20 * math.pi, {"surface.angle_rate": -amplitude}, samples=21, **SHORT)
    assert found.outcomes == ["FINISHED", "INTERFERENCE", "FINISHED", "INTERFERENCE", "FINISHED", "INTERFERENCE"]
    for case in (1, 3, 5):
        assert found.batch.t_end[case] == pytest.approx(first_time_at(1.5, amplitude[case]), abs=1e-6)
        assert found.batch.x_end[case, 0] == pytest.approx(-1.5, abs=1e-8)
        assert "'contact'" in found.messages[case]
