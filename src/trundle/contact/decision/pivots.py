"""Forces of contacts in a plane, and the accelerations with them, by complementarity pivoting (compiled) [Lemke 1965].

For every contact the load N and the acceleration of parting are not negative, and one of them is zero. A slip at rest
has friction forward P and backward Q and may begin at the rate s: P and a + s, Q and s - a, s and mu N - P - Q are such
pairs too [Stewart 1996]. In a row of dominoes each contact moves several times as fast as the one before: projections
in turn do not see the slow ones, pivots do. Where all slips are at rest there is a solution, and the pivots find it;
friction of contacts that slide may leave none (Painleve's paradox).
"""

import math

from trundle.contact.decision.memory import FrictionProblem
from trundle.kernel.pointers import Pointer, shifted, strict

ZERO = 1e-11  # of the largest entry of a column: too small for a pivot
SAME = 1e-12  # relative: ratios that are equal
PIVOTS = 50  # per pair
NOTHING = 1e-13  # of the artificial variable at the start
ATTEMPTS, GOLDEN = 4, 0.6180339887498949  # with artificial variables of other proportions: round-off can lead astray
BEGINS = 1e-12  # of the largest force: the force that a slip which begins lacks
HOLDING = 1e4  # coefficient of friction of what never slides
NORMAL, FORWARD, BACKWARD, SPEED_UP = range(4)


@strict
def pivoted(problem: FrictionProblem, w: Pointer) -> bool:
    """Forces f of contacts that slide (1 in `state`, direction behind the forces in f) or are at rest (2), and the
    accelerations `a` with them; behind the forces also the directions in which slips at rest begin, or zero. False
    where the pivots find none.
    """
    contacts, n = problem.contacts, 3 * problem.contacts
    kind, of, T = w, shifted(w, 4 * contacts), shifted(w, 16 * contacts + 8)
    m = list_pairs(problem, kind, of)
    basis, column = shifted(w, 8 * contacts), shifted(w, 12 * contacts + 4)
    ends = False
    for attempt in range(ATTEMPTS):
        if not ends:
            write_pairs(problem, kind, of, m, T)
            ends = follow_pairs_from(attempt, T, m, basis, column)
    if not ends:
        return False
    read_pairs(problem, kind, of, m, T, basis)
    b, D, a, f, state = problem.b, problem.D, problem.a, problem.f, problem.state
    for j in range(n):
        a[j] = problem.free[j]
        for k in range(n):
            a[j] += b[D + j + n * k] * f[k]
    for i in range(contacts):
        if state[i] == 2.0 and f[n + 2 * i] != 0.0:
            f[n + 2 * i] = math.copysign(1.0, a[3 * i])
    return True


@strict
def list_pairs(problem: FrictionProblem, kind: Pointer, of: Pointer) -> int:
    """Kinds of all pairs and their contacts; how many there are."""
    b, D, mu, state, contacts = problem.b, problem.D, problem.mu, problem.state, problem.contacts
    n, m = 3 * contacts, 0
    for which in range(4):
        for i in range(contacts):
            rubs = state[i] == 2.0 and mu[i] > 0.0 and b[D + 3 * i + n * 3 * i] > 0.0
            if state[i] > 0.0 and (which == NORMAL or rubs):
                kind[m], of[m] = which, i
                m += 1
    return m


@strict
def write_pairs(problem: FrictionProblem, kind: Pointer, of: Pointer, m: int, T: Pointer) -> None:
    """Tableau of the pairs: forces in proportion to the roots of the masses at their contact, accelerations to those of
    the inverse masses. Scaled alike, the pairs keep what makes the pivots find their end.
    """
    b, D, f, mu, state, n = problem.b, problem.D, problem.f, problem.mu, problem.state, 3 * problem.contacts
    for r in range(m):
        i, row = int(of[r]), shifted(T, r * (m + 2))
        j = 3 * i + (2 if kind[r] == NORMAL else 0)
        root = (-1.0 if kind[r] == BACKWARD else 1.0) / math.sqrt(b[D + j + n * j])
        for c in range(m):
            k = int(of[c])
            if kind[r] == SPEED_UP:
                value = -1.0 if kind[c] < SPEED_UP else 0.0
                if kind[c] == NORMAL:
                    value = min(mu[i], HOLDING) * math.sqrt(b[D + j + n * j] / b[D + j + 2 + n * (j + 2)])
                row[c] = -value if k == i else 0.0
            elif kind[c] == SPEED_UP:
                row[c] = -1.0 if k == i and kind[r] != NORMAL else 0.0
            elif kind[c] == NORMAL:
                x, y, z = 3 * k, 3 * k + 1, 3 * k + 2
                value = b[D + j + n * z]
                if state[k] == 1.0:
                    value -= mu[k] * (f[n + 2 * k] * b[D + j + n * x] + f[n + 2 * k + 1] * b[D + j + n * y])
                row[c] = -root * value / math.sqrt(b[D + z + n * z])
            else:
                value = root * b[D + j + n * 3 * k] / math.sqrt(b[D + 3 * k + n * 3 * k])
                row[c] = value if kind[c] == BACKWARD else -value
        row[m + 1] = 0.0 if kind[r] == SPEED_UP else root * problem.free[j]


@strict
def read_pairs(problem: FrictionProblem, kind: Pointer, of: Pointer, m: int, T: Pointer, basis: Pointer) -> None:
    """Forces from the tableau; behind them 1 for a slip at rest that begins, else 0."""
    b, D, f, mu, state, contacts = problem.b, problem.D, problem.f, problem.mu, problem.state, problem.contacts
    n, largest = 3 * contacts, 0.0
    for i in range(contacts):
        f[3 * i], f[3 * i + 1], f[3 * i + 2] = 0.0, 0.0, 0.0
        if state[i] == 2.0:
            f[n + 2 * i], f[n + 2 * i + 1] = 0.0, 0.0
    for k in range(m):
        which = int(basis[k]) - m
        if 0 <= which < m and kind[which] < SPEED_UP:
            value = T[k * (m + 2) + m + 1]
            largest = max(largest, value)
            j = 3 * int(of[which]) + (2 if kind[which] == NORMAL else 0)
            f[j] += (-value if kind[which] == BACKWARD else value) / math.sqrt(b[D + j + n * j])
    for k in range(m):
        which = int(basis[k]) - m
        if 0 <= which < m and kind[which] == SPEED_UP and T[k * (m + 2) + m + 1] > BEGINS * largest:
            f[n + 2 * int(of[which])] = 1.0
    for i in range(contacts):
        if state[i] == 1.0:
            f[3 * i], f[3 * i + 1] = -mu[i] * f[n + 2 * i] * f[3 * i + 2], -mu[i] * f[n + 2 * i + 1] * f[3 * i + 2]


@strict
def follow_pairs_from(attempt: int, T: Pointer, m: int, basis: Pointer, column: Pointer) -> bool:
    """Pivots from the start; each attempt gives the artificial variable other coefficients, so that ties differ."""
    for k in range(m):
        basis[k], column[k] = k, m + k
        times = attempt * (k + 1) * GOLDEN
        T[k * (m + 2) + m] = -1.0 - 0.5 * (times - math.floor(times))
    column[m] = 2 * m
    return follow_pairs(T, m, basis, column)


@strict
def follow_pairs(T: Pointer, m: int, basis: Pointer, column: Pointer) -> bool:
    """Exchange variables until the artificial one, which makes all forces possible at first, is zero. False if that
    does not end.
    """
    width, row, least = m + 2, -1, 0.0
    for r in range(m):
        ratio = T[r * width + m + 1] / -T[r * width + m]
        if ratio < 0.0 and ratio <= least:
            row, least = r, ratio
    if row < 0:
        return True
    enters = m
    for _ in range(PIVOTS * m):
        leaves = int(basis[row])
        exchange(T, m, row, enters)
        basis[row], column[enters] = column[enters], leaves
        if leaves == 2 * m:
            return True
        partner = leaves + m if leaves < m else leaves - m
        for c in range(m + 1):
            if int(column[c]) == partner:
                enters = c
        row = first_to_vanish(T, m, basis, column, enters)
        if row < 0:
            return left_over(T, m, basis) < NOTHING * -least
    return False


@strict
def left_over(T: Pointer, m: int, basis: Pointer) -> float:
    """The artificial variable, which round-off may leave behind where forces are nearly zero."""
    value = 0.0
    for r in range(m):
        if int(basis[r]) == 2 * m:
            value = abs(T[r * (m + 2) + m + 1])
    return value


@strict
def exchange(T: Pointer, m: int, row: int, enters: int) -> None:
    """Solve row `row` for the variable of column `enters`, and put it into all others."""
    width = m + 2
    pivot = T[row * width + enters]
    for r in range(m):
        times = T[r * width + enters] / pivot
        if r == row or times == 0.0:
            continue
        for c in range(width):
            T[r * width + c] -= times * T[row * width + c]
        T[r * width + enters] = -times
    for c in range(width):
        T[row * width + c] /= pivot
    T[row * width + enters] = 1.0 / pivot


@strict
def first_to_vanish(T: Pointer, m: int, basis: Pointer, column: Pointer, enters: int) -> int:
    """The row whose variable is the first to become zero as that of the column grows: of equals the artificial one, or
    the first in lexicographic order, so that the pivots do not run in circles. -1 where none does.
    """
    width, largest, row, least = m + 2, 0.0, -1, math.inf
    for r in range(m):
        largest = max(largest, abs(T[r * width + enters]))
    for r in range(m):
        slope = T[r * width + enters]
        if slope <= ZERO * largest:
            continue
        ratio = T[r * width + m + 1] / slope
        if row < 0 or ratio < least - SAME * abs(least):
            row, least = r, ratio
        elif ratio <= least + SAME * abs(least):
            if int(basis[r]) == 2 * m or (int(basis[row]) != 2 * m and precedes(T, m, basis, column, enters, r, row)):
                row = r
            least = min(ratio, least)
    return row


@strict
def precedes(T: Pointer, m: int, basis: Pointer, column: Pointer, enters: int, one: int, other: int) -> bool:
    """Whether row `one` comes before row `other` in lexicographic order of the inverse of the basis."""
    width = m + 2
    for which in range(m):
        x = 1.0 if int(basis[one]) == which else 0.0
        y = 1.0 if int(basis[other]) == which else 0.0
        for c in range(m + 1):
            if int(column[c]) == which:
                x, y = T[one * width + c], T[other * width + c]
        x, y = x / T[one * width + enters], y / T[other * width + enters]
        if abs(x - y) > SAME * (abs(x) + abs(y)):
            return x < y
    return False
