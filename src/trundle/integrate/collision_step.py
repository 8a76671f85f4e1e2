"""A collision inside the time loop (compiled): impulses, new speeds, new modes of the contacts."""

from numba import njit

from trundle.contact.collision import layout as numbers
from trundle.contact.collision.multi_contact import collide
from trundle.integrate import layout as at
from trundle.integrate.bookkeeping import lose, total_energy
from trundle.kernel.pointers import Pointer, call, call_table, copy, part, reals, wholes

SMALLEST = 1e-4  # m/s, of a bounce that may be taken back
ROUNDS = 1000
SETTLED = 1e-6  # m/s: a plastic contact that leaves more slowly would be back before its gap can be told from none
STAYING = 1e-9  # m/s, below which it is closed anyway
SWEEPS = 100


@njit(error_model="numpy")
def rest(b: Pointer, contacts: int, before: int) -> float:
    """Contacts whose last bounce was too small to be told come to rest together: velocities in b are changed, the
    impulses stand at `before`. Returns the energy lost.
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
            if b[data + numbers.TOUCHING] != 1.0 or abs(left) > SMALLEST:
                continue
            largest = max(largest, abs(left))
            impulse = -left / b[size + normal + size * normal]
            lost -= 0.5 * left * impulse
            b[before + normal] += impulse
            for j in range(size):
                b[j] += b[size + j + size * normal] * impulse
        if largest < 1e-16:
            break
    return lost


@njit(error_model="numpy")
def settle(table: Pointer, v: int, per_impulse: int) -> float:
    """Plastic contacts that part too slowly to be told stay: so ends the rocking of a body from foot to foot.

    All such contacts are held in turn, until none moves; those that would have to pull open with the modes. Returns
    the energy lost.
    """
    n, x, b = wholes(table[at.M_N]), reals(table[at.M_X]), reals(table[at.M_IMPACT])
    contacts, n_u = n[at.CONTACTS], n[at.N_U]
    size, lost = 3 * contacts, 0.0
    leaving = False
    for i in range(contacts):
        k = size + size * size + numbers.DATA * i
        slow = b[k + numbers.TOUCHING] == 1.0 and b[k + numbers.RESTITUTION] == 0.0
        leaving = leaving or (slow and STAYING < b[v + 3 * i + 2] < SETTLED)
    if not leaving:
        return lost
    for _ in range(SWEEPS):
        for j in range(size):
            i = j // 3
            k = size + size * size + numbers.DATA * i
            if b[k + numbers.TOUCHING] != 1.0 or b[k + numbers.RESTITUTION] != 0.0 or b[v + 3 * i + 2] >= SETTLED:
                continue
            own = b[size + j + size * j]
            if own <= 0.0 or abs(b[v + j]) >= SETTLED or (j % 3 < 2 and b[k + numbers.MU_STATIC] <= 0.0):
                continue
            impulse = -b[v + j] / own
            lost -= 0.5 * b[v + j] * impulse
            for m in range(n_u):
                x[n[at.N_Q] + m] += b[per_impulse + j * n_u + m] * impulse
            for m in range(size):
                b[v + m] += b[size + m + size * j] * impulse
    return lost


@part
def strike(table: Pointer) -> None:
    """Solve the collision at the present state; x gets the speeds after it, p the modes of the contacts then."""
    n, c, r = wholes(table[at.M_N]), wholes(table[at.M_C]), reals(table[at.M_R])
    x, p, clock, work = reals(table[at.M_X]), reals(table[at.M_P]), reals(table[at.M_CLOCK]), reals(table[at.M_WORK])
    address, b, jumped = wholes(table[at.M_ADDRESS]), reals(table[at.M_IMPACT]), reals(table[at.M_JUMPED])
    contacts, n_u = n[at.CONTACTS], n[at.N_U]
    clock[0] = r[at.T]
    call(address[at.A_IMPACT], clock, x, p, b, work)
    size = 3 * contacts
    per_impulse = size + size * size + numbers.DATA * contacts
    before = per_impulse + size * n_u
    lost = 0.0
    energy = total_energy(table) if n[at.DRIVEN] == 1 else 0.0
    if c[at.PLASTIC] == 1:
        c[at.PLASTIC] = 0
        lost += rest(b, contacts, before)
        for j in range(size):
            for k in range(n_u):
                x[n[at.N_Q] + k] += b[per_impulse + j * n_u + k] * b[before + j]
    collide(b, contacts, before, n[at.TREATMENT])
    impulses, told = before + 2 * size, before + 3 * size
    if b[told] == numbers.UNSOLVED:
        c[at.ANSWER] = at.IMPACT_UNSOLVED
        return
    if b[told] == numbers.GAINS_ENERGY:
        c[at.ANSWER] = at.IMPACT_GAINS
        return
    for j in range(size):
        for k in range(n_u):
            x[n[at.N_Q] + k] += b[per_impulse + j * n_u + k] * b[impulses + j]
    lost += b[told + 1] + settle(table, before + size, per_impulse)
    lose(table, lost, energy)
    if address[at.A_DECIDE] != 0:
        call_table(address[at.A_DECIDE], table)
        return
    call(address[at.A_MODES], clock, x, p, jumped, work)
    copy(jumped, p, n[at.N_P])
