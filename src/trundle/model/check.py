"""Validation of a model before any equations are derived. All faults are collected and raised as one error."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from math import isfinite
from typing import TypeVar

import casadi as ca
import numpy as np

from trundle.errors import ModelError, UnknownNameError
from trundle.laws.collision_codes import TREATMENTS
from trundle.laws.law import Law
from trundle.laws.restitution import Restitution
from trundle.model.connection import ConnectedPair
from trundle.model.frame_check import frame_faults
from trundle.model.model import Model
from trundle.model.part_check import body_faults, evaluate, force_faults, joined_faults, vector_faults
from trundle.model.register import coordinate_units
from trundle.model.seal import seal_faults
from trundle.model.shape import Shape
from trundle.pairs.higher import HigherPair, SurfacePair
from trundle.pairs.lower import Revolute
from trundle.pairs.surface import Surface
from trundle.space.inertia import inertia_faults, triangle_excess
from trundle.typing import Expr, Given

Part = TypeVar("Part", Surface, Law, Restitution)


def mass_faults(model: Model, values: Mapping[str, float]) -> list[str]:
    """Masses and inertias that are not physical at given values of the parameters."""
    faults = []
    for body in model.free_bodies:
        inertia = body.mass_properties()
        if inertia.mass.is_constant() and inertia.matrix.is_constant():
            continue
        expression = ca.vertcat(inertia.mass, ca.vec(inertia.matrix))
        numbers = evaluate(model, expression, values).ravel()
        found = inertia_faults(float(numbers[0]), numbers[1:].reshape(3, 3), body.check_inertia)
        if not np.any(numbers) and np.any(evaluate(model, expression)):
            found.append("it has neither mass nor inertia with these parameters")
        faults += [f"body {body.name!r}: {fault}." for fault in found]
    return faults


def measured_inertias(model: Model) -> list[str]:
    """Bodies of a valid model whose moments violate the triangle inequality only within measurement error."""
    warnings = []
    for body in model.free_bodies:
        if not body.check_inertia:
            continue
        matrix = evaluate(model, body.mass_properties().matrix)
        excess = triangle_excess(matrix)
        if excess > 0.0:
            a, b, c = np.linalg.eigvalsh((matrix + matrix.T) / 2)
            warnings.append(
                f"body {body.name!r}: the principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m^2 violate the triangle "
                f"inequality by {100 * excess:.3g} % (the largest exceeds the sum of the others). "
                "They are accepted; check_inertia=False on the body silences this warning."
            )
    return warnings


def finite_number(value: Given, what: str) -> float:
    """The value as a float; ModelError when it is not one finite number."""
    try:
        number = float(value)
        if isinstance(value, bool | np.bool_ | str | bytes):
            raise TypeError
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be a number, got {value!r}.") from None
    if not isfinite(number):
        raise ModelError(f"{what} must be finite, got {value!r}.")
    return number


def massless(model: Model) -> dict[str, bool]:
    """Which bodies have neither mass nor inertia at the default parameters."""
    out = {}
    for body in model.free_bodies:
        inertia = body.mass_properties()
        values = evaluate(model, ca.vertcat(inertia.mass, ca.vec(inertia.matrix)))
        out[body.name] = not np.any(values)
    return out


def check(model: Model) -> list[str]:
    """Faults of the model, as sentences; empty if there are none."""
    faults: list[str] = []
    if not model.free_bodies and not model.every_state():
        faults.append(
            "the model has no bodies; add one with model.body(name, mass=..., inertia=...), or a state of its own with "
            "model.state."
        )
    faults += vector_faults(model, model.gravity, "gravity of the model")
    for body in model.bodies.values():
        faults += body_faults(model, body)
    for c in model.connections.values():
        faults += joined_faults(model, c.name, c.first, c.second)
        try:
            c.pair.coordinates  # noqa: B018  refuses names that are given twice
            c.pair.frame()
        except ModelError as error:
            faults.append(f"connection {c.name!r}: {error}")
        faults += _wheel_faults(model, c)
    faults += frame_faults(model)
    faults += size_faults(model) if not faults else []
    faults += seal_faults(model) if not faults else []
    if not (isinstance(model.scenery, tuple | list) and all(isinstance(shape, Shape) for shape in model.scenery)):
        faults.append(
            f"model.scenery is {model.scenery!r}: give a tuple of shapes on the ground, such as "
            "(tr.shape.Box((1, 1, 0.5), at=(0, 0, 0.25)),)."
        )
    if model.impacts not in TREATMENTS:
        faults.append(
            f"model.impacts is {model.impacts!r}: the model for several contacts in one collision is "
            f"{' or '.join(map(repr, TREATMENTS))}."
        )
    units = coordinate_units(model)
    for name, force in model.forces.items():
        faults += force_faults(model, name, force)
        for coordinate in map(model.resolve, force.coordinates):
            if coordinate not in units:
                faults.append(f"force {name!r}: {_no_coordinate(model, coordinate, units)}")
            else:
                law = getattr(force, "law", force)
                faults += _unit_faults(law, force.acts_on, coordinate, units[coordinate], f"force {name!r}")
    for c in model.connections.values():
        for name, law in c.laws.items():
            wanted, coordinate = getattr(law, "acts_on", ""), f"{c.name}.{name}"
            faults += _unit_faults(law, wanted, coordinate, units.get(coordinate, ""), f"connection {c.name!r}")
    return faults


def _no_coordinate(model: Model, name: str, known: Mapping[str, str]) -> str:
    """The reason why there is no such coordinate."""
    connection, _ = model.motion_along(name) or (None, "")
    if connection is None or any(step.n_u == 1 for step in connection.pair.coordinates):
        return str(UnknownNameError(name, known, "coordinate"))
    return (
        f"connection {connection.name!r} ({type(connection.pair).__name__}) has no scalar coordinate, so "
        f"{name!r} cannot be acted on. tr.Bushing(first, second, stiffness, damping) acts on its rotation."
    )


def _unit_faults(law: object, wanted: str, coordinate: str, unit: str, where: str) -> list[str]:
    """Laws for angles on displacements, or for displacements on angles."""
    if not wanted or not unit or wanted == unit:
        return []
    words = {"m": "a displacement (m)", "rad": "an angle (rad)"}
    instead = "tr.SpringDamper, or law=tr.Spring(...)" if wanted == "rad" else "law=tr.Spring(...) or tr.Motor(f)"
    kind = type(law).__name__
    return [f"{where}: {kind} acts on {words[wanted]}, but {coordinate!r} is {words[unit]}. Give {instead} there."]


def size_faults(model: Model, values: Mapping[str, float] | None = None) -> list[str]:
    """Invalid sizes of surfaces and laws of contacts whose numbers are parameters, at given values."""
    return _size_faults(model, lambda v: float(evaluate(model, v, values)[0, 0]))


def size_faults_of_cases(model: Model, values: np.ndarray) -> list[list[str]]:
    """The same for many cases: `values` has a row for each of them and a column for each parameter."""
    found: dict[int, Expr] = {}

    def note(v: object) -> float:
        found[id(v)] = v
        return float(evaluate(model, v)[0, 0])

    _size_faults(model, note)
    if not found:
        return [[]] * len(values)
    symbols = ca.vertcat(ca.SX(0, 1), *[p.symbol for p in model.parameters.values()])
    table = np.array(ca.Function("sizes", [symbols], [ca.vertcat(*found.values())])(values.T).full())
    distinct, like = np.unique(table, axis=1, return_inverse=True)
    at = dict(zip(found, distinct, strict=True))

    def of_case(i: int) -> Callable[[Expr], float]:
        return lambda v: float(at[id(v)][i])

    faults = [_size_faults(model, of_case(i)) for i in range(distinct.shape[1])]
    return [faults[i] for i in np.ravel(like)]


def _size_faults(model: Model, number: Callable[[Expr], float]) -> list[str]:
    faults = []
    for c in model.connections.values():
        if not isinstance(c.pair, SurfacePair):
            continue
        try:
            first, second = (_numeric(surface, number) for surface in (c.pair.first, c.pair.second))
            if first is not c.pair.first or second is not c.pair.second:
                type(c.pair)(first, second)
            for law in (*c.contact_laws, *c.bond_laws.values()):
                _numeric(law, number)
            _numeric(c.restitution, number)
        except ModelError as error:
            faults.append(f"connection {c.name!r}: {error}")
    return faults


def _numeric(part: Part, number: Callable[[Expr], float]) -> Part:
    """The surface or law with numbers in place of parameters."""
    sizes = {f.name: getattr(part, f.name) for f in fields(part)}
    symbolic = {k: number(v) for k, v in sizes.items() if isinstance(v, ca.SX)}
    return replace(part, **symbolic) if symbolic else part


def _wheel_faults(model: Model, c: ConnectedPair) -> list[str]:
    """With `wheel=`, the wheel must be joined to the second body by a hinge about the axis of its surface only."""
    if c.wheel is None:
        return []
    where = f"connection {c.name!r}: wheel"
    if model.bodies.get(c.wheel.name) is not c.wheel:
        return [f"{where} {c.wheel.name!r} belongs to another model."]
    if not isinstance(c.pair, HigherPair) or not c.pair.second.turns:
        return [
            f"{where}: the second surface must be one of revolution about its y axis (Torus, CircleEdge, Sphere, ...)."
        ]
    hubs = [h for h in model.connections.values() if set(h.bodies) == {c.second.body, c.wheel}]
    for hub in hubs:
        mount = hub.first if hub.first.body is c.second.body else hub.second
        axis = mount.rotation @ hub.pair.frame()[:, 2]
        arm = evaluate(model, ca.vertcat(*mount.position) - ca.vertcat(*c.second.position)).ravel()
        own = c.second.rotation[:, 1]
        size = max(1.0, float(np.linalg.norm(arm)))
        parallel = abs(abs(axis @ own) - 1) < 1e-12
        if isinstance(hub.pair, Revolute) and parallel and np.linalg.norm(np.cross(arm, own)) < 1e-9 * size:
            return []
    return [
        f"{where} {c.wheel.name!r} must be joined to {c.second.body.name!r} by a Revolute joint whose axis is "
        f"the y axis of the frame of contact on {c.second.body.name!r}; else connect the contact to the wheel itself."
    ]
