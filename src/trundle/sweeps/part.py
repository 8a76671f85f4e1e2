"""Running some cases of a sweep and reducing the results, on this machine or on a worker of a cluster."""

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from trundle.errors import UnknownNameError
from trundle.integrate import outcome as outcomes
from trundle.model.register import is_start
from trundle.run.batch import BatchRun
from trundle.study.batch import BatchWarning
from trundle.sweeps.cases import Cases
from trundle.sweeps.question import EVENTS, REDUCTIONS, Column, Kept, Question
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.system import System

OUTCOMES = tuple(sorted(o.name for o in vars(outcomes).values() if isinstance(o, outcomes.Outcome)))
INTERRUPTED = OUTCOMES.index(outcomes.INTERRUPTED.name)
OTHER = "OTHER"  # an outcome that is not in the list, such as a user-defined one

Part = tuple[dict[str, Column], dict[int, str]]


def run_part(system: "System", cases: Cases, question: Question, threads: int | None = None) -> Part:
    """Run the cases: the kept quantities of each by label, and messages of those that failed by index."""
    model = system.model
    start, parameters = cases.split(model.names_given(), start_names(system))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BatchWarning)  # messages are stored case by case
        batch = system.batch(question.duration, start, parameters, threads=threads, **question.options())
    found = {
        "outcome": Column(_codes(batch), text="how the case ended"),
        "t_end": Column(batch.batch.t_end.copy(), unit="s", text="time at which the case ended"),
        "steps": Column(batch.batch.steps.astype(np.int64), text="steps of the integrator"),
    }
    undone = found["outcome"].values == INTERRUPTED
    for kept in question.keep:
        column = _column(system, batch, kept)
        column.values[undone] = column.nothing
        found[kept.label] = column
    return found, {i: text for i, text in enumerate(batch.messages) if text}


def is_interrupted(part: Part) -> bool:
    """Whether some of its cases were not finished."""
    return bool(np.any(part[0]["outcome"].values == INTERRUPTED))


def undone_part(like: Part, count: int) -> Part:
    """Cases that were not started, with the columns of another part."""
    found = {}
    for label, column in like[0].items():
        nothing = {"outcome": INTERRUPTED, "t_end": 0.0, "steps": 0}.get(label, column.nothing)
        values = np.full((count, *column.values.shape[1:]), nothing, column.values.dtype)
        found[label] = replace(column, values=values)
    return found, {}


def start_names(system: "System") -> list[str]:
    """Names that a start may have, long and short."""
    return system.formulation.register.names(is_start)


def _column(system: "System", batch: BatchRun, kept: Kept) -> Column:
    if kept.how in EVENTS:
        return _of_events(system, batch, kept)
    quantity = system.formulation.register.get(kept.name)
    unit, text = quantity.unit, quantity.quantity.text
    if kept.how == "end":
        values = batch.end(kept.name).values
        axes = [(f"{kept.name} component", tuple(quantity.quantity.labels))] if values.ndim == 2 else []
        return Column(values, tuple(name for name, _ in axes), tuple(axes), unit, f"{text}, at the end")
    array = batch[kept.name]
    extra = tuple((f"{kept.name} component", tuple(map(str, array[d].values))) for d in array.dims[2:])
    if kept.how == "samples":
        return Column(array.values, ("time", *(name for name, _ in extra)), extra, unit, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # values of refused cases are NaN
        values = REDUCTIONS[kept.how](array.values)
    return Column(values, tuple(name for name, _ in extra), extra, unit, f"{text}, {kept.how} over the samples")


def _of_events(system: "System", batch: BatchRun, kept: Kept) -> Column:
    times = [[t for name, t in events if name == kept.name] for events in batch.events]
    known = [*system.model.events, *(c.name for c in system.formulation.transitions if c.reported)]
    if kept.name not in known:
        raise UnknownNameError(kept.name, known, "event")
    if kept.how == "count":
        return Column(np.array([len(t) for t in times], dtype=np.int64), text=f"how often {kept.name} came")
    first: Array = np.array([t[0] if t else np.nan for t in times])
    return Column(first, unit="s", text=f"when {kept.name} came first")


def _codes(batch: BatchRun) -> Array:
    """Indices of the outcomes in OUTCOMES; OTHER comes after them."""
    places = {name: i for i, name in enumerate(OUTCOMES)}
    return np.array([places.get(name, len(OUTCOMES)) for name in batch.outcomes], dtype=np.int16)
