"""Time integration: compiled loops with error control, projection, events and dense output."""

from trundle.solve.explicit import DormandPrince5, DormandPrince8, ExplicitRungeKutta
from trundle.solve.lanes import Batch, LaneProblem, march_lanes
from trundle.solve.march import march
from trundle.solve.outcome import Outcome
from trundle.solve.problem import Compiled, Problem
from trundle.solve.stiff import Rodas5P, Rosenbrock
from trundle.solve.trajectory import Counts, EventLog, NearSingular, Trajectory

__all__ = [
    "Batch",
    "Compiled",
    "Counts",
    "DormandPrince5",
    "DormandPrince8",
    "EventLog",
    "ExplicitRungeKutta",
    "LaneProblem",
    "NearSingular",
    "Outcome",
    "Problem",
    "Rodas5P",
    "Rosenbrock",
    "Trajectory",
    "march",
    "march_lanes",
]
