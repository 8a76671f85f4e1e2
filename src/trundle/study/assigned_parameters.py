"""Parameters that events assign: values that are invalid at the start of a run are invalid during it, too."""

from dataclasses import replace

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.integrate.lanes.batch_events import BatchEvents
from trundle.integrate.lanes.integrate import Batch
from trundle.integrate.outcome import EVENT_REFUSED, NOT_FINITE, Outcome
from trundle.integrate.trajectory import EventLog, Trajectory
from trundle.study.cases import parameter_faults
from trundle.typing import Array


def with_possible_parameters(f: Formulation, trajectory: Trajectory) -> Trajectory:
    """The trajectory, with EVENT_REFUSED as its outcome where an event gave a parameter a value that it cannot have."""
    found = _refused(f, trajectory.events, trajectory.p_end)
    explained = trajectory.outcome.ok or trajectory.audit is not None or trajectory.outcome.code == NOT_FINITE.code
    if found is None or not explained:
        return trajectory
    return replace(trajectory, outcome=found, audit=None)


def refuse_assignments(f: Formulation, batch: Batch, log: BatchEvents | None) -> None:
    """The same for the cases of a batch."""
    for i, events in enumerate(() if log is None else log.events):
        explained = batch.outcome(i).ok or batch.code[i] == NOT_FINITE.code
        found = _refused(f, events, log.p_end[i]) if log is not None and explained else None
        if found is not None:
            batch.code[i], batch.endings[i] = found.code, found


def _refused(f: Formulation, events: EventLog, p_end: Array) -> Outcome | None:
    if not len(events) or not f.once(_assigns):
        return None
    after = np.vstack([events.p[1:], p_end[None, :]])
    _, first = np.unique(after[:, f.parameters.parameter_slice], axis=0, return_index=True)
    faults = parameter_faults(f, after[first])
    if not faults:
        return None
    row, fault = min((int(first[i]), text) for i, text in faults.items())
    name = list(f.model.events)[int(events.index[row])]
    return replace(EVENT_REFUSED, sentence=EVENT_REFUSED.sentence.format(event=repr(name), time=f"{events.t[row]:.6g}"),
                   remedy=f"{fault} {EVENT_REFUSED.remedy}")  # fmt: skip


def _assigns(f: Formulation) -> bool:
    """Whether an event gives a parameter another value."""
    actions = [event.action for event in f.model.events.values() if not isinstance(event.action, str)]
    return any(f.model.resolve(name) in f.model.parameters for action in actions for name in action)
