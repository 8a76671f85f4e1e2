"""A CasADi function as a flat list of numbered operations, each value computed once."""

from dataclasses import dataclass

import casadi as ca

from trundle.errors import KernelError
from trundle.kernel.interpret import BINARY, UNARY
from trundle.kernel.numbering import Numbering
from trundle.lookup.node import Calls

# (operation, first operand, second operand); -1 where there is none. Operands are positions in the list itself,
# except for the leaves: ("t", 0, -1), ("x", i, -1), ("p", i, -1), ("const", position in the constants, -1). A look-up
# is ("root", handle, -1), then ("find", argument, node) for each argument, then ("item", record, place in it).
Operation = tuple[str, int, int]

LEAVES = frozenset(("t", "x", "p", "const"))

# Operations of CasADi that take another form on the tape; all others keep their name.
_RENAMED = {"constpow": "pow", "sq": "square", "twice": "twice", "inv": "inverse", "assign": "assign", "lift": "first"}

# From this many divisions by one value on, its inverse is formed once: a division costs as much as ten products.
_SHARED_DIVISIONS = 3

_ADVICE = {
    "PARAMETER": "a symbol is used that is not among the inputs (t, x, p): pass it in p",
    "CALL": "it calls another function: write it with SX operations, or call it with inlining (always_inline=True)",
    "PRINTME": "printing has no place in compiled equations: remove printme()",
    "MONITOR": "printing has no place in compiled equations: remove monitor()",
    "ERFINV": "erfinv has no machine form: write the law with erf, tanh or a rational function",
}


@dataclass(frozen=True)
class Tape:
    """Straight-line program of a function f(t, x, p): dense outputs, column by column, one after the other."""

    name: str
    n_x: int
    n_p: int
    operations: tuple[Operation, ...]
    constants: tuple[float, ...]
    outputs: tuple[int, ...]

    @property
    def n_operations(self) -> int:
        """Number of arithmetic operations (leaves not counted, a sine with its cosine counted once)."""
        return sum(op not in LEAVES and op not in ("sin", "cos") for op, _, _ in self.operations)


def read_tape(function: ca.Function) -> Tape:
    """Read a function of SX with the inputs (t, x, p); refuse by name what cannot become machine code."""
    name = function.name()
    _check_signature(function)
    numbering = Numbering()
    leaves = [[numbering.leaf(s, i) for i in range(function.numel_in(k))] for k, s in enumerate("txp")]

    names = {op: op for op in (*UNARY, *BINARY, "sin", "cos")} | _RENAMED
    codes = {getattr(ca, f"OP_{casadi_name.upper()}"): own for casadi_name, own in names.items()}
    binary = {code: numbering.binary[own] for code, own in codes.items() if own in numbering.binary}
    unary = {code: numbering.unary[own] for code, own in codes.items() if own in numbering.unary}

    # Missing nonzeros of a sparse output are zeros of the dense one.
    dense = [[-1] * function.numel_out(k) for k in range(function.n_out())]
    places = [function.sparsity_out(k).find() for k in range(function.n_out())]

    op_input, op_output, op_const, op_call = ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_CALL
    take, give, identify = function.instruction_input, function.instruction_output, function.instruction_id
    register: dict[int, int] = {}
    calls = Calls(function)
    for k in range(function.n_instructions()):
        code = identify(k)
        if code in binary:
            a, b = take(k)
            register[give(k)[0]] = binary[code](register[a], register[b])
        elif code in unary:
            register[give(k)[0]] = unary[code](register[take(k)[0]])
        elif code == op_const:
            register[give(k)[0]] = numbering.constant(function.instruction_constant(k))
        elif code == op_input:
            which, place = take(k)
            register[give(k)[0]] = leaves[which][place]
        elif code == op_output:
            which, place = give(k)
            dense[which][places[which][place]] = register[take(k)[0]]
        elif code == op_call and calls.is_lookup(k):
            handle, *arguments = (register[i] for i in take(k))
            record = numbering.record(handle, arguments)
            register |= {at: numbering.item(record, i) for i, at in enumerate(give(k)) if at >= 0}
        else:
            raise KernelError(_refusal(name, code))

    outputs = [numbering.constant(0.0) if v < 0 else v for column in dense for v in column]
    operations, outputs = _finish(numbering, outputs)
    return Tape(
        name, function.numel_in(1), function.numel_in(2), tuple(operations), tuple(numbering.constants), tuple(outputs)
    )


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


def _finish(numbering: Numbering, outputs: list[int]) -> tuple[list[Operation], list[int]]:
    """Keep what the outputs need, in the same order, renumbered; many divisions by one value become one."""
    one = numbering.operations[numbering.constant(1.0)]
    operations = numbering.operations
    needed = bytearray(len(operations))
    for v in outputs:
        needed[v] = 1
    divisions: dict[int, int] = {}
    for v in range(len(operations) - 1, -1, -1):
        if needed[v]:
            op, a, b = operations[v]
            if op not in LEAVES:
                needed[a] = 1
                if b >= 0:
                    needed[b] = 1
                    if op == "div":
                        divisions[b] = divisions.get(b, 0) + 1

    renumbered = [-1] * len(operations)
    kept: list[Operation] = []
    inverses: dict[int, int] = {}
    for v, operation in enumerate(operations):
        if not needed[v]:
            continue
        op, a, b = operation
        if op not in LEAVES:
            a, b = renumbered[a], renumbered[b] if b >= 0 else -1
            if op == "div" and divisions[operation[2]] >= _SHARED_DIVISIONS:
                if b not in inverses:
                    kept += [one, ("div", len(kept), b)]
                    inverses[b] = len(kept) - 1
                if kept[a] == one:
                    renumbered[v] = inverses[b]
                    continue
                operation = ("mul", min(a, inverses[b]), max(a, inverses[b]))
            else:
                operation = (op, a, b)
        renumbered[v] = len(kept)
        kept.append(operation)
    return kept, [renumbered[v] for v in outputs]
