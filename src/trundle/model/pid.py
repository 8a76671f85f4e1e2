"""A PID controller: its output is the sum of gains times the error, its integral and its rate."""

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
class PID(Block):
    """output = kp error + ki (integral of the error) + kd (rate of the error).

    The rate is given by `rate`, where it is known (the rate of a coordinate); else it is that of the error behind a
    first-order lag of `filter_time`, (error - filtered_error) / filter_time. States: "name.integral" unless ki is 0,
    "name.filtered_error" where there is a filter. Signals: "name.error", "name.output".
    """

    error: Callable[[Signals], Expr]  # of the signals
    kp: Expr
    ki: Expr = 0.0  # 1/s
    kd: Expr = 0.0  # s
    rate: Callable[[Signals], Expr] | None = None  # of the error, of the signals
    filter_time: Expr = None  # s

    def __post_init__(self) -> None:
        for what, function in (("error", self.error), ("rate", self.rate)):
            if not callable(function) and not (what == "rate" and function is None):
                raise ModelError(f"the {what} of a PID is a function of signals, got {function!r}.")
        check_numbers("PID", kp=self.kp, ki=self.ki, kd=self.kd)
        if self.filter_time is not None:
            check_numbers("PID", filter_time=self.filter_time)
        if not _is_zero(self.kd) and (self.rate is None) == (self.filter_time is None):
            raise ModelError(
                "a PID with kd needs the rate of its error: give rate=lambda s: ... if it is known, otherwise "
                "filter_time=..., the time constant (s) of a lag from which the rate is computed."
            )
        if self.filter_time is not None and not isinstance(self.filter_time, ca.SX) and not self.filter_time > 0:
            raise ModelError(f"filter_time of a PID must be positive (s), got {self.filter_time!r}.")

    @property
    def _filters(self) -> bool:
        return not _is_zero(self.kd) and self.rate is None

    def states(self) -> Iterator[State]:
        if not _is_zero(self.ki):
            yield State(self.name, "integral", self.error, text=f"integral of the error of {self.name!r}")
        if self._filters:
            text = f"error of {self.name!r} behind the lag of its rate"
            yield State(self.name, "filtered_error", self._error_rate, text=text)

    def outputs(self) -> Iterator[BlockOutput]:
        yield BlockOutput("error", self.error, "", "error")
        yield BlockOutput("output", self._output, "", "output")

    def _error_rate(self, s: Signals) -> Expr:
        """Rate of the error: as given, or behind the filter."""
        if self.rate is not None:
            return self.rate(s)
        return (self.error(s) - self.value(s, "filtered_error")) / self.filter_time

    def _output(self, s: Signals) -> Expr:
        output = self.kp * self.error(s)
        if not _is_zero(self.ki):
            output += self.ki * self.value(s, "integral")
        return output if _is_zero(self.kd) else output + self.kd * self._error_rate(s)


def _is_zero(gain: Expr) -> bool:
    return not isinstance(gain, ca.SX) and float(gain) == 0.0
