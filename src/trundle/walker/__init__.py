"""Walkers: the rimless wheel and the rocking block, whose feet strike the ground."""

from trundle.impact.scenario import Phase, Scenario, ScenarioArray, predict

__all__ = ["Phase", "Scenario", "ScenarioArray", "predict"]
