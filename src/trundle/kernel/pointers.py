"""Pointers in numba code: arrays and machine code that are known only by their address (a call costs about 1 ns)."""

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core.cgutils import raw_memmove
from numba.extending import intrinsic

# In compiled code an array is a pointer to its first element; to Python's type checker it can be anything.
Pointer = Any

real_pointer = types.CPointer(types.float64)
whole_pointer = types.CPointer(types.int64)
complex_pointer = types.CPointer(types.complex128)

# Every part of an integration has this signature: its argument is the table of addresses of `layout`.
part = njit(
    types.void(whole_pointer),
    error_model="numpy",
    fastmath={"contract"},
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)


def _cast(kind: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], bits.as_pointer())

    return kind(types.int64), codegen


@intrinsic
def reals(typingctx: Any, address: Any) -> Any:
    """The doubles at an address."""
    return _cast(real_pointer, ir.DoubleType())


@intrinsic
def wholes(typingctx: Any, address: Any) -> Any:
    """The 64-bit integers at an address."""
    return _cast(whole_pointer, ir.IntType(64))


@intrinsic
def complexes(typingctx: Any, address: Any) -> Any:
    """The complex numbers at an address."""
    return _cast(complex_pointer, ir.LiteralStructType([ir.DoubleType(), ir.DoubleType()]))


@intrinsic
def shifted(typingctx: Any, pointer: Any, count: Any) -> Any:
    """The pointer moved on by `count` elements."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), codegen


@intrinsic
def copy(typingctx: Any, source: Any, target: Any, count: Any) -> Any:
    """Copy `count` doubles; one memory move instead of a loop that the compiler would unroll at every place of use."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        raw_memmove(builder, args[1], args[0], args[2], 8)
        return context.get_dummy_value()

    return types.void(source, target, types.int64), codegen


@intrinsic
def call(typingctx: Any, address: Any, t: Any, x: Any, p: Any, out: Any, work: Any) -> Any:
    """Call the kernel `void f(t*, x*, p*, out*, work*)` at an int64 address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [ir.DoubleType().as_pointer()] * 5)
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
        return context.get_dummy_value()

    return types.void(types.int64, t, x, p, out, work), codegen


@intrinsic
def call_table(typingctx: Any, address: Any, table: Any) -> Any:
    """Call another compiled function of the integration with the same table of addresses."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64).as_pointer()])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])
        return context.get_dummy_value()

    return types.void(types.int64, table), codegen
