"""Interpreter of tapes in Python: the slow reference for tests of machine code."""

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from trundle.kernel.memory import address_of
from trundle.kernel.rows_node import solve_in
from trundle.lookup.memory import find, item, root

if TYPE_CHECKING:
    from trundle.kernel.tape import Tape


def _sign(a: float) -> float:
    return -1.0 if a < 0 else 1.0 if a > 0 else a


def _remainder(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return math.nan
    return math.remainder(a, b)


# Values are IEEE doubles: numpy returns inf and nan where Python's own functions would raise.
UNARY: dict[str, Callable[[float], float]] = {
    "neg": lambda a: -a,
    "sqrt": np.sqrt,
    "fabs": np.fabs,
    "floor": np.floor,
    "ceil": np.ceil,
    "sign": _sign,
    "not": lambda a: float(a == 0),
    "exp": np.exp,
    "log": np.log,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": math.erf,
    "log1p": np.log1p,
    "expm1": np.expm1,
}

BINARY: dict[str, Callable[[float, float], float]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "pow": np.float_power,
    "lt": lambda a, b: float(a < b),
    "le": lambda a, b: float(a <= b),
    "eq": lambda a, b: float(a == b),
    "ne": lambda a, b: float(a != b),
    "and": lambda a, b: float(a != 0 and b != 0),
    "or": lambda a, b: float(a != 0 or b != 0),
    "fmin": np.fmin,
    "fmax": np.fmax,
    "fmod": np.fmod,
    "remainder": _remainder,
    "copysign": np.copysign,
    "atan2": np.arctan2,
    "hypot": np.hypot,
    "if_else_zero": lambda a, b: b if a != 0 else 0.0,
}


# Operations that read tables in memory, whose values are never known when a tape is made.
LOOKUP: dict[str, Callable[..., float]] = {"root": root, "find": find, "item": item}


def fold(operation: str, *arguments: float) -> float:
    """Value of an operation on constants."""
    with np.errstate(all="ignore"):
        function: Callable[..., float] = UNARY[operation] if len(arguments) == 1 else BINARY[operation]
        return float(function(*arguments))


def interpret(
    tape: "Tape", t: float, x: Sequence[float] | np.ndarray, p: Sequence[float] | np.ndarray = ()
) -> np.ndarray:
    """Evaluate the tape at one point, operation by operation."""
    values = all_values(tape, t, x, p)
    return np.array([values[k] for k in tape.outputs], dtype=float)


def all_values(
    tape: "Tape", t: float, x: Sequence[float] | np.ndarray, p: Sequence[float] | np.ndarray = ()
) -> list[float]:
    """Values of all operations at one point."""
    values: list[float] = []
    buffers: dict[int, np.ndarray] = {}  # kept alive
    for operation, a, b in tape.operations:
        if operation == "const":
            value = tape.constants[a]
        elif operation == "t":
            value = float(t)
        elif operation in ("x", "p"):
            value = float((x if operation == "x" else p)[a])
        elif operation == "sincos":
            value = values[a]  # the following operations compute the two results
        elif operation in ("sin", "cos"):
            with np.errstate(all="ignore"):
                value = float(np.sin(values[a]) if operation == "sin" else np.cos(values[a]))
        elif operation == "buffer":
            buffers[len(values)] = buffer = np.zeros(int(values[a]))
            value = float(address_of(buffer))
        elif operation == "put":  # its value is the next address
            ctypes.c_double.from_address(int(values[b])).value = values[a]
            value = values[b] + 8
        elif operation == "solve":
            solve_in(int(values[b]), int(values[a] - values[b]) // 8)
            value = values[b]
        elif operation == "get":
            value = item(values[a], values[b])
        elif operation in LOOKUP:
            value = LOOKUP[operation](values[a]) if b < 0 else LOOKUP[operation](values[a], values[b])
        else:
            value = fold(operation, values[a]) if b < 0 else fold(operation, values[a], values[b])
        values.append(value)
    return values
