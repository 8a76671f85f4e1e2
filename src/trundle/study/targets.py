"""Start values of quantities that are not states, such as positions of bodies, as additional equations of the start."""

from collections.abc import Sequence
from typing import final

import casadi as ca
import numpy as np

from trundle.contact.search import ContactSearch
from trundle.derivative import derivative
from trundle.equations.derive import Equations
from trundle.equations.row_functions import RowFunctions, speed_sizes
from trundle.errors import ModelError
from trundle.linear_algebra.in_place import InPlace
from trundle.quantity import Part
from trundle.real_array import not_numbers
from trundle.typing import AnyArray, Array, Expr, Values


@final
class Targets:
    """Wanted values as residuals in q (positions) and in u (rates)."""

    def __init__(
        self,
        equations: Equations,
        rows: RowFunctions | None,
        wanted: Sequence[Part],
        lengths: tuple[float, float],
        settle: ContactSearch,
    ) -> None:
        """With a typical length and the largest one (m)."""
        e = self.equations = equations
        self.rows, length = rows, lengths[0]
        self._sizes, self.largest_steps = speed_sizes(e, length), speed_sizes(e, lengths[1])
        self._scales: tuple[list[float], list[float]] = ([], [])  # of wanted positions and rates, to be free of units
        self.settle = settle
        self.names: list[str] = []
        self.sizes: dict[str, int] = {}
        positions, rates, values = [], [], []
        for part in wanted:
            name, unit = part.name, part.quantity.unit
            expression = ca.SX(e.signals[name])
            scale = [1 / length if unit in ("m", "m/s") else 1.0] * expression.numel()
            self.sizes[name] = expression.numel()
            value = ca.SX.sym(name, expression.numel())
            values.append(value)
            difference = expression - value
            if part.quantity.order == 1:
                rates.append(difference)
                self._scales[1].extend(scale)
            else:
                if name in e.signals.measured and e.signals.measured[name].is_angle:
                    difference = ca.atan2(ca.sin(difference), ca.cos(difference))  # known up to whole turns
                positions.append(difference)
                self._scales[0].extend(scale)
                self.names += [name] * expression.numel()
        g, rate = ca.vertcat(ca.SX(0, 1), *positions), ca.vertcat(ca.SX(0, 1), *rates)
        P = derivative(e.position_rates(), e.u)
        outputs = [g, ca.mtimes(derivative(g, e.q), P), rate, derivative(rate, e.u), P]
        own = np.ones(g.numel(), bool)
        self.holonomic: AnyArray = own if rows is None else np.concatenate([rows.holonomic, own])
        inputs = [e.t, e.q, e.u, e.p, ca.vertcat(*values)]
        self._f = InPlace(ca.Function("targets", inputs, [ca.densify(o) for o in outputs]))
        self._values: Array = np.zeros(sum(self.sizes.values()))

    def aim(self, wanted: Values) -> "Targets":
        """Take these values for the names it was made for."""
        numbers = []
        for name, size in self.sizes.items():
            given = wanted[name]
            value = np.atleast_1d(np.nan if not_numbers(given) else np.asarray(given, dtype=float))
            if value.shape != (size,) or not np.all(np.isfinite(value)):
                count = "one finite number" if size == 1 else f"{size} finite numbers"
                raise ModelError(f"start value of {name!r} must be {count}, got {wanted[name]!r}.")
            numbers.append(value)
        self._values = np.concatenate(numbers)
        return self

    @property
    def size(self) -> float:
        """Largest coordinate of a place that is wanted, or 1 where all are zero."""
        wanted = np.repeat([name in self.names for name in self.sizes], list(self.sizes.values()))
        return float(np.max(np.abs(self._values[wanted.astype(bool)]), initial=0.0)) or 1.0

    def __call__(self, t: float, q: Expr, u: Expr, p: Array) -> tuple[Array, Array, Array, Array]:
        """Residuals and rows of constraints and wanted positions, as needed by `close`."""
        g, J, _, _, P = self._f(t, q, u, p, self._values)
        if self.rows is None:
            return g.ravel(), np.zeros(len(g)), J, P
        g_rows, rate, J_rows, _ = self.rows(t, q, u, p)
        return np.concatenate([g_rows, g.ravel()]), np.concatenate([rate, np.zeros(len(g))]), np.vstack([J_rows, J]), P

    def together(self, t: float, q: Array, u: Array, p: Array, values: Array) -> list[Array]:
        """Residuals of wanted positions and their rows, of wanted rates and theirs, and P, of many cases with their own
        wanted values, each (cases, rows, columns).
        """
        return self._f.together(t, q, u, p, values)

    def needs_of_parameters(self) -> AnyArray:
        """Which entries of p they depend on."""
        return self._f.needs(3)

    def comparable(self, J: Array) -> Array:
        """Rows of constraints and wanted positions, free of units."""
        own = len(self._scales[0])
        scale = np.concatenate([np.ones(len(J) - own), self._scales[0]])
        return np.asarray(scale[:, None] * J * self._sizes)

    def comparable_rates(self, J: Array) -> Array:
        """Rows of wanted rates, free of units."""
        return np.asarray(np.array(self._scales[1]).reshape(-1, 1) * J * self._sizes)

    def rates(self, t: float, q: Expr, u: Expr, p: Array) -> tuple[Array, Array]:
        """Residuals of the wanted rates and their rows."""
        _, _, rate, J, _ = self._f(t, q, u, p, self._values)
        return rate.ravel(), J
