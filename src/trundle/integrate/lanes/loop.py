"""Compiled batch loop: several runs in parallel lanes, each with its own time, step and error control.

All lanes are evaluated together; a lane that has reached its end takes the next job at once. Loops over states and
lanes run over flat arrays with the lane index last, so that they become vector instructions; slopes are stored times h.
"""

import math

from trundle.integrate import codes as at
from trundle.integrate.lanes.guards import watch_lanes
from trundle.integrate.lanes.jobs import begin, finish, learn_lane, refill
from trundle.integrate.lanes.other_normals import track_in_lanes
from trundle.integrate.lanes.samples import reached, write_samples
from trundle.integrate.lanes.step import attempt, evaluate_at_end, project
from trundle.integrate.record import LaneRecord
from trundle.integrate.step_control import LEAST_LAST, growth, shrinkage, smallest_step
from trundle.kernel.pointers import inner, part_of, shifted


@inner
def fill_lanes(run: LaneRecord) -> None:
    """Assign the next jobs to idle lanes; jobs whose start cannot be projected end at once."""
    accept, rejected = run.accept, run.rejected
    if run.busy < run.lanes and refill(run) > 0:
        begin(run)
        for lane in range(run.lanes):
            if accept[lane] == at.UNPROJECTED:
                finish(run, lane, at.CONSTRAINT)
            rejected[lane] = 0 if accept[lane] != at.IDLE else rejected[lane]


@inner
def choose_steps(run: LaneRecord) -> None:
    """Choose the steps; a step is extended to the end if only a tiny interval would be left."""
    t, h, job, end = run.t, run.h, run.job, run.job_end
    for lane in range(run.lanes):
        if job[lane] >= 0:
            remaining = end[job[lane]] - t[lane]
            h[lane] = min(h[lane], run.h_max)
            if 1.01 * h[lane] >= remaining:
                h[lane] = remaining


@inner
def judge(run: LaneRecord) -> None:
    """Accept or reject the step of each lane by its error."""
    accept, job, error = run.accept, run.job, run.error
    for lane in range(run.lanes):
        accept[lane] = at.IDLE
        if job[lane] >= 0:
            accept[lane] = at.ACCEPTED if error[lane] <= 1.0 else at.TOO_LARGE
            if not error[lane] < math.inf:
                accept[lane] = at.BROKEN


@inner
def end_slopes(run: LaneRecord) -> None:
    """Slopes at the ends of the steps: as they are for the next step, times h for the dense output."""
    scratch, spread, slope, accept = run.scratch, run.spread, run.slope, run.accept
    w, n_x = run.lanes, run.n_x
    end_row = shifted(run.k, run.stages * n_x * w)
    for lane in range(w):
        run.taken[lane] = 1.0 if accept[lane] == at.ACCEPTED else 0.0
    if run.projecting == 1 or run.end_in_step == 0:
        evaluate_at_end(run)
        for i in range(n_x * w):
            end_row[i] = scratch[i] * spread[i]
    else:
        for i in range(n_x * w):
            scratch[i] = end_row[i] / spread[i]
    broken = 0
    for i in range(n_x * w):
        broken |= int(scratch[i] * 0.0 != 0.0)
    for i in range(n_x * w if broken != 0 else 0):
        if accept[i % w] == at.ACCEPTED and scratch[i] * 0.0 != 0.0:
            accept[i % w], run.taken[i % w] = at.BROKEN, 0.0
    # The samples need the scratch array, so the new slopes are copied before (the old ones are, times h, in k).
    for m in range(n_x):
        for lane in range(w):
            i = m * w + lane
            if accept[lane] == at.ACCEPTED:
                slope[i] = scratch[i]


@inner
def take_states(run: LaneRecord) -> None:
    """Copy the states at the ends of accepted steps."""
    x, x_new, accept, w = run.x, run.x_new, run.accept, run.lanes
    for m in range(run.n_x):
        for lane in range(w):
            i = m * w + lane
            if accept[lane] == at.ACCEPTED:
                x[i] = x_new[i]


@inner
def accept_step(run: LaneRecord, lane: int) -> None:
    """Update time and step of a lane with an accepted step."""
    t, h, error, last_error, which = run.t, run.h, run.error, run.last_error, run.job[lane]
    if run.learning == 1:
        learn_lane(run, lane)
    run.job_steps[which] += 1
    t[lane] = reached(t[lane], h[lane], run.job_end[which])
    h[lane] *= growth(run, error[lane], last_error[lane], run.rejected[lane])
    last_error[lane] = max(error[lane], LEAST_LAST)
    run.rejected[lane] = 0
    if t[lane] >= run.job_end[which]:
        finish(run, lane, at.FINISHED)


@inner
def reject_step(run: LaneRecord, lane: int) -> None:
    """Shorten the step of a lane, or end its job if the step would be too short."""
    h, became = run.h, run.accept[lane]
    run.job_rejected[run.job[lane]] += 1
    run.rejected[lane] = 1
    code, factor = at.STEP_TOO_SMALL, 0.25
    if became == at.TOO_LARGE:
        factor = shrinkage(run, run.error[lane])
    elif became == at.BROKEN:
        code = at.NOT_FINITE
    else:
        code, factor = at.CONSTRAINT, 0.5
    h[lane] *= factor
    if h[lane] <= smallest_step(run, run.t[lane]):
        finish(run, lane, code)


@part_of(LaneRecord)
def advance_lanes(run: LaneRecord) -> None:
    """Take at most `budget` steps of all lanes; a thread has finished when no lane is busy and no job is left."""
    for _ in range(run.budget):
        fill_lanes(run)
        if run.busy == 0:
            return
        choose_steps(run)
        attempt(run)
        judge(run)
        if run.projecting == 1:
            project(run, run.x_new, run.accept)
        end_slopes(run)
        if run.n_guards > 0:
            watch_lanes(run)
        if run.n_normal_packs > 0:
            track_in_lanes(run)
        if run.n_samples > 0:
            write_samples(run)
        take_states(run)
        for lane in range(run.lanes):
            which = run.job[lane]
            if run.accept[lane] == at.ACCEPTED:
                accept_step(run, lane)
            elif run.accept[lane] == at.ALARMED:
                finish(run, lane, at.ALARM)
            elif run.accept[lane] != at.IDLE:
                reject_step(run, lane)
            if run.job[lane] >= 0 and run.job_steps[which] + run.job_rejected[which] >= run.max_steps:
                finish(run, lane, at.TOO_MANY_STEPS)
