"""Value numbering: the same operation on the same operands gets the same number, in a form that meets often."""

import math
import struct
from collections.abc import Callable, Sequence

from trundle.kernel.interpret import BINARY, UNARY, fold

_COMMUTATIVE = frozenset(("add", "mul", "eq", "ne", "and", "or", "fmin", "fmax", "hypot"))
_LARGEST_UNROLLED_POWER = 16


class Numbering:
    """Grows a list of operations; every method takes and returns positions in that list.

    Signs are drawn outwards, (-a)*b = -(a*b), so that products meet and a sum can absorb the sign. As in CasADi itself,
    0*a = 0 and a-a = 0 hold whatever a is.
    """

    def __init__(self) -> None:
        self.operations: list[tuple[str, int, int]] = []
        self.constants: list[float] = []
        self._number: dict[tuple[str, int, int], int] = {}
        self._known: dict[int, float] = {}
        self._by_bits: dict[bytes, int] = {}
        special: dict[str, Callable[[int], int]] = {
            "neg": self.neg,
            "sin": self.sin,
            "cos": self.cos,
            "tan": self.tan,
            "fabs": self.fabs,
            "square": lambda a: self.mul(a, a),
            "twice": lambda a: self.mul(self.constant(2.0), a),
            "inverse": lambda a: self.div(self.constant(1.0), a),
            "assign": lambda a: a,
        }
        self.unary: dict[str, Callable[[int], int]] = {op: self._plain_unary(op) for op in UNARY} | special
        self.binary: dict[str, Callable[[int, int], int]] = {op: self._plain_binary(op) for op in BINARY} | {
            "add": self.add,
            "sub": self.sub,
            "mul": self.mul,
            "div": self.div,
            "pow": self.pow,
            "if_else_zero": self.if_else_zero,
            "first": lambda a, _: a,
        }

    def leaf(self, symbol: str, place: int) -> int:
        """An input: t, x[place] or p[place]."""
        return self._push(symbol, place, -1)

    def constant(self, value: float) -> int:
        """A number, distinguished by its bits, so that -0.0 and nan are values like others."""
        bits = struct.pack("<d", value)
        v = self._by_bits.get(bits)
        if v is None:
            v = self._by_bits[bits] = self._push("const", len(self.constants), -1)
            self.constants.append(float(value))
            self._known[v] = float(value)
        return v

    def _push(self, op: str, a: int, b: int) -> int:
        key = (op, a, b)
        v = self._number.get(key)
        if v is None:
            v = self._number[key] = len(self.operations)
            self.operations.append(key)
        return v

    def _plain_unary(self, op: str) -> Callable[[int], int]:
        def number(a: int) -> int:
            if a in self._known:
                return self.constant(fold(op, self._known[a]))
            return self._push(op, a, -1)

        return number

    def _plain_binary(self, op: str) -> Callable[[int, int], int]:
        sort = op in _COMMUTATIVE

        def number(a: int, b: int) -> int:
            if a in self._known and b in self._known:
                return self.constant(fold(op, self._known[a], self._known[b]))
            return self._push(op, b, a) if sort and b < a else self._push(op, a, b)

        return number

    def _unsigned(self, a: int) -> tuple[int, bool]:
        """The value without its leading minus, and whether there was one; numbers are made positive."""
        op, inner, _ = self.operations[a]
        if op == "neg":
            return inner, True
        if op == "const" and self.constants[inner] < 0:
            return self.constant(-self.constants[inner]), True
        return a, False

    def neg(self, a: int) -> int:
        """-(-a) = a, -(a-b) = b-a."""
        op, first, second = self.operations[a]
        if op == "const":
            return self.constant(-self.constants[first])
        if op == "neg":
            return first
        if op == "sub":
            return self._push("sub", second, first)
        return self._push("neg", a, -1)

    def add(self, a: int, b: int) -> int:
        """a+0 = a, a+(-b) = a-b, (-a)+(-b) = -(a+b), a+a = 2a."""
        known = self._known
        if a in known:
            if b in known:
                return self.constant(known[a] + known[b])
            if known[a] == 0:
                return b
        elif b in known and known[b] == 0:
            return a
        if self.operations[b][0] == "neg":
            return self.sub(a, self.operations[b][1])
        if self.operations[a][0] == "neg":
            return self.sub(b, self.operations[a][1])
        if a == b:
            return self.mul(self.constant(2.0), a)
        return self._push("add", a, b) if a < b else self._push("add", b, a)

    def sub(self, a: int, b: int) -> int:
        """a-0 = a, 0-a = -a, a-(-b) = a+b, (-a)-b = -(a+b), a-a = 0; b-a known gives -(b-a)."""
        known = self._known
        if b in known:
            if a in known:
                return self.constant(known[a] - known[b])
            if known[b] == 0:
                return a
        elif a in known and known[a] == 0:
            return self.neg(b)
        if a == b:
            return self.constant(0.0)
        if self.operations[b][0] == "neg":
            return self.add(a, self.operations[b][1])
        if self.operations[a][0] == "neg":
            return self.neg(self.add(self.operations[a][1], b))
        mirrored = self._number.get(("sub", b, a))
        return self._push("sub", a, b) if mirrored is None else self._push("neg", mirrored, -1)

    def mul(self, a: int, b: int) -> int:
        """1*a = a, 0*a = 0, signs outwards."""
        known = self._known
        if a in known and b in known:
            return self.constant(known[a] * known[b])
        a, minus_a = self._unsigned(a)
        b, minus_b = self._unsigned(b)
        if a in known or b in known:
            number, other = (known[a], b) if a in known else (known[b], a)
            if number == 0:
                return self.constant(0.0)
            product = other if number == 1 else self._sorted_mul(a, b)
        else:
            product = self._sorted_mul(a, b)
        return product if minus_a == minus_b else self.neg(product)

    def _sorted_mul(self, a: int, b: int) -> int:
        return self._push("mul", a, b) if a < b else self._push("mul", b, a)

    def div(self, a: int, b: int) -> int:
        """a/1 = a, 0/a = 0, signs outwards; division by a power of two is the exact product."""
        known = self._known
        if a in known and b in known:
            return self.constant(fold("div", known[a], known[b]))
        if b in known and math.frexp(abs(known[b]))[0] == 0.5 and math.isfinite(1 / known[b]):
            return self.mul(a, self.constant(1 / known[b]))
        if a in known and known[a] == 0:
            return self.constant(0.0)
        a, minus_a = self._unsigned(a)
        b, minus_b = self._unsigned(b)
        quotient = self._push("div", a, b)
        return quotient if minus_a == minus_b else self.neg(quotient)

    def pow(self, a: int, b: int) -> int:
        """Powers with a small whole or half exponent become products (and a square root)."""
        exponent = self._known.get(b)
        if exponent is None or a in self._known:
            return self._plain_binary("pow")(a, b)
        if abs(exponent) <= _LARGEST_UNROLLED_POWER and exponent == int(exponent):
            power = self._whole_power(a, abs(int(exponent)))
            return power if exponent >= 0 else self.div(self.constant(1.0), power)
        if 0 < exponent <= _LARGEST_UNROLLED_POWER and 2 * exponent == int(2 * exponent):
            return self.mul(self._whole_power(a, int(exponent)), self.unary["sqrt"](a))
        return self._push("pow", a, b)

    def _whole_power(self, a: int, exponent: int) -> int:
        if exponent == 0:
            return self.constant(1.0)
        result, square = -1, a
        while True:
            if exponent & 1:
                result = square if result < 0 else self.mul(result, square)
            exponent >>= 1
            if not exponent:
                return result
            square = self.mul(square, square)

    def sin(self, a: int) -> int:
        """sin(-a) = -sin(a); shares its work with the cosine."""
        if a in self._known:
            return self.constant(math.sin(self._known[a]) if math.isfinite(self._known[a]) else math.nan)
        a, minus = self._unsigned(a)
        sine = self._sincos(a)[0]
        return self.neg(sine) if minus else sine

    def cos(self, a: int) -> int:
        """cos(-a) = cos(a); shares its work with the sine."""
        if a in self._known:
            return self.constant(math.cos(self._known[a]) if math.isfinite(self._known[a]) else math.nan)
        return self._sincos(self._unsigned(a)[0])[1]

    def _sincos(self, a: int) -> tuple[int, int]:
        # Both results stand right behind their common work, so that no split of the tape comes between.
        pair = self._push("sincos", a, -1)
        return self._push("sin", pair, -1), self._push("cos", pair, -1)

    def tan(self, a: int) -> int:
        """tan = sin/cos, from the shared pair."""
        if a in self._known:
            return self.constant(math.tan(self._known[a]) if math.isfinite(self._known[a]) else math.nan)
        return self.div(self.sin(a), self.cos(a))

    def fabs(self, a: int) -> int:
        """|-a| = |a|."""
        if a in self._known:
            return self.constant(abs(self._known[a]))
        return self._push("fabs", self._unsigned(a)[0], -1)

    def record(self, handle: int, arguments: Sequence[int]) -> int:
        """The record of a table to which arguments lead."""
        at = self._push("root", handle, -1)
        for argument in arguments:
            at = self._push("find", argument, at)
        return at

    def item(self, record: int, place: int) -> int:
        """A number of a record."""
        return self._push("item", record, self.constant(float(place)))

    def if_else_zero(self, condition: int, value: int) -> int:
        """A condition known at build time chooses at build time."""
        if condition in self._known:
            return value if self._known[condition] != 0 else self.constant(0.0)
        return self._push("if_else_zero", condition, value)
