"""Fair timing on a noisy machine: all cases take turns, so that each sees the same noise."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from trundle.kernel import stored_kernels


def machine_code_at_once() -> None:
    """Measure machine code from the first call on; else a run would begin in threaded code."""
    stored_kernels.BUSY = stored_kernels.BUSY_AGAIN = 0


class Timing(float):
    """Median seconds of one case; `best` is the fastest round."""

    best: float

    def __new__(cls, seconds: list[float]) -> Timing:
        """Summarise the rounds of one case."""
        timing = super().__new__(cls, statistics.median(seconds))
        timing.best = min(seconds)
        return timing


def interleave(cases: dict[str, Callable[[], float]], rounds: int = 7) -> dict[str, Timing]:
    """Run the cases round-robin, each returning its own seconds, and give the median (and best) of each.

    The order is reversed every other round, so that no case always follows the same neighbour.
    """
    if rounds < 1:
        raise ValueError(f"interleave needs at least one round, not {rounds}")
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(rounds):
        names = list(cases) if turn % 2 == 0 else list(reversed(cases))
        for name in names:
            seconds[name].append(cases[name]())
    return {name: Timing(values) for name, values in seconds.items()}


def fastest(calls: dict[str, Callable[[], object]], repeats: int, bursts: int = 40) -> dict[str, float]:
    """Best seconds per call of short functions, timed in short bursts that take turns.

    A burst of a millisecond or two often falls between two interruptions; the best of many is the undisturbed cost,
    and differences between the calls may then be taken.
    """
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(bursts):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(repeats):
                call()
            best[name] = min(best[name], (time.perf_counter() - start) / repeats)
    return best
