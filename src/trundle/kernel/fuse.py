"""Fused multiply-add: a product and a sum with one rounding and one instruction instead of two.

Which product is fused into which sum is decided here, on the tape, and not by a code generator, so that all code made
from a tape returns identical bits.
"""

from dataclasses import replace

import numpy as np

from trundle.kernel.compiled import call_part
from trundle.kernel.memory import point_to
from trundle.kernel.planning.records import FusingRecord
from trundle.kernel.tape import Tape


def fuse(tape: Tape) -> Tape:
    """The tape with every product that is used by a single sum only fused into that sum."""
    rows, outputs = tape.rows.copy(), np.array(tape.outputs, np.int64)
    record = FusingRecord(n_operations=len(rows), n_outputs=len(outputs))
    kept_alive = {"operations": rows, "outputs": outputs, "uses": np.zeros(len(rows), np.int64)}
    point_to(record, **kept_alive)
    call_part("fuse_products", record)
    return replace(tape, rows=rows)
