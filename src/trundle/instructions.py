"""The instructions of a function on the tape.

CasADi returns one instruction at a time, in three calls of two microseconds each, which would be half of the time for
reading a large function. The text in which CasADi serialises a function contains the same numbers, and they are read
from there. One instruction of every kind and some others are compared with those that CasADi returns; if the format of
the text differs in another version of CasADi, the instructions are read one by one, with the same result.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import final

import casadi as ca
import numpy as np

from trundle.typing import Array, Integers, TapeFunction

_ROW = 32
"""Letters of an instruction in CasADi's text: four whole numbers of 32 bits, four bits a letter, the low ones first."""
_SAMPLES = 20
SHORT = 100
"""Number of instructions up to which reading them one by one is faster."""

Step = tuple[int, int, Sequence[int], Sequence[int]]
"""Number of the instruction, operation of CasADi, registers (or places) that it takes, and that it gives."""


@final
@dataclass(frozen=True, eq=False)
class Instructions:
    """All instructions of a function, which works on numbered registers."""

    function: TapeFunction
    rows: Integers
    """Operation, result, first and second operand (one operand stands twice). For an input: which one and the place in
    it as operands; for an output: which one as the result, then the register, then the place. Those of a call are told
    by CasADi alone."""
    numbers: Array
    """The value of an instruction that is a constant."""

    @cached_property
    def n_operands(self) -> dict[int, int]:
        """How many operands each operation has that occurs and is not a call."""
        kinds, first = np.unique(self.rows[:, 0], return_index=True)
        take = self.function.instruction_input
        return {int(code): len(take(int(k))) for code, k in zip(kinds, first, strict=True) if code != ca.OP_CALL}

    def __iter__(self) -> Iterator[Step]:
        count, take, give = self.n_operands, self.function.instruction_input, self.function.instruction_output
        for k, (code, to, a, b) in enumerate(self.rows.tolist()):
            if code == ca.OP_OUTPUT:
                yield k, code, (a,), (to, b)
            elif code == ca.OP_CALL:
                yield k, code, take(k), give(k)
            else:
                yield k, code, (a, b)[: count[code]], (to,)


@lru_cache(maxsize=2)  # a right-hand side is searched for breaks and then read
def instructions(function: TapeFunction) -> Instructions:
    """The instructions of a function of SX."""
    found = _from_text(function) if function.n_instructions() > SHORT else None
    return _one_by_one(function) if found is None else found


def _from_text(function: TapeFunction) -> Instructions | None:
    """None where the text has another form."""
    count, text = function.n_instructions(), function.serialize()
    last = count - 1
    first, end = _asked(function, 0), _asked(function, last)
    if first is None or end is None:
        return None
    begin, close = _letters(first), _letters(end)
    at = text.find(begin)
    while at >= 0 and not text.startswith(close, at + _ROW * last):
        at = text.find(begin, at + 1)
    if at < 0:
        return None
    letters = np.frombuffer(text[at : at + _ROW * count].encode("ascii"), np.uint8) - ord("a")
    if letters.max() > 15:
        return None
    words = letters[0::2] | letters[1::2] << 4
    rows = words.view("<i4").reshape(count, 4).astype(np.int64)
    numbers = words.view("<f8").reshape(count, 2)[:, 1].copy()
    found = Instructions(function, rows, numbers)
    kinds = np.unique(rows[:, 0], return_index=True)[1].tolist()
    checked = {*kinds, *range(0, count, max(1, count // _SAMPLES))}
    return found if all(_agrees(found, k) for k in checked) else None


def _agrees(found: Instructions, k: int) -> bool:
    asked = _asked(found.function, k)
    if asked is None:
        return int(found.rows[k, 0]) == ca.OP_CALL
    row, number = asked
    if row[0] == ca.OP_CONST:
        same = np.array([number]).tobytes() == found.numbers[k].tobytes()
        return same and bool(np.array_equal(found.rows[k, :2], row[:2]))
    return bool(np.array_equal(found.rows[k], row))


def _asked(function: TapeFunction, k: int) -> tuple[list[int], float] | None:
    """Row and number of an instruction as CasADi tells them; None for a call."""
    code = function.instruction_id(k)
    if code == ca.OP_CALL:
        return None
    take, give = function.instruction_input(k), function.instruction_output(k)
    if code == ca.OP_CONST:
        return [code, give[0], 0, 0], function.instruction_constant(k)
    if code == ca.OP_OUTPUT:
        return [code, give[0], take[0], give[1]], 0.0
    return [code, give[0], take[0], take[-1]], 0.0


def _letters(asked: tuple[list[int], float]) -> str:
    row, number = asked
    words = np.array(row, "<i4").tobytes()
    if row[0] == ca.OP_CONST:
        words = words[:8] + np.array([number], "<f8").tobytes()
    return "".join(chr(ord("a") + half) for byte in words for half in (byte & 15, byte >> 4))


def _one_by_one(function: TapeFunction) -> Instructions:
    count = function.n_instructions()
    rows, numbers = np.zeros((count, 4), np.int64), np.zeros(count)
    for k in range(count):
        asked = _asked(function, k)
        if asked is None:
            rows[k, 0] = ca.OP_CALL
        else:
            rows[k], numbers[k] = asked
    return Instructions(function, rows, numbers)
