"""Faster arithmetic of CasADi's SX symbols while equations are derived.

For `a * b` CasADi finds out by trial what the operands are (numbers, arrays, symbols), which takes 20 us. If both are
SX, or one is a Python number, this is not needed: `SX.binary`, called without its Python wrapper, returns the same
expression in 3 us. Deriving the equations of a model is mostly such arithmetic. Other operands are treated as usual.

Functions such as `mtimes`, `vertcat` or `sin` try to convert their arguments to numbers (DM) and to matrix symbols (MX)
before they use them as SX. Each trial takes 10 us: CasADi looks for a conversion method, then imports NumPy and SciPy
to test for their arrays. Here SX has these conversion methods, and they return None ("not possible") at once, which
halves the time of each call.

SX is changed inside `quick_symbols()` only; elsewhere CasADi is as installed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import Lock
from typing import Final, ParamSpec, TypeVar

import casadi as ca
import casadi._casadi as _casadi

from trundle.typing import Expr

P = ParamSpec("P")
R = TypeVar("R")

OPERATORS: Final = {"add": ca.OP_ADD, "sub": ca.OP_SUB, "mul": ca.OP_MUL, "truediv": ca.OP_DIV}
"""CasADi's operations by Python's names of the operators."""

_KNOWN = (ca.SX, float, int)
_LOCK = Lock()
_inside = 0  # number of active contexts, in all threads


def _direct(operation: int, usual: Callable[[Expr, Expr], Expr], swapped: bool) -> Callable[[Expr, Expr], Expr]:
    binary, symbol = _casadi.SX_binary, ca.SX

    def operator(a: Expr, b: Expr) -> Expr:
        if type(b) is symbol or isinstance(b, _KNOWN):
            return binary(operation, b, a) if swapped else binary(operation, a, b)
        return usual(a, b)

    return operator


def _quick_operators() -> dict[str, Callable[[Expr, Expr], Expr]]:
    found = {}
    for name, operation in OPERATORS.items():
        for method, swapped in ((f"__{name}__", False), (f"__r{name}__", True)):
            found[method] = _direct(operation, getattr(ca.SX, method), swapped)  # CasADi defines them in a base class
    return found


CONVERSIONS: Final = ("__DM__", "__MX__")
"""Methods by which CasADi converts an object to numbers or to a matrix symbol."""

_QUICK: dict[str, object] = {**_quick_operators(), **dict.fromkeys(CONVERSIONS, type(None))}


@contextmanager
def quick_symbols() -> Iterator[None]:
    """Context in which operators of SX skip the search for the kind of operands; may be nested, also across threads."""
    global _inside
    with _LOCK:
        _inside += 1
        if _inside == 1:
            for method, quick in _QUICK.items():
                setattr(ca.SX, method, quick)
    try:
        yield
    finally:
        with _LOCK:
            _inside -= 1
            if _inside == 0:
                for method in _QUICK:
                    delattr(ca.SX, method)


def with_quick_symbols(function: Callable[P, R]) -> Callable[P, R]:
    """The function, executed inside `quick_symbols()`."""

    @wraps(function)
    def inside(*args: P.args, **named: P.kwargs) -> R:
        with quick_symbols():
            return function(*args, **named)

    return inside
