"""Products that are added to something else: one rounding and one instruction instead of two.

Which product goes into which sum is decided here, on the tape, and not by a code generator: all code that is made of a
tape then gives the same bits, however it is made.
"""

from collections.abc import Sequence
from dataclasses import replace

from trundle.kernel.tape import LEAVES, Operation, Tape

PRODUCT = "product"
"""A product that is not rounded: ("product", a, b) does nothing by itself, and one of the sums below follows."""
SUMS = {"product_plus": (1, 1), "product_minus": (1, -1), "minus_product": (-1, 1)}
"""(sum, product, c): a b + c, a b - c and c - a b, by the signs of the product and of c."""


def fuse(tape: Tape) -> Tape:
    """The same tape, with every product that one sum alone uses as part of that sum."""
    operations = list(tape.operations)
    alone = _used_once(tape)
    for v, (op, a, b) in enumerate(operations):
        if op not in ("add", "sub"):
            continue
        # Of two products the later one is fused: the other has had time to be ready.
        candidates = [i for i in (a, b) if alone[i] and operations[i][0] == "mul"]
        if not candidates or a == b:
            continue
        product = max(candidates)
        other = b if product == a else a
        name = "product_plus" if op == "add" else "product_minus" if product == a else "minus_product"
        operations[product] = (PRODUCT, *operations[product][1:])
        operations[v] = (name, product, other)
    return replace(tape, operations=tuple(operations))


def operands(operations: Sequence[Operation], v: int) -> tuple[int, ...]:
    """Values that an operation needs to be computed: for a sum with a product, its two factors and the other."""
    op, a, b = operations[v]
    if op in LEAVES or op == PRODUCT:
        return ()
    if op in SUMS:
        return (*operations[a][1:], b)
    return (a,) if b < 0 or op == "item" else (a, b)


def _used_once(tape: Tape) -> list[bool]:
    uses = [0] * len(tape.operations)
    for v in tape.outputs:
        uses[v] += 2  # is needed as it is
    for op, a, b in tape.operations:
        if op not in LEAVES:
            uses[a] += 1
            if b >= 0:
                uses[b] += 1
    return [n == 1 for n in uses]
