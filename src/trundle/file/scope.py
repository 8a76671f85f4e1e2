"""Names in the expressions of a file, and their values."""

from dataclasses import dataclass, field
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
    """Names that a file may use, before the model has a tree."""

    def __init__(self, model: Model) -> None:
        self.model = floating(model)
        self.register = model_register(self.model)

    def signals(self) -> list[str]:
        """Scalar quantities that outputs, events and forces may use."""
        return ["t", *self.register.names(is_signal, scalar=True)]

    def changes(self) -> list[str]:
        """Coordinates and rates, which events may change."""
        return self.register.names(is_changeable)

    def starts(self) -> list[str]:
        """Coordinates, rates, forward velocities and motions of bodies that may be given a start value."""
        return self.register.names(is_start)

    def quantities(self) -> list[str]:
        """Quantities that may have short names."""
        model = self.model
        parts = (
            lambda: part_quantities(model),
            energy_quantities,
            lambda: force_quantities(model, measures_of(model)),
        )
        return Register(model.aliases, *parts).names(lambda q: True)

    def coordinates(self) -> list[str]:
        """Coordinates along which efforts may act."""
        return [q.name for q in self.register if q.coordinate]
