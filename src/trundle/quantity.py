"""Quantities of a model by name. Every part of a model defines its own."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any as QuantitySource  # holds the quantities of all parts
from typing import NamedTuple, final

from trundle.typing import Expr

Of = Callable[[QuantitySource], Expr]
"""Makes the expression of a quantity from the object that holds those of all parts: `Signals` for signals,
`Expressions` for the others."""


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

    owner: str  # name of the body, connection or force; empty for quantities of the whole model
    kind: str  # its name without that of the owner, such as "angle"
    unit: str  # of all components, or a list of units with commas, one for each component
    text: str
    size: int = 1
    of: Of | None = None  # None if it is computed from the values of other quantities
    group: str = "joints"
    part: str = "connection"  # kind of the part that it belongs to: body, connection, force, energy, output, power
    order: int = 0  # 1 for a rate, 2 for an acceleration
    components: tuple[str, ...] = ()  # names of the components, if they are not the usual x, y, z
    needs: Needs = Needs.NOTHING
    signal: bool = False  # laws, forces, outputs and events may use it
    start: bool = False  # a start value may be given for it
    coordinate: bool = False  # a scalar along which efforts may act
    changes: bool = False  # events may change it or a component of it
    axis: str = ""  # axis of the first frame along which it slides, if its name says another one
    listed: bool = True  # it is in the list of names; otherwise it is available but not listed

    @property
    def name(self) -> str:
        """The long name, "owner.kind"."""
        return f"{self.owner}.{self.kind}" if self.owner else self.kind

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the components."""
        return self.components or LABELS[self.size]

    def names(self) -> list[str]:
        """The long name, and the names of the components."""
        return [self.name, *(f"{self.name}_{label}" for label in self.labels)]


def units_of(unit: str, size: int) -> list[str]:
    """The unit of each component: "N, N m" holds those of two."""
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
        """Description in words."""
        return self.quantity.text if self.component is None else f"{self.quantity.text}, component {self.label}"

    @property
    def unit(self) -> str:
        """The unit; that of the component if the components have different ones."""
        whole = self.quantity
        return whole.unit if self.component is None else units_of(whole.unit, whole.size)[self.component]

    def pick(self, values: Expr) -> Expr:
        """The expression of this part, from that of the whole quantity."""
        return values if self.component is None else values[self.component]
