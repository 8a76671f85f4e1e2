"""Partial derivatives of single operations, from CasADi."""

from dataclasses import dataclass
from functools import cache
from typing import final

import casadi as ca

from trundle.derivative import derivative
from trundle.kernel.interpret import BINARY, UNARY
from trundle.kernel.read_tape import operation_codes
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class Rule:
    """Partial derivatives of an operation. An integer refers to an operand (0, 1) or the result of a step (2, ...)."""

    steps: tuple[tuple[int, int | float, int | float], ...]
    """Operation and its operands; -1 for no operand."""
    partials: tuple[int | float | None, ...]
    """Partial derivative by each operand; None if it is zero."""


@cache
def partial_derivatives(operation: str) -> Rule:
    """The rule of an operation, derived by CasADi."""
    operands: list[Expr] = [ca.SX.sym("a"), ca.SX.sym("b")]
    code = getattr(ca, f"OP_{operation.upper()}")
    if operation in BINARY:
        value = ca.SX.binary(code, *operands)
    else:
        assert operation in UNARY or operation in ("sin", "cos"), operation
        value = ca.SX.unary(code, operands[0])
    slopes = [derivative(value, operand) for operand in operands[: 2 if operation in BINARY else 1]]
    function = ca.Function("slopes", operands, [ca.densify(slope) for slope in slopes])
    return _read(function, [bool(slope.is_zero()) for slope in slopes])


def _read(function: ca.Function, is_zero: list[bool]) -> Rule:
    steps: list[tuple[int, int | float, int | float]] = []
    partials: list[int | float | None] = [None] * len(is_zero)
    registers: dict[int, int | float] = {}
    for k in range(function.n_instructions()):
        code, into, of = function.instruction_id(k), function.instruction_output(k), function.instruction_input(k)
        if code == ca.OP_CONST:
            registers[into[0]] = float(function.instruction_constant(k))
        elif code == ca.OP_INPUT:
            registers[into[0]] = of[0]
        elif code == ca.OP_OUTPUT:
            partials[into[0]] = None if is_zero[into[0]] else registers[of[0]]
        else:
            a, b = (*(registers[i] for i in of), -1)[:2]
            steps.append((operation_codes()[code], a, b))
            registers[into[0]] = len(steps) + 1
    return Rule(tuple(steps), tuple(partials))
