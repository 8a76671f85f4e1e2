"""Whether contacts in these modes leave one acceleration (compiled): the determinants of the equations of motion.

Where friction makes a determinant of the loads negative, others may part although all of them can press: then several
motions are possible. Pressed together by stiff springs instead, loads in that state run away from each other, so that
it is left at once; pivots end where the determinant is positive.
"""

from trundle.contact.collision import layout as numbers
from trundle.contact.collision.layout import AHEAD_X, AHEAD_Y, CLOSED, STICK, WIDTH
from trundle.contact.decision.memory import Contacts, own_inverse_masses
from trundle.contact.decision.smallest import smallest, worst
from trundle.kernel.pointers import Pointer, shifted, strict
from trundle.linear_algebra.exchanged_pivots import has_positive_pivots
from trundle.linear_algebra.shift import HIDDEN, REDUNDANT

CLEARLY = 3.0  # times what `solve_rows` takes for zero, so that where a run meets it, it is found here too
SEVERAL, ONE_WITH_ALL, ONE = range(3)  # motions; with some of the contacts there may be several
LARGE = 1e3  # times the typical force at a contact: a load that grows beyond all measure


@strict
def is_unique(at: Contacts) -> bool:
    """Whether the pivots of the matrix of the loads with friction have the signs of those without, in some order."""
    return motions(at) != SEVERAL


@strict
def motions(at: Contacts) -> int:
    """How many motions there are in these modes, as `solve_rows` judges it; or with some of the contacts only."""
    b, D, mode, mu_k, w, contacts = at.b, at.D, at.mode, at.mu_k, at.work, at.contacts
    n, m, slides = 3 * contacts, 0, False
    rows, shift = w, shifted(w, n)
    for i in range(contacts):
        if mode[WIDTH * i + CLOSED] != 1.0:
            continue
        total, count = own_inverse_masses(at, i)
        slides = slides or (mode[WIDTH * i + STICK] == 0.0 and mu_k[i] > 0.0)
        for axis in range(3):
            j = 3 * i + axis
            if (axis == 2 or mode[WIDTH * i + STICK] == 1.0) and b[D + j + n * j] > 0.0:
                rows[m], shift[m] = j, REDUNDANT * total / count
                m += 1
    if not slides:
        return ONE
    S, A, again = shifted(w, 2 * n), shifted(w, 2 * n + m * m), shifted(w, 2 * n + 2 * m * m)
    for r in range(m):
        j = int(rows[r])
        for c in range(m):
            z = int(rows[c])
            i, value = z // 3, b[D + j + n * z] + (shift[r] if r == c else 0.0)
            S[r * m + c] = value
            if z % 3 == 2 and mode[WIDTH * i + STICK] == 0.0:
                value -= mu_k[i] * (
                    mode[WIDTH * i + AHEAD_X] * b[D + j + n * (z - 2)]
                    + mode[WIDTH * i + AHEAD_Y] * b[D + j + n * (z - 1)]
                )
            A[r * m + c] = again[r * m + c] = value
    eliminate(S, m)
    eliminate(A, m)
    value, lowest, smallest = 1.0, 1.0, 1.0
    for k in range(m):
        own = A[k * m + k] / S[k * m + k]
        value *= own
        lowest, smallest = min(lowest, own), min(smallest, abs(own))
        rows[k] = 1.0
    if not (value > 0.0 and max(value, smallest) > CLEARLY * HIDDEN * REDUNDANT):
        return SEVERAL
    if lowest > 0.0:
        return ONE
    return ONE_WITH_ALL if has_positive_pivots(again, shift, rows, m) else SEVERAL


@strict
def diverges(at: Contacts) -> bool:
    """Whether loads have grown beyond all measure, and all press: rigid bodies that come to this jam."""
    smallest(at)
    for i in range(at.contacts):
        large = at.f[3 * i + 2] > LARGE * at.b[at.data + numbers.DATA * i + numbers.FORCE]
        if at.mode[WIDTH * i + CLOSED] == 1.0 and large:
            return worst(at) < 0
    return False


@strict
def eliminate(A: Pointer, m: int) -> None:
    """Pivots of A by rows, without exchanges, on its diagonal."""
    for k in range(m):
        for i in range(k + 1, m):
            times = A[i * m + k] / A[k * m + k]
            if times != 0.0:
                for j in range(k + 1, m):
                    A[i * m + j] -= times * A[k * m + j]
