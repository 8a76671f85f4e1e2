"""Any model on a moving frame in place of the ground, and motions of frames in which no term vanishes."""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

import trundle as tr
from trundle.model.body import Frame

Course = dict[str, Any]


def tumbling(seed: int = 1, size: float = 1.0) -> Course:
    """Smooth random translation and rotation about all axes."""
    rng = np.random.default_rng(seed)
    a, f, phase = rng.uniform(0.2, 0.6, (2, 3)) * size, rng.uniform(0.6, 1.7, (2, 3)), rng.uniform(0, 6, (2, 3))

    def position(s: Any) -> tuple[Any, ...]:
        return tuple(a[0, i] * tr.sin(f[0, i] * s.t + phase[0, i]) + 0.1 * s.t for i in range(3))

    def rotation(s: Any) -> tuple[Any, ...]:
        turns = [a[1, i] * tr.sin(f[1, i] * s.t + phase[1, i]) for i in range(3)]
        return (1.0 + 0.1 * tr.cos(s.t), *turns)  # a quaternion of any length

    return {"position": position, "rotation": rotation}


def turntable(rate: float = 1.3) -> Course:
    """Steady turning about z, away from the origin."""
    return {"position": (0.3, -0.2, 0.1), "rotation": lambda s: ("z", rate * s.t + 0.2 * tr.sin(s.t))}


def carried(model: tr.Model, course: Course, keep: Callable[[str], bool] = lambda name: False) -> tr.Model:
    """The model with a moving frame in place of the ground; connections and forces that `keep` names stay on the
    ground.
    """
    frame = model.moving_frame("carrier", **course)

    def moved(place: Any) -> Any:
        if place is model.ground:
            return frame
        return Frame(frame, place.position, place.rotation) if getattr(place, "body", None) is model.ground else place

    for name, c in model.connections.items():
        if not keep(name):
            model.connections[name] = replace(c, first=moved(c.first), second=moved(c.second))
    for name, force in model.forces.items():
        if not keep(name):
            values = {f.name: moved(getattr(force, f.name)) for f in fields(force)}
            model.forces[name] = replace(force, **values)
    return model
