"""The compiled control loop: step, error control, projection, events, samples. It can return and resume at any step.

Parts that only some runs need are called by their address, so that each is compiled separately, when it is needed.
"""

from trundle.integrate import codes as at
from trundle.integrate.begin import begin, pass_break
from trundle.integrate.bookkeeping import extend_trail
from trundle.integrate.events.in_step import handle_events
from trundle.integrate.near_fold import NEAR_FOLD, near_fold
from trundle.integrate.record import LoopRecord
from trundle.integrate.samples import record, samples_at_start, samples_in_step
from trundle.integrate.step_control import LEAST_LAST, growth, learn_sizes
from trundle.integrate.try_step import choose_step, try_step
from trundle.kernel.pointers import call_table, copy, inner, part_of, shifted

SHORT = 1e-12  # of the time: steps below it add up to what the clock does not resolve


@inner
def is_over(run: LoopRecord) -> bool:
    """Whether the loop must return before the next step, because the run has ended or a buffer is full."""
    if run.t_end - run.t <= 0.0:
        run.status = at.FINISHED
    elif run.steps + run.rejected >= run.max_steps:
        run.status = at.TOO_MANY_STEPS
    elif (
        (run.every_step == 1 and run.written + 2 > run.out_room)
        or run.logged + run.n_events > run.event_room
        or run.passages + 2 * run.n_monitors > run.near_room
    ):
        run.status = at.BUFFER_FULL
    return run.status != at.RUNNING


@inner
def accept(run: LoopRecord) -> None:
    """Accept the step; the length of the next one follows from the full step, even if an event has shortened it."""
    moved = run.t_new > run.t
    if run.n_guards > 0 and moved:
        call_table(run.guard_part, run)
    if run.stiffness != at.ONE_METHOD and moved and run.step == run.full_step:
        call_table(run.stiffness_part, run)
    copy(run.x_new, run.x, run.n_x)
    copy(shifted(run.k, run.end_row * run.n_x), run.k, run.n_x)
    resolved = run.fixed == 1 or run.t_new == run.t_stop or run.step > SHORT * abs(run.t)
    run.t_left = 0.0 if resolved else run.step + run.t_left - (run.t_new - run.t)
    run.t = run.t_new
    if run.n_normal_packs > 0 and moved and run.status == at.RUNNING:
        call_table(run.normal_part, run)
    if run.learning == 1:
        learn_sizes(run, run.x, run.atol, run.largest, 1)
    if run.fixed == 0:
        run.h = run.full_step * growth(run, run.full_error, run.last_error, run.last_rejected)
        run.last_error = max(run.full_error, LEAST_LAST)
    run.steps += 1
    run.work_errors += run.work_error
    extend_trail(run)
    run.avoided = 0
    run.last_rejected = 0
    run.fresh = 0
    if run.every_step == 1 and moved:
        record(run, run.t, run.x)
    if run.status == at.ALARM:
        return
    if run.hit > 0:
        call_table(run.fire_part, run)
        run.hit = 0
    elif run.whole == 1 and run.step == run.full_step:
        run.grid += 1
    passed = run.steps >= run.passage_end or not near_fold(run, NEAR_FOLD)
    if run.folds == at.PASSING and run.status == at.RUNNING and passed:
        run.status = at.FOLD_PASSED
    if run.unsuited == 1 and run.status == at.RUNNING:
        run.status = at.UNSUITED


@inner
def take_steps(run: LoopRecord) -> None:
    """At most `budget` attempted steps."""
    for _ in range(run.budget):
        if run.status != at.RUNNING:
            return
        if run.pending == 1:
            begin(run)
            if run.status != at.RUNNING:
                return
        elif run.n_breaks > 0 and run.t >= run.t_break:
            pass_break(run)
        samples_at_start(run)
        if is_over(run):
            return
        if run.hit > 0:  # an event that fires at the start or after a jump
            call_table(run.fire_part, run)
            run.hit = 0
            continue
        choose_step(run)
        if try_step(run) and handle_events(run):
            if run.projection != at.NO_PROJECTION:
                run.clock[0] = run.t_new
                call_table(run.watch_part, run)
            samples_in_step(run)
            accept(run)


@part_of(LoopRecord)
def advance(run: LoopRecord) -> None:
    """Integrate by at most `budget` attempted steps; `status` is the reason for which the loop returned."""
    run.status = at.RUNNING
    take_steps(run)
    if run.guards_rested > 0 and run.status not in (at.RUNNING, at.BUFFER_FULL, at.ALARM):
        call_table(run.guard_part, run)
