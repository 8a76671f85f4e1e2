"""Names in the expressions of a file, and their values."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import final

from trundle.model.floating import floating
from trundle.model.input import Input
from trundle.model.model import Model
from trundle.model.register import Register, is_changeable, is_signal, is_start, model_register, part_quantities
from trundle.quantities.known import energy_quantities, force_quantities, measures_of
from trundle.typing import Expr


@final
@dataclass
class Scope:
    """Parameters and constants: as symbols for the equations, and as values for plain numbers."""

    symbols: dict[str, Expr] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    tunable: set[str] = field(default_factory=set)  # names that depend on a parameter
    inputs: dict[str, Input] = field(default_factory=dict)  # functions of time

    def add_parameter(self, name: str, symbol: Expr, value: float) -> None:
        """Add a parameter, which may be changed later."""
        self.symbols[name], self.values[name] = symbol, float(value)
        self.tunable.add(name)

    def add_constant(self, name: str, symbol: Expr, value: float, tunable: bool) -> None:
        """A named expression of parameters and earlier constants."""
        self.symbols[name], self.values[name] = symbol, value
        if tunable:
            self.tunable.add(name)


@final
class Names:
    """Names that a file may use, before the model has a tree; each set keeps its order."""

    def __init__(self, model: Model) -> None:
        self.model = floating(model)
        self.register = model_register(self.model)

    @cached_property
    def signals(self) -> dict[str, None]:
        """Scalar quantities that outputs, events and forces may use."""
        return dict.fromkeys(["t", *self.register.names(is_signal, scalar=True)])

    @cached_property
    def changes(self) -> dict[str, None]:
        """Coordinates and rates, which events may change."""
        return dict.fromkeys(self.register.names(is_changeable))

    @cached_property
    def starts(self) -> dict[str, None]:
        """Coordinates, rates, forward velocities and motions of bodies that may be given a start value."""
        return dict.fromkeys(self.register.names(is_start))

    @cached_property
    def quantities(self) -> dict[str, None]:
        """Quantities that may have short names."""
        model = self.model
        parts = (
            lambda: part_quantities(model),
            energy_quantities,
            lambda: force_quantities(model, measures_of(model)),
        )
        return dict.fromkeys(Register(model.aliases, *parts).names(lambda q: True))

    @cached_property
    def coordinates(self) -> dict[str, None]:
        """Coordinates along which efforts may act."""
        return dict.fromkeys(q.name for q in self.register if q.coordinate)
