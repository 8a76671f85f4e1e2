"""A collision inside the time loop (compiled): impulses, new speeds, new modes of the contacts."""

from trundle.contact.collision import layout as numbers
from trundle.contact.collision.multi_contact import collide
from trundle.contact.decision.slow_slip import can_rest, can_stay
from trundle.integrate import codes as at
from trundle.integrate.bookkeeping import log_loss, total_energy
from trundle.integrate.record import LoopRecord
from trundle.kernel.pointers import Pointer, call, call_table, copy, part_of, strict

# relative to the typical speed of the run
SMALLEST_BOUNCE = 1e-4  # a slower bounce may be suppressed
SETTLED = 1e-6  # a plastic contact that separates more slowly would close again before its gap is resolvable
STAYING = 1e-9  # one that separates more slowly counts as closed anyway
AT_REST = 1e-16
ROUNDS = 1000
SWEEPS = 100


@strict
def stop_small_bounces(b: Pointer, contacts: int, before: int, speed: float) -> float:
    """Stop all contacts whose last bounce was too small to be resolved: changes the velocities in b, writes the
    impulses at `before`, and returns the energy lost.
    """
    size, lost = 3 * contacts, 0.0
    for j in range(size):
        b[before + j] = 0.0
    for i in range(contacts):
        b[size + size * size + numbers.DATA * i + numbers.RESTITUTION] = 0.0
    for _ in range(ROUNDS):
        largest = 0.0
        for i in range(contacts):
            normal, data = 3 * i + 2, size + size * size + numbers.DATA * i
            left = b[normal]
            if b[data + numbers.TOUCHING] != 1.0 or abs(left) > SMALLEST_BOUNCE * speed:
                continue
            largest = max(largest, abs(left))
            impulse = -left / b[size + normal + size * normal]
            lost -= 0.5 * left * impulse
            b[before + normal] += impulse
            for j in range(size):
                b[j] += b[size + j + size * normal] * impulse
        if largest < AT_REST * speed:
            break
    return lost


@strict
def hold_slow_contacts(run: LoopRecord, v: int, per_impulse: int) -> float:
    """Keep plastic contacts closed that separate too slowly to be resolved: so ends the rocking of a body.

    All such contacts are stopped in turn, until none moves, except those whose slow motion belongs to a faster one
    (`can_rest`); contacts that would have to pull are opened later with the modes. Returns the energy lost.
    """
    x, b = run.x, run.impact
    contacts, n_u = run.n_contacts, run.n_u
    size, lost, settled = 3 * contacts, 0.0, SETTLED * run.speed_scale
    leaving = False
    for i in range(contacts):
        k = size + size * size + numbers.DATA * i
        slow = b[k + numbers.TOUCHING] == 1.0 and b[k + numbers.RESTITUTION] == 0.0
        leaving = leaving or (slow and STAYING * run.speed_scale < b[v + 3 * i + 2] < settled)
    if not leaving:
        return lost
    for _ in range(SWEEPS):
        for j in range(size):
            i = j // 3
            k = size + size * size + numbers.DATA * i
            if b[k + numbers.TOUCHING] != 1.0 or b[k + numbers.RESTITUTION] != 0.0 or b[v + 3 * i + 2] >= settled:
                continue
            own = b[size + j + size * j]
            if own <= 0.0 or (j % 3 < 2 and b[k + numbers.MU_STATIC] <= 0.0):
                continue
            if not (can_stay(b, v, contacts, i, settled) if j % 3 == 2 else can_rest(b, v, contacts, i, settled)):
                continue
            impulse = -b[v + j] / own
            lost -= 0.5 * b[v + j] * impulse
            for m in range(n_u):
                x[run.n_q + m] += b[per_impulse + j * n_u + m] * impulse
            for m in range(size):
                b[v + m] += b[size + m + size * j] * impulse
    return lost


@part_of(LoopRecord)
def strike(run: LoopRecord) -> None:
    """Solve the collision at the present state; x gets the speeds, p the modes of the contacts after it."""
    x, p, clock, work = run.x, run.p, run.clock, run.work
    b, jumped = run.impact, run.jumped
    contacts, n_u = run.n_contacts, run.n_u
    clock[0] = run.t
    call(run.impact_kernel, clock, x, p, b, work)
    size = 3 * contacts
    per_impulse = size + size * size + numbers.DATA * contacts
    before = per_impulse + size * n_u
    lost = 0.0
    energy = total_energy(run) if run.driven != 0 else 0.0
    if run.plastic == 1:
        run.plastic = 0
        lost += stop_small_bounces(b, contacts, before, run.speed_scale)
        for j in range(size):
            for k in range(n_u):
                x[run.n_q + k] += b[per_impulse + j * n_u + k] * b[before + j]
    collide(b, contacts, before, run.treatment)
    impulses, status = before + 2 * size, before + 3 * size
    if b[status] == numbers.UNSOLVED:
        run.status = at.IMPACT_UNSOLVED
        return
    if b[status] == numbers.GAINS_ENERGY:
        run.status = at.IMPACT_GAINS
        return
    for j in range(size):
        for k in range(n_u):
            x[run.n_q + k] += b[per_impulse + j * n_u + k] * b[impulses + j]
    lost += b[status + 1] + hold_slow_contacts(run, before + size, per_impulse)
    log_loss(run, lost, energy)
    if run.decide_part != 0:
        call_table(run.decide_part, run)
        return
    call(run.modes_kernel, clock, x, p, jumped, work)
    copy(jumped, p, run.n_p)
