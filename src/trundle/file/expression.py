"""Expressions in model files: text to CasADi, by a small parser. No Python code is ever executed.

    2*pi*f        m*l^2/12        where(crank.angle > 0, k*crank.angle, 0)        `left arm.angle_rate`

Names may have dots; a name (or a part of it) with spaces or dashes is put in backquotes or quotes. The parser writes a
list of steps for a stack, so a long sum needs no recursion; the nesting of brackets and signs is limited.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NoReturn, final

import casadi as ca

from trundle.errors import FileError
from trundle.math import CONSTANTS, FUNCTIONS, RESERVED, power
from trundle.typing import Expr

MAX_LENGTH = 2000  # characters
MAX_NESTING = 40  # brackets, signs and powers inside one another

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>(?:[^\W\d]\w*|`[^`\n]+`|'[^'\n]+'|"[^"\n]+")(?:\.(?:[^\W\d]\w*|`[^`\n]+`|'[^'\n]+'|"[^"\n]+"))*)
      | (?P<operator>\*\*|<=|>=|==|!=|[-+*/^<>(),])
      | (?P<end>$)
    )""",
    re.VERBOSE,
)


def _divide(a: Expr, b: Expr) -> Expr:
    plain = isinstance(a, float) and isinstance(b, float)
    return a * power(b, -1.0) if plain and b == 0.0 else a / b


def _logic(test: Callable[[Expr, Expr], Expr]) -> Callable[[Expr, Expr], Expr]:
    """A comparison of numbers returns 1.0 or 0.0, one of symbols a symbol."""

    def compare(a: Expr, b: Expr) -> Expr:
        answer = test(a, b)
        return float(answer) if isinstance(answer, bool) else answer

    return compare


def _and(a: Expr, b: Expr) -> Expr:
    return float(a != 0.0 and b != 0.0) if isinstance(a, float) and isinstance(b, float) else ca.logic_and(a, b)


def _or(a: Expr, b: Expr) -> Expr:
    return float(a != 0.0 or b != 0.0) if isinstance(a, float) and isinstance(b, float) else ca.logic_or(a, b)


_POWER = 8
_SIGN = 7
_NOT = 3
_COMPARE = 4
# operator -> (binding strength, meaning)
_BINARY: Mapping[str, tuple[int, Callable[[Expr, Expr], Expr]]] = {
    "or": (1, _or),
    "and": (2, _and),
    "<": (_COMPARE, _logic(lambda a, b: a < b)),
    "<=": (_COMPARE, _logic(lambda a, b: a <= b)),
    ">": (_COMPARE, _logic(lambda a, b: a > b)),
    ">=": (_COMPARE, _logic(lambda a, b: a >= b)),
    "==": (_COMPARE, _logic(lambda a, b: a == b)),
    "!=": (_COMPARE, _logic(lambda a, b: a != b)),
    "+": (5, lambda a, b: a + b),
    "-": (5, lambda a, b: a - b),
    "*": (6, lambda a, b: a * b),
    "/": (6, _divide),
    "^": (_POWER, power),
    "**": (_POWER, power),
}


_tables: ContextVar[frozenset[str]] = ContextVar("tables", default=frozenset())


@contextmanager
def tables_known(names: Iterable[str]) -> Iterator[None]:
    """Context in which expressions may call tables with these names."""
    token = _tables.set(frozenset(names))
    try:
        yield
    finally:
        _tables.reset(token)


@final
@dataclass(frozen=True)
class Step:
    """One step on the stack: push a number, push the value of a name, or call a function on the topmost values; with
    both a name and a count of arguments, call the table of this name.
    """

    number: float = 0.0
    name: str = ""
    call: Callable[..., Expr] | None = None
    count: int = 0
    at: int = 0


@final
@dataclass(frozen=True)
class Expression:
    """A parsed expression; `names` are the names that it uses, in order."""

    text: str
    steps: tuple[Step, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(s.name for s in self.steps if s.name and s.name not in CONSTANTS))

    def evaluate(self, lookup: Callable[[str], Expr]) -> Expr:
        """The value: a float if all names are numbers, otherwise a CasADi expression."""
        stack: list[Expr] = []
        for step in self.steps:
            if step.count:
                arguments = stack[len(stack) - step.count :]
                del stack[len(stack) - step.count :]
                stack.append((step.call or lookup(step.name))(*arguments))
            elif step.name:
                stack.append(CONSTANTS[step.name] if step.name in CONSTANTS else lookup(step.name))
            else:
                stack.append(step.number)
        return stack[0]


def constant(value: float) -> Expression:
    """A number as an expression."""
    return Expression(f"{value!r}", (Step(number=float(value)),))


def parse(text: str) -> Expression:
    """Read an expression; FileError has the position of the first fault."""
    if len(text) > MAX_LENGTH:
        raise FileError(f"the expression has {len(text)} characters, more than {MAX_LENGTH}; split it into constants.")
    return Expression(text, tuple(_Parser(text).read()))


@final
@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: int


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while True:
        match = _TOKEN.match(text, at)
        if match is None:
            rest = text[at:]
            at += len(rest) - len(rest.lstrip())
            equal = ": two sides are compared by ==, <, >; an event is where an expression passes zero, such as x - 3"
            _fail(text, at, f"{text[at]!r} has no meaning here{equal if text[at] == '=' else ''}")
        kind = str(match.lastgroup)
        value = match.group(kind)
        if kind == "name" and value in ("and", "or", "not"):
            kind = "operator"
        yield _Token(kind, value, match.start(kind))
        if kind == "end":
            return
        at = match.end()


def _fail(text: str, at: int, what: str) -> NoReturn:
    shown = text if len(text) <= 60 else f"{text[max(0, at - 30) : at + 30]}"
    raise FileError(f"in the expression {shown!r}, at character {at + 1}: {what}.")


UNITS = ". Numbers are in SI units (m, kg, s, rad) and written without a unit: 30 degrees are degrees(30), 5 mm 0.005"


@final
class _Parser:
    """Operators by binding strength (Pratt); writes steps in the order of a stack."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.token = next(self.tokens)
        self.steps: list[Step] = []
        self.depth = 0

    def read(self) -> list[Step]:
        if self.token.kind == "end":
            _fail(self.text, self.token.at, "the expression is empty")
        self.expression(0)
        if self.token.kind != "end":
            is_unit = self.token.kind == "name" and not (self.steps[-1].name or self.steps[-1].call)
            self.stop("an operator", UNITS if is_unit else "")
        return self.steps

    def advance(self) -> _Token:
        token = self.token
        self.token = next(self.tokens)
        return token

    def stop(self, expected: str, hint: str = "") -> NoReturn:
        found = "the end" if self.token.kind == "end" else repr(self.token.text)
        _fail(self.text, self.token.at, f"expected {expected}, found {found}{hint}")

    def call(self, function: Callable[..., Expr], count: int, at: int) -> None:
        self.steps.append(Step(call=function, count=count, at=at))

    def expression(self, strength: int) -> None:
        """Everything that binds at least as strongly as `strength`."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            _fail(self.text, self.token.at, f"nested more than {MAX_NESTING} deep")
        self.operand()
        while self.token.kind == "operator" and self.token.text in _BINARY:
            binding, function = _BINARY[self.token.text]
            if binding < strength:
                break
            token = self.advance()
            self.expression(_SIGN if binding == _POWER else binding + 1)  # powers are right-associative
            self.call(function, 2, token.at)
            if binding == _COMPARE and self.token.text in _BINARY and _BINARY[self.token.text][0] == _COMPARE:
                _fail(self.text, self.token.at, "comparisons cannot be chained; write 'a < b and b < c'")
        self.depth -= 1

    def operand(self) -> None:
        token = self.token
        if token.kind == "number":
            self.advance()
            self.steps.append(Step(number=float(token.text), at=token.at))
        elif token.kind == "name":
            self.advance()
            self.name_or_call(token)
        elif token.text == "(":
            self.advance()
            self.expression(0)
            self.close()
        elif token.text in ("-", "+"):
            self.advance()
            self.expression(_SIGN)
            if token.text == "-":
                self.call(lambda a: -a, 1, token.at)
        elif token.text == "not":
            self.advance()
            self.expression(_NOT)
            self.call(lambda a: _BINARY["=="][1](a, 0.0), 1, token.at)
        else:
            self.stop("a number, a name or '('")

    def close(self) -> None:
        if self.token.text != ")" or self.token.kind != "operator":
            self.stop("')'")
        self.advance()

    def name_or_call(self, token: _Token) -> None:
        name = re.sub("[`'\"]", "", token.text)
        if self.token.text != "(" or self.token.kind != "operator":
            if name in FUNCTIONS and name in RESERVED:
                _fail(self.text, token.at, f"{name} is a function; write {name}(...)")
            if name in _tables.get():
                _fail(self.text, token.at, f"{name} is a table; write {name}(...)")
            self.steps.append(Step(name=name, at=token.at))
            return
        tables = _tables.get()
        function = None if name in tables else FUNCTIONS.get(name)
        if function is None and name.partition(".")[0] not in tables:
            near = get_close_matches(name, [*FUNCTIONS, *tables], n=3, cutoff=0.5)
            hint = (
                f"did you mean {', '.join(near)}" if near else f"there are {', '.join([*FUNCTIONS, *sorted(tables)])}"
            )
            _fail(self.text, token.at, f"there is no function {name!r}; {hint}")
        self.advance()
        count = 1
        self.expression(0)
        while self.token.text == "," and self.token.kind == "operator":
            self.advance()
            self.expression(0)
            count += 1
        self.close()
        if function is None:
            self.steps.append(Step(name=name, count=count, at=token.at))
            return
        if not function.accepts(count):
            _fail(self.text, token.at, f"{name} takes {function.arguments}, got {count}")
        self.call(function.call, count, token.at)
