"""Percussive dynamics: what happens inside a collision."""

from trundle.impact.percussion import PercussionPlane, critical_values
from trundle.impact.phases import step_impact
from trundle.impact.scenario import Phase, Scenario, ScenarioArray, predict

__all__ = ["PercussionPlane", "Phase", "Scenario", "ScenarioArray", "critical_values", "predict", "step_impact"]
