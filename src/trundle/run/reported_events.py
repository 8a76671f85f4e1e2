"""Events of a run as they are reported: without the book-keeping of the laws."""

from typing import Any

import numpy as np

from trundle.contact.modes.find import transitions
from trundle.equations.formulation import Formulation
from trundle.integrate.trajectory import EventLog


def contact_events(f: Formulation) -> dict[str, str]:
    """Name of an event -> the contact that it happens at, for those that no user has defined."""
    return {c.name: c.contact for c in transitions(f.model) if c.name not in f.model.events}


def reported_events(f: Formulation, log: EventLog, p_end: Any) -> list[tuple[str, float]]:
    """(name, time) in their order. Left out are turns of a slip, and a contact that would slip by its share alone but
    holds on with the others, which take it over.
    """
    model, changes = f.model, transitions(f.model)
    names = [*model.events, *(c.name if c.reported else "" for c in changes)]
    holding = [-1] * len(model.events)
    holding += [f.parameters.mode(c.contact, "stick") if c.together and c.kind == "slips" else -1 for c in changes]
    found = []
    for row, (i, t) in enumerate(zip(log.index, log.t, strict=True)):
        after = log.p[row + 1] if row + 1 < len(log.t) else np.asarray(p_end)
        holds_on = holding[int(i)] >= 0 and after[holding[int(i)]] == 1.0
        if names[int(i)] and not holds_on:
            found.append((names[int(i)], float(t)))
    return found
