"""Which slow slips are at rest (compiled): those that can be stopped without a change of any other speed worth naming.

In a row of dominoes each moves a fifth as fast as the next one. The slip of the first is then far below any number that
counts as rest, and yet belongs to a motion of metres per second, which stopping it would stop.
"""

import math

from trundle.contact.collision.layout import CLOSED, DATA, MASS, STICK, WIDTH
from trundle.contact.decision.memory import Contacts, own_inverse_masses
from trundle.contact.decision.share import back_substitute, factor
from trundle.contact.decision.slow_slip import LEVERS, ROUND_OFF
from trundle.kernel.pointers import Pointer, shifted, strict

SHIFT, REFINEMENTS = 1e-13, 3  # of the inverse masses, so that redundant rows do no harm
KEPT = 0.5  # fraction of its slip that a contact keeps if it continues to slide


@strict
def find_rest(at: Contacts, slow: float) -> None:
    """Contacts at rest (2 in `state`), with slips below `slow`, that slide in truth as part of a faster motion get 1,
    those that slide (1) hardly faster and would be stopped with the others get 2.
    """
    b, mode, state, contacts = at.b, at.mode, at.state, at.contacts
    change = shifted(at.work, 18 * contacts)
    if not release(at, slow, LEVERS * slow):
        return
    added = True
    while added:  # each round takes one more
        added = False
        for i in range(contacts):
            if loses_its_slip(b, state, change, i, slow, LEVERS * slow):
                state[i], mode[WIDTH * i + STICK], added = 2.0, 1.0, True
        if added:
            stop(at)
    if not changes(at, change, slow, LEVERS * slow):
        return
    for i in range(contacts):
        if state[i] == 2.0 and mode[WIDTH * i + STICK] == 1.0 and math.hypot(b[3 * i], b[3 * i + 1]) >= slow:
            state[i], mode[WIDTH * i + STICK] = 1.0, 0.0
    release(at, slow, 0.0)


@strict
def release(at: Contacts, slow: float, fast: float) -> bool:
    """Let contacts slide, one after another, until the others can be stopped without stopping what slides faster than
    `fast`, and without more energy than the lighter assembly has at some times the slow speed: across many levers the
    impulses are round-off, but that they are large is certain. False where nothing slides or nothing is to be stopped.
    """
    b, mode, state, w, contacts = at.b, at.mode, at.state, at.work, at.contacts
    n = 3 * contacts
    rows, p, v, change = w, shifted(w, 2 * n), shifted(w, 3 * n), shifted(w, 6 * n)
    for _ in range(contacts):
        moving, slides = False, False
        for i in range(contacts):
            sticks = state[i] == 2.0 and mode[WIDTH * i + STICK] == 1.0
            moving = moving or (sticks and math.hypot(b[3 * i], b[3 * i + 1]) > ROUND_OFF * slow)
            slides = slides or state[i] == 1.0
        if not (moving and slides):
            return False
        m = stop(at)
        most, which, costly = 0.0, -1, False
        for k in range(m):
            i, taken = int(rows[k]) // 3, abs(p[k] * v[k])
            if state[i] == 2.0 and int(rows[k]) % 3 < 2 and taken > most:
                most, which = taken, i
                costly = costly or taken > b[n + n * n + DATA * i + MASS] * (LEVERS * slow) ** 2
        if not (costly or changes(at, change, slow, fast)):
            return True
        if which < 0:
            return False
        state[which], mode[WIDTH * which + STICK] = 1.0, 0.0
    return False


@strict
def loses_its_slip(b: Pointer, state: Pointer, change: Pointer, i: int, least: float, most: float) -> bool:
    """Whether contact i slides with a speed in these limits, most of which is lost when the others are stopped."""
    slip, by = math.hypot(b[3 * i], b[3 * i + 1]), math.hypot(change[3 * i], change[3 * i + 1])
    return state[i] == 1.0 and least <= slip < most and by > (1.0 - KEPT) * slip


@strict
def changes(at: Contacts, change: Pointer, slow: float, fast: float) -> bool:
    """Whether contacts that slide faster than `fast` lose most of their slip, or any more than levers explain."""
    for i in range(at.contacts):
        by = math.hypot(change[3 * i], change[3 * i + 1])
        if loses_its_slip(at.b, at.state, change, i, fast, math.inf) or (at.state[i] > 0.0 and by > LEVERS * slow):
            return True
    return False


@strict
def stop(at: Contacts) -> int:
    """The smallest impulses that stop all that is held, of which there are so many: where they act, what they are, the
    speeds there before, and the changes of all speeds of contacts.
    """
    b, D, mode, w, contacts = at.b, at.D, at.mode, at.work, at.contacts
    n = 3 * contacts
    rows, shift, p, v = w, shifted(w, n), shifted(w, 2 * n), shifted(w, 3 * n)
    first, pivot, change = shifted(w, 4 * n), shifted(w, 5 * n), shifted(w, 6 * n)
    y, A = shifted(w, 7 * n), shifted(w, 8 * n)
    m = 0
    for i in range(contacts):
        total, count = own_inverse_masses(at, i)
        for axis in range(3):
            j = 3 * i + axis
            active = mode[WIDTH * i + CLOSED] == 1.0 and (axis == 2 or mode[WIDTH * i + STICK] > 0.0)
            if active and b[D + j + n * j] > 0.0:
                rows[m], shift[m], v[m] = j, SHIFT * total / count, b[j]
                m += 1
    for k in range(m):
        for c in range(m):
            A[k * m + c] = b[D + int(rows[k]) + n * int(rows[c])] + (shift[k] if k == c else 0.0)
        first[k] = -v[k]
    factor(A, m, pivot)
    back_substitute(A, m, pivot, first)
    for k in range(m):
        p[k] = first[k]
    for _ in range(REFINEMENTS):
        for k in range(m):
            y[k] = shift[k] * p[k]
        back_substitute(A, m, pivot, y)
        for k in range(m):
            p[k] = first[k] + y[k]
    for j in range(n):
        change[j] = 0.0
        for k in range(m):
            change[j] += b[D + j + n * int(rows[k])] * p[k]
    return m
