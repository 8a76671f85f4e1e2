"""Poses that are possible only because a contact cannot open, such as an equilibrium in which a disc hangs under the
road.
"""

import numpy as np

from trundle.equations.formulation import Formulation
from trundle.model.model import Model
from trundle.pairs.higher import HigherPair, SurfacePair
from trundle.pairs.surface import Plane
from trundle.study.at_state import accelerations
from trundle.study.start_state import Parameters, start_state, state_vector
from trundle.typing import Value, Values

ROUND_OFF = 1e-9


def lost_contacts(f: Formulation, state: Values, parameters: Parameters = None, t: float = 0.0) -> list[str]:
    """Phrases about contacts that pull, and about bodies below the plane that they should stand on."""
    if all(c.unilateral or not isinstance(c.pair, SurfacePair) for c in f.model.connections.values()):
        return []
    return _pulling(f, state, parameters, t) + _under_planes(f, state, parameters, t)


def _pulling(f: Formulation, state: Values, parameters: Parameters, t: float) -> list[str]:
    values = accelerations(f, state, parameters, t)
    quantities = {name: f.quantity(name) for name in values}
    forces = {q.owner: float(values[name]) for name, q in quantities.items() if q.kind == "normal_force"}
    reactions = [values[name] for name, q in quantities.items() if q.kind == "reaction_force"]
    largest = max((float(np.max(np.abs(v))) for v in reactions), default=0)
    return [f"the normal force of {k!r} is negative" for k, v in forces.items() if v < -ROUND_OFF * largest]


def _roads(model: Model) -> list[str]:
    """Contacts on a plane of the ground that never open."""
    return [
        c.name
        for c in model.connections.values()
        if c.first.body is model.ground
        and isinstance(c.pair, HigherPair)
        and isinstance(c.pair.first, Plane)
        and not c.unilateral
    ]


def _under_planes(f: Formulation, state: Values, parameters: Parameters, t: float) -> list[str]:
    """The weight of what hangs under a road presses on it too: a normal force does not mean that they touch."""
    model, roads = f.model, _roads(f.model)
    if not roads:
        return []
    p = f.parameter_vector(parameters)
    x = state_vector(f, start_state(f, state, parameters, t), p, t)[None, :]

    def ask(name: str) -> Value:
        return f.evaluate(name, np.array([t]), x, p)[name][0]

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
