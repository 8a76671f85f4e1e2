"""Kalker's simplified theory, FASTSIM: traction marched through the patch against the rolling direction [Kalker 1982].

With tractions in units of mu N / (pi a b) and lengths in units of the semi-axes the result depends on four numbers
only: the linear forces over mu N, and b/a. The strips lie at Gauss's points across the patch, the cells along a strip
are equal, the first step is half a cell (midpoint rule). The growth of traction and its bound are scaled so that on any
grid small creepages give Kalker's linear forces and full slip carries mu N exactly.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import pi
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.rail.elementwise import least, sqrt, symbolic
from trundle.rail.wheel_rail.creep import NO_CREEP, ScaledCreepLaw
from trundle.real_array import is_integer
from trundle.typing import Array, Expr

BOUNDS: dict[str, Callable[[Array], Array]] = {"parabolic": lambda z: z, "elliptic": np.sqrt}
"""Shape of the limit of traction over 1 - x^2 - y^2."""
LARGEST_TAPE = 900  # cells: more would make kernels that take seconds to compile
FEW = 16  # contacts for which a kernel is not worth its call


@final
class Grid(NamedTuple):
    """Cells of the unit circle: strips across, cells along them from the leading edge."""

    y: Array  # (strips,) places across
    half: Array  # (strips,) half lengths
    weight: Array  # (strips,) area of a cell over pi
    x: Array  # (cells, strips) middles of the cells
    bound: Array  # (cells, strips) limit of traction; the weighted sum is 1
    slip_rate: float  # growth of traction per length, per linear force of creepage
    spin_rate: float  # the same for spin


@final
@dataclass(frozen=True)
class Fastsim(ScaledCreepLaw):
    """FASTSIM on any grid, with a parabolic or elliptic limit of traction; the spin moment is that of the simplified
    theory.

    Kalker's three flexibilities are used at all creepages, so that oblique full slip is turned by some degrees where
    C11 and C22 differ. 10 x 10 is within 2 % of the fine grid.

    Parameters
    ----------
    mu : float or expression
        Coefficient of friction, or a FallingFriction.
    along : int
        Cells in the rolling direction.
    across : int
        Strips.
    bound : {"parabolic", "elliptic"}
        Limit of traction.
    """

    along: int = 10
    across: int = 10
    bound: str = "parabolic"

    def __post_init__(self) -> None:
        super().__post_init__()
        faults = [
            f"Fastsim: {name} must be an integer from 2 to 1000, got {value!r}."
            for name, value in (("along", self.along), ("across", self.across))
            if not is_integer(value) or not 2 <= value <= 1000
        ]
        if self.bound not in BOUNDS:
            faults.append(f"Fastsim: bound must be 'parabolic' or 'elliptic', got {self.bound!r}.")
        if faults:
            raise ModelError(faults)

    def shares(self, t_x: Expr, t_y: Expr, t_spin: Expr, ratio: Expr) -> tuple[Expr, Expr, Expr]:
        if symbolic(t_x, t_y, t_spin, ratio):
            if self.along * self.across > LARGEST_TAPE:
                raise ModelError(
                    f"Fastsim: a grid of {self.along} x {self.across} is too large for the tape (at most "
                    f"{LARGEST_TAPE} cells). 10 x 10 is within 2 % of the fine grid."
                )
            return _march_symbols(_grid(self.along, self.across, self.bound), t_x, t_y, t_spin, ratio)
        arrays = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (t_x, t_y, t_spin, ratio)))
        shape, rows = arrays[0].shape, np.stack([v.ravel() for v in arrays], axis=-1)
        if len(rows) > FEW and self.along * self.across <= LARGEST_TAPE:
            found = evaluate_many(self.along, self.across, self.bound, rows)
        else:
            found = np.stack(_march_arrays(_grid(self.along, self.across, self.bound), *rows.T), axis=-1)
        fx, fy, moment = (found[:, i].reshape(shape)[()] for i in range(3))
        return fx, fy, moment


@cache
def _grid(along: int, across: int, bound: str) -> Grid:
    y, gauss = np.polynomial.legendre.leggauss(across)
    half = np.sqrt(1.0 - y**2)
    x = half * (1.0 - (2.0 * np.arange(along)[:, None] + 1.0) / along)
    weight = gauss * 2.0 * half / along / pi
    limit = BOUNDS[bound](np.maximum(1.0 - x**2 - y**2, 0.0))
    # On a fine grid the rates are 3 pi / 8 and 4: what the three flexibilities come to [Kalker 1982].
    rates = 1.0 / np.sum(weight * (half - x)), 1.0 / np.sum(weight * (half**2 - x**2) / 2.0)
    return Grid(y, half, weight, x, limit / np.sum(weight * limit), *rates)


def _march(grid: Grid, strips: Sequence[Expr], rates: Sequence[Expr], narrow: Expr) -> tuple[Expr, Expr, Expr, Expr]:
    """Sums of traction along, across, and of their levers x and -y. `strips` are numbers of strips, or slices that
    stand for all at once.

    All strips advance together, so that the processor works on several independent roots and quotients at a time.
    """
    x_rate, y_rate, spin_rate = rates
    cell = [2.0 * grid.half[j] / len(grid.x) for j in strips]
    along = [h * (x_rate - spin_rate * grid.y[j] * narrow) for h, j in zip(cell, strips, strict=True)]
    across = [h * y_rate for h in cell]
    t = [(0.0 * x, 0.0 * y) for x, y in zip(along, across, strict=True)]
    sums: tuple[Expr, ...] = (0.0, 0.0, 0.0, 0.0)
    for k, (step, before) in enumerate([(0.5, 0.25)] + [(1.0, 0.5)] * (len(grid.x) - 1)):
        for i, j in enumerate(strips):
            x, y, w = grid.x[k, j], grid.y[j], grid.weight[j]
            middle = x + before * cell[i]  # of the way from the last point to this one
            t_x = t[i][0] - step * along[i]
            t_y = t[i][1] - (step * across[i] + step * cell[i] * middle * spin_rate)
            share = least(1.0, grid.bound[k, j] / sqrt(t_x**2 + t_y**2 + NO_CREEP))
            t_x, t_y = share * t_x, share * t_y
            t[i] = t_x, t_y
            parts = (w * t_x, w * t_y, w * x * t_y, -w * y * t_x)
            sums = tuple(total + part for total, part in zip(sums, parts, strict=True))
    return sums[0], sums[1], sums[2], sums[3]


def _march_symbols(grid: Grid, t_x: Expr, t_y: Expr, t_spin: Expr, ratio: Expr) -> tuple[Expr, Expr, Expr]:
    rates = grid.slip_rate * t_x, grid.slip_rate * t_y, grid.spin_rate * t_spin
    fx, fy, lever, arm = _march(grid, range(len(grid.y)), rates, ratio)
    return fx, fy, lever + ratio * arm


def _march_arrays(grid: Grid, t_x: Array, t_y: Array, t_spin: Array, ratio: Array) -> tuple[Array, Array, Array]:
    rates = [v[:, None] for v in (grid.slip_rate * t_x, grid.slip_rate * t_y, grid.spin_rate * t_spin)]
    fx, fy, lever, arm = (v.sum(axis=1) for v in _march(grid, [slice(None)], rates, ratio[:, None]))
    return fx, fy, lever + ratio * arm


def fastsim_function(along: int, across: int, bound: str) -> ca.Function:
    """The four numbers of `Fastsim.shares` to its three, as a function (t, x, p) of the tape."""
    t, x, p = ca.SX.sym("t"), ca.SX.sym("x", 4), ca.SX.sym("p", 0)
    found = _march_symbols(_grid(along, across, bound), *(x[i] for i in range(4)))
    return ca.Function("fastsim", [t, x, p], [ca.densify(ca.vertcat(*found))])


@cache
def _kernels(along: int, across: int, bound: str) -> Expr:
    from trundle.kernel import compile_kernels, host_lanes

    functions = {"fastsim": fastsim_function(along, across, bound)}
    return compile_kernels(functions)["fastsim"], compile_kernels(functions, host_lanes())["fastsim"]


def evaluate_many(along: int, across: int, bound: str, rows: Array) -> Array:
    """Shares of many contacts (n, 4) by machine code, lane by lane."""
    from trundle.kernel.batch import evaluate

    scalar, wide = _kernels(along, across, bound)
    return np.asarray(evaluate(scalar, wide, 0.0, rows))
