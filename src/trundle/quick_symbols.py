"""Sums, products and quotients of CasADi's SX symbols in a seventh of the time, while equations are derived.

For `a * b` CasADi tries what the operands could be (numbers, arrays, symbols), which takes 20 us. Where both are SX, or
one is a number of Python, nothing has to be tried: `SX.binary` gives the same expression in 3 us. To derive the
equations of a model is mostly such arithmetic. All other operands go the usual way.

The operators are exchanged inside `quick_symbols()` only; outside CasADi is as it was installed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

import casadi as ca

from trundle.typing import Expr

OPERATORS: Final = {"add": ca.OP_ADD, "sub": ca.OP_SUB, "mul": ca.OP_MUL, "truediv": ca.OP_DIV}
"""Python's names of the operators and CasADi's of the operations."""

_KNOWN = (ca.SX, float, int)
_LOCK = Lock()
_inside = 0  # derivations that are under way, in all threads


def _direct(operation: int, usual: Callable[[Expr, Expr], Expr], swapped: bool) -> Callable[[Expr, Expr], Expr]:
    binary = ca.SX.binary

    def operator(a: Expr, b: Expr) -> Expr:
        if isinstance(b, _KNOWN):
            return binary(operation, b, a) if swapped else binary(operation, a, b)
        return usual(a, b)

    return operator


def _quick_operators() -> dict[str, Callable[[Expr, Expr], Expr]]:
    found = {}
    for name, operation in OPERATORS.items():
        for method, swapped in ((f"__{name}__", False), (f"__r{name}__", True)):
            found[method] = _direct(operation, getattr(ca.SX, method), swapped)  # CasADi's are those of a class above
    return found


_QUICK = _quick_operators()


@contextmanager
def quick_symbols() -> Iterator[None]:
    """Arithmetic of SX without the search for the kind of operands; may be nested and used by several threads."""
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
