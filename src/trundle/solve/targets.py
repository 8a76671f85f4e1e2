"""Start values of quantities that are not states, such as positions of bodies: met along with the rows."""

from collections.abc import Mapping
from typing import Any, final

import casadi as ca
import numpy as np

from trundle.equations.derive import Equations
from trundle.equations.mobility import RowFunctions
from trundle.equations.settle import Settler
from trundle.errors import ModelError

Array = np.ndarray[Any, np.dtype[np.float64]]


@final
class Targets:
    """Wanted values as residuals in q (positions) and in u (rates); UnknownNameError for a name that is no quantity."""

    def __init__(self, equations: Equations, rows: RowFunctions | None, wanted: Mapping[str, Any]) -> None:
        e = self.equations = equations
        self.rows = rows
        self.settle = Settler(e) if rows is None else rows.settle
        self.names: list[str] = []
        positions, rates = [], []
        for name, value in wanted.items():
            expression = ca.SX(e.signals[name])
            numbers = np.atleast_1d(np.asarray(value, dtype=float))
            if numbers.shape != (expression.numel(),) or not np.all(np.isfinite(numbers)):
                raise ModelError(f"start value of {name!r} must be {expression.numel()} finite numbers, got {value!r}.")
            difference = expression - ca.DM(numbers)
            if name.endswith("_rate") or "velocity" in name:
                rates.append(difference)
            else:
                if name in e.signals.measured and e.signals.measured[name].is_angle:
                    difference = ca.atan2(ca.sin(difference), ca.cos(difference))  # known up to whole turns
                positions.append(difference)
                self.names += [name] * expression.numel()
        g, rate = ca.vertcat(ca.SX(0, 1), *positions), ca.vertcat(ca.SX(0, 1), *rates)
        P = ca.jacobian(e.coordinate_rates(), e.u)
        outputs = [g, ca.mtimes(ca.jacobian(g, e.q), P), rate, ca.jacobian(rate, e.u), P]
        own = np.ones(g.numel(), bool)
        self.holonomic: Any = own if rows is None else np.concatenate([rows.holonomic, own])
        self._f = ca.Function("targets", [e.t, e.q, e.u, e.p], [ca.densify(o) for o in outputs])

    def __call__(self, t: float, q: Any, u: Any, p: Any) -> tuple[Array, Array, Array, Array]:
        """Residuals and rows of constraints and wanted positions: what `close` asks for."""
        g, J, _, _, P = (v.full() for v in self._f(t, q, u, p))
        if self.rows is None:
            return g.ravel(), np.zeros(len(g)), J, P
        g_rows, rate, J_rows, _ = self.rows(t, q, u, p)
        return np.concatenate([g_rows, g.ravel()]), np.concatenate([rate, np.zeros(len(g))]), np.vstack([J_rows, J]), P

    def rates(self, t: float, q: Any, u: Any, p: Any) -> tuple[Array, Array]:
        """Residuals of the wanted rates and their rows."""
        _, _, rate, J, _ = (v.full() for v in self._f(t, q, u, p))
        return rate.ravel(), J
