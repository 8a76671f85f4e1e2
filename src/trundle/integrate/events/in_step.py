"""Events inside a step of the loop (compiled); the step ends at the first one."""

from trundle.integrate import codes as at
from trundle.integrate.events.zero import sign_of
from trundle.integrate.near_fold import at_fold
from trundle.integrate.record import LoopRecord
from trundle.integrate.try_step import reject
from trundle.kernel.pointers import call, call_table, copy, inner, shifted


@inner
def only_recorded(run: LoopRecord) -> bool:
    """Whether all events that fired are only recorded."""
    others = 0
    for e in range(run.n_events):
        others += int(run.fired[e] == 1 and run.kind[e] != at.RECORD)
    return others == 0


@inner
def pass_recorded(run: LoopRecord) -> None:
    """Log an event at a singular pose without ending the step there, because integration should not restart at a
    singular pose.
    """
    t, held, n_x = run.t, run.jumped, run.n_x
    copy(run.x, held, n_x)
    copy(run.x_new, run.x, n_x)
    run.t = run.t_new
    call_table(run.fire_part, run)
    copy(held, run.x, n_x)
    run.t = t
    run.step = run.full_step
    run.t_new = t + (run.step + run.t_left) if run.whole == 1 else run.t_stop
    call_table(run.step_part, run)
    run.clock[0] = run.t_new
    copy(run.x_new, run.sample, n_x)
    call_table(run.project_part, run)
    copy(run.sample, run.x_new, n_x)
    call(run.rhs_kernel, run.clock, run.x_new, run.p, shifted(run.k, run.end_row * n_x), run.work)
    call(run.events_kernel, run.clock, run.x_new, run.p, run.g_start, run.work)
    for e in range(run.n_events):
        run.sign[e] = sign_of(run.g_start[e])
    run.hit = 0


@inner
def handle_events(run: LoopRecord) -> bool:
    """Find the first events in the step and end it there: `x_new` and the slopes become those of the shorter step.

    False if the step is rejected or events accumulate.
    """
    run.dense_ready = 0
    run.hit = 0
    if run.n_events == 0:
        return True
    call_table(run.dense_part, run)
    call_table(run.search_part, run)
    run.dense_ready = int(run.hit == 0 and run.step == run.full_step)
    if run.hit == -2:
        run.status = at.ZENO
        return False
    if run.hit < 0:
        run.step = run.full_step
        reject(run, 0.5, at.CONSTRAINT)
        return False
    if run.step != run.full_step:
        run.t_new = run.t + (run.step + run.t_left)
    projecting = run.projection != at.NO_PROJECTION
    if run.hit > 0 and projecting and run.fixed == 0 and at_fold(run) and only_recorded(run):
        pass_recorded(run)
    return True
