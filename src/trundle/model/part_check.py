"""Checks of one part of a model as it is added: a body, a place on it, a vector of numbers or parameters."""

from collections.abc import Mapping
from math import isfinite

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.model.body import Body, Frame
from trundle.model.contents import ModelContents
from trundle.model.force import Force
from trundle.model.shape import Shape
from trundle.real_array import not_numbers
from trundle.space.inertia import LONGEST, inertia_faults
from trundle.typing import Expr


def evaluate(model: ModelContents, expression: Expr, values: Mapping[str, float] | None = None) -> np.ndarray:
    """Numbers of an expression at given values of all parameters, else at their defaults."""
    if type(expression) in (float, int):
        return np.array([[float(expression)]])
    if not isinstance(expression, ca.SX):
        expression = ca.SX(expression)
    if expression.is_constant():
        return _numbers(expression)
    names = {p.symbol.element_hash(): name for name, p in model.parameters.items()}
    symbols = ca.symvar(expression)
    foreign = [s.name() for s in symbols if s.element_hash() not in names]
    if foreign and foreign[0] in model.tables:
        raise ModelError(
            f"the table {foreign[0]!r} cannot be used for masses, positions or sizes: they do not change during a run."
        )
    if foreign:
        raise ModelError(f"the symbol {foreign[0]!r} is not a parameter of this model; declare it with m.parameter.")
    given = model.parameter_values() if values is None else values
    function = ca.Function("value", symbols, [expression])
    return _numbers(function.call([ca.DM(given[names[s.element_hash()]]) for s in symbols])[0])


def _numbers(matrix: Expr) -> np.ndarray:
    """An array of a matrix of constants; CasADi's own conversion takes five times as long."""
    return np.array([float(v) for v in matrix.elements()]).reshape(matrix.shape, order="F")


def body_faults(model: ModelContents, body: Body) -> list[str]:
    """Faults of mass, inertia and mass centre of a body."""
    if not body.is_free:
        return []
    where = f"body {body.name!r}"
    faults = vector_faults(model, body.com, f"{where}: the mass centre com")
    if body.about != "com":
        faults += vector_faults(model, body.about, f'{where}: about (a point, or "com")')
    if faults:
        return faults
    try:
        if not_numbers([body.mass, body.inertia]):
            raise TypeError
        inertia = body.mass_properties()
        if inertia.mass.numel() != 1:
            raise ModelError(f"the mass is one number, got {body.mass!r}.")
        values = evaluate(model, ca.vertcat(inertia.mass, ca.vec(inertia.matrix))).ravel()
    except ModelError as error:
        return [f"{where}: {error}"]
    except (TypeError, ValueError, NotImplementedError):
        return [f"{where}: mass {body.mass!r} and inertia {body.inertia!r} must be made of numbers or parameters."]
    faults = inertia_faults(float(values[0]), values[1:].reshape(3, 3), body.check_inertia)
    return [f"{where}: {fault}." for fault in faults]


def place_faults(model: ModelContents, frame: Frame, where: str) -> list[str]:
    """A place belongs to a body of the model and has three coordinates."""
    if model.bodies.get(frame.body.name) is not frame.body:
        return [f"{where}: body {frame.body.name!r} belongs to another model, or to none (m.body makes those of m)."]
    return vector_faults(model, frame.position, f"{where}: a point of {frame.body.name!r}")


def vector_faults(model: ModelContents, vector: object, what: str) -> list[str]:
    """A vector has three finite numbers or expressions of parameters."""
    if not isinstance(vector, tuple | list | np.ndarray) or len(vector) != 3:
        return [f"{what} has three coordinates, got {vector!r}."]
    if not_numbers(vector):
        return [f"{what} must be made of numbers or parameters, got {vector!r}."]
    if all(isinstance(v, float | int) and isfinite(v) for v in vector):
        return _overflow(vector, what)
    try:
        values = evaluate(model, ca.vertcat(*vector))
    except ModelError as error:
        return [f"{what}: {error}"]
    except (TypeError, NotImplementedError):
        return [f"{what} must be made of numbers or parameters, got {vector!r}."]
    if values.shape != (3, 1) or not np.all(np.isfinite(values)):
        return [f"{what} is not finite: {vector!r}."]
    return _overflow(values, what)


def _overflow(vector: object, what: str) -> list[str]:
    """Numbers whose products would overflow."""
    size = float(np.max(np.abs(np.asarray(vector, float))))
    return (
        [f"{what} has {size:g}: above {LONGEST:g} products would overflow; use larger units."] if size > LONGEST else []
    )


def joined_faults(model: ModelContents, name: str, first: Frame, second: Frame) -> list[str]:
    """Faults of the two frames that a connection joins."""
    where = f"connection {name!r}"
    if first.body is second.body:
        return [f"{where} joins {first.body.name!r} to itself."]
    return [fault for frame in (first, second) for fault in place_faults(model, frame, where)]


def force_faults(model: ModelContents, name: str, force: Force) -> list[str]:
    """Faults of the frames on which a force acts."""
    places = force.places
    faults = [fault for frame in places for fault in place_faults(model, frame, f"force {name!r}")]
    if len(places) == 2 and places[0].body is places[1].body:
        same = places[0].body.name
        faults.append(f"force {name!r} acts between two points of the same body {same!r}: it has no effect.")
    return faults


def refuse(faults: list[str], remedy: str = "") -> None:
    """Raise ModelError if there are faults."""
    if faults:
        raise ModelError(" ".join([*faults, remedy]).strip())


def as_shapes(owner: str, given: object) -> tuple[Shape, ...]:
    """One shape or several, as a tuple; ModelError for anything else."""
    shapes = tuple(given) if isinstance(given, tuple | list) else (given,)
    for one in shapes:
        if not isinstance(one, Shape | tuple):
            raise ModelError(
                f"{owner}: its shape is one of tr.shape, such as tr.shape.Box((0.3, 0.2, 0.1)) or tr.shape.Ball(0.1), "
                f"or several in a tuple, got {given!r}."
            )
    return shapes
