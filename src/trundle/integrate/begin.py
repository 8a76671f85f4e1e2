"""Start of a run, or restart after a jump or a break (compiled): state, slope and event signs are computed anew."""

from trundle.integrate import codes as at
from trundle.integrate.bookkeeping import add_event_work, extend_trail
from trundle.integrate.record import LoopRecord
from trundle.integrate.samples import record
from trundle.kernel.pointers import Pointer, call, call_table, copy, inner


@inner
def finite(values: Pointer, count: int) -> bool:
    total = 0.0
    for m in range(count):
        total += 0.0 * values[m]
    return total == 0.0


@inner
def begin(run: LoopRecord) -> None:
    """Start, or restart after a jump: project the state, compute the slope and the event signs."""
    t, x, k, n_x = run.t, run.x, run.k, run.n_x
    if run.n_breaks > 0:
        call_table(run.break_part, run)
    run.clock[0] = run.t
    run.step = run.h
    if run.projection != at.NO_PROJECTION:
        copy(x, run.sample, n_x)
        call_table(run.project_part, run)
        if run.projected == 0:
            run.status = at.CONSTRAINT
            return
        copy(run.sample, x, n_x)
        call_table(run.watch_part, run)
    call(run.rhs_kernel, run.clock, x, run.p, k, run.work)
    run.rhs_calls += 1
    run.fresh = 0
    run.pending = 0
    run.guards_known = min(run.guards_known, 1)
    add_event_work(run)
    extend_trail(run)
    if run.n_events > 0:
        call_table(run.signs_part, run)
    if run.every_step == 1:
        record(run, t, x)
    if not finite(k, n_x):
        run.status = at.NOT_FINITE


@inner
def pass_break(run: LoopRecord) -> None:
    """Pass a break: the next step begins just after it, with the new slope. Over the short interval around the break
    the mean of both slopes is used.
    """
    t, x, k, n_x = run.t, run.x, run.k, run.n_x
    call_table(run.break_part, run)
    for m in range(n_x):
        x[m] += 0.5 * (run.t - t) * k[m]
    run.clock[0] = run.t
    call(run.rhs_kernel, run.clock, x, run.p, k, run.work)
    for m in range(n_x):
        x[m] += 0.5 * (run.t - t) * k[m]
    run.rhs_calls += 1
    run.fresh = 0
