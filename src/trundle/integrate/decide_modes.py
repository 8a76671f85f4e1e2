"""The modes of all contacts inside the time loop (compiled): decided at the present state, written among the
parameters.
"""

from trundle.contact.collision.layout import WIDTH
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, call_table, float_ptr, part_of


@part_of(LoopRecord)
def decide_modes(run: LoopRecord) -> None:
    """Decide at the present state; p gets the modes."""
    x, p, clock, work = run.x, run.p, run.clock, run.work
    places, table = run.places, run.decision
    clock[0] = run.t
    data, free, mode, scales = float_ptr(table[1]), float_ptr(table[2]), float_ptr(table[3]), float_ptr(table[5])
    call(run.impact_kernel, clock, x, p, data, work)
    call(run.free_kernel, clock, x, p, free, work)
    for j in range(WIDTH * run.n_contacts):
        mode[j] = p[places[j]] if places[j] >= 0 else 0.0
    scales[0], scales[1] = run.speed_scale, p[run.n_p - 1]
    call_table(run.decide_once_part, table)
    for j in range(WIDTH * run.n_contacts):
        if places[j] >= 0:
            p[places[j]] = mode[j]
