"""Percussive dynamics: what happens inside a collision."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trundle.impact.collision import Collision, ContactPhase
    from trundle.impact.compliant import collide
    from trundle.impact.foot_law import BiStiffness
    from trundle.impact.percussion import PercussionPlane, critical_values
    from trundle.impact.phases import step_impact
    from trundle.impact.scenario import Phase, Scenario, ScenarioArray, predict

__all__ = [
    "BiStiffness",
    "Collision",
    "ContactPhase",
    "PercussionPlane",
    "Phase",
    "Scenario",
    "ScenarioArray",
    "collide",
    "critical_values",
    "predict",
    "step_impact",
]

PLACES = {
    "BiStiffness": "foot_law",
    "Collision": "collision",
    "ContactPhase": "collision",
    "PercussionPlane": "percussion",
    "Phase": "scenario",
    "Scenario": "scenario",
    "ScenarioArray": "scenario",
    "collide": "compliant",
    "critical_values": "percussion",
    "predict": "scenario",
    "step_impact": "phases",
}
"""Public names and the modules that hold them; loaded when first used, for the engine needs none of them."""


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
