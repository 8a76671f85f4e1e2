"""Compile several functions to machine code together."""

from collections.abc import Mapping

import casadi as ca

from trundle.errors import KernelError
from trundle.kernel.cache import USER_CACHE, Bundle, ObjectCache
from trundle.kernel.codes import CODE
from trundle.kernel.fuse import fuse
from trundle.kernel.jit import Kernel, Shape, emit_object, host
from trundle.kernel.lower import lower
from trundle.kernel.read_tape import read_tape
from trundle.kernel.rows_call import SOLVE
from trundle.kernel.rows_node import load_solver
from trundle.kernel.tape import Tape


def compile_kernels(
    functions: Mapping[str, ca.Function], lanes: int = 1, cache: ObjectCache | None = USER_CACHE
) -> dict[str, Kernel]:
    """Compile functions of (t, x, p), or load them from the cache (None: no cache)."""
    return compile_tapes(read_tapes(functions), lanes, cache).load()


def read_tapes(functions: Mapping[str, ca.Function | Tape]) -> dict[str, Tape]:
    """Tapes of functions by name (tapes are returned as they are); KernelError if a function cannot be compiled."""
    for name in functions:
        if not name.isidentifier() or not name.isascii():
            raise KernelError(f"a kernel cannot be called {name!r}: use letters, digits and underscores.")
    return {name: f if isinstance(f, Tape) else read_tape(f) for name, f in functions.items()}


def compile_tapes(tapes: Mapping[str, Tape], lanes: int = 1, cache: ObjectCache | None = USER_CACHE) -> Bundle:
    """Compile tapes to a bundle, which can be loaded now and stored under a key of the caller."""
    if lanes not in (1, 2, 4, 8):
        raise KernelError(f"a kernel has 1, 2, 4 or 8 lanes, not {lanes}: see host_lanes() for this processor.")
    fused = {name: fuse(tape) for name, tape in tapes.items()}
    if any((tape.rows[:, 0] == CODE[SOLVE]).any() for tape in tapes.values()):
        load_solver()
    ir, work_sizes = lower(fused, lanes, host(), grouped=True)
    code = None if cache is None else cache.load_object(ir)
    if code is None:
        code = emit_object(ir)
        if cache is not None:
            cache.save_object(ir, code)
    shapes = [
        Shape(name, lanes, tape.n_x, tape.n_p, len(tape.outputs), work_sizes[name]) for name, tape in tapes.items()
    ]
    return Bundle(code, tuple(shapes))
