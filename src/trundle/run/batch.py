"""Results of many runs at once."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.integrate.lanes.batch_events import BatchEvents
from trundle.integrate.lanes.integrate import Batch
from trundle.integrate.outcome import INTERRUPTED, Outcome, outcome_of
from trundle.lookup.table import Table
from trundle.messages.arguments import explain_calls, method, unknown_attribute
from trundle.messages.preparing import preparing
from trundle.messages.warn import warn
from trundle.quantity import Part, Quantity
from trundle.run.event_works import event_works
from trundle.run.quantities import dimension
from trundle.run.reported_events import EventTime, reported_events
from trundle.run.several_motions import choices_of_cases
from trundle.run.turns import (
    StatePath,
    TurnsWarning,
    continuous,
    counts_up_to_turns,
    measured_angles,
    nearest,
    with_turns,
    without_flips,
)
from trundle.typing import AnyArray, Array, Columns, Json, Option, Settings, State

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure


ELSEWHERE = {
    "runs": "with system.batch(..., samples=101), batch['bob.angle'] has all cases, batch['bob.angle'].sel(case=3) one",
    "values": "batch.end('bob.angle').values at the end; with samples=101 also batch['bob.angle'].values",
    "energy": "use single runs, system.simulate(...).energy",
    "time": "batch['bob.angle'].time.values has the sample times",
    "names": "batch.dataset has the states; any quantity that a run has goes by its name, batch.end('bob.position')",
    "mean": "batch.end('bob.angle').mean(), and over time batch['bob.angle'].mean('case')",
    "std": "batch.end('bob.angle').std(), and over time batch['bob.angle'].std('case')",
    "to_dataframe": "batch.to_pandas()",
    "to_csv": "batch.to_pandas().to_csv('batch.csv')",
}
"""What new users look for, and where it is."""


@final
@dataclass(frozen=True, eq=False)
class CaseData:
    """What the cases of a batch ran with."""

    p: Array
    refused: Mapping[int, str]  # why cases did not run
    tables: Sequence[Mapping[str, Table]]  # of every case, by name
    angles: Mapping[str, Array]  # at the start, of those whose turns are counted
    labels: Mapping[str, AnyArray]  # values in which the cases differ: "k", "start(bob.angle)"
    events: BatchEvents | None  # of cases that ran one by one


@explain_calls
@final
class BatchRun:
    """Results of a batch: states at the end (and at the samples), by name, with the dimension "case".

    A case that `simulate` would refuse is REFUSED, its numbers are nan and `messages` says why; the others run.
    `settings["way"]` says how the cases ran: "in lanes", or "one by one" where the model has events or contacts that
    stick, slide or open.
    """

    def __init__(self, formulation: Formulation, batch: Batch, data: CaseData, settings: Settings) -> None:
        self.formulation, self.batch, self.settings = formulation, batch, dict(settings)
        self._p, self._switching, self.refused = data.p, data.events, dict(data.refused)
        self.tables, self.labels, self._angles = list(data.tables), dict(data.labels), dict(data.angles)

    def __setstate__(self, state: State) -> None:
        vars(self).update(state)
        for case, tables in enumerate(self.tables):
            log = self._switching
            others = [] if log is None else [log.p[case], log.p_end[case], log.events[case].p]
            for p in [self._p[case], *others]:
                self.formulation.parameters.put_tables(p, tables.values())

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> object:
            raise unknown_attribute(self, name, ELSEWHERE)

    def __len__(self) -> int:
        return len(self.batch.t_end)

    def __iter__(self) -> NoReturn:
        raise TypeError("a batch is not a list of runs: batch['bob.angle'] has all cases, .sel(case=3) one of them.")

    def __repr__(self) -> str:
        return f"<{self.summary()}>"

    def _repr_html_(self) -> str:
        from trundle.view.notebook import batch_html

        return batch_html(self)

    def summary(self) -> str:
        """One line: how many cases, how they ran and how they ended."""
        endings = ", ".join(f"{count} {name}" for name, count in sorted(Counter(self.outcomes).items()))
        way = self.settings.get("way", "")
        endings += f", {len(self.warnings)} with warnings" * bool(self.warnings)
        return f"Batch of {self.formulation.model.name!r}: {len(self)} cases{', ' * bool(way)}{way}, {endings}"

    @property
    def outcomes(self) -> list[str]:
        """How each case ended."""
        return [ending.name for ending in self._endings]

    @cached_property
    def _endings(self) -> list[Outcome]:
        known = {int(code): outcome_of(int(code)) for code in np.unique(self.batch.code)}
        return [self.batch.endings.get(i) or known[code] for i, code in enumerate(self.batch.code.tolist())]

    @property
    def messages(self) -> list[str]:
        """Error message of each case; empty if it reached its end or a stop event."""
        return [
            "" if ending.ok else self.refused.get(i) or f"{ending} It stopped at t = {t:.9g} s."
            for i, (ending, t) in enumerate(zip(self._endings, self.batch.t_end, strict=True))
        ]

    @cached_property
    def events(self) -> list[list[EventTime]]:
        """Events of every case in their order, each with `name` and `time` (s)."""
        if self._switching is None:
            return [[] for _ in range(len(self))]
        runs = zip(self._switching.events, self._switching.p_end, strict=True)
        return [reported_events(self.formulation, log, p_end) for log, p_end in runs]

    @property
    def counts(self) -> dict[str, int]:
        """Number of cases with each outcome."""
        return dict(Counter(self.outcomes).most_common())

    @property
    def failed(self) -> dict[int, str]:
        """Cases that did not reach their end or a stop event, and why."""
        return {case: text for case, text in enumerate(self.messages) if text}

    @cached_property
    def warnings(self) -> dict[int, list[str]]:
        """Warnings about cases that went on: those in which friction left several motions possible."""
        return {} if self._switching is None else choices_of_cases(self.formulation, self._switching, self.refused)

    @method("batch.end")
    def end(self, name: str) -> "xr.DataArray":
        """A quantity, or a component such as "rod.position_x", at the end of every case.

        Parameters
        ----------
        name : str
            Long or short name.

        Returns
        -------
        xarray.DataArray
            Over "case", with the varied values as coordinates; nan for cases that were refused or interrupted.
        """
        import xarray as xr

        part = self.formulation.register.get(name)
        values = self._end(part)
        attrs = {"units": part.unit, "long_name": part.quantity.text}
        if values.ndim == 1:
            return xr.DataArray(values, self._cases(), ("case",), name, attrs)
        axis = dimension(part.quantity)
        return xr.DataArray(values, {**self._cases(), axis: list(part.quantity.labels)}, ("case", axis), name, attrs)

    def _cases(self) -> Json:
        """Coordinates of the cases: their values."""
        return {name: ("case", values) for name, values in self.labels.items() if values.ndim == 1}

    def _end(self, part: Part) -> Array:
        p = self._p if self._switching is None else self._switching.p_end
        found = self._evaluate(part.quantity, self.batch.t_end, self.batch.x_end, p)
        if part.quantity.name in self._angles:
            found[:, 0] = self._counted(part.quantity.name, found[:, 0], self.batch.x_end)
        elif counts_up_to_turns(self.formulation, part.quantity):
            found = self._turned_ends(part.quantity, found)
        if part.quantity.group == "work" and self._switching is not None:
            found += [[event_works(self.formulation, log)[part.quantity.name][-1]] for log in self._switching.events]
        found[[*self.refused, *np.flatnonzero(self.batch.code == INTERRUPTED.code)]] = np.nan
        if part.component is not None:
            return found[:, part.component]
        return found[:, 0] if found.shape[1] == 1 else found

    def __getitem__(self, name: str) -> "xr.DataArray":
        """A quantity, or a component of one, over cases and sample times."""
        import xarray as xr

        if isinstance(name, int | slice):
            raise TypeError("a batch is not a list of runs: batch['bob.angle'].sel(case=3) is a quantity of one case.")
        if self.batch.x.size == 0:
            raise SolveError("this batch kept the end states only; use batch(..., samples=...), or .end(name).")
        part = self.formulation.register.get(name)
        whole = part.quantity
        cases, times = self.batch.x.shape[:2]
        flat = self.batch.x.reshape(cases * times, -1)
        p = np.repeat(self._p, times, axis=0)
        if self._switching is not None:
            p = self._switching.p.reshape(cases * times, -1)
        shaped = self._evaluate(whole, np.tile(self.batch.t, cases), flat, p).reshape(cases, times, -1)
        if counts_up_to_turns(self.formulation, whole) and whole.name not in self._angles:
            for case in range(cases):
                shaped[case] = self._turned(whole, case, self.batch.t, self.batch.x[case], shaped[case])
        if whole.group == "work" and self._switching is not None:
            for case, log in enumerate(self._switching.events):
                brought = event_works(self.formulation, log)[whole.name]
                shaped[case, :, 0] += brought[self._switching.events_before[case]]
        if whole.name in self._angles:
            shaped[..., 0] = self._counted(whole.name, shaped[..., 0], self.batch.x)
        if whole.group == "orientations":
            shaped = np.array([without_flips(case) for case in shaped])
        shaped[list(self.refused)] = np.nan
        attrs = {"units": part.unit, "long_name": whole.text}
        coords: Columns = {**self._cases(), "time": ("time", self.batch.t, {"units": "s", "long_name": "time"})}
        if whole.size == 1 or part.component is not None:
            return xr.DataArray(shaped[..., part.component or 0], coords, ("case", "time"), name, attrs)
        axis = dimension(whole)
        return xr.DataArray(shaped, {**coords, axis: list(whole.labels)}, ("case", "time", axis), name, attrs)

    @property
    def dataset(self) -> "xr.Dataset":
        """Coordinates and rates at the samples, or at the end if there are none; outcome, end time and steps."""
        import xarray as xr

        arrays: Columns = {name: self[name] if self.batch.x.size else self.end(name) for name in self._state_names()}
        arrays["outcome"] = xr.DataArray(self.outcomes, self._cases(), ("case",), attrs={"long_name": "how it ended"})
        arrays["t_end"] = xr.DataArray(self.batch.t_end, self._cases(), ("case",), attrs={"units": "s"})
        arrays["steps"] = xr.DataArray(self.batch.steps, self._cases(), ("case",))
        text = {"model": self.formulation.model.name, **{key: str(v) for key, v in self.settings.items()}}
        texts = {"messages": json.dumps(self.failed), "warnings": json.dumps(self.warnings)}
        return xr.Dataset(arrays, attrs=text | texts)

    def save(self, path: str | Path) -> Path:
        """Write the dataset as netCDF, atomically.

        Parameters
        ----------
        path : str or Path
            The file; it ends in .nc.

        Returns
        -------
        Path
            Of the file that was written.

        Raises
        ------
        StoreError
            If it cannot be written.
        """
        from trundle.run.store import write

        return write(self.dataset, path)

    def to_pandas(self, *names: str) -> "pd.DataFrame":
        """A pandas DataFrame with one row for each case, or for each case and sample time where the batch has samples.

        Parameters
        ----------
        *names : str
            Quantities; without any, the states. Components of vectors are columns of their own.

        Returns
        -------
        pandas.DataFrame
            Indexed by case (and time); its columns are the values in which the cases differ, and the quantities with
            their units: 'bob.angle [rad]', 'bob.position_x [m]'.
        """
        from trundle.run.table import batch_frame

        chosen = names or self._state_names()
        varied = {name: values for name, values in self.labels.items() if values.ndim == 1}
        return batch_frame([self[name] if self.batch.x.size else self.end(name) for name in chosen], varied)

    def _state_names(self) -> list[str]:
        groups = ("state",) if self.formulation.in_joints else ("state", "joints")
        return [q.name for q in self.formulation.register if q.group in groups] or self.formulation.usual_names

    def quantiles(self, name: str, parts: Sequence[float] = (0.05, 0.25, 0.5, 0.75, 0.95)) -> "xr.DataArray":
        """Quantiles of a quantity over the cases, at the samples or at the end.

        Parameters
        ----------
        name : str
            Long or short name.
        parts : sequence of float
            Between 0 and 1.

        Returns
        -------
        xarray.DataArray
            Over "quantile" (and time); cases that were refused are left out.
        """
        whole = self[name] if self.batch.x.size else self.end(name)
        return whole.quantile(list(parts), dim="case", skipna=True, keep_attrs=True)

    def histogram(self, name: str, bins: int | Sequence[float] = 30) -> "xr.DataArray":
        """Number of cases that end with a value in each bin.

        Parameters
        ----------
        name : str
            Long or short name of one number.
        bins : int or sequence of float
            Number of bins, or their edges.

        Returns
        -------
        xarray.DataArray
            Counts over the middle of the bins, which has the name of the quantity.
        """
        import xarray as xr

        values = self.end(name)
        if values.ndim > 1:
            raise SolveError(f"{name!r} has several components; take one, such as {name + '_x'!r}.")
        counts, edges = np.histogram(values.values[np.isfinite(values.values)], bins)
        middle = {name: (name, (edges[1:] + edges[:-1]) / 2, values.attrs)}
        return xr.DataArray(counts, middle, (name,), "count", {"long_name": "number of cases"})

    @preparing("the picture")
    def plot(self, *names: str, **options: Option) -> "Figure":
        """Bands of quantiles over time, or histograms of the ends where there are no samples.

        Parameters
        ----------
        *names : str
            What is drawn.
        **options
            path="out/batch.png", and others of `trundle.view.batch.plot_batch`.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.view.batch import plot_batch

        return plot_batch(self, names, **options)

    def _counted(self, name: str, values: Array, x: Array) -> Array:
        """Angles with their whole turns, where the states x count them."""
        start = self._angles[name].reshape(-1, *[1] * (values.ndim - 1))
        return nearest(values, start + x[..., self.formulation.states.turn(name)])

    def _turned(self, q: Quantity, case: int, t: Array, x: Array, values: Array) -> Array:
        """A quantity of one case at states in their order, with the whole turns of the measured angles in it."""
        there = np.all(np.isfinite(x), axis=1)
        if not np.any(there):
            return values
        p = self._p[case][None, :].repeat(len(t), axis=0)
        if self._switching is not None:
            p[: len(self.batch.t)] = self._switching.p[case]
            p[len(self.batch.t) :] = self._switching.p_end[case]
        start = {name: float(angles[case]) for name, angles in self._angles.items()}
        path = StatePath(self.formulation, t[there], x[there], p[there], start)
        found = values.copy()
        if q.group == "joints":
            found[there] = continuous(path, q.name, values[there, 0])[:, None]
        else:
            found[there] = with_turns(path, q.group, {q.name: values[there]})[q.name]
        return found

    def _turned_ends(self, q: Quantity, values: Array) -> Array:
        """The same at the end of every case, from its samples on."""
        if self.batch.x.size == 0 and not {*self.formulation.once(measured_angles)} <= self._angles.keys():
            warn(
                f"{q.name!r} is, or depends on, an angle that is measured between bodies and known up to whole turns: "
                "a batch that keeps its ends only does not count them. Use batch(..., samples=...).",
                TurnsWarning,
            )
            return values
        found = values.copy()
        for case in range(len(self)):
            t, x = np.append(self.batch.t, self.batch.t_end[case]), [*self.batch.x[case], self.batch.x_end[case]]
            sampled = self._evaluate(q, self.batch.t, self.batch.x[case], self._p[case])
            found[case] = self._turned(q, case, t, np.array(x), np.vstack([sampled, values[case]]))[-1]
        return found

    def _evaluate(self, q: Quantity, t: Array, x: Array, p: Array) -> Array:
        """A copy of the values of a quantity."""
        return np.array(self.formulation.evaluate(q.name, t, x, p)[q.name])
