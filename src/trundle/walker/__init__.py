"""Walkers: the rimless wheel, the rocking block and the dimer, whose feet strike the ground."""

from trundle.messages.arguments import explain_module_calls
from trundle.walker.collision import Collision, ContactPhase
from trundle.walker.compliant import collide
from trundle.walker.dimer import bouncing_dimer
from trundle.walker.foot_law import BiStiffness
from trundle.walker.gait import find_gait, outcome, over_friction, start_at
from trundle.walker.impact.critical import centre_of_motion, critical_values
from trundle.walker.impact.percussion import PercussionPlane
from trundle.walker.impact.phase import Phase
from trundle.walker.impact.phases import foot_rows, step_impact
from trundle.walker.impact.scenario import Scenario, ScenarioArray, predict
from trundle.walker.rimless import PlasticGait, landing, pivoting_wheel, rimless_wheel
from trundle.walker.rocking_block import housner_ratio, rocking_block

__all__ = [
    "BiStiffness",
    "Collision",
    "ContactPhase",
    "PercussionPlane",
    "Phase",
    "PlasticGait",
    "Scenario",
    "ScenarioArray",
    "bouncing_dimer",
    "centre_of_motion",
    "collide",
    "critical_values",
    "find_gait",
    "foot_rows",
    "housner_ratio",
    "landing",
    "outcome",
    "over_friction",
    "pivoting_wheel",
    "predict",
    "rimless_wheel",
    "rocking_block",
    "start_at",
    "step_impact",
]
explain_module_calls(globals(), __all__)
