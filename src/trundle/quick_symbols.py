"""Faster arithmetic of CasADi's SX symbols while equations are derived.

For `a * b` CasADi tries what the operands could be (numbers, arrays, symbols), which takes 20 us. Where both are SX, or
one is a number of Python, nothing has to be tried: `SX.binary`, called without its wrapper in Python, gives the same
expression in 3 us. To derive the equations of a model is mostly such arithmetic. All other operands go the usual way.

Functions such as `mtimes`, `vertcat` or `sin` are tried with numbers (DM) and with matrix symbols (MX) before CasADi
takes them for SX. Whether an SX can become one of these takes it 10 us to find out: it looks for a method of that name,
then imports NumPy and SciPy to ask whether this is one of their arrays. An SX has such methods here, which answer
"no" (None) at once: half of the time of each call.

SX is changed inside `quick_symbols()` only; outside CasADi is as it was installed.
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
"""Python's names of the operators and CasADi's of the operations."""

_KNOWN = (ca.SX, float, int)
_LOCK = Lock()
_inside = 0  # derivations that are under way, in all threads


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
"""Methods by which CasADi asks an object for the numbers or the matrix symbol that it stands for."""

_QUICK: dict[str, object] = {**_quick_operators(), **dict.fromkeys(CONVERSIONS, type(None))}


@contextmanager
def quick_symbols() -> Iterator[None]:
    """SX without the search for the kind of operands; may be nested and used by several threads."""
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
    """The function, all of which happens inside `quick_symbols()`."""

    @wraps(function)
    def inside(*args: P.args, **named: P.kwargs) -> R:
        with quick_symbols():
            return function(*args, **named)

    return inside
