"""Dense output (compiled): the polynomial of a step, made only where a sample or an event asks for it."""

from trundle.integrate import layout as at
from trundle.kernel.pointers import Pointer, call, part, reals, shifted, wholes


@part
def prepare_dense(table: Pointer) -> None:
    """Evaluate the extra stages and combine the rows of slopes into the coefficients of the dense output."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    rhs = wholes(table[at.M_ADDRESS])[at.A_RHS]
    x, p, k, dense = reals(table[at.M_X]), reals(table[at.M_P]), reals(table[at.M_K]), reals(table[at.M_DENSE])
    clock, scratch, work = reals(table[at.M_CLOCK]), reals(table[at.M_SCRATCH]), reals(table[at.M_WORK])
    nodes, stages = reals(table[at.M_EXTRA_NODES]), reals(table[at.M_EXTRA_STAGES])
    weights = reals(table[at.M_DENSE_WEIGHTS])
    n_x, width, h = n[at.N_X], n[at.ROWS], r[at.STEP]
    scale = h if n[at.STAGE_SCALE] == 1 else 1.0
    extras = n[at.EXTRAS]
    for i in range(extras + n[at.DENSE]):
        # First the points of the extra stages, then the coefficients: both are sums over the rows of slopes.
        is_stage = i < extras
        out = scratch if is_stage else shifted(dense, (i - extras) * n_x)
        row = shifted(stages, i * width) if is_stage else shifted(weights, (i - extras) * width)
        for m in range(n_x):
            out[m] = x[m] if is_stage else 0.0
        for j in range(n[at.END_ROW] + 1 + i if is_stage else width):
            factor = (h if is_stage else scale) * row[j]
            if factor != 0.0:
                slope = shifted(k, j * n_x)
                for m in range(n_x):
                    out[m] += factor * slope[m]
        if is_stage:
            clock[0] = r[at.T] + nodes[i] * h
            call(rhs, clock, scratch, p, shifted(k, (n[at.END_ROW] + 1 + i) * n_x), work)
            c[at.RHS] += 1
