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
from trundle.contact.decision.memory import Contacts
from trundle.contact.decision.share import widest
from trundle.contact.decision.smallest import INSIDE, lightest, smallest, worst
from trundle.kernel.pointers import Pointer, strict

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
def begin_sliding(at: Contacts, i: int, x: float, y: float) -> None:
    """Sliding begins along (x, y), or along a rest of a slip; one against it is stopped."""
    b, mode = at.b, at.mode
    if math.hypot(b[3 * i], b[3 * i + 1]) > BEGUN * at.speed and x * b[3 * i] + y * b[3 * i + 1] > 0.0:
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
def hold(at: Contacts, scale: float, inner: bool) -> bool:
    """Whether the modes are possible with the smallest forces f, or else with shares, which are set then."""
    smallest(at)
    if worst(at) < 0 and holds(at, at.f, scale):
        return True
    return share(at, scale, inner)


@strict
def keep(at: Contacts, scale: float, plane: bool) -> bool:
    """Keep modes that were found with exact forces: with the smallest ones, or others that hold, or these. False where
    the equations of motion are too coarse for them; there are no shares then.
    """
    mode, g, n = at.mode, at.g, 3 * at.contacts
    if hold(at, scale, plane):
        return True
    for part_of in range(2):
        for j in range(n):
            g[j] = at.found[j]
        if part_of == 0 and not widest(at, g, -INSIDE, plane) >= -INSIDE:
            continue
        for j in range(n):
            held = mode[WIDTH * (j // 3) + CLOSED] == 1.0 and (j % 3 == 2 or mode[WIDTH * (j // 3) + STICK] == 1.0)
            mode[WIDTH * (j // 3) + SHARE_X + j % 3] = g[j] if held else 0.0
        smallest(at)
        if worst(at) < 0 and holds(at, at.f, scale):
            return True
    for j in range(n):
        mode[WIDTH * (j // 3) + SHARE_X + j % 3] = 0.0
    return False


@strict
def settle_from(at: Contacts, scale: float) -> bool:
    """Settle with the smallest forces; where with these a slip would begin backward, with those within the cones. False
    where neither has an end: the modes are those of the first attempt then.
    """
    mode, kept, contacts = at.mode, at.kept, at.contacts
    for j in range(WIDTH * contacts):
        kept[j] = mode[j]
    if settle(at, 0.0, scale):
        return True
    for j in range(WIDTH * contacts):
        mode[j], kept[j] = kept[j], mode[j]
    if settle(at, 1.0, scale):
        return True
    for j in range(WIDTH * contacts):
        mode[j] = kept[j]
    return False


@strict
def settle(at: Contacts, shared: float, scale: float) -> bool:
    """What is left over opens, or slides against the force that held it; what would sink in closes again. False where
    no end is found, or a slip would begin backward. `shared`: how much of the forces within the cones is taken for
    shares.
    """
    mode, f, a = at.mode, at.f, at.a
    for _ in range(4 * at.contacts):
        for j in range(3 * at.contacts):
            mode[WIDTH * (j // 3) + SHARE_X + j % 3] = shared * at.found[j]
        smallest(at)
        i = worst(at)
        light = lightest(at) if shared > 0.0 else -1
        if light >= 0:
            mode[WIDTH * light + CLOSED], mode[WIDTH * light + STICK] = 0.0, 0.0
        elif i < 0 or share(at, scale, False):
            i = sinking(at)
            if not (i >= 0 and a[3 * i + 2] < -NONE * scale):
                return not slides_backward(at, scale)
            mode[WIDTH * i + CLOSED] = 1.0
            if at.state[i] == 2.0 and at.mu[i] > 0.0:
                mode[WIDTH * i + STICK] = 1.0
                if math.hypot(a[3 * i], a[3 * i + 1]) > NONE * scale:
                    begin_sliding(at, i, a[3 * i], a[3 * i + 1])
        elif f[3 * i + 2] < 0.0:
            mode[WIDTH * i + CLOSED], mode[WIDTH * i + STICK] = 0.0, 0.0
        else:
            begin_sliding(at, i, -f[3 * i], -f[3 * i + 1])
    return False


@strict
def slides_backward(at: Contacts, scale: float) -> bool:
    """Whether a contact at rest that begins to slide would do so against its direction."""
    mode = at.mode
    for i in range(at.contacts):
        begins = at.state[i] == 2.0 and mode[WIDTH * i + CLOSED] == 1.0 and mode[WIDTH * i + STICK] == 0.0
        if begins and slip_ahead(at.b, mode, i) <= BEGUN * at.speed and slip_ahead(at.a, mode, i) < -BACK * scale:
            return True
    return False


@strict
def sinking(at: Contacts) -> int:
    """The contact that would overlap most of those that have opened, with the forces f; `a` gets the accelerations. -1
    where none has opened.
    """
    b, D, f, a, n, which = at.b, at.D, at.f, at.a, 3 * at.contacts, -1
    for j in range(n):
        a[j] = at.free[j]
        for k in range(n):
            a[j] += b[D + j + n * k] * f[k]
    for i in range(at.contacts):
        opened = at.state[i] > 0.0 and at.mode[WIDTH * i + CLOSED] == 0.0
        if opened and (which < 0 or a[3 * i + 2] < a[3 * which + 2]):
            which = i
    return which


@strict
def holds(at: Contacts, f: Pointer, scale: float) -> bool:
    """Whether the forces f leave what is held without acceleration. Contacts that hold each other almost, by way of
    levers, or of a linkage at its dead centre, take large forces for little, or cannot be held at all.
    """
    b, D, mode, n = at.b, at.D, at.mode, 3 * at.contacts
    for j in range(n):
        i = j // 3
        if mode[WIDTH * i + CLOSED] == 1.0 and (j % 3 == 2 or mode[WIDTH * i + STICK] == 1.0):
            left = at.free[j]
            for k in range(n):
                left += b[D + j + n * k] * f[k]
            if abs(left) > HELD * scale:
                return False
    return True


@strict
def share(at: Contacts, scale: float, inner: bool) -> bool:
    """Shares with which all that is held lies inside the cones, f being the smallest forces: inner forces, or all that
    move nothing that is held. False if there are none.
    """
    mode, f, g = at.mode, at.f, at.g
    for j in range(3 * at.contacts):
        g[j] = f[j]
    if not widest(at, g, -INSIDE, inner) >= -INSIDE:
        return False
    if not holds(at, g, scale):
        return False
    for i in range(at.contacts):
        if mode[WIDTH * i + CLOSED] == 1.0:
            mode[WIDTH * i + SHARE_N] += g[3 * i + 2] - f[3 * i + 2]
        if mode[WIDTH * i + STICK] == 1.0:
            mode[WIDTH * i + SHARE_X] += g[3 * i] - f[3 * i]
            mode[WIDTH * i + SHARE_Y] += g[3 * i + 1] - f[3 * i + 1]
    return True
