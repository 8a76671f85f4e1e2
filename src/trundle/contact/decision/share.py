"""How contacts at rest can share their loads (compiled): forces that hold everything and lie as far inside the friction
cones as they can.

Forces that do nothing together are the null space of the inverse masses. In a plane these are shared; in space also
those that move nothing that is held, as loads of a box that slides on four corners, with their friction. In a plane
that would wedge in a body that turns over a corner, with as much load as it takes to hold it. Among f + Z y the
smallest distance to a cone, in proportion to the loads w that a contact shares, s = min((N - |f_t| / mu) / w), is made
as large as it gets by Newton's method with logarithmic barriers. That decides whether the contacts can hold at all:
friction on rigid feet is not determined, its limit is.
"""

import math
from typing import NamedTuple

from trundle.contact.collision import layout as numbers
from trundle.contact.collision.layout import AHEAD_X, AHEAD_Y, CLOSED, LEAST_LOAD, STICK, WIDTH
from trundle.contact.decision.memory import Contacts
from trundle.kernel.pointers import Pointer, shifted, strict

SINGULAR = 1e-9  # of the largest inverse mass: pivots below belong to the null space
HOLDING = 1e20  # a coefficient of friction above never slides
RIDGE = 1e-2  # on the shares, which stay finite where contacts can clamp each other
NEWTON_STEPS = 40
CLOSE = 0.1  # of the margin, by which the largest one may be missed
EXACT = 1e-12  # of the shared loads
MOST = 1.0  # of the shared loads: no force lies further inside its cone


class Cones(NamedTuple):
    """Contacts and what they do."""

    b: Pointer
    data: int  # where their numbers begin in b
    mode: Pointer
    share: Pointer  # loads that each of them shares, over all loads
    contacts: int


class Shares(NamedTuple):
    """Forces that do nothing together: how much of each is taken, and places to work in."""

    y: Pointer
    Z: Pointer  # the forces, column by column
    columns: int
    H: Pointer  # second derivatives
    step: Pointer
    row: Pointer


@strict
def shared_load(b: Pointer, data: int, f: Pointer, contacts: int, i: int) -> float:
    """Loads of all contacts that carry the same assembly as contact i, the less loaded one of the two that meet there;
    as in `modes.expressions`.
    """
    k, least = data + numbers.DATA * i, math.inf
    for side in (numbers.FIRST, numbers.SECOND):
        if b[k + side] < 0.0:
            continue
        total = 0.0
        for j in range(contacts):
            other = data + numbers.DATA * j
            if b[other + numbers.FIRST] == b[k + side] or b[other + numbers.SECOND] == b[k + side]:
                total += abs(f[3 * j + 2])
        least = min(least, total)
    return least + LEAST_LOAD * b[k + numbers.FORCE]


@strict
def factor(A: Pointer, m: int, pivot: Pointer) -> None:
    """L U of A (by rows) in place."""
    for k in range(m):
        best = k
        for i in range(k + 1, m):
            if abs(A[i * m + k]) > abs(A[best * m + k]):
                best = i
        pivot[k] = best
        if best != k:
            for j in range(m):
                A[k * m + j], A[best * m + j] = A[best * m + j], A[k * m + j]
        for i in range(k + 1, m):
            A[i * m + k] /= A[k * m + k]
            for j in range(k + 1, m):
                A[i * m + j] -= A[i * m + k] * A[k * m + j]


@strict
def back_substitute(A: Pointer, m: int, pivot: Pointer, y: Pointer) -> None:
    """x of L U x = y, in place of y."""
    for k in range(m):
        other = int(pivot[k])
        y[k], y[other] = y[other], y[k]
    for k in range(m):
        for i in range(k + 1, m):
            y[i] -= A[i * m + k] * y[k]
    for k in range(m - 1, -1, -1):
        for j in range(k + 1, m):
            y[k] -= A[k * m + j] * y[j]
        y[k] /= A[k * m + k]


@strict
def held_inverse_masses(at: Contacts, A: Pointer, used: Pointer, taken: Pointer, inner: bool) -> float:
    """Inverse masses of what is held, into A by rows; the load of a contact that slides brings its friction with it.
    Columns and rows of others are marked -1 in `used` and `taken`, but rows not if forces are to be inner ones, which
    move nothing at all. Returns the largest on the diagonal.
    """
    b, D, data, mode = at.b, at.D, at.data, at.mode
    n, largest = 3 * at.contacts, 0.0
    for k in range(n):
        i = k // 3
        active = mode[WIDTH * i + CLOSED] == 1.0 and (k % 3 == 2 or mode[WIDTH * i + STICK] == 1.0)
        used[k] = 0.0 if active and b[D + k + n * k] > 0.0 else -1.0
        taken[k] = 0.0 if used[k] == 0.0 or (inner and b[D + k + n * k] > 0.0) else -1.0
        mu = b[data + numbers.DATA * i + numbers.MU_KINETIC] if mode[WIDTH * i + STICK] == 0.0 else 0.0
        x, y = mu * mode[WIDTH * i + AHEAD_X], mu * mode[WIDTH * i + AHEAD_Y]
        for j in range(n):
            A[j * n + k] = b[D + j + n * k]
            if mu > 0.0 and k % 3 == 2:
                A[j * n + k] -= x * b[D + j + n * (k - 2)] + y * b[D + j + n * (k - 1)]
        if used[k] == 0.0:
            largest = max(largest, b[D + k + n * k])
    return largest


@strict
def eliminate(A: Pointer, n: int, used: Pointer, taken: Pointer, least: float) -> None:
    """Gauss-Jordan elimination of A with full pivoting, down to pivots of the size `least`. `used` becomes 1 + the row
    of the pivot for each column that has one.
    """
    while True:
        row, column, size = -1, -1, least
        for j in range(n):
            for k in range(n):
                if taken[j] == 0.0 and used[k] == 0.0 and abs(A[j * n + k]) > size:
                    row, column, size = j, k, abs(A[j * n + k])
        if row < 0:
            return
        used[column], taken[row] = row + 1.0, 1.0
        pivot = A[row * n + column]
        for k in range(n):
            A[row * n + k] /= pivot
        for j in range(n):
            if j != row and taken[j] >= 0.0:
                times = A[j * n + column]
                for k in range(n):
                    A[j * n + k] -= times * A[row * n + k]


@strict
def null_space(at: Contacts, Z: Pointer, A: Pointer, used: Pointer, taken: Pointer, inner: bool) -> int:
    """Columns Z (n by count) of forces that move nothing that is held, or nothing at all."""
    b, data, mode, n = at.b, at.data, at.mode, 3 * at.contacts
    largest = held_inverse_masses(at, A, used, taken, inner)
    eliminate(A, n, used, taken, SINGULAR * largest)
    count = 0
    for free in range(n):
        if used[free] != 0.0:
            continue
        for k in range(n):
            Z[k + n * count] = -A[(int(used[k]) - 1) * n + free] if used[k] > 0.0 else 0.0
        Z[free + n * count] = 1.0
        for i in range(n // 3):
            if mode[WIDTH * i + STICK] == 0.0:
                friction = b[data + numbers.DATA * i + numbers.MU_KINETIC] * Z[3 * i + 2 + n * count]
                Z[3 * i + n * count] = -friction * mode[WIDTH * i + AHEAD_X]
                Z[3 * i + 1 + n * count] = -friction * mode[WIDTH * i + AHEAD_Y]
        count += 1
    return count


@strict
def barrier(cones: Cones, f: Pointer, s: float) -> float:
    """Barrier of the cones shrunk by s; infinite outside."""
    b, data, mode = cones.b, cones.data, cones.mode
    value = 0.0
    for i in range(cones.contacts):
        if mode[WIDTH * i + CLOSED] == 1.0:
            mu, c = b[data + numbers.DATA * i + numbers.MU_STATIC], f[3 * i + 2] - s * cones.share[i]
            if c <= 0.0:
                return math.inf
            if mode[WIDTH * i + STICK] == 0.0 or mu > HOLDING:
                value -= math.log(c)
                continue
            d = c * c - (f[3 * i] * f[3 * i] + f[3 * i + 1] * f[3 * i + 1]) / (mu * mu)
            if d <= 0.0:
                return math.inf
            value -= math.log(d)
    return value


@strict
def newton_step(cones: Cones, shares: Shares, f: Pointer, s: float, tau: float) -> None:
    """The change of (y, s) by Newton's method, into `step`."""
    b, data, mode, contacts = cones.b, cones.data, cones.mode, cones.contacts
    y, Z, count, H, step, row = shares.y, shares.Z, shares.columns, shares.H, shares.step, shares.row
    n, m = 3 * contacts, count + 1
    for j in range(m * m):
        H[j] = 0.0
    for j in range(count):
        H[j * m + j] = RIDGE
        step[j] = -RIDGE * y[j]
    step[count] = tau - 1.0 / (MOST - s)
    H[count * m + count] = 1.0 / ((MOST - s) * (MOST - s))
    for i in range(contacts):
        if mode[WIDTH * i + CLOSED] != 1.0:
            continue
        mu, c = b[data + numbers.DATA * i + numbers.MU_STATIC], f[3 * i + 2] - s * cones.share[i]
        rubs = mode[WIDTH * i + STICK] == 1.0 and mu <= HOLDING
        x, y_ = (f[3 * i] / mu, f[3 * i + 1] / mu) if rubs else (0.0, 0.0)
        d = c * c - x * x - y_ * y_
        # Rows of the directions along which the barrier bends: along, across, normal.
        for j in range(m):
            last = j == count
            row[j] = 0.0 if last or not rubs else Z[3 * i + n * j] / mu
            row[m + j] = 0.0 if last or not rubs else Z[3 * i + 1 + n * j] / mu
            row[2 * m + j] = -cones.share[i] if last else Z[3 * i + 2 + n * j]
            row[3 * m + j] = 2.0 * (c * row[2 * m + j] - x * row[j] - y_ * row[m + j]) / d
        if not rubs:
            for j in range(m):
                row[j] = row[2 * m + j] / c
                step[j] += row[j]
            for j in range(m):
                for k in range(m):
                    H[j * m + k] += row[j] * row[k]
            continue
        for j in range(m):
            step[j] += row[3 * m + j]
            for k in range(m):
                H[j * m + k] += (
                    row[3 * m + j] * row[3 * m + k]
                    - 2.0 * (row[2 * m + j] * row[2 * m + k] - row[j] * row[k] - row[m + j] * row[m + k]) / d
                )
    pivot = shifted(row, 4 * m)
    factor(H, m, pivot)
    back_substitute(H, m, pivot, step)


@strict
def margin(cones: Cones, f: Pointer, total: float) -> float:
    """How far the forces lie inside the cones, over the loads that each shares; these become parts of the total."""
    b, data, mode, s = cones.b, cones.data, cones.mode, math.inf
    for i in range(cones.contacts):
        mu = b[data + numbers.DATA * i + numbers.MU_STATIC]
        if mode[WIDTH * i + CLOSED] == 1.0:
            needed = math.hypot(f[3 * i], f[3 * i + 1]) / mu if mode[WIDTH * i + STICK] == 1.0 and mu > 0.0 else 0.0
            share = shared_load(b, data, f, cones.contacts, i)
            cones.share[i] = share / total
            s = min(s, (f[3 * i + 2] - needed) / share)
    return s


@strict
def halve_step(
    cones: Cones, shares: Shares, first: Pointer, trial: Pointer, s: float, tau: float, before: float
) -> tuple[float, float]:
    """The part of the Newton step, halved until the barrier function falls, and its value there; 0 where it does not.
    `trial` becomes the forces at its end.
    """
    n, count, part = 3 * cones.contacts, shares.columns, 1.0
    for _ in range(40):
        now = 0.0
        for j in range(n):
            trial[j] = first[j]
        for k in range(count):
            z = shares.y[k] + part * shares.step[k]
            now += 0.5 * RIDGE * z * z
            for j in range(n):
                trial[j] += shares.Z[j + n * k] * z
        ahead = s + part * shares.step[count]
        if ahead < MOST:
            now += barrier(cones, trial, ahead) - tau * ahead - math.log(MOST - ahead)
            if now < before:
                return part, now
        part *= 0.5
    return 0.0, before


@strict
def climb(cones: Cones, shares: Shares, f: Pointer, first: Pointer, trial: Pointer, s: float, tau: float) -> float:
    """The largest s for one weight tau of it against the barriers, by Newton's method; f goes along."""
    count = shares.columns
    for _ in range(NEWTON_STEPS):
        newton_step(cones, shares, f, s, tau)
        before, size = barrier(cones, f, s) - tau * s - math.log(MOST - s), 0.0
        for j in range(count):
            before += 0.5 * RIDGE * shares.y[j] * shares.y[j]
            size = max(size, abs(shares.step[j]))
        size = max(size, abs(shares.step[count]))
        if not size > 0.01 * EXACT:
            break
        part, now = halve_step(cones, shares, first, trial, s, tau, before)
        if part == 0.0:
            break
        s = s + part * shares.step[count]
        for k in range(count):
            shares.y[k] += part * shares.step[k]
        for j in range(3 * cones.contacts):
            f[j] = trial[j]
        if before - now < 1e-3:
            break
    return s


@strict
def widest(at: Contacts, f: Pointer, enough: float, inner: bool) -> float:
    """Move the forces f, which hold, as far into the cones as they go, by inner forces only or by all that move nothing
    that is held. Returns how far the nearest one is then, over the loads that it shares; where it cannot come to
    `enough`, a number below that.
    """
    w, contacts, n = at.work, at.contacts, 3 * at.contacts
    Z, A, H = w, shifted(w, n * n), shifted(w, 2 * n * n)
    used, y, step, row = (
        shifted(w, 3 * n * n + 2 * n + 1), shifted(w, 3 * n * n + 3 * n + 1), shifted(w, 3 * n * n + 4 * n + 2),
        shifted(w, 3 * n * n + 5 * n + 3),
    )  # fmt: skip
    trial, first = shifted(w, 3 * n * n + 10 * n + 8), shifted(w, 3 * n * n + 11 * n + 8)
    count = null_space(at, Z, A, used, y, inner)
    cones = Cones(at.b, at.data, at.mode, shifted(w, 3 * n * n + 12 * n + 8), contacts)
    shares = Shares(y, Z, count, H, step, row)
    total, barriers = 0.0, 0.0
    for i in range(contacts):
        if at.mode[WIDTH * i + CLOSED] == 1.0:
            total += abs(f[3 * i + 2])
            barriers += 2.0
    s = margin(cones, f, total)
    if total <= 0.0 or count == 0:
        return s if total > 0.0 else 0.0
    for j in range(n):
        f[j] /= total
        first[j] = f[j]
    for j in range(count):
        y[j] = 0.0
    s -= 0.1
    tau = 1.0
    while True:
        s = climb(cones, shares, f, first, trial, s, tau)
        left = (barriers + 1.0) / tau  # the largest s is at most so much larger
        if s + left < enough or left < EXACT or (s > enough and left < CLOSE * s):
            break
        tau *= 8.0
    for j in range(n):
        f[j] *= total
    return s
