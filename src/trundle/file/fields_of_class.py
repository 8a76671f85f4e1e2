"""Sections of a file that are generated from classes: from the names and types of their fields."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache
from typing import Annotated, ClassVar, Literal, final, get_args, get_origin

from pydantic import Field as Constraint
from pydantic import create_model

from trundle.errors import ModelError
from trundle.file.expression import Expression, constant
from trundle.file.field import Scalar, Vector, exactly_one
from trundle.file.place import PlaceField, Section
from trundle.file.tree import Path
from trundle.file.values import Values
from trundle.laws.law import EffortLaw
from trundle.model.body import Body, Frame
from trundle.model.force import COMPONENTS, Coordinate
from trundle.model.shape import AxisName, Point
from trundle.typing import ClassField, Expr, Kind, ModelPart, Options, Raw

Read = Callable[["Reading", Raw, Path], ModelPart]


def _nowhere(given: object, path: Path) -> ModelPart:
    raise TypeError(f"nothing of this kind is read at {path}")


@final
@dataclass(frozen=True)
class Reading:
    """Functions and names for reading the values of a part."""

    values: Values
    place: Callable[[Raw, Path], ModelPart] = _nowhere
    coordinate: Callable[[Raw, Path], ModelPart] = _nowhere
    law: Callable[[Raw, Path], ModelPart] = _nowhere
    signals: Collection[str] = ()  # names that expressions may use

    def of_signals(self, items: Sequence[Expression], path: Path) -> Callable[[Expr], list[Expr]]:
        """Several expressions as one function of the signals."""
        functions = [self.values.signal(one, (*path, i), self.signals) for i, one in enumerate(items)]
        return lambda s: [f(s) for f in functions]


@final
@dataclass(frozen=True)
class Written:
    """Form of a field in a file, as a type of pydantic, and the function that reads it."""

    form: Raw
    read: Read


WORD: Read = lambda reading, given, path: given  # noqa: E731
BY_TYPE: dict[object, Written] = {
    Body | Frame: Written(PlaceField, lambda reading, given, path: reading.place(given, path)),
    Coordinate: Written(str, lambda reading, given, path: reading.coordinate(given, path)),
    EffortLaw: Written(Raw, lambda reading, given, path: reading.law(given, path)),
    float: Written(Scalar, lambda reading, given, path: reading.values.value(given, path)),
    Point: Written(Vector, lambda reading, given, path: reading.values.point(given, path)),
    AxisName | Point: Written(AxisName, WORD),
    Expr: Written(Scalar, lambda reading, given, path: reading.values.number(given, path)),
}


def written(kind: Kind, field: ClassField) -> Written:
    """Form of this field of the class in a file."""
    if field.type in BY_TYPE:
        return BY_TYPE[field.type]
    if get_origin(field.type) is Literal:
        return Written(field.type, WORD)
    of_signals = any(get_origin(one) is Callable for one in get_args(field.type))
    if COMPONENTS in field.metadata:
        n = field.metadata[COMPONENTS]
        form = Annotated[list[Scalar], Constraint(min_length=n, max_length=n)]
        return Written(form, Reading.of_signals if of_signals else lambda r, given, path: r.values.vector(given, path))
    if of_signals:
        return Written(Scalar, lambda reading, given, path: reading.values.signal(given, path, reading.signals))
    raise ModelError(
        f"a model file cannot give a {kind.__name__}: its field {field.name!r} is neither an Expr, a float, a "
        "Body | Frame, a Coordinate, an EffortLaw, a Literal of words nor a function of the signals."
    )


def words_of(kind: Kind) -> dict[str, ClassField]:
    """The fields of a class that a file may have; keyword-only ones, such as the name of a force, are excluded."""
    return {f.name: f for f in fields(kind) if not f.kw_only}


def can_be_written(kind: Kind) -> bool:
    """Whether a file can give all fields of a class."""
    try:
        return all(written(kind, f) for f in words_of(kind).values())
    except ModelError:
        return False


@lru_cache
def section_of(kind: Kind) -> type[Section]:
    """The section in which a file gives an object of the class `kind`."""
    words: Options = {name: (written(kind, f).form, _default(f)) for name, f in words_of(kind).items()}
    return create_model(kind.__name__, __base__=Section, __doc__=kind.__doc__, **words)


class OneOf(Section):
    """Exactly one of several kinds of part."""

    what: ClassVar[str] = "part"

    def model_post_init(self, context: object) -> None:
        exactly_one(self, self.what)


def one_of(what: str, sections: Mapping[str, type[Section]]) -> type[OneOf]:
    """The section of a part that is of exactly one kind: {rod: {...}}, {box: {...}}."""
    words: Options = {word: (section | None, None) for word, section in sections.items()}
    kind = create_model(what.capitalize(), __base__=OneOf, __doc__=f"One {what}: {', '.join(words)}.", **words)
    kind.what = what
    return kind


def given_kind(part: OneOf) -> str:
    """The word of the kind that was given."""
    return next(word for word in type(part).model_fields if getattr(part, word) is not None)


def make(kind: Kind, given: Section, path: Path, reading: Reading) -> ModelPart:
    """An object of the class from its section; None when a part of it, such as a body, could not be understood."""
    read = {
        name: written(kind, f).read(reading, getattr(given, name), (*path, name)) for name, f in words_of(kind).items()
    }
    return None if any(value is None for value in read.values()) else kind(**read)


def _default(field: ClassField) -> ModelPart:
    """Default of a field; none if the field is required."""
    value = field.default
    if value is MISSING or isinstance(value, str):
        return ... if value is MISSING else value
    return [constant(v) for v in value] if isinstance(value, Sequence) else constant(value)
