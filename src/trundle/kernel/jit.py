"""From LLVM IR to object code, and from object code to functions in memory."""

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import KernelError
from trundle.kernel.ir import LIBRARY, LIBRARY_TABLE
from trundle.kernel.lower import Target, many_symbol, symbol
from trundle.kernel.memory import address_of, aligned
from trundle.kernel.rows_call import SOLVER
from trundle.lookup.memory import directory_address
from trundle.typing import Options, Untyped

if TYPE_CHECKING:
    from trundle.kernel.tiers import Threaded

_OPTIMISATION = 1  # of code generation: level 2 takes a third longer without faster code


@cache
def host() -> Target:
    """The processor this process runs on."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return Target(llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


def host_lanes() -> int:
    """Doubles in the widest vector register: 8 with AVX-512, 4 with AVX, else 2."""
    features = host().features.split(",")
    return 8 if "+avx512f" in features else 4 if "+avx" in features else 2


@dataclass(frozen=True)
class Shape:
    """Name, lanes and array sizes of a kernel."""

    name: str
    lanes: int
    n_x: int
    n_p: int
    n_out: int
    work_size: int


@dataclass(frozen=True)
class Kernel:
    """A compiled function void f(t, x, p, out, work) of pointers to doubles, at an address.

    With several lanes the lane is the last index of every array: x[n_x][lanes] and so on. `many_address` is a loop over
    groups of lanes, void f(int64 n, t, x, p, out, work). The arrays must not overlap; work belongs to one thread.
    """

    name: str
    address: int
    lanes: int
    n_x: int
    n_p: int
    n_out: int
    work_size: int
    many_address: int
    engine: Untyped = field(repr=False, compare=False)  # owns the memory of the code
    threaded: "Threaded | None" = field(default=None, repr=False, compare=False)
    """Its threaded code, if it began as such (see `tiers`)."""

    def compile_if_busy(self, coming: int) -> None:
        """Generate machine code if the kernel is in threaded code and will have been called often after `coming` more
        calls.
        """
        if self.threaded is not None:
            self.threaded.compile_if_busy(coming)

    @cached_property
    def function(self) -> Callable[..., None]:
        """The function for ctypes; the GIL is released during the call."""
        return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(self.address)

    @cached_property
    def many(self) -> Callable[..., None]:
        """The loop over groups for ctypes."""
        return ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 5)(self.many_address)

    def new_work(self) -> np.ndarray:
        """A work array; every thread needs its own."""
        return aligned(max(self.work_size, 1) * self.lanes)

    def __call__(self, t: ArrayLike, x: ArrayLike, p: ArrayLike = ()) -> np.ndarray:
        """Evaluate once: x (n_x,) gives (n_out,); with lanes, x (n_x, lanes), t (lanes,) and p (n_p, lanes)."""
        tail = () if self.lanes == 1 else (self.lanes,)
        given = [
            self._array("t", t, tail),
            self._array("x", x, (self.n_x, *tail)),
            self._array("p", p, (self.n_p, *tail)),
        ]
        out, work = np.empty((self.n_out, *tail)), self.new_work()
        self.function(*(address_of(a) for a in (*given, out, work)))
        return out

    def _array(self, argument: str, values: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
        array = np.asarray(values, dtype=float)
        if array.size == 0 and 0 in shape:
            array = array.reshape(shape)
        if argument == "t" and array.ndim == 0:
            array = np.broadcast_to(array, shape)
        if array.shape != shape:
            raise KernelError(
                f"kernel {self.name!r} ({self.lanes} lanes) was given {argument} of shape {array.shape}; "
                f"it takes {shape}."
            )
        return np.ascontiguousarray(array)


def emit_object(ir: str, target: Target | None = None) -> bytes:
    """Machine code of a module, as the bytes of an object file."""
    machine, module = _prepare(ir, target or host())
    return bytes(machine.emit_object(module))


def emit_assembly(ir: str, target: Target | None = None) -> str:
    """Machine code of a module as assembly text."""
    machine, module = _prepare(ir, target or host())
    return str(machine.emit_assembly(module))


def _prepare(ir: str, target: Target) -> tuple[Untyped, Untyped]:
    machine = _machine(target)
    try:
        module = llvm.parse_assembly(ir)
    except RuntimeError as error:
        raise KernelError(f"LLVM rejects the generated code, which is a bug in Trundle: {error}") from error
    module.data_layout = str(machine.target_data)
    return machine, module


def load_code(code: bytes) -> Untyped:
    """Load object code into memory; return the engine that owns it and has the addresses of its functions."""
    target = host()
    machine = _machine(target)
    empty = llvm.parse_assembly(f'target triple = "{target.triple}"\n')
    engine = llvm.create_mcjit_compiler(empty, machine, use_lmm=_is_near(target) or None)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    ctypes.memmove(engine.get_global_value_address(LIBRARY_TABLE), _library(), len(_library()))
    return engine


def load_kernels(code: bytes, shapes: Sequence[Shape]) -> dict[str, Kernel]:
    """Load object code into memory and return its kernels."""
    engine = load_code(code)
    kernels: dict[str, Kernel] = {}
    for s in shapes:
        address = engine.get_function_address(symbol(s.name))
        many = engine.get_function_address(many_symbol(s.name))
        if not address or not many:
            raise KernelError(f"the object code holds no kernel {s.name!r}: it was made for other functions.")
        kernels[s.name] = Kernel(s.name, address, s.lanes, s.n_x, s.n_p, s.n_out, s.work_size, many, engine)
    return kernels


def _is_near(target: Target) -> bool:
    """Whether code and constants are close together in memory and use short offsets (5 % faster).

    Only if no operation needs an external symbol, and for ELF, for which it was tested.
    """
    return sys.platform == "linux" and target.fuses


def code_options(target: Target) -> Options:
    """Options of code generation, on which object code depends."""
    memory = {"reloc": "pic", "codemodel": "small"} if _is_near(target) else {}
    return {"cpu": target.cpu, "features": target.features, "opt": _OPTIMISATION, "jit": True, **memory}


def _machine(target: Target) -> Untyped:
    host()  # initialises LLVM
    return llvm.Target.from_triple(target.triple).create_target_machine(**code_options(target))


@cache
def _library() -> bytes:
    """Addresses in this process of the functions of the C mathematics library, of the directory of tables, and of the
    variable that holds the address of the solver for active rows.
    """
    library = ctypes.CDLL("ucrtbase" if os.name == "nt" else None)
    addresses = [ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in LIBRARY]
    return bytes((ctypes.c_void_p * (len(LIBRARY) + 2))(*addresses, directory_address(), address_of(SOLVER)))
