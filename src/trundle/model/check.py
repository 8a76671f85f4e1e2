"""All validation of a model that needs no equations. Every fault is collected before one error is raised."""

from math import isfinite
from typing import Any

import casadi as ca
import numpy as np

from trundle.errors import ModelError, UnknownNameError
from trundle.model.body import Body, Frame
from trundle.model.model import Model
from trundle.space.inertia import inertia_faults


def evaluate(model: Model, expression: Any) -> np.ndarray:
    """Numbers of an expression at the default values of the parameters."""
    expression = ca.SX(expression)
    if expression.is_constant():
        return np.array(ca.DM(expression))
    symbols = ca.vertcat(ca.SX(0, 1), *[p.symbol for p in model.parameters.values()])
    function = ca.Function("value", [symbols], [expression])
    return np.array(ca.DM(function([p.value for p in model.parameters.values()])))


def massless(model: Model) -> dict[str, bool]:
    """Which bodies have neither mass nor inertia at the default parameters."""
    out = {}
    for body in model.bodies.values():
        if not body.is_ground:
            inertia = body.mass_properties()
            values = evaluate(model, ca.vertcat(inertia.mass, ca.vec(inertia.matrix)))
            out[body.name] = not np.any(values)
    return out


def check(model: Model) -> list[str]:
    """Faults of the model in words; empty when there are none."""
    faults: list[str] = []
    if len(model.bodies) == 1:
        faults.append("the model has no bodies; add one with model.body(name, mass=..., inertia=...).")
    for body in model.bodies.values():
        faults += _body_faults(model, body)
    for c in model.connections.values():
        if c.first.body is c.second.body:
            faults.append(f"connection {c.name!r} joins {c.first.body.name!r} to itself.")
        for frame in (c.first, c.second):
            faults += _place_faults(model, frame, f"connection {c.name!r}")
        try:
            c.pair.chain()
            c.pair.frame()
        except ModelError as error:
            faults.append(f"connection {c.name!r}: {error}")
    coordinates = [f"{c.name}.{s.name}" for c in model.connections.values() for s in c.pair.chain().steps if s.n_u == 1]
    for name, force in model.forces.items():
        for frame in force.places:
            faults += _place_faults(model, frame, f"force {name!r}")
        for coordinate in force.coordinates:
            if coordinate not in coordinates:
                faults.append(f"force {name!r}: {UnknownNameError(coordinate, coordinates, 'coordinate')}")
    return faults


def _body_faults(model: Model, body: Body) -> list[str]:
    if body.is_ground:
        return []
    try:
        inertia = body.mass_properties()
    except ModelError as error:
        return [f"body {body.name!r}: {error}"]
    except (TypeError, ValueError, NotImplementedError) as error:
        return [f"body {body.name!r}: mass, com or inertia is not made of numbers or parameters ({error})."]
    values = evaluate(model, ca.vertcat(inertia.mass, inertia.com, ca.vec(inertia.matrix))).ravel()
    faults = inertia_faults(float(values[0]), values[4:].reshape(3, 3))
    if not np.all(np.isfinite(values[1:4])):
        faults.append("the mass centre is not finite")
    return [f"body {body.name!r}: {fault}." for fault in faults]


def _place_faults(model: Model, frame: Frame, where: str) -> list[str]:
    if model.bodies.get(frame.body.name) is not frame.body:
        return [f"{where}: body {frame.body.name!r} belongs to another model."]
    if len(frame.position) != 3:
        return [f"{where}: a point has three coordinates, got {frame.position!r}."]
    if all(isinstance(v, float | int) and isfinite(v) for v in frame.position):
        return []
    if not np.all(np.isfinite(evaluate(model, ca.vertcat(*frame.position)))):
        return [f"{where}: the point {frame.position!r} is not finite."]
    return []
