"""Machine code of functions that numba compiles: shipped for common machines, otherwise generated once from bitcode.

A part of the integrator, or of the code that makes kernels from tapes (`planning`), is a function `void f(int64
*table)`, written in Python for numba. Its LLVM bitcode is shipped with the package (see `loop_code`), so that numba is
needed only to build the package. Object code is cached next to the kernels of models, under a key of the part's module
and of all modules that it imports: editing other files does not invalidate it.
"""

from ctypes import CFUNCTYPE, c_void_p
from functools import cache
from threading import RLock

from trundle.errors import KernelError
from trundle.kernel.cache import USER_CACHE
from trundle.kernel.jit import host
from trundle.kernel.loop_code import loop_code, ready_loop
from trundle.kernel.record import Record
from trundle.messages.preparing import preparing
from trundle.typing import Untyped

PARTS = {
    "advance": "integrate.loop",
    "advance_lanes": "integrate.lanes.loop",
    "arrange_operations": "kernel.planning.arrange",
    "collide_nearby": "contact.collision.single_collision",
    "collide_once": "contact.collision.single_collision",
    "correct_in_metric": "integrate.metric",
    "decide_modes": "integrate.decide_modes",
    "decide_once": "contact.decision.decide",
    "difference_jacobian": "integrate.methods.difference_jacobian",
    "eliminate_vertices": "kernel.planning.eliminate",
    "explicit_step": "integrate.methods.explicit_step",
    "find_bounded": "integrate.events.bounded",
    "find_event": "integrate.events.search",
    "fire": "integrate.events.fire",
    "fuse_products": "kernel.planning.fuse",
    "next_break": "integrate.events.breaks",
    "number_values": "kernel.planning.number",
    "plan_steps": "kernel.planning.plan",
    "prepare_dense": "integrate.dense",
    "project_sample": "integrate.projection",
    "track_other_normals": "integrate.other_normals",
    "rosenbrock_step": "integrate.methods.rosenbrock_step",
    "set_signs": "integrate.events.signs",
    "solve_rows": "linear_algebra.solve_rows",
    "strike": "integrate.collision_step",
    "watch": "integrate.projection",
    "watch_guards": "integrate.guards",
    "watch_stiffness": "integrate.stiffness",
}
"""Name of each part and its module."""

_engines: list[Untyped] = []  # they own the memory of the code
_one_by_one = RLock()


def address(part: str, module: str | None = None) -> int:
    """Address of the machine code of a part; for a part of a domain folder its module must be given.

    Only one thread at a time, so that nothing is compiled twice.
    """
    with _one_by_one:
        return _address(part, module or f"trundle.{PARTS[part]}")


def call_part(part: str, record: Record) -> None:
    """Call a part with its record."""
    CFUNCTYPE(None, c_void_p)(address(part))(record.address)


@cache
def _address(part: str, home: str) -> int:
    code = ready_loop(part, home)
    if code is not None:
        return _load(part, code)
    key, bitcode = loop_code(part, home)
    code = USER_CACHE.load_object(key)
    if code is None:
        given = bitcode()
        with preparing(f"the time loop {part!r} for this processor, once"):
            code = _generate(part, given)
        USER_CACHE.save_object(key, code)
    return _load(part, code)


def _generate(part: str, bitcode: bytes) -> bytes:
    """Object code for this processor."""
    from llvmlite import binding as llvm

    machine = _machine()
    try:
        module = llvm.parse_bitcode(bitcode)
    except RuntimeError as error:
        raise KernelError(
            f"LLVM {'.'.join(map(str, llvm.llvm_version_info))} cannot read the time loop {part!r} "
            f"({' '.join(str(error).split())}). It was made with a newer one; update llvmlite."
        ) from error
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return bytes(machine.emit_object(module))


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


def _machine() -> Untyped:
    from llvmlite import binding as llvm

    target = host()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=3, jit=True
    )
