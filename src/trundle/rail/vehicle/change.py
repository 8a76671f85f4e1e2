"""A vehicle with some of its numbers changed."""

from dataclasses import fields, is_dataclass, replace
from typing import NamedTuple, TypeVar, final, get_type_hints

from trundle.errors import ModelError, UnknownNameError
from trundle.typing import Given, Kind, ModelPart, Values

T = TypeVar("T")


@final
class Slot(NamedTuple):
    """The value at a path inside a part, and its annotation."""

    value: Given
    kind: Kind  # its annotation


def slot(part: ModelPart, path: str) -> Slot:
    """The value at a path such as `bogie.axle_box.suspension.stiffness`; UnknownNameError if there is no such path."""
    found = Slot(part, type(part))
    for word in path.split("."):
        found = _slots(found.value, path)[word] if word in _slots(found.value, path) else _unknown(word, found, path)
    return found


def changed(part: T, changes: Values) -> T:
    """A vehicle, or a part of one, with other numbers or parts in its slots; all its checks are made again.

    Parameters
    ----------
    part : Vehicle, or any part of one
    changes : mapping
        From paths to values: `{"body.mass": 36e3, "secondary.spring.suspension.stiffness": (2e5, 2e5, 4e5)}`. Mounts
        are addressed by their names, vehicles of a train and parallel suspensions by their numbers, from 1.

    Returns
    -------
    A part of the same kind.
    """
    for path, value in changes.items():
        slot(part, path)
        part = _put(part, path.split("."), value)
    return part


def _put(part: ModelPart, words: list[str], value: Given) -> ModelPart:
    word, *inside = words
    new = _put(_slots(part, word)[word].value, inside, value) if inside else value
    if isinstance(part, tuple):
        return tuple(new if name == word else one.value for name, one in _slots(part, word).items())
    return replace(part, **{word: new})


def _slots(part: ModelPart, path: str) -> dict[str, Slot]:
    """Slots of a part by name: fields of a dataclass, entries of a tuple."""
    if isinstance(part, tuple) and not any(isinstance(one, float | int) for one in part):
        names = [getattr(one, "name", str(i)) for i, one in enumerate(part, start=1)]
        return {name: Slot(one, type(one)) for name, one in zip(names, part, strict=True)}
    if is_dataclass(part) and not isinstance(part, type):
        kinds = get_type_hints(type(part))
        return {field.name: Slot(getattr(part, field.name), kinds[field.name]) for field in fields(part) if field.init}
    raise ModelError(f"{path!r}: there are no parts inside {part!r}.")


def _unknown(word: str, inside: Slot, path: str) -> Slot:
    raise UnknownNameError(word, list(_slots(inside.value, path)), f"part of {type(inside.value).__name__}")
