"""Records of named fields that Python and compiled code share: declared once, as the annotations of a class.

Every field has eight bytes: an `int`, a `float`, or the address of an array, `Ints` or `Floats`. Compiled code accesses
the fields as attributes (see `pointers.part_of`), addresses as arrays; for Python the record is a ctypes structure, in
which an address is a number.
"""

from ctypes import Structure, addressof, c_double, c_int64
from typing import ClassVar, Protocol, TypeVar


class Ints(Protocol):
    """An array of 64-bit integers, for compiled code a pointer to its first element."""

    def __getitem__(self, i: int, /) -> int: ...
    def __setitem__(self, i: int, value: int, /) -> None: ...


class Floats(Protocol):
    """An array of doubles, for compiled code a pointer to its first element."""

    def __getitem__(self, i: int, /) -> float: ...
    def __setitem__(self, i: int, value: float, /) -> None: ...


R = TypeVar("R", bound="Record")


class Record(Structure):
    """Base of records; subclasses are decorated with `@named_fields`, and their fields follow those of their base."""

    kinds: ClassVar[dict[str, object]] = {}
    """Types of the fields, in order."""

    @property
    def address(self) -> int:
        """Address of the record itself."""
        return addressof(self)


def named_fields(record: type[R]) -> type[R]:
    """Decorator: the annotations of the class become the fields of the record."""
    own = dict(vars(record).get("__annotations__", {}))
    record.kinds = {**record.kinds, **own}
    record._fields_ = [(name, c_double if kind is float else c_int64) for name, kind in own.items()]
    return record
