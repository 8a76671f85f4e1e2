"""Times at which the equations may change abruptly: given by the user, or found where they compare functions of time.

A step that reaches over such a time sees the law at a few instants only, and may see nothing of a short pulse. What
depends on the state as well is not a matter of time alone: that is what events are for.
"""

from collections.abc import Iterable, Sequence

import casadi as ca

from trundle.derivative import derivative
from trundle.equations.enclosure import Range, enclosure
from trundle.instructions import instructions
from trundle.lookup.memory import KINKS
from trundle.lookup.node import Calls, look_up, written
from trundle.typing import Expr, TapeFunction

_DIFFERENCE = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_FMIN, ca.OP_FMAX}
_JUMPS = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_SIGN, ca.OP_COPYSIGN, ca.OP_FLOOR, ca.OP_CEIL, ca.OP_FMOD,
          ca.OP_REMAINDER}  # fmt: skip
_ITSELF = {ca.OP_SIGN, ca.OP_FABS}
_WHOLE = {ca.OP_FLOOR: 0.0, ca.OP_CEIL: 0.0, ca.OP_FMOD: 0.0, ca.OP_REMAINDER: 0.5}


def break_function(rhs: TapeFunction, p: Expr, given: Iterable[Expr]) -> Expr:
    """Bounds of all functions of time whose roots are breaks, over the times [x0, x1]; None where there are none.

    rhs is a function of (t, x, p); `given` are times as expressions of the parameters p.
    """
    t = ca.SX.sym("t")
    found = _found(rhs, t, p, given)
    if not found:
        return None
    span = ca.SX.sym("span", 2)
    ranges = [Range(span[0], span[1]), *(Range(v, v) for v in ca.vertsplit(p))]
    rates = [derivative(value, t) for value in found]
    out = enclosure(found, rates, [t, *ca.vertsplit(p)], ranges)
    return ca.Function("breaks", [ca.SX.sym("none"), span, p], [out])


def time_switches(rhs: TapeFunction, p: Expr, given: Iterable[Expr], places: Sequence[int]) -> list[bool]:
    """Whether the time of a break depends on each of the parameters at these places."""
    found = ca.vertcat(ca.SX(0, 1), *_found(rhs, ca.SX.sym("t"), p, given))
    return [bool(ca.depends_on(found, p[place])) for place in places]


def compares_states(rhs: TapeFunction) -> bool:
    """Whether the right-hand side, a function of (t, x, p), has operations in it that may jump as the state changes."""
    of_state: dict[int, bool] = {}
    for _, code, take, give in instructions(rhs):
        if code in (ca.OP_CONST, ca.OP_INPUT):
            of_state[give[0]] = code == ca.OP_INPUT and take[0] == 1
        elif code != ca.OP_OUTPUT:
            depends = any(of_state[i] for i in take)
            if depends and code in _JUMPS:
                return True
            of_state |= {at: depends for at in give if at >= 0}
    return False


def _found(rhs: TapeFunction, t: Expr, p: Expr, given: Iterable[Expr]) -> list[Expr]:
    """Functions of time and parameters whose roots are breaks."""
    return [*_switches(rhs, t, p), *(t - time for time in given)]


def _switches(rhs: TapeFunction, t: Expr, p: Expr) -> list[Expr]:
    """Functions of time and parameters at whose roots the right-hand side switches or has a kink."""
    inside = [ca.SX.sym(f"input {k}", rhs.size1_in(k)) for k in range(3)]
    if not ca.depends_on(rhs(*inside), inside[0]):
        return []
    calls = Calls(rhs)
    register: dict[int, Expr] = {}  # None: depends on the state
    timed: dict[int, bool] = {}
    found: dict[str, Expr] = {}
    steps = instructions(rhs)
    for k, code, take, give in steps:
        if code == ca.OP_CONST:
            register[give[0]], timed[give[0]] = ca.SX(float(steps.numbers[k])), False
            continue
        if code == ca.OP_INPUT:
            register[give[0]] = t if take[0] == 0 else None if take[0] == 1 else p[take[1]]
            timed[give[0]] = take[0] == 0
            continue
        if code == ca.OP_OUTPUT:
            continue
        parts = [register[i] for i in take]
        plain = all(part is not None for part in parts)
        moves = plain and any(timed[i] for i in take)
        if code == ca.OP_CALL:
            plain = plain and calls.is_lookup(k)
            numbers = look_up(parts[0], parts[1:], len(give)) if plain else None
            for i, argument in enumerate(take[1:]):
                if numbers is not None and timed[argument] and calls.smooth(k) <= 0:
                    side = 1 - 2 * ca.fmod(numbers[KINKS + i], 2)  # changes its sign at every kink
                    found.setdefault(str(written([t, p], [side])), side)
            register |= {at: None if numbers is None else numbers[i] for i, at in enumerate(give) if at >= 0}
            timed |= {at: moves for at in give if at >= 0}
            continue
        if moves:
            root = _root(code, parts)
            if root is not None and ca.depends_on(root, t):
                found.setdefault(str(written([t, p], [root])), root)
        made = None
        if plain:
            made = ca.SX.binary(code, *parts) if len(parts) == 2 else ca.SX.unary(code, *parts)
        register[give[0]], timed[give[0]] = made, moves
    return list(found.values())


def _root(code: int, parts: list[Expr]) -> Expr:
    """What vanishes where the operation switches; None where it never does."""
    if code in _DIFFERENCE:
        return parts[0] - parts[1]
    if code in _ITSELF:
        return parts[0]
    if code == ca.OP_COPYSIGN:
        return parts[1]
    if code in _WHOLE:
        turns = parts[0] / parts[1] if len(parts) == 2 else parts[0]
        return ca.sin(ca.pi * (turns - _WHOLE[code]))
    return None
