"""The equations of motion with those of their derivatives, as one problem for the compiled loop.

With S = dx/dtheta at a given time and P = dp/dtheta, S' = (df/dx) S + (df/dp) P along the motion [Leine 2004, ch. 7].
"""

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError
from trundle.integrate.case import Case
from trundle.integrate.integrate import integrate
from trundle.integrate.interruption import part_of_study
from trundle.integrate.methods.explicit import DormandPrince5, DormandPrince8
from trundle.integrate.methods.tableau import Method
from trundle.integrate.options import Options, Sampling, Supervision, Tolerances
from trundle.integrate.problem import Problem
from trundle.typing import Array, TapeFunction


@final
@dataclass(frozen=True, eq=False)
class Extended:
    """x and the columns of S behind each other; the parameters p and the columns of P, whose rows are `used` of p."""

    formulation: Formulation
    used: tuple[int, ...]
    columns: int

    @property
    def n(self) -> int:
        """Number of states."""
        return self.formulation.n_x

    def state(self, x: Array, S: Array) -> Array:
        """One vector of a state and its derivatives."""
        return np.concatenate([x, S.ravel(order="F")])

    def derivatives(self, extended: Array) -> Array:
        """The matrix S of every such vector, (times, states, columns)."""
        return np.asarray(extended[:, self.n :].reshape(len(extended), self.columns, self.n).transpose(0, 2, 1))

    def parameters(self, p: Array, P: Array) -> Array:
        """One vector of parameters and their derivatives."""
        return np.concatenate([p, P.ravel(order="F")])

    def integrate(self, case: Case, times: Array, rtol: float, atol: Array) -> tuple[Array, Array, Array]:
        """S at times of a stretch without events, and x and S at its end; atol is that of x and S.

        case: of this problem, from one event to the next.
        """
        method: Method = DormandPrince8() if rtol < 1e-7 else DormandPrince5()
        sampling, quiet = Sampling(np.append(times, case.t1)), Supervision(progress=False)
        options = Options(Tolerances(rtol, atol), sampling, supervision=quiet)
        with part_of_study():
            found = integrate(self.problem(), method, case, options)
        if not found.outcome.ok:
            raise SolveError(
                f"the derivatives could not be followed beyond t = {found.t_end:.6g} s ({found.outcome.name}): the "
                "motion is hardly smooth there."
            )
        S = self.derivatives(found.x)
        return S[: len(times)], found.x_end[: self.n], S[-1]

    def problem(self) -> Problem:
        """For the compiled loop; events end its stretches, so it knows none."""
        f = self.formulation
        kernels, states = f.kernels(f"extended {self.used} {self.columns}", self._functions), f.states
        return Problem(
            rhs=kernels["rhs"],
            project=kernels.get("project"),
            breaks=f.kernels("base").get("breaks"),
            n_q=states.n_q,
            n_u=states.n_u,
            quaternions=states.quaternions,
            error_weight=np.tile(states.error_weights, 1 + self.columns),
        )

    def _functions(self, f: Formulation) -> dict[str, TapeFunction]:
        functions = f.functions
        t, x, p = functions.inputs
        S, P = ca.SX.sym("S", self.n, self.columns), ca.SX.sym("P", len(self.used), self.columns)
        plain = functions.plain_rhs(t, x, p)
        rates = ca.mtimes(derivative(plain, x), S)
        if self.used:
            rates += ca.mtimes(derivative(plain, p[list(self.used)]), P)
        inputs = [t, ca.vertcat(x, ca.vec(S)), ca.vertcat(p, ca.vec(P))]
        xdot = ca.vertcat(functions.rhs()(t, x, p), ca.vec(ca.densify(rates)))
        found = {"rhs": ca.Function("rhs", inputs, [ca.densify(xdot)])}
        project = functions.project()
        if project is not None:
            out = project(t, x, p)
            moved = ca.vertcat(out[: self.n], ca.vec(S), out[self.n :])
            found["project"] = ca.Function("project", inputs, [ca.densify(moved)])
        return found


def depends_on_time(f: Formulation) -> bool:
    """Whether the equations of motion change with time itself."""
    t, x, p = f.functions.inputs
    return bool(derivative(f.functions.plain_rhs(t, x, p), t).nnz())
