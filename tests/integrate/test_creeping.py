"""Runs whose steps shrink without end are ended; long stiff ones are not."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from trundle.integrate.creeping import WINDOW, Creeping


def looks(time: Callable[[int], float], end: float = 1.0, fixed: int = 0, events: int = 0) -> int:
    """Looks until a run with this time after so many steps is ended; 0 if it is not within its ten million steps."""
    run = SimpleNamespace(
        t_start=0.0, t_end=end, t=0.0, steps=0, rejected=0, max_steps=10_000_000, fixed=fixed, logged=0
    )
    creeping = Creeping(run)  # type: ignore[arg-type]
    for n in range(1, 101):
        assert creeping.left == WINDOW
        run.steps += WINDOW // 2
        assert creeping.left == WINDOW // 2 and not creeping.seen()
        run.rejected += WINDOW - WINDOW // 2
        run.t, run.logged = time(run.steps + run.rejected), run.logged + events
        if creeping.seen():
            return n
    return 0


def towards(n: int) -> float:
    """Each step covers a part of what is left that shrinks with it: what is left is that over the number of steps."""
    return 0.3 - 1e-3 / (n + 1)


def test_steps_that_shrink_towards_a_time_are_seen() -> None:
    assert looks(towards) == 3


@pytest.mark.parametrize(
    ("time", "options"),
    [
        (lambda n: 1e-11 * n, {}),  # stiff from its start on, and too slow
        (lambda n: 0.3 + 1e-13 * n, {}),  # the same later
        (lambda n: 1e-4 * n**0.5, {}),  # faster and faster
        (towards, {"end": 0.3 + 1e-9}),  # it comes to its end
        (towards, {"fixed": 1}),
        (towards, {"events": 1}),
    ],
)
def test_others_are_left_alone(time: Callable[[int], float], options: dict[str, float]) -> None:
    assert looks(time, **options) == 0  # type: ignore[arg-type]
