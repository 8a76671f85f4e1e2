"""Compiled batch loop: W trajectories side by side, each with its own time, step and error control.

All lanes are evaluated together; a lane that has reached its end takes the next job at once. Loops over states and
lanes run over flat arrays with the lane index last, which become vector instructions; slopes are kept times h.
"""

import math

from numba import njit

from trundle.integrate.lanes import layout as at
from trundle.integrate.layout import CONSTRAINT, FINISHED, NOT_FINITE, STEP_TOO_SMALL, TOO_MANY_STEPS
from trundle.kernel.pointers import Pointer, call, part, reals, shifted, wholes

PROJECTION_LIMIT = 10
GOOD_ENOUGH = 1e-9
A_RHS, A_PROJECT = 0, 1


@njit(error_model="numpy", fastmath={"contract"})
def combine(start: Pointer, factors: Pointer, count: int, k: Pointer, flat: int, out: Pointer) -> None:
    """out = start + sum_j factors[j] k[j]."""
    for i in range(flat):
        out[i] = start[i]
    for j in range(count):
        factor = factors[j]
        if factor != 0.0:
            row = shifted(k, j * flat)
            for i in range(flat):
                out[i] += factor * row[i]


@njit(error_model="numpy", fastmath={"contract"})
def evaluate(table: Pointer, x: Pointer, out: Pointer, times_h: bool) -> None:
    """Slopes at the times in CLOCK, times the step of each lane on request."""
    n, spread = wholes(table[at.T_N]), reals(table[at.T_SPREAD])
    rhs = wholes(table[at.T_ADDRESS])[A_RHS]
    call(rhs, reals(table[at.T_CLOCK]), x, reals(table[at.T_P]), out, reals(table[at.T_WORK]))
    if times_h:
        for i in range(n[at.N_X] * n[at.W]):
            out[i] *= spread[i]


@njit(error_model="numpy", fastmath={"contract"})
def project(table: Pointer, x: Pointer, accept: Pointer) -> None:
    """Bring the states of the accepted lanes onto the constraints; lanes where that fails become UNPROJECTED."""
    n, r, corrected = wholes(table[at.T_N]), reals(table[at.T_R]), reals(table[at.T_CORRECTED])
    kernel = wholes(table[at.T_ADDRESS])[A_PROJECT]
    w, n_x = n[at.W], n[at.N_X]
    for attempt in range(PROJECTION_LIMIT):
        call(kernel, reals(table[at.T_CLOCK]), x, reals(table[at.T_P]), corrected, reals(table[at.T_WORK]))
        open_lanes = 0
        for lane in range(w):
            position, velocity = corrected[n_x * w + lane], corrected[(n_x + 1) * w + lane]
            if accept[lane] == at.ACCEPTED:
                if not position + velocity < math.inf:
                    accept[lane] = at.UNPROJECTED
                elif position >= r[at.POSITION_TOL] or velocity >= r[at.VELOCITY_TOL]:
                    open_lanes += 1
                    if attempt == PROJECTION_LIMIT - 1 and (position > GOOD_ENOUGH or velocity > GOOD_ENOUGH):
                        accept[lane] = at.UNPROJECTED
        for i in range(n_x * w):
            x[i] = corrected[i]
        if open_lanes == 0:
            return


@njit(error_model="numpy")
def learn_sizes(table: Pointer, lane: int, anew: bool) -> None:
    """Absolute tolerances of a lane grow with what its job has met, as in the loop for one run."""
    n, part_of = wholes(table[at.T_N]), reals(table[at.T_R])[at.PART]
    x, atol, first = reals(table[at.T_X]), reals(table[at.T_ATOL]), reals(table[at.T_FIRST_ATOL])
    group, bound, met = wholes(table[at.T_GROUP]), reals(table[at.T_BOUND]), reals(table[at.T_MET])
    w, n_x, length = n[at.W], n[at.N_X], bound[0]
    if anew:
        for kind in range(4):
            met[kind * w + lane] = 0.0
        for m in range(n_x):
            atol[m * w + lane] = first[m]
    for m in range(n_x):
        if group[m] >= 0:
            i = group[m] * w + lane
            met[i] = max(met[i], abs(x[m * w + lane]))
    if length < math.inf:
        for kind in range(0, 4, 2):
            slide, turn = kind * w + lane, (kind + 1) * w + lane
            met[slide] = max(met[slide], length * met[turn])
            met[turn] = max(met[turn], met[slide] / length)
    for m in range(n_x):
        if group[m] >= 0:
            i = m * w + lane
            atol[i] = max(atol[i], part_of * min(bound[group[m]], met[group[m] * w + lane]))


@njit(error_model="numpy")
def refill(table: Pointer) -> int:
    """Give the next jobs to the idle lanes; returns how many were given."""
    n, job = wholes(table[at.T_N]), wholes(table[at.T_JOB])
    t, x, p, h = reals(table[at.T_T]), reals(table[at.T_X]), reals(table[at.T_P]), reals(table[at.T_H])
    job_x, job_p, start = reals(table[at.T_JOB_X]), reals(table[at.T_JOB_P]), reals(table[at.T_JOB_START])
    sample, last_error = wholes(table[at.T_SAMPLE]), reals(table[at.T_LAST_ERROR])
    w, n_x, n_p, given = n[at.W], n[at.N_X], n[at.N_P], 0
    for lane in range(w):
        if job[lane] < 0 and n[at.NEXT_JOB] < n[at.LAST_JOB]:
            new = n[at.NEXT_JOB]
            n[at.NEXT_JOB] += 1
            n[at.BUSY] += 1
            job[lane] = new
            t[lane], h[lane] = start[new], -1.0
            sample[lane], last_error[lane] = 0, 1e-4
            for m in range(n_x):
                x[m * w + lane] = job_x[new * n_x + m]
            for m in range(n_p):
                p[m * w + lane] = job_p[new * n_p + m]
            if n[at.LEARNING] == 1:
                learn_sizes(table, lane, True)
            given += 1
    return given


@njit(error_model="numpy")
def norm(table: Pointer, v: Pointer, lane: int) -> float:
    """Scaled RMS norm of a vector of one lane."""
    n, x, rtol = wholes(table[at.T_N]), reals(table[at.T_X]), reals(table[at.T_R])[at.RTOL]
    atol, weight = reals(table[at.T_ATOL]), reals(table[at.T_WEIGHT])
    w, n_x = n[at.W], n[at.N_X]
    total = 0.0
    for m in range(n_x):
        i = m * w + lane
        total += weight[i] * (v[i] / (atol[i] + rtol * abs(x[i]) + 1e-300)) ** 2
    return math.sqrt(total / max(n[at.WEIGHTED], 1))


@njit(error_model="numpy", fastmath={"contract"})
def begin(table: Pointer) -> None:
    """Project the new states, evaluate the slopes and choose the first steps (lanes with h < 0 are new)."""
    n, r = wholes(table[at.T_N]), reals(table[at.T_R])
    t, h, clock, accept = (
        reals(table[at.T_T]),
        reals(table[at.T_H]),
        reals(table[at.T_CLOCK]),
        wholes(table[at.T_ACCEPT]),
    )
    x, x_new = reals(table[at.T_X]), reals(table[at.T_X_NEW])
    slope, scratch = reals(table[at.T_SLOPE]), reals(table[at.T_SCRATCH])
    end, job = reals(table[at.T_JOB_END]), wholes(table[at.T_JOB])
    w, n_x = n[at.W], n[at.N_X]
    flat = n_x * w
    for lane in range(w):
        clock[lane] = t[lane]
        accept[lane] = at.ACCEPTED if h[lane] < 0.0 else at.IDLE
    if n[at.PROJECTING] == 1:
        for i in range(flat):
            x_new[i] = x[i]
        project(table, x_new, accept)
        for lane in range(w):
            if accept[lane] == at.ACCEPTED:
                for m in range(n_x):
                    x[m * w + lane] = x_new[m * w + lane]
    evaluate(table, x, slope, False)
    for lane in range(w):
        if h[lane] < 0.0:
            size = norm(table, x, lane)
            steep = norm(table, slope, lane)
            trial = 1e-6 if size < 1e-5 or steep < 1e-5 else 0.01 * size / steep
            h[lane] = -min(trial, end[job[lane]] - t[lane])
            clock[lane] = t[lane] - h[lane]
    for m in range(n_x):
        for lane in range(w):
            i = m * w + lane
            x_new[i] = x[i] + (-h[lane] if h[lane] < 0.0 else 0.0) * slope[i]
    evaluate(table, x_new, scratch, False)
    for i in range(flat):
        scratch[i] -= slope[i]
    for lane in range(w):
        if h[lane] < 0.0:
            steep = norm(table, slope, lane)
            bend = norm(table, scratch, lane) / max(-h[lane], 1e-300)
            largest = max(steep, bend)
            longest = max(1e-6, -1e-3 * h[lane]) if largest <= 1e-15 else (0.01 / largest) ** r[at.EXPONENT]
            first = min(-100.0 * h[lane], longest)
            h[lane] = first if first > 0.0 else 1e-6
            if r[at.H_FIRST] > 0.0:
                h[lane] = r[at.H_FIRST]


@njit(error_model="numpy", fastmath={"contract"})
def attempt(table: Pointer) -> None:
    """One step of all lanes; ERROR becomes the scaled error of each lane."""
    n, r, a = wholes(table[at.T_N]), reals(table[at.T_R]), reals(table[at.T_COEFFICIENTS])
    t, h, clock, error = reals(table[at.T_T]), reals(table[at.T_H]), reals(table[at.T_CLOCK]), reals(table[at.T_ERROR])
    x, x_new, k, slope = reals(table[at.T_X]), reals(table[at.T_X_NEW]), reals(table[at.T_K]), reals(table[at.T_SLOPE])
    spread, scratch = reals(table[at.T_SPREAD]), reals(table[at.T_SCRATCH])
    atol, weight = reals(table[at.T_ATOL]), reals(table[at.T_WEIGHT])
    w, n_x, width, stages = n[at.W], n[at.N_X], n[at.ROWS], n[at.STAGES]
    flat, nodes = n_x * w, stages * width
    weights = nodes + stages
    for m in range(n_x):
        for lane in range(w):
            spread[m * w + lane] = h[lane]
    for i in range(flat):
        k[i] = spread[i] * slope[i]
    for i in range(1, stages):
        combine(x, shifted(a, i * width), i, k, flat, x_new)
        for lane in range(w):
            clock[lane] = t[lane] + a[nodes + i] * h[lane]
        evaluate(table, x_new, shifted(k, i * flat), True)
    combine(x, shifted(a, weights), stages, k, flat, x_new)
    for lane in range(w):
        clock[lane] = t[lane] + h[lane]
    if n[at.END_IN_STEP] == 1:
        evaluate(table, x_new, shifted(k, stages * flat), True)

    for lane in range(w):
        error[lane] = 0.0
        error[w + lane] = 0.0
    rtol = r[at.RTOL]
    for which in range(n[at.ERROR_ROWS]):
        for i in range(flat):
            scratch[i] = 0.0
        combine(scratch, shifted(a, weights + (1 + which) * width), stages + n[at.END_IN_STEP], k, flat, scratch)
        for i in range(flat):
            e = scratch[i] / (atol[i] + rtol * max(abs(x[i]), abs(x_new[i])) + 1e-300)
            scratch[i] = weight[i] * e * e + 0.0 * x_new[i]
        for m in range(n_x):
            for lane in range(w):
                error[which * w + lane] += scratch[m * w + lane]
    counted = max(n[at.WEIGHTED], 1)
    for lane in range(w):
        first, second = error[lane], error[w + lane]
        if n[at.ERROR_ROWS] == 1 or first == 0.0:
            error[lane] = math.sqrt(first / counted)
        else:
            error[lane] = first / math.sqrt(counted * (first + 0.01 * second))


@njit(error_model="numpy")
def reached(t: float, h: float, end: float) -> float:
    """Time at the end of a step; the last step ends exactly at the end."""
    return end if h >= end - t else t + h


@njit(error_model="numpy", fastmath={"contract"})
def write_samples(table: Pointer) -> None:
    """Samples of the accepted lanes inside their steps, by dense output; lanes take turns, one sample each."""
    n, accept = wholes(table[at.T_N]), wholes(table[at.T_ACCEPT])
    t, h, clock = reals(table[at.T_T]), reals(table[at.T_H]), reals(table[at.T_CLOCK])
    x, x_new, k, dense = reals(table[at.T_X]), reals(table[at.T_X_NEW]), reals(table[at.T_K]), reals(table[at.T_DENSE])
    scratch, weights = reals(table[at.T_SCRATCH]), reals(table[at.T_DENSE_WEIGHTS])
    extra_nodes, extra_stages = reals(table[at.T_EXTRA_NODES]), reals(table[at.T_EXTRA_STAGES])
    sample, job, end = wholes(table[at.T_SAMPLE]), wholes(table[at.T_JOB]), reals(table[at.T_JOB_END])
    sample_t, sample_x = reals(table[at.T_SAMPLE_T]), reals(table[at.T_SAMPLE_X])
    w, n_x, width, samples = n[at.W], n[at.N_X], n[at.ROWS], n[at.SAMPLES]
    flat, last = n_x * w, n[at.DENSE] - 1
    ready = False
    while True:
        inside, written = 0, 0
        for lane in range(w):
            if accept[lane] == at.ACCEPTED and sample[lane] < samples:
                wanted, t_new = sample_t[sample[lane]], reached(t[lane], h[lane], end[job[lane]])
                if t[lane] < wanted < t_new:
                    inside += 1
                elif wanted <= t_new:
                    # At an end of the step the state itself is the sample.
                    row = shifted(sample_x, (job[lane] * samples + sample[lane]) * n_x)
                    for m in range(n_x):
                        row[m] = x_new[m * w + lane] if wanted > t[lane] else x[m * w + lane]
                    sample[lane] += 1
                    written += 1
        if inside == 0:
            if written == 0:
                return
            continue
        if not ready:
            for e in range(n[at.EXTRAS]):
                combine(x, shifted(extra_stages, e * width), n[at.STAGES] + 1 + e, k, flat, scratch)
                for lane in range(w):
                    clock[lane] = t[lane] + extra_nodes[e] * h[lane]
                evaluate(table, scratch, shifted(k, (n[at.STAGES] + 1 + e) * flat), True)
            for j in range(n[at.DENSE]):
                row = shifted(dense, j * flat)
                for i in range(flat):
                    row[i] = 0.0
                combine(row, shifted(weights, j * width), width, k, flat, row)
            ready = True
        for lane in range(w):
            s = 1.0
            if accept[lane] == at.ACCEPTED and sample[lane] < samples:
                s = min(1.0, max(0.0, (sample_t[sample[lane]] - t[lane]) / h[lane]))
            clock[lane] = t[lane] + s * h[lane]
            for m in range(n_x):
                i = m * w + lane
                y = dense[last * flat + i]
                for j in range(last - 1, -1, -1):
                    y = dense[j * flat + i] + (1.0 - s if j % 2 == 0 else s) * y
                scratch[i] = x[i] + s * y
        if n[at.PROJECTING] == 1:
            kept = wholes(table[at.T_KEEP])
            for lane in range(w):
                kept[lane] = accept[lane]
            project(table, scratch, kept)
        for lane in range(w):
            if accept[lane] == at.ACCEPTED and sample[lane] < samples:
                wanted = sample_t[sample[lane]]
                if t[lane] < wanted < reached(t[lane], h[lane], end[job[lane]]):
                    row = shifted(sample_x, (job[lane] * samples + sample[lane]) * n_x)
                    for m in range(n_x):
                        row[m] = scratch[m * w + lane]
                    sample[lane] += 1


@njit(error_model="numpy")
def finish(table: Pointer, lane: int, code: int) -> None:
    """Hand in the job of a lane and leave the lane idle (a step of zero keeps its arithmetic harmless)."""
    n, job, x = wholes(table[at.T_N]), wholes(table[at.T_JOB]), reals(table[at.T_X])
    done = job[lane]
    row = shifted(reals(table[at.T_JOB_X]), done * n[at.N_X])
    for m in range(n[at.N_X]):
        row[m] = x[m * n[at.W] + lane]
    wholes(table[at.T_JOB_CODE])[done] = code
    reals(table[at.T_JOB_T])[done] = reals(table[at.T_T])[lane]
    reals(table[at.T_H])[lane] = 0.0
    job[lane] = -1
    n[at.BUSY] -= 1


@part
def advance_lanes(table: Pointer) -> None:
    """Take at most BUDGET steps of all lanes; the share of the thread is done when BUSY is 0 and no job is left."""
    n, r = wholes(table[at.T_N]), reals(table[at.T_R])
    t, h, error = reals(table[at.T_T]), reals(table[at.T_H]), reals(table[at.T_ERROR])
    last_error, rejected = reals(table[at.T_LAST_ERROR]), wholes(table[at.T_REJECTED])
    accept, job, end = wholes(table[at.T_ACCEPT]), wholes(table[at.T_JOB]), reals(table[at.T_JOB_END])
    x, x_new, slope, k = reals(table[at.T_X]), reals(table[at.T_X_NEW]), reals(table[at.T_SLOPE]), reals(table[at.T_K])
    scratch, spread = reals(table[at.T_SCRATCH]), reals(table[at.T_SPREAD])
    steps, job_rejected = wholes(table[at.T_JOB_STEPS]), wholes(table[at.T_JOB_REJECTED])
    w, n_x, stages = n[at.W], n[at.N_X], n[at.STAGES]
    flat = n_x * w
    for _ in range(n[at.BUDGET]):
        if n[at.BUSY] < w and refill(table) > 0:
            begin(table)
            for lane in range(w):
                if accept[lane] == at.UNPROJECTED:
                    finish(table, lane, CONSTRAINT)
                rejected[lane] = 0 if accept[lane] != at.IDLE else rejected[lane]
        if n[at.BUSY] == 0:
            return
        for lane in range(w):
            if job[lane] >= 0:
                remaining = end[job[lane]] - t[lane]
                h[lane] = min(h[lane], r[at.H_MAX])
                if 1.01 * h[lane] >= remaining:
                    h[lane] = remaining
        attempt(table)
        for lane in range(w):
            accept[lane] = at.IDLE
            if job[lane] >= 0:
                accept[lane] = at.ACCEPTED if error[lane] <= 1.0 else at.TOO_LARGE
                if not error[lane] < math.inf:
                    accept[lane] = at.BROKEN
        if n[at.PROJECTING] == 1:
            project(table, x_new, accept)
        if n[at.PROJECTING] == 1 or n[at.END_IN_STEP] == 0:
            # The slope itself is needed for the next step, the slope times h for the dense output.
            evaluate(table, x_new, scratch, False)
            end_row = shifted(k, stages * flat)
            for i in range(flat):
                end_row[i] = scratch[i] * spread[i]
        else:
            end_row = shifted(k, stages * flat)
            for i in range(flat):
                scratch[i] = end_row[i] / spread[i]
        for m in range(n_x):
            for lane in range(w):
                if accept[lane] == at.ACCEPTED and scratch[m * w + lane] * 0.0 != 0.0:
                    accept[lane] = at.BROKEN
        # The samples need the scratch array: the new slopes are put away before (the old ones are kept, times h, in k).
        for m in range(n_x):
            for lane in range(w):
                i = m * w + lane
                if accept[lane] == at.ACCEPTED:
                    slope[i] = scratch[i]
        if n[at.SAMPLES] > 0:
            write_samples(table)
        for m in range(n_x):
            for lane in range(w):
                i = m * w + lane
                if accept[lane] == at.ACCEPTED:
                    x[i] = x_new[i]
        for lane in range(w):
            if accept[lane] == at.IDLE:
                continue
            which = job[lane]
            if accept[lane] == at.ACCEPTED:
                if n[at.LEARNING] == 1:
                    learn_sizes(table, lane, False)
                steps[which] += 1
                t[lane] = reached(t[lane], h[lane], end[which])
                e = max(error[lane], 1e-10)
                factor = r[at.SAFETY] * e ** -r[at.ALPHA] * last_error[lane] ** r[at.BETA]
                factor = min(r[at.GROW], max(r[at.SHRINK], factor))
                if rejected[lane] == 1:
                    factor = min(factor, 1.0)
                h[lane] *= factor
                last_error[lane] = max(e, 1e-4)
                rejected[lane] = 0
                if t[lane] >= end[which]:
                    finish(table, lane, FINISHED)
            else:
                job_rejected[which] += 1
                rejected[lane] = 1
                code, factor = STEP_TOO_SMALL, 0.25
                if accept[lane] == at.TOO_LARGE:
                    factor = max(r[at.SHRINK], r[at.SAFETY] * error[lane] ** -r[at.ALPHA])
                elif accept[lane] == at.BROKEN:
                    code = NOT_FINITE
                else:
                    code, factor = CONSTRAINT, 0.5
                h[lane] *= factor
                if h[lane] < max(r[at.H_MIN], 1e-15 * abs(t[lane])):
                    finish(table, lane, code)
            if job[lane] >= 0 and steps[which] + job_rejected[which] >= n[at.MAX_STEPS]:
                finish(table, lane, TOO_MANY_STEPS)
