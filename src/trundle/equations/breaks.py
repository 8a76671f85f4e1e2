"""Break times, at which the equations may change abruptly: given by the user, or found in comparisons of functions of
time.

A step over such a time evaluates the law at a few instants only, and may miss a short pulse. Switching conditions that
also depend on the state are a matter of events.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.equations.enclosure import Range, enclosure
from trundle.lookup.memory import KINKS
from trundle.lookup.node import Calls, look_up, spelled
from trundle.symbols.instructions import Instructions, instructions
from trundle.typing import Expr, TapeFunction

_DIFFERENCE = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_FMIN, ca.OP_FMAX}
_JUMPS = {ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_SIGN, ca.OP_COPYSIGN, ca.OP_FLOOR, ca.OP_CEIL, ca.OP_FMOD,
          ca.OP_REMAINDER}  # fmt: skip
_ITSELF = {ca.OP_SIGN, ca.OP_FABS}
_WHOLE = {ca.OP_FLOOR: 0.0, ca.OP_CEIL: 0.0, ca.OP_FMOD: 0.0, ca.OP_REMAINDER: 0.5}
_SWITCHES = _DIFFERENCE | _ITSELF | {ca.OP_COPYSIGN} | set(_WHOLE)


def break_function(rhs: TapeFunction, p: Expr, given: Iterable[Expr]) -> Expr:
    """Bounds of all functions of time whose roots are breaks, over the times [x0, x1]; None if there are none.

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
    """For each of the parameters with these indices, whether the time of a break depends on it."""
    found = ca.vertcat(ca.SX(0, 1), *_found(rhs, ca.SX.sym("t"), p, given))
    return [bool(ca.depends_on(found, p[place])) for place in places]


def compares_states(rhs: TapeFunction) -> bool:
    """Whether the right-hand side, a function of (t, x, p), has operations that may jump when the state changes."""
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
    steps = instructions(rhs)
    codes = steps.rows[:, 0]
    takes_time = bool(np.any(steps.rows[codes == ca.OP_INPUT, 2] == 0))
    if not takes_time or not np.isin(codes, [*_SWITCHES, ca.OP_CALL]).any():
        return []
    known = _OfTime(rhs, steps, t, p)
    found: dict[str, Expr] = {}
    for k, code in known.candidates():
        for root in known.kinks(k) if code == ca.OP_CALL else (_root(code, known.operands(k)),):
            if ca.depends_on(root, t):
                found.setdefault(spelled([t, p], root), root)
    return list(found.values())


@final
class _OfTime:
    """Parts of a right-hand side that depend on time and parameters only; their expressions are made on demand."""

    def __init__(self, rhs: TapeFunction, steps: Instructions, t: Expr, p: Expr) -> None:
        self.steps, self.calls, self.t, self.p = steps, Calls(rhs), t, p
        self.codes: list[int] = steps.rows[:, 0].tolist()
        self.taken: dict[int, list[tuple[int, int]]] = {}  # operands: the instruction of each, and index of its result
        self.timed: set[int] = set()  # instructions that depend on time
        self._values: dict[int, list[Expr]] = {}
        given: dict[int, tuple[int, int] | None] = {}  # by register; None if it depends on the state
        operands = steps.n_operands
        for k, (code, to, a, b) in enumerate(steps.rows.tolist()):
            if code == ca.OP_OUTPUT:
                continue
            if code == ca.OP_CALL:
                self._call(rhs, k, given)
            elif code == ca.OP_INPUT:
                given[to] = None if a == 1 else self._take(k, [])
                if a == 0:
                    self.timed.add(k)
            elif not operands[code]:
                given[to] = self._take(k, [])
            elif given[a] is None or given[b] is None:  # as nearly all do; a single operand is both
                given[to] = None
            else:
                given[to] = self._take(k, [given[a], given[b]][: operands[code]])

    def _call(self, rhs: TapeFunction, k: int, given: dict[int, tuple[int, int] | None]) -> None:
        """Enter a call, which may have many operands and several results."""
        results = rhs.instruction_output(k)
        sources = [given[i] for i in rhs.instruction_input(k)]
        if None in sources:
            given.update(dict.fromkeys(results))
            return
        self._take(k, sources)
        given.update({register: (k, i) for i, register in enumerate(results)})

    def _take(self, k: int, sources: "list[tuple[int, int] | None]") -> tuple[int, int]:
        """Record the sources of the operands of an instruction; return its first result."""
        taken = self.taken[k] = [source for source in sources if source is not None]
        if any(at in self.timed for at, _ in taken):
            self.timed.add(k)
        return k, 0

    def candidates(self) -> Iterator[tuple[int, int]]:
        """Instructions that may switch with time, with their operations."""
        for k in sorted(self.timed):
            code = self.codes[k]
            if code in _SWITCHES or (code == ca.OP_CALL and self.is_rough(k)):
                yield k, code

    def is_rough(self, k: int) -> bool:
        """Whether instruction k, a call, is a look-up of a function with kinks."""
        return self.calls.is_lookup(k) and self.calls.smooth(k) <= 0

    def kinks(self, k: int) -> Iterator[Expr]:
        """For a look-up, an expression that changes its sign at every kink, for each argument that varies with time."""
        numbers = self._value(k)
        for i, (at, _) in enumerate(self.taken[k][1:]):
            if at in self.timed:
                yield 1 - 2 * ca.fmod(numbers[KINKS + i], 2)

    def operands(self, k: int) -> list[Expr]:
        """Operands of an instruction, as expressions of time and parameters."""
        return [self._value(at)[i] for at, i in self.taken[k]]

    def _value(self, k: int) -> list[Expr]:
        """Results of an instruction; those of the instructions that it needs are made first."""
        needed, waiting = set(), [k]
        while waiting:
            at = waiting.pop()
            if at not in self._values and at not in needed:
                needed.add(at)
                waiting += [before for before, _ in self.taken[at]]
        for at in sorted(needed):
            self._values[at] = self._made(at)
        return self._values[k]

    def _made(self, k: int) -> list[Expr]:
        code, parts = self.codes[k], [self._values[at][i] for at, i in self.taken[k]]
        if code == ca.OP_CONST:
            return [ca.SX(float(self.steps.numbers[k]))]
        if code == ca.OP_INPUT:
            which, place = self.steps.rows[k, 2:].tolist()
            return [self.t if which == 0 else self.p[place]]
        if code == ca.OP_CALL:
            return list(ca.vertsplit(look_up(parts[0], parts[1:], self.calls.width(k))))
        return [ca.SX.binary(code, *parts) if len(parts) == 2 else ca.SX.unary(code, *parts)]


def _root(code: int, parts: list[Expr]) -> Expr:
    """Expression that is zero where the operation, one of _SWITCHES, switches."""
    if code in _DIFFERENCE:
        return parts[0] - parts[1]
    if code in _ITSELF:
        return parts[0]
    if code == ca.OP_COPYSIGN:
        return parts[1]
    turns = parts[0] / parts[1] if len(parts) == 2 else parts[0]
    return ca.sin(ca.pi * (turns - _WHOLE[code]))
