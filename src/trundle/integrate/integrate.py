"""Integrate a problem in time: the Python side of the compiled loop (chunks, buffers, progress, interruption)."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from ctypes import CFUNCTYPE, c_void_p
from typing import NamedTuple, final

import numpy as np

from trundle.errors import SolveError
from trundle.integrate import codes as at
from trundle.integrate.audit import audited
from trundle.integrate.case import Case
from trundle.integrate.creeping import Creeping, progress_of
from trundle.integrate.interruption import ends_run
from trundle.integrate.methods.start_step import step_at_start
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import OnEvent, Options, Supervision, Tolerances
from trundle.integrate.outcome import ALARM, INTERRUPTED, Outcome, outcome_of
from trundle.integrate.passages import Passages, passing_plan
from trundle.integrate.problem import Problem
from trundle.integrate.progress import progress_bar
from trundle.integrate.record import LoopRecord
from trundle.integrate.trajectory import Trajectory
from trundle.integrate.workspace import Saved, Workspace, set_control
from trundle.kernel import compile_busy, compiled
from trundle.messages.preparing import is_watched

CHUNK_SECONDS = 0.07
STUCK = (at.STEP_TOO_SMALL, at.NOT_FINITE, at.CONSTRAINT)
PROGRESS_AFTER_SECONDS = 1.0


def integrate(problem: Problem, method: Method, case: Case, options: Options | None = None) -> Trajectory:
    """Integrate a case from start to end; return the samples (or every accepted step), the events and the outcome."""
    run = Integration(problem, method, options)
    run.begin(case)
    run.advance(case.t1)
    return run.trajectory()


class FirstStep(NamedTuple):
    """Length of a first step (s), and the absolute tolerances of the states at the start and as predicted."""

    h: float
    atol: np.ndarray
    expected_atol: np.ndarray


@final
class Integration:
    """A run that can be continued, inspected, and returned to a saved state."""

    def __init__(self, problem: Problem, method: Method, options: Options | None = None) -> None:
        self.problem, self.method, self.options = problem, method, options or Options()
        self.outcome: Outcome | None = None
        self._workspace: Workspace | None = None
        self._passages: Passages | None = None

    def begin(self, case: Case) -> None:
        """Start a case; samples and predicted sizes extend to its end."""
        if not case.t1 >= case.t0:
            raise SolveError(f"the end time {case.t1} lies before the start time {case.t0}; time runs forward.")
        problem, plan, o = self.problem, self.method.plan(), self.options
        tolerance = o.tolerances.of_states(problem.rhs.n_x)
        workspace = Workspace(problem, plan, passing_plan(problem, plan), case, tolerance, o.samples)
        _set_control(workspace, self.method, o)
        self._workspace, self._passages = workspace, Passages(workspace, self.method)

    def begin_again(self, saved: Saved, x0: np.ndarray, p: np.ndarray, first: FirstStep | None = None) -> None:
        """Start from another state with other parameters, over the span of a run that was saved at its start, whose
        arrays are reused. `first` is the first step with its tolerances, if they are known.
        """
        workspace, _ = self._begun()
        workspace.restore(saved)
        if first is None:
            workspace.start_at(x0, p)
            _set_first_step(workspace, self.method, self.options)
        else:
            workspace.set_state(x0, p)
            workspace.record.h = first.h
            workspace.atol[:], workspace.expected_atol[:] = first.atol, first.expected_atol
        self._passages, self.outcome = Passages(workspace, self.method), None

    def advance(self, to: float) -> Outcome:
        """Integrate to this time, at which a step ends, or until the run ends."""
        workspace, passages = self._begun()
        run = workspace.record
        if not run.t <= to <= run.t_last:
            raise SolveError(f"the run is at {run.t} s and reaches to {run.t_last} s; {to} s is not between them.")
        run.t_end = to
        self.outcome = _run(workspace, passages, self.options.supervision)
        return self.outcome

    @property
    def time(self) -> float:
        """Time reached (s)."""
        return self._begun()[0].time

    @property
    def state(self) -> np.ndarray:
        """State at that time."""
        return self._begun()[0].x.copy()

    @property
    def workspace(self) -> Workspace:
        """All data of the run."""
        return self._begun()[0]

    def save(self) -> Saved:
        """The complete state of the run."""
        return self._begun()[0].save()

    def restore(self, saved: Saved) -> None:
        """Return to a saved state, also of another run of the same problem, method and options."""
        self._begun()[0].restore(saved)

    def trajectory(self) -> Trajectory:
        """Samples, events and outcome so far, with the result of the audit."""
        if self.outcome is None:
            raise SolveError("the run has not advanced yet: call advance(to).")
        found, o = self._begun()[0].trajectory(self.outcome), self.options
        return audited(self.problem, found, Tolerances(o.tolerances.rtol, found.atol), o.limits.fixed is not None)

    def _begun(self) -> tuple[Workspace, Passages]:
        if self._workspace is None or self._passages is None:
            raise SolveError("the run has no start yet: call begin(case).")
        return self._workspace, self._passages


def _set_control(workspace: Workspace, method: Method, options: Options) -> None:
    """Write tolerances, step bounds and the constants of the step control into the record of the loop."""
    run, limits = workspace.record, options.limits
    run.max_steps, run.max_events = limits.most, limits.most_events
    run.fixed, run.h_fixed = int(limits.fixed is not None), limits.fixed or 0.0
    run.rtol, run.h_max = options.tolerances.rtol, limits.longest
    run.h_min = 1e-15 * max(run.t_end - run.t_start, 1e-300) if limits.shortest is None else limits.shortest
    set_control(run, method.control)
    run.last_error = 1e-4
    _set_first_step(workspace, method, options)


def _set_first_step(workspace: Workspace, method: Method, options: Options) -> None:
    limits = options.limits
    first = limits.fixed or limits.first or min(step_at_start(workspace, method.order), limits.longest)
    workspace.record.h = first


def _run(workspace: Workspace, passages: Passages, supervision: Supervision) -> Outcome:
    """Call the compiled loop until the run ends."""
    loop = CFUNCTYPE(None, c_void_p)(compiled.address("advance"))
    run, chunk_steps, between_chunks = workspace.record, supervision.chunk_steps, supervision.between_chunks
    show = is_watched() if supervision.progress is None else supervision.progress
    began = time.perf_counter()
    budget, creeping = chunk_steps or 100, Creeping(progress_of(run))
    with ExitStack() as stack:
        report: Callable[..., None] | None = None
        try:
            while True:
                compile_busy()
                tic = time.perf_counter()
                run.budget = min(budget, creeping.left(progress_of(run)))
                loop(run.address)
                ways = run.t_start, run.t_end, run.max_steps
                if run.status == at.RUNNING and creeping.seen(progress_of(run), *ways):
                    run.status = at.STEP_TOO_SMALL
                code = run.status
                toc = time.perf_counter()
                ending = _respond(code, workspace, passages, supervision)
                if ending is not None:
                    return ending
                if chunk_steps is None and code == at.RUNNING:
                    budget = max(20, int(run.budget * min(8.0, CHUNK_SECONDS / max(toc - tic, 1e-6))))
                if between_chunks is not None:
                    between_chunks(workspace.time)
                if show and report is None and toc - began > PROGRESS_AFTER_SECONDS:
                    report = progress_bar(stack, run.t_start, run.t_end)
                if report is not None:
                    now = workspace.time
                    report(now, "" if supervision.tell is None else supervision.tell(now, workspace.x.copy()))
        except KeyboardInterrupt:
            if ends_run():
                _look_at_guards(run)
                return INTERRUPTED
            raise


def _look_at_guards(run: LoopRecord) -> None:
    """Guards that rest where a run is interrupted are looked at there; `status` says whether one is broken."""
    if run.status == at.RUNNING and run.guards_rested > 0:
        run.status = at.FINISHED
        CFUNCTYPE(None, c_void_p)(run.guard_part)(run.address)


def _respond(code: int, workspace: Workspace, passages: Passages, supervision: Supervision) -> Outcome | None:
    """Handle the status with which the loop has returned; return the outcome if the run ends."""
    if code == at.EVENT_RETURN:
        _ask(workspace, supervision.on_event)
    elif code == at.BUFFER_FULL:
        workspace.grow()
    elif passages.changed_method(code):
        pass
    elif code == at.OTHER_NORMAL:
        answer = ALARM if supervision.on_other_normal is None else supervision.on_other_normal(workspace.other_normal())
        if isinstance(answer, Outcome):
            return answer
        workspace.continue_from(answer)
    elif code in STUCK and supervision.on_stuck is not None:
        p = workspace.p[: workspace.record.n_p].copy()
        other = supervision.on_stuck(workspace.time, workspace.x.copy(), p)
        if other is None:
            return outcome_of(code)
        workspace.continue_from(other)
    elif code != at.RUNNING:
        return outcome_of(code)
    return None


def _ask(workspace: Workspace, on_event: OnEvent | None) -> None:
    """Call Python for the events of kind 3 that fired together, in the order of their indices."""
    for event in workspace.returned_events():
        answer = (
            None if on_event is None else on_event(event, workspace.time, workspace.x.copy(), workspace.p[:].copy())
        )
        if answer is not None:
            workspace.x[:], workspace.p[:] = answer
