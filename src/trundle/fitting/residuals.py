"""Differences between runs and measured data, and their derivatives."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from trundle.errors import AssemblyError, ModelError, SolveError
from trundle.fitting.experiment import Experiment
from trundle.integrate.interruption import part_of_study
from trundle.run.run import Run
from trundle.system import System
from trundle.typing import Array, Flags, Settings


@final
@dataclass(frozen=True, eq=False)
class Residuals:
    """Differences between runs and data, divided by a scale for each quantity, as functions of the unknowns."""

    system: System
    experiments: list[Experiment]
    names: tuple[str, ...]  # unknowns: parameters and start values
    options: Settings  # of `simulate`

    def run(self, experiment: Experiment, values: Array, sensitivity: tuple[str, ...] = ()) -> Run:
        """The run of an experiment."""
        start, parameters = dict(experiment.start), dict(experiment.parameters)
        for name, value in zip(self.names, values, strict=True):
            (parameters if name in self.system.model.parameters else start)[name] = float(value)
        t = experiment.time
        with part_of_study():
            return self.system.simulate(
                float(t[-1] - t[0]), start, parameters, t0=float(t[0]), samples=t.tolist(), progress=False,
                sensitivity=sensitivity, **self.options,
            )  # fmt: skip

    def __call__(self, values: Array, scales: Mapping[str, float]) -> Array:
        """All residuals in one vector; infinite if a run does not reach the end of the data."""
        found = []
        for experiment in self.experiments:
            try:
                run = self.run(experiment, values)
            except (AssemblyError, ModelError, SolveError):
                return np.full(self.count, np.inf)
            if len(run.time) != len(experiment.time):
                return np.full(self.count, np.inf)
            for name, measured in experiment.values.items():
                known = np.isfinite(measured)
                found.append((run.values(name) - measured)[known] / scales[name])
        return np.concatenate(found)

    def derivatives(self, values: Array, scales: Mapping[str, float]) -> Array:
        """Derivatives of the residuals by the unknowns."""
        found = []
        for experiment in self.experiments:
            run = self.run(experiment, values, self.names)
            for name, measured in experiment.values.items():
                columns = np.column_stack([run.derivative(name, by).values for by in self.names])
                found.append(columns[np.isfinite(measured)] / scales[name])
        return np.vstack(found)

    def refuse(self, values: Array) -> None:
        """SolveError if the first runs do not reach the end of their data."""
        for experiment in self.experiments:
            run = self.run(experiment, values)
            if len(run.time) != len(experiment.time):
                raise SolveError(
                    f"with the first values of the search the run ends at {run.time[-1]:.6g} s, before the data "
                    f"do ({run.outcome}). Start from other values."
                )

    @property
    def quantities(self) -> list[str]:
        """Measured quantities of all experiments."""
        return list(dict.fromkeys(name for experiment in self.experiments for name in experiment.values))

    @property
    def owners(self) -> np.ndarray[Any, np.dtype[np.str_]]:
        """The quantity of each residual."""
        return np.concatenate([
            np.full(int(np.isfinite(v).sum()), name) for e in self.experiments for name, v in e.values.items()
        ])  # fmt: skip

    def of(self, quantity: str) -> Flags:
        """Mask of the residuals of a quantity."""
        flags: Flags = self.owners == quantity
        return flags

    def times(self, quantity: str) -> Array:
        """Times (s) of the residuals of a quantity."""
        kept = [(e.time, e.values[quantity]) for e in self.experiments if quantity in e.values]
        return np.concatenate([t[np.isfinite(values)] for t, values in kept])

    @property
    def count(self) -> int:
        return sum(int(np.isfinite(v).sum()) for e in self.experiments for v in e.values.values())

    def variation(self, quantity: str) -> float:
        """The largest spread among the components of the same vector, because a component at rest has only noise."""
        get = self.system.formulation.register.get
        whole = get(quantity).quantity
        return max(self.spread(name) for name in self.quantities if get(name).quantity is whole)

    def spread(self, quantity: str) -> float:
        """Standard deviation of the measured values of a quantity; 1 if they are constant."""
        values = np.concatenate([e.values[quantity] for e in self.experiments if quantity in e.values])
        return float(np.nanstd(values)) or 1.0
