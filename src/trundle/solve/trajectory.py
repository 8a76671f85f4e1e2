"""What the integrator hands back."""

from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.solve.outcome import Outcome


@final
@dataclass(frozen=True)
class Counts:
    """Work done in a run."""

    steps: int
    rejected: int
    rhs: int
    jacobians: int
    factorisations: int
    projections: int


@final
@dataclass(frozen=True, eq=False)
class EventLog:
    """Events in the order in which they happened, with state and parameters just before any jump."""

    index: np.ndarray
    t: np.ndarray
    x: np.ndarray
    p: np.ndarray

    def __len__(self) -> int:
        return len(self.t)


@final
@dataclass(frozen=True, eq=False)
class NearSingular:
    """Passages of a loop close to a singular position: loop, time and value of the smallest monitor."""

    loop: np.ndarray
    t: np.ndarray
    value: np.ndarray

    def __len__(self) -> int:
        return len(self.t)


@final
@dataclass(frozen=True, eq=False)
class Trajectory:
    """Samples, events and ending of one run; `t_end`, `x_end`, `p_end` are where it can be taken up again."""

    t: np.ndarray
    x: np.ndarray
    events: EventLog
    near_singular: NearSingular
    outcome: Outcome
    counts: Counts
    t_end: float
    x_end: np.ndarray
    p_end: np.ndarray
    unclear: np.ndarray  # for each event, steps in which its function could not be told from zero

    def parameters(self) -> np.ndarray:
        """Parameters at each sample: events may have changed them."""
        table = np.vstack([self.events.p, self.p_end[None, :]])
        rows: np.ndarray = table[np.searchsorted(self.events.t, self.t, side="left")]
        return rows
