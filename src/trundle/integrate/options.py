"""Options of an integration, as objects: tolerances, sample times, limits of its steps, and callbacks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

import numpy as np

from trundle.errors import SolveError
from trundle.integrate.outcome import Outcome
from trundle.integrate.tolerance import Tolerance
from trundle.real_array import is_integer, is_number
from trundle.typing import Given


@final
@dataclass(frozen=True, eq=False)
class OtherNormal:
    """Another common normal of the surfaces of a contact that a run has reached: index of the contact, surface
    coordinates, time and state, and those of the trail up to then.
    """

    contact: int
    s: np.ndarray
    t: float
    x: np.ndarray
    p: np.ndarray
    trail_t: np.ndarray
    trail_x: np.ndarray


EventAnswer = tuple[np.ndarray, np.ndarray] | None
OnEvent = Callable[[int, float, np.ndarray, np.ndarray], EventAnswer]


@final
@dataclass(frozen=True, eq=False)
class Tolerances:
    """Relative tolerance of a step, and absolute ones: one for all states, one for each, or growing ones."""

    rtol: float = 1e-8
    atol: float | np.ndarray | Tolerance = 1e-10

    def of_states(self, count: int) -> Tolerance:
        """Absolute tolerances of this number of states."""
        return self.atol if isinstance(self.atol, Tolerance) else Tolerance.fixed(self.atol, count)


@final
@dataclass(frozen=True, eq=False)
class Sampling:
    """Times (s) at which the state is stored; None stores it at every step."""

    times: np.ndarray | None = None

    @staticmethod
    def every(step: float, t1: float, t0: float = 0.0) -> "Sampling":
        """From t0 on, `step` apart, up to t1."""
        return Sampling(np.minimum(t0 + step * np.arange(np.floor((t1 - t0) / step * (1 + 1e-12)) + 1), t1))


@final
@dataclass(frozen=True)
class Steps:
    """Lengths (s) of the first and the longest step of a run, or one fixed length for all of them, and how many steps
    and events there may be. A run ends if its tolerances would need a step shorter than the shortest. The integrator
    chooses values that are not given.

    Parameters
    ----------
    first : float, optional
        Length of the first step (s).
    longest : float, optional
        Longest step (s).
    shortest : float, optional
        Shortest step (s).
    fixed : float, optional
        One length for all steps (s).
    most : int
        Number of steps after which a run ends.
    most_events : int
        Number of events after which a run ends.
    """

    first: float | None = None
    longest: float = np.inf
    shortest: float | None = None
    fixed: float | None = None
    most: int = 10_000_000
    most_events: int = 1_000_000

    def __post_init__(self) -> None:
        if not _is_length(self.longest):
            raise SolveError(f"Steps: longest must be a positive number of seconds, got {self.longest!r}.")
        for what in ("first", "shortest", "fixed"):
            given = getattr(self, what)
            if given is not None and not (_is_length(given) and np.isfinite(given)):
                raise SolveError(f"Steps: {what} must be a positive number of seconds, got {given!r}.")
            if given is not None and given > self.longest:
                raise SolveError(f"Steps: {what} = {given:g} s is longer than the longest step, {self.longest:g} s.")
        if self.fixed is not None and (self.first is not None or self.shortest is not None):
            raise SolveError("Steps: with a fixed length all steps are equal; leave first and shortest out.")
        for what in ("most", "most_events"):
            given = getattr(self, what)
            if not (is_integer(given) and given >= 0):
                raise SolveError(f"Steps: {what} must be an integer that is not negative, got {given!r}.")


def _is_length(given: Given) -> bool:
    return is_number(given) and float(given) > 0


@final
@dataclass(frozen=True, eq=False)
class Supervision:
    """Callbacks: a progress bar (None: in a terminal) with the text `tell(t, x)`; `on_event(index, t, x, p)` handles
    events of kind 3 and returns a new (x, p) or None; `on_other_normal(found)` handles a second point of contact and
    returns an outcome, a new x or None; `on_stuck(t, x, p)` may return an x from which a failed run can continue;
    `between_chunks(t)` is called after every `chunk_steps` steps (None: by the clock).
    """

    progress: bool | None = None
    on_event: OnEvent | None = None
    on_other_normal: Callable[[OtherNormal], Outcome | np.ndarray | None] | None = None
    on_stuck: Callable[[float, np.ndarray, np.ndarray], np.ndarray | None] | None = None
    chunk_steps: int | None = None
    between_chunks: Callable[[float], None] | None = None
    tell: Callable[[float, np.ndarray], str] | None = None


@final
@dataclass(frozen=True, eq=False)
class Options:
    """All options of an integration."""

    tolerances: Tolerances = field(default_factory=Tolerances)
    samples: Sampling = field(default_factory=Sampling)
    limits: Steps = field(default_factory=Steps)
    supervision: Supervision = field(default_factory=Supervision)
