"""Derivatives of expressions: the only module that lets CasADi differentiate (besides `kernel.differentiate`, which
takes the derivatives of single operations from it).

Coefficients that are looked up in tables are constant within a cell, so their derivative is zero. CasADi does not
know this; it is taken into account here.
"""

import casadi as ca

from trundle.lookup.node import lift
from trundle.typing import Expr


def derivative(value: Expr, by: Expr) -> Expr:
    """Matrix of the partial derivatives of `value` (rows) by the symbols `by` (columns)."""
    return derivatives(value, by)[0]


def derivatives(value: Expr, *by: Expr) -> list[Expr]:
    """Partial derivatives of `value` by several sets of symbols; its table look-ups are processed only once."""
    lifted = lift([value])
    if lifted is None:
        return [ca.jacobian(value, symbols) for symbols in by]
    return [lifted.differentiated(ca.jacobian(lifted.expressions[0], symbols)) for symbols in by]


def derivative_along(value: Expr, by: Expr, rates: Expr) -> Expr:
    """Rate of change of `value` while the symbols `by` change at `rates`."""
    lifted = lift([value])
    if lifted is None:
        return ca.jtimes(value, by, rates)
    return lifted.differentiated(ca.jtimes(lifted.expressions[0], by, rates))
