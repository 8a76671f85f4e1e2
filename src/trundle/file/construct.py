"""Objects of a file by the name of their class and the sizes of its fields."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import final, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from trundle.errors import ModelError
from trundle.file.faults import near
from trundle.file.field import Named, Sizes
from trundle.file.tree import Path
from trundle.file.values import Values
from trundle.typing import ClassField, Kind, ModelPart, Raw

NAMED: TypeAdapter[dict[str, dict[str, Raw]]] = TypeAdapter(Named)
SIZES: TypeAdapter[dict[str, Raw]] = TypeAdapter(Sizes)
MOTION = ("t", "q", "u")  # time, coordinate, rate


@final
class Constructor:
    """Makes objects with the values of one file; invalid ones become a fault and None."""

    def __init__(self, values: Values) -> None:
        self.values, self.faults = values, values.faults

    def read(self, adapter: TypeAdapter[Raw], raw: Raw, path: Path, *kind: type[BaseModel]) -> ModelPart:
        """The content of the file at a path, validated; `kind` is the expected section, if it is one."""
        try:
            return adapter.validate_python(raw)
        except ValidationError as error:
            self.faults.add_validation(error, path, *kind)
            return None

    def one(
        self, raw: Raw, kinds: Mapping[str, Kind], what: str, path: Path, of_signals: bool = False
    ) -> tuple[ModelPart, ModelPart] | None:
        """An object of one of these classes: with symbols, and with the values of the parameters. `of_signals`: its
        sizes may be functions of the signals.
        """
        named = self.read(NAMED, raw, path)
        if named is None:
            return None
        ((name, sizes),) = named.items()
        kind = kinds.get(name)
        if kind is None:
            self.faults.add(path, f"there is no {what} called {name!r}. {near(name, list(kinds))}")
            return None
        return self._made(kind, name, sizes, (*path, name), of_signals)

    def of_class(self, kind: Kind, name: str, raw: Raw, path: Path) -> ModelPart:
        """An object of this class from its sizes."""
        sizes = self.read(SIZES, raw, path)
        made = None if sizes is None else self._made(kind, name, sizes, path)
        return None if made is None else made[0]

    def _made(
        self, kind: Kind, name: str, sizes: Mapping[str, Raw], path: Path, of_signals: bool = False
    ) -> tuple[ModelPart, ModelPart] | None:
        known = {f.name: f for f in fields(kind)}
        plain = next(iter(known), "")  # field that a plain size belongs to
        before = len(self.faults.found)
        self._check_names(name, {field or plain for field in sizes}, known, path)
        symbols, numbers = {}, {}
        for field, size in sizes.items():
            if (field or plain) in known:
                at = (*path, field) if field else path
                symbols[field or plain], numbers[field or plain] = self.size(
                    known[field or plain], size, at, of_signals
                )
        if len(self.faults.found) > before:  # a name or a size could not be understood
            return None
        try:
            return kind(**symbols), kind(**numbers)
        except ModelError as error:
            self.faults.add(path, str(error))
            return None

    def _check_names(self, name: str, given: set[str], known: Mapping[str, ClassField], path: Path) -> None:
        takes = f"{name} takes {', '.join(known)}" if known else f"{name} has no sizes"
        for field in sorted(given):
            if not field:
                self.faults.add(path, f"{takes}; write the name alone")
            elif field not in known:
                hint = near(field, list(known)) if known else ""
                self.faults.add((*path, field), f"there is no field called {field!r} here; {takes}. {hint}".rstrip())
        missing = [f.name for f in known.values() if f.default is MISSING and f.name not in given]
        if missing:
            self.faults.add(path, f"{' and '.join(missing)} must be given; {takes}")

    def size(self, field: ClassField, size: Raw, path: Path, of_signals: bool = False) -> tuple[ModelPart, ModelPart]:
        """A size as a symbol and as a number, a flag, a word, or a function of the motion or of the signals. Fields of
        type float shape the equations and must be numbers.
        """
        variables = field.metadata.get("variables") or _variables(field.type)
        if field.type is bool or isinstance(size, bool):
            if field.type is not bool or not isinstance(size, bool):
                wanted = "true or false" if field.type is bool else "a number or an expression"
                self.faults.add(path, f"give {wanted}, not {size if isinstance(size, bool) else size.text}")
                size = False if field.type is bool else 1.0
            return size, size
        if field.type is str:  # a word
            return size.text, size.text
        if variables:
            function = self.values.of_motion(size, path, variables)
            return function, function
        if field.type is float:
            number = self.values.fixed(size, path)
            return number, number
        if of_signals and any(name not in self.values.scope.symbols for name in size.names):
            function = self.values.later_signal(size, path)
            return function, function
        return self.values.number(size, path), self.values.value(size, path)


def _variables(annotation: object) -> tuple[str, ...]:
    """Arguments of a function in a field; empty if the field does not accept functions."""
    for one in (annotation, *get_args(annotation)):
        if get_origin(one) is Callable:
            return MOTION[: len(get_args(one)[0])]
    return ()
