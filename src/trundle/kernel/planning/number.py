"""Value numbering (compiled): equal operations on equal operands get the same number, in a normal form.

Signs are moved outwards, (-a)*b = -(a*b), so that equal products are recognised and a sum can absorb the sign. As in
CasADi, 0*a = 0 and a-a = 0 for any a. Sums, products and quotients of constants are computed here; other functions of
constants are computed by the caller (status FOLD). Every function takes and returns numbers of operations.
"""

from trundle.kernel.codes import CODE, INPUT, INVERSE, OUTPUT, SQUARE, TWICE
from trundle.kernel.planning.finish import finish
from trundle.kernel.planning.records import DONE, FOLD, FULL, NumberingRecord
from trundle.kernel.pointers import part_of, strict

CONST, ADD, SUB, MUL, DIV = CODE["const"], CODE["add"], CODE["sub"], CODE["mul"], CODE["div"]
NEG, SQRT, FABS, IF_ELSE_ZERO = CODE["neg"], CODE["sqrt"], CODE["fabs"], CODE["if_else_zero"]
SINCOS, SIN, COS, TAN, POW = CODE["sincos"], CODE["sin"], CODE["cos"], CODE["tan"], CODE["pow"]
EQ, NE, AND, OR = CODE["eq"], CODE["ne"], CODE["and"], CODE["or"]
FMIN, FMAX, HYPOT = CODE["fmin"], CODE["fmax"], CODE["hypot"]
ROOT, FIND, ITEM = CODE["root"], CODE["find"], CODE["item"]
BUFFER, GET = CODE["buffer"], CODE["get"]
LARGEST_UNROLLED_POWER = 16
MOST = 32
"""Upper bound of the operations that one instruction may become, and of those added at the end."""
FRACTION = (1 << 52) - 1  # bits of the fraction of a double
LARGEST_EXPONENT = 2047


@part_of(NumberingRecord)
def number_values(r: NumberingRecord) -> None:
    """Read instructions from `at` on; at the end, keep what the outputs need."""
    if r.status == FOLD:
        r.registers[r.instructions[4 * r.at + 1]] = constant(r, r.value)
        r.at += 1
    r.status = DONE
    while r.at < r.n_instructions:
        if r.n_operations + MOST > r.capacity:
            r.status = FULL
            return
        k = 4 * r.at
        if not read(r, r.instructions[k], r.instructions[k + 1], r.instructions[k + 2], r.instructions[k + 3]):
            r.status = FOLD
            return
        r.at += 1
    for k in range(r.n_outputs):
        if r.outputs[k] < 0:
            r.outputs[k] = constant(r, 0.0)
    finish(r, constant(r, 1.0))


@strict
def read(r: NumberingRecord, code: int, to: int, first: int, second: int) -> bool:
    """Read one instruction; False if its operands are constants and the caller must compute its value."""
    if code == CONST:
        r.registers[to] = constant(r, r.numbers[r.at])
        return True
    if code == INPUT:
        r.registers[to] = first  # inputs are the first operations
        return True
    if code == OUTPUT:
        r.outputs[to] = r.registers[first]
        return True
    if code in (ITEM, GET):
        r.registers[to] = push(r, code, r.registers[first], constant(r, float(second)))
        return True
    if code == BUFFER:
        r.registers[to] = push(r, code, constant(r, float(first)), constant(r, float(second)))
        return True
    a = r.registers[first]
    b = r.registers[second] if second >= 0 else -1
    if code <= DIV:
        r.registers[to] = arithmetic(r, code, a, b)
    elif code >= SQUARE:
        r.registers[to] = special(r, code, a)
    elif code in (NEG, FABS, IF_ELSE_ZERO, ROOT, FIND):
        r.registers[to] = function(r, code, a, b)
    elif is_known(r, a) and (b < 0 or is_known(r, b)):
        return False
    else:
        r.registers[to] = function(r, code, a, b)
    return True


@strict
def arithmetic(r: NumberingRecord, code: int, a: int, b: int) -> int:
    if code == ADD:
        return add(r, a, b)
    if code == SUB:
        return sub(r, a, b)
    if code == MUL:
        return mul(r, a, b)
    return div(r, a, b)


@strict
def special(r: NumberingRecord, code: int, a: int) -> int:
    if code == SQUARE:
        return mul(r, a, a)
    if code == TWICE:
        return mul(r, constant(r, 2.0), a)
    if code == INVERSE:
        return div(r, constant(r, 1.0), a)
    return a


@strict
def function(r: NumberingRecord, code: int, a: int, b: int) -> int:
    if code == NEG:
        return neg(r, a)
    if code == FABS:
        return fabs(r, a)
    if code in (SIN, COS):
        return sine_or_cosine(r, code, a)
    if code == TAN:
        return div(r, sine_or_cosine(r, SIN, a), sine_or_cosine(r, COS, a))
    if code == POW:
        return power(r, a, b)
    if code == IF_ELSE_ZERO and is_known(r, a):  # a constant condition
        return b if value(r, a) != 0.0 else constant(r, 0.0)
    if b < a and b >= 0 and code in (EQ, NE, AND, OR, FMIN, FMAX, HYPOT):
        return push(r, code, b, a)
    return push(r, code, a, b)


# -- sums --------------------------------------------------------------------------------------------------------------


@strict
def neg(r: NumberingRecord, a: int) -> int:
    """-(-a) = a, -(a-b) = b-a."""
    code, first, second = r.operations[3 * a], r.operations[3 * a + 1], r.operations[3 * a + 2]
    if code == CONST:
        return constant(r, -r.constants[first])
    if code == NEG:
        return first
    if code == SUB:
        return push(r, SUB, second, first)
    return push(r, NEG, a, -1)


@strict
def add(r: NumberingRecord, a: int, b: int) -> int:
    """a+0 = a, a+(-b) = a-b, (-a)+(-b) = -(a+b)."""
    if is_known(r, a) and is_known(r, b):
        return constant(r, value(r, a) + value(r, b))
    if is_zero(r, a):
        return b
    if is_zero(r, b):
        return a
    plus_a, plus_b = without_neg(r, a), without_neg(r, b)
    if plus_b != b:
        return neg(r, plain_sum(r, plus_a, plus_b)) if plus_a != a else difference(r, a, plus_b)
    return difference(r, b, plus_a) if plus_a != a else plain_sum(r, a, b)


@strict
def sub(r: NumberingRecord, a: int, b: int) -> int:
    """a-0 = a, 0-a = -a, a-(-b) = a+b, (-a)-b = -(a+b), (-a)-(-b) = b-a."""
    if is_known(r, a) and is_known(r, b):
        return constant(r, value(r, a) - value(r, b))
    if is_zero(r, b):
        return a
    if is_zero(r, a):
        return neg(r, b)
    plus_a, plus_b = without_neg(r, a), without_neg(r, b)
    if plus_b != b:
        return difference(r, plus_b, plus_a) if plus_a != a else plain_sum(r, a, plus_b)
    return neg(r, plain_sum(r, plus_a, b)) if plus_a != a else difference(r, a, b)


@strict
def plain_sum(r: NumberingRecord, a: int, b: int) -> int:
    """a+a = 2a."""
    if a == b:
        return mul(r, constant(r, 2.0), a)
    return in_order(r, ADD, a, b)


@strict
def difference(r: NumberingRecord, a: int, b: int) -> int:
    """a-a = 0; b-a known gives -(b-a)."""
    if a == b:
        return constant(r, 0.0)
    mirrored = r.table[place_of(r, int(SUB), b, a)]
    return push(r, NEG, mirrored, -1) if mirrored > 0 else push(r, SUB, a, b)


@strict
def without_neg(r: NumberingRecord, a: int) -> int:
    return r.operations[3 * a + 1] if r.operations[3 * a] == NEG else a


# -- products ----------------------------------------------------------------------------------------------------------


@strict
def mul(r: NumberingRecord, a: int, b: int) -> int:
    """1*a = a, 0*a = 0, signs outwards."""
    if is_known(r, a) and is_known(r, b):
        return constant(r, value(r, a) * value(r, b))
    plus_a, plus_b = unsigned(r, a), unsigned(r, b)
    factor, other = plus_a, plus_b
    if is_known(r, plus_b):
        factor, other = plus_b, plus_a
    if is_known(r, factor):
        if value(r, factor) == 0.0:
            return constant(r, 0.0)
        product = other if value(r, factor) == 1.0 else in_order(r, MUL, plus_a, plus_b)
    else:
        product = in_order(r, MUL, plus_a, plus_b)
    return product if (plus_a == a) == (plus_b == b) else neg(r, product)


@strict
def div(r: NumberingRecord, a: int, b: int) -> int:
    """a/1 = a, 0/a = 0, signs outwards; division by a power of two is the exact product."""
    if is_known(r, b):
        if is_known(r, a):
            return constant(r, value(r, a) / value(r, b))
        if is_power_of_two(r, b):
            return mul(r, a, constant(r, 1.0 / value(r, b)))
    if is_zero(r, a):
        return constant(r, 0.0)
    plus_a, plus_b = unsigned(r, a), unsigned(r, b)
    quotient = push(r, DIV, plus_a, plus_b)
    return quotient if (plus_a == a) == (plus_b == b) else neg(r, quotient)


@strict
def is_power_of_two(r: NumberingRecord, a: int) -> bool:
    """Of either sign."""
    bits = r.constant_bits[r.operations[3 * a + 1]]
    exponent = (bits >> 52) & LARGEST_EXPONENT
    return (bits & FRACTION) == 0 and exponent != 0 and exponent != LARGEST_EXPONENT


@strict
def power(r: NumberingRecord, a: int, b: int) -> int:
    """Powers with a small whole or half exponent become products (and a square root)."""
    if is_known(r, a) or not is_known(r, b):
        return push(r, POW, a, b)
    exponent = value(r, b)
    size = abs(exponent)
    if size <= LARGEST_UNROLLED_POWER and size == float(int(size)):
        found = whole_power(r, a, int(size))
        return found if exponent >= 0.0 else div(r, constant(r, 1.0), found)
    if 0.0 < exponent <= LARGEST_UNROLLED_POWER and 2.0 * exponent == float(int(2.0 * exponent)):
        root = push(r, SQRT, a, -1)
        if exponent < 1.0:
            return root
        return mul(r, whole_power(r, a, int(exponent) - 1), mul(r, a, root))  # a sqrt(a) has a finite slope at zero
    return push(r, POW, a, b)


@strict
def whole_power(r: NumberingRecord, a: int, exponent: int) -> int:
    if exponent == 0:
        return constant(r, 1.0)
    result, square = -1, a
    while True:
        if exponent & 1:
            result = square if result < 0 else mul(r, result, square)
        exponent >>= 1
        if exponent == 0:
            return result
        square = mul(r, square, square)


# -- signs and angles --------------------------------------------------------------------------------------------------


@strict
def unsigned(r: NumberingRecord, a: int) -> int:
    """The value without its leading minus; numbers are made positive."""
    if is_known(r, a) and value(r, a) < 0.0:
        return constant(r, -value(r, a))
    return without_neg(r, a)


@strict
def fabs(r: NumberingRecord, a: int) -> int:
    """|-a| = |a|."""
    if is_known(r, a):
        return constant(r, abs(value(r, a)))
    return push(r, FABS, unsigned(r, a), -1)


@strict
def sine_or_cosine(r: NumberingRecord, code: int, a: int) -> int:
    """sin(-a) = -sin(a), cos(-a) = cos(a)."""
    angle = unsigned(r, a)
    # Both results stand right behind their common work, so that no split of the tape comes between.
    pair = push(r, SINCOS, angle, -1)
    sine = push(r, SIN, pair, -1)
    cosine = push(r, COS, pair, -1)
    if code == COS:
        return cosine
    return sine if angle == a else neg(r, sine)


# -- the list of operations --------------------------------------------------------------------------------------------


@strict
def is_known(r: NumberingRecord, a: int) -> bool:
    return r.operations[3 * a] == CONST


@strict
def is_zero(r: NumberingRecord, a: int) -> bool:
    return is_known(r, a) and value(r, a) == 0.0


@strict
def value(r: NumberingRecord, a: int) -> float:
    return r.constants[r.operations[3 * a + 1]]


@strict
def in_order(r: NumberingRecord, code: int, a: int, b: int) -> int:
    return push(r, code, a, b) if a < b else push(r, code, b, a)


@strict
def push(r: NumberingRecord, code: int, a: int, b: int) -> int:
    """The number of an operation, which is new or an earlier one."""
    return pushed(r, int(code), a, int(b))  # as plain integers: numba would compile a version for each literal


@strict
def pushed(r: NumberingRecord, code: int, a: int, b: int) -> int:
    place = place_of(r, code, a, b)
    found = r.table[place]
    if found == 0:
        found = r.n_operations
        r.n_operations = found + 1
        r.table[place] = found
        r.operations[3 * found], r.operations[3 * found + 1], r.operations[3 * found + 2] = code, a, b
    return found


@strict
def place_of(r: NumberingRecord, code: int, a: int, b: int) -> int:
    """Index of an operation in the hash table; the entry is empty if the operation is new."""
    place = scattered((code * 1000003 + a) * 1000003 + b) & r.mask
    while True:
        v = r.table[place]
        if v == 0:
            return place
        if r.operations[3 * v] == code and r.operations[3 * v + 1] == a and r.operations[3 * v + 2] == b:
            return place
        place = (place + 1) & r.mask


@strict
def constant(r: NumberingRecord, number: float) -> int:
    """A constant, identified by its bits, so that -0.0 and NaN are treated like other values."""
    new = r.n_constants
    r.constants[new] = number
    bits = r.constant_bits[new]
    place = scattered(bits) & r.mask
    while True:
        v = r.numbers_table[place]
        if v == 0:
            break
        if r.constant_bits[r.operations[3 * v + 1]] == bits:
            return v
        place = (place + 1) & r.mask
    r.n_constants = new + 1
    v = push(r, CONST, new, -1)
    r.numbers_table[place] = v
    return v


@strict
def scattered(key: int) -> int:
    """Hash of an integer."""
    key ^= key >> 29
    key *= 0x9E3779B97F4A7C1
    return key ^ (key >> 32)
