"""LLVM IR of a sequence of units of a tape: single operations, and groups computed together as vectors."""

from collections.abc import Mapping, Sequence
from typing import final

from trundle.kernel import operation
from trundle.kernel.ir import Block, bits
from trundle.kernel.pack import Unit
from trundle.kernel.rows_call import BUFFER_OPERATIONS, SOLVE, call_solver
from trundle.kernel.tape import LEAVES, Tape, operands


@final
class ChunkWriter:
    """Writes one chunk: operands from earlier chunks and inputs are loaded where they are first used.

    lanes: of the whole kernel (with several lanes there are no groups). fuses: whether the processor has fused
    multiply-add.
    """

    def __init__(
        self,
        tape: Tape,
        lanes: int,
        fuses: bool,
        groups: Mapping[int, Unit],
        slots: Mapping[int, int],
        buffers: Mapping[int, int],
        places: Mapping[int, list[int]],
        declarations: set[str],
    ) -> None:
        self.tape, self.fuses, self.groups, self.slots, self.places = tape, fuses, groups, slots, places
        self.buffers = buffers  # indices in the work array of the inputs and results of the solver for active rows
        self.block = Block(lanes, declarations)
        self.wide = {width: self.block.wider(width) for width in {len(unit) for unit in groups.values()}}
        self.names: dict[int, str] = {}
        self.vectors: dict[Unit, str] = {}
        self.truths: dict[int, str] = {}
        self.pairs: dict[Unit, tuple[str, str]] = {}
        self.pointers: dict[int, str] = {}

    def write(self, units: Sequence[Unit], last: bool) -> None:
        for unit in units:
            if len(unit) == 1:
                self.write_one(unit[0])
            else:
                self.write_group(unit)
        if last:
            for v, at in self.places.items():
                if self.tape.operations[v][0] in LEAVES:
                    self.store_output(v, at)

    def store_output(self, v: int, at: Sequence[int]) -> None:
        """Store a value at its indices among the outputs."""
        for place in at:
            self.store("out", place, self.block.real, self.value(v))

    # -- single operations ---------------------------------------------------------------------------------------------

    def write_one(self, v: int) -> None:
        op, a, b = self.tape.operations[v]
        if op == "sincos":
            self.pairs[v,] = operation.pair(self.block, self.fuses, self.value(a))
            return
        if op in BUFFER_OPERATIONS and not self.write_buffer(op, a, b):
            return
        self.names[v] = name = self.number(v, op, a, b)
        if v in self.slots:
            self.store("work", self.slots[v], self.block.real, name)
        if v in self.places:
            self.store_output(v, self.places[v])

    def write_buffer(self, op: str, a: int, b: int) -> bool:
        """Write a number to a solver buffer, or call the solver on it; return whether the operation has a result."""
        if op == "put":
            self.store("work", self.buffers[b], self.block.real, self.value(a))
        elif op == SOLVE:
            begin, end = self.buffers[b], self.buffers[a]
            numbers, scratch = self.address("work", begin), self.address("work", end)
            size = self.whole(self.tape.operations[b][1]) - (end - begin)
            call_solver(self.block, numbers, scratch, str(8 * size))
        return op == "get"

    def number(self, v: int, op: str, a: int, b: int) -> str:
        """The result of an operation; a truth value used by another operation is not converted to a number first."""
        block = self.block
        if op in ("sin", "cos"):
            return self.part_of_pair(a, int(op == "cos"))
        if op == "item":
            return block.load_from(self.pointer(a), self.whole(b))
        if op == "get":
            return self.load("work", self.buffers[v], block.real)
        if op == "if_else_zero":
            return operation.choice(block, self.truth(a), self.value(b))
        if op in operation.LOGIC:
            self.truths[v] = operation.logic(block, op, self.truth(a), self.truth(b))
            return operation.as_number(block, self.truths[v])
        given = [self.value(i) for i in operands(self.tape.operations, v)]
        if op in operation.TRUTHS:
            self.truths[v] = operation.truth(block, op, *given)
            return operation.as_number(block, self.truths[v])
        return operation.number(block, self.fuses, op, *given)

    def part_of_pair(self, v: int, which: int) -> str:
        """Sine or cosine, from the operation that computes both."""
        unit = self.groups.get(v, (v,))
        name = self.pairs[unit][which]
        return name if len(unit) == 1 else self.lane(unit, v, name)

    def pointer(self, record: int) -> str:
        if record not in self.pointers:
            self.pointers[record] = self.block.as_pointer(self.value(record))
        return self.pointers[record]

    def whole(self, constant: int) -> int:
        """An integer constant of the tape."""
        return int(self.tape.constants[self.tape.operations[constant][1]])

    def truth(self, v: int) -> str:
        if v not in self.truths:
            self.truths[v] = operation.is_true(self.block, self.value(v))
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
                name = self.load("work", self.buffers[v] if op == "get" else self.slots[v], self.block.real)
            self.names[v] = name
        return name

    # -- groups --------------------------------------------------------------------------------------------------------

    def write_group(self, unit: Unit) -> None:
        block = self.wide[len(unit)]
        op, a, b = self.tape.operations[unit[0]]
        if op == "sincos":
            self.pairs[unit] = operation.pair(block, self.fuses, *self.operands(unit))
            return
        if op == "item":
            at = block.emit(f"getelementptr double, ptr {self.pointer(a)}, i64 {self.whole(b)}")
            name = block.emit(f"load {block.real}, ptr {at}, align 8")
        elif op in ("sin", "cos"):
            name = self.pairs[tuple(self.tape.operations[v][1] for v in unit)][int(op == "cos")]
        else:
            name = operation.number(block, self.fuses, op, *self.operands(unit))
        self.vectors[unit] = name
        if unit[0] in self.slots:
            self.store("work", self.slots[unit[0]], block.real, name)
        for v in unit:
            if v in self.places:
                self.store_output(v, self.places[v])

    def operands(self, unit: Unit) -> list[str]:
        """Operands of a group as vectors."""
        found = []
        for wanted in zip(*(operands(self.tape.operations, v) for v in unit), strict=True):
            if wanted not in self.vectors:
                self.vectors[wanted] = self.gathered(wanted)
            found.append(self.vectors[wanted])
        return found

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

    # Aligned like doubles: vector loads are as fast if the memory is aligned, and cannot fail if it is not.

    def load(self, array: str, place: int, kind: str) -> str:
        address = self.address(array, place)
        return self.block.emit(f"load {kind}, ptr {address}, align 8")

    def store(self, array: str, place: int, kind: str, name: str) -> None:
        address = self.address(array, place)
        self.block.lines.append(f"store {kind} {name}, ptr {address}, align 8")

    def address(self, array: str, place: int) -> str:
        return self.block.emit(f"getelementptr {self.block.real}, ptr %{array}, i64 {place}")
