"""Forces of contacts in space, and the accelerations with them, by pivots and Newton's method (compiled).

A slip at rest has friction along four ways in its plane, so that the cone becomes a pyramid, and complementarity
pivoting finds out who holds, slides and parts, as in a plane (`pivots`). Newton's method for the equations that forces
and accelerations satisfy with the round cone [Alart 1991] starts there; where it finds no end, the edges of the
pyramids are turned against the accelerations, and pivoted anew: an edge that is against them is on the cone.
"""

import math

from trundle.contact.decision.memory import FrictionProblem
from trundle.contact.decision.newton import polished, sliding_mass
from trundle.contact.decision.pivots import ATTEMPTS, HOLDING, follow_pairs_from
from trundle.kernel.pointers import Pointer, shifted, strict

ROUNDS = 6  # of pyramids turned
TURN = 0.1  # tangent of an angle by which they are turned each time, so that none is tried twice
NORMAL, AHEAD, BACK, LEFT, RIGHT, SPEED_UP = range(6)


@strict
def pivoted_in_space(problem: FrictionProblem, w: Pointer, scale: float, yields: float) -> bool:
    """As `pivoted`, for contacts some of which slide in a plane of their own. Where contacts yield by a small part of
    their inverse masses, the smallest of all forces are found.
    """
    a, contacts = problem.a, problem.contacts
    axes, more = w, shifted(w, 2 * contacts)
    for j in range(3 * contacts):
        a[j] = problem.free[j]
    for turned in range(ROUNDS):
        for i in range(contacts):
            set_axes(problem, axes, i, a[3 * i], a[3 * i + 1], turned)
        pressed = in_pyramids(problem, axes, more, yields)
        if pressed and polished(problem, more, scale):
            return True
    return False


@strict
def set_axes(problem: FrictionProblem, axes: Pointer, i: int, x: float, y: float, turned: int) -> None:
    """The first axis of a pyramid along (x, y), turned a little, or along the only one in which its contact can
    slide.
    """
    b, D, n = problem.b, problem.D, 3 * problem.contacts
    x, y = x - TURN * turned * y, y + TURN * turned * x
    size = math.hypot(x, y)
    if b[D + 3 * i + 1 + n * (3 * i + 1)] <= 0.0 or size <= 0.0:
        x, y, size = 1.0, 0.0, 1.0
    elif b[D + 3 * i + n * 3 * i] <= 0.0:
        x, y, size = 0.0, 1.0, 1.0
    axes[2 * i], axes[2 * i + 1] = x / size, y / size


@strict
def in_pyramids(problem: FrictionProblem, axes: Pointer, w: Pointer, yields: float) -> bool:
    """Forces within the pyramids, by pivots. False if these find none."""
    contacts = problem.contacts
    kind, of, T = w, shifted(w, 6 * contacts), shifted(w, 24 * contacts + 8)
    m = list_pairs(problem, kind, of)
    basis, column = shifted(w, 12 * contacts), shifted(w, 18 * contacts + 4)
    ends = False
    for attempt in range(ATTEMPTS):
        if not ends:
            write_pairs(problem, axes, kind, of, m, T, yields)
            ends = follow_pairs_from(attempt, T, m, basis, column)
    if ends:
        read_pairs(problem, axes, kind, of, m, T, basis)
    return ends


@strict
def list_pairs(problem: FrictionProblem, kind: Pointer, of: Pointer) -> int:
    """Kinds of all pairs and their contacts; how many there are."""
    b, D, mu, state, contacts = problem.b, problem.D, problem.mu, problem.state, problem.contacts
    n, m = 3 * contacts, 0
    for which in range(6):
        for i in range(contacts):
            x, y = b[D + 3 * i + n * 3 * i], b[D + 3 * i + 1 + n * (3 * i + 1)]
            rubs = state[i] == 2.0 and mu[i] > 0.0 and max(x, y) > 0.0
            rubs = rubs and (min(x, y) > 0.0 or which < LEFT or which == SPEED_UP)
            if state[i] > 0.0 and (which == NORMAL or rubs):
                kind[m], of[m] = which, i
                m += 1
    return m


@strict
def mean_inverse_mass(problem: FrictionProblem, i: int) -> float:
    """By which a contact counts among those that share loads, as in `smallest`."""
    b, n, total, count = problem.b, 3 * problem.contacts, 0.0, 0
    for j in range(3 * i if problem.mu[i] > 0.0 else 3 * i + 2, 3 * i + 3):
        own = b[problem.D + j + n * j]
        total += own
        count += int(own > 0.0)
    return total / count


@strict
def way(axes: Pointer, i: int, kind: int) -> tuple[float, float]:
    """Direction of the friction of a pair."""
    x, y = axes[2 * i], axes[2 * i + 1]
    if kind == AHEAD:
        return x, y
    if kind == BACK:
        return -x, -y
    return (-y, x) if kind == LEFT else (y, -x)


@strict
def write_pairs(
    problem: FrictionProblem, axes: Pointer, kind: Pointer, of: Pointer, m: int, T: Pointer, yields: float
) -> None:
    """Tableau of the pairs, scaled as in a plane."""
    b, D, free, f, mu, state = problem.b, problem.D, problem.free, problem.f, problem.mu, problem.state
    n = 3 * problem.contacts
    for r in range(m):
        i, row = int(of[r]), shifted(T, r * (m + 2))
        x, y, z = 3 * i, 3 * i + 1, 3 * i + 2
        d_x, d_y, d_z = 0.0, 0.0, 1.0 / math.sqrt(b[D + z + n * z])
        if kind[r] != NORMAL:
            own = 1.0 / math.sqrt(sliding_mass(b, D, n, i))
            d_x, d_y = way(axes, i, int(kind[r]))
            d_x, d_y, d_z = own * d_x, own * d_y, 0.0
        for c in range(m):
            k = int(of[c])
            if kind[r] == SPEED_UP:
                value = 1.0 if kind[c] < SPEED_UP else 0.0
                if kind[c] == NORMAL:
                    value = -min(mu[i], HOLDING) * math.sqrt(sliding_mass(b, D, n, i) / b[D + z + n * z])
                row[c] = value if k == i else 0.0
                continue
            if kind[c] == SPEED_UP:
                row[c] = -1.0 if k == i and kind[r] != NORMAL else 0.0
                continue
            along = D + n * 3 * k
            across, normal = along + n, along + 2 * n
            p_x, p_y, p_z = 0.0, 0.0, 1.0 / math.sqrt(b[normal + 3 * k + 2])
            if kind[c] != NORMAL:
                own = 1.0 / math.sqrt(sliding_mass(b, D, n, k))
                p_x, p_y = way(axes, k, int(kind[c]))
                p_x, p_y, p_z = own * p_x, own * p_y, 0.0
            elif state[k] == 1.0:
                p_x, p_y = -mu[k] * f[n + 2 * k] * p_z, -mu[k] * f[n + 2 * k + 1] * p_z
            own = yields * mean_inverse_mass(problem, i) * (d_x * p_x + d_y * p_y + d_z * p_z) if i == k else 0.0
            row[c] = -own - (
                d_x * (b[along + x] * p_x + b[across + x] * p_y + b[normal + x] * p_z)
                + d_y * (b[along + y] * p_x + b[across + y] * p_y + b[normal + y] * p_z)
                + d_z * (b[along + z] * p_x + b[across + z] * p_y + b[normal + z] * p_z)
            )
        row[m + 1] = 0.0 if kind[r] == SPEED_UP else d_x * free[x] + d_y * free[y] + d_z * free[z]


@strict
def read_pairs(
    problem: FrictionProblem, axes: Pointer, kind: Pointer, of: Pointer, m: int, T: Pointer, basis: Pointer
) -> None:
    """Forces from the tableau."""
    b, D, f, mu, state, contacts = problem.b, problem.D, problem.f, problem.mu, problem.state, problem.contacts
    n = 3 * contacts
    for j in range(n):
        f[j] = 0.0
    for k in range(m):
        which = int(basis[k]) - m
        if not (0 <= which < m) or kind[which] == SPEED_UP:
            continue
        i, value = int(of[which]), T[k * (m + 2) + m + 1]
        if kind[which] == NORMAL:
            f[3 * i + 2] += value / math.sqrt(b[D + 3 * i + 2 + n * (3 * i + 2)])
        else:
            x, y = way(axes, i, int(kind[which]))
            value /= math.sqrt(sliding_mass(b, D, n, i))
            f[3 * i] += x * value
            f[3 * i + 1] += y * value
    for i in range(contacts):
        if state[i] == 1.0:
            f[3 * i], f[3 * i + 1] = -mu[i] * f[n + 2 * i] * f[3 * i + 2], -mu[i] * f[n + 2 * i + 1] * f[3 * i + 2]
