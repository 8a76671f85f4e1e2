"""Poses that are possible only because a contact never opens, such as an equilibrium that hangs under the road."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from trundle.pairs.higher import HigherPair
from trundle.pairs.surface import Plane
from trundle.study.start_state import state_vector
from trundle.typing import Value, Values

if TYPE_CHECKING:
    from trundle.system import System

ROUND_OFF = 1e-9


def lost_contacts(system: "System", state: Values, parameters: Mapping[str, float] | None = None) -> list[str]:
    """Phrases about contacts that pull, and about bodies below the plane that they should stand on."""
    return _pulling(system, state, parameters) + _under_planes(system, state, parameters)


def _pulling(system: "System", state: Values, parameters: Mapping[str, float] | None) -> list[str]:
    values = system.accelerations(state, parameters)
    asked = {name: system.formulation.quantity(name) for name in values}
    forces = {q.owner: float(values[name]) for name, q in asked.items() if q.kind == "normal_force"}
    reactions = [values[name] for name, q in asked.items() if q.kind == "reaction_force"]
    largest = max((float(np.max(np.abs(v))) for v in reactions), default=0)
    return [f"the normal force of {k!r} is negative" for k, v in forces.items() if v < -ROUND_OFF * largest]


def _under_planes(system: "System", state: Values, parameters: Mapping[str, float] | None) -> list[str]:
    """The weight of what hangs under a road presses on it too: a normal force does not mean that they touch."""
    model = system.model
    roads = [
        c.name
        for c in model.connections.values()
        if c.first.body is model.ground and isinstance(c.pair, HigherPair) and isinstance(c.pair.first, Plane)
    ]
    if not roads:
        return []
    f = system.formulation
    p = f.parameter_vector(parameters)
    x = state_vector(f, system.start(state, parameters), p)[None, :]

    def ask(name: str) -> Value:
        return f.evaluate(name, np.zeros(1), x, p)[name][0]

    found = []
    for body in model.bodies.values():
        if body is model.ground:
            continue
        place = ask(f"{body.name}.com_position")
        for road in roads:
            away = place - ask(f"{road}.contact_point")
            if ask(f"{road}.contact_normal") @ away < -ROUND_OFF * max(1.0, float(np.linalg.norm(away))):
                found.append(f"the mass centre of {body.name!r} lies under the plane of {road!r}")
                break
    return found
