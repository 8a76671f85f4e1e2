"""Samples of lanes (compiled), by the dense output of their steps."""

from trundle.integrate import codes as at
from trundle.integrate.lanes.step import combine, evaluate, project
from trundle.integrate.record import LaneRecord
from trundle.kernel.pointers import inner, shifted, strict


@strict
def reached(t: float, h: float, end: float) -> float:
    """Time at the end of a step; the last step ends exactly at the end."""
    return end if h >= end - t else t + h


@inner
def write_ends(run: LaneRecord) -> tuple[int, int]:
    """Write the sample of each accepted lane that is at an end of its step; return the number of lanes with a sample
    inside their step, and the number of written ones.
    """
    t, h, sample, job = run.t, run.h, run.sample, run.job
    w, n_x, samples = run.lanes, run.n_x, run.n_samples
    inside, written = 0, 0
    for lane in range(w):
        if run.accept[lane] == at.ACCEPTED and sample[lane] < samples:
            wanted, t_new = run.sample_t[sample[lane]], reached(t[lane], h[lane], run.job_end[job[lane]])
            if t[lane] < wanted < t_new:
                inside += 1
            elif wanted <= t_new:
                # At an end of the step the state itself is the sample.
                row = shifted(run.sample_x, (job[lane] * samples + sample[lane]) * n_x)
                for m in range(n_x):
                    row[m] = run.x_new[m * w + lane] if wanted > t[lane] else run.x[m * w + lane]
                sample[lane] += 1
                written += 1
    return inside, written


@inner
def prepare_dense(run: LaneRecord) -> None:
    """Coefficients of the dense output of this step, for all lanes."""
    clock, k, dense, scratch = run.clock, run.k, run.dense, run.scratch
    w, width = run.lanes, run.rows
    flat = run.n_x * w
    for e in range(run.extras):
        combine(run.x, shifted(run.extra_stages, e * width), run.stages + 1 + e, k, flat, scratch)
        for lane in range(w):
            clock[lane] = run.t[lane] + run.extra_nodes[e] * run.h[lane]
        evaluate(run, scratch, shifted(k, (run.stages + 1 + e) * flat), True)
    for j in range(run.dense_rows):
        row = shifted(dense, j * flat)
        for i in range(flat):
            row[i] = 0.0
        combine(row, shifted(run.dense_weights, j * width), width, k, flat, row)


@inner
def interpolate(run: LaneRecord) -> None:
    """Write the states of all lanes at the times of their next samples, projected, to SCRATCH."""
    accept, sample, sample_t = run.accept, run.sample, run.sample_t
    t, h, x, dense, scratch = run.t, run.h, run.x, run.dense, run.scratch
    w, n_x = run.lanes, run.n_x
    flat, last = n_x * w, run.dense_rows - 1
    for lane in range(w):
        s = 1.0
        if accept[lane] == at.ACCEPTED and sample[lane] < run.n_samples:
            s = min(1.0, max(0.0, (sample_t[sample[lane]] - t[lane]) / h[lane]))
        run.clock[lane] = t[lane] + s * h[lane]
        for m in range(n_x):
            i = m * w + lane
            y = dense[last * flat + i]
            for j in range(last - 1, -1, -1):
                y = dense[j * flat + i] + (1.0 - s if j % 2 == 0 else s) * y
            scratch[i] = x[i] + s * y
    if run.projecting == 1:
        for lane in range(w):
            run.keep[lane] = accept[lane]
        project(run, scratch, run.keep)


@inner
def write_inside(run: LaneRecord) -> None:
    """Write the states in SCRATCH as samples of the lanes with a sample inside their step."""
    t, h, sample, job = run.t, run.h, run.sample, run.job
    w, n_x, samples = run.lanes, run.n_x, run.n_samples
    for lane in range(w):
        if run.accept[lane] == at.ACCEPTED and sample[lane] < samples:
            wanted = run.sample_t[sample[lane]]
            if t[lane] < wanted < reached(t[lane], h[lane], run.job_end[job[lane]]):
                row = shifted(run.sample_x, (job[lane] * samples + sample[lane]) * n_x)
                for m in range(n_x):
                    row[m] = run.scratch[m * w + lane]
                sample[lane] += 1


@inner
def write_samples(run: LaneRecord) -> None:
    """Write the samples of accepted lanes by dense output, one sample of each lane at a time."""
    ready = False
    while True:
        inside, written = write_ends(run)
        if inside == 0:
            if written == 0:
                return
            continue
        if not ready:
            prepare_dense(run)
            ready = True
        interpolate(run)
        write_inside(run)
