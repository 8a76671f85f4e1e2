"""Rows of output (compiled): at given times, or at every step."""

from trundle.integrate import codes as at
from trundle.integrate.dense import interpolate
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call_table, copy, inner, shifted


@inner
def record(run: LoopRecord, t: float, x: Pointer) -> None:
    """Write a row of output, and the number of events before it."""
    run.out_t[run.written] = t
    run.out_events[run.written] = run.logged
    copy(x, shifted(run.out_x, run.written * run.n_x), run.n_x)
    run.written += 1


@inner
def samples_at_start(run: LoopRecord) -> None:
    """Samples that are due before the step, at the start or at a break."""
    while run.written < run.n_samples and run.sample_t[run.written] <= run.t:
        record(run, run.sample_t[run.written], run.x)


@inner
def samples_in_step(run: LoopRecord) -> None:
    """Write the samples inside the step from the dense output, one at its end from the state itself."""
    while run.written < run.n_samples and run.sample_t[run.written] <= run.t_new:
        wanted = run.sample_t[run.written]
        if wanted == run.t_new:
            record(run, wanted, run.x_new)
            continue
        if run.dense_ready == 0:
            call_table(run.dense_part, run)
            run.dense_ready = 1
        interpolate(run, (wanted - run.t) / run.step, run.sample)
        if run.projection != at.NO_PROJECTION:
            # A sample that cannot be projected is kept as interpolated: its step was accepted.
            run.clock[0] = wanted
            call_table(run.project_part, run)
        record(run, wanted, run.sample)
