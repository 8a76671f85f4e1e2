"""Fuse products that are used by a single sum into that sum (compiled): see `trundle.kernel.fuse`."""

from trundle.kernel.codes import CODE
from trundle.kernel.planning.records import FusingRecord
from trundle.kernel.pointers import part_of, strict

CONST, ADD, SUB, MUL, PRODUCT = CODE["const"], CODE["add"], CODE["sub"], CODE["mul"], CODE["product"]
PRODUCT_PLUS, PRODUCT_MINUS, MINUS_PRODUCT = CODE["product_plus"], CODE["product_minus"], CODE["minus_product"]


@part_of(FusingRecord)
def fuse_products(r: FusingRecord) -> None:
    count_uses(r)
    for v in range(r.n_operations):
        code, a, b = r.operations[3 * v], r.operations[3 * v + 1], r.operations[3 * v + 2]
        if (code != ADD and code != SUB) or a == b:
            continue
        # Of two products the later one is fused: the earlier one is ready by then.
        product = -1
        if r.uses[a] == 1 and r.operations[3 * a] == MUL:
            product = a
        if r.uses[b] == 1 and r.operations[3 * b] == MUL:
            product = max(product, b)
        if product < 0:
            continue
        other = b if product == a else a
        r.operations[3 * product] = PRODUCT
        r.operations[3 * v + 1], r.operations[3 * v + 2] = product, other
        if code == ADD:
            r.operations[3 * v] = PRODUCT_PLUS
        else:
            r.operations[3 * v] = PRODUCT_MINUS if product == a else MINUS_PRODUCT


@strict
def count_uses(r: FusingRecord) -> None:
    for k in range(r.n_outputs):
        r.uses[r.outputs[k]] += 2  # an output must not be fused
    for v in range(r.n_operations):
        if r.operations[3 * v] > CONST:
            r.uses[r.operations[3 * v + 1]] += 1
            if r.operations[3 * v + 2] >= 0:
                r.uses[r.operations[3 * v + 2]] += 1
