"""Values of the fields of a file: numbers, expressions, vectors, axes, classes by name; with short forms."""

from collections.abc import Callable
from typing import Annotated, LiteralString

from pydantic import BaseModel, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from trundle.errors import FileError
from trundle.file.expression import Expression, constant, parse
from trundle.typing import Raw


def scalar(value: Raw) -> Expression:
    """A number, or a text that is read as an expression."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise refusal("give a number or an expression, not {got}", value)
    if isinstance(value, str):
        try:
            return parse(value)
        except FileError as error:
            raise PydanticCustomError("expression", "{text}", {"text": str(error)}) from error
    return constant(value)


def in_words(value: Raw) -> str:
    """A value of a file as a short text for messages."""
    kinds: dict[type, str] = {dict: "a mapping", list: "a list", type(None): "nothing"}
    return kinds.get(type(value), repr(value))


def refusal(text: LiteralString, value: Raw) -> PydanticCustomError:
    return PydanticCustomError("refused", text, {"got": in_words(value)})


def short(field: str) -> BeforeValidator:
    """Validator that accepts a plain value as a mapping with this one field."""
    return BeforeValidator(lambda value: value if isinstance(value, dict) or value is None else {field: value})


def numbered(value: Raw) -> Raw:
    """A list as a mapping from the number of the entry."""
    return dict(enumerate(value)) if isinstance(value, list) else value


def listed(value: Raw) -> Raw:
    """One entry as a list."""
    return [value] if isinstance(value, dict) else value


def _inertia(value: Raw) -> list[Raw]:
    """One moment, three moments, six numbers, or three rows of three."""
    if isinstance(value, list) and len(value) == 3 and all(isinstance(row, list) and len(row) == 3 for row in value):
        return [[scalar(v) for v in row] for row in value]
    if not isinstance(value, list):
        return [scalar(value)]
    if len(value) not in (3, 6) or any(isinstance(v, list | dict) for v in value):
        raise PydanticCustomError(
            "inertia", "give one moment, three moments, six numbers [xx, yy, zz, xy, xz, yz] or a 3x3 matrix"
        )
    return [scalar(v) for v in value]


def _about(value: Raw) -> Raw:
    """The word com or a point."""
    if value == "com":
        return value
    if not isinstance(value, list) or len(value) != 3:
        raise refusal("give the word com or a point [x, y, z], not {got}", value)
    return [scalar(v) for v in value]


def _axis(value: Raw) -> Raw:
    """A letter with or without a minus, or three numbers."""
    if value in ("x", "y", "z", "-x", "-y", "-z"):
        return value
    if not isinstance(value, list) or len(value) != 3:
        raise refusal("give x, y, z, -x, -y, -z or three numbers, not {got}", value)
    return [scalar(v) for v in value]


def _named(value: Raw) -> Raw:
    """A class by its name, with or without sizes: Plane, {Torus: {radius: 0.3, tube: 0.02}}, {Sphere: 0.1}."""
    if isinstance(value, str):
        return {value: {}}
    if not isinstance(value, dict) or len(value) != 1:
        raise refusal("give a name, or a name with its sizes such as {Sphere: 0.1}, not {got}", value)
    return value


def _sizes(value: Raw) -> Raw:
    """A plain size belongs to the first field, here called ''."""
    return value if isinstance(value, dict) else {} if value is None else {"": value}


def _size(value: Raw) -> Raw:
    """true or false, a number or an expression."""
    return value if isinstance(value, bool) else scalar(value)


def exactly_one(kinds: BaseModel, what: str) -> None:
    given = [name for name in type(kinds).model_fields if getattr(kinds, name) is not None]
    if len(given) != 1:
        choices = ", ".join(type(kinds).model_fields)
        found = " and ".join(given) or "none"
        words = {"what": what, "choices": choices, "found": found}
        raise PydanticCustomError("one", "give exactly one kind of {what} ({choices}); found {found}", words)


Scalar = Annotated[Expression, BeforeValidator(scalar)]
Vector = Annotated[list[Scalar], Field(min_length=3, max_length=3)]
Inertia = Annotated[Raw, BeforeValidator(_inertia)]
About = Annotated[Raw, BeforeValidator(_about)]
Axis = Annotated[Raw, BeforeValidator(_axis)]
Size = Annotated[Raw, BeforeValidator(_size)]
Sizes = Annotated[dict[str, Size], BeforeValidator(_sizes)]
Named = Annotated[dict[str, Sizes], BeforeValidator(_named)]
ZERO = constant(0.0)


def zeros(n: int) -> Callable[[], list[Expression]]:
    """Default of a vector."""
    return lambda: [ZERO] * n
