"""From a tape to LLVM IR: functions of bounded size that pass values on in the work array."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trundle.kernel.chunk_writer import ChunkWriter
from trundle.kernel.ir import LIBRARY, LIBRARY_TABLE
from trundle.kernel.pack import WIDEST, Unit, pack
from trundle.kernel.read_table import ROOT, definition
from trundle.kernel.rows_call import BUFFER_OPERATIONS, DEFINITION, SOLVE
from trundle.kernel.tape import LEAVES, PRODUCT, Tape, buffer_places, operands

CHUNK = 2000  # operations per function: compile time grows faster than linearly with the size of a function
_LARGE = 20_000  # operations from which on functions are smaller: compiled in 3/4 of the time, and 6 to 10 % faster
_FINE_CHUNK = 500
_GROUPED = range(1500, 40_000)
"""Lengths of tapes in which groups are searched for, if they use tables. Shorter code fits into the first-level cache
anyway; in a Jacobian of 67,000 operations the search takes as long as the compilation, for a gain of a tenth. Without
tables there is no gain: a vehicle of 9,070 operations took 14 s to search, and then 5.0 us instead of 4.5 per call."""
_WEIGHT = {"sincos": 30, "exp": 30, "tanh": 30}  # number of instructions of operations that need many


@dataclass(frozen=True)
class Target:
    """The processor for which code is generated."""

    triple: str
    cpu: str
    features: str

    @property
    def fuses(self) -> bool:
        """Whether the processor has a fused multiply-add instruction."""
        return "+fma," in self.features + "," or not self.triple.startswith(("x86", "i686"))


def symbol(name: str) -> str:
    """Name of a kernel in the object file."""
    return f"kernel.{name}"


def many_symbol(name: str) -> str:
    """Name of the loop over groups of lanes."""
    return f"many.{name}"


def lower(
    tapes: Mapping[str, Tape], lanes: int, target: Target, chunk: int | None = None, grouped: bool = False
) -> tuple[str, dict[str, int]]:
    """IR text of one module with all tapes, in functions of `chunk` operations (chosen by length if not given), and the
    size of the work array of each tape. `grouped`: equal operations of long tapes are combined to vector operations.
    """
    declarations: set[str] = set()
    bodies: list[str] = []
    work_sizes: dict[str, int] = {}
    widest = lanes
    for name, tape in tapes.items():
        size = chunk or (CHUNK if len(tape.operations) < _LARGE else _FINE_CHUNK)
        groups = grouped and lanes == 1 and target.fuses and _has_groups(tape)
        text, work_sizes[name] = _lower_tape(name, tape, lanes, target, size, groups, declarations)
        bodies += text
        widest = WIDEST if groups else widest
    used = {op for tape in tapes.values() for op, _, _ in tape.operations}
    if ROOT in used:
        bodies.append(definition(declarations))
    if SOLVE in used:
        bodies.append(DEFINITION)
    return module(target, widest, declarations, bodies), work_sizes


def module(target: Target, lanes: int, declarations: set[str], bodies: Sequence[str]) -> str:
    """IR text of a module of functions with vectors of this many lanes, and the table of addresses that they use."""
    width = 64 * lanes
    attributes = (
        f'attributes #0 = {{ nounwind "target-cpu"="{target.cpu}" "target-features"="{target.features}" '
        f'"prefer-vector-width"="{width}" "min-legal-vector-width"="{width}" }}\n'
    )
    header = (
        f'target triple = "{target.triple}"\n'
        f"@{LIBRARY_TABLE} = dso_local global [{len(LIBRARY) + 2} x ptr] zeroinitializer, align 8\n"
    )
    return "\n".join([header, *sorted(declarations), *bodies, attributes])


PARAMETERS = "ptr noalias %t, ptr noalias %x, ptr noalias %p, ptr noalias %out, ptr noalias %work"
ARGUMENTS = "ptr %t, ptr %x, ptr %p, ptr %out, ptr %work"


def _has_groups(tape: Tape) -> bool:
    """Whether it is worth searching for groups."""
    return len(tape.operations) in _GROUPED and any(op == ROOT for op, _, _ in tape.operations)


def _lower_tape(
    name: str, tape: Tape, lanes: int, target: Target, chunk: int, groups: bool, declarations: set[str]
) -> tuple[list[str], int]:
    done = LEAVES | {PRODUCT}
    units = pack(tape) if groups else [(v,) for v, (op, _, _) in enumerate(tape.operations) if op not in done]
    chunks = _split(tape, units, chunk)
    slots, work_size = _assign_slots(tape, chunks)
    buffers, work_size = buffer_places(tape, work_size)
    grouped = {v: unit for unit in units if len(unit) > 1 for v in unit}
    places: defaultdict[int, list[int]] = defaultdict(list)
    for place, v in enumerate(tape.outputs):
        places[v].append(place)
    texts, calls = [], []
    for k, part in enumerate(chunks):
        writer = ChunkWriter(tape, lanes, target.fuses, grouped, slots, buffers, places, declarations)
        writer.write(part, last=k == len(chunks) - 1)
        called = f'@"{symbol(name)}.{k}"'
        texts.append(_function(f"internal void {called}({PARAMETERS})", writer.block.lines))
        calls.append(f"call void {called}({ARGUMENTS})")
    texts.append(_function(f'dso_local void @"{symbol(name)}"({PARAMETERS})', calls))
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
        f'define dso_local void @"{many_symbol(name)}"(i64 %n, {PARAMETERS}) #0 {{\n'
        "entry:\n%some = icmp sgt i64 %n, 0\nbr i1 %some, label %loop, label %done\n"
        f"loop:\n%k = phi i64 [0, %entry], [%next, %loop]\n{moves}\n"
        f'call void @"{symbol(name)}"(ptr %t_k, ptr %x_k, ptr %p_k, ptr %out_k, ptr %work)\n'
        "%next = add i64 %k, 1\n%more = icmp slt i64 %next, %n\nbr i1 %more, label %loop, label %done\n"
        "done:\nret void\n}\n"
    )


def _split(tape: Tape, units: Sequence[Unit], chunk: int) -> list[list[Unit]]:
    """Units of each chunk; a sincos and its two results stay in one chunk."""
    chunks: list[list[Unit]] = [[]]
    weight = 0
    for unit in units:
        op = tape.operations[unit[0]][0]
        if weight >= chunk and op not in ("sin", "cos"):
            chunks.append([])
            weight = 0
        chunks[-1].append(unit)
        weight += _WEIGHT.get(op, 1)
    return chunks


def _assign_slots(tape: Tape, chunks: Sequence[Sequence[Unit]]) -> tuple[dict[int, int], int]:
    """Indices in the work array for values that are read in a later chunk, adjacent for a group; indices are reused
    after the last read.
    """
    home = {v: (k, unit) for k, part in enumerate(chunks) for unit in part for v in unit}
    last_reader: dict[Unit, int] = {}
    for k, part in enumerate(chunks):
        for unit in part:
            for v in unit:
                for operand in operands(tape.operations, v):
                    at, needed = home.get(operand, (k, unit))
                    if at < k and tape.operations[operand][0] not in BUFFER_OPERATIONS:
                        last_reader[needed] = k
    freed: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    free: defaultdict[int, list[int]] = defaultdict(list)
    slots: dict[int, int] = {}
    size = 0
    for k, part in enumerate(chunks):
        for unit in part:
            if unit in last_reader:
                width = len(unit)
                if free[width]:
                    first = free[width].pop()
                else:
                    first, size = size, size + width
                slots.update((v, first + lane) for lane, v in enumerate(unit))
                freed[last_reader[unit]].append((width, first))
        for width, first in freed.pop(k, []):
            free[width].append(first)
    return slots, size
