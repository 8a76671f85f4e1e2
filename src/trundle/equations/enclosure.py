"""Bounds of expressions over a box of their inputs, by interval arithmetic that is itself written as expressions.

Sampling can miss a pair of crossings; a bound cannot. If the bounds of a function exclude zero, there is no root; if
those of its rate do, there is at most one. Round-off is not taken into account.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf, pi
from typing import NamedTuple, final

import casadi as ca

from trundle.derivative import derivative
from trundle.lookup.memory import KINKS, PLACE
from trundle.lookup.node import Calls, look_up
from trundle.symbols.instructions import instructions
from trundle.typing import Expr


class Range(NamedTuple):
    """Lower and upper bound; for a known value both are the same object."""

    lo: Expr
    hi: Expr

    @property
    def known(self) -> bool:
        return self.lo is self.hi


EPSILON = 2.0**-53
EVERYTHING = Range(ca.SX(-inf), ca.SX(inf))


def known(value: Expr) -> Range:
    value = ca.SX(value)
    return Range(value, value)


def _hull(*values: Expr) -> Range:
    lo = hi = values[0]
    for value in values[1:]:
        lo, hi = ca.fmin(lo, value), ca.fmax(hi, value)
    return Range(lo, hi)


def _choose(condition: Expr, yes: Range, no: Range) -> Range:
    return Range(ca.if_else(condition, yes.lo, no.lo), ca.if_else(condition, yes.hi, no.hi))


@final
@dataclass
class Bounds:
    """Ranges of the values of one function; `jumps` are conditions under which it may be discontinuous in the box."""

    jumps: list[Expr] = field(default_factory=list)

    # -- sums and products ---------------------------------------------------------------------------------------------

    def add(self, a: Range, b: Range) -> Range:
        return known(a.lo + b.lo) if a.known and b.known else Range(a.lo + b.lo, a.hi + b.hi)

    def neg(self, a: Range) -> Range:
        return known(-a.lo) if a.known else Range(-a.hi, -a.lo)

    def sub(self, a: Range, b: Range) -> Range:
        return self.add(a, self.neg(b))

    def mul(self, a: Range, b: Range) -> Range:
        if a.known and b.known:
            return known(a.lo * b.lo)
        if b.known:
            a, b = b, a
        if a.known:
            if a.lo.is_constant():
                return Range(a.lo * b.lo, a.lo * b.hi) if float(a.lo) >= 0 else Range(a.lo * b.hi, a.lo * b.lo)
            return _hull(a.lo * b.lo, a.lo * b.hi)
        return _hull(a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)

    def inverse(self, a: Range) -> Range:
        if a.known:
            return known(1 / a.lo)
        pole = ca.logic_and(a.lo <= 0, a.hi >= 0)
        self.jumps.append(pole)
        return _choose(pole, EVERYTHING, Range(1 / a.hi, 1 / a.lo))

    def div(self, a: Range, b: Range) -> Range:
        if b.known:
            return known(a.lo / b.lo) if a.known else _hull(a.lo / b.lo, a.hi / b.lo)
        return self.mul(a, self.inverse(b))

    def square(self, a: Range) -> Range:
        if a.known:
            return known(a.lo**2)
        ends = _hull(a.lo**2, a.hi**2)
        return Range(ca.if_else(a.lo * a.hi <= 0, 0, ends.lo), ends.hi)

    def pow(self, a: Range, b: Range) -> Range:
        if a.known and b.known:
            return known(a.lo**b.lo)
        if b.known and b.lo.is_constant() and float(b.lo).is_integer() and abs(float(b.lo)) <= 64:
            return self._whole_power(a, int(float(b.lo)))
        positive = Range(ca.fmax(a.lo, 0), ca.fmax(a.hi, 0))  # the power is NaN elsewhere
        ends = _hull(*(base**power for base in positive for power in (b.lo, b.hi)))
        # Along each argument a power is monotone; at base zero a negative exponent has a pole.
        self.jumps.append(a.lo <= 0)
        return _choose(ca.logic_and(a.lo <= 0, b.lo < 0), EVERYTHING, ends)

    def _whole_power(self, a: Range, n: int) -> Range:
        if n < 0:
            return self.inverse(self._whole_power(a, -n))
        ends = Range(a.lo**n, a.hi**n)
        if n % 2:
            return ends
        top = ca.fmax(ends.lo, ends.hi)
        return Range(ca.if_else(a.lo * a.hi <= 0, 0 if n else 1, ca.fmin(ends.lo, ends.hi)), top)

    def hypot(self, a: Range, b: Range) -> Range:
        return self.rising(ca.sqrt)(self.add(self.square(a), self.square(b)))

    # -- functions of one argument -------------------------------------------------------------------------------------

    def rising(self, f: Callable[[Expr], Expr], least: float = -inf, most: float = inf) -> Callable[[Range], Range]:
        """A non-decreasing function, defined between two arguments."""

        def apply(a: Range) -> Range:
            if a.known:
                return known(f(a.lo))
            inside = [v if least == -inf else ca.fmax(v, least) for v in a]
            return Range(*(f(v if most == inf else ca.fmin(v, most)) for v in inside))

        return apply

    def stepping(self, f: Callable[[Expr], Expr]) -> Callable[[Range], Range]:
        """A non-decreasing function that changes by jumps only."""

        def apply(a: Range) -> Range:
            found = self.rising(f)(a)
            if not a.known:
                self.jumps.append(found.lo != found.hi)
            return found

        return apply

    def even(self, f: Callable[[Expr], Expr]) -> Callable[[Range], Range]:
        """An even function that increases with the absolute value of its argument."""

        def apply(a: Range) -> Range:
            if a.known:
                return known(f(a.lo))
            ends = _hull(f(a.lo), f(a.hi))
            return Range(ca.if_else(a.lo * a.hi <= 0, f(ca.SX(0)), ends.lo), ends.hi)

        return apply

    def acos(self, a: Range) -> Range:
        return self.neg(self.add(self.rising(ca.asin, -1, 1)(a), known(-pi / 2)))

    def sin(self, a: Range) -> Range:
        return known(ca.sin(a.lo)) if a.known else self._wave(ca.sin, a, pi / 2)

    def cos(self, a: Range) -> Range:
        return known(ca.cos(a.lo)) if a.known else self._wave(ca.cos, a, 0.0)

    def _wave(self, f: Callable[[Expr], Expr], a: Range, peak: float) -> Range:
        ends = _hull(f(a.lo), f(a.hi))

        def passes(place: float) -> Expr:
            return ca.floor((a.hi - place) / (2 * pi)) > ca.floor((a.lo - place) / (2 * pi))

        return Range(ca.if_else(passes(peak - pi), -1, ends.lo), ca.if_else(passes(peak), 1, ends.hi))

    def tan(self, a: Range) -> Range:
        if a.known:
            return known(ca.tan(a.lo))
        pole = ca.floor(a.hi / pi + 0.5) != ca.floor(a.lo / pi + 0.5)
        self.jumps.append(pole)
        return _choose(pole, EVERYTHING, Range(ca.tan(a.lo), ca.tan(a.hi)))

    # -- conditions: 0 or 1, from "certainly" to "possibly" ------------------------------------------------------------

    def _condition(self, certain: Expr, possible: Expr, a: Range, b: Range) -> Range:
        if a.known and b.known:
            return known(certain)
        self.jumps.append(certain != possible)
        return Range(certain, possible)

    def lt(self, a: Range, b: Range) -> Range:
        return self._condition(a.hi < b.lo, a.lo < b.hi, a, b)

    def le(self, a: Range, b: Range) -> Range:
        return self._condition(a.hi <= b.lo, a.lo <= b.hi, a, b)

    def eq(self, a: Range, b: Range) -> Range:
        if a.known and b.known:
            return known(a.lo == b.lo)
        overlap = ca.logic_and(a.lo <= b.hi, b.lo <= a.hi)
        same = ca.logic_and(ca.logic_and(a.lo == a.hi, b.lo == b.hi), a.lo == b.lo)
        return self._condition(same, overlap, a, b)

    def no(self, a: Range) -> Range:
        if a.known:
            return known(ca.logic_not(a.lo))
        never = ca.logic_and(a.lo == 0, a.hi == 0)
        maybe = ca.logic_and(a.lo <= 0, a.hi >= 0)
        return Range(never, maybe)

    def ne(self, a: Range, b: Range) -> Range:
        return self.no(self.eq(a, b))

    def _truth(self, a: Range) -> Range:
        return self.no(self.no(a))

    def both(self, a: Range, b: Range) -> Range:
        a, b = self._truth(a), self._truth(b)
        return Range(ca.logic_and(a.lo, b.lo), ca.logic_and(a.hi, b.hi))

    def either(self, a: Range, b: Range) -> Range:
        a, b = self._truth(a), self._truth(b)
        return Range(ca.logic_or(a.lo, b.lo), ca.logic_or(a.hi, b.hi))

    def if_else_zero(self, condition: Range, a: Range) -> Range:
        if condition.known and a.known:
            return known(ca.if_else(condition.lo, a.lo, 0))
        if condition.known:
            return Range(ca.if_else(condition.lo, a.lo, 0), ca.if_else(condition.lo, a.hi, 0))
        truth = self._truth(condition)
        zero = known(0)
        perhaps = _choose(truth.hi, Range(ca.fmin(a.lo, 0), ca.fmax(a.hi, 0)), zero)
        return _choose(truth.lo, a, perhaps)

    # -- functions of two arguments ------------------------------------------------------------------------------------

    def fmin(self, a: Range, b: Range) -> Range:
        return Range(ca.fmin(a.lo, b.lo), ca.fmin(a.hi, b.hi))

    def fmax(self, a: Range, b: Range) -> Range:
        return Range(ca.fmax(a.lo, b.lo), ca.fmax(a.hi, b.hi))

    def fmod(self, a: Range, b: Range) -> Range:
        return self._remains(a, b, lambda v: ca.sign(v) * ca.floor(ca.fabs(v)))

    def remainder(self, a: Range, b: Range) -> Range:
        return self._remains(a, b, lambda v: ca.floor(v + 0.5))

    def _remains(self, a: Range, b: Range, whole: Callable[[Expr], Expr]) -> Range:
        """a - b whole(a/b), which jumps where the integer changes."""
        turns = self.div(a, b)
        first, last = whole(turns.lo), whole(turns.hi)
        self.jumps.append(first != last)
        size = self.even(ca.fabs)(b).hi
        return _choose(first == last, self.sub(a, self.mul(b, known(first))), Range(-size, size))

    def copysign(self, a: Range, b: Range) -> Range:
        size = self.even(ca.fabs)(a)
        self.jumps.append(ca.logic_and(b.lo <= 0, b.hi >= 0))
        return _choose(b.lo > 0, size, _choose(b.hi < 0, self.neg(size), Range(-size.hi, size.hi)))

    def atan2(self, y: Range, x: Range) -> Range:
        if x.known and y.known:
            return known(ca.atan2(y.lo, x.lo))
        # Away from the cut along the negative x axis the extremes are at the corners.
        cut = ca.logic_and(x.lo <= 0, ca.logic_and(y.lo <= 0, y.hi >= 0))
        self.jumps.append(cut)
        corners = _hull(*(ca.atan2(v, u) for v in y for u in x))
        return _choose(cut, Range(ca.SX(-pi), ca.SX(pi)), corners)

    def record(self, handle: Range, arguments: Sequence[Range], width: int) -> list[Range]:
        """Ranges of the results of a look-up: known if all arguments stay in one cell; otherwise unlimited, except for
        the number of kinks before an argument, which increases with it.
        """
        low, high = (look_up(handle.lo, [a[end] for a in arguments], width) for end in (0, 1))
        if all(a.known for a in arguments):
            return [known(number) for number in ca.vertsplit(low)]
        one_cell = low[PLACE] == high[PLACE]
        found = [_choose(one_cell, Range(number, number), EVERYTHING) for number in ca.vertsplit(low)]
        for i in range(KINKS, KINKS + len(arguments)):
            found[i] = Range(low[i], high[i])
        return found

    # -- a whole expression --------------------------------------------------------------------------------------------

    def table(self) -> dict[int, Callable[..., Range]]:
        """The rule for ranges of each operation of CasADi."""
        plain = (
            "add sub mul div neg pow hypot acos sin cos tan lt le eq ne if_else_zero fmin fmax fmod remainder copysign "
            "atan2"
        )
        named: dict[str, Callable[..., Range]] = {name: getattr(self, name) for name in plain.split()}
        rising = "exp atan sinh tanh asinh erf expm1"
        named |= {name: self.rising(getattr(ca, name)) for name in rising.split()}
        named |= {"sqrt": self.rising(ca.sqrt, 0), "log": self.rising(ca.log, 0), "asin": self.rising(ca.asin, -1, 1)}
        named |= {"acosh": self.rising(ca.acosh, 1), "atanh": self.rising(ca.atanh, -1, 1)}
        named |= {"log1p": self.rising(ca.log1p, -1), "fabs": self.even(ca.fabs), "cosh": self.even(ca.cosh)}
        named |= {name: self.stepping(getattr(ca, name)) for name in ("floor", "ceil", "sign")}
        named |= {"not": self.no, "and": self.both, "or": self.either, "constpow": self.pow, "sq": self.square}
        named |= {"twice": lambda a: self.add(a, a), "inv": self.inverse, "assign": lambda a: a}
        named |= {"lift": lambda a, _: a}
        return {getattr(ca, f"OP_{name.upper()}"): rule for name, rule in named.items()}


def bounds(expression: Expr, symbols: Sequence[Expr], ranges: Sequence[Range]) -> tuple[Range, Expr]:
    """Range of a scalar expression if each symbol lies in its range, and whether it may jump there."""
    function = ca.Function("f", [ca.vertcat(*symbols)], [ca.SX(expression)])
    rules = Bounds()
    table, calls = rules.table(), Calls(function)
    register: dict[int, Range] = {}
    result = known(0)  # for a structural zero
    steps = instructions(function)
    for k, code, take, give in steps:
        if code == ca.OP_CONST:
            register[give[0]] = known(float(steps.numbers[k]))
        elif code == ca.OP_INPUT:
            register[give[0]] = ranges[take[1]]
        elif code == ca.OP_OUTPUT:
            result = register[take[0]]
        elif code in table:
            register[give[0]] = table[code](*(register[i] for i in take))
        elif code == ca.OP_CALL and calls.is_lookup(k):
            handle, *arguments = (register[i] for i in take)
            found = rules.record(handle, arguments, len(give))
            register |= {at: number for at, number in zip(give, found, strict=True) if at >= 0}
        else:  # nothing is known of it
            rules.jumps.append(ca.SX(1))
            register[give[0]] = EVERYTHING
    jumps = ca.SX(0)
    for jump in rules.jumps:
        jumps = ca.logic_or(jumps, jump)
    return result, jumps


def enclosure(values: Sequence[Expr], rates: Sequence[Expr], symbols: Sequence[Expr], ranges: Sequence[Range]) -> Expr:
    """[lower and upper bounds of values, then of rates]; a rate is unbounded if the value may jump."""
    columns: list[list[Expr]] = [[], [], [], []]
    for value, rate in zip(values, rates, strict=True):
        of_value, jumps = bounds(value, symbols, ranges)
        of_rate, _ = bounds(rate, symbols, ranges)
        of_rate = of_rate if jumps.is_zero() else _choose(jumps, EVERYTHING, of_rate)
        for column, entry in zip(columns, (*of_value, *of_rate), strict=True):
            column.append(entry)
    return ca.densify(ca.vertcat(*[ca.SX(entry) for column in columns for entry in column]))


def round_off(expression: Expr, symbols: Sequence[Expr]) -> Expr:
    """First-order bound of the round-off error of a scalar expression, with an error of half a bit in the inputs."""
    inputs = ca.vertcat(*symbols)
    function = ca.Function("f", [inputs], [ca.SX(expression)])
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    values: dict[int, Expr] = {}
    errors: dict[int, Expr] = {}
    result = ca.SX(0)
    partials: dict[int, Expr] = {}
    steps = instructions(function)
    for k, code, take, give in steps:
        if code == ca.OP_OUTPUT:
            result = errors[take[0]]
            continue
        if code in (ca.OP_CONST, ca.OP_INPUT):
            is_input = code == ca.OP_INPUT
            value = inputs[take[1]] if is_input else ca.SX(float(steps.numbers[k]))
            values[give[0]], errors[give[0]] = value, EPSILON * ca.fabs(value) if is_input else ca.SX(0)
            continue
        if code == ca.OP_CALL:  # numbers of a table are exact
            handle, *given = (values[i] for i in take)
            found = ca.vertsplit(look_up(handle, given, len(give)))
            values |= {at: number for at, number in zip(give, found, strict=True) if at >= 0}
            errors |= {at: ca.SX(0) for at in give if at >= 0}
            continue
        arguments = [a, b][: len(take)]
        if code not in partials:
            made = ca.SX.binary(code, a, b) if len(take) == 2 else ca.SX.unary(code, a)
            partials[code] = ca.Function("partials", arguments, [made, *(derivative(made, v) for v in arguments)])
        value, *slopes = partials[code](*(values[i] for i in take))
        error = EPSILON * ca.fabs(value)
        for i, slope in zip(take, slopes, strict=True):
            error += ca.fabs(slope) * errors[i]
        values[give[0]], errors[give[0]] = value, error
    return result
