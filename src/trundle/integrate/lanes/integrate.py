"""Many trajectories of one model at once: SIMD lanes in each thread, with a share of the jobs for each thread."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from ctypes import CFUNCTYPE, c_void_p
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Event
from typing import final

import numpy as np

from trundle.errors import SolveError
from trundle.integrate import codes as at
from trundle.integrate.case import Cases
from trundle.integrate.lanes.creeping import CreepingLanes
from trundle.integrate.lanes.judge import guard_places, judge_kernel
from trundle.integrate.lanes.threads import wait_for
from trundle.integrate.loop_arrays import FIRST_LOOKS
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options
from trundle.integrate.outcome import INTERRUPTED, Outcome, outcome_of
from trundle.integrate.problem import CompiledLanes, OtherNormals
from trundle.integrate.record import LaneRecord
from trundle.integrate.tolerance import UNITS
from trundle.integrate.workspace import set_control, set_method
from trundle.kernel import aligned, compile_busy, compiled
from trundle.kernel.memory import point_to
from trundle.messages.preparing import under_way

PACKS = 3  # of lanes per contact for other common normals: one searches for them, two track them
CHUNK_STEPS = 2000  # steps of all lanes between two returns to Python, which handles interruptions


@final
@dataclass(frozen=True, eq=False)
class LaneProblem:
    """xdot = rhs(t, x, p) and optionally the projection, as kernels with the same number of lanes."""

    rhs: CompiledLanes
    project: CompiledLanes | None = None
    guards: CompiledLanes | None = None  # values that must keep their sign
    n_guards: int = 0
    guarded: CompiledLanes | None = None  # rhs and guards together, for the ends of steps
    other_normals: OtherNormals | None = None  # other common normals of contacts
    error_weight: np.ndarray | None = None
    position_tolerance: float = 1e-13
    velocity_tolerance: float = 1e-12

    def __post_init__(self) -> None:
        if self.project is not None and (self.project.lanes, self.project.n_x) != (self.rhs.lanes, self.rhs.n_x):
            raise SolveError("the kernels rhs and project of a batch must have the same lanes and states.")


def known_at_start(other_normals: OtherNormals, cases: Cases) -> tuple[np.ndarray, int]:
    """Initial common normals of all cases for the packs of lanes: coordinates and gap for each pack of each contact
    (NaN if there is none, as always in the first pack), and the number of values per case.
    """
    widths = [len(reach) + 1 for reach in other_normals.reach]
    first = PACKS * np.concatenate([[0], np.cumsum(widths)])
    found = np.full((len(cases), first[-1]), np.nan)
    for row, normals in zip(found, cases.normals, strict=False):
        for contact, known in enumerate(normals):
            block = row[first[contact] : first[contact + 1]].reshape(PACKS, -1)
            block[1 : 1 + len(known)] = known[: PACKS - 1]
    return found, int(first[-1])


@final
@dataclass(frozen=True, eq=False)
class Batch:
    """Results of many runs, in the order of the start states; `x` is empty if no samples were requested."""

    t: np.ndarray
    x: np.ndarray
    t_end: np.ndarray
    x_end: np.ndarray
    code: np.ndarray
    steps: np.ndarray
    rejected: np.ndarray
    endings: dict[int, Outcome] = field(default_factory=dict)  # outcomes with more information than their code

    def outcome(self, job: int) -> Outcome:
        """How this run ended."""
        return self.endings.get(job, outcome_of(int(self.code[job])))


def integrate_lanes(
    problem: LaneProblem, method: Method, cases: Cases, options: Options | None = None, threads: int | None = None
) -> Batch:
    """Integrate all cases with their own times, steps and error control; the method must be one for lanes.

    Without samples only the ends are stored. Samples that a run did not reach are NaN; runs that were not finished
    because of an interruption are INTERRUPTED, at their start.
    """
    options = options or Options()
    if not method.in_lanes or options.limits.fixed is not None:
        raise SolveError(
            f"{type(method).__name__} with these options does not run in lanes; use an explicit method without a "
            "fixed step, or integrate_each."
        )
    n_x, n_p = problem.rhs.n_x, problem.rhs.n_p
    x_end, p = (np.array(v, dtype=float, order="C") for v in (cases.x0, cases.p))
    jobs = len(x_end)
    if x_end.shape != (jobs, n_x) or p.shape != (jobs, n_p):
        raise SolveError(
            f"x0 has shape {x_end.shape} and p {p.shape}; {jobs} runs take ({jobs}, {n_x}) and ({jobs}, {n_p})."
        )
    times = np.zeros(0) if options.samples.times is None else np.ascontiguousarray(options.samples.times, dtype=float)
    start, end = (
        np.ascontiguousarray(np.broadcast_to(np.asarray(v, dtype=float), (jobs,))) for v in (cases.t0, cases.t1)
    )
    if np.any(end < start) or np.any(np.diff(times) < 0.0):
        raise SolveError("in a batch every end time must follow its start time, and the sample times must be sorted.")
    out = Batch(
        t=times,
        x=np.full((jobs, len(times), n_x), np.nan),
        t_end=start.copy(),
        x_end=x_end,
        code=np.zeros(jobs, np.int64),
        steps=np.zeros(jobs, np.int64),
        rejected=np.zeros(jobs, np.int64),
    )
    if jobs == 0:
        return out
    count = max(1, min(threads or os.cpu_count() or 1, -(-jobs // problem.rhs.lanes)))
    edges = np.linspace(0, jobs, count + 1).astype(int)
    whole = Cases(start, end, x_end, p, cases.normals)
    shares = [_Share(problem, method, whole, options, out, range(first, last)) for first, last in pairwise(edges)]
    _run(shares)
    out.code[out.code == at.RUNNING] = INTERRUPTED.code
    return out


def _run(shares: list["_Share"]) -> None:
    """Run the shares, one in each thread; an interruption stops all of them at their next return."""
    # ctypes releases the GIL during the call.
    loop = CFUNCTYPE(None, c_void_p)(compiled.address("advance_lanes"))
    with under_way("batch") as tell:
        _run_all(shares, loop, lambda: tell(f"{sum(s.begun for s in shares)} of {sum(s.count for s in shares)} cases"))


def _run_all(shares: list["_Share"], loop: Callable[[int], None], report: Callable[[], None]) -> None:
    if len(shares) == 1:
        with suppress(KeyboardInterrupt):
            shares[0].run(loop, report)
        return
    go = Event()  # no thread starts before all are submitted

    def work(share: _Share) -> None:
        go.wait()
        share.run(loop)

    with ThreadPoolExecutor(len(shares)) as pool:
        try:
            futures = [pool.submit(work, share) for share in shares]
            go.set()
            wait_for(futures, report)
        except BaseException as error:
            for share in shares:
                share.stopped = True
            go.set()
            if not isinstance(error, KeyboardInterrupt):
                raise


class _Share:
    """Arrays of one thread and its range of jobs."""

    def __init__(
        self, problem: LaneProblem, method: Method, cases: Cases, options: Options, out: Batch, jobs: range
    ) -> None:
        limits, first, p = options.limits, jobs.start, cases.p
        tolerance = options.tolerances.of_states(problem.rhs.n_x)
        start, end = np.asarray(cases.t0), np.asarray(cases.t1)
        plan, w, n_x, n_p = method.plan(), problem.rhs.lanes, problem.rhs.n_x, problem.rhs.n_p
        weight = np.ones(n_x) if problem.error_weight is None else np.asarray(problem.error_weight, dtype=float)
        kernels = [
            kernel for kernel in (problem.rhs, problem.project, problem.guards, problem.guarded) if kernel is not None
        ]
        corrected_rows = 0 if problem.project is None else problem.project.n_out
        run, self.stopped = LaneRecord(), False
        self._first, self.count = first, len(jobs)
        self.record = run
        run.lanes, run.n_x, run.n_p, run.max_steps, run.budget = w, n_x, n_p, limits.most, CHUNK_STEPS
        run.weighted, run.projecting = int(np.count_nonzero(weight)), int(problem.project is not None)
        run.n_samples, run.next_job, run.last_job = len(out.t), first, jobs.stop
        set_method(run, plan)
        set_control(run, method.control)
        run.exponent = 1.0 / (method.order + 1)
        run.rtol, run.h_max = options.tolerances.rtol, limits.longest
        run.h_min, run.h_first = limits.shortest or 0.0, limits.first or 0.0
        run.position_tol, run.velocity_tol = problem.position_tolerance, problem.velocity_tolerance
        run.learning, run.part = int(tolerance.learns), tolerance.part
        run.rhs_kernel = problem.rhs.address
        run.n_guards, run.guards_kernel = problem.n_guards, 0 if problem.guards is None else problem.guards.address
        run.guarded_kernel = 0 if problem.guarded is None else problem.guarded.address
        run.project_kernel = 0 if problem.project is None else problem.project.address
        spread_atol, spread_weight = aligned(n_x, w), aligned(n_x, w)
        spread_atol[:], spread_weight[:] = tolerance.atol[:, None], weight[:, None]
        # Lanes without a job are computed too: they get a state for which the equations are defined.
        x, parameters, t = aligned(n_x, w), aligned(n_p, w), aligned(w)
        x[:], t[:] = out.x_end[first][:, None], start[first]
        if n_p > 0:
            parameters[:] = p[first][:, None]
        self._arrays = {
            "t": t, "error": aligned(2, w), "last_error": np.ones(w), "clock": aligned(w),
            "job": np.full(w, -1), "guard_job": np.full(w, -1), "x": x, "p": parameters, "atol": spread_atol,
            "weight": spread_weight,
            "k": aligned(plan.rows, n_x, w), "dense": aligned(len(plan.dense), n_x, w),
            "corrected": aligned(corrected_rows, w), "largest": aligned(len(UNITS), w),
            "work": aligned((max(kernel.work_size for kernel in kernels) + 8) * w),
            "first_atol": tolerance.atol, "group": tolerance.group, "bound": tolerance.bound,
            "job_x": out.x_end, "job_p": p, "job_start": start, "job_end": end, "job_code": out.code,
            "job_steps": out.steps, "job_rejected": out.rejected, "job_t": out.t_end, "sample_t": out.t,
            "sample_x": out.x,
        }  # fmt: skip
        marks = ("accept", "keep", "sample", "rejected")
        self._arrays |= {name: np.zeros(w, np.int64) for name in marks}
        self._arrays |= {name: aligned(n_x, w) for name in ("x_new", "slope", "spread")}
        if problem.other_normals is not None:
            self._arrays |= problem.other_normals.places(n_x, PACKS)[0]
            self._arrays |= {"normal_job": np.full(w, -1), "normal_soonest": aligned(w)}
            self._arrays["normal_due"] = aligned(PACKS * len(problem.other_normals.kernels), w)
            run.normal_stride = 1 if any(problem.other_normals.loose) else at.NORMAL_STEPS
            run.n_normal_packs, run.normal_lanes = PACKS * len(problem.other_normals.kernels), w
            run.normal_packs = PACKS
            self._arrays["normal_start"], run.normal_row = known_at_start(problem.other_normals, cases)
            run.normal_away, run.normal_fresh = problem.other_normals.away, FIRST_LOOKS * len(jobs)
        if problem.guards is not None:
            run.judge_kernel = judge_kernel(problem.n_guards, w).address
        self._arrays |= guard_places(n_x, problem.n_guards, w)
        point_to(run, **self._arrays)

    @property
    def begun(self) -> int:
        """Number of jobs that are finished or in a lane now."""
        return int(self.record.next_job) - self._first

    def run(self, loop: Callable[[int], None], report: Callable[[], None] | None = None) -> None:
        """Call the compiled loop until all jobs of the share are finished; `report` is called regularly."""
        creeping = CreepingLanes(self.record, self._arrays)
        while not self.stopped:
            self.record.budget = creeping.steps(CHUNK_STEPS)
            loop(self.record.address)
            creeping.end()
            compile_busy()
            if report is not None:
                report()
            if self.record.busy == 0 and self.record.next_job >= self.record.last_job:
                return
