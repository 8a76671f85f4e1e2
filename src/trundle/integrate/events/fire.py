"""Logging of an event, and its action (compiled)."""

from trundle.integrate import codes as at
from trundle.integrate.bookkeeping import before_jump
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, call_table, copy, inner, part_of, shifted, strict

CLOSE_LIMIT = 20  # so many events in a row within the smallest step are an accumulation


@inner
def finds_other_modes(run: LoopRecord) -> bool:
    """Whether there are modes of jammed contacts with unique accelerations; state and modes are unchanged."""
    x, p, jumped = run.x, run.p, run.jumped
    fired = False
    for e in range(run.n_events):
        fired = fired or (run.fired[e] == 1 and run.kind[e] == at.JAM)
    if not fired:
        return False
    copy(x, jumped, run.n_x)
    copy(p, shifted(jumped, run.n_x), run.n_p)
    call_table(run.decide_part, run)
    run.clock[0] = run.t
    call(run.events_kernel, run.clock, x, p, run.g_probe, run.work)
    copy(jumped, x, run.n_x)
    copy(shifted(jumped, run.n_x), p, run.n_p)
    unique = True
    for e in range(run.n_events):
        unique = unique and (run.kind[e] != at.JAM or run.g_probe[e] > -at.OVERDUE)
    return unique


@inner
def is_last(run: LoopRecord, goes_on: bool) -> bool:
    """Whether an event that fired ends the run; if jammed contacts can continue, only their first event is kept."""
    last = False
    first = True
    for e in range(run.n_events):
        if run.fired[e] == 1 and run.kind[e] == at.JAM and goes_on:
            run.fired[e] = int(first)
            first = False
        elif run.fired[e] == 1:
            last = last or run.kind[e] in (at.STOP, at.JAM)
    return last


@strict
def differs(a: Pointer, b: Pointer, n: int) -> bool:
    """Whether two states differ; those that are not numbers do from any."""
    count = 0
    for i in range(n):
        count += int(a[i] != b[i])
    return count > 0


@inner
def decide_anew(run: LoopRecord) -> None:
    """Decide the modes of contacts after an event of the model has moved something."""
    x, n_x = run.x, run.n_x
    if differs(x, x, n_x):
        return  # refused
    if run.projection != at.NO_PROJECTION:
        run.clock[0] = run.t
        copy(x, run.sample, n_x)
        call_table(run.project_part, run)
        if run.projected == 1:
            copy(run.sample, x, n_x)
    call_table(run.decide_part, run)


@part_of(LoopRecord)
def fire(run: LoopRecord) -> None:
    """Log the events that fired at the present time, in the order of their indices, and perform their actions."""
    x, p, clock, work = run.x, run.p, run.clock, run.work
    jumps, jumped = run.jump_kernels, run.jumped
    event_index, event_t = run.event_index, run.event_t
    event_x, event_p = run.event_x, run.event_p
    event_work, event_lost = run.event_work, run.event_lost
    n_x, n_events = run.n_x, run.n_events
    goes_on = finds_other_modes(run)
    last = is_last(run, goes_on)  # events that end the run suppress others
    for e in range(n_events):
        if run.fired[e] == 1 and (not last or run.kind[e] in (at.STOP, at.JAM, at.RECORD)):
            row = run.logged
            event_index[row] = e
            event_t[row] = run.t
            copy(x, shifted(event_x, row * n_x), n_x)
            copy(p, shifted(event_p, row * run.n_p), run.n_p)
            event_work[row], event_lost[row] = 0.0, 0.0
            run.logged += 1
            run.leaps[e] += int(e < run.watched and run.abrupt[e] == at.LEAPS)
            kind = run.kind[e]
            if kind == at.STOP or (kind == at.JAM and not goes_on):
                run.status = at.EVENT_STOP
            elif kind == at.RETURN and run.status == at.RUNNING:
                run.status = at.EVENT_RETURN
                before_jump(run)
            elif kind == at.JUMP:
                if e < run.given_events or run.driven != 0:
                    before_jump(run)
                clock[0] = run.t
                call(jumps[e], clock, x, p, jumped, work)
                moves = e < run.given_events and run.decide_part != 0 and differs(jumped, x, run.n_q + run.n_u)
                copy(jumped, x, n_x)
                copy(shifted(jumped, n_x), p, run.n_p)
                if moves:
                    decide_anew(run)
            elif kind == at.STRIKE:
                call_table(run.strike_part, run)
            elif kind in (at.DECIDE, at.JAM):
                if run.driven != 0:
                    before_jump(run)
                call_table(run.decide_part, run)
            if kind != at.RECORD:
                run.pending = 1
    close = run.t - run.t_event <= max(run.h_min, at.AT_ONCE * abs(run.t))
    run.close = run.close + 1 if close else 0
    run.t_event = run.t
    if run.close >= CLOSE_LIMIT:
        run.status = at.ZENO
    if run.logged >= run.max_events and run.status == at.RUNNING:
        run.status = at.TOO_MANY_EVENTS
