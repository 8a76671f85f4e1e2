"""Results of the integrator."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from trundle.integrate.outcome import Outcome

if TYPE_CHECKING:
    from trundle.integrate.audit import Audit


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
    """Events in order of time, with state and parameters just before any jump, and the energy (J) that each supplied
    and lost: events of the model supply energy, collisions lose it, drives may do work during collisions.
    """

    index: np.ndarray
    t: np.ndarray
    x: np.ndarray
    p: np.ndarray
    work: np.ndarray
    lost: np.ndarray

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
class Trail:
    """States at the steps of the integrator, thinned out evenly in long runs, the last one at the end; `events_before`
    as in the trajectory.
    """

    t: np.ndarray
    x: np.ndarray
    events_before: np.ndarray


@final
@dataclass(frozen=True, eq=False)
class Doubts:
    """Numerical problems of each event function of a run."""

    unclear: np.ndarray  # steps in which its function could not be distinguished from zero
    leaps: np.ndarray  # number of times it fired because its function jumped over zero
    lost: np.ndarray  # time (s) at which its function first was NaN (inf: never)

    def of_first(self, n: int) -> "Doubts":
        return Doubts(self.unclear[:n], self.leaps[:n], self.lost[:n])


@final
@dataclass(frozen=True, eq=False)
class Trajectory:
    """Samples, events and outcome of one run, which can be continued from `t_end`, `x_end`, `p_end`.

    `events_before` counts the events before each sample: at the time of a jump there can be one before and one after.
    """

    t: np.ndarray
    x: np.ndarray
    events_before: np.ndarray
    events: EventLog
    near_singular: NearSingular
    outcome: Outcome
    counts: Counts
    t_end: float
    x_end: np.ndarray
    p_end: np.ndarray
    doubts: "Doubts"
    atol: np.ndarray  # absolute tolerance of every state at the end
    trail: Trail | None = None
    audit: "Audit | None" = None  # violated check of the energy balance or of friction
    work_error: float = 0.0  # estimated error of the integrals of work (J)
    alarm: tuple[float, float] | None = None  # times between which a guard was violated

    def parameters(self) -> np.ndarray:
        """Parameters at each sample: events may have changed them."""
        table = np.vstack([self.events.p, self.p_end[None, :]])
        rows: np.ndarray = table[self.events_before]
        return rows
