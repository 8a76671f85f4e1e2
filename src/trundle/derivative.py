"""Derivatives of expressions: the one place where the tape is differentiated.

What a derivative of CasADi does not know by itself, such as values looked up in a table, has to be told here and
nowhere else.
"""

from typing import Any

import casadi as ca


def derivative(value: Any, by: Any) -> Any:
    """Matrix of the partial derivatives of `value` (rows) by the symbols `by` (columns)."""
    return ca.jacobian(value, by)


def derivative_along(value: Any, by: Any, rates: Any) -> Any:
    """Change of `value` while the symbols `by` change at `rates`."""
    return ca.jtimes(value, by, rates)
