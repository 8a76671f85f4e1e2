"""An argument that a function does not have is answered with what was probably meant, and with those it has."""

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def advised(**advice: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """For a function: `advice` says, for names of arguments that it does not have, what to write instead."""

    def advise(function: Callable[P, R]) -> Callable[P, R]:
        known = _names_of(function)

        @wraps(function)
        def called(*args: P.args, **named: P.kwargs) -> R:
            _check(function.__name__, known, named, advice)
            return function(*args, **named)

        return called

    return advise


def advised_class(**advice: str) -> Callable[[type[T]], type[T]]:
    """The same for a class, whose arguments are those of its `__init__`."""

    def advise(kind: type[T]) -> type[T]:
        made: Callable[..., None] = vars(kind)["__init__"]
        known = _names_of(made)

        @wraps(made)
        def init(self: T, *args: object, **named: object) -> None:
            _check(kind.__name__, known, named, advice)
            made(self, *args, **named)

        setattr(kind, "__init__", init)  # noqa: B010  a checker does not let it be assigned
        return kind

    return advise


def _names_of(function: Callable[..., object]) -> tuple[str, ...]:
    code = function.__code__
    names: tuple[str, ...] = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return names[1:]  # without self


def _check(what: str, known: tuple[str, ...], given: Iterable[str], advice: Mapping[str, str]) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=2)
            hint = advice.get(name) or (f"did you mean {' or '.join(near)}?" if near else "")
            text = f"{what} has no argument {name!r}{': ' if hint else ''}{hint}{'' if hint.endswith('?') else '.'}"
            raise TypeError(f"{text} It takes {', '.join(known) or 'none'}.")
