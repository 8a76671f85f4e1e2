"""A function as a flat list of numbered operations, each value computed once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trundle.kernel.codes import CODE, OPERATIONS
from trundle.typing import Integers

# (operation, first operand, second operand); -1 for no operand. Operands are indices of earlier operations,
# except for the leaves: ("t", 0, -1), ("x", i, -1), ("p", i, -1), ("const", index in the constants, -1). A look-up is
# ("root", handle, -1), then ("find", argument, node) for each argument, then ("item", record, index in it). A call of
# the solver for active rows is ("buffer", size, number), then ("put", value, buffer or last put) for each input, then
# ("solve", last put, buffer), then ("get", solve, index in the buffer) for each result.
Operation = tuple[str, int, int]

LEAVES = frozenset(("t", "x", "p", "const"))

PRODUCT = "product"
"""An unrounded product: ("product", a, b) is computed only as part of one of the sums below, which follows it."""
SUMS = {"product_plus": (1, 1), "product_minus": (1, -1), "minus_product": (-1, 1)}
"""(sum, product, c): a b + c, a b - c and c - a b, by the signs of the product and of c."""


@dataclass(frozen=True, eq=False)
class Tape:
    """Straight-line program of a function f(t, x, p); its outputs are dense, column by column."""

    name: str
    n_x: int
    n_p: int
    rows: Integers
    """The operations as three integers each: see `codes`."""
    constants: tuple[float, ...]
    outputs: tuple[int, ...]

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """The operations with their names."""
        return tuple((OPERATIONS[code], a, b) for code, a, b in self.rows.tolist())

    @property
    def n_operations(self) -> int:
        """Number of arithmetic operations (leaves not counted, a sine with its cosine counted once)."""
        return int(np.count_nonzero(~np.isin(self.rows[:, 0], [CODE[op] for op in (*LEAVES, "sin", "cos")])))


def buffer_places(tape: Tape, first: int) -> tuple[dict[int, int], int]:
    """Indices in the work array for the buffers, laid out from `first` on, and the end of the last one. The index of a
    buffer is that of its beginning, that of a "put" the one after it.
    """
    places: dict[int, int] = {}
    kinds = [CODE[op] for op in ("buffer", "put", "solve", "get")]
    for v in np.flatnonzero(np.isin(tape.rows[:, 0], kinds)).tolist():
        op, a, b = tape.operations[v]
        if op == "buffer":
            places[v] = first
            first += _whole(tape, a)
        elif op == "put":
            places[v] = places[b] + 1
        elif op == "solve":
            places[v] = places[b]
        elif op == "get":
            places[v] = places[a] + _whole(tape, b)
    return places, first


def _whole(tape: Tape, constant: int) -> int:
    return int(tape.constants[tape.operations[constant][1]])


def operands(operations: Sequence[Operation], v: int) -> tuple[int, ...]:
    """Operands of an operation; for a sum with a fused product the two factors and the other term."""
    op, a, b = operations[v]
    if op in LEAVES or op == PRODUCT:
        return ()
    if op in SUMS:
        return (*operations[a][1:], b)
    if op == "buffer":
        return ()
    return (a,) if b < 0 or op in ("item", "get") else (a, b)
