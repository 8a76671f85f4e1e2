"""Trundle: multibody dynamics for machines that roll, slip and strike."""

from typing import TYPE_CHECKING, Any

from trundle import errors
from trundle.errors import TrundleError
from trundle.functions import (
    abs,
    acos,
    asin,
    atan,
    atan2,
    ceil,
    cos,
    cosh,
    exp,
    floor,
    log,
    max,
    min,
    pi,
    sign,
    sin,
    sinh,
    sqrt,
    step,
    tan,
    tanh,
    where,
)
from trundle.model import (
    Body,
    Bushing,
    CoordinateForce,
    Damper,
    EffortLaw,
    Event,
    Frame,
    LineForce,
    Model,
    Motor,
    Servo,
    Spring,
    SpringDamper,
    TorsionSpring,
    Wrench,
    shape,
)
from trundle.pairs import Cylindrical, Fixed, Free, Helical, Planar, Prismatic, Revolute, Spherical, Universal
from trundle.space import Ball, Chain, Screw, rotation

if TYPE_CHECKING:
    from trundle import examples
    from trundle.file import ModelFile, load_file, load_model

__version__ = "0.1.0"

_LATE = {"load_model": "trundle.file", "load_file": "trundle.file", "ModelFile": "trundle.file", "examples": "trundle.examples"}


def __getattr__(name: str) -> Any:
    """Reading files takes libraries that a model made in Python does without: they are imported when first asked for."""
    if name not in _LATE:
        raise AttributeError(f"module 'trundle' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(_LATE[name])
    return module if name == module.__name__.rpartition(".")[2] else getattr(module, name)
