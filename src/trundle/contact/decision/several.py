"""Whether a decision chose among several possible motions (compiled).

Where friction makes a determinant of the loads negative, the contacts that slide may all be able to press in an
unstable state, and the forces found by pivoting belong to another one. Solutions of these equations come in pairs with
determinants of opposite sign, except for one: if there is an unstable solution, there are at least two others. It is
searched for among the contacts that touch, among these without one of them, and next to what was decided.
"""

from trundle.contact.collision.layout import CHOICE, CLOSED, COULD_PRESS, PARTED, SHARE_X, STICK, WIDTH
from trundle.contact.decision.memory import tentative_in
from trundle.contact.decision.settle import NONE, hold, sinking
from trundle.contact.decision.smallest import smallest, worst
from trundle.contact.decision.unique import is_unique
from trundle.kernel.pointers import Pointer, shifted, strict


@strict
def mark_choice(b: Pointer, free: Pointer, mode: Pointer, w: Pointer, contacts: int, scale: float, plane: bool) -> None:
    """Record with the modes which contacts could all press in another, unstable state; `tentative_in` has the modes
    with all touching contacts closed. Nothing else is changed.
    """
    n = 3 * contacts
    first, state, kept = tentative_in(w, contacts), shifted(w, 3 * n + 4 * contacts), shifted(w, 4 * n + 5 * contacts)
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
        if is_unstable_solution(b, free, mode, kept, w, contacts, scale, plane):
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
def is_unstable_solution(
    b: Pointer, free: Pointer, mode: Pointer, kept: Pointer, w: Pointer, contacts: int, scale: float, plane: bool
) -> bool:  # fmt: skip
    """Whether these modes, after contacts that pull were opened and contacts that sink in were closed, are possible,
    unstable, and other than those decided.
    """
    n = 3 * contacts
    D, data = n, n + n * n
    f, g, a, mu_k = w, shifted(w, n + 2 * contacts), shifted(w, 2 * n + 2 * contacts), shifted(w, 3 * n + 3 * contacts)
    state, more = shifted(w, 3 * n + 4 * contacts), shifted(w, 5 * n + (5 + WIDTH) * contacts)
    first = tentative_in(w, contacts)
    for _ in range(2 * contacts):
        smallest(b, D, free, kept, mu_k, f, more, contacts)
        i = worst(b, data, kept, f, contacts)
        if i >= 0 and f[3 * i + 2] < 0.0:
            kept[WIDTH * i + CLOSED], kept[WIDTH * i + STICK] = 0.0, 0.0
            continue
        i = sinking(b, D, free, kept, f, state, a, contacts)
        if i < 0 or a[3 * i + 2] >= -NONE * scale:
            break
        for j in range(WIDTH):
            kept[WIDTH * i + j] = first[WIDTH * i + j]
    if not differs(kept, mode, contacts) or is_unique(b, D, kept, mu_k, more, contacts):
        return False
    if not hold(b, D, data, free, kept, f, g, mu_k, more, contacts, scale, plane):
        return False
    smallest(b, D, free, kept, mu_k, f, more, contacts)
    i = sinking(b, D, free, kept, f, state, a, contacts)
    return i < 0 or a[3 * i + 2] >= -NONE * scale
