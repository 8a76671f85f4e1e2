"""The result of a fit, with its uncertainty."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, final

import numpy as np

from trundle.fitting.residuals import Residuals
from trundle.messages.arguments import explain_calls_with
from trundle.messages.preparing import preparing
from trundle.run.run import Run
from trundle.typing import Array

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

UNKNOWN = 1e-7  # ratio of singular values below which a combination of unknowns has no effect on the measurements


ELSEWHERE = {
    **dict.fromkeys(("params", "best_values", "x", "popt", "estimates", "result"), "use fitted.values"),
    **dict.fromkeys(("stderr", "std", "sigma", "perr", "uncertainty"), "use fitted.errors, or fitted.intervals()"),
    **dict.fromkeys(("success", "converged", "ok"), "use fitted.settled"),
    **dict.fromkeys(("report", "fit_report", "table", "print"), "use fitted.summary()"),
    **dict.fromkeys(("cov", "pcov"), "use fitted.covariance"),
    **dict.fromkeys(
        ("r2", "chi2", "chisqr", "cost", "rms", "score"),
        "use fitted.residuals, one dataset for each experiment, and fitted.noise, their standard deviations",
    ),
    **dict.fromkeys(("best_fit", "model", "prediction"), "use fitted.run, the run with the estimated values"),
}
"""What new users look for, and where it is."""


@explain_calls_with(ELSEWHERE)
@final
class Fit:
    """Result of a fit: estimates with their uncertainty, from the curvature of the sum of squares at its minimum."""

    def __init__(
        self, residuals: Residuals, values: Array, noise: dict[str, float], jacobian: Array, sizes: Array,
        settled: bool, evaluations: int, bounds: tuple[Array, Array],
    ) -> None:  # fmt: skip
        self._residuals, self._values, self._sizes, self._bounds = residuals, values, sizes, bounds
        self.names = residuals.names
        self.noise = noise  # standard deviation of each quantity, given or found
        self.jacobian = jacobian  # of residuals over their noise
        self.settled, self.evaluations = settled, evaluations

    def __getitem__(self, name: str) -> NoReturn:
        raise TypeError(f"a Fit is not a table: write fitted.values[{name!r}], fitted.errors[{name!r}].")

    @property
    def values(self) -> dict[str, float]:
        """Estimates by name; pass them to `simulate` as parameters and start values."""
        return {name: float(value) for name, value in zip(self.names, self._values, strict=True)}

    @property
    def parameters(self) -> dict[str, float]:
        """Estimated parameters by name."""
        return {n: v for n, v in self.values.items() if n in self._residuals.system.model.parameters}

    @property
    def start(self) -> dict[str, float]:
        """Estimated start values by name."""
        return {n: v for n, v in self.values.items() if n not in self._residuals.system.model.parameters}

    @cached_property
    def covariance(self) -> Array:
        """Covariance of the estimates, for noise that is independent from sample to sample."""
        _, s, V = np.linalg.svd(self.jacobian * self._sizes, full_matrices=False)
        determined = s > UNKNOWN * s[0]
        spread = V[determined] / s[determined][:, None]
        found: Array = self._sizes[:, None] * (spread.T @ spread) * self._sizes
        lost = np.any(np.abs(V[~determined]) > np.sqrt(UNKNOWN), axis=0)
        found[lost, :], found[:, lost] = np.nan, np.nan
        found[lost, lost] = np.inf
        return found

    @property
    def errors(self) -> dict[str, float]:
        """Standard errors by name."""
        return {name: float(v) for name, v in zip(self.names, np.sqrt(np.diag(self.covariance)), strict=True)}

    @property
    def correlation(self) -> "xr.DataArray":
        """Correlation of the unknowns: near 1 or -1 if the data hardly distinguish two of them."""
        import xarray as xr

        size = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore"):
            values = self.covariance / np.outer(size, size)
        return xr.DataArray(values, {"first": list(self.names), "second": list(self.names)}, ("first", "second"))

    def intervals(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Confidence intervals by name (Student's distribution, linearised at the estimates).

        Parameters
        ----------
        level : float
            Probability with which each contains the true value, if the model is right.

        Returns
        -------
        dict
            (least, largest) by name.
        """
        from scipy.stats import t

        width = float(t.ppf(0.5 + level / 2, self._residuals.count - len(self.names)))
        return {n: (v - width * self.errors[n], v + width * self.errors[n]) for n, v in self.values.items()}

    @property
    def unknown(self) -> str:
        """Description of the unknowns that the data do not determine; empty if they determine all."""
        _, s, V = np.linalg.svd(self.jacobian * self._sizes, full_matrices=False)
        weak = [v for value, v in zip(s, V, strict=True) if value <= UNKNOWN * s[0]]
        if not weak:
            return ""
        names = [n for n, part in zip(self.names, np.abs(weak[0]), strict=True) if part > 0.1]
        if len(names) == 1:
            return f"the data do not determine {names[0]!r}: no measured quantity depends on it."
        return f"the data do not determine {', '.join(map(repr, names))} separately: a common change has no effect."

    @property
    def at_bounds(self) -> list[str]:
        """Unknowns at a bound, whose intervals are not valid."""
        low, high = self._bounds
        near = 1e-9 * self._sizes
        held = (self._values <= low + near) | (self._values >= high - near)
        return [name for name, at in zip(self.names, held, strict=True) if at]

    @cached_property
    def runs(self) -> list[Run]:
        """A run with the estimates for each experiment, at the times of its data."""
        return [self._residuals.run(experiment, self._values) for experiment in self._residuals.experiments]

    @property
    def run(self) -> Run:
        """The first of the runs."""
        return self.runs[0]

    @cached_property
    def residuals(self) -> "list[xr.Dataset]":
        """Run minus data, in the units of the quantities, for each experiment."""
        import xarray as xr

        found = []
        for run, e in zip(self.runs, self._residuals.experiments, strict=True):
            off = {name: (run[name] - measured).assign_attrs(run[name].attrs) for name, measured in e.values.items()}
            found.append(xr.Dataset(off))
        return found

    @property
    def data(self) -> "list[dict[str, Array]]":
        """Measured data of each experiment."""
        return [experiment.values for experiment in self._residuals.experiments]

    def summary(self) -> str:
        """A table of values, standard errors and 95 % intervals, and the noise of each quantity."""
        intervals, units = self.intervals(), self._units()
        lines = [f"{'unknown':<28} {'value':>13} {'error':>10}  95 % interval"]
        for name, value in self.values.items():
            low, high = intervals[name]
            note = "  at its bound" if name in self.at_bounds else ""
            span = f"{low:.6g} to {high:.6g} {units[name]}"
            lines.append(f"{name:<28} {value:>13.6g} {self.errors[name]:>10.2g}  {span}{note}")
        lines += [f"noise of {name}: {level:.3g}" for name, level in self.noise.items()]
        ended = "" if self.settled else " The search did not settle: errors and intervals hold for a minimum only."
        lines.append(f"{self._residuals.count} numbers, {self.evaluations} evaluations.{ended}")
        return "\n".join([*lines, self.unknown]).strip()

    def _units(self) -> dict[str, str]:
        system = self._residuals.system
        known = system.model.parameters
        return {n: known[n].unit if n in known else system.formulation.quantity(n).unit for n in self.names}

    def __repr__(self) -> str:
        if not self.settled:  # the errors would say too much
            return f"<Fit: {', '.join(f'{n} = {v:.5g}' for n, v in self.values.items())}, not settled>"
        parts = ", ".join(f"{n} = {v:.5g} +- {self.errors[n]:.1g}" for n, v in self.values.items())
        return f"<Fit: {parts}>"

    @preparing("the picture")
    def plot(self, path: Path | str | None = None) -> "Figure":
        """Data, run and residuals of every quantity; several experiments side by side.

        Parameters
        ----------
        path : path, optional
            File of the picture.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.view.fit import plot_fit

        return plot_fit(self, path)
