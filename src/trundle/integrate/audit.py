"""Audit of every run: its energy balance must close, and friction must dissipate energy.

The tolerance of a run explains a certain error of its energy: in each step the change of energy when every coordinate
and speed is changed by its tolerance, and for the integrals of work the error estimate of the method. Correct runs stay
far below a thousand times the former; beyond, the run is wrong, or a law does not account for its energy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast, final

import numpy as np

from trundle.integrate.case import Cases
from trundle.integrate.options import Tolerances
from trundle.integrate.outcome import ENERGY_OFF, EVENT_STOP, FRICTION_DRIVES, Outcome
from trundle.integrate.problem import Problem
from trundle.integrate.trajectory import EventLog, Trail, Trajectory
from trundle.kernel import Kernel, evaluate
from trundle.typing import Array

if TYPE_CHECKING:
    from trundle.integrate.lanes.integrate import Batch


FACTOR = 1000.0  # allowed error, times the one that the tolerance explains
CLEAR = 100.0  # smaller errors, relative to rtol and the energy exchanged, are accepted without a detailed check
OF_WORK = 10.0  # allowed error of the integrals of work, times their estimated error
ROUND_OFF = 1e-12  # allowed error relative to the energies themselves
LOOKS = 64  # number of states at which the tolerance is converted to energy


@final
@dataclass(frozen=True)
class Audit:
    """A violated check: `time` at which it began, error of the energy and allowed error (J), or the contact (its index
    among those with friction).
    """

    outcome: Outcome
    time: float
    off: float = 0.0
    allowed: float = 0.0
    contact: int = -1


@final
@dataclass(frozen=True, eq=False)
class AuditData:
    """The data of one run that the checks need, from its trajectory."""

    trail: Trail
    events: EventLog
    p_end: Array
    atol: Array
    work_error: float
    outcome: Outcome

    @staticmethod
    def of(found: Trajectory) -> "AuditData | None":
        """The data of a trajectory; None if it has no trail."""
        if found.trail is None:
            return None
        return AuditData(found.trail, found.events, found.p_end, found.atol, found.work_error, found.outcome)

    def regular_trail(self, problem: Problem) -> Trail:
        """The trail without the final pose if contacts jam there, because it is singular."""
        log, trail = self.events, self.trail
        if self.outcome is EVENT_STOP and len(log) and log.index[-1] >= problem.given_events:
            return Trail(trail.t[:-1], trail.x[:-1], trail.events_before[:-1])
        return trail

    def parameters(self, trail: Trail) -> Array:
        """Parameters along the trail."""
        log = self.events
        return np.vstack([log.p, self.p_end[None, :]])[trail.events_before] if len(log) else self.p_end

    def event_work(self, trail: Trail) -> Array:
        """Work of events along the trail (J)."""
        log = self.events
        if not len(log):
            return np.zeros(len(trail.t))
        return np.concatenate([[0.0], np.cumsum(log.work - log.lost)])[trail.events_before]


def audited(problem: Problem, found: Trajectory, tolerances: Tolerances, fixed: bool) -> Trajectory:
    """The trajectory with the result of the checks, which replaces a successful outcome if one is violated.

    A run with fixed steps has no tolerance: only its friction is checked.
    """
    audit_data = AuditData.of(found)
    if problem.energy is None or audit_data is None:
        return found
    audit = _check(problem, audit_data, tolerances, fixed)
    if audit is None:
        return found
    return replace(found, audit=audit, outcome=audit.outcome if found.outcome.ok else found.outcome)


def audit_each(problem: Problem, runs: Sequence[AuditData], rtol: float, fixed: bool) -> list[Audit | None]:
    """Results of the checks of many runs: a quick check of all trails together, then a detailed check of the runs that
    do not pass it.
    """
    found: list[Audit | None] = [None] * len(runs)
    if problem.energy is None or not runs:
        return found
    kernel = cast(Kernel, problem.energy)
    trails = [audit_data.regular_trail(problem) for audit_data in runs]
    lengths = np.array([len(trail.t) for trail in trails])
    begin = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    t, x = (np.concatenate([getattr(trail, name) for trail in trails]) for name in ("t", "x"))
    both = list(zip(runs, trails, strict=True))
    p = np.concatenate([np.broadcast_to(b.parameters(trail), (len(trail.t), kernel.n_p)) for b, trail in both])
    values = evaluate(kernel, kernel, t, x, p, threads=1)
    kinetic, potential = values[:, 0], values[:, 1]
    work_in, lost = _works(problem, x)
    brought = np.concatenate([b.event_work(trail) for b, trail in both])
    with np.errstate(invalid="ignore"):
        change = kinetic + potential + lost - work_in - brought
        off = np.maximum.reduceat(np.abs(change - np.repeat(change[begin], lengths)), begin)
        parts = (potential, work_in, lost, brought)
        swings = [np.maximum.reduceat(part, begin) - np.minimum.reduceat(part, begin) for part in parts]
        scale = np.max([np.maximum.reduceat(kinetic, begin), *swings], axis=0)
        clear = np.full(len(runs), True) if fixed else off <= CLEAR * rtol * scale
        if values.shape[1] > 2:
            speeds = np.max(np.abs(x[:, problem.n_q : problem.n_q + problem.n_u]), axis=1, initial=0.0)
            least = rtol * np.maximum.reduceat(speeds, begin) + np.array([np.max(b.atol) for b in runs])
            clear &= np.minimum.reduceat(np.min(values[:, 2:], axis=1), begin) >= -least
    for i in map(int, np.flatnonzero(~clear)):
        found[i] = _check(problem, runs[i], Tolerances(rtol, runs[i].atol), fixed)
    return found


def _check(problem: Problem, audit_data: AuditData, tolerances: Tolerances, fixed: bool) -> Audit | None:
    """The violated check of a run along a trail of its states; None if there is none."""
    kernel = cast(Kernel, problem.energy)
    rtol, trail = tolerances.rtol, audit_data.regular_trail(problem)
    p = audit_data.parameters(trail)
    values = evaluate(kernel, kernel, trail.t, trail.x, p, threads=1)
    if not np.all(np.isfinite(values)):
        return None  # the run has ended for this reason
    driving = _driving(problem, trail, values[:, 2:], tolerances)
    if driving is not None or fixed:
        return driving
    kinetic, potential = values[:, 0], values[:, 1]
    work_in, lost = _works(problem, trail.x)
    brought = audit_data.event_work(trail)
    change = kinetic + potential + lost - work_in - brought
    off = np.abs(change - change[0])
    swings = [np.ptp(part) for part in (potential, work_in, lost, brought)]
    scale = max(float(np.max(kinetic)), *swings)
    if np.max(off) <= CLEAR * rtol * scale:
        return None
    largest = max(float(np.max(np.abs(part))) for part in (kinetic, potential, work_in, lost))
    explained = _explained(kernel, problem.n_q + problem.n_u, trail, p, tolerances)
    allowed = FACTOR * explained + OF_WORK * audit_data.work_error + ROUND_OFF * largest
    if np.max(off) <= allowed:
        return None
    return Audit(ENERGY_OFF, float(trail.t[np.argmax(off > allowed)]), float(np.max(off)), allowed)


def cases_to_check(problem: Problem, batch: "Batch", cases: Cases, tolerances: Tolerances) -> list[int]:
    """Cases of a batch without events that need a detailed check, judged by the states at their start and end."""
    kernel = cast(Kernel, problem.energy)
    n, x0, p, rtol = problem.n_q + problem.n_u, cases.x0, cases.p, tolerances.rtol
    first, last = evaluate(kernel, kernel, cases.t0, x0, p), evaluate(kernel, kernel, batch.t_end, batch.x_end, p)
    change = last - first
    work = batch.x_end[:, n : n + 2] if problem.works else np.zeros((len(x0), 2))
    off = np.abs(change[:, 0] + change[:, 1] + work[:, 1] - work[:, 0])
    scale = np.max(np.abs(np.column_stack([first[:, 0], last[:, 0], change[:, 1], work])), axis=1)
    found = off > CLEAR * rtol * scale
    rows = np.flatnonzero(found)
    if len(rows):
        ends = [(np.broadcast_to(t, len(x0))[rows], x[rows]) for t, x in ((cases.t0, x0), (batch.t_end, batch.x_end))]
        explained = np.max([_moved_energy(kernel, n, t, x, p[rows], tolerances) for t, x in ends], axis=0)
        found[rows] = off[rows] > FACTOR * explained
    if last.shape[1] > 2:
        fastest = np.max(np.abs(batch.x_end[:, problem.n_q : n]), axis=1, initial=0.0)
        atol = float(np.max(tolerances.of_states(x0.shape[1]).atol, initial=0.0))
        found |= np.min(last[:, 2:], axis=1) < -(rtol * fastest + atol)
    return [int(i) for i in np.flatnonzero(found)]


def _works(problem: Problem, x: Array) -> tuple[Array, Array]:
    """Work done on the system and lost in it, since the start."""
    first = problem.n_q + problem.n_u
    if problem.works == 0:
        nothing = np.zeros(len(x))
        return nothing, nothing
    return x[:, first], x[:, first + 1]


def _explained(kernel: Kernel, n: int, trail: Trail, p: Array, tolerances: Tolerances) -> float:
    """Largest change of energy along a trail if every coordinate and speed is changed by its tolerance."""
    rows = np.unique(np.linspace(0, len(trail.t) - 1, LOOKS).astype(int))
    p = p[rows] if p.ndim == 2 else p
    return float(np.max(_moved_energy(kernel, n, trail.t[rows], trail.x[rows], p, tolerances)))


def _moved_energy(kernel: Kernel, n: int, t: Array, x: Array, p: Array, tolerances: Tolerances) -> Array:
    """Sum of the changes of energy at each state if each coordinate and speed is changed by its tolerance."""
    step = (tolerances.of_states(x.shape[1]).atol + tolerances.rtol * np.abs(x))[:, :n]
    here = evaluate(kernel, kernel, t, x, p, threads=1)[:, :2].sum(axis=1)
    total = np.zeros(len(x))
    for m in range(n):
        moved = x.copy()
        moved[:, m] += step[:, m]
        total += np.abs(evaluate(kernel, kernel, t, moved, p, threads=1)[:, :2].sum(axis=1) - here)
    return total


def _driving(problem: Problem, trail: Trail, taken: Array, tolerances: Tolerances) -> Audit | None:
    """The first contact whose friction adds energy; `taken` is its lost power per normal force (m/s)."""
    if taken.shape[1] == 0:
        return None
    speeds = trail.x[:, problem.n_q : problem.n_q + problem.n_u]
    atol = tolerances.of_states(trail.x.shape[1]).atol
    least = FACTOR * (tolerances.rtol * float(np.max(np.abs(speeds), initial=0.0)) + float(np.max(atol)))
    drives = taken < -least
    if not np.any(drives):
        return None
    row = int(np.argmax(np.any(drives, axis=1)))
    return Audit(FRICTION_DRIVES, float(trail.t[row]), contact=int(np.argmin(taken[row])))
