"""Make the LLVM bitcode of the time loops from Python with numba, in a separate process.

`python -m trundle.kernel.make_loops FOLDER` makes all of them when a wheel is built; without a folder it serves
requests "PART MODULE", one line each (see `loop_code`), for a source tree. The bitcode is made for a whole class of
processors; object code for a particular one is generated where it runs, except for the most common class of machines,
for which it is made here too (see `ready_code`).
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
    """Machine-independent bitcode with one external name, trundle.<part>."""
    from llvmlite import binding as llvm

    from trundle.kernel.link_once import linked_once

    function = getattr(import_module(home), part)
    with linked_once():
        function.compile((function.argument,))
    (found,) = function.overloads.values()
    lines = str(found.library.whole()).splitlines()
    text = "\n".join(line for line in lines if not line.startswith(("target triple", "target datalayout")))
    # Numba's calling convention: it returns a status; the first two pointers are for the result and errors.
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
    """Write all parts, and threaded code, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, home in all_parts():
        file, code = folder / file_name(part, home), bitcode(part, home)
        file.write_bytes(lzma.compress(code))
        place(file).write_bytes(make_ready_code(code))
        print(f"time loop {part}", flush=True)
    from trundle.kernel import threaded, trampolines

    place(folder / threaded.shipped_name(1)).write_bytes(make_ready_object(threaded.functions(1, READY)))
    place(folder / trampolines.shipped_name()).write_bytes(make_ready_object(trampolines.functions(READY)))
    print("threaded code", flush=True)


def serve() -> None:
    """Read requests from stdin; write the length of each part (eight bytes) and its bitcode to stdout."""
    out = sys.stdout.buffer
    for line in sys.stdin:
        code = bitcode(*line.split())
        out.write(len(code).to_bytes(8, "little") + code)
        out.flush()


if __name__ == "__main__":
    gc.disable()  # numba makes little garbage; searching for it would take a tenth of the time
    if len(sys.argv) > 1:
        make_all(Path(sys.argv[1]))
    else:
        serve()
