"""A function as a flat list of numbered operations, each value computed once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trundle.kernel.codes import CODE, OPERATIONS
from trundle.typing import Integers

# (operation, first operand, second operand); -1 where there is none. Operands are positions in the list itself,
# except for the leaves: ("t", 0, -1), ("x", i, -1), ("p", i, -1), ("const", position in the constants, -1). A look-up
# is ("root", handle, -1), then ("find", argument, node) for each argument, then ("item", record, place in it). Rows are
# solved in a room, numbers side by side: ("room", how many, which), then ("give", value, room or last gift) for each
# number that goes in, then ("solve", last gift, room), then ("take", solve, place in the room).
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


def room_places(tape: Tape, first: int) -> tuple[dict[int, int], int]:
    """Where each gift and each number of an answer stands, with the rooms one behind the other from `first` on, and
    where they end. The place of a gift is that of the next one, and a room begins where it stands.
    """
    places: dict[int, int] = {}
    kinds = [CODE[op] for op in ("room", "give", "solve", "take")]
    for v in np.flatnonzero(np.isin(tape.rows[:, 0], kinds)).tolist():
        op, a, b = tape.operations[v]
        if op == "room":
            places[v] = first
            first += _whole(tape, a)
        elif op == "give":
            places[v] = places[b] + 1
        elif op == "solve":
            places[v] = places[b]
        elif op == "take":
            places[v] = places[a] + _whole(tape, b)
    return places, first


def _whole(tape: Tape, constant: int) -> int:
    return int(tape.constants[tape.operations[constant][1]])


def operands(operations: Sequence[Operation], v: int) -> tuple[int, ...]:
    """Values that an operation needs to be computed: for a sum with a product, its two factors and the other."""
    op, a, b = operations[v]
    if op in LEAVES or op == PRODUCT:
        return ()
    if op in SUMS:
        return (*operations[a][1:], b)
    if op == "room":
        return ()
    return (a,) if b < 0 or op in ("item", "take") else (a, b)
