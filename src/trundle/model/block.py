"""Parts of a controller: blocks with states of their own and outputs that are signals."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self, final

import casadi as ca

from trundle.laws.signals import Signals
from trundle.model.state import State
from trundle.quantity import Quantity
from trundle.typing import Expr


@final
class BlockOutput(NamedTuple):
    """Output of a block: an expression of the signals, itself a signal."""

    kind: str
    function: Callable[[Signals], Expr]
    unit: str = ""
    text: str = ""


@dataclass(frozen=True, eq=False)
class Block:
    """An element of a controller: it has states and outputs, which forces, laws and other blocks use as
    "block.output". Subclasses are final and give `states` or `outputs` or both. Its `name` is that of `m.block`.
    """

    name: str = field(default="", kw_only=True)

    def named(self, name: str) -> Self:
        """The same block under the name that it has in a model.

        Parameters
        ----------
        name : str
            Of the block in the model.

        Returns
        -------
        Block
        """
        return replace(self, name=name)

    def states(self) -> Iterator[State]:
        """States of the block."""
        return iter(())

    def outputs(self) -> Iterator[BlockOutput]:
        """Outputs of the block other than its states."""
        return iter(())

    def quantities(self) -> Iterator[Quantity]:
        """Its states and outputs, by name."""
        for state in self.states():
            yield from state.quantities()
        for one in self.outputs():
            text = f"{one.text or one.kind} of block {self.name!r}"
            yield Quantity(self.name, one.kind, one.unit, text, 1, _of(one.function), "blocks", "block", signal=True)

    def value(self, s: Signals, kind: str) -> Expr:
        """The value of a state of this block.

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.
        kind : str
            Name of the state within the block.

        Returns
        -------
        expression
        """
        return s[f"{self.name}.{kind}"]


def _of(function: Callable[[Signals], Expr]) -> Callable[[Signals], Expr]:
    return lambda s: ca.SX(function(s))
