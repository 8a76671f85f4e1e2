"""Estimation of parameters and start values of a system from measured data."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.errors import ModelError
from trundle.fitting.experiment import Experiment, experiments
from trundle.fitting.residuals import Residuals
from trundle.fitting.result import Fit
from trundle.lookup.table import Table
from trundle.messages.preparing import under_way
from trundle.messages.warn import warn
from trundle.model.check import finite_number
from trundle.study.interruption import noticed_interruptions
from trundle.study.run_options import listed
from trundle.study.sensitivity.at_start import StartOf
from trundle.system import System
from trundle.typing import Array, Given, Option, Values

if TYPE_CHECKING:
    import xarray as xr

    from trundle.fitting.experiment import Data

POOR = 0.8  # of the spread of the data: with larger residuals a fit explains nothing
FAR = 8.0  # robust standard deviations of the residuals, beyond which values are outliers
FELT = 0.01  # of the spread of the data: outliers with smaller residuals have no influence
ROUNDS = 3  # of estimating the noise of each quantity and fitting again
OPTIONS = ("formalism", "method", "rtol", "atol", "steps", "tables")


def fit(
    system: System,
    data: "xr.Dataset | Mapping[str, Given] | str | Path | Experiment | Sequence[Data | Experiment]",
    parameters: Mapping[str, float | None] | Sequence[str],
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    noise: Mapping[str, float] | None = None,
    start: Values | None = None,
    iterations: int = 100,
    **options: Option,
) -> Fit:
    """Find parameters and start values from measured data by nonlinear least squares.

    Parameters
    ----------
    system : System
        The measured system.
    data : Dataset, mapping, path, Experiment, or a list of these
        Measured data, "time" and quantities by name; see `Experiment`.
    parameters : mapping or sequence of str
        The unknowns, parameters or start values, with initial guesses; None, or a name alone, means the value of the
        model.
    bounds : mapping, optional
        Lower and upper bound by name.
    noise : mapping, optional
        Standard deviation of the measurements by quantity, in its unit; by default estimated from the residuals.
    start : mapping, optional
        Start values of all experiments without their own.
    iterations : int
        Most steps of the search.
    **options
        Options of `simulate`: method, rtol, atol, steps, ...

    Returns
    -------
    Fit
        Values with confidence intervals, residuals, runs, and a picture.

    Raises
    ------
    SolveError
        If the first run does not reach the end of the data, or there is no derivative.
    ModelError, UnknownNameError
        If data, names or bounds do not fit the system.
    """
    for name in options:
        if name not in OPTIONS:
            raise ModelError(f"{name!r} is not an option of a fit: {', '.join(OPTIONS)} are.")
    found = experiments(data)
    for experiment in found:
        experiment.start = {**(start or {}), **experiment.start}
        experiment.check(system)
    guesses = parameters if isinstance(parameters, Mapping) else dict.fromkeys(listed(parameters))
    if not guesses:
        raise ModelError("give at least one parameter or start value to estimate.")
    for name in guesses:
        if any(isinstance(one.parameters.get(name), Table) for one in found):
            raise ModelError(f"{name!r} is an input given by the data, so it cannot be estimated.")
    residuals = Residuals(system, found, tuple(guesses), options)
    first, sizes = _first(system, found[0], guesses)
    low, high = _bounds(tuple(guesses), bounds or {}, first)
    first = np.clip(first, low, high)
    if residuals.count <= len(first):
        raise ModelError(f"{residuals.count} numbers were measured: too few to estimate {len(first)} unknowns.")
    residuals.refuse(first)
    with noticed_interruptions() as check_interruption, under_way(f"fit of {', '.join(guesses)}") as tell:
        return _search(residuals, first, sizes, (low, high), dict(noise or {}), iterations, tell, check_interruption)


def _search(
    residuals: Residuals, values: Array, sizes: Array, bounds: tuple[Array, Array], given: dict[str, float], most: int,
    tell: Callable[[str], None], check_interruption: Callable[[], None],
) -> Fit:  # fmt: skip
    from scipy.optimize import least_squares

    unknown = [name for name in given if name not in residuals.quantities]
    if unknown:
        raise ModelError(f"noise is given for {unknown[0]!r}, which was not measured.")
    for name, deviation in given.items():
        if not finite_number(deviation, f"the noise of {name!r}") > 0:
            raise ModelError(f"the noise of {name!r} is a standard deviation above zero, got {deviation!r}.")
    scales = {name: given.get(name) or residuals.spread(name) for name in residuals.quantities}
    free = [name for name in residuals.quantities if name not in given]
    runs = _Runs(residuals, tell, check_interruption)
    rounds = ROUNDS if len(free) > 1 or (free and given) else 1
    for k in range(rounds):
        search = runs.begin(dict(scales), values, f"round {k + 1} of {rounds}, " if rounds > 1 else "")
        try:
            answer = least_squares(
                search, values, lambda v, now=dict(scales): residuals.derivatives(v, now), bounds,
                x_scale=sizes, max_nfev=most, xtol=1e-10, ftol=1e-12, gtol=1e-12,
            )  # fmt: skip
            values, ended = np.asarray(answer.x), ""
            if not answer.success:
                ended = f"stopped after {most} evaluations before it converged: give better first values, or more"
                ended += " iterations"
        except KeyboardInterrupt:
            values = runs.best
            ended = f"was interrupted after {runs.count} runs: these are the best values that it met. Give them as"
            ended += " first values to continue"
        off = residuals(values, dict.fromkeys(scales, 1.0))
        spare = len(off) / (len(off) - len(values))
        for name in free:
            level = float(np.sqrt(spare * np.mean(off[residuals.of(name)] ** 2)))
            scales[name] = max(level, 1e-12 * residuals.spread(name))
        if ended:
            break
    J = residuals.derivatives(values, scales)
    if ended:
        warn(f"the search {ended}.")
    for text in _doubts(residuals, off):
        warn(text)
    fitted = Fit(residuals, values, scales, J, sizes, not ended, runs.count, bounds)
    if fitted.unknown:
        warn(fitted.unknown)
    return fitted


@final
class _Runs:
    """Residuals for a search, which are counted and reported; the best values are stored."""

    def __init__(
        self, residuals: Residuals, tell: Callable[[str], None], check_interruption: Callable[[], None]
    ) -> None:
        self._residuals, self._tell, self._check_interruption, self.count = residuals, tell, check_interruption, 0
        self.best = np.zeros(0)

    def begin(self, scales: dict[str, float], values: Array, part: str) -> Callable[[Array], Array]:
        """Function of the values, for residuals in these scales."""
        self.best, least = values, np.inf

        def off_by(v: Array) -> Array:
            nonlocal least
            off = self._residuals(v, scales)
            self._check_interruption()
            size = float(np.sqrt(np.mean(off**2)))
            self.count += 1
            self._tell(f"{part}run {self.count}, residuals {size:.3g} of their scale")
            if size < least:
                self.best, least = v.copy(), size
            return off

        return off_by


def _doubts(residuals: Residuals, off: Array) -> list[str]:
    """Warnings about the residuals of a fit: as large as the data, or with outliers."""
    found = []
    for name in residuals.quantities:
        own = off[residuals.of(name)]
        far = np.abs(own) > max(FAR * np.median(np.abs(own)) / 0.6745, FELT * residuals.spread(name))
        if np.any(far) and np.sum(far) < len(own) / 4:
            times = residuals.times(name)[far]
            listed = ", ".join(f"{t:.6g}" for t in times[:5]) + (" ..." if len(times) > 5 else "")
            found.append(
                f"{np.sum(far)} of {len(own)} numbers of {name!r} are outliers (at t = {listed} s) that distort the "
                f"fit: replace failed measurements by nan."
            )
        elif np.sqrt(np.mean(own**2)) > POOR * residuals.variation(name):
            found.append(
                f"the fit does not explain {name!r}: the residuals are as large as its variation. Check the units "
                f"of the data and the start of the experiment, and start the search from other values."
            )
    return found


def _first(system: System, experiment: Experiment, guesses: Mapping[str, float | None]) -> tuple[Array, Array]:
    """Initial values of the search, and their typical sizes."""
    f = system.formulation
    begun = StartOf(f, experiment.start, experiment.parameters, float(experiment.time[0]))
    variables = begun.variables(list(guesses))
    for name, guess in guesses.items():
        if guess is not None:
            finite_number(guess, f"the value of {name!r} at which the search starts")
    values = np.array([v.value if guesses[v.name] is None else guesses[v.name] for v in variables], dtype=float)
    return values, np.array([abs(value) or v.size for value, v in zip(values, variables, strict=True)])


def _bounds(names: tuple[str, ...], bounds: Mapping[str, tuple[float, float]], first: Array) -> tuple[Array, Array]:
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    for name, pair in bounds.items():
        if name not in names:
            raise ModelError(f"bounds are given for {name!r}, which is not estimated.")
        k = names.index(name)
        try:
            low[k], high[k] = pair
        except (TypeError, ValueError):
            raise ModelError(f"the bounds of {name!r} are two numbers, such as (0, 1), got {pair!r}.") from None
        if not low[k] < high[k]:
            raise ModelError(f"the bounds of {name!r} must rise, got {pair!r}.")
        if not low[k] <= first[k] <= high[k]:
            raise ModelError(f"the first value {first[k]:g} of {name!r} lies outside of its bounds {pair!r}.")
    return low, high
