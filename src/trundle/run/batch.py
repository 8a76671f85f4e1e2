"""Results of many runs at once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.integrate.lanes.batch_events import BatchEvents
from trundle.integrate.lanes.integrate import Batch
from trundle.lookup.table import Table
from trundle.quantity import Quantity
from trundle.run.dataset import dimension
from trundle.run.event_works import event_works
from trundle.run.reported_events import reported_events
from trundle.run.turns import without_flips
from trundle.typing import Array

if TYPE_CHECKING:
    import xarray as xr


@final
class BatchRun:
    """Results of a batch: states at the end (and at the samples), by name, with the dimension "case".

    A case that `simulate` would refuse is REFUSED, its numbers are nan and `messages` says why; the others run.
    `settings["way"]` says how the cases ran: "in lanes", or "one by one" where the model has events or contacts that
    stick, slide or open.
    """

    def __init__(
        self,
        formulation: Formulation,
        batch: Batch,
        p: Array,
        settings: Mapping[str, Any] | None = None,
        switching: BatchEvents | None = None,
        refused: Mapping[int, str] | None = None,
        tables: Sequence[Mapping[str, Table]] = (),
    ) -> None:
        self.formulation, self.batch, self.settings = formulation, batch, dict(settings or {})
        self._p, self._switching, self.refused = p, switching, dict(refused or {})
        self.tables = list(tables)  # of every case, by name

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        for case, tables in enumerate(self.tables):
            vectors = [self._p[case]]
            if self._switching is not None:
                log = self._switching
                vectors += [log.p[case], log.p_end[case], log.events[case].p]
            for p in vectors:
                self.formulation.parameters.put_tables(p, tables.values())

    def __len__(self) -> int:
        return len(self.batch.t_end)

    def __repr__(self) -> str:
        return f"<{self.summary()}>"

    def summary(self) -> str:
        """One line: how many cases, how they ran and how they ended."""
        endings = ", ".join(f"{count} {name}" for name, count in sorted(Counter(self.outcomes).items()))
        way = self.settings.get("way", "")
        return f"Batch of {self.formulation.model.name!r}: {len(self)} cases{', ' * bool(way)}{way}, {endings}"

    @property
    def outcomes(self) -> list[str]:
        """How each case ended."""
        return [self.batch.outcome(i).name for i in range(len(self))]

    @property
    def messages(self) -> list[str]:
        """For each case what went wrong, in words; empty where it reached its end or a stop event."""
        found = [self.batch.outcome(i) for i in range(len(self))]
        ends = [f" It stopped at t = {t:.9g} s." for t in self.batch.t_end]
        return [self.refused.get(i, "" if one.ok else f"{one}{ends[i]}") for i, one in enumerate(found)]

    @cached_property
    def events(self) -> list[list[tuple[str, float]]]:
        """(name, time) of the events of every case, in their order."""
        if self._switching is None:
            return [[] for _ in range(len(self))]
        runs = zip(self._switching.events, self._switching.p_end, strict=True)
        return [reported_events(self.formulation, log, p_end) for log, p_end in runs]

    def end(self, name: str) -> Array:
        """A quantity, or a component such as "rod.position_x", at the end of every case.

        Parameters
        ----------
        name : str
            Long or short name.

        Returns
        -------
        array
            Of shape (cases,) or (cases, components); nan for cases that were refused.
        """
        part = self.formulation.register.get(name)
        p = self._p if self._switching is None else self._switching.p_end
        found = self._evaluate(part.quantity, self.batch.t_end, self.batch.x_end, p)
        if part.quantity.group == "work" and self._switching is not None:
            found += [[event_works(self.formulation, log)[part.quantity.name][-1]] for log in self._switching.events]
        found[list(self.refused)] = np.nan
        if part.component is not None:
            return found[:, part.component]
        return found[:, 0] if found.shape[1] == 1 else found

    def __getitem__(self, name: str) -> "xr.DataArray":
        """A quantity, or a component of one, over cases and sample times."""
        import xarray as xr

        if self.batch.x.size == 0:
            raise SolveError(
                "this batch kept the end states only; ask batch(..., samples=...) for more, or use .end(name)."
            )
        part = self.formulation.register.get(name)
        whole = part.quantity
        cases, times = self.batch.x.shape[:2]
        flat = self.batch.x.reshape(cases * times, -1)
        p = np.repeat(self._p, times, axis=0)
        if self._switching is not None:
            p = self._switching.p.reshape(cases * times, -1)
        shaped = self._evaluate(whole, np.tile(self.batch.t, cases), flat, p).reshape(cases, times, -1)
        if whole.group == "work" and self._switching is not None:
            for case, log in enumerate(self._switching.events):
                brought = event_works(self.formulation, log)[whole.name]
                shaped[case, :, 0] += brought[self._switching.events_before[case]]
        if whole.group == "orientations":
            shaped = np.array([without_flips(case) for case in shaped])
        shaped[list(self.refused)] = np.nan
        attrs = {"units": whole.unit, "long_name": whole.text}
        coords: dict[str, Any] = {"time": ("time", self.batch.t, {"units": "s", "long_name": "time"})}
        if whole.size == 1 or part.component is not None:
            return xr.DataArray(shaped[..., part.component or 0], coords, ("case", "time"), name, attrs)
        axis = dimension(whole)
        return xr.DataArray(shaped, {**coords, axis: list(whole.labels)}, ("case", "time", axis), name, attrs)

    def _evaluate(self, q: Quantity, t: Array, x: Array, p: Array) -> Array:
        """Numbers that may be changed."""
        return np.array(self.formulation.evaluate(q.name, t, x, p)[q.name])
