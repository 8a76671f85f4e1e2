"""Folds of linkages in a stiff run: an explicit method, whose stages all lie on the constraints, goes through them.

The stages of the stiff method leave the constraints a little. Where a loop is nearly singular that little is magnified,
and the step can end on another branch while its error estimate is small.
"""

from typing import final

from trundle.integrate import codes as at
from trundle.integrate.methods.explicit import DormandPrince8
from trundle.integrate.methods.start_step import step_at_start
from trundle.integrate.methods.tableau import Method, Plan, StepControl
from trundle.integrate.problem import Problem
from trundle.integrate.workspace import Workspace, set_control

LONGEST = 5_000  # steps of a passage: a stiff motion that stays near a fold is given back


def passing_plan(problem: Problem, plan: Plan) -> Plan | None:
    """The method for folds; None where there are none or where the method of the run can pass them itself."""
    needed = plan.needs_jacobian and problem.near_folds is not None and problem.n_monitors > 0
    return DormandPrince8().plan() if needed else None


@final
class Folds:
    """Changes the method of a run at folds."""

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
        self._go_on(DormandPrince8.control, DormandPrince8.order, at.PASSING)

    def leave(self) -> None:
        """The fold is passed, or the motion stays near it."""
        stays = self.workspace.record.steps >= self.workspace.record.passage_end
        self.workspace.take(self.usual, self.workspace.problem.rhs)
        self._go_on(self.method.control, self.method.order, at.THROUGH if stays else at.STOP_BEFORE)

    def _go_on(self, control: StepControl, order: int, way: int) -> None:
        m, run = self.workspace, self.workspace.record
        run.folds, run.fresh, run.answer = way, 0, at.RUNNING
        set_control(run, control)
        run.last_error = 1e-4
        m.k[: len(m.x)] = m.slope(m.time, m.x)
        run.h = min(step_at_start(m, order), run.h_max)  # the last method's steps say nothing about this one's
