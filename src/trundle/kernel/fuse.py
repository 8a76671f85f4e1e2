"""Products that are added to something else: one rounding and one instruction instead of two.

Which product goes into which sum is decided here, on the tape, and not by a code generator: all code that is made of a
tape then gives the same bits, however it is made.
"""

from dataclasses import replace

import numpy as np

from trundle.kernel.compiled import call_part
from trundle.kernel.memory import point_to
from trundle.kernel.planning.records import FusingRecord
from trundle.kernel.tape import Tape


def fuse(tape: Tape) -> Tape:
    """The same tape, with every product that one sum alone uses as part of that sum."""
    rows, outputs = tape.rows.copy(), np.array(tape.outputs, np.int64)
    record = FusingRecord(n_operations=len(rows), n_outputs=len(outputs))
    kept_alive = {"operations": rows, "outputs": outputs, "uses": np.zeros(len(rows), np.int64)}
    point_to(record, **kept_alive)
    call_part("fuse_products", record)
    return replace(tape, rows=rows)
