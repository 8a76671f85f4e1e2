"""Start values as the user gives them, sorted into the state vector."""

from dataclasses import dataclass
from typing import final

import numpy as np

from trundle.errors import ModelError, UnknownNameError
from trundle.quantities.state_layout import StateLayout
from trundle.real_array import real_array
from trundle.typing import AnyArray, Array, Values

LARGEST = 1e12  # m, rad or per second
NO_LENGTH = "a start quaternion has length zero, which is not a rotation; give (1, 0, 0, 0) for no rotation."


@final
@dataclass
class StartRequest:
    """The user's start values as state vectors, with masks of the given entries."""

    q: Array
    u: Array
    given_q: Array
    given_u: Array


def rest_pose(layout: StateLayout) -> Array:
    """All angles and displacements zero, all quaternions the identity."""
    q = np.zeros(layout.n_q)
    q[list(layout.quaternions)] = 1.0
    return q


def _remedy(value: object, numbers: Array, n: int) -> str:
    """A hint at what was probably meant by an invalid start value."""
    if isinstance(value, str):
        return " Write the number without quotation marks; degrees are tr.degrees(30)."
    if n == 1 and numbers.ndim == 1 and len(numbers) > 1:
        return " A run takes one value; system.batch(duration, start) runs one case for each of several."
    return ""


def read_request(layout: StateLayout, q_default: Array, start: Values) -> StartRequest:
    """Convert named values to vectors of coordinates and speeds."""
    request = StartRequest(
        np.array(q_default), np.zeros(layout.n_u), np.zeros(layout.n_q, bool), np.zeros(layout.n_u, bool)
    )
    for name, value in start.items():
        if name not in layout.places:
            raise UnknownNameError(name, layout.places, "coordinate or rate of the tree")
        i, n, _ = layout.places[name]
        at_u = layout.u.start
        vector, mask = (request.q, request.given_q) if i < at_u else (request.u, request.given_u)
        i = i if i < at_u else i - at_u
        try:
            numbers = np.atleast_1d(real_array(value))
        except (TypeError, ValueError):
            numbers = np.array([])
        if numbers.shape != (n,) or not np.all(np.isfinite(numbers)):
            text = f"start value of {name!r} must be {n} finite number{'s' if n > 1 else ''}, got {value!r}."
            raise ModelError(f"{text}{_remedy(value, numbers, n)}")
        if np.max(np.abs(numbers)) > LARGEST:
            raise ModelError(
                f"start value of {name!r} is {value!r}: beyond {LARGEST:g} double precision does not resolve the "
                f"motion. Use larger units, or subtract whole turns from an angle."
            )
        vector[i : i + n] = numbers
        mask[i : i + n] = True
    for c in layout.coordinates:
        if c.n_q == 4:
            request.q[c.q] = unit_quaternion(request.q[c.q], request.given_q[c.q], c.name)
    return request


def unit_quaternion(numbers: Array, given: AnyArray, name: str) -> Array:
    """The numbers made a unit quaternion; if only some components were given, these keep their values."""
    rest = np.zeros(4, bool) if np.all(given) or not np.any(given) else np.logical_not(given)
    if not np.any(rest):
        length = np.linalg.norm(numbers)
        if length < 1e-9:
            raise ModelError(NO_LENGTH)
        return np.asarray(numbers / length)
    left, others = 1.0 - float(np.sum(numbers[given] ** 2)), float(np.linalg.norm(numbers[rest]))
    if left < -1e-9 or (others < 1e-9 and left > 1e-9):
        raise ModelError(
            f"the given components of {name!r} are not part of a rotation: the squares of all four, w, x, y and z, add "
            "up to one. Give all four."
        )
    found = np.array(numbers)
    found[rest] *= np.sqrt(max(left, 0.0)) / max(others, 1e-9)
    return found


def speeds_of(layout: StateLayout, given_q: Array) -> Array:
    """Mask of the speeds that belong to given coordinates."""
    out = np.zeros(layout.n_u, bool)
    for c in layout.coordinates:
        out[c.u] = bool(np.any(given_q[c.q]))
    return out
