"""The Jacobian of a tape as another tape, composed of the derivatives of its operations, which come from CasADi.

CasADi can also differentiate the function from which a tape was read. That takes several times as long and results in a
third more operations for a rail vehicle, because each column is computed separately; elimination makes use of
intermediate results that depend on few inputs, such as the creepages of a wheel. See `planning.eliminate`.
"""

from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from trundle.errors import KernelError
from trundle.kernel.codes import CODE, INPUT, OPERATIONS, OUTPUT
from trundle.kernel.compiled import call_part
from trundle.kernel.memory import point_to
from trundle.kernel.numbering import numbered
from trundle.kernel.partials import partial_derivatives
from trundle.kernel.planning.records import BEGIN, FULL, ArrangingRecord, EliminationRecord
from trundle.kernel.read_tape import leaves_of
from trundle.kernel.tape import Tape
from trundle.typing import Array, Integers

_T, _X, _P, _CONST = (CODE[name] for name in ("t", "x", "p", "const"))
_SINCOS, _SIN, _COS, _ITEM, _CHOICE = (CODE[name] for name in ("sincos", "sin", "cos", "item", "if_else_zero"))
_CONSTANT_IN_A_CELL = {CODE[name] for name in ("root", "find", "item")}
_NOT_DIFFERENTIABLE = [CODE[name] for name in ("buffer", "put", "solve", "get", "product")]
_LIMITS = (0, 1000, -1)
"""Elimination orders that are tried (see `planning.eliminate`): always in the order of the tape (0); the cheapest
vertex first as long as it costs no more than one with two edges in and two out (1000), then in the order of the tape;
always the cheapest vertex first (-1). The result with the fewest operations is used: the second is best for rail
vehicles, the last for trees, the first for linkages, whose equations are dense."""
_MUL, _NEG, _SQRT = CODE["mul"], CODE["neg"], CODE["sqrt"]
_ARITHMETIC = [_MUL, CODE["add"]]
_WORTH_A_TRY = 1.15
"""Candidates with up to this factor of the fewest sums and products are compared by their final operation counts."""
_PER_EDGE = 8
"""Initial capacity of the arrays for each edge, at least the three instructions that linking it may take; they are
enlarged when full."""


def jacobian_tape(tape: Tape) -> Tape:
    """[d outputs/dx column by column, d outputs/dt] of a tape whose products are not fused.

    Raises
    ------
    KernelError
        If the tape calls the numeric solver for active rows, which has no derivative.
    """
    if np.isin(tape.rows[:, 0], _NOT_DIFFERENTIABLE).any():
        raise KernelError(
            f"{tape.name!r} solves rows numerically, which has no derivative: use the equations that are solved on the "
            "tape."
        )
    given = _Instructions(tape)
    edges = _edges(tape, given)
    made = [_eliminated(tape, given, edges, limit) for limit in _LIMITS]
    work = [int(np.count_nonzero(np.isin(rows[:, 0], _ARITHMETIC))) for rows in made]
    tried = [rows for rows, count in zip(made, work, strict=True) if count <= _WORTH_A_TRY * min(work)]
    found = min((_tape(tape, given, rows) for rows in tried), key=lambda found: len(found.rows))
    return _arranged(found, len(tape.outputs))


def _tape(tape: Tape, given: "_Instructions", rows: Integers) -> Tape:
    numbers = np.zeros(len(rows))
    numbers[: len(given.numbers)] = given.numbers
    leaves = leaves_of(tape.n_x, tape.n_p)
    operations, constants, outputs = numbered(rows, numbers, leaves, len(tape.outputs) * (tape.n_x + 1))
    return Tape("jacobian", tape.n_x, tape.n_p, operations, tuple(constants.tolist()), tuple(outputs.tolist()))


def _arranged(tape: Tape, n_rows: int) -> Tape:
    """The same operations in another order, row by row of the Jacobian: see `planning.arrange`."""
    n, wanted = len(tape.rows), np.array(tape.outputs, np.int64).reshape(-1, n_rows).T.ravel()
    arrays = {
        "operations": tape.rows,
        "wanted": wanted,
        "number": np.full(n, -1),
        "waiting": np.empty(2 * n + 2, np.int64),
    }
    record = ArrangingRecord(n_operations=n, n_wanted=len(wanted))
    point_to(record, **arrays)
    call_part("arrange_operations", record)
    number, rows = arrays["number"], np.empty_like(tape.rows)
    rows[number] = tape.rows
    for operand in (1, 2):
        placed = (rows[:, 0] > _CONST) & (rows[:, operand] >= 0)
        rows[placed, operand] = number[rows[placed, operand]]
    return replace(tape, rows=rows, outputs=tuple(number[list(tape.outputs)].tolist()))


@final
class _Instructions:
    """Instructions in the format of `numbered`; operation k of the tape writes register k."""

    def __init__(self, tape: Tape) -> None:
        rows, first = tape.rows, np.array([0, 1, 1 + tape.n_x])
        self.operands = rows[:, 1:].copy()
        angles = np.isin(rows[:, 0], [_SIN, _COS])
        self.operands[angles, 0] = rows[rows[angles, 1], 1]  # the angle itself instead of the common sincos
        table = np.column_stack([rows[:, 0], np.arange(len(rows)), self.operands])
        numbers = np.zeros(len(rows))
        inputs, known, items = rows[:, 0] <= _P, rows[:, 0] == _CONST, rows[:, 0] == _ITEM
        table[inputs, 2] = first[rows[inputs, 0]] + rows[inputs, 1]
        table[inputs, 0] = INPUT
        constants = np.array(tape.constants)
        numbers[known] = constants[rows[known, 1]]
        table[known, 2:] = -1
        table[items, 3] = constants[rows[rows[items, 2], 1]].astype(np.int64)
        written = rows[:, 0] != _SINCOS
        self._rows, self._numbers = [table[written]], [numbers[written]]
        self.n_registers = len(rows)
        self._known: dict[float, int] = {}

    @property
    def rows(self) -> Integers:
        """All instructions so far."""
        return np.concatenate(self._rows)

    @property
    def numbers(self) -> Array:
        """The value of each instruction that is a constant."""
        return np.concatenate(self._numbers)

    def constant(self, number: float) -> int:
        """Register of a number."""
        if number not in self._known:
            self._known[number] = self.n_registers
            self._add(np.array([[_CONST, self.n_registers, -1, -1]]), number)
            self.n_registers += 1
        return self._known[number]

    def write(self, code: int, first: Integers, second: Integers) -> Integers:
        """Registers of the results of one operation on many operands."""
        results = self.n_registers + np.arange(len(first))
        self._add(np.column_stack([np.full(len(first), code), results, first, second]))
        self.n_registers += len(first)
        return results

    def _add(self, rows: Integers, number: float = 0.0) -> None:
        self._rows.append(rows)
        self._numbers.append(np.full(len(rows), number))


@final
@dataclass(eq=False)
class _Edges:
    """Edges with partial derivatives, as parallel arrays."""

    source: list[Integers] = field(default_factory=list)
    target: list[Integers] = field(default_factory=list)
    value: list[Integers] = field(default_factory=list)
    condition: list[Integers] = field(default_factory=list)

    def add(self, source: Integers, target: Integers, value: Integers | int, condition: Integers | int = -1) -> None:
        """Add edges, with the registers of their partial derivatives and of the conditions under which these count."""
        for of, given in zip(self._arrays(), (source, target, value, condition), strict=True):
            of.append(np.broadcast_to(np.asarray(given, np.int64), len(source)))

    def sorted(self) -> list[Integers]:
        """Source, target, value and condition, sorted by the target."""
        joined = [np.concatenate(of) if of else np.zeros(0, np.int64) for of in self._arrays()]
        order = np.argsort(joined[1], kind="stable")
        return [of[order] for of in joined]

    def _arrays(self) -> tuple[list[Integers], ...]:
        return self.source, self.target, self.value, self.condition


def _edges(tape: Tape, given: _Instructions) -> _Edges:
    """An edge for every operand with a non-zero derivative; outputs are vertices after all operations."""
    edges = _Edges()
    one = given.constant(1.0)
    given.constant(-1.0)
    for code in np.flatnonzero(np.bincount(tape.rows[:, 0])).tolist():  # np.unique would import much more of NumPy
        if code <= _CONST or code == _SINCOS or code in _CONSTANT_IN_A_CELL:
            continue
        at = np.flatnonzero(tape.rows[:, 0] == code)
        first, second = given.operands[at, 0], given.operands[at, 1]
        if code == _CHOICE:  # the condition has no derivative, but becomes the condition of the edge
            edges.add(second, at, one, first)
            continue
        if code == _MUL:
            at, first, second = _by_own_roots(tape, given, edges, at)
        registers: list[Integers] = [first, second]
        rule = partial_derivatives(OPERATIONS[code])
        for step, a, b in rule.steps:
            of = [given.constant(v) if isinstance(v, float) else -1 if v < 0 else registers[v] for v in (a, b)]
            registers.append(given.write(step, *(np.broadcast_to(v, len(at)) for v in of)))
        for operand, found in zip((first, second), rule.partials, strict=False):
            if found is not None:
                edges.add(operand, at, given.constant(found) if isinstance(found, float) else registers[found])
    outputs = np.array(tape.outputs, np.int64)
    edges.add(outputs, len(tape.rows) + np.arange(len(outputs)), one)
    return edges


def _by_own_roots(tape: Tape, given: _Instructions, edges: _Edges, at: Integers) -> tuple[Integers, Integers, Integers]:
    """Edges of the products a sqrt(a) and a sqrt(-a) among those given, and what is left of these, with the operands.
    The slope 3/2 sqrt(a) is zero where that of the root is infinite.
    """
    for k in (0, 1):
        factor, root = given.operands[at, k], given.operands[at, 1 - k]
        is_root = tape.rows[root, 0] == _SQRT
        of = np.where(is_root, given.operands[root, 0], 0)
        own = is_root & ((of == factor) | (tape.rows[of, 0] == _NEG) & (given.operands[of, 0] == factor))
        slopes = given.write(_MUL, np.full(own.sum(), given.constant(1.5)), root[own])
        edges.add(factor[own], at[own], slopes)
        at = at[~own]
    return at, given.operands[at, 0], given.operands[at, 1]


def _eliminated(tape: Tape, given: _Instructions, edges: _Edges, limit: int) -> Integers:
    """All instructions of the Jacobian, with its entries as outputs."""
    n_vertices = len(tape.rows) + len(tape.outputs)
    sorted_edges = dict(zip(("source", "target", "value", "condition"), edges.sorted(), strict=True))
    n_edges = len(sorted_edges["source"])
    record = EliminationRecord(
        status=BEGIN, n_vertices=n_vertices, n_given=n_edges, n_edges=n_edges, free=-1, n_registers=given.n_registers,
        limit=limit, one=given.constant(1.0), minus_one=given.constant(-1.0),
    )  # fmt: skip
    vertices = {name: np.full(n_vertices, -1) for name in ("first_in", "first_out", "cost", "edge_to")}
    vertices |= {name: np.zeros(n_vertices, np.int64) for name in ("is_active", "is_needed", "n_in", "n_out")}
    vertices["is_active"][: len(tape.rows)] = tape.rows[:, 0] <= _X
    vertices["is_needed"][len(tape.rows) :] = 1
    point_to(record, **vertices)
    arrays = _Arrays(record, sorted_edges, n_vertices)
    call_part("eliminate_vertices", record)
    while record.status == FULL:
        arrays.enlarge()
        call_part("eliminate_vertices", record)
    made = arrays.rows[: record.n_rows]
    return np.concatenate([given.rows, *_entries(tape, vertices, arrays.edges, made, int(record.n_registers))])


def _entries(
    tape: Tape, vertices: dict[str, Integers], edges: dict[str, Integers], made: Integers, register: int
) -> list[Integers]:
    """Instructions of the elimination, then those that write the remaining edges as outputs."""
    inputs = np.flatnonzero(tape.rows[:, 0] <= _X)
    columns = np.where(tape.rows[inputs, 0] == _T, tape.n_x, tape.rows[inputs, 1])
    left, places = [], []
    for vertex, column in zip(inputs.tolist(), columns.tolist(), strict=True):
        e = int(vertices["first_out"][vertex])
        while e >= 0:
            left.append(e)
            places.append(len(tape.outputs) * column + int(edges["target"][e]) - len(tape.rows))
            e = int(edges["next_out"][e])
    values, conditions = edges["value"][left], edges["condition"][left]
    under = np.flatnonzero(conditions >= 0)
    results = register + np.arange(len(under))
    counted = np.column_stack([np.full(len(under), _CHOICE), results, conditions[under], values[under]])
    values[under] = results
    none = np.full(len(left), -1)
    entries = np.column_stack([np.full(len(left), OUTPUT), np.array(places, np.int64), values, none])
    return [made, counted, entries]


@final
class _Arrays:
    """Arrays that the elimination fills; enlarged when they are full."""

    def __init__(self, record: EliminationRecord, edges: dict[str, Integers], n_vertices: int) -> None:
        self.record = record
        self.edges = edges | {name: np.zeros(0, np.int64) for name in _LINKS}
        self.rows, self.queue = np.zeros((0, 4), np.int64), np.zeros(0, np.int64)
        self._provide(_PER_EDGE * len(edges["source"]) + n_vertices)

    def enlarge(self) -> None:
        """Double the capacity."""
        self._provide(2 * len(self.queue))

    def _provide(self, capacity: int) -> None:
        self.edges = {name: _extended(of, capacity) for name, of in self.edges.items()}
        self.rows, self.queue = _extended(self.rows, capacity), _extended(self.queue, capacity)
        self.record.edge_capacity = self.record.row_capacity = self.record.queue_capacity = capacity
        point_to(self.record, rows=self.rows, queue=self.queue, **self.edges)


_LINKS = ("next_in", "previous_in", "next_out", "previous_out")


def _extended(array: Integers, length: int) -> Integers:
    found = np.empty((length, *array.shape[1:]), np.int64)
    found[: len(array)] = array
    return found
