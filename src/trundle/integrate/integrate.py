"""Integrate a problem in time: the Python side of the compiled loop (chunks, buffers, progress, interruption)."""

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from ctypes import CFUNCTYPE, c_void_p

import numpy as np

from trundle.errors import SolveError
from trundle.integrate import codes as at
from trundle.integrate.audit import audited
from trundle.integrate.fold import Folds, passing_plan
from trundle.integrate.methods.start_step import step_at_start
from trundle.integrate.methods.tableau import Method
from trundle.integrate.outcome import INTERRUPTED, Outcome, outcome_of
from trundle.integrate.problem import Problem
from trundle.integrate.tolerance import Tolerance
from trundle.integrate.trajectory import Trajectory
from trundle.integrate.workspace import Workspace, set_control
from trundle.kernel import compiled

CHUNK_SECONDS = 0.07
PROGRESS_AFTER_SECONDS = 1.0

EventAnswer = tuple[np.ndarray, np.ndarray] | None
OnEvent = Callable[[int, float, np.ndarray, np.ndarray], EventAnswer]


def march(
    problem: Problem,
    method: Method,
    t0: float,
    t1: float,
    x0: np.ndarray,
    p: np.ndarray,
    *,
    rtol: float = 1e-8,
    atol: float | np.ndarray | Tolerance = 1e-10,
    samples: np.ndarray | None = None,
    first_step: float | None = None,
    max_step: float = np.inf,
    fixed_step: float | None = None,
    min_step: float | None = None,
    max_steps: int = 10_000_000,
    max_events: int = 1_000_000,
    progress: bool | None = None,
    on_event: OnEvent | None = None,
    chunk_steps: int | None = None,
    between_chunks: Callable[[float], None] | None = None,
) -> Trajectory:
    """Integrate from t0 to t1 and return the samples (or every accepted step), the events and the ending.

    `on_event(index, t, x, p)` answers events of kind 3: a new (x, p), or None to go on unchanged. `chunk_steps` fixes
    the number of steps between two returns to Python (else it follows the clock); `between_chunks(t)` is called there.
    """
    if not t1 >= t0:
        raise SolveError(f"the end time {t1} lies before the start time {t0}; time runs forward.")
    tolerance = atol if isinstance(atol, Tolerance) else Tolerance.fixed(atol, problem.rhs.n_x)
    plan = method.plan()
    workspace = Workspace(problem, plan, t0, t1, x0, p, tolerance, samples, passing_plan(problem, plan))
    _set_control(workspace, method, rtol, first_step, max_step, fixed_step, min_step, max_steps, max_events)
    folds = Folds(workspace, method)
    outcome = _run(workspace, folds, t0, t1, progress, on_event, chunk_steps, between_chunks)
    found = workspace.trajectory(outcome)
    return audited(problem, found, rtol, found.atol, fixed_step is not None)


def _set_control(
    workspace: Workspace,
    method: Method,
    rtol: float,
    first_step: float | None,
    max_step: float,
    fixed_step: float | None,
    min_step: float | None,
    max_steps: int,
    max_events: int,
) -> None:
    """Write tolerances, step bounds and the constants of the step control into the arrays of the loop."""
    run, control = workspace.record, method.control
    if fixed_step is not None and not fixed_step > 0.0:
        raise SolveError(f"fixed_step is {fixed_step}; it must be positive.")
    run.max_steps, run.max_events = max_steps, max_events
    run.fixed, run.h_fixed = int(fixed_step is not None), fixed_step or 0.0
    run.rtol, run.h_max = rtol, max_step
    run.h_min = 1e-15 * max(run.t_end - run.t_start, 1e-300) if min_step is None else min_step
    set_control(run, control)
    run.last_error = 1e-4
    run.h = fixed_step or first_step or min(step_at_start(workspace, method.order), max_step)


def _run(
    workspace: Workspace,
    folds: Folds,
    t0: float,
    t1: float,
    progress: bool | None,
    on_event: OnEvent | None,
    chunk_steps: int | None,
    between_chunks: Callable[[float], None] | None,
) -> Outcome:
    loop = CFUNCTYPE(None, c_void_p)(compiled.address("advance"))
    show = sys.stderr.isatty() if progress is None else progress
    began = time.perf_counter()
    budget = chunk_steps or 100
    with ExitStack() as stack:
        report: Callable[[float], None] | None = None
        try:
            while True:
                tic = time.perf_counter()
                workspace.record.budget = budget
                loop(workspace.record.address)
                code = workspace.record.answer
                toc = time.perf_counter()
                if code == at.EVENT_RETURN:
                    _ask(workspace, on_event)
                elif code == at.BUFFER_FULL:
                    workspace.grow()
                elif code == at.FOLD_AHEAD:
                    folds.enter()
                elif code == at.FOLD_PASSED:
                    folds.leave()
                elif code != at.RUNNING:
                    return outcome_of(code)
                if chunk_steps is None and code == at.RUNNING:
                    budget = max(20, int(budget * min(8.0, CHUNK_SECONDS / max(toc - tic, 1e-6))))
                if between_chunks is not None:
                    between_chunks(workspace.time)
                if show and report is None and toc - began > PROGRESS_AFTER_SECONDS:
                    report = _progress_bar(stack, t0, t1)
                if report is not None:
                    report(workspace.time)
        except KeyboardInterrupt:
            return INTERRUPTED


def _ask(workspace: Workspace, on_event: OnEvent | None) -> None:
    """Let Python answer the events of kind 3 that fired together, in the order of their index."""
    for event in workspace.returned_events():
        answer = (
            None if on_event is None else on_event(event, workspace.time, workspace.x.copy(), workspace.p[:].copy())
        )
        if answer is not None:
            workspace.x[:], workspace.p[:] = answer


def _progress_bar(stack: ExitStack, t0: float, t1: float) -> Callable[[float], None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("t = {task.fields[now]:.4g} s"), BarColumn(), TimeRemainingColumn())
    bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
    task = bar.add_task("", total=t1 - t0, now=t0)
    return lambda t: bar.update(task, completed=t - t0, now=t)
