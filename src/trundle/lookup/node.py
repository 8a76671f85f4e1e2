"""The table look-up as a node of an expression, and how to differentiate expressions with such nodes.

A look-up returns the record of the cell in which its arguments lie: numbers that are constant within the cell, so that
their derivative is zero. The polynomials built on them, in the distance from the corner of the cell, are ordinary
algebra. CasADi has no such functions (its second derivatives of calls inside SX are not finite); therefore the nodes
are replaced by symbols before it differentiates: see `trundle.derivative`.

A node has a smoothness, the number of derivatives of its polynomials that are continuous at the edges of cells: 2 for a
cubic spline, 0 for straight lines, -1 for steps. In a derivative the smoothness of its nodes is one less.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from typing import final

import casadi as ca
import numpy as np

from trundle.lookup.memory import record
from trundle.symbols.instructions import SHORT, instructions
from trundle.typing import Expr, TapeFunction, Untyped

_PREFIX = "lookup"
_ROUGHEST = -3  # rougher functions are not distinguished
_in_use = False  # whether any expression of this process may contain a look-up


class _Node(ca.Callback):
    """The function of nodes with a certain number of arguments and of results; CasADi's own evaluator calls it."""

    def __init__(self, arguments: int, width: int, smooth: int) -> None:
        ca.Callback.__init__(self)
        self.arguments, self.width = arguments, width
        self.construct(f"{_PREFIX}{arguments}_{width}_{smooth - _ROUGHEST}", {})

    def get_n_in(self) -> int:
        return self.arguments + 1

    def get_n_out(self) -> int:
        return 1

    def get_sparsity_out(self, _: int) -> Untyped:
        return ca.Sparsity.dense(self.width, 1)

    def eval(self, given: Sequence[Expr]) -> list[Expr]:
        handle, *arguments = (float(v) for v in given)
        return [ca.DM(record(handle, arguments, self.width))]


@cache
def _node(arguments: int, width: int, smooth: int) -> _Node:
    return _Node(arguments, width, smooth)


def look_up(handle: Expr, arguments: Sequence[Expr], width: int, smooth: int = 0) -> Expr:
    """The first `width` numbers of the record for these arguments in the table with this handle; `smooth` is the
    smoothness of the node.
    """
    global _in_use
    _in_use = True
    given = [ca.SX(handle), *(ca.SX(a) for a in arguments)]
    return _node(len(arguments), width, max(smooth, _ROUGHEST)).call(given, False, True)[0]


def is_lookup(function: TapeFunction) -> bool:
    """Whether a called function is a look-up."""
    return bool(function.name().startswith(_PREFIX))


@final
class Calls:
    """Look-ups among the instructions of a function. CasADi's list of instructions is made when it is first needed."""

    def __init__(self, function: TapeFunction) -> None:
        self.function = function

    @cached_property
    def steps(self) -> TapeFunction:
        return self.function.instructions_sx()

    def called(self, k: int) -> TapeFunction:
        """The function that is called by instruction k, a call."""
        return self.steps[k].which_function()

    def is_lookup(self, k: int) -> bool:
        """Whether instruction k, a call, is a look-up."""
        return is_lookup(self.called(k))

    def smooth(self, k: int) -> int:
        """Smoothness of instruction k, a look-up."""
        return int(self.steps[k].which_function().name().rpartition("_")[2]) + _ROUGHEST

    def width(self, k: int) -> int:
        """Number of results of instruction k, a look-up."""
        return int(self.called(k).numel_out(0))

    def rougher(self, k: int, width: int) -> Expr:
        """The same look-up in a derivative."""
        step = self.steps[k]
        handle, *arguments = (step.dep(i) for i in range(step.n_dep()))
        return look_up(handle, arguments, width, self.smooth(k) - 1)


@final
@dataclass(frozen=True)
class Lookup:
    """A node: its arguments (the handle first), and a symbol for each of its results."""

    arguments: tuple[Expr, ...]
    symbols: Expr
    node: Expr  # its results as an expression
    rougher: Expr  # the same in a derivative
    smooth: int

    @property
    def width(self) -> int:
        return int(self.symbols.numel())


@final
@dataclass(frozen=True)
class Lifted:
    """Expressions in which the results of look-ups are replaced by symbols; a look-up depends only on earlier ones."""

    expressions: list[Expr]
    lookups: list[Lookup]

    @property
    def symbols(self) -> Expr:
        return ca.vertcat(*[one.symbols for one in self.lookups])

    def differentiated(self, expression: Expr) -> Expr:
        """A derivative of the expressions with the look-ups, one degree less smooth, put back."""
        return ca.substitute(expression, self.symbols, ca.vertcat(*[one.rougher for one in self.lookups]))


def lift(expressions: Sequence[Expr]) -> Lifted | None:
    """The expressions with symbols in place of look-ups; None if they have no look-ups."""
    if not _in_use:
        return None
    given = [ca.SX(e) for e in expressions]
    if not any(map(is_lookup, ca.Function("f", [], given, {"allow_free": True}).find_functions())):
        return None
    inputs = ca.symvar(ca.veccat(ca.SX(0, 1), *given))
    function = ca.Function("f", [ca.vertcat(ca.SX(0, 1), *inputs)], given)
    calls = Calls(function)
    register: dict[int, Expr] = {}
    looked_up: set[int] = set()  # registers whose values depend on look-ups: only these are computed anew
    found: list[Lookup] = []
    values: list[list[Expr]] = [[ca.SX(0)] * e.nnz() for e in given]
    for k, code, of, into in instructions(function):
        if code == ca.OP_OUTPUT:
            values[into[0]][into[1]] = register[of[0]]
        elif code == ca.OP_CALL and not calls.is_lookup(k):
            raise ValueError(
                f"{calls.called(k).name()!r} has no derivative: use the equations that are solved on the tape"
            )
        elif code == ca.OP_CALL:
            symbols = ca.SX.sym(f"{_PREFIX} {len(found)}", len(into))
            node = ca.vertcat(*[calls.steps[k].get_output(i) for i in range(len(into))])
            arguments = tuple(register[i] for i in of)
            found.append(Lookup(arguments, symbols, node, calls.rougher(k, len(into)), calls.smooth(k)))
            each = ca.vertsplit(symbols)
            register |= {place: each[i] for i, place in enumerate(into) if place >= 0}
            looked_up |= {place for place in into if place >= 0}
        elif code == ca.OP_INPUT or looked_up.isdisjoint(of):
            register[into[0]] = inputs[of[1]] if code == ca.OP_INPUT else calls.steps[k]
            looked_up.discard(into[0])
        else:
            parts = [register[i] for i in of]
            register[into[0]] = ca.SX.binary(code, *parts) if len(parts) == 2 else ca.SX.unary(code, *parts)
            looked_up.add(into[0])
    out = [ca.SX(e.sparsity(), ca.vertcat(ca.SX(0, 1), *entries)) for e, entries in zip(given, values, strict=True)]
    return Lifted(out, found)


def spelled(inputs: Sequence[Expr], expression: Expr) -> str:
    """Text of the operations that compute an expression from symbols, for comparison only: faster than `written`."""
    return operations_of(ca.Function("f", list(inputs), [expression]))


def operations_of(function: TapeFunction) -> str:
    """Text of the operations of a function with one output, for comparison only."""
    if function.n_instructions() <= SHORT and not (_in_use and any(map(is_lookup, function.find_functions()))):
        return str(function.serialize())
    calls = Calls(function)
    steps = instructions(function)
    rows, numbers = steps.rows.copy(), steps.numbers.copy()
    rows[rows[:, 0] == ca.OP_CONST, 2:] = 0  # a constant is in the numbers
    numbers[rows[:, 0] != ca.OP_CONST] = 0.0
    called = []
    for k in np.flatnonzero(rows[:, 0] == ca.OP_CALL).tolist():
        rows[k, 1:] = 0
        name = calls.called(k).name()
        called.append(f"{name}{function.instruction_input(k)}{function.instruction_output(k)}")
    return f"{function.sparsity_out(0)} {sha256(rows.tobytes() + numbers.tobytes()).hexdigest()} {called}"


def written(inputs: Sequence[Expr], expressions: Sequence[Expr]) -> tuple[str, list[tuple[int, int]]]:
    """The operations that compute expressions from symbols as text, and the width and smoothness of their look-ups.
    `read` restores the expressions.
    """
    lifted = lift(expressions)
    if lifted is None:
        return ca.Function("f", list(inputs), list(expressions)).serialize(), []
    symbols = [one.symbols for one in lifted.lookups]
    arguments = [ca.vertcat(*one.arguments) for one in lifted.lookups]
    plain = ca.Function("f", [*inputs, *symbols], [*lifted.expressions, *arguments])
    return plain.serialize(), [(one.width, one.smooth) for one in lifted.lookups]


def read(text: str, lookups: Sequence[tuple[int, int]], inputs: Sequence[Expr]) -> list[Expr]:
    """The expressions of a `written` text, with these inputs."""
    function = ca.Function.deserialize(text)
    symbols = [ca.SX.sym(_PREFIX, width) for width, _ in lookups]
    answer = function.call([*inputs, *symbols])
    count = len(answer) - len(lookups)
    if not lookups:
        return list(answer)
    known, nodes = ca.SX(0, 1), ca.SX(0, 1)
    for (width, smooth), of, own in zip(lookups, answer[count:], symbols, strict=True):
        handle, *rest = ca.vertsplit(ca.substitute(of, known, nodes))
        known, nodes = ca.vertcat(known, own), ca.vertcat(nodes, look_up(handle, rest, width, smooth))
    return [ca.substitute(e, known, nodes) for e in answer[:count]]
