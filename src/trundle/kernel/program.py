"""A tape as a program of steps that are called one after the other, each of which knows where its numbers stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from trundle.kernel.fuse import PRODUCT, SUMS
from trundle.kernel.tape import LEAVES, Tape

STEP = np.dtype([("code", "<i8"), ("to", "<i4"), ("a", "<i4"), ("b", "<i4"), ("c", "<i4")])
"""One step: what it does, where its result goes, where its operands stand (numbers of places)."""
OUTPUT, END = "output", "end"
"""Steps beside the operations of a tape: copy a place to an output, and return."""
_NO_STEP = LEAVES | {PRODUCT, "sin", "cos"}
_LONG = 500
"""Operations from which on their order matters."""


@dataclass(frozen=True)
class Program:
    """Steps over an array of places: constants, t, x, p, then values, whose places are used again."""

    names: tuple[str, ...]
    """What the codes of the steps mean."""
    steps: np.ndarray
    constants: np.ndarray
    n_places: int


def program(tape: Tape) -> Program:
    """The program of a tape whose products were fused. Long tapes take long to plan, so the loops below call no
    functions.
    """
    operations, outputs = tape.operations, tape.outputs
    needed, halves = _needed(tape)
    uses = [0] * len(operations)
    for some in (*needed, outputs):
        for i in some:
            uses[i] += 1
    n_constants = len(tape.constants)
    start = {"const": 0, "t": n_constants, "x": n_constants + 1, "p": n_constants + 1 + tape.n_x}
    size = n_constants + 1 + tape.n_x + tape.n_p
    place = [-1] * len(operations)
    for v, (op, a, _) in enumerate(operations):
        if op in LEAVES:
            place[v] = start[op] + a
            uses[v] = -1  # its place is never free
    names: dict[str, int] = {}
    free: list[int] = []
    rows: list[tuple[int, int, int, int, int]] = []
    for v in _order(operations, needed):
        op, a, b = operations[v]
        if free:
            to = free.pop()
        else:
            to, size = size, size + 1
        code = names.setdefault(op, len(names))
        given = needed[v]
        if op == "sincos":
            other = free.pop() if free else size
            size = max(size, other + 1)
            for half, at in zip(halves[v], (to, other), strict=True):
                if half >= 0:
                    place[half] = at
                else:
                    free.append(at)
            rows.append((code, to, place[a], 0, other))
        else:
            place[v] = to
            if op == "item":
                rows.append((code, to, place[a], int(tape.constants[operations[b][1]]), 0))
            elif len(given) == 3:
                rows.append((code, to, place[given[0]], place[given[1]], place[given[2]]))
            else:
                rows.append((code, to, place[a], place[b] if b >= 0 else 0, 0))
        for i in given:  # a place is free when the last use of its value is behind
            left = uses[i] - 1
            uses[i] = left
            if left == 0:
                free.append(place[i])
    output, end = (names.setdefault(name, len(names)) for name in (OUTPUT, END))
    rows += [(output, k, place[v], 0, 0) for k, v in enumerate(outputs)]
    rows.append((end, 0, 0, 0, 0))
    return Program(tuple(names), np.array(rows, STEP), np.array(tape.constants, dtype=float), size)


def _needed(tape: Tape) -> tuple[list[tuple[int, ...]], dict[int, list[int]]]:
    """Values that each step needs, and the sine and the cosine of each pair (-1: nobody needs it)."""
    operations = tape.operations
    needed: list[tuple[int, ...]] = []
    halves: dict[int, list[int]] = {}
    for v, (op, a, b) in enumerate(operations):
        if op in _NO_STEP:
            needed.append(())
            if op in ("sin", "cos"):
                halves[a][op == "cos"] = v
        elif op in SUMS:
            _, first, second = operations[a]
            needed.append((first, second, b))
        else:
            needed.append((a,) if b < 0 or op == "item" else (a, b))
            if op == "sincos":
                halves[v] = [-1, -1]
    return needed, halves


def _order(operations: Sequence[tuple[str, int, int]], needed: Sequence[tuple[int, ...]]) -> Iterator[int]:
    """Operations after those that they need. Long tapes are put in an order in which one often follows another of the
    same kind: processors can foresee that, and some thousand steps take a third of the time.
    """
    if len(operations) < _LONG:
        yield from (v for v, (op, _, _) in enumerate(operations) if op not in _NO_STEP)
        return
    users: list[list[int]] = [[] for _ in operations]
    missing = [0] * len(operations)
    ready: dict[str, list[int]] = {}
    for v, some in enumerate(needed):
        for i in some:
            op, made_by, _ = operations[i]
            if op not in LEAVES:
                users[made_by if op in ("sin", "cos") else i].append(v)
                missing[v] += 1
        if missing[v] == 0 and operations[v][0] not in _NO_STEP:
            ready.setdefault(operations[v][0], []).append(v)
    while ready:
        kind = max(ready, key=lambda op: len(ready[op]))
        alike = ready[kind]
        while alike:
            v = alike.pop()
            yield v
            for user in users[v]:
                left = missing[user] - 1
                missing[user] = left
                if left == 0:
                    ready.setdefault(operations[user][0], []).append(user)
        del ready[kind]
