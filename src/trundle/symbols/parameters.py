"""Symbols of parameters, whose values may change from run to run, and expressions of them."""

import warnings
from collections.abc import Callable, Iterable
from functools import wraps
from typing import NoReturn, final

import casadi as ca
import numpy as np

from trundle.typing import Expr, Option

_NUMBERS = (int, float, complex, np.number, np.ndarray, ca.SX, ca.MX, ca.DM)
DEFAULTS = "m.parameter_values() has the default values."
REMEDY = (
    "Use tr.sin, tr.sqrt, ... in place of functions of math, and tr.where, tr.max, ... in place of `if` and max; "
    f"{DEFAULTS}"
)


class ParameterExpression(ca.SX):
    """A CasADi expression of parameters. It cannot be converted to a number or a truth value: CasADi itself would
    return NaN or raise an obscure error.

    Arithmetic with numbers and other parameters keeps the class; with other expressions, as inside laws, it gives
    plain expressions.
    """

    def __float__(self, *args: Expr) -> float:
        if self.is_constant():
            return float(ca.DM(self))
        raise TypeError(f"{self._what()} it has no float. {REMEDY}")

    def __int__(self, *args: Expr) -> int:
        return int(self.__float__())

    def __bool__(self, *args: Expr) -> bool:
        if self.is_constant():
            return bool(ca.DM(self))
        raise TypeError(f"{self._what()} it is neither true nor false. {REMEDY}")

    def __format__(self, form: str) -> str:
        if form and not self.is_constant():
            raise TypeError(f"{self._what()} it has no number to be written as {form!r}. {DEFAULTS}")
        return format(float(self), form) if form else str(self)

    def __setattr__(self, name: str, value: object) -> None:
        if name == "value":
            raise AttributeError(
                f"{self._what()} it has no value to be set. Each run takes its own, system.simulate(5.0, "
                "parameters={'k': 2.0}); the default is that of m.parameter."
            )
        super().__setattr__(name, value)

    @property
    def value(self) -> float:
        """Always raises an error, which says where the values are."""
        raise AttributeError(f"{self._what()} it has no value. {DEFAULTS}")

    def _what(self) -> str:
        text = self.str(True)
        short = text if len(text) < 60 else text[:57] + "..."
        return f"the expression {short!r} of parameters may change from run to run:"

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Expr, **named: Option) -> Expr:
        """np.sin(k) and np.float64(2) * k are tr.sin(k) and 2.0 * k, without the warning of CasADi."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"\s*casadi: a numpy function", FutureWarning)
            found = super().__array_ufunc__(ufunc, method, *inputs, **named)
        return _kept(found, inputs) if isinstance(found, ca.SX) and found.is_scalar() else found

    def __array_function__(
        self, function: Callable[..., Expr], types: Iterable[type], args: tuple[Expr, ...], named: dict[str, Option]
    ) -> Expr:
        """np.sum(k) and np.where(k > 0, ...) as for plain expressions, which CasADi recognises by their class."""
        plain = tuple(_plain(a) for a in args)
        if function in (np.any, np.all) and isinstance(plain[0], ca.SX):
            plain = (plain[0] != 0, *plain[1:])  # CasADi compares with 1
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"\s*casadi: a numpy function", FutureWarning)
            found = ca.SX(self).__array_function__(function, (ca.SX,), plain, named)
        return _kept(found, (self,)) if isinstance(found, ca.SX) and found.is_scalar() else found

    def __getstate__(self) -> NoReturn:
        raise TypeError(f"{self._what()} it cannot be pickled alone. Pickle its model, pickle.dumps(m).")

    __hash__ = ca.SX.__hash__


def _plain(value: Expr) -> Expr:
    """An argument of a NumPy function, with expressions of parameters converted to plain ones, also inside lists."""
    if isinstance(value, list | tuple):
        return type(value)(_plain(v) for v in value)
    return ca.SX(value) if isinstance(value, ParameterExpression) else value


def keeping(operation: Callable[..., Expr]) -> Callable[..., Expr]:
    """An operation whose result on parameters, with or without numbers, is a ParameterExpression again."""

    @wraps(operation)
    def operate(*args: Expr, **named: Option) -> Expr:
        text = next((a for a in args if isinstance(a, str)), None)
        if text is not None:
            raise TypeError(
                f"{operation.__name__.strip('_')} takes numbers and expressions, got the text {text!r}. Quantities are "
                f"used by name inside functions of the signals, such as lambda s: tr.sin(s['bob.angle'])."
            )
        try:
            found = operation(*args, **named)
        except (TypeError, NotImplementedError) as error:
            wrong = [a for a in args if not isinstance(a, _NUMBERS)]
            if not wrong:
                raise
            name = operation.__name__.strip("_")
            raise TypeError(f"{name} takes numbers, arrays of numpy and expressions, got {wrong[0]!r}.") from error
        if isinstance(found, ca.DM) and found.is_empty():  # CasADi takes what it does not know for an empty matrix
            wrong = [a for a in args if not isinstance(a, _NUMBERS)] or list(args)
            name = operation.__name__.strip("_")
            raise TypeError(f"{name} takes numbers, arrays of numpy and expressions, got {wrong[0]!r}.")
        return _kept(found, args)

    return operate


def _kept(found: Expr, args: tuple[Expr, ...]) -> Expr:
    """The result of an operation; a ParameterExpression if its arguments are numbers and expressions of parameters."""
    if type(found) is not ca.SX or not any(isinstance(a, ParameterExpression) for a in args):
        return found
    mixed = any(isinstance(a, ca.SX) and not isinstance(a, ParameterExpression) for a in args)
    return found if mixed else ParameterExpression(found)


def _operator_of_casadi(method: str) -> Callable[..., Expr]:
    def operator(*args: Expr) -> Expr:
        return getattr(ca.SX, method)(*args)  # looked up at each call, see quick_symbols

    operator.__name__ = method
    return operator


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    for _side in ("", "r"):
        setattr(ParameterExpression, f"__{_side}{_name}__", keeping(_operator_of_casadi(f"__{_side}{_name}__")))
for _name in ("neg", "abs", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(ParameterExpression, f"__{_name}__", keeping(_operator_of_casadi(f"__{_name}__")))


@final
class ParameterSymbol(ParameterExpression):
    """The symbol of one parameter."""

    def _what(self) -> str:
        return f"the parameter {self.name()!r} is a symbol whose value may change from run to run:"
