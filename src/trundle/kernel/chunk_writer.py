"""LLVM IR of some units of a tape, one after the other: single operations, and groups that are done at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import final

from trundle.kernel.elementary import exponential, hyperbolic_tangent, sincos
from trundle.kernel.ir import LIBRARY, Block, bits
from trundle.kernel.pack import Unit
from trundle.kernel.read_table import FIND, ROOT
from trundle.kernel.tape import LEAVES, Tape

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARISON = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
_INTRINSIC = {"sqrt": "sqrt", "fabs": "fabs", "floor": "floor", "ceil": "ceil", "copysign": "copysign"}
_INTRINSIC |= {"fmin": "minnum", "fmax": "maxnum"}
_OWN: dict[str, Callable[[Block, str], str]] = {"exp": exponential, "tanh": hyperbolic_tangent}


@final
class ChunkWriter:
    """Writes one chunk: operands from earlier chunks and inputs are loaded where they are first used.

    lanes: of the whole kernel, which then has no groups. fuses: whether a fused product and sum is one instruction.
    """

    def __init__(
        self,
        tape: Tape,
        lanes: int,
        fuses: bool,
        groups: Mapping[int, Unit],
        slots: Mapping[int, int],
        places: Mapping[int, list[int]],
        declarations: set[str],
    ) -> None:
        self.tape, self.fuses, self.groups, self.slots, self.places = tape, fuses, groups, slots, places
        self.block = Block(lanes, declarations)
        self.wide = {width: self.block.wider(width) for width in {len(unit) for unit in groups.values()}}
        self.names: dict[int, str] = {}
        self.vectors: dict[Unit, str] = {}
        self.truths: dict[int, str] = {}
        self.pairs: dict[Unit, tuple[str, str]] = {}
        self.pointers: dict[int, str] = {}
        self.rules: dict[str, Callable[[int, int], str]] = {
            "neg": lambda a, _: self.block.emit(f"fneg {self.block.real} {self.value(a)}"),
            "sin": lambda a, _: self.part_of_pair(a, 0),
            "cos": lambda a, _: self.part_of_pair(a, 1),
            "sign": self.sign,
            "if_else_zero": self.if_else_zero,
            ROOT: lambda a, _: self.block.own_function(ROOT, self.value(a)),
            FIND: lambda a, b: self.block.own_function(FIND, self.value(a), self.value(b)),
            "item": self.item,
        }

    def write(self, units: Sequence[Unit], last: bool) -> None:
        for unit in units:
            if len(unit) == 1:
                self.write_one(unit[0])
            else:
                self.write_group(unit)
        if last:
            for v, at in self.places.items():
                if self.tape.operations[v][0] in LEAVES:
                    self.give(v, at)

    def give(self, v: int, at: Sequence[int]) -> None:
        """Store a value in its places among the outputs."""
        for place in at:
            self.store("out", place, self.block.real, self.value(v))

    # -- single operations ---------------------------------------------------------------------------------------------

    def write_one(self, v: int) -> None:
        op, a, b = self.tape.operations[v]
        if op == "sincos":
            self.pairs[v,] = self.sincos(self.block, self.value(a))
            return
        self.names[v] = name = self.operation(v, op, a, b)
        if v in self.slots:
            self.store("work", self.slots[v], self.block.real, name)
        if v in self.places:
            self.give(v, self.places[v])

    def operation(self, v: int, op: str, a: int, b: int) -> str:
        block = self.block
        if op in _ARITHMETIC:
            return block.binary(_ARITHMETIC[op], self.value(a), self.value(b))
        if op in self.rules:
            return self.rules[op](a, b)
        if op in _INTRINSIC:
            return block.intrinsic(_INTRINSIC[op], *self.operands(a, b))
        if op in _OWN and self.fuses:
            return _OWN[op](block, self.value(a))
        if op in LIBRARY:
            return block.library(op, *self.operands(a, b))
        if op in _COMPARISON:
            truth = block.compare(_COMPARISON[op], self.value(a), self.value(b))
        elif op == "not":
            truth = block.compare("oeq", self.value(a), block.number(0.0))
        else:
            truth = block.emit(f"{op} {block.truth} {self.truth(a)}, {self.truth(b)}")
        self.truths[v] = truth
        return block.choose(truth, block.number(1.0), block.number(0.0))

    def operands(self, a: int, b: int) -> list[str]:
        return [self.value(a)] if b < 0 else [self.value(a), self.value(b)]

    def sincos(self, block: Block, angle: str) -> tuple[str, str]:
        if self.fuses:
            return sincos(block, angle)
        return block.library("sin", angle), block.library("cos", angle)

    def part_of_pair(self, v: int, which: int) -> str:
        """Sine or cosine of a pair."""
        unit = self.groups.get(v, (v,))
        name = self.pairs[unit][which]
        return name if len(unit) == 1 else self.lane(unit, v, name)

    def sign(self, a: int, _: int) -> str:
        """Zero and nan are their own sign."""
        block, value, zero = self.block, self.value(a), self.block.number(0.0)
        up = block.choose(block.compare("ogt", value, zero), block.number(1.0), value)
        return block.choose(block.compare("olt", value, zero), block.number(-1.0), up)

    def if_else_zero(self, condition: int, value: int) -> str:
        """A choice, not a product: the branch not taken may be nan."""
        return self.block.choose(self.truth(condition), self.value(value), self.block.number(0.0))

    def item(self, record: int, place: int) -> str:
        """A number of a record, lane by lane."""
        return self.block.load_from(self.pointer(record), self.number(place))

    def pointer(self, record: int) -> str:
        if record not in self.pointers:
            self.pointers[record] = self.block.as_pointer(self.value(record))
        return self.pointers[record]

    def number(self, constant: int) -> int:
        """A constant of the tape that is a whole number."""
        return int(self.tape.constants[self.tape.operations[constant][1]])

    def truth(self, v: int) -> str:
        if v not in self.truths:
            self.truths[v] = self.block.compare("une", self.value(v), self.block.number(0.0))
        return self.truths[v]

    def value(self, v: int) -> str:
        name = self.names.get(v)
        if name is None:
            op, a, _ = self.tape.operations[v]
            if op == "const":
                name = self.block.number(self.tape.constants[a])
            elif op in LEAVES:
                name = self.load(op, a, self.block.real)
            elif self.groups.get(v) in self.vectors:
                name = self.lane(self.groups[v], v, self.vectors[self.groups[v]])
            else:
                name = self.load("work", self.slots[v], self.block.real)
            self.names[v] = name
        return name

    # -- groups --------------------------------------------------------------------------------------------------------

    def write_group(self, unit: Unit) -> None:
        block = self.wide[len(unit)]
        op, a, b = self.tape.operations[unit[0]]
        if op == "sincos":
            self.pairs[unit] = self.sincos(block, self.operand(unit, 1))
            return
        if op == "item":
            at = block.emit(f"getelementptr double, ptr {self.pointer(a)}, i64 {self.number(b)}")
            name = block.emit(f"load {block.real}, ptr {at}, align 8")
        elif op in ("sin", "cos"):
            name = self.pairs[tuple(self.tape.operations[v][1] for v in unit)][int(op == "cos")]
        elif op in _ARITHMETIC:
            name = block.binary(_ARITHMETIC[op], self.operand(unit, 1), self.operand(unit, 2))
        elif op == "neg":
            name = block.emit(f"fneg {block.real} {self.operand(unit, 1)}")
        elif op in _INTRINSIC:
            name = block.intrinsic(_INTRINSIC[op], *(self.operand(unit, i) for i in ((1,) if b < 0 else (1, 2))))
        else:
            name = _OWN[op](block, self.operand(unit, 1))
        self.vectors[unit] = name
        if unit[0] in self.slots:
            self.store("work", self.slots[unit[0]], block.real, name)
        for v in unit:
            if v in self.places:
                self.give(v, self.places[v])

    def operand(self, unit: Unit, which: int) -> str:
        """First or second operands of a group, in the lanes of a vector."""
        operations = (self.tape.operations[v] for v in unit)
        wanted = tuple(a if which == 1 else b for _, a, b in operations)
        name = self.vectors.get(wanted)
        if name is None:
            name = self.vectors[wanted] = self.gathered(wanted)
        return name

    def gathered(self, wanted: Unit) -> str:
        block, operations = self.wide[len(wanted)], self.tape.operations
        if self.groups.get(wanted[0]) == wanted:
            return self.load("work", self.slots[wanted[0]], block.real)
        if all(operations[v][0] == "const" for v in wanted):
            numbers = (f"double {bits(self.tape.constants[operations[v][1]])}" for v in wanted)
            return f"<{', '.join(numbers)}>"
        if len(set(wanted)) == 1:
            first = block.emit(f"insertelement {block.real} poison, double {self.value(wanted[0])}, i64 0")
            lanes = f"<{len(wanted)} x i32> zeroinitializer"
            return block.emit(f"shufflevector {block.real} {first}, {block.real} poison, {lanes}")
        name = "poison"
        for lane, v in enumerate(wanted):
            name = block.emit(f"insertelement {block.real} {name}, double {self.value(v)}, i64 {lane}")
        return name

    def lane(self, unit: Unit, v: int, vector: str) -> str:
        """The value of one operation of a group."""
        return self.block.emit(f"extractelement {self.wide[len(unit)].real} {vector}, i64 {unit.index(v)}")

    # Alignment of a double only: vector loads cost the same from aligned memory, and no caller can make them fail.

    def load(self, array: str, place: int, kind: str) -> str:
        address = self.address(array, place)
        return self.block.emit(f"load {kind}, ptr {address}, align 8")

    def store(self, array: str, place: int, kind: str, name: str) -> None:
        address = self.address(array, place)
        self.block.lines.append(f"store {kind} {name}, ptr {address}, align 8")

    def address(self, array: str, place: int) -> str:
        return self.block.emit(f"getelementptr {self.block.real}, ptr %{array}, i64 {place}")
