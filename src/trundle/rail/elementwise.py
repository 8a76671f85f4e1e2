"""Functions of mathematics for numbers, arrays and symbols alike: a creep law is written once and runs in NumPy and on
the tape.
"""

from typing import Any

import casadi as ca
import numpy as np


def symbolic(*values: Any) -> bool:
    """Whether any of the values is an expression."""
    return any(isinstance(v, ca.SX | ca.MX) for v in values)


def sqrt(x: Any) -> Any:
    """Square root."""
    return ca.sqrt(x) if symbolic(x) else np.sqrt(x)


def exp(x: Any) -> Any:
    """Exponential."""
    return ca.exp(x) if symbolic(x) else np.exp(x)


def atan(x: Any) -> Any:
    """Angle in rad whose tangent is x."""
    return ca.atan(x) if symbolic(x) else np.arctan(x)


def least(x: Any, y: Any) -> Any:
    """The smaller one."""
    return ca.fmin(x, y) if symbolic(x, y) else np.minimum(x, y)


def largest(x: Any, y: Any) -> Any:
    """The larger one."""
    return ca.fmax(x, y) if symbolic(x, y) else np.maximum(x, y)


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition holds, else `no`; both are evaluated and must be finite."""
    return ca.if_else(condition, yes, no) if symbolic(condition, yes, no) else np.where(condition, yes, no)
