"""Decide the modes of all contacts inside the time loop (compiled); they are written to the parameters."""

from trundle.contact.collision.layout import DATA, GIVEN, MU_STATIC, WIDTH
from trundle.contact.decision.memory import impulses_in
from trundle.integrate.codes import AT_ONCE
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, call_table, float_ptr, part_of, shifted

LESS = 1e-8  # of the friction that holds, where another decision did not: forces of the equations are not as exact; of
# that of all loads that are shared, where loads are given


@part_of(LoopRecord)
def decide_modes(run: LoopRecord) -> None:
    """Decide at the present state; p gets the modes, x the speeds, with negligible ones set to zero."""
    x, p, clock, work = run.x, run.p, run.clock, run.work
    places, table = run.places, run.decision
    clock[0] = run.t
    data, free, mode, scales = float_ptr(table[1]), float_ptr(table[2]), float_ptr(table[3]), float_ptr(table[5])
    call(run.impact_kernel, clock, x, p, data, work)
    call(run.free_kernel, clock, x, p, free, work)
    for j in range(WIDTH * run.n_contacts):
        mode[j] = p[places[j]] if places[j] >= 0 else 0.0
    n = 3 * run.n_contacts
    if run.t - run.t_event <= max(run.h_min, AT_ONCE * abs(run.t)):  # an event has just happened
        for i in range(run.n_contacts):
            k = n + n * n + DATA * i
            data[k + MU_STATIC] *= max(1.0 - LESS * max(data[k + GIVEN], 1.0), 0.0)
    scales[0], scales[1] = run.speed_scale, p[run.n_p - 1]
    call_table(run.decide_once_part, table)
    impulses = impulses_in(float_ptr(table[4]), run.n_contacts)
    changes = shifted(data, n + n * n + DATA * run.n_contacts)  # of the speeds, per impulse
    for j in range(n):
        if impulses[j] != 0.0:
            for m in range(run.n_u):
                x[run.n_q + m] += changes[j * run.n_u + m] * impulses[j]
    for j in range(WIDTH * run.n_contacts):
        if places[j] >= 0:
            p[places[j]] = mode[j]
