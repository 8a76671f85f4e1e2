"""Runs whose steps shrink without end are ended; long stiff ones are not."""

from collections.abc import Callable

import numpy as np
import pytest

import trundle as tr
from trundle.integrate.creeping import WINDOW, Creeping, Progress

MOST = 10_000_000


def looks(time: Callable[[int], float], end: float = 1.0, events: int = 0) -> int:
    """Looks until a run with this time after so many steps is ended; 0 if it is not within its ten million steps."""
    creeping = Creeping(Progress(0.0, 0))
    for n in range(1, 101):
        before, here = (Progress(time(k), k, n * events) for k in (n * WINDOW - 1, n * WINDOW))
        assert creeping.left(before) == 1 and not creeping.seen(before, 0.0, end, MOST)
        if creeping.seen(here, 0.0, end, MOST):
            return n
        assert creeping.left(here) == WINDOW
    return 0


def towards(n: int) -> float:
    """Each step covers a part of what is left that shrinks with it: what is left is that over the number of steps."""
    return 0.3 - 1e-3 / (n + 1)


def test_steps_that_shrink_towards_a_time_are_seen() -> None:
    assert looks(towards) == 3


@pytest.mark.parametrize(
    ("time", "end", "events"),
    [
        (lambda n: 1e-11 * n, 1.0, 0),  # stiff from its start on, and too slow
        (lambda n: 0.3 + 1e-13 * n, 1.0, 0),  # the same later
        (lambda n: 1e-4 * n**0.5, 1.0, 0),  # faster and faster
        (towards, 0.3 + 1e-9, 0),  # it comes to its end
        (towards, 1.0, 1),
    ],
)
def test_others_are_left_alone(time: Callable[[int], float], end: float, events: int) -> None:
    assert looks(time, end, events) == 0


@pytest.mark.parametrize("others", [1, 6])
def test_cases_of_a_batch_end_as_single_runs_do(others: int) -> None:
    """The damping about the first of three turns grows without bound where the second is 90 degrees; each case ends
    after as many steps of its own, whatever else is in the lanes.
    """
    m = tr.Model("driven over", gravity=(0, 0, 0))
    body = m.body("body", 1.0, (0.1, 0.2, 0.15), com=(0.3, 0.1, 0.2))
    push = m.parameter("push", 3.0)
    turns = {"rx": tr.Damper(1.0), "ry": tr.Spring(0.1) + tr.Motor(lambda t, q, u: push), "rz": tr.Open()}
    m.connect(tr.Connection(**dict.fromkeys("xyz", tr.Locked()), **turns), m.ground, body, name="joint")
    system = m.build()
    pushes = np.array([*np.linspace(0.01, 0.02, others), 3.0])
    batch = system.batch(5.0, {}, {"push": pushes}, rtol=1e-8)
    assert batch.outcomes == ["FINISHED"] * others + ["STEP_TOO_SMALL"]
    assert batch.batch.steps[-1] + batch.batch.rejected[-1] == 3 * WINDOW
    single = system.simulate(5.0, {}, {"push": 3.0}, rtol=1e-8, atol=1e-8)
    assert single.outcome.startswith("STEP_TOO_SMALL")
    assert batch.batch.t_end[-1] == pytest.approx(single.trajectory.t_end, abs=1e-5)
    assert batch.end("joint.ry")[-1] == pytest.approx(np.pi / 2, abs=1e-4)
