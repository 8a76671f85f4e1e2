"""Work of events, which is stored in their log and not in the states."""

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.integrate.trajectory import EventLog
from trundle.typing import Array


def event_works(f: Formulation, log: EventLog) -> dict[str, Array]:
    """Work before the first event, after it, after the second and so on, by the quantity that it adds to."""
    given = log.index < len(f.model.events)
    brought = {
        "energy.work_in": log.work * ~given,
        "energy.work_lost": log.lost,
        "energy.work_events": log.work * given,
    }
    return {name: np.concatenate([[0.0], np.cumsum(values)]) for name, values in brought.items()}
