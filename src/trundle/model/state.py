"""User-defined states: variables with their own rate equation, such as a filter, a controller or a distance."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

from trundle.laws.signals import Signals
from trundle.quantity import Quantity
from trundle.typing import Expr


@final
@dataclass(frozen=True, eq=False)
class State:
    """A variable with a rate equation, integrated with the motion. Laws, forces, outputs, events and other rates use
    it by its name.
    """

    owner: str  # name of the force or block that keeps it; empty for a state of the model
    kind: str
    rate: Callable[[Signals], Expr]  # of the signals, per second
    start: float = 0.0
    unit: str = ""
    text: str = ""

    @property
    def name(self) -> str:
        """The long name, "owner.kind"."""
        return f"{self.owner}.{self.kind}" if self.owner else self.kind

    def quantities(self) -> Iterator[Quantity]:
        """The state, and its rate."""
        name, text = self.name, self.text or "state defined by the user"
        yield Quantity(
            self.owner, self.kind, self.unit, text, 1, lambda s: s.value(name), "state", "state",
            signal=True, start=True, changes=True,
        )  # fmt: skip
        yield Quantity(
            self.owner, f"{self.kind}_rate", rate_unit(self.unit), f"rate of {name}: {text}", 1,
            lambda e: e.signals.rate(name), "state rates", "state", order=1,
        )  # fmt: skip


def rate_unit(unit: str) -> str:
    """Unit of the time derivative of what has this unit."""
    stem, _, power = unit.partition("/s")
    if _ and power == "":
        return f"{stem}/s^2"
    if _ and power[:1] == "^" and power[1:].isdigit():
        return f"{stem}/s^{int(power[1:]) + 1}"
    return f"{unit or '1'}/s"
