"""A tape as a program of steps that are called in turn; each has the places of its operands and result."""

from dataclasses import dataclass

import numpy as np

from trundle.kernel.codes import OPERATIONS
from trundle.kernel.compiled import call_part
from trundle.kernel.memory import point_to
from trundle.kernel.planning.records import PlanRecord
from trundle.kernel.tape import Tape
from trundle.typing import Integers

STEP = np.dtype([("code", "<i8"), ("to", "<i4"), ("a", "<i4"), ("b", "<i4"), ("c", "<i4")])
"""One step: its operation, the place of its result, and the places of its operands."""
OUTPUT, END = "output", "end"
"""Steps beside the operations of a tape: copy a place to an output, and return."""
_LONG = 500
"""Number of operations from which on steps are sorted so that those of the same kind follow each other. Processors
predict such jumps well: some thousand steps take a third of the time."""


@dataclass(frozen=True)
class Program:
    """Steps over an array of places: constants, t, x, p, then values, whose places are reused."""

    names: tuple[str, ...]
    """Names of the operations by the codes in the steps."""
    steps: np.ndarray
    constants: np.ndarray
    n_places: int


def program(tape: Tape) -> Program:
    """The program of a tape with fused products."""
    count = len(tape.rows)
    constants, outputs = np.array(tape.constants, dtype=float), np.array(tape.outputs, np.int64)
    record = PlanRecord(
        n_operations=count, n_constants=len(constants), n_outputs=len(outputs), n_x=tape.n_x, n_p=tape.n_p,
        by_kind=count >= _LONG,
    )  # fmt: skip
    arrays = {"operations": tape.rows, "constants": constants, "outputs": outputs}
    arrays |= {name: np.empty(count, np.int64) for name in ("sine", "cosine", "place", "after", "order")}
    arrays |= {name: np.zeros(count, np.int64) for name in ("uses", "missing")}
    arrays |= {"first_user": np.zeros(count + 1, np.int64), "users": np.empty(3 * count, np.int64)}
    arrays |= {"ready": np.zeros(2 * len(OPERATIONS), np.int64), "free": np.empty(2 * count, np.int64)}
    arrays["steps"] = steps = np.empty((count, len(STEP.names or ())), np.int64)
    point_to(record, **arrays)
    call_part("plan_steps", record)
    return _program(steps[: record.n_steps], constants, arrays["place"][outputs], record.n_places)


def _program(rows: Integers, constants: np.ndarray, outputs: Integers, n_places: int) -> Program:
    """Steps of the operations, then one for each output, then END."""
    used, codes = np.unique(rows[:, 0], return_inverse=True)
    names = (*(OPERATIONS[code] for code in used), OUTPUT, END)
    steps = np.zeros(len(rows) + len(outputs) + 1, STEP)
    steps["code"] = names.index(END)
    for field, column in zip(STEP.names or (), (codes, *rows[:, 1:].T), strict=True):
        steps[field][: len(rows)] = column
    last = steps[len(rows) : -1]
    last["code"], last["to"], last["a"] = names.index(OUTPUT), np.arange(len(outputs)), outputs
    return Program(names, steps, constants, n_places)
