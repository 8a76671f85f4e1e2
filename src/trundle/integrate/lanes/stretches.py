"""Runs in lanes with breaks (times at which laws change abruptly): each is integrated from break to break.

Breaks depend on parameters only, so they are known before a run.
"""

from ctypes import CFUNCTYPE, c_void_p
from typing import NamedTuple, final

import numpy as np

from trundle.integrate import codes as at
from trundle.integrate.case import Cases
from trundle.integrate.lanes.integrate import Batch, LaneProblem, integrate_lanes
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options
from trundle.integrate.outcome import INTERRUPTED, TOO_MANY_STEPS
from trundle.integrate.problem import Compiled
from trundle.integrate.record import LoopRecord
from trundle.kernel import Kernel, aligned, compiled, evaluate
from trundle.kernel.memory import point_to
from trundle.typing import Array

MOST = 200  # breaks of one run; with more of them lanes are not faster


@final
class Stretches(NamedTuple):
    """Begin and end of the intervals between breaks (s), one row for each case; NaN after its last interval."""

    begin: Array
    end: Array


def find_stretches(breaks: Compiled, cases: Cases) -> Stretches | None:
    """Find the breaks of each case by `next_break`; None if a case has more than MOST."""
    look = CFUNCTYPE(None, c_void_p)(compiled.address("next_break"))
    run, p = LoopRecord(), aligned(max(breaks.n_p, 1))
    places = {
        "p": p, "clock": aligned(1), "work": aligned(breaks.work_size + 8), "box": aligned(2),
        "bounds": aligned(breaks.n_out), "parts": aligned(at.LONGEST_SEARCH),
        "given_up": np.zeros(breaks.n_out // 4, np.int64),
    }  # fmt: skip
    point_to(run, **places)
    run.n_breaks, run.breaks_kernel = breaks.n_out // 4, breaks.address
    found: list[list[tuple[float, float]]] = []
    for i in range(len(cases)):
        case = cases[i]
        p[: breaks.n_p] = case.p
        run.t = run.t_start = case.t0
        run.t_last, of_case = case.t1, []
        while True:
            look(run.address)
            begin, end = run.t, min(run.t_break, case.t1)
            of_case.append((begin, end))
            if not run.t_break < case.t1:
                break
            if len(of_case) > MOST:
                return None
            run.t = end
        found.append(of_case)
    longest = max((len(one) for one in found), default=0)
    out = np.full((2, len(found), longest), np.nan)
    for i, one in enumerate(found):
        out[:, i, : len(one)] = np.array(one).T
    return Stretches(out[0], out[1])


def integrate_stretches(
    problem: LaneProblem,
    rhs: Kernel,
    method: Method,
    cases: Cases,
    stretches: Stretches,
    options: Options,
    threads: int | None,
) -> Batch:
    """Integrate all cases in lanes, interval after interval; `rhs` is the same kernel for one state."""
    jobs, rounds = stretches.begin.shape
    t = np.zeros(0) if options.samples.times is None else np.asarray(options.samples.times, float)
    whole = Batch(
        t=t,
        x=np.full((jobs, len(t), problem.rhs.n_x), np.nan),
        t_end=np.broadcast_to(np.asarray(cases.t0, float), (jobs,)).copy(),
        x_end=np.array(cases.x0, float),
        code=np.full(jobs, at.FINISHED, np.int64),
        steps=np.zeros(jobs, np.int64),
        rejected=np.zeros(jobs, np.int64),
    )
    for k in range(rounds):
        begin, end = stretches.begin[:, k], stretches.end[:, k]
        going = np.flatnonzero(np.isfinite(begin) & (whole.code == at.FINISHED))
        if not len(going):
            break
        x = whole.x_end[going]
        if k:
            x = _carried(rhs, stretches.end[going, k - 1], begin[going], x, cases.p[going])
        known = cases.normals if k == 0 else ()  # at the start; later ones are found along the way
        part = Cases(begin[going], end[going], x, cases.p[going], known)
        found = integrate_lanes(problem, method, part, options, threads)
        whole.t_end[going], whole.x_end[going], whole.code[going] = found.t_end, found.x_end, found.code
        whole.steps[going] += found.steps
        whole.rejected[going] += found.rejected
        if len(t):
            since = stretches.end[going, k - 1] if k else np.full(len(going), -np.inf)
            new = (t > since[:, None]) & (t <= end[going][:, None])
            whole.x[going] = np.where(new[:, :, None], found.x, whole.x[going])
        whole.code[(whole.code == at.FINISHED) & (whole.steps + whole.rejected >= options.limits.most)] = (
            TOO_MANY_STEPS.code
        )
        if np.any(found.code == INTERRUPTED.code):
            later = np.isfinite(stretches.begin[:, k + 1]) if k + 1 < rounds else np.zeros(jobs, bool)
            whole.code[later & (whole.code == at.FINISHED)] = INTERRUPTED.code
    return whole


def _carried(rhs: Kernel, before: Array, behind: Array, x: Array, p: Array) -> Array:
    """States just after a break from those just before it: each of the two slopes applies to half of the interval."""
    half = (behind - before)[:, None] / 2
    x = x + half * evaluate(rhs, rhs, before, x, p)
    return np.asarray(x + half * evaluate(rhs, rhs, behind, x, p))
