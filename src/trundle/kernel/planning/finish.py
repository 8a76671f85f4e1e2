"""Keep the operations that outputs need (compiled), renumbered; several divisions by one value share an inverse."""

from trundle.kernel.codes import CODE
from trundle.kernel.planning.records import NumberingRecord
from trundle.kernel.pointers import strict

CONST, MUL, DIV = CODE["const"], CODE["mul"], CODE["div"]
SHARED_DIVISIONS = 3
"""From this many divisions by one value on, its inverse is computed: a division costs as much as ten products."""


@strict
def finish(r: NumberingRecord, one: int) -> None:
    """Write operations to `kept` and renumber outputs. `one` is the operation of the constant 1."""
    mark_needed(r)
    one_place = r.operations[3 * one + 1]
    for v in range(r.n_operations):
        if r.needed[v]:
            keep(r, v, one_place)
    for k in range(r.n_outputs):
        r.outputs[k] = r.renumbered[r.outputs[k]]


@strict
def mark_needed(r: NumberingRecord) -> None:
    for k in range(r.n_outputs):
        r.needed[r.outputs[k]] = 1
    for v in range(r.n_operations - 1, -1, -1):
        code, a, b = r.operations[3 * v], r.operations[3 * v + 1], r.operations[3 * v + 2]
        if not r.needed[v] or code <= CONST:
            continue
        r.needed[a] = 1
        if b >= 0:
            r.needed[b] = 1
            if code == DIV:
                r.divisions[b] += 1


@strict
def keep(r: NumberingRecord, v: int, one_place: int) -> None:
    code, a, b = r.operations[3 * v], r.operations[3 * v + 1], r.operations[3 * v + 2]
    if code > CONST:
        many = code == DIV and r.divisions[b] >= SHARED_DIVISIONS
        a = r.renumbered[a]
        b = r.renumbered[b] if b >= 0 else -1
        if many:
            if r.inverses[b] == 0:
                write(r, CONST, one_place, -1)
                r.inverses[b] = write(r, DIV, r.n_kept - 1, b)
            inverse = r.inverses[b]
            if r.kept[3 * a] == CONST and r.kept[3 * a + 1] == one_place:
                r.renumbered[v] = inverse
                return
            code, a, b = MUL, min(a, inverse), max(a, inverse)
    r.renumbered[v] = write(r, code, a, b)


@strict
def write(r: NumberingRecord, code: int, a: int, b: int) -> int:
    at = r.n_kept
    r.kept[3 * at], r.kept[3 * at + 1], r.kept[3 * at + 2] = code, a, b
    r.n_kept = at + 1
    return at
