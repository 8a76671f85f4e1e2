"""The model as the user describes it: bodies, connections, forces, laws."""

from typing import TYPE_CHECKING

from trundle.messages.late_names import import_when_used
from trundle.model import shape

if TYPE_CHECKING:
    from trundle.laws.backlash import Backlash
    from trundle.laws.efforts import Damper, Motor, Open, Spring
    from trundle.laws.flows import Acceleration, Flow, Locked, Servo
    from trundle.laws.law import EffortLaw, FlowLaw, Law
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
_NAMES = {
    "trundle.laws.backlash": "Backlash",
    "trundle.laws.efforts": "Damper Motor Open Spring",
    "trundle.laws.flows": "Acceleration Flow Locked Servo",
    "trundle.laws.law": "EffortLaw FlowLaw Law",
    "trundle.model.block": "Block BlockOutput",
    "trundle.model.body": "Body Frame",
    "trundle.model.connection": "ConnectedPair",
    "trundle.model.coordinate_forces": "CoordinateForce TorsionSpring",
    "trundle.model.definitions": "Event Output Parameter",
    "trundle.model.electric_motor": "ElectricMotor",
    "trundle.model.first_order_lag": "FirstOrderLag",
    "trundle.model.force": "Force",
    "trundle.model.frame_forces": "Bushing Wrench",
    "trundle.model.joint": "AxisJoint Connection FixedControlledJoint FixedIdealJoint FixedServoJoint FreeIdealJoint "
    "FreeSlideJoint Joint SpringIdealJoint",
    "trundle.model.line_forces": "LineForce SpringDamper",
    "trundle.model.model": "Model",
    "trundle.model.pid": "PID",
    "trundle.model.series_damper": "SeriesDamper",
    "trundle.model.state": "State",
}
import_when_used(globals(), _NAMES)
