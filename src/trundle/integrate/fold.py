"""Folds of linkages in a stiff run are passed by an explicit method, whose stages all satisfy the constraints.

The stages of the stiff method violate the constraints slightly. If a loop is nearly singular, this error is magnified,
and the step can end on another branch although its error estimate is small.
"""

from typing import final

from trundle.integrate import codes as at
from trundle.integrate.methods.explicit import DormandPrince8
from trundle.integrate.methods.start_step import step_at_start
from trundle.integrate.methods.tableau import Method, Plan, StepControl
from trundle.integrate.problem import Problem
from trundle.integrate.workspace import Workspace, set_control

LONGEST = 5_000  # steps of a passage: after them a motion that stays near a fold returns to the stiff method


def passing_plan(problem: Problem, plan: Plan) -> Plan | None:
    """The method for folds; None if there are none or if the method of the run can pass them itself."""
    needed = plan.needs_jacobian and problem.near_folds is not None and problem.n_monitors > 0
    return DormandPrince8().plan() if needed else None


@final
class Folds:
    """Switches the method of a run at folds."""

    def __init__(self, workspace: Workspace, method: Method) -> None:
        self.workspace, self.usual, self.method = workspace, workspace.plan, method
        if passing_plan(workspace.problem, workspace.plan) is not None and workspace.record.fixed == 0:
            workspace.record.folds = at.STOP_BEFORE

    def enter(self) -> None:
        """Before a fold: continue with the explicit method."""
        problem = self.workspace.problem
        assert problem.near_folds is not None
        self.workspace.record.passage_end = self.workspace.record.steps + LONGEST
        self.workspace.take(DormandPrince8().plan(), problem.near_folds)
        self._continue(DormandPrince8.control, DormandPrince8.order, at.PASSING)

    def leave(self) -> None:
        """After a fold, or if the motion stays near it: return to the stiff method."""
        stays = self.workspace.record.steps >= self.workspace.record.passage_end
        self.workspace.take(self.usual, self.workspace.problem.rhs)
        self._continue(self.method.control, self.method.order, at.THROUGH if stays else at.STOP_BEFORE)

    def _continue(self, control: StepControl, order: int, way: int) -> None:
        m, run = self.workspace, self.workspace.record
        run.folds, run.fresh, run.status = way, 0, at.RUNNING
        set_control(run, control)
        run.last_error = 1e-4
        m.k[: len(m.x)] = m.slope(m.time, m.x)
        run.h = min(step_at_start(m, order), run.h_max)  # step lengths of the other method do not apply to this one
