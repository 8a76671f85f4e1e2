"""Energy balance of a running integration (compiled): work of events, and a trail of states to check the energy."""

from trundle.integrate import codes as at
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import call, copy, shifted, strict


@strict
def total_energy(run: LoopRecord) -> float:
    """Kinetic and potential energy of the present state."""
    clock, out = run.clock, run.energy
    clock[0] = run.t
    x, p, work = run.x, run.p, run.work
    call(run.energy_kernel, clock, x, p, out, work)
    return out[0] + out[1]


@strict
def before_jump(run: LoopRecord) -> None:
    """Store the energy before an event of the model changes the state, or a contact on a driven part stops, until the
    state after it is known.
    """
    if run.energy_kernel != 0:
        if run.open_event == 0:
            run.energy_before = total_energy(run)
        run.open_event = run.logged  # the row of this event, counted from one


@strict
def log_loss(run: LoopRecord, energy: float, before: float) -> None:
    """Log the energy lost in the last collision. If drives are active, their impulses do work, which is computed from
    the energy before the collision. A bounce too slow to be resolved ends by closing the contact: the energy this
    costs is of second order in its speed, but of first order in the speed of a frame; `add_event_work` adds that work.
    """
    row = run.logged - 1
    run.event_lost[row] = energy
    if run.driven != 0:
        after = total_energy(run)
        run.event_work[row] = after - before + energy
        if run.open_event == 0:
            run.energy_before, run.open_event = after, run.logged
            return
    run.energy_before += run.event_work[row] - energy


@strict
def add_event_work(run: LoopRecord) -> None:
    """Log the work of an event, when the state after it satisfies the constraints; what laws at a contact have stopped
    counts as lost.
    """
    if run.open_event > 0:
        row = run.open_event - 1
        change = total_energy(run) - run.energy_before
        if run.driven == at.BY_LAWS and run.event_index[row] >= run.given_events:
            run.event_lost[row] -= change
        else:
            run.event_work[row] += change
        run.open_event = 0


@strict
def extend_trail(run: LoopRecord) -> None:
    """Add the present state to the trail: every state at first, every second one when the buffer is full, and so on."""
    trail_t, trail_x = run.trail_t, run.trail_x
    trail_events, n_x = run.trail_events, run.n_x
    if run.trail_room == 0:
        return
    if run.seen % run.stride == 0:
        if run.trail == run.trail_room:
            for row in range(1, run.trail_room // 2):
                trail_t[row], trail_events[row] = trail_t[2 * row], trail_events[2 * row]
                copy(shifted(trail_x, 2 * row * n_x), shifted(trail_x, row * n_x), n_x)
            run.trail //= 2
            run.stride *= 2
        row = run.trail
        trail_t[row], trail_events[row] = run.t, run.logged
        copy(run.x, shifted(trail_x, row * n_x), n_x)
        run.trail += 1
    run.seen += 1
