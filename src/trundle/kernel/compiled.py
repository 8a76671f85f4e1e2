"""Machine code of the time loops: compiled by numba once on a machine, afterwards loaded from the cache without it.

A part of the integrator is a function `void f(int64 *table)`. Numba's import takes longer than most runs, so its
result is kept as object code next to the kernels of the models, under a key of the part's module and of all modules
that it imports: editing another file compiles nothing again.
"""

import ast
import hashlib
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from threading import RLock
from typing import Any

from trundle.errors import KernelError
from trundle.kernel.cache import USER_CACHE

PARTS = {
    "advance": "integrate.loop",
    "advance_lanes": "integrate.lanes.loop",
    "collide_nearby": "contact.collision.single_collision",
    "collide_once": "contact.collision.single_collision",
    "correct_in_metric": "integrate.metric",
    "decide_modes": "integrate.decide_modes",
    "decide_once": "contact.decision.decide",
    "explicit_step": "integrate.methods.explicit_step",
    "find_bounded": "integrate.events.bounded",
    "find_event": "integrate.events.search",
    "fire": "integrate.events.fire",
    "next_break": "integrate.events.breaks",
    "prepare_dense": "integrate.dense",
    "project_sample": "integrate.projection",
    "pursue_rivals": "integrate.rivals",
    "rosenbrock_step": "integrate.methods.rosenbrock_step",
    "set_signs": "integrate.events.signs",
    "strike": "integrate.collision_step",
    "watch": "integrate.projection",
    "watch_guards": "integrate.guards",
}
"""Name of each part and the module that holds it."""

_PACKAGE = Path(__file__).parents[1]
_engines: list[Any] = []  # own the memory of the code
_one_by_one = RLock()


def address(part: str, module: str | None = None) -> int:
    """Where the machine code of a part stands in memory; a part of a domain folder comes with its module.

    One thread after the other: none compiles what another is compiling, and Python 3.11 parses in one thread only.
    """
    with _one_by_one:
        return _address(part, module)


@cache
def _address(part: str, module: str | None) -> int:
    home = module or f"trundle.{PARTS[part]}"
    key = f"loop {part} {_sources(home)} numba {version('numba')}"
    code = USER_CACHE.load_object(key)
    if code is None:
        code = _compile(part, home)
        USER_CACHE.save_object(key, code)
    return _load(part, code)


@cache
def _sources(module: str) -> str:
    """Digest of a module and of all modules of this package that it imports, directly or not."""
    found, digest = _imported(module), hashlib.sha256()
    for name in sorted(found):
        digest.update(f"{name} {len(found[name])} ".encode() + found[name])
    return digest.hexdigest()


def _imported(module: str) -> dict[str, bytes]:
    """Source texts of a module and of all modules of this package that it imports, directly or not."""
    found: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        file = _PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py")
        if name in found or not file.is_file():
            continue
        found[name] = file.read_bytes()
        for node in ast.walk(ast.parse(found[name])):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("trundle."):
                waiting += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                waiting += [alias.name for alias in node.names if alias.name.startswith("trundle.")]
    return found


def _compile(part: str, home: str) -> bytes:
    """Object code with one outside name, trundle.<part>."""
    from llvmlite import binding as llvm

    function = getattr(import_module(home), part)
    function.compile((function.argument,))
    (signature,) = function.signatures
    inner = function.overloads[signature].fndesc.mangled_name
    # Numba's own convention: a status comes back, results and error information go through the first two pointers.
    wrapper = f"""
define void @"trundle.{part}"(ptr %table) {{
  %result = alloca ptr
  %error = alloca ptr
  %status = call i32 @"{inner}"(ptr %result, ptr %error, ptr %table)
  ret void
}}
"""
    module = llvm.parse_assembly(function.inspect_llvm(signature) + wrapper)
    return bytes(_machine().emit_object(module))


def _load(part: str, code: bytes) -> int:
    from llvmlite import binding as llvm

    machine = _machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(f'target triple = "{machine.triple}"\n'), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    found = int(engine.get_function_address(f"trundle.{part}"))
    if not found:
        raise KernelError(
            f"the object code of the time loop {part!r} is not what it should be; clear the kernel cache."
        )
    _engines.append(engine)
    return found


def _machine() -> Any:
    from llvmlite import binding as llvm

    from trundle.kernel.jit import host

    target = host()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, jit=True
    )
