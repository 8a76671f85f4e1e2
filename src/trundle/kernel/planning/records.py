"""What the compiled parts of this folder work on."""

from trundle.kernel.record import Floats, Ints, Record, named_fields

DONE, FOLD = 0, 1
"""Why numbering returns: all is read, or the value of an operation on known numbers is wanted."""


@named_fields
class NumberingRecord(Record):
    """Instructions of a function, and the list of operations that grows as they are read."""

    n_instructions: int
    at: int  # the next instruction
    status: int
    value: float  # what was wanted: see FOLD
    instructions: Ints  # four numbers each: code, result, operands
    numbers: Floats  # values of constants
    registers: Ints  # operation that holds the value of each register
    outputs: Ints  # operation of each number of the outputs, -1 where nothing is written
    n_outputs: int
    operations: Ints  # three numbers each: code, operands
    n_operations: int
    constants: Floats
    constant_bits: Ints  # the same numbers
    n_constants: int
    table: Ints  # operations by what they do, at the place of their hash or behind; -1 where none is
    numbers_table: Ints  # constants in the same way
    mask: int  # length of each table less one, a power of two
    needed: Ints
    divisions: Ints
    inverses: Ints
    renumbered: Ints
    kept: Ints  # three numbers each, what is left in the end
    n_kept: int


@named_fields
class FusingRecord(Record):
    """Operations in which products are fused."""

    n_operations: int
    operations: Ints
    n_outputs: int
    outputs: Ints
    uses: Ints


@named_fields
class PlanRecord(Record):
    """Operations whose products were fused, and the steps that are made of them."""

    n_operations: int
    operations: Ints
    constants: Floats
    n_constants: int
    n_outputs: int
    outputs: Ints
    n_x: int
    n_p: int
    by_kind: int  # whether steps of the same kind are put side by side
    sine: Ints  # of each pair, -1 where nobody needs it
    cosine: Ints
    uses: Ints
    place: Ints
    first_user: Ints  # where the users of each value begin in the list of all; one more number at the end
    users: Ints
    missing: Ints  # how many values an operation still waits for
    ready: Ints  # the first operation of each kind that waits for nothing, and how many there are
    after: Ints  # the next of the same kind
    free: Ints  # places that can be used again
    order: Ints
    steps: Ints  # five numbers each: see `program.STEP`
    n_steps: int
    n_places: int
