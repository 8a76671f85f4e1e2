"""A book of creep forces: FASTSIM on a fine grid, tabulated over three creepages and the shape of the ellipse.

FASTSIM depends on four numbers: the linear forces t = (t_x, t_y, t_spin) over mu N, and b/a. In a wide patch spin slips
along the rail in proportion to b/a, so that g t_spin with g = sqrt(1 + (b/a)^2) measures it. The three are mapped into
a ball, c = t / (1 + sqrt(1 + |t|^2)): small creepages at its middle, full slip in every direction on its surface. Over
(c, log(b/a)) the book is a spline of second degree in each argument, with continuous derivatives. It holds the
difference of FASTSIM from a closed form, whose bend in the middle no spline can follow.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.kernel import USER_CACHE
from trundle.lookup.table import Table
from trundle.rail.elementwise import atan, largest, least, sqrt, symbolic
from trundle.rail.wheel_rail.creep import NO_CREEP, ScaledCreepLaw
from trundle.rail.wheel_rail.fastsim import Fastsim
from trundle.typing import Array, Expr

SHAPES = np.log([0.1, 10.0])  # of b/a, in the book, as in Kalker's table
FULL = 1e4  # |t| that stands for full slip, on the surface of the ball and beyond it
VERSION = 6  # of this computation, in the keys of the cache


@final
@dataclass(frozen=True, eq=False)
class CreepBook:
    """Results of FASTSIM with `cells` by `cells` cells, at `creepages` knots of each creepage and `shapes` of b/a;
    computed on first use, or read from the cache.
    """

    bound: str = "parabolic"
    cells: int = 40
    creepages: int = 17
    shapes: int = 8

    def __post_init__(self) -> None:
        Fastsim(0.3, self.cells, self.cells, self.bound)  # refuses an invalid bound or grid
        if self.creepages < 5 or self.shapes < 4 or self.creepages > 40 or self.shapes > 30:
            raise ModelError(
                f"CreepBook: {self.creepages} knots of creepages and {self.shapes} of shapes; take 5 to 40 and 4 to 30."
            )

    @cached_property
    def table(self) -> Table:
        """As a table for models: `m.table(name, book.table)`, to be given to `Book` as `lookup`."""
        pieces, n, m = self._pieces, self.creepages - 2, self.shapes - 2
        # (x, y, spin, shape, powers of each ..., output) to (cell of x and y, cell of spin and shape, numbers)
        cells = pieces.reshape(n * n, n * m, -1)
        return Table(
            (np.arange(n * n, dtype=float), np.arange(n * m, dtype=float)), cells, between="previous",
            arguments=("x and y", "spin and shape"), text=f"FASTSIM {self.cells} x {self.cells}, {self.bound}",
        )  # fmt: skip

    @cached_property
    def _pieces(self) -> Array:
        """Coefficients: cells of x, y, spin, shape, powers of x, y, spin, shape, output."""
        c, q = self._knots
        values = self._values
        for axis, knots in enumerate((c, c, c, q)):
            values = _expanded(knots, values, axis)
        return np.ascontiguousarray(np.moveaxis(values, 4, 8))

    @property
    def _knots(self) -> tuple[Array, Array]:
        return np.linspace(-1.0, 1.0, self.creepages), np.linspace(SHAPES[0], SHAPES[1], self.shapes)

    @cached_property
    def _values(self) -> Array:
        """Shares at the knots, (x, y, spin, shape, output)."""
        c, q = self._knots
        shape = len(c), len(c), len(c), len(q), 3
        words = f"creep book {VERSION} {self.bound} {self.cells} {self.creepages} {self.shapes}"
        key = hashlib.sha256(words.encode()).hexdigest()
        kept = USER_CACHE.load_object(key)
        if kept is not None and len(kept) == 8 * np.prod(shape):
            return np.frombuffer(kept).reshape(shape)
        made = self._fastsim(np.stack(np.meshgrid(c, c, c, indexing="ij"), axis=-1), np.exp(q))
        USER_CACHE.save_object(key, np.ascontiguousarray(made).tobytes())
        return made

    def _fastsim(self, c: Array, ratio: Array) -> Array:
        """Shares at points of the ball, (..., shapes, 3); beyond its surface mirrored at the values there, so that the
        slope is continuous.
        """
        size = np.linalg.norm(c, axis=-1, keepdims=True)
        direction = c / np.where(size > 0, size, 1.0)
        beyond = size > 1.0
        inner = self._inside(direction * np.where(beyond, 2.0 - size, size), ratio)
        surface = self._inside(direction, ratio)
        return np.where(beyond[..., None], 2.0 * surface - inner, inner)

    def _inside(self, c: Array, ratio: Array) -> Array:
        square = np.sum(c**2, axis=-1, keepdims=True)
        t = 2.0 * c / np.maximum(1.0 - square, 2.0 / FULL)
        law = Fastsim(0.3, self.cells, self.cells, self.bound)
        found = np.empty((*c.shape[:-1], len(ratio), 3))
        for i, b_over_a in enumerate(ratio):
            g = np.sqrt(1.0 + b_over_a**2)
            for k in range(len(c)):  # a slice at a time, to bound the memory
                fx, fy, moment = law.shares(t[k, ..., 0], t[k, ..., 1], t[k, ..., 2] / g, b_over_a)
                base = _closed_form(t[k, ..., 0], t[k, ..., 1], np.sum(t[k] ** 2, axis=-1), self.bound)
                found[k, ..., i, :] = np.stack([fx - base[0], fy - base[1], moment / g], axis=-1)
        return found


@final
@dataclass(frozen=True)
class Book(ScaledCreepLaw):
    """FASTSIM read from a CreepBook: as accurate as its grid, in a time that does not depend on it.

    Parameters
    ----------
    mu : float or expression
        Coefficient of friction, or a FallingFriction.
    book : CreepBook
        Its results.
    lookup : callable, optional
        In a model what `m.table(name, book.table)` returns; with numbers the book's own table is read.
    """

    book: CreepBook = field(default_factory=CreepBook)
    lookup: Callable[..., Expr] | None = None

    def shares(self, t_x: Expr, t_y: Expr, t_spin: Expr, ratio: Expr) -> tuple[Expr, Expr, Expr]:
        tape = symbolic(t_x, t_y, t_spin, ratio)
        if tape and self.lookup is None:
            raise ModelError("Book: a model needs its table: Book(mu, book, lookup=m.table('creep', book.table)).")
        n, m = self.book.creepages, self.book.shapes
        g = sqrt(1.0 + ratio**2)
        t_spin = g * t_spin
        square = t_x**2 + t_y**2 + t_spin**2
        size = 1.0 + sqrt(1.0 + square)
        log = ca.log if tape else np.log
        axes = ((t_x / size, -1.0, 1.0, n), (t_y / size, -1.0, 1.0, n), (t_spin / size, -1.0, 1.0, n))
        found = [_place(*axis) for axis in (*axes, (log(ratio), *SHAPES, m))]
        (i, a), (j, b), (k, c), (h, d) = found
        read = self.lookup or self.book.table
        numbers = read(i * (n - 2) + j, k * (m - 2) + h)
        rows = ca.vertsplit(numbers) if tape else list(np.moveaxis(np.asarray(numbers), -1, 0))
        for distance in (a, b, c, d):  # the powers of the first come first
            third = len(rows) // 3
            rows = [rows[r] + distance * (rows[third + r] + distance * rows[2 * third + r]) for r in range(third)]
        base = _closed_form(t_x, t_y, square, self.book.bound)
        return base[0] + rows[0], base[1] + rows[1], g * rows[2]


def _closed_form(t_x: Expr, t_y: Expr, square: Expr, bound: str) -> tuple[Expr, Expr]:
    """Forces over mu N for one flexibility: Johnson and Vermeulen's, or Polach's; the square of the size has spin."""
    size = sqrt(square + NO_CREEP)
    if bound == "parabolic":
        s = least(size, 3.0)
        share = (1.0 - s / 3.0 + s**2 / 27.0) * s / size
    else:
        eps = np.pi / 4.0 * size
        share = 0.5 * (1.0 / (1.0 + eps**2) + atan(eps) / eps)
    return -share * t_x, -share * t_y


def _place(x: Expr, first: float, last: float, knots: int) -> tuple[Expr, Expr]:
    """Number of the piece, and the distance from its middle point of reference."""
    h = (last - first) / (knots - 1)
    floor = ca.floor if symbolic(x) else np.floor
    inside = least(largest(x, first), last)
    i = least(largest(floor((inside - first) / h - 0.5), 0.0), knots - 3.0)
    return i, inside - (first + (i + 0.5) * h)


def _expanded(knots: Array, values: Array, axis: int) -> Array:
    """Pieces of the spline of second degree along an axis, whose places they take; their powers 0, 1, 2 come last."""
    from scipy.interpolate import make_interp_spline

    spline = make_interp_spline(knots, values, k=2, axis=axis)
    h = knots[1] - knots[0]
    middles = knots[0] + (np.arange(len(knots) - 2) + 0.5) * h
    return np.stack([spline(middles + (1e-12 * h if k == 2 else 0.0), k) / max(k, 1) for k in range(3)], axis=-1)
