"""Threaded code: the operations of tapes as small functions in machine code, each of which jumps to the next.

A program is a list of steps with the addresses of these functions (see `program`). Its first step is called, and each
step ends with a tail call of the next, which is a jump. Nothing has to be generated for a new model: it runs at once,
slower than its own machine code but with bit-identical results.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from trundle.kernel import operation
from trundle.kernel.cache import USER_CACHE, Bundle
from trundle.kernel.interpret import BINARY
from trundle.kernel.ir import LIBRARY, Block
from trundle.kernel.jit import emit_object, host, load_code
from trundle.kernel.loop_sources import digest
from trundle.kernel.lower import PARAMETERS, Target, module
from trundle.kernel.program import END, OUTPUT, STEP
from trundle.kernel.read_table import FIND, ROOT, definition
from trundle.kernel.ready_code import SHIPPED, ready_code
from trundle.kernel.rows_call import DEFINITION, SOLVE, call_solver
from trundle.kernel.tape import SUMS
from trundle.typing import Untyped

_NUMBERS = (
    *operation.ARITHMETIC, *SUMS, *operation.INTRINSIC, *operation.TRUTHS, *operation.LOGIC, *LIBRARY, "neg", "sign",
    "if_else_zero", ROOT, FIND,
)  # fmt: skip
_REPEATED = (*operation.ARITHMETIC, *SUMS, "neg", OUTPUT)
"""Operations of which many follow each other in a program: for these there are also functions that do AT_ONCE steps,
which saves a jump for each of the others."""
AT_ONCE = 4
_STEP = "ptr %step, ptr %places, ptr %out"
_PLACES = {name: place for name, (_, place, *_) in (STEP.fields or {}).items()}
"""Offsets of the fields of a step (bytes)."""

SELF = ("code", "start", "calls", "steps", "constants", "n_constants", "n_x", "n_p", "n_out", "lanes")
"""The words (64 bits each) of a kernel in threaded code: address of its machine code (0 if there is none yet), the
function that starts the steps, the number of calls, the first step, the constants, sizes in doubles."""


@dataclass(frozen=True)
class ThreadedCode:
    """Addresses of the functions in memory."""

    start: int
    steps: dict[str, int]
    several: dict[str, int]  # of AT_ONCE steps
    engine: Untyped  # owns the memory of the code


@cache
def threaded_code(lanes: int) -> ThreadedCode:
    """The functions for a number of lanes: for one lane they are shipped, others are generated once and cached."""
    code = ready_code(SHIPPED / shipped_name(lanes)) if SHIPPED.is_dir() else None
    engine = load_code(code or _kept(lanes))
    names = (*_NUMBERS, "sincos", "item", "put", SOLVE, OUTPUT, END)
    steps = {name: engine.get_function_address(f"step.{name}") for name in names}
    several = {name: engine.get_function_address(f"step.{name}.{AT_ONCE}") for name in _REPEATED}
    return ThreadedCode(engine.get_function_address("start"), steps, several, engine)


def _kept(lanes: int) -> bytes:
    key = f"threaded code {lanes} lanes"
    kept = USER_CACHE.load_bundle(key)
    if kept is None:
        kept = Bundle(emit_object(functions(lanes, host())), ())
        USER_CACHE.save_bundle(key, kept)
    return kept.code


def shipped_name(lanes: int) -> str:
    """Name under which the functions are shipped, with the digest of their sources (see `ready_code.place`)."""
    return f"threaded.{lanes}.{digest(__name__)[:20]}.bc.xz"


def functions(lanes: int, target: Target) -> str:
    """IR text of all functions."""
    declarations: set[str] = set()
    bodies = [_COPY, _start(lanes)]
    bodies += [_step(name, block) for name, block in _steps(lanes, target.fuses, declarations)]
    bodies += [_several(name, lanes, target.fuses, declarations) for name in _REPEATED]
    bodies += [
        f'define dso_local void @"step.{END}"({_STEP}) #0 {{\nret void\n}}\n',
        definition(declarations),
        DEFINITION,
    ]
    return module(target, lanes, declarations, bodies)


def _steps(lanes: int, fuses: bool, declarations: set[str]) -> Iterator[tuple[str, Block]]:
    for name in (*_NUMBERS, OUTPUT):
        block = Block(lanes, declarations)
        _one(block, fuses, name, 0)
        yield name, block
    block = Block(lanes, declarations)
    sine, cosine = operation.pair(block, fuses, _load(block, "a"))
    _store(block, "to", sine)
    _store(block, "c", cosine)
    yield "sincos", block
    block = Block(lanes, declarations)
    _store(block, "to", block.load_from(block.as_pointer(_load(block, "a")), _field(block, "b")))
    yield "item", block
    block = Block(lanes, declarations)
    _store(block, "to", _load(block, "a"))
    yield "put", block
    block = Block(lanes, declarations)
    begin, end, behind = (_field(block, name) for name in ("a", "b", "c"))
    numbers, scratch = (block.emit(f"getelementptr i8, ptr %places, i64 {at}") for at in (begin, end))
    size = block.emit(f"sdiv i64 {block.emit(f'sub i64 {behind}, {end}')}, {lanes}")
    call_solver(block, numbers, scratch, size)
    yield SOLVE, block


def _several(name: str, lanes: int, fuses: bool, declarations: set[str]) -> str:
    """The function of AT_ONCE steps that follow each other."""
    block = Block(lanes, declarations)
    for k in range(AT_ONCE):
        _one(block, fuses, name, k)
    return _step(f"{name}.{AT_ONCE}", block, AT_ONCE)


def _one(block: Block, fuses: bool, name: str, k: int) -> None:
    """The step that is k steps behind the present one: a number, or an output."""
    if name == OUTPUT:
        _store(block, "to", _load(block, "a", k), k, "out")
        return
    count = 3 if name in SUMS else 2 if name in BINARY or name == FIND else 1
    given = [_load(block, place, k) for place in ("a", "b", "c")[:count]]
    _store(block, "to", operation.number(block, fuses, name, *given), k)


def _step(name: str, block: Block, count: int = 1) -> str:
    """The function of a step, or of several, which ends with a call of the next."""
    block.lines += [
        f"%after = getelementptr i8, ptr %step, i64 {count * STEP.itemsize}",
        "%next = load ptr, ptr %after, align 8",
        "musttail call void %next(ptr %after, ptr %places, ptr %out)",
        "ret void",
    ]
    return f'define dso_local void @"step.{name}"({_STEP}) #0 {{\n' + "\n".join(block.lines) + "\n}\n"


def _field(block: Block, name: str, k: int = 0) -> str:
    """A field of the step, or of that k steps behind it."""
    at = block.emit(f"getelementptr i8, ptr %step, i64 {k * STEP.itemsize + _PLACES[name]}")
    return block.emit(f"sext i32 {block.emit(f'load i32, ptr {at}, align 4')} to i64")


def _load(block: Block, name: str, k: int = 0) -> str:
    at = block.emit(f"getelementptr i8, ptr %places, i64 {_field(block, name, k)}")
    return block.emit(f"load {block.real}, ptr {at}, align 8")


def _store(block: Block, name: str, value: str, k: int = 0, array: str = "places") -> None:
    at = block.emit(f"getelementptr i8, ptr %{array}, i64 {_field(block, name, k)}")
    block.lines.append(f"store {block.real} {value}, ptr {at}, align 8")


def _start(lanes: int) -> str:
    """Copies constants and inputs to their places, then calls the first step."""
    lines = []
    for name in ("calls", "steps", "constants", "n_constants", "n_x", "n_p"):
        kind = "ptr" if name in ("steps", "constants") else "i64"
        lines += [
            f"%at_{name} = getelementptr i64, ptr %self, i64 {SELF.index(name)}",
            f"%{name} = load {kind}, ptr %at_{name}, align 8",
        ]
    return (
        f"define dso_local void @start({PARAMETERS}, ptr %self) #0 {{\n" + "\n".join(lines) + "\n"
        "%more = add i64 %calls, 1\nstore i64 %more, ptr %at_calls, align 8\n"
        "%after_constants = call ptr @copy(ptr %work, ptr %constants, i64 %n_constants)\n"
        f"%after_t = call ptr @copy(ptr %after_constants, ptr %t, i64 {lanes})\n"
        "%after_x = call ptr @copy(ptr %after_t, ptr %x, i64 %n_x)\n"
        "%after_p = call ptr @copy(ptr %after_x, ptr %p, i64 %n_p)\n"
        "%first = load ptr, ptr %steps, align 8\n"
        "call void %first(ptr %steps, ptr %work, ptr %out)\nret void\n}\n"
    )


_COPY = """
define internal ptr @copy(ptr %to, ptr %from, i64 %n) #0 {
entry:
%some = icmp sgt i64 %n, 0
br i1 %some, label %loop, label %done
loop:
%k = phi i64 [0, %entry], [%next, %loop]
%at = getelementptr double, ptr %from, i64 %k
%into = getelementptr double, ptr %to, i64 %k
%value = load double, ptr %at, align 8
store double %value, ptr %into, align 8
%next = add i64 %k, 1
%more = icmp slt i64 %next, %n
br i1 %more, label %loop, label %done
done:
%end = getelementptr double, ptr %to, i64 %n
ret ptr %end
}
"""
