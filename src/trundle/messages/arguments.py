"""Helpful errors for wrong calls: they name the arguments that a function takes, and what was probably meant."""

import sys
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from difflib import get_close_matches
from enum import Enum
from functools import cache, wraps
from types import FunctionType
from typing import TYPE_CHECKING, NoReturn, ParamSpec, TypeVar, cast

from trundle.real_array import has_truth_values
from trundle.typing import Given, Kind

if TYPE_CHECKING:
    from inspect import Signature

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_PACKAGE = __name__.partition(".")[0]
_Cached: Kind = type(cache(lambda: None))  # a function under `cache`
BARE = (TypeError, ValueError, AttributeError, LookupError, NotImplementedError, AssertionError)
"""Errors of Python and of libraries that are replaced by an explanation where the arguments are wrong."""


def advised(values: str = "", called: str = "", /, **advice: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator of a method: errors of wrong calls explain what to write. `advice` maps names of arguments that the
    method does not take to what should be written instead ("*": all other names); `values` is shown if there are too
    many or too few values. `called` is the name under which users call the method, if that is not its own.
    """
    return lambda function: _explained(function, 1, called, values, advice)


def advised_function(values: str = "", **advice: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """`advised` for a function."""
    return lambda function: _explained(function, 0, "", values, advice)


def advised_class(values: str = "", **advice: str) -> Callable[[type[T]], type[T]]:
    """`advised` for a class, whose arguments are those of its `__init__`."""

    def advise(kind: type[T]) -> type[T]:
        _explain_constructor(kind, values, advice)
        return kind

    return advise


def explain_calls(kind: type[T]) -> type[T]:
    """Decorator of a public class: errors of wrong calls of it and of its public methods, and of unknown attributes,
    explain what to write.
    """
    for name, member in list(vars(kind).items()):
        if name.startswith("_"):
            continue
        if isinstance(member, classmethod | staticmethod):
            first = 1 if isinstance(member, classmethod) else 0
            setattr(kind, name, type(member)(_explained(member.__func__, first)))
        elif isinstance(member, _Method):
            member.function = _explained(member.function, 1)
        elif isinstance(member, FunctionType):
            setattr(kind, name, _explained(member, 1))
    _explain_constructor(kind)
    if not any("__getattr__" in vars(base) for base in kind.__mro__):
        setattr(kind, "__getattr__", _unknown_attribute)  # noqa: B010  a checker would take every name for an attribute
    return kind


def explain_calls_with(advice: Mapping[str, str]) -> Callable[[type[T]], type[T]]:
    """`explain_calls` with advice: it maps attributes that the class does not have to what should be used instead."""

    def answer(kind: type[T]) -> type[T]:
        def without(self: object, name: str) -> NoReturn:
            raise unknown_attribute(self, name, advice)

        setattr(kind, "__getattr__", without)  # noqa: B010  a checker would take every name for an attribute
        return explain_calls(kind)

    return answer


def explain_module_calls(
    namespace: MutableMapping[str, Given], names: Iterable[str], advice: Mapping[str, str] | None = None
) -> None:
    """Let errors of wrong calls of the public functions and classes of a module explain what to write; in a package
    those of unknown names too, for some of which `advice` has what to use instead.
    """
    if "__path__" in namespace and "__getattr__" not in namespace:
        package, known = str(namespace["__name__"]), list(names)

        def missing(name: str) -> NoReturn:
            raise unknown_name(package, name, known, advice or {}, package.rpartition(".")[2])

        namespace["__getattr__"] = missing
        namespace["__dir__"] = lambda: sorted(known)
    for name in names:
        found = namespace.get(name)
        if isinstance(found, type):
            _explain_constructor(found)
        elif isinstance(found, FunctionType | _Cached):
            explained = _EXPLAINED.setdefault(found, _explained(found, 0))  # one in all modules
            home = vars(sys.modules[found.__module__])
            if home.get(name) is found:
                home[name] = explained  # where pickle looks for it
            namespace[name] = explained


def method(call: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """For a method that users call as `call`, such as "m.build": an error explains `m.build.simulate` and
    `m.build["x"]`, where round brackets are missing.
    """

    def explain(function: Callable[P, R]) -> Callable[P, R]:
        return cast("Callable[P, R]", _Method(function, call))

    return explain


class _Method:
    """A method in its class."""

    def __init__(self, function: Callable[..., Given], call: str) -> None:
        self.function, self.call = function, call

    def __get__(self, of: object, kind: type | None = None) -> Callable[..., Given]:
        return self.function if of is None else _BoundMethod(self.function, of, self.call)


class _BoundMethod:
    """A method of one object."""

    def __init__(self, function: Callable[..., Given], of: object, call: str) -> None:
        self._function, self._of, self._call = function, of, call
        self.__doc__ = function.__doc__

    def __call__(self, *args: Given, **named: Given) -> Given:
        return self._function(self._of, *args, **named)

    def __getattr__(self, name: str) -> Given:
        if name.startswith("__"):
            return getattr(self._function.__get__(self._of), name)
        raise AttributeError(f"{self._call} is a method: write {self._call}(...).{name}, with brackets.", name=name)

    def __getitem__(self, key: object) -> NoReturn:
        raise TypeError(f"{self._call} is a method: write {self._call}({key!r}), with round brackets.")

    def __repr__(self) -> str:
        return f"<method {self._call} of {self._of!r}: call it, {self._call}(...)>"

    def __reduce__(self) -> tuple[object, ...]:
        return getattr, (self._of, self._function.__name__)

    @property
    def __signature__(self) -> "Signature":
        from inspect import signature

        return signature(self._function.__get__(self._of))


def unchangeable(refuse: Callable[[T, str, object], NoReturn]) -> Callable[[type[T]], type[T]]:
    """Decorator of a frozen dataclass: setting an attribute calls `refuse(object, name, value)`, which raises."""

    def seal(kind: type[T]) -> type[T]:
        setattr(kind, "__setattr__", refuse)  # noqa: B010  a frozen dataclass must not define it in its body
        return kind

    return seal


def unknown_attribute(of: object, name: str, advice: Mapping[str, str]) -> AttributeError:
    """The error for a name that an object does not have; `advice` says, for some names, where to find it."""
    from trundle.messages.refused_call import UNADVISED

    kind = type(of)
    if name in advice:
        text = f"a {kind.__name__} has no {name!r}: {advice[name]}."
    else:
        public = [n for n in dir(of) if not n.startswith("_")]
        near = get_close_matches(name, public, n=2)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"It has {', '.join(public)}."
        text = f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__} has no attribute {name!r}. {hint}"
    error = AttributeError(text, name=name, obj=of)
    setattr(error, UNADVISED, name not in advice)
    return error


def unknown_name(module: str, name: str, known: Iterable[str], advice: Mapping[str, str], short: str) -> AttributeError:
    """The error for a name that a module does not have; `short` is the name by which scripts import the module. Names
    such as `__wrapped__` are asked for by tools, of every object that they find: for them nothing near is sought.
    """
    if name in advice:
        return AttributeError(f"module {module!r} has no {name!r}: {advice[name]}.", name=name)
    near = [] if name.startswith("__") else get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f" Did you mean {', '.join(f'{short}.{n}' for n in near)}?" if near else ""
    return AttributeError(f"module {module!r} has no attribute {name!r}.{hint}", name=name)


def _explain_constructor(kind: type, values: str = "", advice: Mapping[str, str] | None = None) -> None:
    """Explain wrong calls of a class: of its `__init__`, or of the `__new__` of a named tuple."""
    name = "__new__" if isinstance(kind.__new__, FunctionType) else "__init__"
    made = getattr(kind, name)
    if made in _EXPLAINED:
        if name in vars(kind):
            return
        made = made.__wrapped__  # inherited: its explanations are those of another class
    if made is object.__init__ and vars(kind).get("__new__", object.__new__) is object.__new__:
        made = _no_arguments
    if not isinstance(made, FunctionType) or issubclass(kind, Enum | BaseException):
        return
    explained = _explained(made, 1, kind.__name__, values, advice)
    setattr(kind, name, staticmethod(explained) if name == "__new__" else explained)


def _by_user() -> bool:
    """Whether a decorated function was called from outside this package."""
    caller = sys._getframe(2)
    if caller.f_code is _BoundMethod.__call__.__code__ and caller.f_back is not None:
        caller = caller.f_back
    return str(caller.f_globals.get("__name__")).partition(".")[0] != _PACKAGE


def _unknown_attribute(self: object, name: str) -> NoReturn:
    raise AttributeError(name) if name.startswith("_") else unknown_attribute(self, name, {})


def _no_arguments(self: object) -> None:
    """For a class without arguments."""


def _explained(
    function: Callable[P, R], first: int, what: str = "", values: str = "", advice: Mapping[str, str] | None = None
) -> Callable[P, R]:
    """The function with explanations of wrong calls; users do not write its `first` arguments (self). The signature is
    inspected only if a call fails or contains truth values, so that correct calls cost little.
    """
    if function in _EXPLAINED:
        return function

    @wraps(function)
    def called(*args: P.args, **named: P.kwargs) -> R:
        if (has_truth_values(args) or (named and has_truth_values(named.values()))) and _by_user():
            from trundle.messages.refused_call import Call

            fault = Call(function, what or function.__name__, first, args, named, values).truth_value()
            if fault:
                from trundle.errors import TruthValueError

                raise TruthValueError(fault)
        try:
            return function(*args, **named)
        except BARE as error:
            from trundle.messages.refused_call import Call, is_own_error

            if is_own_error(error):
                raise
            call = Call(function, what or function.__name__, first, args, named, values)
            fault = call.unfit(error, advice or {})
            if fault:
                raise TypeError(fault) from None
            fault = call.wrong_value()
            if fault:
                raise TypeError(fault) from error
            raise

    _EXPLAINED[called] = called
    return called


_EXPLAINED: dict[Given, Given] = {}  # decorated functions, by themselves and by the functions that they replace
