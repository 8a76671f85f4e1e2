"""Whether a decision chose among several possible motions (compiled).

Where friction makes a determinant of the loads negative, the contacts that slide may all be able to press in an
unstable state, and the forces found by pivoting belong to another one. Solutions of these equations come in pairs with
determinants of opposite sign, except for one: if there is an unstable solution, there are at least two others. It is
searched for among the contacts that touch, among these without one of them, and next to what was decided.
"""

from trundle.contact.collision.layout import CHOICE, CLOSED, COULD_PRESS, PARTED, SHARE_X, STICK, WIDTH
from trundle.contact.decision.memory import Contacts, with_modes
from trundle.contact.decision.settle import NONE, hold, sinking
from trundle.contact.decision.smallest import smallest, worst
from trundle.contact.decision.unique import is_unique
from trundle.kernel.pointers import Pointer, strict


@strict
def mark_choice(at: Contacts, scale: float, plane: bool) -> None:
    """Record with the modes which contacts could all press in another, unstable state; the tentative modes are those
    with all touching contacts closed. Nothing else is changed.
    """
    mode, first, state, kept = at.mode, at.tentative, at.state, at.kept
    contacts, n = at.contacts, 3 * at.contacts
    for attempt in range(2 * contacts + 1):
        near, i = attempt > contacts, (attempt - 1) % contacts
        if attempt > 0 and state[i] == 0.0:
            continue
        for j in range(WIDTH * contacts):
            kept[j] = mode[j] if near else first[j]
        for j in range(n):
            kept[WIDTH * (j // 3) + SHARE_X + j % 3] = 0.0
        if attempt > 0:
            for j in range(WIDTH):
                kept[WIDTH * i + j] = first[WIDTH * i + j]
            if mode[WIDTH * i + CLOSED] == 1.0 or not near:
                kept[WIDTH * i + CLOSED], kept[WIDTH * i + STICK] = 0.0, 0.0
        if is_unstable_solution(at, scale, plane):
            for k in range(contacts):
                if kept[WIDTH * k + CLOSED] == 1.0:
                    mode[WIDTH * k + CHOICE] = COULD_PRESS if mode[WIDTH * k + CLOSED] == 1.0 else PARTED
            return


@strict
def differs(one: Pointer, other: Pointer, contacts: int) -> bool:
    """Whether one of the contacts is closed or sticks in one state and not in the other."""
    for i in range(contacts):
        closed = one[WIDTH * i + CLOSED] != other[WIDTH * i + CLOSED]
        if closed or one[WIDTH * i + STICK] != other[WIDTH * i + STICK]:
            return True
    return False


@strict
def is_unstable_solution(at: Contacts, scale: float, plane: bool) -> bool:
    """Whether the modes `kept`, after contacts that pull were opened and contacts that sink in were closed, are
    possible, unstable, and other than those decided.
    """
    kept, a, other = at.kept, at.a, with_modes(at, at.kept)
    for _ in range(2 * at.contacts):
        smallest(other)
        i = worst(other)
        if i >= 0 and at.f[3 * i + 2] < 0.0:
            kept[WIDTH * i + CLOSED], kept[WIDTH * i + STICK] = 0.0, 0.0
            continue
        i = sinking(other)
        if i < 0 or a[3 * i + 2] >= -NONE * scale:
            break
        for j in range(WIDTH):
            kept[WIDTH * i + j] = at.tentative[WIDTH * i + j]
    if not differs(kept, at.mode, at.contacts) or is_unique(other):
        return False
    if not hold(other, scale, plane):
        return False
    smallest(other)
    i = sinking(other)
    return i < 0 or a[3 * i + 2] >= -NONE * scale
