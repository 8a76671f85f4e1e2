"""Runs that end at the limit of a table: which table, which argument, where."""

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.integrate.outcome import NOT_FINITE, STEP_TOO_SMALL
from trundle.kernel import Tape, read_tape
from trundle.kernel.interpret import all_values
from trundle.lookup.table import table_with
from trundle.typing import Array

FAILED = (NOT_FINITE, STEP_TOO_SMALL)
"""Endings that a table may have caused."""
AHEAD = (0.0, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2)  # s: times after the end at which the arguments are checked


def _tape(f: Formulation) -> Tape:
    return read_tape(f.functions.rhs())


def refused_lookup(f: Formulation, t: float, x: Array, p: Array) -> str:
    """A sentence about the table whose range the argument leaves at a state, or shortly after it; empty if there is
    none.
    """
    if not f.model.tables:
        return ""
    tape = f.once(_tape)
    xdot = f.kernels("base")["rhs"](t, x, p)
    step = np.where(np.isfinite(xdot), xdot, 0.0)
    for ahead in AHEAD:
        found = _first_refused(f, tape, t + ahead, x + ahead * step, p)
        if found:
            return f"{found}, t = {t:.9g} s."
    return ""


def _first_refused(f: Formulation, tape: Tape, t: float, x: Array, p: Array) -> str:
    operations, values = tape.operations, all_values(tape, t, x, p)
    for op, argument, node in operations:
        if op != "find":
            continue
        arguments = [values[argument]]
        if operations[node][0] == "find":  # of the first of two arguments
            arguments.insert(0, values[operations[node][1]])
            node = operations[node][2]
        handle = operations[node][1]
        table = table_with(values[handle])
        known = np.all(np.isfinite(arguments))  # of a state that is spoilt already only what time alone gives is known
        i = table.refuses(arguments) if known and table is not None and len(arguments) == len(table.x) else None
        if table is not None and i is not None:
            name = f.parameters.tables[operations[handle][1] - f.parameters.table_slice.start]
            knots = table.x[i]
            return (
                f"The argument {table.arguments[i]!r} of table {name!r} leaves its knots, {knots[0]:.9g} to "
                f"{knots[-1]:.9g}, at {arguments[i]:.9g}"
            )
    return ""
