"""Forces of contacts with round friction cones, by Newton's method from forces that are nearly right (compiled).

With p = f - a / d, d the inverse masses at the contact, forces and accelerations belong together where N is p_n, or
zero where that is negative, and friction is p_t, or moved into the cone where that lies outside [Alart 1991]. Each step
solves the equations of what holds, slides and is open at present; a shift keeps what rigid bodies leave open.
"""

import math

from trundle.contact.decision.memory import FrictionProblem
from trundle.contact.decision.share import back_substitute, factor
from trundle.kernel.pointers import Pointer, shifted, strict

STEPS, HALVINGS = 40, 12
LESS = 1e-4  # of the residual at least, by which a step makes it smaller
SHIFT = 1e-10  # of the inverse masses
EXACT = 1e-11  # of the largest acceleration: what may be left in the end
OPEN, HELD, SLIDES = range(3)


@strict
def polished(problem: FrictionProblem, w: Pointer, scale: float) -> bool:
    """Forces f of contacts that slide (1 in `state`, direction behind the forces in f) or are at rest (2), and the
    accelerations `a` with them, from forces nearby; behind the forces also the directions in which slips at rest begin,
    or zero. False, with forces as they were, where Newton's method does not end.
    """
    b, D, a, f, mu, state = problem.b, problem.D, problem.a, problem.f, problem.mu, problem.state
    contacts, n = problem.contacts, 3 * problem.contacts
    first, which, step, pivot, A = w, shifted(w, n), shifted(w, 2 * n), shifted(w, 3 * n), shifted(w, 4 * n)
    m = 0
    for i in range(contacts):
        rubs = state[i] == 2.0 and mu[i] > 0.0 and sliding_mass(b, D, n, i) > 0.0
        for axis in range(3):
            first[3 * i + axis] = f[3 * i + axis]
            if state[i] > 0.0 and (axis == 2 or rubs):
                which[m] = 3 * i + axis
                m += 1
    accelerate(problem)
    for _ in range(STEPS):
        before = write_equations(problem, which, step, A, m)
        if before <= EXACT * scale:
            for i in range(contacts):
                if state[i] == 2.0:
                    moves = math.hypot(a[3 * i], a[3 * i + 1]) > EXACT * scale
                    slides = moves and state_of_contact(problem, mu[i], i) != HELD  # also what carries nothing
                    f[n + 2 * i], f[n + 2 * i + 1] = (a[3 * i], a[3 * i + 1]) if slides else (0.0, 0.0)
            return True
        factor(A, m, pivot)
        back_substitute(A, m, pivot, step)
        if not take_damped_step(problem, which, step, m, before):
            break
    for j in range(n):
        f[j] = first[j]
    accelerate(problem)
    return False


@strict
def take_damped_step(problem: FrictionProblem, which: Pointer, step: Pointer, m: int, before: float) -> bool:
    """Take the step, or a part of it with which the residual is smaller than it was before. False if none is."""
    f, mu, state, contacts = problem.f, problem.mu, problem.state, problem.contacts
    n, part = 3 * contacts, 1.0
    for _ in range(HALVINGS):
        for k in range(m):
            f[int(which[k])] += part * step[k]
        for i in range(contacts):
            if state[i] == 1.0:
                f[3 * i], f[3 * i + 1] = -mu[i] * f[n + 2 * i] * f[3 * i + 2], -mu[i] * f[n + 2 * i + 1] * f[3 * i + 2]
        accelerate(problem)
        if residual(problem) < (1.0 - LESS * part) * before:
            return True
        for k in range(m):
            f[int(which[k])] -= part * step[k]
        part *= 0.5
    return False


@strict
def accelerate(problem: FrictionProblem) -> None:
    """Accelerations with the forces f."""
    b, D, a, f, n = problem.b, problem.D, problem.a, problem.f, 3 * problem.contacts
    for j in range(n):
        a[j] = problem.free[j]
    for k in range(n):
        if f[k] != 0.0:
            for j in range(n):
                a[j] += b[D + j + n * k] * f[k]


@strict
def sliding_mass(b: Pointer, D: int, n: int, i: int) -> float:
    """The larger one of the inverse masses along the slip of a contact."""
    return max(b[D + 3 * i + n * 3 * i], b[D + 3 * i + 1 + n * (3 * i + 1)])


@strict
def state_of_contact(problem: FrictionProblem, mu: float, i: int) -> int:
    """What a contact at rest does, by its force and its acceleration."""
    b, D, a, f, n = problem.b, problem.D, problem.a, problem.f, 3 * problem.contacts
    x, y, z = 3 * i, 3 * i + 1, 3 * i + 2
    load, own = f[z] - a[z] / b[D + z + n * z], sliding_mass(b, D, n, i)
    if load <= 0.0:
        return OPEN
    if mu <= 0.0 or own <= 0.0:
        return HELD
    return SLIDES if math.hypot(f[x] - a[x] / own, f[y] - a[y] / own) > mu * load else HELD


@strict
def write_equations(problem: FrictionProblem, which: Pointer, step: Pointer, A: Pointer, m: int) -> float:
    """The equations of a step, all in accelerations: A by rows, the right-hand side in `step`. Returns its norm."""
    b, D, a, f, mu, state = problem.b, problem.D, problem.a, problem.f, problem.mu, problem.state
    n, total = 3 * problem.contacts, 0.0
    for r in range(m):
        j = int(which[r])
        i, axis, row = j // 3, j % 3, shifted(A, r * m)
        x, z = 3 * i, 3 * i + 2
        acts = state_of_contact(problem, mu[i] if state[i] == 2.0 else 0.0, i)
        own = b[D + z + n * z] if axis == 2 else sliding_mass(b, D, n, i)
        if acts == OPEN:
            for c in range(m):
                row[c] = own if c == r else 0.0
            step[r] = -own * f[j]
        elif acts == HELD or axis == 2:
            for c in range(m):
                row[c] = pushed(problem, j, int(which[c]))
            row[r] += SHIFT * own
            step[r] = -a[j]
        else:
            p_x, p_y = f[x] - a[x] / own, f[x + 1] - a[x + 1] / own
            size = math.hypot(p_x, p_y)
            e_x, e_y, part = p_x / size, p_y / size, mu[i] * (f[z] - a[z] / b[D + z + n * z]) / size
            if axis == 0:  # its size goes with the load
                lever = mu[i] * own / b[D + z + n * z]
                for c in range(m):
                    row[c] = lever * pushed(problem, z, int(which[c]))
                row[r] += own * e_x
                row[r + 1] += own * e_y
                row[r + 2] -= own * mu[i]
                step[r] = -own * (e_x * f[x] + e_y * f[x + 1] - part * size)
            else:  # it is against the acceleration
                for c in range(m):
                    k = int(which[c])
                    along, across = pushed(problem, x, k), pushed(problem, x + 1, k)
                    row[c] = part * (e_x * across - e_y * along)
                less = (1.0 - part + SHIFT) * own
                row[r - 1] -= less * e_y
                row[r] += less * e_x
                step[r] = -own * (e_x * f[x + 1] - e_y * f[x])
        total += step[r] * step[r]
    return math.sqrt(total)


@strict
def residual(problem: FrictionProblem) -> float:
    """The norm of what forces and accelerations lack to belong together."""
    b, D, a, f, mu, state = problem.b, problem.D, problem.a, problem.f, problem.mu, problem.state
    n, total = 3 * problem.contacts, 0.0
    for i in range(problem.contacts):
        if state[i] == 0.0:
            continue
        x, y, z = 3 * i, 3 * i + 1, 3 * i + 2
        rubs = state[i] == 2.0 and mu[i] > 0.0
        own, load = sliding_mass(b, D, n, i), f[z] - a[z] / b[D + z + n * z]
        total += (b[D + z + n * z] * f[z]) ** 2 if load <= 0.0 else a[z] ** 2
        if rubs and own > 0.0:
            p_x, p_y, limit = f[x] - a[x] / own, f[y] - a[y] / own, mu[i] * max(load, 0.0)
            size = math.hypot(p_x, p_y)
            if size > limit:
                p_x, p_y = p_x * limit / size, p_y * limit / size
            total += own * own * ((f[x] - p_x) ** 2 + (f[y] - p_y) ** 2)
    return math.sqrt(total)


@strict
def pushed(problem: FrictionProblem, j: int, k: int) -> float:
    """Acceleration at j by a unit force at k; the load of a contact that slides brings its friction with it."""
    b, D, f, n = problem.b, problem.D, problem.f, 3 * problem.contacts
    i = k // 3
    if problem.state[i] != 1.0:
        return b[D + j + n * k]
    return b[D + j + n * k] - problem.mu[i] * (
        f[n + 2 * i] * b[D + j + n * (k - 2)] + f[n + 2 * i + 1] * b[D + j + n * (k - 1)]
    )
