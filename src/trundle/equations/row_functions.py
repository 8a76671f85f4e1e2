"""The constraint rows of a model in numbers."""

from typing import final

import casadi as ca
import numpy as np

from trundle.contact.search import ContactSearch
from trundle.derivative import derivative
from trundle.equations.derive import Equations
from trundle.linear_algebra.in_place import InPlace
from trundle.linear_algebra.kkt import dense
from trundle.typing import AnyArray, Array


@final
class RowFunctions:
    """Numeric residuals and Jacobian, by CasADi's own evaluator (they are evaluated a few times only)."""

    def __init__(self, equations: Equations, length: float, reach: float) -> None:
        """`length` is a typical length, `reach` the largest one (m)."""
        e, rows = equations, equations.rows
        self.equations = equations
        self.names = [r.name for r in rows]
        self.holonomic = np.array([r.holonomic for r in rows], bool)
        self.on_speeds = np.array([r.level != "acceleration" for r in rows], bool)  # rows that hold speeds
        self.settle = ContactSearch(equations)
        self.sizes, self.largest_steps = speed_sizes(e, length), speed_sizes(e, reach)
        scale = ca.DM([1 / length if r.unit == "m" else 1.0 for r in rows])
        g = ca.vertcat(*[r.residual for r in rows])
        rate = ca.vertcat(*[r.rate for r in rows])
        J = ca.vertcat(*[dense(r.jacobian, e.n_u).T for r in rows])
        P = derivative(e.position_rates(), e.u)
        outputs = [ca.densify(v) for v in (scale * g, scale * rate, ca.mtimes(ca.diag(scale), J), P)]
        self._evaluate = InPlace(ca.Function("rows", [e.t, e.q, e.u, e.p], outputs))
        gamma = scale * ca.vertcat(*[r.gamma for r in rows])
        self.gamma = ca.Function("gamma", [e.t, e.q, e.u, e.p], [ca.densify(gamma)])

    def __call__(self, t: float, q: Array, u: Array, p: Array) -> tuple[Array, Array, Array, Array]:
        """g, rate, J, P."""
        g, rate, J, P = self._evaluate(t, q, u, p)
        return g.ravel(), rate.ravel(), J, P

    def together(self, t: float, q: Array, u: Array, p: Array) -> tuple[Array, Array, Array, Array]:
        """g, rate, J, P of many cases, of shape (cases, rows, columns)."""
        g, rate, J, P = self._evaluate.together(t, q, u, p)
        return g, rate, J, P

    def needs_of_parameters(self) -> AnyArray:
        """Mask of the entries of p on which they depend."""
        return self._evaluate.needs(3)

    def comparable(self, J: Array) -> Array:
        """Dimensionless rows, for rank decisions."""
        return np.asarray(J * self.sizes)


def speed_sizes(equations: Equations, length: float) -> Array:
    """Units of the speeds of the tree that make them dimensionless."""
    sizes = np.ones(equations.tree.n_u)
    for link in equations.tree.links:
        if link.kind == "slide":
            sizes[link.i_u] = length
    return sizes
