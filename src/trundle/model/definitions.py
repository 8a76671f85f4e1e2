"""What the user defines by name beside bodies, connections and forces: parameters, outputs, events."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn, final

import casadi as ca

from trundle.laws.signals import Signals
from trundle.quantity import Quantity
from trundle.typing import Expr


@final
@dataclass(frozen=True, eq=False)
class Parameter:
    """A number that can be changed without compiling again."""

    name: str
    symbol: Expr
    value: float
    unit: str
    text: str

    __array_ufunc__ = None  # arrays leave operations to the methods below

    def _refuse(self, other: object = None) -> NoReturn:
        raise TypeError(
            f"m.parameters[{self.name!r}] is the declaration of a parameter. Calculate with its symbol, "
            f"m.parameters[{self.name!r}].symbol, which m.parameter(...) has returned."
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __pow__ = __rpow__ = __neg__ = __lt__ = __gt__ = __le__ = __ge__ = __float__ = _refuse


@final
@dataclass(frozen=True, eq=False)
class Output:
    """A quantity defined by the user: an expression of the signals."""

    name: str
    function: Callable[[Signals], Expr]
    unit: str
    text: str

    def quantities(self) -> Iterator[Quantity]:
        """The output itself."""
        text = self.text or "quantity defined by the user"
        yield Quantity(
            "", self.name, self.unit, text, 1, lambda s: ca.SX(self.function(s.signals)), "outputs", "output"
        )


@final
@dataclass(frozen=True, eq=False)
class Event:
    """Zero crossing of an expression of the signals.

    direction -1 falling, +1 rising, 0 both; action "record", "stop", or assignments {speed, coordinate or parameter:
    s -> expression}. `keeps` says what stays where an action changes the velocity of a moving frame: the "absolute"
    velocities of the bodies, or those "relative" to the frame. A `limit` is never passed: a run that would begin beyond
    it is refused.
    """

    name: str
    function: Callable[[Signals], Expr]
    direction: int = 0
    action: str | Mapping[str, Callable[[Signals], Expr]] = "record"
    keeps: str = "absolute"
    limit: bool = False
