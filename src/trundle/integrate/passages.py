"""Intervals of a run for which another method is used, because its own cannot integrate them, or only slowly."""

from typing import final

from trundle.integrate import codes as at
from trundle.integrate import fold
from trundle.integrate.fold import Folds
from trundle.integrate.methods.tableau import Method, Plan
from trundle.integrate.onset import Onsets, stiff_plan
from trundle.integrate.problem import Problem
from trundle.integrate.workspace import Workspace


def passing_plan(problem: Problem, plan: Plan) -> Plan | None:
    """The other method that a run may need, or None."""
    return fold.passing_plan(problem, plan) or stiff_plan(problem, plan)


@final
class Passages:
    """Folds of a stiff run and stiff onsets of an explicit one."""

    def __init__(self, workspace: Workspace, method: Method) -> None:
        self._folds, self._onsets = Folds(workspace, method), Onsets(workspace, method)

    def changed_method(self, code: int) -> bool:
        """Switch the method if the loop has returned for that reason."""
        if code == at.FOLD_AHEAD:
            self._folds.enter()
        elif code == at.FOLD_PASSED:
            self._folds.leave()
        elif code == at.UNSUITED:
            self._onsets.change()
        else:
            return False
        return True
