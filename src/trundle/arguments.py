"""What a function or class does not have is answered with what was probably meant, and with what it has."""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from inspect import CO_VARKEYWORDS
from typing import Any, NamedTuple, NoReturn, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class _Signature(NamedTuple):
    """Names of the arguments, how many of them can be given without a name, how many must be given, and whether it
    takes others by name too.
    """

    names: tuple[str, ...]
    positional: int
    needed: int
    others: bool


def advised(values: str = "", **advice: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """For a method: `advice` says, for names of arguments that it does not have, what to write instead; `values`
    says how to give its values, where there are too many or too few.
    """

    def advise(function: Callable[P, R]) -> Callable[P, R]:
        signature = _signature(function)

        @wraps(function)
        def called(*args: P.args, **named: P.kwargs) -> R:
            _check(function.__name__, signature, len(args) - 1, named, advice, values)
            return function(*args, **named)

        return called

    return advise


def advised_class(values: str = "", **advice: str) -> Callable[[type[T]], type[T]]:
    """The same for a class, whose arguments are those of its `__init__`."""

    def advise(kind: type[T]) -> type[T]:
        made: Callable[..., None] = vars(kind)["__init__"]
        signature = _signature(made)

        @wraps(made)
        def init(self: T, *args: object, **named: object) -> None:
            _check(kind.__name__, signature, len(args), named, advice, values)
            made(self, *args, **named)

        setattr(kind, "__init__", init)  # noqa: B010  a checker does not let it be assigned
        return kind

    return advise


def unchangeable(refuse: Callable[[T, str, object], NoReturn]) -> Callable[[type[T]], type[T]]:
    """For a frozen dataclass: `refuse` answers who sets an attribute (object, name, value)."""

    def seal(kind: type[T]) -> type[T]:
        setattr(kind, "__setattr__", refuse)  # noqa: B010  a frozen dataclass lets none be written in its class
        return kind

    return seal


def unknown_attribute(of: object, name: str, advice: Mapping[str, str]) -> AttributeError:
    """The error for a name that an object does not have; `advice` says, for some names, where to find it."""
    kind = type(of)
    if name in advice:
        text = f"a {kind.__name__} has no {name!r}: {advice[name]}."
    else:
        near = get_close_matches(name, [n for n in dir(kind) if not n.startswith("_")], n=2)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        text = f"a {kind.__name__} has no attribute {name!r}.{hint}"
    return AttributeError(text, name=name, obj=of)


def unknown_name(module: str, name: str, known: Iterable[str], advice: Mapping[str, str], short: str) -> AttributeError:
    """The same for a module, which scripts call by a short name."""
    if name in advice:
        return AttributeError(f"module {module!r} has no {name!r}: {advice[name]}.", name=name)
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f" Did you mean {', '.join(f'{short}.{n}' for n in near)}?" if near else ""
    return AttributeError(f"module {module!r} has no attribute {name!r}.{hint}", name=name)


def _signature(function: Any) -> _Signature:
    code = function.__code__
    names: tuple[str, ...] = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    positional = code.co_argcount - 1  # without self
    others = bool(code.co_flags & CO_VARKEYWORDS)
    return _Signature(names[1:], positional, positional - len(function.__defaults__ or ()), others)


def _check(
    what: str, known: _Signature, count: int, given: Iterable[str], advice: Mapping[str, str], values: str
) -> None:
    takes = f"It takes {', '.join(known.names) or 'none'}{' and options' if known.others else ''}."
    for name in given:
        if name not in known.names and not known.others:
            near = get_close_matches(name, known.names, n=2)
            hint = advice.get(name) or (f"did you mean {' or '.join(near)}?" if near else "")
            text = f"{what} has no argument {name!r}{': ' if hint else ''}{hint}{'' if hint.endswith('?') else '.'}"
            raise TypeError(f"{text} {takes}")
    hint = f": {values}" if values else ""
    if count > known.positional:
        raise TypeError(f"{what} was given {count} values without a name{hint}. {takes}")
    missing = [name for name in known.names[count : known.needed] if name not in given]
    if missing:
        raise TypeError(f"{what} needs {' and '.join(missing)}{hint}. {takes}")
