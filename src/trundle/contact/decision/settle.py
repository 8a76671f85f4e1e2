"""Modes of contacts that go with their forces (compiled): what pulls opens, what leaves its cone slides, what would
sink in closes; and the shares with which the rest holds.
"""

import math

from trundle.contact.collision.layout import (
    AHEAD_X,
    AHEAD_Y,
    CLOSED,
    SHARE_N,
    SHARE_X,
    SHARE_Y,
    STICK,
    WIDTH,
)
from trundle.contact.decision.share import widest
from trundle.contact.decision.smallest import INSIDE, lightest, smallest, worst
from trundle.kernel.pointers import Pointer, shifted, strict

BEGUN = 1e-9  # of the speed of the run: a slip that has a direction of its own
HELD = 1e-8  # of the largest acceleration without forces: what is left of that of a contact that is held
NONE = 1e-9  # of the largest acceleration or force: negligible
BACK = 1e-6  # of the largest acceleration, by which a slip may begin backward


@strict
def set_sliding(mode: Pointer, i: int, x: float, y: float) -> None:
    size = math.hypot(x, y)
    mode[WIDTH * i + STICK] = 0.0
    if size > 0.0:
        mode[WIDTH * i + AHEAD_X], mode[WIDTH * i + AHEAD_Y] = x / size, y / size


@strict
def begin_sliding(b: Pointer, mode: Pointer, i: int, x: float, y: float, speed: float) -> None:
    """Sliding begins along (x, y), or along a rest of a slip; one against it is stopped."""
    if math.hypot(b[3 * i], b[3 * i + 1]) > BEGUN * speed and x * b[3 * i] + y * b[3 * i + 1] > 0.0:
        set_sliding(mode, i, b[3 * i], b[3 * i + 1])
    else:
        set_sliding(mode, i, x, y)


@strict
def slip_ahead(b: Pointer, mode: Pointer, i: int) -> float:
    """The slip of a contact along its direction of sliding."""
    return b[3 * i] * mode[WIDTH * i + AHEAD_X] + b[3 * i + 1] * mode[WIDTH * i + AHEAD_Y]


@strict
def slip_aside(b: Pointer, mode: Pointer, i: int) -> float:
    """The size of the slip of a contact across its direction of sliding."""
    return abs(b[3 * i] * mode[WIDTH * i + AHEAD_Y] - b[3 * i + 1] * mode[WIDTH * i + AHEAD_X])


@strict
def hold(
    b: Pointer, D: int, data: int, free: Pointer, mode: Pointer, f: Pointer, g: Pointer, mu_k: Pointer, w: Pointer,
    contacts: int, scale: float, inner: bool,
) -> bool:  # fmt: skip
    """Whether the modes are possible with the smallest forces f, or else with shares, which are set then."""
    smallest(b, D, free, mode, mu_k, f, w, contacts)
    if worst(b, data, mode, f, contacts) < 0 and holds(b, D, free, mode, f, contacts, scale):
        return True
    return share(b, D, data, free, mode, f, g, w, contacts, scale, inner)


@strict
def keep(
    b: Pointer, D: int, data: int, free: Pointer, mode: Pointer, w: Pointer, contacts: int, scale: float, plane: bool
) -> bool:
    """Keep modes that were found with exact forces: with the smallest ones, or others that hold, or these. False where
    the equations of motion are too coarse for them; there are no shares then.
    """
    n = 3 * contacts
    f, g, mu_k = w, shifted(w, n + 2 * contacts), shifted(w, 3 * n + 3 * contacts)
    found, more = shifted(w, 3 * n + 5 * contacts), shifted(w, 5 * n + (5 + WIDTH) * contacts)
    if hold(b, D, data, free, mode, f, g, mu_k, more, contacts, scale, plane):
        return True
    for part_of in range(2):
        for j in range(n):
            g[j] = found[j]
        if part_of == 0 and not widest(b, D, data, mode, g, more, contacts, -INSIDE, plane) >= -INSIDE:
            continue
        for j in range(n):
            held = mode[WIDTH * (j // 3) + CLOSED] == 1.0 and (j % 3 == 2 or mode[WIDTH * (j // 3) + STICK] == 1.0)
            mode[WIDTH * (j // 3) + SHARE_X + j % 3] = g[j] if held else 0.0
        smallest(b, D, free, mode, mu_k, f, more, contacts)
        if worst(b, data, mode, f, contacts) < 0 and holds(b, D, free, mode, f, contacts, scale):
            return True
    for j in range(n):
        mode[WIDTH * (j // 3) + SHARE_X + j % 3] = 0.0
    return False


@strict
def settle_from(
    b: Pointer, D: int, data: int, free: Pointer, mode: Pointer, kept: Pointer, w: Pointer, contacts: int,
    scale: float, speed: float,
) -> bool:  # fmt: skip
    """Settle with the smallest forces; where with these a slip would begin backward, with those within the cones. False
    where neither has an end: the modes are those of the first attempt then.
    """
    for j in range(WIDTH * contacts):
        kept[j] = mode[j]
    if settle(b, D, data, free, mode, 0.0, w, contacts, scale, speed):
        return True
    for j in range(WIDTH * contacts):
        mode[j], kept[j] = kept[j], mode[j]
    if settle(b, D, data, free, mode, 1.0, w, contacts, scale, speed):
        return True
    for j in range(WIDTH * contacts):
        mode[j] = kept[j]
    return False


@strict
def settle(
    b: Pointer, D: int, data: int, free: Pointer, mode: Pointer, shared: float, w: Pointer, contacts: int,
    scale: float, speed: float,
) -> bool:  # fmt: skip
    """What is left over opens, or slides against the force that held it; what would sink in closes again. False where
    no end is found, or a slip would begin backward. `shared`: how much of the forces within the cones is taken for
    shares.
    """
    n = 3 * contacts
    f, g, a = w, shifted(w, n + 2 * contacts), shifted(w, 2 * n + 2 * contacts)
    mu, mu_k, state = (
        shifted(w, 3 * n + 2 * contacts),
        shifted(w, 3 * n + 3 * contacts),
        shifted(w, 3 * n + 4 * contacts),
    )
    found, more = shifted(w, 3 * n + 5 * contacts), shifted(w, 5 * n + (5 + WIDTH) * contacts)
    for _ in range(4 * contacts):
        for j in range(n):
            mode[WIDTH * (j // 3) + SHARE_X + j % 3] = shared * found[j]
        smallest(b, D, free, mode, mu_k, f, more, contacts)
        i = worst(b, data, mode, f, contacts)
        light = lightest(b, data, mode, f, contacts) if shared > 0.0 else -1
        if light >= 0:
            mode[WIDTH * light + CLOSED], mode[WIDTH * light + STICK] = 0.0, 0.0
        elif i < 0 or share(b, D, data, free, mode, f, g, more, contacts, scale, False):
            i = sinking(b, D, free, mode, f, state, a, contacts)
            if not (i >= 0 and a[3 * i + 2] < -NONE * scale):
                return not slides_backward(b, mode, state, a, contacts, scale, speed)
            mode[WIDTH * i + CLOSED] = 1.0
            if state[i] == 2.0 and mu[i] > 0.0:
                mode[WIDTH * i + STICK] = 1.0
                if math.hypot(a[3 * i], a[3 * i + 1]) > NONE * scale:
                    begin_sliding(b, mode, i, a[3 * i], a[3 * i + 1], speed)
        elif f[3 * i + 2] < 0.0:
            mode[WIDTH * i + CLOSED], mode[WIDTH * i + STICK] = 0.0, 0.0
        else:
            begin_sliding(b, mode, i, -f[3 * i], -f[3 * i + 1], speed)
    return False


@strict
def slides_backward(
    b: Pointer, mode: Pointer, state: Pointer, a: Pointer, contacts: int, scale: float, speed: float
) -> bool:
    """Whether a contact at rest that begins to slide would do so against its direction."""
    for i in range(contacts):
        begins = state[i] == 2.0 and mode[WIDTH * i + CLOSED] == 1.0 and mode[WIDTH * i + STICK] == 0.0
        if begins and slip_ahead(b, mode, i) <= BEGUN * speed and slip_ahead(a, mode, i) < -BACK * scale:
            return True
    return False


@strict
def sinking(
    b: Pointer, D: int, free: Pointer, mode: Pointer, f: Pointer, state: Pointer, a: Pointer, contacts: int
) -> int:
    """The contact that would overlap most of those that have opened, with the forces f; `a` gets the accelerations. -1
    where none has opened.
    """
    n, which = 3 * contacts, -1
    for j in range(n):
        a[j] = free[j]
        for k in range(n):
            a[j] += b[D + j + n * k] * f[k]
    for i in range(contacts):
        opened = state[i] > 0.0 and mode[WIDTH * i + CLOSED] == 0.0
        if opened and (which < 0 or a[3 * i + 2] < a[3 * which + 2]):
            which = i
    return which


@strict
def holds(b: Pointer, D: int, free: Pointer, mode: Pointer, f: Pointer, contacts: int, scale: float) -> bool:
    """Whether the forces f leave what is held without acceleration. Contacts that hold each other almost, by way of
    levers, or of a linkage at its dead centre, take large forces for little, or cannot be held at all.
    """
    n = 3 * contacts
    for j in range(n):
        i = j // 3
        if mode[WIDTH * i + CLOSED] == 1.0 and (j % 3 == 2 or mode[WIDTH * i + STICK] == 1.0):
            left = free[j]
            for k in range(n):
                left += b[D + j + n * k] * f[k]
            if abs(left) > HELD * scale:
                return False
    return True


@strict
def share(
    b: Pointer, D: int, data: int, free: Pointer, mode: Pointer, f: Pointer, g: Pointer, w: Pointer, contacts: int,
    scale: float, inner: bool,
) -> bool:  # fmt: skip
    """Shares with which all that is held lies inside the cones, f being the smallest forces: inner forces, or all that
    move nothing that is held. False if there are none.
    """
    for j in range(3 * contacts):
        g[j] = f[j]
    if not widest(b, D, data, mode, g, w, contacts, -INSIDE, inner) >= -INSIDE:
        return False
    if not holds(b, D, free, mode, g, contacts, scale):
        return False
    for i in range(contacts):
        if mode[WIDTH * i + CLOSED] == 1.0:
            mode[WIDTH * i + SHARE_N] += g[3 * i + 2] - f[3 * i + 2]
        if mode[WIDTH * i + STICK] == 1.0:
            mode[WIDTH * i + SHARE_X] += g[3 * i] - f[3 * i]
            mode[WIDTH * i + SHARE_Y] += g[3 * i + 1] - f[3 * i + 1]
    return True
