"""Records of the compiled parts of this folder."""

from trundle.kernel.record import Floats, Ints, Record, named_fields

DONE, FOLD, FULL, BEGIN = 0, 1, 2, 3
"""Status of a part: done; the caller must compute an operation on constants, or enlarge arrays; BEGIN starts an
elimination."""


@named_fields
class NumberingRecord(Record):
    """Instructions of a function, and the list of operations that grows as they are read."""

    n_instructions: int
    at: int  # the next instruction
    status: int
    value: float  # the value computed by the caller: see FOLD
    instructions: Ints  # four numbers each: code, result, operands
    numbers: Floats  # values of constants
    registers: Ints  # operation that holds the value of each register
    outputs: Ints  # operation of each output, -1 if nothing is written to it
    n_outputs: int
    operations: Ints  # three numbers each: code, operands
    n_operations: int
    capacity: int  # number of operations that the arrays can hold
    constants: Floats
    constant_bits: Ints  # the same numbers as integers
    n_constants: int
    table: Ints  # hash table of operations (open addressing), 0 where empty: operation 0 is an input
    numbers_table: Ints  # hash table of constants
    mask: int  # length of each table less one, a power of two
    needed: Ints
    divisions: Ints
    inverses: Ints  # operation of the inverse of a value, 0 if there is none
    renumbered: Ints
    kept: Ints  # the resulting operations, three numbers each
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
    """Operations with fused products, and the resulting steps."""

    n_operations: int
    operations: Ints
    constants: Floats
    n_constants: int
    n_outputs: int
    outputs: Ints
    n_x: int
    n_p: int
    by_kind: int  # whether steps are sorted by kind
    sine: Ints  # sine of each sincos, -1 if it is not used
    cosine: Ints
    uses: Ints
    place: Ints
    first_user: Ints  # index of the first user of each value in the list of all; one more number at the end
    users: Ints
    missing: Ints  # number of operands that are not computed yet
    ready: Ints  # first operation of each kind whose operands are computed, and the number of such operations
    after: Ints  # the next operation of the same kind
    free: Ints  # places that can be reused
    order: Ints
    steps: Ints  # five numbers each: see `program.STEP`
    n_steps: int
    n_places: int


@named_fields
class EliminationRecord(Record):
    """Operations as vertices, and edges with partial derivatives between them."""

    status: int
    n_vertices: int
    is_active: Ints  # whether the vertex depends on the inputs
    is_needed: Ints  # whether the outputs depend on the vertex
    first_in: Ints  # first of the edges that lead to a vertex, -1 if there are none
    first_out: Ints
    n_in: Ints
    n_out: Ints
    cost: Ints  # products per edge of a vertex, or its position; -1 for inputs, outputs and eliminated vertices
    limit: int  # of the cost, above which the order is that of the tape; -1 for never
    is_ordered: int  # whether the order is that of the tape now
    edge_to: Ints  # edge from the current vertex to each other one
    n_given: int  # edges between operations
    n_edges: int  # number of entries used so far
    edge_capacity: int
    free: int  # first entry that can be reused; the next one is in `next_out`
    source: Ints
    target: Ints
    value: Ints  # register of the partial derivative
    condition: Ints  # register of the condition under which it counts, -1 for always
    next_in: Ints
    previous_in: Ints
    next_out: Ints
    previous_out: Ints
    n_queue: int
    queue_capacity: int
    queue: Ints
    n_rows: int
    row_capacity: int
    rows: Ints  # instructions, four numbers each: code, result, operands
    n_registers: int
    one: int  # registers of these numbers
    minus_one: int


@named_fields
class ArrangingRecord(Record):
    """Operations that are put into another order."""

    n_operations: int
    operations: Ints  # three numbers each: code, operands
    n_wanted: int
    wanted: Ints  # operations of the outputs, in the desired order
    number: Ints  # index of each operation in the new order, -1 at first
    n_placed: int
    waiting: Ints  # stack of operations whose operands are placed first
