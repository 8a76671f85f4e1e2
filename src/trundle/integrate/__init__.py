"""Time integration: compiled loops with error control, projection, events and dense output."""

from typing import TYPE_CHECKING

from trundle.integrate.case import Case, Cases
from trundle.integrate.integrate import Integration, integrate
from trundle.integrate.methods.explicit import DormandPrince5, DormandPrince8, ExplicitRungeKutta
from trundle.integrate.methods.rosenbrock import Rodas4, Rodas5P, Rosenbrock
from trundle.integrate.options import Options, Sampling, Steps, Supervision, Tolerances
from trundle.integrate.outcome import Outcome
from trundle.integrate.problem import Compiled, Problem
from trundle.integrate.trajectory import Counts, EventLog, NearSingular, Trajectory
from trundle.messages.late_names import import_when_used

if TYPE_CHECKING:
    from trundle.integrate.lanes.integrate import Batch, LaneProblem, integrate_lanes

__all__ = [
    "Batch",
    "Case",
    "Cases",
    "Compiled",
    "Counts",
    "DormandPrince5",
    "DormandPrince8",
    "EventLog",
    "ExplicitRungeKutta",
    "Integration",
    "LaneProblem",
    "NearSingular",
    "Options",
    "Outcome",
    "Problem",
    "Rodas4",
    "Rodas5P",
    "Rosenbrock",
    "Sampling",
    "Steps",
    "Supervision",
    "Tolerances",
    "Trajectory",
    "integrate",
    "integrate_lanes",
]
import_when_used(globals(), {"trundle.integrate.lanes.integrate": "Batch LaneProblem integrate_lanes"})
