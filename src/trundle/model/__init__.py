"""What the user says: bodies, connections, forces, laws."""

from trundle.model import shape
from trundle.model.body import Body, Frame
from trundle.model.connection import Connection
from trundle.model.force import Bushing, CoordinateForce, Force, LineForce, SpringDamper, TorsionSpring, Wrench
from trundle.model.law import Damper, EffortLaw, Law, Motor, Servo, Spring
from trundle.model.model import Event, Model, Output, Parameter

__all__ = [
    "Body",
    "Bushing",
    "Connection",
    "CoordinateForce",
    "Damper",
    "EffortLaw",
    "Event",
    "Force",
    "Frame",
    "Law",
    "LineForce",
    "Model",
    "Motor",
    "Output",
    "Parameter",
    "Servo",
    "Spring",
    "SpringDamper",
    "TorsionSpring",
    "Wrench",
    "shape",
]
