"""A time that records the values with which it is compared, so that breaks such as `if 2.0 <= t < 2.001` are found."""

import operator
from collections.abc import Callable
from typing import final

import numpy as np

from trundle.typing import Expr, Option

Plain = float | int | np.number  # operands whose result remains a watched time


@final
class WatchedTime(float):
    """A float with value = slope * t + constant near the time t. A comparison with a number records the time at which
    its result changes. All other arithmetic, and functions of math and NumPy, return plain floats.
    """

    t: float
    slope: float
    notes: set[float]

    def __new__(cls, value: float, t: float, slope: float, notes: set[float]) -> "WatchedTime":
        made = super().__new__(cls, value)
        made.t, made.slope, made.notes = t, slope, notes
        return made

    def like(self, value: float, slope: float) -> "WatchedTime":
        """Another value at the same time."""
        return WatchedTime(value, self.t, slope, self.notes)

    def note(self, other: float) -> None:
        """Record the time at which the comparison with a number changes."""
        if self.slope != 0.0:
            self.notes.add(self.t + (other - float(self)) / self.slope)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **named: Option) -> Expr:
        if method == "__call__" and ufunc in OPERATORS and len(inputs) == 2 and not named:
            first, second = (v if isinstance(v, WatchedTime) else _number(v) for v in inputs)
            if first is not None and second is not None:
                return OPERATORS[ufunc](first, second)
        return getattr(ufunc, method)(*[float(v) if isinstance(v, WatchedTime) else v for v in inputs], **named)

    def __mod__(self, period: Expr) -> Expr:
        if isinstance(period, WatchedTime) or not isinstance(period, Plain):
            return float(self) % period
        rest = float(self) % float(period)
        for end in (0.0, float(period)):  # where it jumps
            self.note(float(self) - rest + end)
        return self.like(rest, self.slope)

    def __neg__(self) -> "WatchedTime":
        return self.like(-float(self), -self.slope)

    def __abs__(self) -> "WatchedTime":
        self.note(0.0)
        return self.like(abs(float(self)), -self.slope if float(self) < 0 else self.slope)

    def __hash__(self) -> int:
        return hash(float(self))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, Plain) or (isinstance(value, np.ndarray) and value.ndim == 0) else None


def _arithmetic(operation: Callable[[float, float], float], slope: Callable[[float, float], float]) -> Expr:
    def operate(self: WatchedTime, other: Expr) -> Expr:
        if isinstance(other, WatchedTime) or not isinstance(other, Plain):
            return operation(float(self), other)
        return self.like(operation(float(self), float(other)), slope(self.slope, float(other)))

    return operate


def _comparison(operation: Callable[[float, float], bool]) -> Expr:
    def compare(self: WatchedTime, other: Expr) -> Expr:
        if isinstance(other, WatchedTime):
            if other.slope != self.slope:
                self.like(float(self) - float(other), self.slope - other.slope).note(0.0)
        elif isinstance(other, Plain):
            self.note(float(other))
        return operation(float(self), other)

    return compare


OPERATORS: dict[np.ufunc, Callable[[Expr, Expr], Expr]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul, np.divide: operator.truediv,
    np.remainder: operator.mod, np.less: operator.lt, np.less_equal: operator.le, np.greater: operator.gt,
    np.greater_equal: operator.ge, np.equal: operator.eq, np.not_equal: operator.ne,
}  # fmt: skip

for _name, _operation, _slope in (
    ("__add__", operator.add, lambda slope, other: slope),
    ("__radd__", lambda a, b: b + a, lambda slope, other: slope),
    ("__sub__", operator.sub, lambda slope, other: slope),
    ("__rsub__", lambda a, b: b - a, lambda slope, other: -slope),
    ("__mul__", operator.mul, lambda slope, other: slope * other),
    ("__rmul__", lambda a, b: b * a, lambda slope, other: slope * other),
    ("__truediv__", operator.truediv, lambda slope, other: slope / other),
):
    setattr(WatchedTime, _name, _arithmetic(_operation, _slope))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(WatchedTime, f"__{_name}__", _comparison(getattr(operator, _name)))
