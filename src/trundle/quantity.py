"""Quantities of a model by name. Every part of a model defines its own."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any as Answering  # what answers for all parts
from typing import NamedTuple, final

from trundle.typing import Expr

Of = Callable[[Answering], Expr]
"""Expression of a quantity, from what answers for all parts: `Signals` for signals, `Expressions` for the others."""


@final
class Needs(StrEnum):
    """Conditions under which a quantity is available."""

    NOTHING = ""
    COORDINATE = "coordinate"  # a coordinate of the tree, or one that can be measured
    STATE = "state"  # a state: a coordinate of the tree, in joint coordinates
    WEIGHTS = "weights"  # such a state, and the pseudo-inverse


@final
@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity of a part of a model: its owner, unit, description, number of components and expression. Quantities of
    the same `group` are evaluated together.
    """

    owner: str  # name of the body, connection or force; empty for what the model as a whole has
    kind: str  # what it is of its owner
    unit: str  # of all components, or those of each with commas between them
    text: str
    size: int = 1
    of: Of | None = None  # None where it follows from the numbers of other quantities
    group: str = "joints"
    part: str = "connection"  # kind of the part that yields it: body, connection, force, energy, output, power
    order: int = 0  # 1 for a rate, 2 for an acceleration
    components: tuple[str, ...] = ()  # their names, where they are not those of axes
    needs: Needs = Needs.NOTHING
    signal: bool = False  # laws, forces, outputs and events may ask for it
    start: bool = False  # a start value may be given for it
    coordinate: bool = False  # one number along which efforts may act
    changes: bool = False  # events may change it, all of it or a component
    listed: bool = True  # in the list of names; else known but not listed

    @property
    def name(self) -> str:
        """The long name, "owner.kind"."""
        return f"{self.owner}.{self.kind}" if self.owner else self.kind

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the components."""
        return self.components or LABELS[self.size]

    def names(self) -> list[str]:
        """Its long name, and those of its components."""
        return [self.name, *(f"{self.name}_{label}" for label in self.labels)]


def units_of(unit: str, size: int) -> list[str]:
    """The unit of each component of a quantity with this unit: "N, N m" are two."""
    units = unit.split(", ")
    return units if len(units) == size else [unit] * size


LABELS: dict[int, tuple[str, ...]] = {
    1: (),
    3: ("x", "y", "z"),
    4: ("w", "x", "y", "z"),
    9: tuple(f"{row}{column}" for column in "xyz" for row in "xyz"),
}
"""Names of components by their number."""


@final
class Part(NamedTuple):
    """A quantity, or one of its components."""

    quantity: Quantity
    component: int | None = None

    @property
    def label(self) -> str:
        """Name of the component; empty for the whole."""
        return "" if self.component is None else self.quantity.labels[self.component]

    @property
    def name(self) -> str:
        """The long name."""
        return self.quantity.name if self.component is None else f"{self.quantity.name}_{self.label}"

    @property
    def size(self) -> int:
        return self.quantity.size if self.component is None else 1

    @property
    def text(self) -> str:
        """What it is, in words."""
        return self.quantity.text if self.component is None else f"{self.quantity.text}, component {self.label}"

    @property
    def unit(self) -> str:
        """Its unit; that of the component where they differ."""
        whole = self.quantity
        return whole.unit if self.component is None else units_of(whole.unit, whole.size)[self.component]

    def pick(self, values: Expr) -> Expr:
        """It, from the expression of the whole quantity."""
        return values if self.component is None else values[self.component]
