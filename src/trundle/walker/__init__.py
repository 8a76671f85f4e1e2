"""Walkers: the rimless wheel, the rocking block and the dimer, whose feet strike the ground."""

from trundle.arguments import answer_calls
from trundle.impact.phase import Phase
from trundle.impact.scenario import Scenario, ScenarioArray, predict
from trundle.walker.collision import Collision, ContactPhase
from trundle.walker.compliant import collide
from trundle.walker.dimer import bouncing_dimer
from trundle.walker.foot_law import BiStiffness
from trundle.walker.gait import find_gait, outcome, over_friction, start_at
from trundle.walker.rimless import PlasticGait, landing, pivoting_wheel, rimless_wheel
from trundle.walker.rocking_block import housner_ratio, rocking_block

__all__ = [
    "BiStiffness",
    "Collision",
    "ContactPhase",
    "Phase",
    "PlasticGait",
    "Scenario",
    "ScenarioArray",
    "bouncing_dimer",
    "collide",
    "find_gait",
    "housner_ratio",
    "landing",
    "outcome",
    "over_friction",
    "pivoting_wheel",
    "predict",
    "rimless_wheel",
    "rocking_block",
    "start_at",
]
answer_calls(globals(), __all__)
