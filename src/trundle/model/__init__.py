"""The model as the user describes it: bodies, connections, forces, laws."""

from trundle.laws.backlash import Backlash
from trundle.laws.efforts import Damper, Motor, Open, Spring
from trundle.laws.flows import Acceleration, Flow, Locked, Servo
from trundle.laws.law import EffortLaw, FlowLaw, Law
from trundle.model import shape
from trundle.model.block import Block, BlockOutput
from trundle.model.body import Body, Frame
from trundle.model.connection import ConnectedPair
from trundle.model.coordinate_forces import CoordinateForce, TorsionSpring
from trundle.model.definitions import Event, Output, Parameter
from trundle.model.electric_motor import ElectricMotor
from trundle.model.first_order_lag import FirstOrderLag
from trundle.model.force import Force
from trundle.model.frame_forces import Bushing, Wrench
from trundle.model.joint import (
    AxisJoint,
    Connection,
    FixedControlledJoint,
    FixedIdealJoint,
    FixedServoJoint,
    FreeIdealJoint,
    FreeSlideJoint,
    Joint,
    SpringIdealJoint,
)
from trundle.model.line_forces import LineForce, SpringDamper
from trundle.model.model import Model
from trundle.model.pid import PID
from trundle.model.series_damper import SeriesDamper
from trundle.model.state import State

__all__ = [
    "PID",
    "Acceleration",
    "AxisJoint",
    "Backlash",
    "Block",
    "BlockOutput",
    "Body",
    "Bushing",
    "ConnectedPair",
    "Connection",
    "CoordinateForce",
    "Damper",
    "EffortLaw",
    "ElectricMotor",
    "Event",
    "FirstOrderLag",
    "FixedControlledJoint",
    "FixedIdealJoint",
    "FixedServoJoint",
    "Flow",
    "FlowLaw",
    "Force",
    "Frame",
    "FreeIdealJoint",
    "FreeSlideJoint",
    "Joint",
    "Law",
    "LineForce",
    "Locked",
    "Model",
    "Motor",
    "Open",
    "Output",
    "Parameter",
    "SeriesDamper",
    "Servo",
    "Spring",
    "SpringDamper",
    "SpringIdealJoint",
    "State",
    "TorsionSpring",
    "Wrench",
    "shape",
]
