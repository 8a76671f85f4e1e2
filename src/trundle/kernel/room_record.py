"""What the solver of rows is given: see `rows_node`."""

from trundle.kernel.record import Floats, Ints, Record, named_fields


@named_fields
class RoomRecord(Record):
    """What the solver is given."""

    numbers: Floats
    stride: int  # from one number to the next: several lanes stand side by side
    scratch: Floats
    places: Ints  # the scratch room once more
