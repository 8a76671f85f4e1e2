"""Percussive dynamics: the phases of a collision."""

from trundle.arguments import answer_calls
from trundle.impact.critical import centre_of_motion, critical_values
from trundle.impact.percussion import PercussionPlane
from trundle.impact.phase import Phase
from trundle.impact.phases import foot_rows, step_impact
from trundle.impact.scenario import Scenario, ScenarioArray, predict

__all__ = [
    "PercussionPlane",
    "Phase",
    "Scenario",
    "ScenarioArray",
    "centre_of_motion",
    "critical_values",
    "foot_rows",
    "predict",
    "step_impact",
]
answer_calls(globals(), __all__)
