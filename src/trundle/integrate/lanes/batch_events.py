"""Many runs of a model with events or transitions: each in the compiled loop for single runs, on several threads.

Lanes step together and cannot branch, so such runs do not use them. Ctypes releases the GIL while a loop runs.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Event
from typing import final

import numpy as np

from trundle.integrate.audit import AuditData, audit_each
from trundle.integrate.case import Cases
from trundle.integrate.integrate import Integration
from trundle.integrate.lanes.first_steps import find_first_steps
from trundle.integrate.lanes.integrate import Batch
from trundle.integrate.lanes.threads import wait_for
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options, Sampling, Supervision
from trundle.integrate.outcome import INTERRUPTED, Outcome, outcome_of
from trundle.integrate.problem import Problem
from trundle.integrate.trajectory import EventLog, Trajectory
from trundle.integrate.workspace import Workspace
from trundle.messages.preparing import under_way

CHECKED_TOGETHER = 64  # runs
Look = Callable[[int, Trajectory], Trajectory]
NO_EVENTS = EventLog(np.zeros(0, np.int64), np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0), np.zeros(0))


@final
@dataclass(frozen=True, eq=False)
class BatchEvents:
    """Events of every run, and its parameters (with the modes of contacts) at the samples and at the end.

    `events_before` counts the events before each sample.
    """

    events: list[EventLog]
    p: np.ndarray
    p_end: np.ndarray
    events_before: np.ndarray


def integrate_each(
    problem: Problem, method: Method, cases: Cases, options: Options, threads: int | None, look: Look | None = None
) -> tuple[Batch, BatchEvents]:
    """Integrate all cases, each as `integrate` does; `look` may change the outcome of a trajectory.

    Without samples only the ends are stored. Samples that are not reached are NaN; runs that were not finished because
    of an interruption are INTERRUPTED.
    """
    x0, p = cases.x0, cases.p
    jobs, times = len(cases), np.zeros(0) if options.samples.times is None else options.samples.times
    out = Batch(
        t=times,
        x=np.full((jobs, len(times), x0.shape[1]), np.nan),
        t_end=np.full(jobs, cases.t0),
        x_end=x0.copy(),
        code=np.full(jobs, INTERRUPTED.code),  # until the run has finished
        steps=np.zeros(jobs, np.int64),
        rejected=np.zeros(jobs, np.int64),
    )
    before = np.zeros((jobs, len(times)), np.int64)
    log = BatchEvents([NO_EVENTS] * jobs, np.repeat(p[:, None, :], len(times), axis=1), p.copy(), before)
    stopped, go = Event(), Event()  # `go`: no thread starts before all are submitted

    def check_stop(_: float) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt

    options = replace(
        options, samples=Sampling(times), supervision=Supervision(progress=False, between_chunks=check_stop)
    )
    first = find_first_steps(problem, method, cases, options)

    count = max(1, min(threads or os.cpu_count() or 1, jobs))
    done: list[int] = []

    def work(queue: Iterator[int], report: Callable[[], None] | None) -> None:
        go.wait()
        run, fresh, audit_data = Integration(problem, method, options), None, _Checks(problem, options, out)
        for job in queue:
            if fresh is None:
                run.begin(cases[job])
                fresh = run.save()
            else:
                run.begin_again(fresh, x0[job], p[job], first[job])
            ended = run.advance(float(cases.t1))
            done.append(job)
            if report is not None:
                report()
            if look is None:
                audit_data.add(job, _keep(out, log, job, run.workspace, ended))
            else:
                keep_run(out, log, job, look(job, run.trajectory()))
            if ended is INTERRUPTED:
                break
        audit_data.close()

    queue = iter(range(jobs))  # taking the next one is atomic: the threads share it
    if count == 1:
        go.set()
        with under_way("batch") as tell:
            work(queue, lambda: tell(f"{len(done)} of {jobs} cases"))
        return out, log
    with ThreadPoolExecutor(count) as pool, under_way("batch") as tell:
        try:
            futures = [pool.submit(work, queue, None) for _ in range(count)]
            go.set()
            wait_for(futures, lambda: tell(f"{len(done)} of {jobs} cases"))
        except BaseException as error:
            stopped.set()
            for _ in queue:  # empties the queue
                pass
            go.set()
            if not isinstance(error, KeyboardInterrupt):
                raise
    return out, log


@final
class _Checks:
    """Audits of many runs, in groups."""

    def __init__(self, problem: Problem, options: Options, out: Batch) -> None:
        self._problem, self._out, self._kept = problem, out, dict[int, AuditData]()
        self._rtol, self._fixed = options.tolerances.rtol, options.limits.fixed is not None

    def add(self, job: int, audit_data: AuditData | None) -> None:
        """Add a run."""
        if audit_data is not None:
            self._kept[job] = audit_data
        if len(self._kept) >= CHECKED_TOGETHER:
            self.close()

    def close(self) -> None:
        """Check the remaining runs; a violated check replaces a successful outcome."""
        found = audit_each(self._problem, list(self._kept.values()), self._rtol, self._fixed)
        for (job, audit_data), audit in zip(self._kept.items(), found, strict=True):
            if audit is not None and audit_data.outcome.ok:
                self._out.code[job] = audit.outcome.code
        self._kept.clear()


def _keep(out: Batch, log: BatchEvents, job: int, done: Workspace, ended: Outcome) -> AuditData | None:
    """Write a finished run into its row; return the data for its audit."""
    done.add_last_event_work()
    run, events, p_end = done.record, done.events(), done.p[: done.record.n_p].copy()
    reached = run.written
    out.x[job, :reached], out.t_end[job], out.x_end[job] = done.out_x[:reached], done.time, done.x
    out.code[job], out.steps[job], out.rejected[job] = ended.code, run.steps, run.rejected
    if reached and len(events):
        before = done.out_events[:reached]
        log.p[job, :reached], log.events_before[job, :reached] = np.vstack([events.p, p_end[None, :]])[before], before
    elif reached:
        log.p[job, :reached] = p_end
    log.p_end[job], log.events[job] = p_end, events
    trail = done.trail()
    return None if trail is None else AuditData(trail, events, p_end, done.atol.copy(), run.work_errors, ended)


def keep_run(out: Batch, log: BatchEvents | None, job: int, found: Trajectory) -> None:
    """Write one run into its row."""
    most = min(len(out.t), len(found.t))
    reached = int(np.count_nonzero(found.t[:most] == out.t[:most]))  # an early end is an additional row
    out.x[job, :reached], out.t_end[job], out.x_end[job] = found.x[:reached], found.t_end, found.x_end
    out.code[job], out.steps[job], out.rejected[job] = found.outcome.code, found.counts.steps, found.counts.rejected
    if found.outcome is not outcome_of(found.outcome.code):  # it has more information than its code
        out.endings[job] = found.outcome
    if log is not None:
        log.p[job, :reached], log.events_before[job, :reached] = (
            found.parameters()[:reached],
            found.events_before[:reached],
        )
        log.p_end[job], log.events[job] = found.p_end, found.events
