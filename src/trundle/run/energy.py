"""Energy of a run: E(t) - E(0) = work in + work of events - work lost, through all its events and collisions."""

from typing import TYPE_CHECKING, NoReturn, final

import numpy as np

from trundle.messages.arguments import advised, explain_calls, unknown_attribute
from trundle.messages.preparing import preparing
from trundle.typing import Array, Option, Value

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trundle.run.run import Run

_ELSEWHERE = dict.fromkeys(
    ("mechanical", "total_energy", "sum"), "use run.energy.total, kinetic and potential together"
)
_ELSEWHERE |= dict.fromkeys(("lost", "dissipated", "friction"), "use run.energy.work_lost")
_ELSEWHERE |= dict.fromkeys(("work", "supplied", "input"), "use run.energy.work_in")
_ELSEWHERE |= dict.fromkeys(("error", "balance"), "use run.energy.imbalance, or run.energy.drift for its largest part")


@explain_calls
@final
class Energy:
    """Terms of the balance over time (J)."""

    def __init__(self, run: "Run") -> None:
        self.run = run
        self.kinetic = run.values("energy.kinetic")
        self.potential = run.values("energy.potential")
        self.work_in = run.values("energy.work_in")
        self.work_lost = run.values("energy.work_lost")
        stored = run.formulation is not None or "energy.work_events" in run.names
        self.work_events = run.values("energy.work_events") if stored else np.zeros_like(self.work_lost)

    def __call__(self, *args: object) -> NoReturn:
        raise TypeError(
            "run.energy is not a function: leave the brackets out, as in run.energy.total or run.energy.drift."
        )

    def __repr__(self) -> str:
        return f"<Energy: balance closes to {self.drift:.1e} of the {self.scale:.4g} J exchanged; .total, .plot(), ...>"

    def __getitem__(self, name: object) -> NoReturn:
        raise TypeError(f"the terms of the energy are attributes: run.energy.{name} or run['energy.{name}'].")

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> Value:
            if name.startswith("_"):
                raise AttributeError(f"'Energy' object has no attribute {name!r}", name=name, obj=self)
            raise unknown_attribute(self, name, _ELSEWHERE)

    @property
    def total(self) -> Array:
        """Kinetic and potential energy."""
        return self.kinetic + self.potential

    @property
    def imbalance(self) -> Array:
        """Error of the energy balance since the first sample."""
        change = self.total + self.work_lost - self.work_in - self.work_events
        result: Array = change - change[0]
        return result

    @property
    def scale(self) -> float:
        """Largest energy that was exchanged, to which the imbalance is related."""
        works = [np.ptp(work) for work in (self.work_in, self.work_lost, self.work_events)]
        return float(max(np.ptp(self.potential), np.max(np.abs(self.kinetic)), *works, 1e-300))

    @property
    def drift(self) -> float:
        """Largest imbalance relative to the scale."""
        return float(np.max(np.abs(self.imbalance)) / self.scale)

    @property
    def work_error(self) -> float:
        """Error (J) of the integrals of work, as the method estimates it: they are a by-product of the run and do not
        shorten its steps, so that an imbalance below this says nothing about the motion. Shorter steps
        (`tr.Steps(longest=...)`) lower it. Nan for a run that was read from a file.
        """
        trajectory = self.run.trajectory
        return float("nan") if trajectory is None else float(trajectory.work_error)

    @preparing("the picture")
    @advised("write run.energy.plot(path='energy.png')")
    def plot(self, **options: Option) -> "Figure":
        """Draw the terms of the energy balance, and the remaining error.

        Parameters
        ----------
        **options
            Options of `trundle.view.plot.plot_energy`, such as path="out/energy.png".

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.view.plot import plot_energy

        return plot_energy(self.run, **options)
