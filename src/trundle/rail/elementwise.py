"""Functions of mathematics for numbers, arrays and symbols alike: a creep law is written once and runs in NumPy and on
the tape.
"""

import casadi as ca
import numpy as np

from trundle.typing import Expr


def symbolic(*values: Expr) -> bool:
    """Whether any of the values is an expression."""
    return any(isinstance(v, ca.SX | ca.MX) for v in values)


def sqrt(x: Expr) -> Expr:
    """Square root."""
    return ca.sqrt(x) if symbolic(x) else np.sqrt(x)


def exp(x: Expr) -> Expr:
    """Exponential."""
    return ca.exp(x) if symbolic(x) else np.exp(x)


def atan(x: Expr) -> Expr:
    """Angle in rad whose tangent is x."""
    return ca.atan(x) if symbolic(x) else np.arctan(x)


def least(x: Expr, y: Expr) -> Expr:
    """The smaller of two values."""
    return ca.fmin(x, y) if symbolic(x, y) else np.minimum(x, y)


def largest(x: Expr, y: Expr) -> Expr:
    """The larger of two values."""
    return ca.fmax(x, y) if symbolic(x, y) else np.maximum(x, y)


def where(condition: Expr, yes: Expr, no: Expr) -> Expr:
    """`yes` where the condition holds, else `no`; both are evaluated and must be finite."""
    return ca.if_else(condition, yes, no) if symbolic(condition, yes, no) else np.where(condition, yes, no)
