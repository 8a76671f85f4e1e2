"""Stiff intervals of an explicit run are integrated by a stiff method that needs no kernel for its Jacobian.

When a contact begins to slide, the direction of its slip settles at the rate friction / slip, which is unbounded.
"""

from typing import final

from trundle.integrate import codes as at
from trundle.integrate.methods.rosenbrock import Rodas5P
from trundle.integrate.methods.tableau import Method, Plan
from trundle.integrate.problem import Problem
from trundle.integrate.workspace import Workspace, set_control


def stiff_plan(problem: Problem, plan: Plan) -> Plan | None:
    """The method for stiff intervals; None if there are none or if the method of the run is stiff itself."""
    return Rodas5P().plan() if problem.stiff_onsets and not plan.needs_jacobian else None


@final
class Onsets:
    """Switches the method of a run when its motion becomes stiff, and back."""

    def __init__(self, workspace: Workspace, method: Method) -> None:
        self.workspace, self.usual, self.method = workspace, workspace.plan, method
        run = workspace.record
        watched = stiff_plan(workspace.problem, workspace.plan) is not None and run.fixed == 0
        run.stiffness, run.stability = at.BY_EXPLICIT if watched else at.ONE_METHOD, method.stability

    def change(self) -> None:
        """Switch to the other method."""
        workspace, run = self.workspace, self.workspace.record
        stiff = run.stiffness == at.BY_EXPLICIT
        workspace.take(Rodas5P().plan() if stiff else self.usual, workspace.problem.rhs)
        set_control(run, Rodas5P.control if stiff else self.method.control)
        run.stiffness = at.BY_STIFF if stiff else at.BY_EXPLICIT
        run.unsuited = run.unstable = run.stable = run.fresh = 0
        run.last_error, run.status = 1e-4, at.RUNNING
