"""Pointers in numba code: arrays and machine code given by their address (a call costs about 1 ns)."""

from typing import Any as Untyped  # a module of its own would go into the keys of all loops

from llvmlite import ir
from numba import njit, types
from numba.core.cgutils import raw_memmove
from numba.core.imputils import lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, models, register_model

from trundle.kernel.record import Floats, Ints, Record

Pointer = Floats  # argument of compiled functions: doubles (in those of a collision also complex numbers)

real_pointer = types.CPointer(types.float64)
whole_pointer = types.CPointer(types.int64)
complex_pointer = types.CPointer(types.complex128)


class RecordType(types.Type):  # type: ignore[misc]
    """Pointer to a record; its fields are attributes."""

    def __init__(self, record: type[Record]) -> None:
        self.kinds = record.kinds
        self.places = {name: i for i, name in enumerate(record.kinds)}
        super().__init__(name=record.__name__)


@register_model(RecordType)
class _RecordModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Untyped, kind: Untyped) -> None:
        super().__init__(manager, kind, ir.IntType(64).as_pointer())


_TYPES: dict[Untyped, tuple[Untyped, Untyped]] = {
    int: (types.int64, ir.IntType(64)),
    float: (types.float64, ir.DoubleType()),
    Ints: (whole_pointer, ir.IntType(64).as_pointer()),
    Floats: (real_pointer, ir.DoubleType().as_pointer()),
}


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = RecordType

    def generic_resolve(self, record: RecordType, name: str) -> Untyped:
        return _TYPES[record.kinds[name]][0] if name in record.kinds else None


def _place(builder: Untyped, record: RecordType, pointer: Untyped, name: str) -> Untyped:
    slot = builder.gep(pointer, [ir.Constant(ir.IntType(64), record.places[name])])
    return builder.bitcast(slot, _TYPES[record.kinds[name]][1].as_pointer())


@lower_getattr_generic(RecordType)
def _read_field(context: Untyped, builder: Untyped, record: RecordType, pointer: Untyped, name: str) -> Untyped:
    return builder.load(_place(builder, record, pointer, name))


@lower_setattr_generic(RecordType)
def _write_field(context: Untyped, builder: Untyped, signature: Untyped, args: Untyped, name: str) -> None:
    builder.store(args[1], _place(builder, signature.args[0], args[0], name))


# Decorators of inner functions: arithmetic as in C, called by compiled code only. `strict` rounds every operation;
# `inner` allows fused multiply-add. Options that are not given are those of the first function that calls one.
strict = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, fastmath=False)
inner = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, fastmath={"contract"})
# A function that is inlined before compilation: rounding is as if it were written in its caller.
inlined = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, inline="always")


def _part(argument: Untyped) -> Untyped:
    """Decorator of a part with this type of argument; it is compiled when `compiled.address` first needs it."""

    def decorate(function: Untyped) -> Untyped:
        found = inner(function)
        found.argument = argument
        return found

    return decorate


# Decorator of a part that is called with a table of addresses.
part = _part(whole_pointer)


def part_of(record: type[Record]) -> Untyped:
    """Decorator of a part that is called with the address of a record."""
    return _part(RecordType(record))


def _cast(kind: Untyped, bits: Untyped) -> Untyped:
    def codegen(context: Untyped, builder: Untyped, signature: Untyped, args: Untyped) -> Untyped:
        return builder.inttoptr(args[0], bits.as_pointer())

    return kind(types.int64), codegen


@intrinsic
def float_ptr(typingctx: Untyped, address: Untyped) -> Untyped:
    """The doubles at an address."""
    return _cast(real_pointer, ir.DoubleType())


@intrinsic
def int_ptr(typingctx: Untyped, address: Untyped) -> Untyped:
    """The 64-bit integers at an address."""
    return _cast(whole_pointer, ir.IntType(64))


@intrinsic
def complex_ptr(typingctx: Untyped, address: Untyped) -> Untyped:
    """The complex numbers at an address."""
    return _cast(complex_pointer, ir.LiteralStructType([ir.DoubleType(), ir.DoubleType()]))


@intrinsic
def shifted(typingctx: Untyped, pointer: Untyped, count: Untyped) -> Untyped:
    """The pointer advanced by `count` elements."""

    def codegen(context: Untyped, builder: Untyped, signature: Untyped, args: Untyped) -> Untyped:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), codegen


@intrinsic
def copy(typingctx: Untyped, source: Untyped, target: Untyped, count: Untyped) -> Untyped:
    """Copy `count` doubles with one memory move, instead of a loop that the compiler would unroll at every use."""

    def codegen(context: Untyped, builder: Untyped, signature: Untyped, args: Untyped) -> Untyped:
        raw_memmove(builder, args[1], args[0], args[2], 8)
        return context.get_dummy_value()

    return types.void(source, target, types.int64), codegen


@intrinsic
def call(
    typingctx: Untyped, address: Untyped, t: Untyped, x: Untyped, p: Untyped, out: Untyped, work: Untyped
) -> Untyped:
    """Call the kernel `void f(t*, x*, p*, out*, work*)` at an int64 address."""

    def codegen(context: Untyped, builder: Untyped, signature: Untyped, args: Untyped) -> Untyped:
        kind = ir.FunctionType(ir.VoidType(), [ir.DoubleType().as_pointer()] * 5)
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
        return context.get_dummy_value()

    return types.void(types.int64, t, x, p, out, work), codegen


@intrinsic
def call_table(typingctx: Untyped, address: Untyped, table: Untyped) -> Untyped:
    """Call another compiled part, with the same table or record."""

    def codegen(context: Untyped, builder: Untyped, signature: Untyped, args: Untyped) -> Untyped:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64).as_pointer()])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])
        return context.get_dummy_value()

    return types.void(types.int64, table), codegen
