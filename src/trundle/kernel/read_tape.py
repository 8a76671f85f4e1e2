"""Convert CasADi functions to tapes."""

from functools import cache

import casadi as ca
import numpy as np

from trundle.errors import KernelError
from trundle.kernel.codes import CODE, INPUT, OUTPUT, READ
from trundle.kernel.interpret import BINARY, UNARY
from trundle.kernel.numbering import numbered
from trundle.kernel.rows_node import buffer_size, is_rows
from trundle.kernel.tape import Tape
from trundle.lookup.node import Calls, is_lookup
from trundle.symbols.instructions import Instructions, instructions
from trundle.typing import Integers

_ADVICE = {
    "PARAMETER": "a symbol is used that is not among the inputs (t, x, p): pass it in p",
    "CALL": "it calls another function: write it with SX operations, or call it with inlining (always_inline=True)",
    "PRINTME": "printing has no place in compiled equations: remove printme()",
    "MONITOR": "printing has no place in compiled equations: remove monitor()",
    "ERFINV": "erfinv has no machine form: write the law with erf, tanh or a rational function",
}


def read_tape(function: ca.Function) -> Tape:
    """Read a function of SX with the inputs (t, x, p); KernelError for operations that cannot be compiled."""
    _check_signature(function)
    found = instructions(function)
    rows, numbers = found.rows.copy(), found.numbers
    rows[:, 0] = np.array([operation_codes().get(code, -1) for code in range(rows[:, 0].max(initial=0) + 1)])[
        rows[:, 0]
    ]
    rows[np.isin(rows[:, 0], _unary()), 3] = -1
    n_x, n_p = function.numel_in(1), function.numel_in(2)
    _place_ends(function, rows, n_x)
    calls = np.flatnonzero(rows[:, 0] < 0).tolist()
    if calls:
        rows, numbers = _with_calls(found, rows, calls)
    n_outputs = sum(function.numel_out(k) for k in range(function.n_out()))
    operations, constants, outputs = numbered(rows, numbers, leaves_of(n_x, n_p), n_outputs)
    return Tape(function.name(), n_x, n_p, operations, tuple(constants.tolist()), tuple(outputs.tolist()))


@cache
def operation_codes() -> dict[int, int]:
    """Code of the tape for each operation of CasADi that can be read."""
    own = {name: CODE[name] for name in (*UNARY, *BINARY, "sin", "cos", "const")} | {"constpow": CODE["pow"]} | READ
    return {getattr(ca, f"OP_{name.upper()}"): code for name, code in own.items()}


@cache
def _unary() -> tuple[int, ...]:
    return tuple(CODE[name] for name in (*UNARY, "sin", "cos"))


def leaves_of(n_x: int, n_p: int) -> Integers:
    """The inputs t, x, p, which are the first operations."""
    kinds = np.repeat([CODE["t"], CODE["x"], CODE["p"]], [1, n_x, n_p])
    places = np.concatenate([np.arange(n) for n in (1, n_x, n_p)])
    return np.column_stack([kinds, places, np.full(len(kinds), -1)])


def _place_ends(function: ca.Function, rows: Integers, n_x: int) -> None:
    """Convert inputs to indices of leaves, and outputs to indices among all outputs (structural zeros have none)."""
    inputs, outputs = rows[:, 0] == INPUT, rows[:, 0] == OUTPUT
    rows[inputs, 2] = np.array([0, 1, 1 + n_x])[rows[inputs, 2]] + rows[inputs, 3]
    stored = [function.sparsity_out(k).find() for k in range(function.n_out())]
    begin = np.cumsum([0, *(function.numel_out(k) for k in range(function.n_out()))])
    places = np.array([start + place for at, start in zip(stored, begin, strict=False) for place in at], np.int64)
    first = np.cumsum([0, *map(len, stored)])
    rows[outputs, 1] = places[first[rows[outputs, 1]] + rows[outputs, 3]]
    rows[outputs, 3] = -1


def _with_calls(found: Instructions, rows: Integers, calls: list[int]) -> tuple[Integers, np.ndarray]:
    """The rows with look-ups and solver calls replaced by their operations; KernelError for other calls."""
    function, known = found.function, Calls(found.function)
    pieces, numbers, behind = [], [], 0
    record = int(rows[:, 1].max())  # registers after this one are new
    for k in calls:
        code = int(found.rows[k, 0])
        called = known.called(k) if code == ca.OP_CALL else None
        if called is None or not (is_lookup(called) or is_rows(called)):
            raise KernelError(_refusal(function.name(), code))
        arguments, given = function.instruction_input(k), function.instruction_output(k)
        record = max(record, *arguments, *given) + 1
        if is_lookup(called):
            steps = [(CODE["root"], record, arguments[0], -1)]
            steps += [(CODE["find"], record, argument, record) for argument in arguments[1:]]
            read = CODE["item"]
        else:
            buffer, last_put = record, record + 1
            steps = [(CODE["buffer"], buffer, buffer_size(called), k)]
            steps += [(CODE["put"], last_put, number, last_put if i else buffer) for i, number in enumerate(arguments)]
            steps += [(CODE["solve"], buffer, last_put, buffer)]
            read, record = CODE["get"], last_put
        answer = steps[-1][1]
        steps += [(read, at, answer, i) for i, at in enumerate(given) if at >= 0]
        pieces += [rows[behind:k], np.array(steps, np.int64)]
        numbers += [found.numbers[behind:k], np.zeros(len(steps))]
        behind = k + 1
    return np.concatenate([*pieces, rows[behind:]]), np.concatenate([*numbers, found.numbers[behind:]])


def _check_signature(function: ca.Function) -> None:
    name = function.name()
    if function.class_name() != "SXFunction":
        raise KernelError(
            f"function {name!r} is a {function.class_name()}: only functions of SX symbols become machine code. "
            "Call .expand() on it; if that fails it holds an external or implicit function, which must be rewritten."
        )
    shapes = [function.size_in(k) for k in range(function.n_in())]
    if len(shapes) != 3 or function.numel_in(0) != 1 or any(s[1] > 1 for s in shapes):
        raise KernelError(
            f"function {name!r} has inputs of size {shapes}: a kernel takes (t, x, p), a scalar and two columns."
        )
    if not all(function.sparsity_in(k).is_dense() for k in range(3)):
        raise KernelError(f"function {name!r} has a sparse input: make t, x and p dense columns.")
    if function.has_free():
        raise KernelError(
            f"function {name!r} uses the symbols {', '.join(map(str, function.get_free()))}, which are not among its "
            "inputs (t, x, p): pass them in p, or substitute their values."
        )


def _refusal(name: str, code: int) -> str:
    operation = next((n[3:] for n in dir(ca) if n.startswith("OP_") and getattr(ca, n) == code), f"number {code}")
    advice = _ADVICE.get(operation, "rewrite the expression without it")
    return f"function {name!r} contains the operation {operation}, which cannot become machine code: {advice}."
