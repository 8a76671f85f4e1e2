"""What the compiled parts of this folder work on."""

from trundle.kernel.record import Floats, Ints, Record, named_fields

DONE, FOLD, FULL, BEGIN = 0, 1, 2, 3
"""Why a part returns: all is done, the value of an operation on known numbers is wanted, or more room. Elimination
begins with the last one."""


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
    room: int  # for operations
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


@named_fields
class EliminationRecord(Record):
    """Operations as vertices, and edges with partial derivatives between them."""

    status: int
    n_vertices: int
    is_active: Ints  # whether it depends on the inputs
    is_needed: Ints  # whether the outputs depend on it
    first_in: Ints  # of the edges that lead to a vertex, -1 where there are none
    first_out: Ints
    n_in: Ints
    n_out: Ints
    cost: Ints  # products for each edge of a vertex, or its place; -1 for one that stays or is gone
    limit: int  # of the cost, from which on the order is that of the tape; -1 for never
    is_ordered: int  # whether that has come
    edge_to: Ints  # edge from the vertex in hand to each other one
    n_given: int  # edges between operations
    n_edges: int  # places that have been used
    room_edges: int
    free: int  # the first place that can be used again; the next one stands in `next_out`
    source: Ints
    target: Ints
    value: Ints  # register of the partial derivative
    condition: Ints  # register of the condition under which it counts, -1 for always
    next_in: Ints
    previous_in: Ints
    next_out: Ints
    previous_out: Ints
    n_queue: int
    room_queue: int
    queue: Ints
    n_rows: int
    room_rows: int
    rows: Ints  # instructions, four numbers each: code, result, operands
    n_registers: int
    one: int  # registers of these numbers
    minus_one: int


@named_fields
class ArrangingRecord(Record):
    """Operations that get another order."""

    n_operations: int
    operations: Ints  # three numbers each: code, operands
    n_wanted: int
    wanted: Ints  # operations in the order in which their values are wanted
    number: Ints  # place of each operation in the new order, -1 at first
    n_placed: int
    waiting: Ints  # operations on the way to what is wanted
