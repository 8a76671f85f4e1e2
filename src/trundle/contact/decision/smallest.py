"""The smallest forces that hold what is held, and which of them is not possible (compiled)."""

import math

from trundle.contact.collision import layout as numbers
from trundle.contact.collision.layout import (
    AHEAD_X,
    AHEAD_Y,
    CLOSED,
    SHARE_X,
    STICK,
    WIDTH,
)
from trundle.contact.decision.memory import Contacts, own_inverse_masses
from trundle.contact.decision.share import back_substitute, factor, shared_load
from trundle.kernel.pointers import shifted, strict

INSIDE = 2e-10  # of the shared loads, by which a force may leave its cone; less than what makes an event
SHIFT, REFINEMENTS, UNEVEN = 1e-6, 3, 8  # as in `linear_algebra.shift`
EDGE = 1e-6  # of the shared loads or of a cone: so near to its surface a contact parts or slides; forces settle first


@strict
def smallest(at: Contacts) -> None:
    """The forces of the equations of motion in these modes: the smallest ones that hold what is held, beside the
    shares.
    """
    b, D, mode, mu_k, f, w = at.b, at.D, at.mode, at.mu_k, at.f, at.work
    contacts, n = at.contacts, 3 * at.contacts
    rows, shift, pivot, first, y, A = (
        w,
        shifted(w, n),
        shifted(w, 2 * n),
        shifted(w, 3 * n),
        shifted(w, 4 * n),
        shifted(w, 5 * n),
    )
    m, refinements = 0, REFINEMENTS
    for i in range(contacts):
        total, count = own_inverse_masses(at, i)
        if at.b[at.data + numbers.DATA * i + numbers.PLANAR] == numbers.SMOOTH:
            total, count = at.b[at.D + 3 * i + 2 + n * (3 * i + 2)], 1
        ratio = at.b[at.data + numbers.DATA * i + numbers.GIVEN]
        if ratio > 0.0:
            total, refinements = ratio * total, UNEVEN
        for axis in range(3):
            j = 3 * i + axis
            f[j] = 0.0
            active = mode[WIDTH * i + CLOSED] == 1.0 and (axis == 2 or mode[WIDTH * i + STICK] == 1.0)
            if active and b[D + j + n * j] > 0.0:
                rows[m], shift[m] = j, SHIFT * total / count
                m += 1
    for k in range(m):
        j = int(rows[k])
        for c in range(m):
            z = int(rows[c])
            i = z // 3
            value = b[D + j + n * z]
            if z % 3 == 2 and mode[WIDTH * i + STICK] == 0.0:
                value -= mu_k[i] * (
                    mode[WIDTH * i + AHEAD_X] * b[D + j + n * (z - 2)]
                    + mode[WIDTH * i + AHEAD_Y] * b[D + j + n * (z - 1)]
                )
            A[k * m + c] = value + (shift[k] if k == c else 0.0)
        first[k] = -at.free[j]
    factor(A, m, pivot)
    back_substitute(A, m, pivot, first)
    for k in range(m):
        j = int(rows[k])
        f[j] = first[k] + mode[WIDTH * (j // 3) + SHARE_X + j % 3]
    for _ in range(refinements):
        for k in range(m):
            y[k] = shift[k] * f[int(rows[k])]
        back_substitute(A, m, pivot, y)
        for k in range(m):
            f[int(rows[k])] = first[k] + y[k]
    for i in range(contacts):
        if mode[WIDTH * i + CLOSED] == 1.0 and mode[WIDTH * i + STICK] == 0.0:
            f[3 * i] = -mu_k[i] * mode[WIDTH * i + AHEAD_X] * f[3 * i + 2]
            f[3 * i + 1] = -mu_k[i] * mode[WIDTH * i + AHEAD_Y] * f[3 * i + 2]


@strict
def worst(at: Contacts) -> int:
    """A contact whose force is not possible, that pulls before one beyond its cone; -1 if there is none."""
    b, data, mode, f, contacts = at.b, at.data, at.mode, at.f, at.contacts
    lowest, which = 0.0, -1
    for i in range(contacts):
        over = -f[3 * i + 2] / shared_load(b, data, f, contacts, i)
        if mode[WIDTH * i + CLOSED] == 1.0 and over > lowest + INSIDE:
            lowest, which = over, i
    if which >= 0:
        return which
    for i in range(contacts):
        mu = b[data + numbers.DATA * i + numbers.MU_STATIC]
        if mode[WIDTH * i + CLOSED] == 1.0 and mode[WIDTH * i + STICK] == 1.0 and mu > 0.0:
            over = math.hypot(f[3 * i], f[3 * i + 1]) / mu - max(f[3 * i + 2], 0.0)
            over /= shared_load(b, data, f, contacts, i)
            if over > lowest + INSIDE:
                lowest, which = over, i
    return which


@strict
def lightest(at: Contacts) -> int:
    """The closed contact that carries least of the loads that it shares, if that is negligible; else -1."""
    b, data, mode, f, contacts = at.b, at.data, at.mode, at.f, at.contacts
    least, which = EDGE, -1
    for i in range(contacts):
        part_of_load = f[3 * i + 2] / shared_load(b, data, f, contacts, i)
        if mode[WIDTH * i + CLOSED] == 1.0 and part_of_load < least:
            least, which = part_of_load, i
    return which
