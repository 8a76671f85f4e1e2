"""Zero crossings of event functions: a comparison becomes the difference of its two sides."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.errors import ModelError
from trundle.laws.signals import Signals
from trundle.typing import Expr

JUMPS = (ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_NOT, ca.OP_AND, ca.OP_OR)


@final
@dataclass(frozen=True, eq=False)
class Crossing:
    """An event function whose comparisons have become differences; it rises where the condition becomes true."""

    function: Callable[[Signals], Expr]

    def __call__(self, s: Signals) -> Expr:
        value = self.function(s)
        return crossing(value) if isinstance(value, ca.SX) and value.numel() == 1 else _not_constant(value)


def crossing(expression: Expr) -> Expr:
    """An expression that crosses zero where the event happens; ModelError for one that only jumps."""
    meant = _difference(expression) if expression.op() in JUMPS else expression
    symbols = ca.vertcat(ca.SX(0, 1), *ca.symvar(meant))
    if not derivative(meant, symbols).is_zero():
        return meant
    _not_constant(meant)
    raise ModelError(
        "its function is constant between jumps (tr.step, tr.sign, tr.floor, or tr.where between constants), so it "
        "has no zero crossing to locate. Use the argument of the jump: s['bob.angle'] - 0.2, or the comparison "
        "s['bob.angle'] > 0.2."
    )


def _not_constant(value: object) -> Expr:
    """The value; ModelError if it is a constant."""
    number = isinstance(value, bool | int | float | np.generic) or (isinstance(value, ca.SX) and value.is_constant())
    if number:
        raise ModelError(f"its function is the constant {value}: it never crosses zero.")
    return value


def _difference(condition: Expr) -> Expr:
    """A continuous expression that is positive where the condition holds and negative where it does not."""
    operation = condition.op()
    if operation not in JUMPS:
        raise ModelError(
            "its function mixes conditions and numbers. Give a comparison such as s['bob.angle'] > 0.2, comparisons "
            "joined by casadi.logic_and and logic_or, or an expression that crosses zero."
        )
    parts = [condition.dep(i) for i in range(condition.n_dep())]
    if operation in (ca.OP_LT, ca.OP_LE):
        return parts[1] - parts[0]
    if operation == ca.OP_NOT:
        return -_difference(parts[0])
    if operation == ca.OP_AND:
        return ca.fmin(_difference(parts[0]), _difference(parts[1]))
    if operation == ca.OP_OR:
        return ca.fmax(_difference(parts[0]), _difference(parts[1]))
    first, second = parts
    if operation == ca.OP_EQ and second.is_zero() and first.op() in JUMPS:  # "not" of a model file
        return -_difference(first)
    raise ModelError(
        "its function tests whether two numbers are equal. Use their difference, which crosses zero there."
    )
