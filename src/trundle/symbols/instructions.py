"""The instructions of a function on the tape.

CasADi returns one instruction at a time, in three calls of two microseconds each, which would be half of the time for
reading a large function. The text in which CasADi serialises a function contains the same numbers, and they are read
from there. The first instruction of every kind in this process, and some of every function, are compared with those
that CasADi returns; if the format of the text differs in another version of CasADi, the instructions are read one by
one, with the same result.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import final

import casadi as ca
import numpy as np

from trundle.typing import Array, Integers, TapeFunction

_ROW = 32
"""Letters of an instruction in CasADi's text: four integers of 32 bits, four bits to a letter, low bits first."""
_SAMPLES = 4
_read: set[int] = set()
"""Operations that have been compared in this process."""
SHORT = 100
"""Number of instructions up to which reading them one by one is faster."""

Step = tuple[int, int, Sequence[int], Sequence[int]]
"""Number of the instruction, operation of CasADi, registers (or places) of its operands, and of its results."""


@final
@dataclass(frozen=True, eq=False)
class Instructions:
    """All instructions of a function that works on numbered registers."""

    function: TapeFunction
    rows: Integers
    """Operation, result, first and second operand (a single operand is repeated). Input: its number and the place in it
    are the operands. Output: its number is the result, then come the register and the place. Operands and results of a
    call are not here, but returned by CasADi."""
    numbers: Array
    """The value of each instruction that is a constant."""

    @cached_property
    def n_operands(self) -> dict[int, int]:
        """Number of operands of each operation that occurs, except calls."""
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
    """The instructions read from CasADi's text; None if the text has another format."""
    count, text = function.n_instructions(), function.serialize()
    last = count - 1
    first, end = _read_one(function, 0), _read_one(function, last)
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
    kinds, places = np.unique(rows[:, 0], return_index=True)
    new = [place for kind, place in zip(kinds.tolist(), places.tolist(), strict=True) if kind not in _read]
    if not all(_agrees(found, k) for k in {*new, *range(0, count, max(1, count // _SAMPLES))}):
        return None
    _read.update(kinds.tolist())
    return found


def _agrees(found: Instructions, k: int) -> bool:
    instruction = _read_one(found.function, k)
    if instruction is None:
        return int(found.rows[k, 0]) == ca.OP_CALL
    row, number = instruction
    if row[0] == ca.OP_CONST:
        same = np.array([number]).tobytes() == found.numbers[k].tobytes()
        return same and bool(np.array_equal(found.rows[k, :2], row[:2]))
    return bool(np.array_equal(found.rows[k], row))


def _read_one(function: TapeFunction, k: int) -> tuple[list[int], float] | None:
    """Row and number of an instruction as CasADi returns them; None for a call."""
    code = function.instruction_id(k)
    if code == ca.OP_CALL:
        return None
    take, give = function.instruction_input(k), function.instruction_output(k)
    if code == ca.OP_CONST:
        return [code, give[0], 0, 0], function.instruction_constant(k)
    if code == ca.OP_OUTPUT:
        return [code, give[0], take[0], give[1]], 0.0
    return [code, give[0], take[0], take[-1]], 0.0


def _letters(instruction: tuple[list[int], float]) -> str:
    row, number = instruction
    words = np.array(row, "<i4").tobytes()
    if row[0] == ca.OP_CONST:
        words = words[:8] + np.array([number], "<f8").tobytes()
    return "".join(chr(ord("a") + half) for byte in words for half in (byte & 15, byte >> 4))


def _one_by_one(function: TapeFunction) -> Instructions:
    count = function.n_instructions()
    rows, numbers = np.zeros((count, 4), np.int64), np.zeros(count)
    for k in range(count):
        instruction = _read_one(function, k)
        if instruction is None:
            rows[k, 0] = ca.OP_CALL
        else:
            rows[k], numbers[k] = instruction
    return Instructions(function, rows, numbers)
