"""Rail vehicles: a wheelset on a roller rig. Axes: x forward, y to the left, z up; roll raises the left wheel."""

from trundle.rail.guide import WheelsetGuide
from trundle.rail.rig_pose import JOINTS, RigPose
from trundle.rail.roller_rig import RollerRig

__all__ = ["JOINTS", "RigPose", "RollerRig", "WheelsetGuide"]
