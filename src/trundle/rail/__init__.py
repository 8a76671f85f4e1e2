"""Rail: lines and their track frame; wheel on rail; a wheelset on a roller rig.

Axes: x forward, y to the left, z up; roll raises the left wheel. A curve of positive radius turns left.
"""

from trundle.rail.alignment import Alignment
from trundle.rail.continuity import Continuity, Jump
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
from trundle.rail.cubic_parabola import CubicParabola
from trundle.rail.fastsim import Fastsim
from trundle.rail.gradient import Grade, VerticalCurve
from trundle.rail.guide import WheelsetGuide
from trundle.rail.hertz import STEEL, Elastic, Ellipse, hertz, hertz_of_axes
from trundle.rail.irregularity import Irregularity
from trundle.rail.kalker import Coefficients, KalkerWarning, Patch, kalker
from trundle.rail.measured import FittedLine, fit_line
from trundle.rail.rig_pose import JOINTS, RigPose
from trundle.rail.roller_rig import RollerRig
from trundle.rail.segment import (
    Arc,
    Bloss,
    Clothoid,
    Cosine,
    Helmert,
    Polynomial,
    Segment,
    Sine,
    Straight,
    Transition,
    Vienna,
)
from trundle.rail.track_frame import TrackMotion

__all__ = [
    "JOINTS",
    "STEEL",
    "Alignment",
    "Arc",
    "Bloss",
    "Clothoid",
    "Coefficients",
    "Continuity",
    "Cosine",
    "CreepForce",
    "CreepLaw",
    "Creepages",
    "CubicParabola",
    "Elastic",
    "Ellipse",
    "FallingFriction",
    "Fastsim",
    "FittedLine",
    "Grade",
    "Helmert",
    "Irregularity",
    "JohnsonVermeulen",
    "Jump",
    "KalkerWarning",
    "Linear",
    "Patch",
    "Polach",
    "Polynomial",
    "RigPose",
    "RollerRig",
    "Segment",
    "ShenHedrickElkins",
    "Sine",
    "Straight",
    "TrackMotion",
    "Transition",
    "VerticalCurve",
    "Vienna",
    "WheelsetGuide",
    "creep_plot",
    "creepages",
    "fit_line",
    "hertz",
    "hertz_of_axes",
    "kalker",
]
