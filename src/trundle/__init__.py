"""Trundle: multibody dynamics for machines that roll, slip and strike."""

from trundle import errors
from trundle.errors import TrundleError
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

__version__ = "0.1.0"
