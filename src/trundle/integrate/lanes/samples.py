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
def write_samples(run: LaneRecord) -> None:
    """Samples of the accepted lanes inside their steps, by dense output; lanes take turns, one sample each."""
    accept = run.accept
    t, h, clock = run.t, run.h, run.clock
    x, x_new, k, dense = run.x, run.x_new, run.k, run.dense
    scratch, weights = run.scratch, run.dense_weights
    extra_nodes, extra_stages = run.extra_nodes, run.extra_stages
    sample, job, end = run.sample, run.job, run.job_end
    sample_t, sample_x = run.sample_t, run.sample_x
    w, n_x, width, samples = run.lanes, run.n_x, run.rows, run.n_samples
    flat, last = n_x * w, run.dense_rows - 1
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
            for e in range(run.extras):
                combine(x, shifted(extra_stages, e * width), run.stages + 1 + e, k, flat, scratch)
                for lane in range(w):
                    clock[lane] = t[lane] + extra_nodes[e] * h[lane]
                evaluate(run, scratch, shifted(k, (run.stages + 1 + e) * flat), True)
            for j in range(run.dense_rows):
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
        if run.projecting == 1:
            kept = run.keep
            for lane in range(w):
                kept[lane] = accept[lane]
            project(run, scratch, kept)
        for lane in range(w):
            if accept[lane] == at.ACCEPTED and sample[lane] < samples:
                wanted = sample_t[sample[lane]]
                if t[lane] < wanted < reached(t[lane], h[lane], end[job[lane]]):
                    row = shifted(sample_x, (job[lane] * samples + sample[lane]) * n_x)
                    for m in range(n_x):
                        row[m] = scratch[m * w + lane]
                    sample[lane] += 1
