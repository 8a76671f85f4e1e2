"""LLVM bitcode of the time loops, made from their Python by numba, in a process of its own.

`python -m trundle.kernel.make_loops FOLDER` makes all of them, as a wheel is built; without a folder it answers one
line "PART MODULE" after the other (see `loop_code`), which is how a source tree gets them. The names of the processor
are those of a whole class, so that the bitcode serves every machine: code for the one at hand is generated there, but
for the usual kind of machine, for which it is made here too (see `ready_code`).
"""

import ast
import gc
import lzma
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from trundle.kernel.loop_code import file_name
from trundle.kernel.loop_sources import PACKAGE
from trundle.kernel.ready_code import READY, make_ready_code, make_ready_object, place


def all_parts() -> Iterator[tuple[str, str]]:
    """Names and modules of all parts: the functions under `@part` and `@part_of(...)`."""
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "trundle.kernel.pointers import" not in text:
            continue
        home = ".".join(["trundle", *file.relative_to(PACKAGE).with_suffix("").parts])
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and any(map(_marks_part, node.decorator_list)):
                yield node.name, home


def _marks_part(decorator: ast.expr) -> bool:
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(name, ast.Name) and name.id in ("part", "part_of")


def bitcode(part: str, home: str) -> bytes:
    """Bitcode with one outside name, trundle.<part>, for no machine in particular."""
    from llvmlite import binding as llvm

    from trundle.kernel.link_once import linked_once

    function = getattr(import_module(home), part)
    with linked_once():
        function.compile((function.argument,))
    (found,) = function.overloads.values()
    lines = str(found.library.whole()).splitlines()
    text = "\n".join(line for line in lines if not line.startswith(("target triple", "target datalayout")))
    # Numba's own convention: a status comes back, results and error information go through the first two pointers.
    wrapper = f"""
define void @"trundle.{part}"(ptr %table) {{
  %result = alloca ptr
  %error = alloca ptr
  %status = call i32 @"{found.fndesc.mangled_name}"(ptr %result, ptr %error, ptr %table)
  ret void
}}
"""
    return bytes(llvm.parse_assembly(text + wrapper).as_bitcode())


def make_all(folder: Path) -> None:
    """All parts into a folder, and threaded code."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, home in all_parts():
        file, code = folder / file_name(part, home), bitcode(part, home)
        file.write_bytes(lzma.compress(code))
        place(file).write_bytes(make_ready_code(code))
        print(f"time loop {part}", flush=True)
    from trundle.kernel.threaded import functions, shipped_name

    place(folder / shipped_name(1)).write_bytes(make_ready_object(functions(1, READY)))
    print("threaded code", flush=True)


def answer() -> None:
    """One part after the other as they are asked for on stdin: its length in eight bytes and its bitcode on stdout."""
    out = sys.stdout.buffer
    for line in sys.stdin:
        code = bitcode(*line.split())
        out.write(len(code).to_bytes(8, "little") + code)
        out.flush()


if __name__ == "__main__":
    gc.disable()  # numba makes little garbage, and a tenth of the time would go into looking for it
    if len(sys.argv) > 1:
        make_all(Path(sys.argv[1]))
    else:
        answer()
