"""From a tape to LLVM IR: functions of bounded size that hand values on through the work array."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from trundle.kernel.elementary import exponential, hyperbolic_tangent, sincos
from trundle.kernel.ir import LIBRARY, LIBRARY_TABLE, Block
from trundle.kernel.read_table import FIND, ROOT, definition
from trundle.kernel.tape import LEAVES, Tape

CHUNK = 2000  # operations in one function: compile time grows faster than linearly with the size of a block
_LARGE = (
    20_000  # operations from which on a tape is cut finer: compiled in 3/4 of the time, and 6 to 10 % faster to run
)
_FINE_CHUNK = 500
QUICK_CHUNK = 200
"""For code that is generated without optimisation, which keeps every value on the stack: the quickest to run."""
_WEIGHT = {"sincos": 30, "exp": 30, "tanh": 30}  # instructions where an operation becomes many

_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_COMPARISON = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}
_INTRINSIC = {"sqrt": "sqrt", "fabs": "fabs", "floor": "floor", "ceil": "ceil", "copysign": "copysign"}
_INTRINSIC |= {"fmin": "minnum", "fmax": "maxnum"}
_OWN: dict[str, Callable[[Block, str], str]] = {"exp": exponential, "tanh": hyperbolic_tangent}


@dataclass(frozen=True)
class Target:
    """The processor the code is for."""

    triple: str
    cpu: str
    features: str

    @property
    def fuses(self) -> bool:
        """Whether a fused product and sum is one instruction."""
        return "+fma," in self.features + "," or not self.triple.startswith(("x86", "i686"))


def symbol(name: str) -> str:
    """Name of a kernel in the object file."""
    return f"kernel.{name}"


def many_symbol(name: str) -> str:
    """Name of the loop over groups of lanes."""
    return f"many.{name}"


def lower(
    tapes: Mapping[str, Tape], lanes: int, target: Target, chunk: int | None = None
) -> tuple[str, dict[str, int]]:
    """IR text of one module with all tapes, in functions of `chunk` operations (by their sizes unless given), and the
    size of the work array of each.
    """
    declarations: set[str] = set()
    bodies: list[str] = []
    work_sizes: dict[str, int] = {}
    for name, tape in tapes.items():
        size = chunk or (CHUNK if len(tape.operations) < _LARGE else _FINE_CHUNK)
        text, work_sizes[name] = _lower_tape(name, tape, lanes, target, size, declarations)
        bodies += text
    width = 64 * lanes
    attributes = (
        f'attributes #0 = {{ nounwind "target-cpu"="{target.cpu}" "target-features"="{target.features}" '
        f'"prefer-vector-width"="{width}" "min-legal-vector-width"="{width}" }}\n'
    )
    header = (
        f'target triple = "{target.triple}"\n'
        f"@{LIBRARY_TABLE} = dso_local global [{len(LIBRARY) + 1} x ptr] zeroinitializer, align 8\n"
    )
    if any(op == ROOT for tape in tapes.values() for op, _, _ in tape.operations):
        bodies.append(definition(declarations))
    return "\n".join([header, *sorted(declarations), *bodies, attributes]), work_sizes


_PARAMETERS = "ptr noalias %t, ptr noalias %x, ptr noalias %p, ptr noalias %out, ptr noalias %work"
_ARGUMENTS = "ptr %t, ptr %x, ptr %p, ptr %out, ptr %work"


def _lower_tape(
    name: str, tape: Tape, lanes: int, target: Target, chunk: int, declarations: set[str]
) -> tuple[list[str], int]:
    bounds = _split(tape, chunk)
    slots, work_size = _assign_slots(tape, bounds)
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, v in enumerate(tape.outputs):
        places[v].append(place)
    texts, calls = [], []
    for k in range(len(bounds) - 1):
        writer = _Writer(tape, lanes, target, slots, places, declarations)
        writer.write(bounds[k], bounds[k + 1], last=k == len(bounds) - 2)
        part = f'@"{symbol(name)}.{k}"'
        texts.append(_function(f"internal void {part}({_PARAMETERS})", writer.block.lines))
        calls.append(f"call void {part}({_ARGUMENTS})")
    texts.append(_function(f'dso_local void @"{symbol(name)}"({_PARAMETERS})', calls))
    texts.append(_driver(name, tape, lanes))
    return texts, work_size


def _function(head: str, lines: list[str]) -> str:
    return f"define {head} #0 {{\n" + "\n".join([*lines, "ret void"]) + "\n}\n"


def _driver(name: str, tape: Tape, lanes: int) -> str:
    """Loop over groups of lanes, so that Python calls once for many evaluations."""
    sizes = {"t": 1, "x": tape.n_x, "p": tape.n_p, "out": len(tape.outputs)}
    moves = "\n".join(
        f"%{array}_at = mul i64 %k, {size * lanes}\n%{array}_k = getelementptr double, ptr %{array}, i64 %{array}_at"
        for array, size in sizes.items()
    )
    return (
        f'define dso_local void @"{many_symbol(name)}"(i64 %n, {_PARAMETERS}) #0 {{\n'
        "entry:\n%some = icmp sgt i64 %n, 0\nbr i1 %some, label %loop, label %done\n"
        f"loop:\n%k = phi i64 [0, %entry], [%next, %loop]\n{moves}\n"
        f'call void @"{symbol(name)}"(ptr %t_k, ptr %x_k, ptr %p_k, ptr %out_k, ptr %work)\n'
        "%next = add i64 %k, 1\n%more = icmp slt i64 %next, %n\nbr i1 %more, label %loop, label %done\n"
        "done:\nret void\n}\n"
    )


def _split(tape: Tape, chunk: int) -> list[int]:
    """Bounds of the chunks; never between a sincos and its two results."""
    bounds, weight = [0], 0
    for v, (op, _, _) in enumerate(tape.operations):
        if weight >= chunk and op not in ("sin", "cos"):
            bounds.append(v)
            weight = 0
        weight += 0 if op in LEAVES else _WEIGHT.get(op, 1)
    return [*bounds, len(tape.operations)]


def _assign_slots(tape: Tape, bounds: list[int]) -> tuple[dict[int, int], int]:
    """Places in the work array for values read in a later chunk than their own; places are used again."""
    operations = tape.operations
    last_reader: dict[int, int] = {}
    for k in range(len(bounds) - 1):
        start = bounds[k]
        for op, a, b in operations[start : bounds[k + 1]]:
            if op not in LEAVES:
                if a < start and operations[a][0] not in LEAVES:
                    last_reader[a] = k
                if 0 <= b < start and operations[b][0] not in LEAVES:
                    last_reader[b] = k
    freed: defaultdict[int, list[int]] = defaultdict(list)
    free: list[int] = []
    slots: dict[int, int] = {}
    size = 0
    for k in range(len(bounds) - 1):
        for v in range(bounds[k], bounds[k + 1]):
            if v in last_reader:
                if free:
                    slots[v] = free.pop()
                else:
                    slots[v] = size
                    size += 1
                freed[last_reader[v]].append(slots[v])
        free += freed.pop(k, [])
    return slots, size


class _Writer:
    """Writes one chunk: operands from earlier chunks and inputs are loaded where they are first used."""

    def __init__(
        self,
        tape: Tape,
        lanes: int,
        target: Target,
        slots: dict[int, int],
        places: Mapping[int, list[int]],
        declarations: set[str],
    ) -> None:
        self.tape = tape
        self.target = target
        self.slots = slots
        self.places = places
        self.block = Block(lanes, declarations)
        self.names: dict[int, str] = {}
        self.truths: dict[int, str] = {}
        self.pairs: dict[int, tuple[str, str]] = {}
        self.pointers: dict[int, str] = {}
        self.rules: dict[str, Callable[[int, int], str]] = {
            "neg": lambda a, _: self.block.emit(f"fneg {self.block.real} {self.value(a)}"),
            "sin": lambda a, _: self.pairs[a][0],
            "cos": lambda a, _: self.pairs[a][1],
            "sign": self.sign,
            "if_else_zero": self.if_else_zero,
            ROOT: lambda a, _: self.block.own_function(ROOT, self.value(a)),
            FIND: lambda a, b: self.block.own_function(FIND, self.value(a), self.value(b)),
            "item": self.item,
        }

    def write(self, start: int, stop: int, last: bool) -> None:
        operations, slots, places = self.tape.operations, self.slots, self.places
        for v in range(start, stop):
            op, a, b = operations[v]
            if op in LEAVES:
                continue
            if op == "sincos":
                self.pairs[v] = self.sincos(a)
                continue
            self.names[v] = name = self.operation(v, op, a, b)
            if v in slots:
                self.store("work", slots[v], name)
            if v in places:
                for place in places[v]:
                    self.store("out", place, name)
        if last:
            for v, at in places.items():
                if operations[v][0] in LEAVES:
                    for place in at:
                        self.store("out", place, self.value(v))

    def operation(self, v: int, op: str, a: int, b: int) -> str:
        block = self.block
        if op in _ARITHMETIC:
            return block.binary(_ARITHMETIC[op], self.value(a), self.value(b))
        if op in self.rules:
            return self.rules[op](a, b)
        if op in _INTRINSIC:
            return block.intrinsic(_INTRINSIC[op], *self.operands(a, b))
        if op in _OWN and self.target.fuses:
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

    def sincos(self, a: int) -> tuple[str, str]:
        angle = self.value(a)
        if self.target.fuses:
            return sincos(self.block, angle)
        return self.block.library("sin", angle), self.block.library("cos", angle)

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
        if record not in self.pointers:
            self.pointers[record] = self.block.as_pointer(self.value(record))
        return self.block.load_from(self.pointers[record], int(self.tape.constants[self.tape.operations[place][1]]))

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
                name = self.load(op, a)
            else:
                name = self.load("work", self.slots[v])
            self.names[v] = name
        return name

    # Alignment of a double only: vector loads cost the same from aligned memory, and no caller can make them fail.

    def load(self, array: str, place: int) -> str:
        address = self.address(array, place)
        return self.block.emit(f"load {self.block.real}, ptr {address}, align 8")

    def store(self, array: str, place: int, name: str) -> None:
        address = self.address(array, place)
        self.block.lines.append(f"store {self.block.real} {name}, ptr {address}, align 8")

    def address(self, array: str, place: int) -> str:
        return self.block.emit(f"getelementptr {self.block.real}, ptr %{array}, i64 {place}")
