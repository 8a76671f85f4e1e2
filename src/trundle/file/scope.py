"""What the names in the expressions of a file stand for."""

from dataclasses import dataclass, field
from typing import Any, final

from trundle.equations.outputs.quantities import CONTACT_FORCES
from trundle.equations.outputs.signals import BODY_QUANTITIES
from trundle.model.body import Body
from trundle.model.floating import floating
from trundle.model.law_probe import CONTACT_QUANTITIES
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
    model = floating(model)
    vectors = [f"{body.name}.{q}" for body in _moving(model) for q in BODY_QUANTITIES if q != "rotation"]
    return _with_short(model, ["t", *_joint_names(model), *_contact_names(model), *_components(vectors)])


def state_names(model: Model) -> list[str]:
    """Coordinates and rates, which events may change."""
    model = floating(model)
    return _with_short(model, _state_names(model))


def start_names(model: Model) -> list[str]:
    """Coordinates, rates, forward velocities and motions of bodies that may be given a start value."""
    model = floating(model)
    motions = [f"{body.name}.{q}" for body in _moving(model) for q in BODY_QUANTITIES if q != "rotation"]
    rolling = [f"{c}.forward_velocity" for c in _contacts(model)]
    return _with_short(model, [*_state_names(model), *rolling, *motions, *_components(motions)])


def quantity_names(model: Model) -> list[str]:
    """Quantities of bodies and connections, which may be given short names."""
    model = floating(model)
    bodies = [
        f"{b.name}.{q}" for b in _moving(model) for q in (*BODY_QUANTITIES, "acceleration", "angular_acceleration")
    ]
    reactions = [f"{c}.reaction_{kind}" for c in model.connections for kind in ("force", "moment")]
    forces = [f"{c}.{q}" for c in _contacts(model) for q in CONTACT_FORCES]
    accelerations = [f"{name}_acceleration" for name in coordinate_names(model)]
    vectors = [
        *bodies,
        *reactions,
        *(f"{c}.{q}" for c in _contacts(model) for q in ("contact_point", "contact_normal")),
    ]
    return [*_state_names(model), *accelerations, *_contact_names(model), *forces, *vectors, *_components(vectors)]


def coordinate_names(model: Model) -> list[str]:
    """Coordinates of one number, of all connections, and deflections."""
    joints = [f"{c.name}.{s.name}" for c in model.connections.values() for s in c.pair.coordinates if s.n_u == 1]
    every = model.connections.values()
    return joints + [f"{c.name}.{name}" for c in every for name in (*c.extra_states, *c.leaning.values())]


def _joint_names(model: Model) -> list[str]:
    return [name for joint in coordinate_names(model) for name in (joint, f"{joint}_rate")]


def _state_names(model: Model) -> list[str]:
    names = _joint_names(model)
    for connection in model.connections.values():
        for step in connection.pair.coordinates:
            if step.n_u > 1:
                whole = f"{connection.name}.{step.name}"
                rate = f"{connection.name}.angular_rate"
                names += [whole, rate, *(f"{whole}_{a}" for a in "wxyz"), *_components([rate])]
    return names


def _contact_names(model: Model) -> list[str]:
    """Quantities of one number, and components, of all points of contact."""
    sizes = {f"{c}.{q}": size for c in _contacts(model) for q, (_, _, size) in CONTACT_QUANTITIES.items()}
    return [n for name, size in sizes.items() for n in ([name] if size == 1 else _components([name]))]


def _contacts(model: Model) -> list[str]:
    return [c.name for c in model.connections.values() if "normal" in c.pair.locked]


def _moving(model: Model) -> list[Body]:
    return model.moving_bodies


def _components(vectors: list[str]) -> list[str]:
    return [f"{name}_{axis}" for name in vectors for axis in "xyz"]


def _with_short(model: Model, names: list[str]) -> list[str]:
    """The names, and before them the short ones that stand for some of them."""
    known = set(names)
    endings = ("", "_rate", "_acceleration", *(f"_{a}" for a in "wxyz"), *(f"_rate_{a}" for a in "xyz"))
    short = [f"{s}{e}" for s, full in model.aliases.items() for e in endings if f"{full}{e}" in known]
    return [*short, *names]
