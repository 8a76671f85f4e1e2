"""Each case of a batch ends where its contact ceases to be one, as the single run does; the others go on."""

import math

import numpy as np
import pytest

import trundle as tr
from trundle.errors import SolveError
from trundle.study import batch_guards
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
def test_discs_that_fall_flat_beside_discs_that_roll(
    samples: int | None, event: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In lanes, and one by one where there is an event; in parts of two cases."""
    system = rolling(event)
    monkeypatch.setattr(
        batch_guards, "ROOM", 2 * 101 * (system.formulation.n_x + len(system.formulation.default_parameters))
    )
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
