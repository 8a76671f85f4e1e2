"""Derivatives of a run by parameters and start values, and of every quantity of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np

from trundle.derivative import derivative_along
from trundle.equations.formulation import Formulation
from trundle.errors import SolveError, UnknownNameError
from trundle.kernel import evaluate
from trundle.quantity import Quantity
from trundle.typing import Array, TapeFunction

if TYPE_CHECKING:
    from trundle.run.quantities import RunQuantities


@final
@dataclass(frozen=True, eq=False)
class Sensitivities:
    """At every sample the derivatives of the states (times, states, names) and of the parameters in use, and those of
    the times of all events (events, names); nan for events that change nothing.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    used: tuple[int, ...]  # places in p of the parameters in use
    states: Array
    parameters: Array
    event_times: Array

    def column(self, name: str) -> int:
        """Column of a parameter or start value."""
        if name not in self.names:
            raise UnknownNameError(name, self.names, "parameter or start value among those of sensitivity=[...]")
        return self.names.index(name)

    def of(self, run: "RunQuantities", quantity: Quantity, by: str) -> Array:
        """Derivative of a quantity at every sample, (times, size)."""
        f, k = run.formulation, self.column(by)
        assert f is not None and run.raw is not None
        if quantity.group == "state":
            return f.states.values(self.states[:, :, k])[quantity.name]
        if quantity.group == "work":
            self._refuse_events(run, quantity)
            return f.works(self.states[:, :, k])[quantity.name]
        if quantity.group == "orientations":
            raise SolveError(
                f"{quantity.name!r} has no derivative of its own: ask for that of '{quantity.owner}.rotation'."
            )
        t, x, p = run.raw
        kernels = f.kernels(f"change {quantity.name} {self.used}", lambda f: self._functions(f, quantity))
        kernel = kernels["change"]
        p = np.broadcast_to(p, (len(t), np.shape(p)[-1]))
        extended = np.hstack([x, self.states[:, :, k]]), np.hstack([p, self.parameters[:, :, k]])
        return evaluate(kernel, kernel, t, *extended, threads=1)

    def _functions(self, f: Formulation, quantity: Quantity) -> dict[str, TapeFunction]:
        """Change of a quantity while the state and the parameters in use change, as a function of all of them."""
        t, x, p = f.functions.inputs
        used = p[list(self.used)] if self.used else ca.SX(0, 1)
        dx, dp = ca.SX.sym("dx", x.shape[0]), ca.SX.sym("dp", len(self.used))
        value = ca.vec(ca.densify(ca.SX(f.expressions.of(quantity))))
        change = derivative_along(value, ca.vertcat(x, used), ca.vertcat(dx, dp))
        inputs = [t, ca.vertcat(x, dx), ca.vertcat(p, dp)]
        return {"change": ca.Function("change", inputs, [ca.densify(change)])}

    @staticmethod
    def _refuse_events(run: "RunQuantities", quantity: Quantity) -> None:
        if run.trajectory is not None and np.any(run.trajectory.events.work) | np.any(run.trajectory.events.lost):
            raise SolveError(
                f"{quantity.name!r} includes the work of events and collisions, whose derivative is not known: ask for "
                "'energy.kinetic' and 'energy.potential'."
            )
