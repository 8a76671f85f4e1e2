"""A function as a flat list of numbered operations, each value computed once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trundle.kernel.codes import CODE, OPERATIONS
from trundle.typing import Integers

# (operation, first operand, second operand); -1 where there is none. Operands are positions in the list itself,
# except for the leaves: ("t", 0, -1), ("x", i, -1), ("p", i, -1), ("const", position in the constants, -1). A look-up
# is ("root", handle, -1), then ("find", argument, node) for each argument, then ("item", record, place in it).
Operation = tuple[str, int, int]

LEAVES = frozenset(("t", "x", "p", "const"))

PRODUCT = "product"
"""A product that is not rounded: ("product", a, b) does nothing by itself, and one of the sums below follows."""
SUMS = {"product_plus": (1, 1), "product_minus": (1, -1), "minus_product": (-1, 1)}
"""(sum, product, c): a b + c, a b - c and c - a b, by the signs of the product and of c."""


@dataclass(frozen=True, eq=False)
class Tape:
    """Straight-line program of a function f(t, x, p): dense outputs, column by column, one after the other."""

    name: str
    n_x: int
    n_p: int
    rows: Integers
    """The operations as numbers, three for each: see `codes`."""
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


def operands(operations: Sequence[Operation], v: int) -> tuple[int, ...]:
    """Values that an operation needs to be computed: for a sum with a product, its two factors and the other."""
    op, a, b = operations[v]
    if op in LEAVES or op == PRODUCT:
        return ()
    if op in SUMS:
        return (*operations[a][1:], b)
    return (a,) if b < 0 or op == "item" else (a, b)
