"""Input of the solver for active rows: see `rows_node`."""

from trundle.kernel.record import Floats, Ints, Record, named_fields


@named_fields
class SolverRecord(Record):
    """Arrays of the solver for active rows."""

    numbers: Floats
    stride: int  # from one number to the next; more than 1 if lanes are interleaved
    scratch: Floats
    places: Ints  # the scratch memory as integers
