"""The same machine described in other axes: the whole is turned and shifted, and so is the frame of every body."""

from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
from scipy.spatial.transform import Rotation

import trundle as tr


class Posed:
    """A model after its description was moved; R and d are those of the ground: x_new = R x + d."""

    def __init__(self, model: tr.Model, seed: int, far: float = 1.0) -> None:
        rng = np.random.default_rng(seed)
        self.model = model
        names = {name.rpartition(".")[0] for name in model.start if name.endswith(("position", "quaternion"))}
        self.moves = {
            body: (np.eye(3), np.zeros(3))
            if body.name in names
            else (Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3, scale=far))
            for body in model.bodies.values()
        }
        self.R, self.d = self.moves[model.ground]
        model.gravity = _tuple(ca.mtimes(ca.DM(self.R), ca.vertcat(*[ca.SX(g) for g in model.gravity])))
        for body in model.bodies.values():
            if body.is_free:
                self._turn_body(body)
        model.connections = {
            name: replace(c, first=self._moved(c.first), second=self._moved(c.second))
            for name, c in model.connections.items()
        }
        for name, force in model.forces.items():
            places = {k: self._moved(getattr(force, k)) for k in ("first", "second", "place") if hasattr(force, k)}
            if isinstance(force, tr.Wrench) and force.axes == "ground":  # else along the axes of its frame
                places |= {k: tuple(self.R @ np.array(getattr(force, k), float)) for k in ("force", "moment")}
            model.forces[name] = replace(force, **places) if places else force
        model.start = {name: self._started(name, value) for name, value in model.start.items()}

    def _turn_body(self, body: tr.Body) -> None:
        R, d = self.moves[body]
        known = body.mass_properties()
        del body.__dict__["_properties"]
        turned = ca.mtimes(ca.mtimes(ca.DM(R), known.matrix), ca.DM(R.T))
        object.__setattr__(body, "inertia", turned)
        object.__setattr__(body, "com", _tuple(ca.mtimes(ca.DM(R), known.com) + d))
        object.__setattr__(body, "about", "com")

    def _moved(self, place: Any) -> Any:
        frame = tr.model.body.as_frame(place)
        R, d = self.moves[frame.body]
        position = ca.mtimes(ca.DM(R), ca.vertcat(*[ca.SX(v) for v in frame.position])) + d
        return replace(frame, position=_tuple(position), rotation=R @ frame.rotation)

    def _started(self, name: str, value: Any) -> Any:
        return self.R @ np.array(value) + self.d if name.endswith("position") else value


def _tuple(vector: Any) -> tuple[Any, ...]:
    return tuple(float(v) if v.is_constant() else v for v in ca.vertsplit(ca.SX(vector)))


def can_be_posed(model: tr.Model) -> bool:
    """Forces that are functions of positions in ground axes, and quaternions at the start, are not turned here."""
    wrenches = [f for f in model.forces.values() if isinstance(f, tr.Wrench)]
    return not any(callable(w.force) or callable(w.moment) for w in wrenches) and not any(
        name.endswith(("quaternion", "velocity")) or "position_" in name for name in model.start
    )
