"""Assignment of runs to lanes, their first steps, and their results (compiled)."""

import math

from trundle.integrate import codes as at
from trundle.integrate.lanes.step import evaluate, project
from trundle.integrate.record import LaneRecord
from trundle.integrate.step_control import learn_sizes
from trundle.kernel.pointers import Pointer, inner, shifted, strict


@inner
def learn_lane(run: LaneRecord, lane: int) -> None:
    """Let the tolerances of a lane grow with the largest states of its job so far."""
    learn_sizes(run, shifted(run.x, lane), shifted(run.atol, lane), shifted(run.largest, lane), run.lanes)


@inner
def forget_sizes(run: LaneRecord, lane: int) -> None:
    """Reset the largest states for a new job."""
    w, atol, largest, first = run.lanes, run.atol, run.largest, run.first_atol
    for kind in range(4):
        largest[kind * w + lane] = 0.0
    for m in range(run.n_x):
        atol[m * w + lane] = first[m]


@strict
def refill(run: LaneRecord) -> int:
    """Assign the next jobs to idle lanes; return their number."""
    job = run.job
    t, x, p, h = run.t, run.x, run.p, run.h
    job_x, job_p, start = run.job_x, run.job_p, run.job_start
    sample, last_error = run.sample, run.last_error
    w, n_x, n_p, given = run.lanes, run.n_x, run.n_p, 0
    for lane in range(w):
        if job[lane] < 0 and run.next_job < run.last_job:
            new = run.next_job
            run.next_job += 1
            run.busy += 1
            job[lane] = new
            t[lane], h[lane] = start[new], -1.0
            sample[lane], last_error[lane] = 0, 1e-4
            for m in range(n_x):
                x[m * w + lane] = job_x[new * n_x + m]
            for m in range(n_p):
                p[m * w + lane] = job_p[new * n_p + m]
            if run.learning == 1:
                forget_sizes(run, lane)
                learn_lane(run, lane)
            given += 1
    run.guard_news = 1
    if given > 0:
        run.normal_news = 1
    return given


@strict
def norm(run: LaneRecord, v: Pointer, lane: int) -> float:
    """Scaled RMS norm of a vector of one lane."""
    x, rtol = run.x, run.rtol
    atol, weight = run.atol, run.weight
    w, n_x = run.lanes, run.n_x
    total = 0.0
    for m in range(n_x):
        i = m * w + lane
        total += weight[i] * (v[i] / (atol[i] + rtol * abs(x[i]) + 1e-300)) ** 2
    return math.sqrt(total / max(run.weighted, 1))


@inner
def begin(run: LaneRecord) -> None:
    """Project the new states, evaluate the slopes and choose the first steps (lanes with h < 0 are new)."""
    t, h, clock, accept = run.t, run.h, run.clock, run.accept
    x, x_new = run.x, run.x_new
    slope, scratch = run.slope, run.scratch
    end, job = run.job_end, run.job
    w, n_x = run.lanes, run.n_x
    flat = n_x * w
    for lane in range(w):
        clock[lane] = t[lane]
        accept[lane] = at.ACCEPTED if h[lane] < 0.0 else at.IDLE
    if run.projecting == 1:
        for i in range(flat):
            x_new[i] = x[i]
        project(run, x_new, accept)
        for lane in range(w):
            if accept[lane] == at.ACCEPTED:
                for m in range(n_x):
                    x[m * w + lane] = x_new[m * w + lane]
    evaluate(run, x, slope, False)
    for lane in range(w):
        if h[lane] < 0.0:
            size = norm(run, x, lane)
            steep = norm(run, slope, lane)
            trial = 1e-6 if size < 1e-5 or steep < 1e-5 else 0.01 * size / steep
            h[lane] = -min(trial, end[job[lane]] - t[lane])
            clock[lane] = t[lane] - h[lane]
    for m in range(n_x):
        for lane in range(w):
            i = m * w + lane
            x_new[i] = x[i] + (-h[lane] if h[lane] < 0.0 else 0.0) * slope[i]
    evaluate(run, x_new, scratch, False)
    for i in range(flat):
        scratch[i] -= slope[i]
    for lane in range(w):
        if h[lane] < 0.0:
            steep = norm(run, slope, lane)
            bend = norm(run, scratch, lane) / max(-h[lane], 1e-300)
            largest = max(steep, bend)
            longest = max(1e-6, -1e-3 * h[lane]) if largest <= 1e-15 else (0.01 / largest) ** run.exponent
            first = min(-100.0 * h[lane], longest)
            h[lane] = first if first > 0.0 else 1e-6
            if run.h_first > 0.0:
                h[lane] = run.h_first


@strict
def finish(run: LaneRecord, lane: int, code: int) -> None:
    """Store the result of the job of a lane and leave the lane idle (with a harmless step of zero)."""
    job, x = run.job, run.x
    done = job[lane]
    row = shifted(run.job_x, done * run.n_x)
    for m in range(run.n_x):
        row[m] = x[m * run.lanes + lane]
    run.job_code[done] = code
    run.job_t[done] = run.t[lane]
    run.h[lane] = 0.0
    job[lane] = -1
    run.busy -= 1
