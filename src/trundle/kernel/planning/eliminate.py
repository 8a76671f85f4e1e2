"""Jacobian of a list of operations by vertex elimination (compiled).

Every operation is a vertex, and an edge from operand to result carries the partial derivative. To eliminate a vertex,
every edge that leads to it is joined with every edge that leaves it: the product of both is added to the edge between
the two ends. At the end, edges lead from inputs to outputs only, and carry the Jacobian. The result does not depend on
the order, the work does [Griewank & Walther 2008, chapter 10]. The first vertices are those with the fewest products
per eliminated edge; when this cost exceeds a limit given by the caller, the others follow in the order of the tape, as
in forward differentiation of all columns at once.

An edge may also carry a condition: its derivative counts where the condition holds and is zero elsewhere, even if it is
inf or NaN there. The derivative of a branch that is not taken must not influence the result.
"""

from trundle.kernel.codes import CODE
from trundle.kernel.planning.records import BEGIN, DONE, FULL, EliminationRecord
from trundle.kernel.pointers import part_of, strict

ADD, MUL, NEG, AND, IF_ELSE_ZERO = CODE["add"], CODE["mul"], CODE["neg"], CODE["and"], CODE["if_else_zero"]
PER_PAIR = 5
"""Most instructions that joining two edges takes: product, common condition, two choices and a sum."""
SCALE = 1000
"""Costs are integers: thousandths of a product for each edge."""
LOW = (1 << 32) - 1
"""Bits of the vertex in an entry of the queue; the higher bits are its cost."""


@part_of(EliminationRecord)
def eliminate_vertices(r: EliminationRecord) -> None:
    """Eliminate all inner vertices; status FULL if the arrays must be enlarged first."""
    if r.status == BEGIN:
        link(r)
    r.status = DONE
    while r.n_queue > 0:
        entry = r.queue[0]
        v = entry & LOW
        if r.cost[v] == entry >> 32:
            pairs = r.n_in[v] * r.n_out[v]
            full = r.n_rows + PER_PAIR * pairs > r.row_capacity or r.n_edges + pairs > r.edge_capacity
            if full or r.n_queue + r.n_in[v] + r.n_out[v] > r.queue_capacity:
                r.status = FULL
                return
            if r.limit >= 0 and r.cost[v] > r.limit:
                in_order(r)
                r.limit = -1
                continue
        drop_first(r)
        if r.cost[v] == entry >> 32:
            eliminate(r, v)


@strict
def in_order(r: EliminationRecord) -> None:
    """From now on the cost of each remaining vertex is its position on the tape."""
    r.n_queue = 0
    r.is_ordered = 1
    for v in range(r.n_vertices):
        if r.cost[v] >= 0:
            enqueue(r, v)


@strict
def link(r: EliminationRecord) -> None:
    """Insert the edges (sorted by target) on paths from inputs to outputs; queue the vertices between."""
    for e in range(r.n_given):
        if r.is_active[r.source[e]]:
            r.is_active[r.target[e]] = 1
    for e in range(r.n_given - 1, -1, -1):
        if r.is_active[r.source[e]] and r.is_needed[r.target[e]]:
            r.is_needed[r.source[e]] = 1
    for e in range(r.n_given):
        source, target = r.source[e], r.target[e]
        if not (r.is_active[source] and r.is_needed[target]):
            continue
        found = edge_from(r, source, target)
        if found >= 0:
            add_to(r, found, r.value[e], r.condition[e])
        else:
            insert(r, e, source, target)
    for v in range(r.n_vertices):
        if r.n_in[v] > 0 and r.n_out[v] > 0:
            enqueue(r, v)


@strict
def eliminate(r: EliminationRecord, v: int) -> None:
    r.cost[v] = -1
    leads_there = 0  # number of edges to search for one from a given source
    outgoing = r.first_out[v]
    while outgoing >= 0:
        leads_there += r.n_in[r.target[outgoing]]
        outgoing = r.next_out[outgoing]
    incoming = r.first_in[v]
    while incoming >= 0:
        by_table = r.n_out[r.source[incoming]] < leads_there
        if by_table:
            point_out(r, r.source[incoming], True)
        outgoing = r.first_out[v]
        while outgoing >= 0:
            join(r, incoming, outgoing, by_table)
            outgoing = r.next_out[outgoing]
        if by_table:
            point_out(r, r.source[incoming], False)
        incoming = r.next_in[incoming]
    detach(r, v)


@strict
def point_out(r: EliminationRecord, source: int, there: bool) -> None:
    """Enter the edges that leave a vertex into the table by target, or clear the table again."""
    e = r.first_out[source]
    while e >= 0:
        r.edge_to[r.target[e]] = e if there else -1
        e = r.next_out[e]


@strict
def edge_from(r: EliminationRecord, source: int, target: int) -> int:
    """The edge between two vertices; -1 if there is none."""
    e = r.first_in[target]
    while e >= 0 and r.source[e] != source:
        e = r.next_in[e]
    return e


@strict
def join(r: EliminationRecord, incoming: int, outgoing: int, by_table: bool) -> None:
    """Add the product of two edges to the edge between their ends."""
    number = product(r, r.value[incoming], r.value[outgoing])
    condition = both(r, r.condition[incoming], r.condition[outgoing])
    source, target = r.source[incoming], r.target[outgoing]
    found = r.edge_to[target] if by_table else edge_from(r, source, target)
    if found >= 0:
        add_to(r, found, number, condition)
        return
    new = r.free
    if new >= 0:
        r.free = r.next_out[new]
    else:
        new = r.n_edges
        r.n_edges = new + 1
    r.value[new], r.condition[new] = number, condition
    insert(r, new, source, target)


@strict
def detach(r: EliminationRecord, v: int) -> None:
    """Remove a vertex with its edges, and update the cost of its neighbours."""
    e = r.first_in[v]
    while e >= 0:
        source, following = r.source[e], r.next_in[e]
        if r.previous_out[e] >= 0:
            r.next_out[r.previous_out[e]] = r.next_out[e]
        else:
            r.first_out[source] = r.next_out[e]
        if r.next_out[e] >= 0:
            r.previous_out[r.next_out[e]] = r.previous_out[e]
        r.n_out[source] -= 1
        enqueue_again(r, source)
        release(r, e)
        e = following
    e = r.first_out[v]
    while e >= 0:
        target, following = r.target[e], r.next_out[e]
        if r.previous_in[e] >= 0:
            r.next_in[r.previous_in[e]] = r.next_in[e]
        else:
            r.first_in[target] = r.next_in[e]
        if r.next_in[e] >= 0:
            r.previous_in[r.next_in[e]] = r.previous_in[e]
        r.n_in[target] -= 1
        enqueue_again(r, target)
        release(r, e)
        e = following
    r.first_in[v], r.first_out[v], r.n_in[v], r.n_out[v] = -1, -1, 0, 0


@strict
def release(r: EliminationRecord, e: int) -> None:
    r.next_out[e] = r.free
    r.free = e


@strict
def insert(r: EliminationRecord, e: int, source: int, target: int) -> None:
    r.source[e], r.target[e] = source, target
    first = r.first_out[source]
    r.next_out[e], r.previous_out[e], r.first_out[source] = first, -1, e
    if first >= 0:
        r.previous_out[first] = e
    first = r.first_in[target]
    r.next_in[e], r.previous_in[e], r.first_in[target] = first, -1, e
    if first >= 0:
        r.previous_in[first] = e
    r.n_out[source] += 1
    r.n_in[target] += 1


# -- numbers on the edges ----------------------------------------------------------------------------------------------


@strict
def add_to(r: EliminationRecord, e: int, number: int, condition: int) -> None:
    """Add a number to that of an edge; if the conditions differ, each number counts where its own holds."""
    if r.condition[e] == condition:
        r.value[e] = write(r, ADD, r.value[e], number)
        return
    r.value[e] = write(r, ADD, counted(r, r.value[e], r.condition[e]), counted(r, number, condition))
    r.condition[e] = -1


@strict
def counted(r: EliminationRecord, number: int, condition: int) -> int:
    return number if condition < 0 else write(r, IF_ELSE_ZERO, condition, number)


@strict
def product(r: EliminationRecord, a: int, b: int) -> int:
    if a == r.one:
        return b
    if b == r.one:
        return a
    if a == r.minus_one:
        return r.one if b == r.minus_one else write(r, NEG, b, -1)
    if b == r.minus_one:
        return write(r, NEG, a, -1)
    return write(r, MUL, a, b)


@strict
def both(r: EliminationRecord, a: int, b: int) -> int:
    if a < 0 or a == b:
        return b
    return a if b < 0 else write(r, AND, a, b)


@strict
def write(r: EliminationRecord, code: int, a: int, b: int) -> int:
    """One more instruction."""
    return written(r, int(code), a, int(b))  # as plain integers: numba would compile a version for each literal


@strict
def written(r: EliminationRecord, code: int, a: int, b: int) -> int:
    k, register = 4 * r.n_rows, r.n_registers
    r.rows[k], r.rows[k + 1], r.rows[k + 2], r.rows[k + 3] = code, register, a, b
    r.n_rows += 1
    r.n_registers = register + 1
    return register


# -- the queue: a heap that may contain outdated entries of a vertex ---------------------------------------------------


@strict
def enqueue_again(r: EliminationRecord, v: int) -> None:
    if r.cost[v] >= 0 and r.cost[v] != present_cost(r, v):
        enqueue(r, v)


@strict
def present_cost(r: EliminationRecord, v: int) -> int:
    return v if r.is_ordered else SCALE * r.n_in[v] * r.n_out[v] // (r.n_in[v] + r.n_out[v])


@strict
def enqueue(r: EliminationRecord, v: int) -> None:
    r.cost[v] = present_cost(r, v)
    entry = r.cost[v] << 32 | v
    at = r.n_queue
    r.n_queue = at + 1
    while at > 0 and r.queue[(at - 1) >> 1] > entry:
        r.queue[at] = r.queue[(at - 1) >> 1]
        at = (at - 1) >> 1
    r.queue[at] = entry


@strict
def drop_first(r: EliminationRecord) -> None:
    last = r.n_queue - 1
    r.n_queue = last
    entry = r.queue[last]
    at = 0
    while 2 * at + 1 < last:
        child = 2 * at + 1
        if child + 1 < last and r.queue[child + 1] < r.queue[child]:
            child += 1
        if r.queue[child] >= entry:
            break
        r.queue[at] = r.queue[child]
        at = child
    r.queue[at] = entry
