"""Walkers: the rimless wheel and the rocking block, whose feet strike the ground."""

from trundle.impact.phase import Phase
from trundle.impact.scenario import Scenario, ScenarioArray, predict
from trundle.walker.collision import Collision, ContactPhase
from trundle.walker.compliant import collide
from trundle.walker.foot_law import BiStiffness

__all__ = ["BiStiffness", "Collision", "ContactPhase", "Phase", "Scenario", "ScenarioArray", "collide", "predict"]
