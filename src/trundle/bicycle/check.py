"""Faults of numbers that describe a bicycle, each as a sentence with the reason."""

from math import isfinite

import numpy as np

from trundle.errors import ModelError
from trundle.space.chain import Screw
from trundle.space.rotation import axis_vector
from trundle.typing import Given


def kind_faults(function: str, given: object, kind: type, hint: str) -> list[str]:
    """A description of a bicycle of the wrong type for the function."""
    if isinstance(given, kind):
        return []
    return [f"{function} takes a {kind.__name__} of trundle.bicycle first, got {given!r}. {hint}"]


def number_faults(name: str, value: Given) -> list[str]:
    """Fault of a value that is not a finite number."""
    try:
        finite = isfinite(value)
    except (TypeError, ValueError):
        finite = False
    return [] if finite else [f"{name} must be one finite number, got {value!r}."]


def wheel_faults(wheel: str, radius: Given, tyre: Given) -> list[str]:
    """A wheel whose radius and radius of the tyre's cross-section do not fit."""
    faults = number_faults(f"{wheel}_radius", radius) + number_faults(f"{wheel}_tyre", tyre)
    if faults:
        return faults
    if radius <= 0:
        faults.append(f"{wheel}_radius {radius:g} m must be positive; it reaches from the axle to the tread.")
    if tyre < 0:
        faults.append(f"{wheel}_tyre {tyre:g} m must not be negative; 0 is a knife edge.")
    if not faults and tyre >= radius:
        faults.append(
            f"{wheel}_tyre {tyre:g} m is not smaller than {wheel}_radius {radius:g} m; the first is the radius of the "
            "tyre's round cross-section, the second reaches from the axle to the tread."
        )
    return faults


def vector_faults(name: str, vector: object) -> list[str]:
    """A vector that is not three finite numbers."""
    try:
        numbers = np.asarray(vector, dtype=float)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if numbers.shape != (3,) or not np.all(np.isfinite(numbers)):
        return [f"{name} must be three finite numbers, got {vector!r}."]
    return []


def hinge_faults(name: str, hinge: Screw) -> list[str]:
    """A hinge without a place or a direction, or one that also slides."""
    faults = vector_faults(f"the point of {name}", hinge.at)
    if hinge.pitch != 0:
        faults.append(f"{name} is a screw of pitch {hinge.pitch} m/rad; a hinge only turns: leave the pitch at 0.")
    try:
        axis_vector(hinge.axis)
    except ModelError as error:
        faults.append(f"{name}: {error}")
    return faults
