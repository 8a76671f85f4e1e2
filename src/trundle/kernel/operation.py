"""LLVM IR of each operation of a tape, given the names of its operands."""

from collections.abc import Callable

from trundle.kernel.elementary import exponential, hyperbolic_tangent, sincos
from trundle.kernel.ir import LIBRARY, Block
from trundle.kernel.read_table import FIND, ROOT
from trundle.kernel.tape import SUMS

ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
INTRINSIC = {"sqrt": "sqrt", "fabs": "fabs", "floor": "floor", "ceil": "ceil", "copysign": "copysign"}
INTRINSIC |= {"fmin": "minnum", "fmax": "maxnum"}
COMPARISON = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
TRUTHS = (*COMPARISON, "not")
LOGIC = ("and", "or")
_OWN: dict[str, Callable[[Block, str], str]] = {"exp": exponential, "tanh": hyperbolic_tangent}
_MORE: dict[str, Callable[..., str]] = {
    "neg": lambda block, a: block.emit(f"fneg {block.real} {a}"),
    "sign": lambda block, a: _sign(block, a),
    "if_else_zero": lambda block, condition, a: choice(block, is_true(block, condition), a),
    ROOT: lambda block, handle: block.own_function(ROOT, handle),
    FIND: lambda block, a, node: block.own_function(FIND, a, node),
}


def number(block: Block, fuses: bool, op: str, *operands: str) -> str:
    """The result of an operation; `fuses`: whether the processor has fused multiply-add."""
    if op in ARITHMETIC:
        return block.binary(ARITHMETIC[op], *operands)
    if op in SUMS:
        return _sum(block, fuses, op, *operands)
    if op in _MORE:
        return _MORE[op](block, *operands)
    if op in INTRINSIC:
        return block.intrinsic(INTRINSIC[op], *operands)
    if op in _OWN and fuses:
        return _OWN[op](block, *operands)
    if op in LIBRARY:
        return block.library(op, *operands)
    return as_number(block, truth(block, op, *operands))


def truth(block: Block, op: str, *operands: str) -> str:
    """The truth of a comparison, or of a logical operation on numbers."""
    if op in COMPARISON:
        return block.compare(COMPARISON[op], *operands)
    if op == "not":
        return block.compare("oeq", operands[0], block.number(0.0))
    return logic(block, op, *(is_true(block, a) for a in operands))


def logic(block: Block, op: str, a: str, b: str) -> str:
    """`and` or `or` of truth values."""
    return block.emit(f"{op} {block.truth} {a}, {b}")


def is_true(block: Block, a: str) -> str:
    """Whether a number is not zero."""
    return block.compare("une", a, block.number(0.0))


def as_number(block: Block, truth: str) -> str:
    """1 where true, otherwise 0."""
    return block.choose(truth, block.number(1.0), block.number(0.0))


def choice(block: Block, truth: str, a: str) -> str:
    """A selection, not a product: a value that is not selected may be NaN."""
    return block.choose(truth, a, block.number(0.0))


def pair(block: Block, fuses: bool, angle: str) -> tuple[str, str]:
    """Sine and cosine."""
    return sincos(block, angle) if fuses else (block.library("sin", angle), block.library("cos", angle))


def _sum(block: Block, fuses: bool, op: str, a: str, b: str, c: str) -> str:
    of_product, of_other = SUMS[op]
    if not fuses:
        product = block.binary("fmul", a, b)
        first, second = (c, product) if of_product < 0 else (product, c)
        return block.binary("fadd" if op == "product_plus" else "fsub", first, second)
    if of_product < 0:
        a = block.emit(f"fneg {block.real} {a}")
    if of_other < 0:
        c = block.emit(f"fneg {block.real} {c}")
    return block.intrinsic("fma", a, b, c)


def _sign(block: Block, a: str) -> str:
    """-1, 1, or the number itself if it is zero or NaN."""
    zero = block.number(0.0)
    up = block.choose(block.compare("ogt", a, zero), block.number(1.0), a)
    return block.choose(block.compare("olt", a, zero), block.number(-1.0), up)
