"""The steps of threaded code (compiled): their order, and the places of their values. See `trundle.kernel.program`."""

from trundle.kernel.codes import CODE, OPERATIONS
from trundle.kernel.planning.records import PlanRecord
from trundle.kernel.pointers import part_of, strict

T, X, P, CONST = CODE["t"], CODE["x"], CODE["p"], CODE["const"]
SINCOS, SIN, COS, ITEM, PRODUCT = CODE["sincos"], CODE["sin"], CODE["cos"], CODE["item"], CODE["product"]
BUFFER, PUT, SOLVE, GET = CODE["buffer"], CODE["put"], CODE["solve"], CODE["get"]
FIRST_SUM, LAST_SUM = CODE["product_plus"], CODE["minus_product"]
KINDS = len(OPERATIONS)
WIDTH = 5  # integers per step: code, place of the result, places of the operands


@part_of(PlanRecord)
def plan_steps(r: PlanRecord) -> None:
    place_leaves(r)
    count_uses(r)
    count = put_in_order(r) if r.by_kind else keep_order(r)
    n_free = 0
    for k in range(count):
        n_free = make_step(r, r.order[k], n_free)


@strict
def has_step(code: int) -> bool:
    """Whether an operation is a step of its own."""
    return code > CONST and code != PRODUCT and code != SIN and code != COS and code != BUFFER and code != GET


@strict
def n_needed(r: PlanRecord, v: int) -> int:
    """Number of operands of a step."""
    code = r.operations[3 * v]
    if not has_step(code):
        return 0
    if FIRST_SUM <= code <= LAST_SUM:
        return 3
    return 1 if r.operations[3 * v + 2] < 0 or code == ITEM else 2


@strict
def whole(r: PlanRecord, v: int) -> int:
    """An integer constant."""
    return int(r.constants[r.operations[3 * v + 1]])


@strict
def needed(r: PlanRecord, v: int, which: int) -> int:
    """An operand of a step; for a sum with a fused product the two factors and the other term."""
    code, a, b = r.operations[3 * v], r.operations[3 * v + 1], r.operations[3 * v + 2]
    if FIRST_SUM <= code <= LAST_SUM:
        return b if which == 2 else r.operations[3 * a + 1 + which]
    return a if which == 0 else b


@strict
def place_leaves(r: PlanRecord) -> None:
    """Assign the first places to constants, t, x, p and buffers; they are never reused."""
    r.n_places = r.n_constants + 1 + r.n_x + r.n_p
    for v in range(r.n_operations):
        code, a = r.operations[3 * v], r.operations[3 * v + 1]
        r.sine[v], r.cosine[v] = -1, -1
        if code == CONST:
            r.place[v] = a
        elif code == T:
            r.place[v] = r.n_constants
        elif code == X:
            r.place[v] = r.n_constants + 1 + a
        elif code == P:
            r.place[v] = r.n_constants + 1 + r.n_x + a
        elif code == SIN:
            r.sine[a] = v
        elif code == COS:
            r.cosine[a] = v
        elif code == BUFFER:
            r.place[v] = r.n_places
            r.n_places += whole(r, a)
        elif code == PUT:
            r.place[v] = r.place[r.operations[3 * v + 2]] + 1  # of the next one
        elif code == SOLVE:
            r.place[v] = r.place[r.operations[3 * v + 2]]
        elif code == GET:
            r.place[v] = r.place[a] + whole(r, r.operations[3 * v + 2])


@strict
def count_uses(r: PlanRecord) -> None:
    for k in range(r.n_outputs):
        r.uses[r.outputs[k]] += 1
    for v in range(r.n_operations):
        for which in range(n_needed(r, v)):
            r.uses[needed(r, v, which)] += 1


# -- order -------------------------------------------------------------------------------------------------------------


@strict
def keep_order(r: PlanRecord) -> int:
    count = 0
    for v in range(r.n_operations):
        if has_step(r.operations[3 * v]):
            r.order[count] = v
            count += 1
    return count


@strict
def put_in_order(r: PlanRecord) -> int:
    """Sort operations so that they follow their operands, and many follow another of the same kind."""
    list_users(r)
    count = 0
    for v in range(r.n_operations):
        if r.missing[v] == 0 and has_step(r.operations[3 * v]):
            make_ready(r, v)
    while True:
        kind = 0
        for other in range(1, KINDS):
            if r.ready[2 * other + 1] > r.ready[2 * kind + 1]:
                kind = other
        if r.ready[2 * kind + 1] == 0:
            return count
        while r.ready[2 * kind + 1] > 0:
            v = r.ready[2 * kind]
            r.ready[2 * kind], r.ready[2 * kind + 1] = r.after[v], r.ready[2 * kind + 1] - 1
            r.order[count] = v
            count += 1
            for at in range(r.first_user[v], r.first_user[v + 1]):
                user = r.users[at]
                r.missing[user] -= 1
                if r.missing[user] == 0:
                    make_ready(r, user)


@strict
def make_ready(r: PlanRecord, v: int) -> None:
    kind = r.operations[3 * v]
    r.after[v] = r.ready[2 * kind]
    r.ready[2 * kind], r.ready[2 * kind + 1] = v, r.ready[2 * kind + 1] + 1


@strict
def maker(r: PlanRecord, v: int) -> int:
    """The step that computes a value; -1 for inputs, constants and buffers."""
    code = r.operations[3 * v]
    if code <= CONST or code == BUFFER:
        return -1
    return r.operations[3 * v + 1] if code in (SIN, COS, GET) else v


@strict
def list_users(r: PlanRecord) -> None:
    """Users of the results of each step, in one list."""
    for v in range(r.n_operations):
        for which in range(n_needed(r, v)):
            made_by = maker(r, needed(r, v, which))
            if made_by >= 0:
                r.first_user[made_by + 1] += 1
                r.missing[v] += 1
    for v in range(r.n_operations):
        r.first_user[v + 1] += r.first_user[v]
        r.after[v] = r.first_user[v]  # index for the next user
    for v in range(r.n_operations):
        for which in range(n_needed(r, v)):
            made_by = maker(r, needed(r, v, which))
            if made_by >= 0:
                r.users[r.after[made_by]] = v
                r.after[made_by] += 1


# -- steps and places --------------------------------------------------------------------------------------------------


@strict
def make_step(r: PlanRecord, v: int, n_free: int) -> int:
    """Add a step. Places of values that are not used any more become free; return the number of free places."""
    code, a, b = r.operations[3 * v], r.operations[3 * v + 1], r.operations[3 * v + 2]
    count = n_needed(r, v)
    step = WIDTH * r.n_steps
    r.n_steps += 1
    r.steps[step] = code
    if code == PUT:
        r.steps[step + 1], r.steps[step + 2] = r.place[b], r.place[a]
        r.steps[step + 3], r.steps[step + 4] = 0, 0
    elif code == SOLVE:  # begin of the buffer, end of the numbers in it, end of the buffer
        r.steps[step + 1], r.steps[step + 2], r.steps[step + 3] = 0, r.place[b], r.place[a]
        r.steps[step + 4] = r.place[b] + whole(r, r.operations[3 * b + 1])
    else:
        n_free = make_number(r, v, n_free)
    for which in range(count):
        i = needed(r, v, which)
        r.uses[i] -= 1
        kind = r.operations[3 * i]
        if r.uses[i] == 0 and kind > CONST and not BUFFER <= kind <= GET:
            r.free[n_free] = r.place[i]
            n_free += 1
    return n_free


@strict
def make_number(r: PlanRecord, v: int, n_free: int) -> int:
    """Fill in a step whose result gets a new place; return the number of free places."""
    code, a, b = r.operations[3 * v], r.operations[3 * v + 1], r.operations[3 * v + 2]
    step = WIDTH * (r.n_steps - 1)
    to, n_free = take_place(r, n_free)
    r.steps[step + 1] = to
    if code == SINCOS:
        other, n_free = take_place(r, n_free)
        r.steps[step + 2], r.steps[step + 3], r.steps[step + 4] = r.place[a], 0, other
        n_free = give_place(r, r.sine[v], to, n_free)
        n_free = give_place(r, r.cosine[v], other, n_free)
    else:
        r.place[v] = to
        r.steps[step + 3] = 0
        r.steps[step + 4] = 0
        for which in range(n_needed(r, v)):
            r.steps[step + 2 + which] = r.place[needed(r, v, which)]
        if code == ITEM:
            r.steps[step + 3] = whole(r, b)
    return n_free


@strict
def take_place(r: PlanRecord, n_free: int) -> tuple[int, int]:
    if n_free > 0:
        return r.free[n_free - 1], n_free - 1
    r.n_places += 1
    return r.n_places - 1, 0


@strict
def give_place(r: PlanRecord, v: int, place: int, n_free: int) -> int:
    """Assign a place to a sine or a cosine, or free it if the value is not used."""
    if v >= 0:
        r.place[v] = place
        return n_free
    r.free[n_free] = place
    return n_free + 1
