"""Whether the steps of a run shrink without end, so that it cannot come to its own end.

Where a damping grows without bound towards a pose, steps of an explicit method are limited by its stability, and each
covers a smaller part of what is left: they become neither as small as the smallest one nor too many for hours.
"""

from typing import final

from trundle.integrate.record import LoopRecord

WINDOW = 100_000  # attempted steps between two looks
SHORTER = 0.9  # advance of a window relative to that of the one before, below which steps shrink
SHRINKS = 2  # windows in a row in which they do
TINY = 1e-10  # mean step of a window relative to the time behind it: equal steps, ten million, are 1000 times longer


@final
class Creeping:
    """A look at the advance of a run after every so many attempted steps, wherever it was asked in between."""

    def __init__(self, run: LoopRecord) -> None:
        self._run, self._shrinks, self._advance = run, 0, 0.0
        self._begin()

    @property
    def left(self) -> int:
        """Attempted steps until the next look."""
        return max(1, self._next - self._attempts)

    def seen(self) -> bool:
        """Whether the run creeps: in several windows without events steps have shrunk, to a tiny part of the time
        behind them, and as many as are left would not take it to its end.
        """
        run = self._run
        if self._attempts < self._next:
            return False
        advance = run.t - self._t
        shrinks = advance < SHORTER * self._advance and run.logged == self._logged
        self._shrinks, self._advance = self._shrinks + 1 if shrinks else 0, advance
        self._begin()
        step = advance / WINDOW
        return (
            run.fixed == 0
            and self._shrinks >= SHRINKS
            and step < TINY * (run.t - run.t_start)
            and run.t + step * (run.max_steps - self._attempts) < run.t_end
        )

    @property
    def _attempts(self) -> int:
        return self._run.steps + self._run.rejected

    def _begin(self) -> None:
        run = self._run
        self._t, self._logged, self._next = run.t, run.logged, self._attempts + WINDOW
