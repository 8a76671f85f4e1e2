"""What the user defines by name beside bodies, connections and forces: parameters, outputs, events."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from trundle.quantity import Quantity


@final
@dataclass(frozen=True, eq=False)
class Parameter:
    """A number that can be changed without compiling again."""

    name: str
    symbol: Any
    value: float
    unit: str
    text: str


@final
@dataclass(frozen=True, eq=False)
class Output:
    """A quantity defined by the user: an expression of the signals."""

    name: str
    function: Callable[[Any], Any]
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
    s -> expression}. `keeps` tells what stays where an action changes the velocity of a moving frame: the "absolute"
    velocities of the bodies, or those "relative" to the frame.
    """

    name: str
    function: Callable[[Any], Any]
    direction: int = 0
    action: str | Mapping[str, Callable[[Any], Any]] = "record"
    keeps: str = "absolute"
