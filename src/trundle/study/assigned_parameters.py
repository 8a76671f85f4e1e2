"""Values that events assign: what is invalid at the start of a run is invalid during it, too."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.integrate.outcome import CONSTRAINT, EVENT_REFUSED, NOT_FINITE, Outcome
from trundle.integrate.trajectory import EventLog, Trajectory
from trundle.study.cases import parameter_faults
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.integrate.lanes.batch_events import BatchEvents
    from trundle.integrate.lanes.integrate import Batch

STUCK = (NOT_FINITE.code, CONSTRAINT.code)


def with_possible_parameters(f: Formulation, trajectory: Trajectory) -> Trajectory:
    """The trajectory, with EVENT_REFUSED as its outcome where an event gave a parameter a value that it cannot have, or
    moved a contact into overlap.
    """
    found = _refused(f, trajectory.events, trajectory.p_end)
    explained = trajectory.outcome.ok or trajectory.audit is not None or trajectory.outcome.code in STUCK
    if found is None or not explained:
        return trajectory
    return replace(trajectory, outcome=found, audit=None)


def refuse_assignments(f: Formulation, batch: "Batch", log: "BatchEvents | None") -> None:
    """The same for the cases of a batch."""
    for i, events in enumerate(() if log is None else log.events):
        explained = batch.outcome(i).ok or batch.code[i] in STUCK
        found = _refused(f, events, log.p_end[i]) if log is not None and explained else None
        if found is not None:
            batch.code[i], batch.endings[i] = found.code, found


def _refused(f: Formulation, events: EventLog, p_end: Array) -> Outcome | None:
    if not len(events):
        return None
    overlap = _overlap(f, events)
    if overlap is not None or not f.once(_assigns):
        return overlap
    after = np.vstack([events.p[1:], p_end[None, :]])
    _, first = np.unique(after[:, f.parameters.parameter_slice], axis=0, return_index=True)
    faults = parameter_faults(f, after[first])
    if not faults:
        return None
    row, fault = min((int(first[i]), text) for i, text in faults.items())
    name = list(f.model.events)[int(events.index[row])]
    return replace(EVENT_REFUSED, sentence=EVENT_REFUSED.sentence.format(event=repr(name), time=f"{events.t[row]:.6g}"),
                   remedy=f"{fault} {EVENT_REFUSED.remedy}")  # fmt: skip


def _overlap(f: Formulation, events: EventLog) -> Outcome | None:
    """The outcome where the last event of the model moved a contact into overlap: its jump gives no speeds then."""
    if not any(c.unilateral for c in f.model.connections.values()):
        return None
    own = [row for row in range(len(events)) if events.index[row] < len(f.model.events)]
    if not own or isinstance(list(f.model.events.values())[int(events.index[own[-1]])].action, str):
        return None
    row, kernels = own[-1], f.kernels("events")
    x, p = events.x[row], events.p[row]
    after = np.array(kernels[f"jump{int(events.index[row])}"](events.t[row], x, p))[: len(x)]
    if not np.all(np.isfinite(x)) or not np.any(np.isnan(after[f.states.u])):
        return None
    name, time = list(f.model.events)[int(events.index[row])], f"{events.t[row]:.6g}"
    return replace(
        EVENT_REFUSED,
        sentence=f"Event {name!r} moved a body at t = {time} s so that surfaces of a contact that can open overlap.",
        remedy="Correct the action of the event.",
    )


def _assigns(f: Formulation) -> bool:
    """Whether an event gives a parameter another value."""
    actions = [event.action for event in f.model.events.values() if not isinstance(event.action, str)]
    return any(f.model.resolve(name) in f.model.parameters for action in actions for name in action)
