"""An input: a number that a run is given as a function of time, such as the torque of a motor or a set point."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn, final

import casadi as ca

from trundle.errors import ModelError
from trundle.model.definitions import Parameter
from trundle.model.table import ModelTable
from trundle.quantity import Quantity
from trundle.typing import Expr


@final
@dataclass(frozen=True, eq=False)
class Input:
    """What `m.input` returns: a function of time, or of the signals, for laws, forces, rates, outputs and events.

    Its value is the sum of a constant, which can be changed like a parameter, and a signal of time; one of the two is
    zero.
    """

    level: Parameter
    signal: ModelTable

    @property
    def name(self) -> str:
        return self.level.name

    def __repr__(self) -> str:
        return f"<Input {self.name!r}>"

    def __call__(self, at: object, *_: object) -> Expr:
        """The value at a time, or at that of the signals: u(t), u(s); a law may be given the input itself."""
        return self.level.symbol + self.signal(getattr(at, "t", at))

    def quantities(self) -> Iterator[Quantity]:
        """The input itself, as a signal and in results."""
        text = self.level.text or "input"
        yield Quantity(
            "", self.name, self.level.unit, text, 1, lambda s: ca.SX(self(s)), "inputs", "input", signal=True
        )

    def _refuse(self, *_: object) -> NoReturn:
        raise ModelError(
            f"the input {self.name!r} is a function of time, not a number: inside a law or force write "
            f"{self.name}(t), {self.name}(s) or s[{self.name!r}]. Use a parameter (m.parameter) for what does not "
            f"change during a run, such as a mass or a length."
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __pow__ = __rpow__ = __neg__ = __float__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse


def signal_name(name: str) -> str:
    """Name of the table that holds the signal of an input."""
    return f"{name}(t)"
