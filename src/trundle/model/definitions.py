"""What the user defines by name beside bodies, connections and forces: parameters, outputs, events."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import final

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
