"""The quantities that are computed for every case of a sweep, and their format."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import final

import numpy as np

from trundle.errors import SolveError
from trundle.typing import AnyArray, Array, Given, Json, Value

REDUCTIONS: dict[str, Callable[[Array], Array]] = {
    "max": lambda x: np.nanmax(x, axis=1),
    "min": lambda x: np.nanmin(x, axis=1),
    "mean": lambda x: np.nanmean(x, axis=1),
    "rms": lambda x: np.sqrt(np.nanmean(x**2, axis=1)),
    "peak": lambda x: np.nanmax(np.abs(x), axis=1),
}
"""Reductions over the samples that a case reached, as in "max(disc.roll)". "peak" is the largest absolute value."""

EVENTS = ("count", "first")  # of an event: number of occurrences, time of the first one (s)
FORM = re.compile(r"(?P<how>[a-z]+)\((?P<name>.+)\)")


@final
@dataclass(frozen=True)
class Kept:
    """One variable of the result: a quantity at the samples or at the end, or a reduction."""

    label: str  # as given by the user
    name: str  # name of the quantity or event
    how: str  # "samples", "end", a reduction, or one of EVENTS

    @staticmethod
    def of(label: str, sampled: bool) -> "Kept":
        """Read "disc.roll", "end(disc.roll)", "max(disc.roll)", "count(c lands)"."""
        found = FORM.fullmatch(label.strip()) if isinstance(label, str) else None
        if found is None:
            if not isinstance(label, str) or not label.strip():
                raise SolveError(
                    f"keep: give names of quantities such as 'disc.roll' or 'max(disc.roll)', got {label!r}."
                )
            return Kept(label, label.strip(), "samples" if sampled else "end")
        how, name = found["how"], found["name"].strip()
        if how not in (*REDUCTIONS, *EVENTS, "end"):
            known = ", ".join(("end", *REDUCTIONS, *EVENTS))
            raise SolveError(f"keep: {label!r} asks for {how!r}; there are {known}.")
        if how in REDUCTIONS and not sampled:
            raise SolveError(f"keep: {label!r} is taken over samples; give samples=..., such as samples=501.")
        return Kept(label, name, how)


@final
@dataclass(frozen=True)
class Question:
    """Duration and accuracy of the runs of a sweep, and the quantities that are stored."""

    duration: float
    keep: tuple[Kept, ...]
    samples: int | tuple[float, ...] | None = None
    rtol: float = 1e-8
    atol: float | tuple[tuple[str, float], ...] | None = None
    method: str = "auto"

    @staticmethod
    def of(duration: float, keep: Sequence[str], samples: Given, rtol: float, atol: Given, method: str) -> "Question":
        """From the user's arguments; SolveError for invalid ones."""
        if isinstance(keep, str):
            keep = (keep,)
        times: int | tuple[float, ...] | None = (
            samples if samples is None or np.ndim(samples) == 0 else tuple(map(float, samples))
        )
        if not isinstance(method, str):
            raise SolveError(f"method of a sweep goes by its name ('auto', 'stiff', ...), got {method!r}.")
        by_unit = tuple(sorted(atol.items())) if isinstance(atol, Mapping) else atol
        labels = list(dict.fromkeys(keep))
        return Question(
            duration, tuple(Kept.of(label, times is not None) for label in labels), times, rtol, by_unit, method
        )

    def options(self) -> Json:
        """Arguments for `system.batch`."""
        samples = list(self.samples) if isinstance(self.samples, tuple) else self.samples
        atol = dict(self.atol) if isinstance(self.atol, tuple) else self.atol
        return {"samples": samples, "rtol": self.rtol, "atol": atol, "method": self.method}

    def plain(self) -> Json:
        """The contents for a store."""
        return {**asdict(self), "keep": [kept.label for kept in self.keep]}


@final
@dataclass(frozen=True)
class Column:
    """A variable of the result: its values for some cases, with dimensions after "case", unit and text."""

    values: AnyArray
    dims: tuple[str, ...] = ()
    coords: tuple[tuple[str, tuple[Value, ...]], ...] = ()  # of the dims beside time
    unit: str = ""
    text: str = ""

    @property
    def nothing(self) -> float:
        """Value for a case that is not finished."""
        return np.nan if self.values.dtype.kind == "f" else -1
