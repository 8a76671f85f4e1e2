"""Whether the steps of a run shrink without end, so that it cannot come to its own end.

Where a damping grows without bound towards a pose, steps of an explicit method are limited by its stability, and each
covers a smaller part of what is left: they become neither as small as the smallest one nor too many for hours.
"""

from typing import NamedTuple, final

from trundle.integrate.record import LoopRecord

WINDOW = 100_000  # attempted steps between two looks
SHORTER = 0.9  # advance of a window relative to that of the one before, below which steps shrink
SHRINKS = 2  # windows in a row in which they do
TINY = 1e-10  # mean step of a window relative to the time behind it: equal steps, ten million, are 1000 times longer


@final
class Progress(NamedTuple):
    """Where a run is: its time, the steps attempted, and the events so far."""

    t: float
    attempts: int
    events: int = 0


@final
class Creeping:
    """A look at the progress of a run after every so many attempted steps, wherever it was asked in between."""

    def __init__(self, here: Progress) -> None:
        self._last, self._shrinks, self._advance = here, 0, 0.0

    def left(self, here: Progress) -> int:
        """Attempted steps until the next look."""
        return max(1, self._last.attempts + WINDOW - here.attempts)

    def seen(self, here: Progress, start: float, end: float, most: int) -> bool:
        """Whether the run creeps: in several windows without events steps have shrunk, to a tiny part of the time
        since its start, and as many as are left of the most would not take it to its end.
        """
        if here.attempts < self._last.attempts + WINDOW:
            return False
        advance = here.t - self._last.t
        shrinks = advance < SHORTER * self._advance and here.events == self._last.events
        self._last, self._shrinks, self._advance = here, self._shrinks + 1 if shrinks else 0, advance
        step = advance / WINDOW
        return (
            self._shrinks >= SHRINKS and step < TINY * (here.t - start) and here.t + step * (most - here.attempts) < end
        )


def progress_of(run: LoopRecord) -> Progress:
    """Progress of a run in the compiled loop."""
    return Progress(run.t, run.steps + run.rejected, run.logged)
