"""Stiff stretches of an explicit run: a stiff method, which needs no kernel for its Jacobian, goes through them.

Where a contact begins to slide, the direction of its slip settles at a rate that is friction over slip: without bound.
"""

from typing import final

from trundle.integrate import codes as at
from trundle.integrate.methods.rosenbrock import Rodas5P
from trundle.integrate.methods.tableau import Method, Plan
from trundle.integrate.problem import Problem
from trundle.integrate.workspace import Workspace, set_control


def stiff_plan(problem: Problem, plan: Plan) -> Plan | None:
    """The method for stiff stretches; None where there are none or where the method of the run is a stiff one."""
    return Rodas5P().plan() if problem.stiff_onsets and not plan.needs_jacobian else None


@final
class Onsets:
    """Changes the method of a run where its motion becomes stiff, and back."""

    def __init__(self, workspace: Workspace, method: Method) -> None:
        self.workspace, self.usual, self.method = workspace, workspace.plan, method
        run = workspace.record
        watched = stiff_plan(workspace.problem, workspace.plan) is not None and run.fixed == 0
        run.stiffness, run.stability = at.BY_EXPLICIT if watched else at.ONE_METHOD, method.stability

    def change(self) -> None:
        """Continue with the other method."""
        workspace, run = self.workspace, self.workspace.record
        stiff = run.stiffness == at.BY_EXPLICIT
        workspace.take(Rodas5P().plan() if stiff else self.usual, workspace.problem.rhs)
        set_control(run, Rodas5P.control if stiff else self.method.control)
        run.stiffness = at.BY_STIFF if stiff else at.BY_EXPLICIT
        run.unsuited = run.unstable = run.stable = run.fresh = 0
        run.last_error, run.answer = 1e-4, at.RUNNING
