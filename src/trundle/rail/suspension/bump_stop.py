"""Bump stops: no force within the play, then a progressive force, symmetric in both directions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from trundle.derivative import derivative
from trundle.errors import ModelError
from trundle.laws.law import EffortLaw
from trundle.lookup.slopes import monotone_slopes
from trundle.lookup.table import Table
from trundle.model.body import Frame
from trundle.model.model import Model
from trundle.rail.suspension.axis_laws import AxisLaws, on_axis
from trundle.rail.suspension.suspension import Axis, Suspension, check_axis, check_numbers
from trundle.typing import Expr

REACH = 1.0  # m beyond the last point of a table, along its last slope


@final
@dataclass(frozen=True)
class BumpStop(Suspension):
    """Progressive stop along x, y or z: k (|d| - gap)^exponent against the displacement d beyond the gap (m).

    stiffness: N/m^exponent.

    Parameters
    ----------
    stiffness : float or expression
        k (N/m^exponent).
    gap : float or expression
        In m.
    exponent : float
        Of the displacement beyond the gap.
    axis : {"x", "y", "z"}
        Along which it acts.
    """

    gap: float
    stiffness: float
    exponent: float = 1.0
    axis: Axis = "y"

    def __post_init__(self) -> None:
        check_numbers("BumpStop", ("stiffness",), gap=self.gap, stiffness=self.stiffness)
        check_axis("BumpStop", self.axis)
        if not self.exponent >= 1:
            raise ModelError(f"BumpStop: the exponent must be at least 1, got {self.exponent!r}.")

    def add(self, m: Model, name: str, lower: Frame, upper: Frame, load: float = 0.0) -> None:
        law = ProgressiveStop(self.gap, self.stiffness, self.exponent)
        m.apply(AxisLaws(lower, upper, on_axis(check_axis("BumpStop", self.axis), law)), name=name)


@final
@dataclass(frozen=True)
class BumpStopTable(Suspension):
    """Stop by points (displacement m, force N) from (0, 0) on, along x, y or z, the same in both directions. Between
    the points the force is a monotone cubic (PCHIP), beyond the last one a straight line. In a model it is the table
    `name_table`, so that a run may be given another one.

    Parameters
    ----------
    points : sequence of pairs
        Displacement (m) and force (N), from (0, 0) on.
    axis : {"x", "y", "z"}
        Along which it acts.
    """

    points: tuple[tuple[float, float], ...]
    axis: Axis = "y"

    def __post_init__(self) -> None:
        check_axis("BumpStopTable", self.axis)
        at = np.array(self.points, float)
        if at.ndim != 2 or at.shape[1] != 2 or len(at) < 2 or not np.all(np.isfinite(at)):
            raise ModelError(f"BumpStopTable: points are pairs (m, N), at least two, got {self.points!r}.")
        if np.any(at[0] != 0.0):
            raise ModelError(f"BumpStopTable: the first point must be (0, 0), got {tuple(at[0])!r}.")
        if np.any(np.diff(at[:, 0]) <= 0) or np.any(np.diff(at[:, 1]) < 0):
            i = int(np.flatnonzero((np.diff(at[:, 0]) <= 0) | (np.diff(at[:, 1]) < 0))[0]) + 1
            raise ModelError(f"BumpStopTable: displacements must rise and forces not fall; point {i + 1} does not.")

    def energy(self) -> Table:
        """Stored energy (J) over the displacement; its slope is the force, exactly the monotone cubic."""
        at = np.array(self.points, float)
        slope = (at[-1, 1] - at[-2, 1]) / (at[-1, 0] - at[-2, 0])
        x = np.append(at[:, 0], at[-1, 0] + REACH * np.array([1e-3, 1.0]))
        f = np.append(at[:, 1], at[-1, 1] + slope * (x[-2:] - at[-1, 0]))
        x, f = np.append(-x[:0:-1], x), np.append(-f[:0:-1], f)
        slopes, h = monotone_slopes(x, f), np.diff(x)
        added = h * (f[:-1] + f[1:]) / 2 + h**2 * (slopes[:-1] - slopes[1:]) / 12  # work from knot to knot
        work = np.append(0.0, np.cumsum(added))
        return Table.hermite(x, work - work[len(x) // 2], f, slopes, beyond="refuse", unit="J")

    def add(self, m: Model, name: str, lower: Frame, upper: Frame, load: float = 0.0) -> None:
        law = EnergyTable(m.table(f"{name}_table", self.energy()))
        m.apply(AxisLaws(lower, upper, on_axis(check_axis("BumpStopTable", self.axis), law)), name=name)


@final
@dataclass(frozen=True)
class ProgressiveStop(EffortLaw):
    """The law of `BumpStop`."""

    gap: float
    stiffness: float
    exponent: float

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        return -ca.sign(q) * self.stiffness * self._beyond(q) ** self.exponent

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.stiffness / (self.exponent + 1.0) * self._beyond(q) ** (self.exponent + 1.0)

    def _beyond(self, q: Expr) -> Expr:
        return ca.fmax(ca.fabs(q) - self.gap, 0.0)


@final
@dataclass(frozen=True)
class EnergyTable(EffortLaw):
    """A force with the energy of a table: its slope, against the displacement."""

    energy: Callable[[Expr], Expr]

    def effort(self, t: Expr, q: Expr, u: Expr) -> Expr:
        at = ca.SX.sym("at")
        return -ca.substitute(derivative(self.energy(at), at), at, ca.SX(q))

    def potential(self, t: Expr, q: Expr) -> Expr:
        return self.energy(q)
