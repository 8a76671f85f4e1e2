"""Energy balance of a running integration (compiled): work of events, and a trail of states to check the energy."""

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
    """An event of the model is about to change the state, or a contact on a driven part to stop: the energy before is
    kept until the state after is known.
    """
    if run.energy_kernel != 0:
        if run.open_event == 0:
            run.energy_before = total_energy(run)
        run.open_event = run.logged  # the row of this event, counted from one


@strict
def lose(run: LoopRecord, energy: float, before: float) -> None:
    """The collision logged last has lost this energy. Where drives hold on during a collision their impulses do work,
    found from the energy before it. A bounce too slow to be resolved ends when the contact is closed: what that costs
    is of second order in its speed, but of first order in the speed of a frame; `add_event_work` adds that work.
    """
    row = run.logged - 1
    run.event_lost[row] = energy
    if run.driven == 1:
        after = total_energy(run)
        run.event_work[row] = after - before + energy
        if run.open_event == 0:
            run.energy_before, run.open_event = after, run.logged
            return
    run.energy_before += run.event_work[row] - energy


@strict
def add_event_work(run: LoopRecord) -> None:
    """Record the work of an event, once its state lies on the constraints."""
    if run.open_event > 0:
        run.event_work[run.open_event - 1] += total_energy(run) - run.energy_before
        run.open_event = 0


@strict
def follow(run: LoopRecord) -> None:
    """Keep the present state in the trail: every one at first, every second where there is no more room, and so on."""
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
