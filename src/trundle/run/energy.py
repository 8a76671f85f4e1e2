"""Energy of a run: E(t) - E(0) = work in - work lost."""

from typing import TYPE_CHECKING, Any, final

import numpy as np

if TYPE_CHECKING:
    from trundle.run.dataset import Run

Array = np.ndarray[Any, np.dtype[np.float64]]


@final
class Energy:
    """Terms of the balance over time (J)."""

    def __init__(self, run: "Run") -> None:
        self.run = run
        self.kinetic = run.values("energy.kinetic")
        self.potential = run.values("energy.potential")
        self.work_in = run.values("energy.work_in")
        self.work_lost = run.values("energy.work_lost")

    @property
    def total(self) -> Array:
        """Kinetic and potential energy."""
        return self.kinetic + self.potential

    @property
    def imbalance(self) -> Array:
        """What the balance leaves unexplained; it starts anew after every event that changed state or parameters."""
        change = self.total + self.work_lost - self.work_in
        segment = np.searchsorted(self.run.jump_times, self.run.time, side="left")
        first = np.searchsorted(segment, segment, side="left")  # first sample of the same segment
        return change - change[first]

    @property
    def scale(self) -> float:
        """Largest energy that was exchanged: the measure for the imbalance."""
        swings = [np.ptp(self.potential), np.max(np.abs(self.kinetic)), np.ptp(self.work_in), np.ptp(self.work_lost)]
        return float(max(*swings, 1e-300))

    @property
    def drift(self) -> float:
        """Largest imbalance relative to the scale."""
        return float(np.max(np.abs(self.imbalance)) / self.scale)

    def plot(self, **options: Any) -> Any:
        """Terms of the balance and what it leaves unexplained; returns the matplotlib figure."""
        from trundle.view.plot import plot_energy

        return plot_energy(self.run, **options)
