"""Rail vehicles: a wheelset on a roller rig; wheel on rail. Axes: x forward, y to the left, z up; roll raises the left
wheel.
"""

from trundle.rail.creep import (
    Creepages,
    CreepForce,
    CreepLaw,
    FallingFriction,
    JohnsonVermeulen,
    Linear,
    Polach,
    ShenHedrickElkins,
    creepages,
)
from trundle.rail.creep_view import creep_plot
from trundle.rail.fastsim import Fastsim
from trundle.rail.guide import WheelsetGuide
from trundle.rail.hertz import STEEL, Elastic, Ellipse, hertz, hertz_of_axes
from trundle.rail.kalker import Coefficients, KalkerWarning, Patch, kalker
from trundle.rail.rig_pose import JOINTS, RigPose
from trundle.rail.roller_rig import RollerRig

__all__ = [
    "JOINTS",
    "STEEL",
    "Coefficients",
    "CreepForce",
    "CreepLaw",
    "Creepages",
    "Elastic",
    "Ellipse",
    "FallingFriction",
    "Fastsim",
    "JohnsonVermeulen",
    "KalkerWarning",
    "Linear",
    "Patch",
    "Polach",
    "RigPose",
    "RollerRig",
    "ShenHedrickElkins",
    "WheelsetGuide",
    "creep_plot",
    "creepages",
    "hertz",
    "hertz_of_axes",
    "kalker",
]
