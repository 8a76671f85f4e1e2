"""What happens at an event (compiled): it is logged, and does what its kind asks."""

from trundle.integrate import layout as at
from trundle.integrate.bookkeeping import before_jump
from trundle.kernel.pointers import Pointer, call, call_table, copy, part, reals, shifted, wholes

CLOSE_LIMIT = 20  # so many events in a row within the smallest step are an accumulation


@part
def fire(table: Pointer) -> None:
    """Log the events that fired at the present time, in the order of their index, and do what their kind asks."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    x, p, clock, work = reals(table[at.M_X]), reals(table[at.M_P]), reals(table[at.M_CLOCK]), reals(table[at.M_WORK])
    flags, jumps, jumped = wholes(table[at.M_FLAGS]), wholes(table[at.M_JUMPS]), reals(table[at.M_JUMPED])
    event_index, event_t = wholes(table[at.M_EVENT_INDEX]), reals(table[at.M_EVENT_T])
    event_x, event_p = reals(table[at.M_EVENT_X]), reals(table[at.M_EVENT_P])
    event_work, event_lost = reals(table[at.M_EVENT_WORK]), reals(table[at.M_EVENT_LOST])
    n_x, n_events = n[at.N_X], n[at.EVENTS]
    last = False  # what ends the run happens alone
    for e in range(n_events):
        last = last or (flags[at.FIRED * n_events + e] == 1 and flags[at.KIND * n_events + e] == at.STOP)
    for e in range(n_events):
        if flags[at.FIRED * n_events + e] == 1 and (not last or flags[at.KIND * n_events + e] in (at.STOP, at.RECORD)):
            row = c[at.LOGGED]
            event_index[row] = e
            event_t[row] = r[at.T]
            copy(x, shifted(event_x, row * n_x), n_x)
            copy(p, shifted(event_p, row * n[at.N_P]), n[at.N_P])
            event_work[row], event_lost[row] = 0.0, 0.0
            c[at.LOGGED] += 1
            kind = flags[at.KIND * n_events + e]
            if kind == at.STOP:
                c[at.ANSWER] = at.EVENT_STOP
            elif kind == at.RETURN and c[at.ANSWER] == at.RUNNING:
                c[at.ANSWER] = at.EVENT_RETURN
                before_jump(table)
            elif kind == at.JUMP:
                if e < n[at.GIVEN]:
                    before_jump(table)
                clock[0] = r[at.T]
                call(jumps[e], clock, x, p, jumped, work)
                copy(jumped, x, n_x)
                copy(shifted(jumped, n_x), p, n[at.N_P])
            elif kind == at.STRIKE:
                call_table(wholes(table[at.M_ADDRESS])[at.A_STRIKE], table)
            elif kind == at.DECIDE:
                call_table(wholes(table[at.M_ADDRESS])[at.A_DECIDE], table)
            if kind != at.RECORD:
                c[at.PENDING] = 1
    close = r[at.T] - r[at.T_EVENT] <= max(r[at.H_MIN], 1e-14 * abs(r[at.T]))
    c[at.CLOSE] = c[at.CLOSE] + 1 if close else 0
    r[at.T_EVENT] = r[at.T]
    if c[at.CLOSE] >= CLOSE_LIMIT:
        c[at.ANSWER] = at.ZENO
    if c[at.LOGGED] >= n[at.MAX_EVENTS] and c[at.ANSWER] == at.RUNNING:
        c[at.ANSWER] = at.TOO_MANY_EVENTS
