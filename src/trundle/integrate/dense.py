"""Dense output (compiled): the polynomial of a step, computed only if a sample or an event needs it."""

from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, inner, part_of, shifted


@inner
def interpolate(run: LoopRecord, s: float, out: Pointer) -> None:
    """State at the fraction `s` of the step, by the dense output that was prepared."""
    x, dense, n_x, last = run.x, run.dense, run.n_x, run.dense_rows - 1
    for m in range(n_x):
        y = dense[last * n_x + m]
        for j in range(last - 1, -1, -1):
            y = dense[j * n_x + m] + (1.0 - s if j % 2 == 0 else s) * y
        out[m] = x[m] + s * y


@part_of(LoopRecord)
def prepare_dense(run: LoopRecord) -> None:
    """Evaluate the extra stages and combine the rows of slopes into the coefficients of the dense output."""
    rhs = run.rhs_kernel
    x, p, k, dense = run.x, run.p, run.k, run.dense
    clock, scratch, work = run.clock, run.scratch, run.work
    nodes, stages = run.extra_nodes, run.extra_stages
    weights = run.dense_weights
    n_x, width, h = run.n_x, run.rows, run.step
    scale = h if run.stage_scale == 1 else 1.0
    extras = run.extras
    for i in range(extras + run.dense_rows):
        # First the points of the extra stages, then the coefficients: both are sums over the rows of slopes.
        is_stage = i < extras
        out = scratch if is_stage else shifted(dense, (i - extras) * n_x)
        row = shifted(stages, i * width) if is_stage else shifted(weights, (i - extras) * width)
        for m in range(n_x):
            out[m] = x[m] if is_stage else 0.0
        for j in range(run.end_row + 1 + i if is_stage else width):
            factor = (h if is_stage else scale) * row[j]
            if factor != 0.0:
                slope = shifted(k, j * n_x)
                for m in range(n_x):
                    out[m] += factor * slope[m]
        if is_stage:
            clock[0] = run.t + nodes[i] * h
            call(rhs, clock, scratch, p, shifted(k, (run.end_row + 1 + i) * n_x), work)
            run.rhs_calls += 1
