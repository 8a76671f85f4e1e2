"""Order of operations (compiled): every value is computed shortly before it is needed.

An elimination produces operations in an irregular order, and values that are used much later are read from memory
again. Here the outputs are processed in turn, each with the operations that it needs and that are not placed yet.
"""

from trundle.kernel.codes import CODE
from trundle.kernel.planning.records import ArrangingRecord
from trundle.kernel.pointers import part_of, strict

CONST, SINCOS, SIN, COS = CODE["const"], CODE["sincos"], CODE["sin"], CODE["cos"]


@part_of(ArrangingRecord)
def arrange_operations(r: ArrangingRecord) -> None:
    """Write the new number of each operation to `number`."""
    for k in range(r.n_wanted):
        depth = 1
        r.waiting[0] = r.wanted[k]
        while depth > 0:
            v = r.waiting[depth - 1]
            before = depth
            if r.number[v] < 0 and r.operations[3 * v] > CONST:
                for operand in range(2, 0, -1):
                    a = r.operations[3 * v + operand]
                    if a >= 0 and r.number[a] < 0:
                        r.waiting[depth] = a
                        depth += 1
            if depth == before:
                depth -= 1
                place(r, v)


@strict
def place(r: ArrangingRecord, v: int) -> None:
    if r.number[v] >= 0:
        return
    count(r, v)
    if r.operations[3 * v] == SINCOS:  # both results follow directly after their sincos
        for w in range(v + 1, min(v + 3, r.n_operations)):
            code = r.operations[3 * w]
            if code in (SIN, COS) and r.operations[3 * w + 1] == v:
                count(r, w)


@strict
def count(r: ArrangingRecord, v: int) -> None:
    r.number[v] = r.n_placed
    r.n_placed += 1
