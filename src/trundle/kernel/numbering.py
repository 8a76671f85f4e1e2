"""Value numbering of the instructions of a function, by the compiled part `planning.number`."""

import math

import numpy as np

from trundle.kernel.codes import OPERATIONS
from trundle.kernel.compiled import call_part
from trundle.kernel.interpret import fold
from trundle.kernel.memory import point_to
from trundle.kernel.planning.records import DONE, FOLD, FULL, NumberingRecord
from trundle.typing import Array, Integers

_AT_FIRST, _LATER = 1.25, 4.0
"""Capacity in operations per instruction; most become one operation, or none if they are repetitions."""
_AT_LEAST = 64


def numbered(
    instructions: Integers, numbers: Array, leaves: Integers, n_outputs: int
) -> tuple[Integers, Array, Integers]:
    """Operations, constants, and the operation of each output.

    Each instruction is a code, a result, and operands: registers, or -1. A constant is in `numbers`; inputs are numbers
    of leaves, of which there is at least one, and the result of an output is its place among all.
    """
    capacity = len(leaves) + int(_AT_FIRST * len(instructions)) + _AT_LEAST
    found = _number(instructions, numbers, leaves, n_outputs, capacity)
    while found is None:
        capacity = int(_LATER * capacity)
        found = _number(instructions, numbers, leaves, n_outputs, capacity)
    return found


def _number(
    instructions: Integers, numbers: Array, leaves: Integers, n_outputs: int, capacity: int
) -> tuple[Integers, Array, Integers] | None:
    """None if the capacity is not sufficient."""
    size = 1 << (capacity + capacity // 4).bit_length()
    operations, constants, kept = (
        np.empty((capacity, 3), np.int64),
        np.empty(capacity),
        np.empty((2 * capacity, 3), np.int64),
    )
    operations[: len(leaves)] = leaves
    outputs = np.full(n_outputs, -1)
    record = NumberingRecord(
        n_instructions=len(instructions), n_outputs=n_outputs, n_operations=len(leaves), mask=size - 1, status=DONE,
        capacity=capacity,
    )  # fmt: skip
    arrays = {"instructions": instructions, "numbers": numbers, "outputs": outputs, "operations": operations}
    arrays |= {"registers": np.empty(int(instructions[:, 1].max(initial=0)) + 1, np.int64), "kept": kept}
    arrays |= {"constants": constants, "constant_bits": constants.view(np.int64)}
    # Zeros take no memory until they are written.
    sizes = {"table": size, "numbers_table": size, "needed": capacity, "divisions": capacity, "inverses": 2 * capacity}
    arrays |= {name: np.zeros(length, np.int64) for name, length in sizes.items()}
    arrays["renumbered"] = np.empty(capacity, np.int64)
    point_to(record, **arrays)
    call_part("number_values", record)
    while record.status == FOLD:
        code, _, first, second = instructions[record.at].tolist()
        of = [_known(arrays, register) for register in (first, second) if register >= 0]
        record.value = _value(OPERATIONS[code], of)
        call_part("number_values", record)
    if record.status == FULL:
        return None
    return kept[: record.n_kept].copy(), constants[: record.n_constants].copy(), outputs


def _known(arrays: dict[str, np.ndarray], register: int) -> float:
    """The number in a register, which is a constant."""
    return float(arrays["constants"][arrays["operations"][arrays["registers"][register], 1]])


def _value(operation: str, of: list[float]) -> float:
    if operation in ("sin", "cos"):
        return float(getattr(math, operation)(of[0])) if math.isfinite(of[0]) else math.nan
    return fold(operation, *of)
