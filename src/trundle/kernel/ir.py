"""Writing LLVM IR over doubles or vectors of doubles: the same calls write the scalar and the SIMD form."""

import struct
from collections.abc import Sequence

# Functions of the C mathematics library. Code calls them through a table of addresses that is filled when the code is
# loaded, so that an object file has no external symbols and loads in the same way on every platform, in any process.
# The table ends with the address of the directory of tables (trundle.lookup) and the place of the address of the
# solver for active rows.
_EXPONENTIAL = ("exp", "log", "log1p", "expm1", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf")
_CIRCULAR = ("sin", "cos", "asin", "acos", "atan", "atan2")
LIBRARY = (*_EXPONENTIAL, *_CIRCULAR, "pow", "hypot", "fmod", "remainder")
LIBRARY_TABLE = "trundle.library"


def bits(value: float) -> str:
    """A double in LLVM's notation, exact to the last bit."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class Block:
    """Straight-line code under construction; every method appends lines and returns the name of its value."""

    def __init__(self, lanes: int, declarations: set[str]) -> None:
        self.lanes = lanes
        self.lines: list[str] = []
        self.declarations = declarations
        self.real = self.typed("double")
        self.integer = self.typed("i64")
        self.truth = self.typed("i1")
        self._count = 0
        self._prefix = "s"

    def wider(self, lanes: int) -> "Block":
        """A block with vectors of this width that appends to the lines of this one."""
        found = Block(lanes, self.declarations)
        found.lines, found._prefix = self.lines, f"v{lanes}."
        return found

    def typed(self, element: str) -> str:
        """The element type, or a vector of it."""
        return element if self.lanes == 1 else f"<{self.lanes} x {element}>"

    def emit(self, expression: str) -> str:
        """One instruction."""
        self._count += 1
        name = f"%{self._prefix}{self._count}"
        self.lines.append(f"{name} = {expression}")
        return name

    def number(self, value: float) -> str:
        """A constant in every lane."""
        return self._splat("double", bits(value))

    def whole(self, value: int) -> str:
        """An integer constant in every lane."""
        return self._splat("i64", str(value))

    def _splat(self, element: str, text: str) -> str:
        return text if self.lanes == 1 else f"<{', '.join([f'{element} {text}'] * self.lanes)}>"

    def binary(self, instruction: str, a: str, b: str) -> str:
        """fadd, fsub, fmul or fdiv; they must not be fused or rearranged."""
        return self.emit(f"{instruction} {self.real} {a}, {b}")

    def bitwise(self, instruction: str, a: str, b: str) -> str:
        """and, xor, shl, add on the bits."""
        return self.emit(f"{instruction} {self.integer} {a}, {b}")

    def compare(self, predicate: str, a: str, b: str) -> str:
        """Truth of a comparison of doubles."""
        return self.emit(f"fcmp {predicate} {self.real} {a}, {b}")

    def choose(self, condition: str, a: str, b: str) -> str:
        """a where the condition holds, otherwise b; the other value has no influence, even if it is NaN."""
        return self.emit(f"select {self.truth} {condition}, {self.real} {a}, {self.real} {b}")

    def intrinsic(self, name: str, *arguments: str) -> str:
        """A function for which the processor has an instruction, in all lanes at once."""
        suffix = "f64" if self.lanes == 1 else f"v{self.lanes}f64"
        types = ", ".join([self.real] * len(arguments))
        self.declarations.add(f"declare {self.real} @llvm.{name}.{suffix}({types})")
        given = ", ".join(f"{self.real} {a}" for a in arguments)
        return self.emit(f"call {self.real} @llvm.{name}.{suffix}({given})")

    def library(self, name: str, *arguments: str) -> str:
        """A function of the C mathematics library, lane by lane."""
        place = f"getelementptr (ptr, ptr @{LIBRARY_TABLE}, i64 {LIBRARY.index(name)})"
        function = self.emit(f"load ptr, ptr {place}, align 8")
        if self.lanes == 1:
            return self._call(function, arguments)
        result = "poison"
        for lane in range(self.lanes):
            value = self._call(function, [self.emit(f"extractelement {self.real} {a}, i32 {lane}") for a in arguments])
            result = self.emit(f"insertelement {self.real} {result}, double {value}, i32 {lane}")
        return result

    def own_function(self, name: str, *arguments: str) -> str:
        """A function of doubles that the module itself defines, lane by lane."""
        if self.lanes == 1:
            return self._call(f"@{name}", arguments)
        result = "poison"
        for lane in range(self.lanes):
            parts = [self.emit(f"extractelement {self.real} {a}, i32 {lane}") for a in arguments]
            result = self.emit(
                f"insertelement {self.real} {result}, double {self._call(f'@{name}', parts)}, i32 {lane}"
            )
        return result

    def as_pointer(self, address: str) -> str:
        """The pointer to an address that is stored as a double."""
        whole = self.emit(f"fptosi {self.real} {address} to {self.integer}")
        return self.emit(f"inttoptr {self.integer} {whole} to {self.typed('ptr')}")

    def load_from(self, pointer: str, place: int | str) -> str:
        """The double at an index from a pointer, in every lane."""
        if self.lanes == 1:
            at = self.emit(f"getelementptr double, ptr {pointer}, i64 {place}")
            return self.emit(f"load double, ptr {at}, align 8")
        result = "poison"
        for lane in range(self.lanes):
            start = self.emit(f"extractelement {self.typed('ptr')} {pointer}, i32 {lane}")
            at = self.emit(f"getelementptr double, ptr {start}, i64 {place}")
            value = self.emit(f"load double, ptr {at}, align 8")
            result = self.emit(f"insertelement {self.real} {result}, double {value}, i32 {lane}")
        return result

    def _call(self, function: str, arguments: Sequence[str]) -> str:
        return self.emit(f"call double {function}({', '.join(f'double {a}' for a in arguments)}) nounwind")

    def as_bits(self, a: str) -> str:
        """The bits of a double."""
        return self.emit(f"bitcast {self.real} {a} to {self.integer}")

    def as_real(self, a: str) -> str:
        """The double with these bits."""
        return self.emit(f"bitcast {self.integer} {a} to {self.real}")
