"""What the names in the expressions of a file stand for."""

from dataclasses import dataclass, field
from typing import Any, final

from trundle.equations.signals import BODY_QUANTITIES
from trundle.model.model import Model


@final
@dataclass
class Scope:
    """Parameters and constants: as symbols for the equations, as values for what is only a number."""

    symbols: dict[str, Any] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    tunable: set[str] = field(default_factory=set)  # names that depend on a parameter

    def add_parameter(self, name: str, symbol: Any, value: float) -> None:
        """A number that may be changed later."""
        self.symbols[name], self.values[name] = symbol, float(value)
        self.tunable.add(name)

    def add_constant(self, name: str, symbol: Any, value: float, tunable: bool) -> None:
        """A named expression of parameters and earlier constants."""
        self.symbols[name], self.values[name] = symbol, value
        if tunable:
            self.tunable.add(name)


def signal_names(model: Model) -> list[str]:
    """Scalar quantities that outputs, events and forces may ask for."""
    bodies = [body for body in model.bodies.values() if not body.is_ground]
    vectors = [q for q in BODY_QUANTITIES if q != "rotation"]
    components = [f"{body.name}.{q}_{axis}" for body in bodies for q in vectors for axis in "xyz"]
    return ["t", *_joint_names(model), *components]


def start_names(model: Model) -> list[str]:
    """Coordinates and rates that may be given a start value."""
    names = _joint_names(model)
    for connection in model.connections.values():
        for step in connection.pair.chain().steps:
            if step.n_u > 1:
                whole = f"{connection.name}.{step.name}"
                rate = f"{connection.name}.angular_rate"
                names += [whole, rate, *(f"{whole}_{a}" for a in "wxyz"), *(f"{rate}_{a}" for a in "xyz")]
    return names


def coordinate_names(model: Model) -> list[str]:
    """Coordinates of one number, of all connections."""
    return [f"{c.name}.{s.name}" for c in model.connections.values() for s in c.pair.chain().steps if s.n_u == 1]


def _joint_names(model: Model) -> list[str]:
    return [name for joint in coordinate_names(model) for name in (joint, f"{joint}_rate")]
