"""Start values of quantities that are not states, such as positions of bodies: met along with the rows."""

from collections.abc import Mapping, Sequence
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.equations.derive import Equations
from trundle.equations.in_place import InPlace
from trundle.equations.mobility import RowFunctions
from trundle.equations.settle import Settler
from trundle.errors import ModelError

Array = np.ndarray[Any, np.dtype[np.float64]]


@final
class Targets:
    """Wanted values as residuals in q (positions) and in u (rates); UnknownNameError for a name that is no quantity."""

    def __init__(self, equations: Equations, rows: RowFunctions | None, names: Sequence[str], settle: Settler) -> None:
        e = self.equations = equations
        self.rows = rows
        self.settle = settle
        self.names: list[str] = []
        self.sizes: dict[str, int] = {}
        positions, rates, values = [], [], []
        for name in names:
            expression = ca.SX(e.signals[name])
            self.sizes[name] = expression.numel()
            value = ca.SX.sym(name, expression.numel())
            values.append(value)
            difference = expression - value
            if "velocity" in name or name.endswith("_rate") or ca.depends_on(expression, e.u):
                rates.append(difference)
            else:
                if name in e.signals.measured and e.signals.measured[name].is_angle:
                    difference = ca.atan2(ca.sin(difference), ca.cos(difference))  # known up to whole turns
                positions.append(difference)
                self.names += [name] * expression.numel()
        g, rate = ca.vertcat(ca.SX(0, 1), *positions), ca.vertcat(ca.SX(0, 1), *rates)
        P = ca.jacobian(e.position_rates(), e.u)
        outputs = [g, ca.mtimes(ca.jacobian(g, e.q), P), rate, ca.jacobian(rate, e.u), P]
        own = np.ones(g.numel(), bool)
        self.holonomic: Any = own if rows is None else np.concatenate([rows.holonomic, own])
        inputs = [e.t, e.q, e.u, e.p, ca.vertcat(*values)]
        self._f = InPlace(ca.Function("targets", inputs, [ca.densify(o) for o in outputs]))
        self._values: Any = np.zeros(sum(self.sizes.values()))

    def aim(self, wanted: Mapping[str, Any]) -> "Targets":
        """Take these values for the names it was made for."""
        numbers = []
        for name, size in self.sizes.items():
            value = np.atleast_1d(np.asarray(wanted[name], dtype=float))
            if value.shape != (size,) or not np.all(np.isfinite(value)):
                raise ModelError(f"start value of {name!r} must be {size} finite numbers, got {wanted[name]!r}.")
            numbers.append(value)
        self._values = np.concatenate(numbers)
        return self

    def __call__(self, t: float, q: Any, u: Any, p: Any) -> tuple[Array, Array, Array, Array]:
        """Residuals and rows of constraints and wanted positions: what `close` asks for."""
        g, J, _, _, P = self._f(t, q, u, p, self._values)
        if self.rows is None:
            return g.ravel(), np.zeros(len(g)), J, P
        g_rows, rate, J_rows, _ = self.rows(t, q, u, p)
        return np.concatenate([g_rows, g.ravel()]), np.concatenate([rate, np.zeros(len(g))]), np.vstack([J_rows, J]), P

    def rates(self, t: float, q: Any, u: Any, p: Any) -> tuple[Array, Array]:
        """Residuals of the wanted rates and their rows."""
        _, _, rate, J, _ = self._f(t, q, u, p, self._values)
        return rate.ravel(), J
