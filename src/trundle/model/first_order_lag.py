"""A first-order lag: the output follows its input with a time constant."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

import casadi as ca

from trundle.errors import ModelError
from trundle.laws.law import check_numbers
from trundle.laws.signals import Signals
from trundle.model.block import Block, BlockOutput
from trundle.model.state import State
from trundle.typing import Expr


@final
@dataclass(frozen=True, eq=False)
class FirstOrderLag(Block):
    """output' = (gain input - output) / time_constant, of a sensor, an actuator or a filter.

    Parameters
    ----------
    input : function of the signals
        lambda s: s["bob.angle"].
    time_constant : float or expression
        In s.
    gain : float or expression
        Output over input in the end.
    start : float or expression
        Output at the start.
    unit : str
        Of the output.
    name : str
        Given by m.block.
    """

    input: Callable[[Signals], Expr]
    time_constant: Expr
    gain: Expr = 1.0
    start: float = 0.0
    unit: str = ""

    def __post_init__(self) -> None:
        if not callable(self.input):
            raise ModelError(f"the input of a FirstOrderLag is a function of signals, got {self.input!r}.")
        check_numbers("FirstOrderLag", time_constant=self.time_constant, gain=self.gain, start=self.start)
        if not isinstance(self.time_constant, ca.SX) and not float(self.time_constant) > 0:
            raise ModelError(f"the time constant of a FirstOrderLag must be positive (s), got {self.time_constant!r}.")

    def states(self) -> Iterator[State]:
        yield State(self.name, "output", self._rate, self.start, self.unit, f"output of the lag {self.name!r}")

    def outputs(self) -> Iterator[BlockOutput]:
        yield BlockOutput("input", self.input, "", "input")

    def _rate(self, s: Signals) -> Expr:
        return (self.gain * self.input(s) - self.value(s, "output")) / self.time_constant
