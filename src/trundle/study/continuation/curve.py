"""Curves of solutions of equations with one parameter, followed by pseudo-arclength [Keller 1977].

Unknown are z = (y, parameter). A step goes along the tangent, and Newton's method brings it back onto the curve at a
given distance along that tangent, so that the parameter may turn round. Directions on which no equation depends (the
position of a vehicle, its heading) are held fixed: they are determined where the curve begins and carried along.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, final

import numpy as np

from trundle.errors import SolveError
from trundle.linear_algebra.repeatable import first_largest
from trundle.typing import AnyArray, Array, Value

ITERATIONS = 10
CLOSE = 3e-9  # scaled length of a Newton step that ends the search
STALLED = 1e-7  # the same, where round-off lets it become no shorter
ROUND_OFF = 1e-3  # of the largest derivative: rows below it are round-off
FAINT = 1e-4  # the same of columns
BALANCING = 10  # rounds
FREE = 1e-8  # singular value, over the largest, of a direction without conditions
RANK = 1e-8  # the same, below which a direction is not moved along

P = TypeVar("P")


@final
@dataclass(frozen=True, eq=False)
class Linear:
    """Equations about a place: residuals, their derivatives by all unknowns (the parameter last), and what else the
    curve keeps to move a place.
    """

    values: Array
    slopes: Array
    kept: Value = None


@final
@dataclass(frozen=True, eq=False)
class Judgement:
    """Eigenvalues or Floquet multipliers of a place, and how fast each small motion grows, largest first."""

    values: AnyArray
    growth: Array  # real parts of eigenvalues, or logarithms of multipliers; neutral ones left out, uncertain ones zero
    turning: AnyArray  # the values that belong to `growth`, in its order
    doubt: float = 0.0  # logarithm of what multipliers may be wrong by: a growth below that counts as none

    @property
    def growing(self) -> int:
        """How many small motions grow."""
        return int(np.sum(self.growth > 0))

    @property
    def stable(self) -> bool:
        return self.growing == 0


class Curve(ABC, Generic[P]):
    """Equations whose solutions form a curve."""

    periodic: ClassVar[bool] = False  # whether multipliers decide on stability
    definite: ClassVar[bool] = False  # whether nothing is left free beside the curve: small slopes are not round-off

    @abstractmethod
    def linear(self, place: P, base: P) -> Linear:
        """Equations and derivatives; `base` is where the present step began."""

    @abstractmethod
    def moved(self, place: P, at: Linear, step: Array) -> P:
        """The place after a step of all unknowns, where the equations about it are known."""

    @abstractmethod
    def unknowns(self, place: P) -> Array:
        """All unknowns, the parameter last."""

    @abstractmethod
    def sizes(self, place: P) -> Array:
        """What counts as a change of size one of each unknown."""

    @abstractmethod
    def judge(self, place: P) -> Judgement:
        """Eigenvalues or multipliers."""

    def refreshed(self, place: P) -> P:
        """The point in a better discretisation, to be corrected."""
        return place


@final
@dataclass(frozen=True, eq=False)
class Node(Generic[P]):
    """A point of a curve: its place, tangent (scaled, length one) and held directions (columns, scaled)."""

    place: P
    parameter: float
    tangent: Array
    held: Array
    iterations: int = 0


@final
class Follower(Generic[P]):
    """Steps along a curve."""

    def __init__(self, curve: Curve[P]) -> None:
        self.curve = curve

    def first(self, place: P, sign: float) -> Node[P]:
        """The first point, found at the parameter of `place`; its tangent leads towards rising (sign 1) or falling
        parameters.
        """
        z = self.curve.unknowns(place)
        along = np.zeros(len(z))
        along[-1] = 1.0
        place, done = self._correct(place, place, along, np.zeros((len(z), 0)), 0.0)
        scaled, _ = self._scaled(place)
        held = _free(scaled[:, :-1])
        held = np.vstack([held, np.zeros((1, held.shape[1]))])
        return self._node(place, held, sign * along, done)

    def step(self, node: Node[P], length: float) -> Node[P]:
        """The point at a distance along the tangent; SolveError where Newton's method does not find it."""
        at = self.curve.linear(node.place, node.place)
        sizes = self.curve.sizes(node.place)
        guess = self.curve.moved(node.place, at, length * sizes * node.tangent)
        place, done = self._correct(guess, node.place, node.tangent, node.held, length)
        return self._node(place, node.held, node.tangent, done)

    def refreshed(self, node: Node[P]) -> Node[P]:
        """The same point in a better representation; as it is where that fails."""
        better = self.curve.refreshed(node.place)
        if better is node.place:
            return node
        try:
            place, done = self._correct(better, better, node.tangent, node.held, 0.0)
        except SolveError:
            return node
        return self._node(place, node.held, node.tangent, done)

    def other(self, node: Node[P], length: float) -> Node[P]:
        """A point on the other curve through a branch point, in the second direction that the equations leave free; a
        negative length goes the other way.
        """
        scaled, sizes = self._scaled(node.place)
        space = _smallest(scaled, node.held.shape[1] + 2)
        for column in (*node.held.T, node.tangent):
            space = space - np.outer(column, column @ space)
        across = np.linalg.svd(space)[0][:, 0]
        across *= np.sign(across[first_largest(across)]) * np.sign(length)
        length = abs(length)
        at = self.curve.linear(node.place, node.place)
        guess = self.curve.moved(node.place, at, length * sizes * across)
        place, done = self._correct(guess, node.place, across, node.held, length)
        return self._node(place, node.held, across, done)

    def _node(self, place: P, held: Array, along: Array, done: int) -> Node[P]:
        tangent, held = _tangent(self._scaled(place)[0], held, along, self.curve.definite)
        return Node(place, float(self.curve.unknowns(place)[-1]), tangent, held, done)

    def _scaled(self, place: P) -> tuple[Array, Array]:
        """Derivatives with rows and columns scaled, and the sizes of the columns."""
        sizes = self.curve.sizes(place)
        slopes = self.curve.linear(place, place).slopes * sizes
        return slopes / _row_sizes(slopes)[:, None], sizes

    def _correct(self, guess: P, base: P, along: Array, held: Array, length: float) -> tuple[P, int]:
        sizes, z0 = self.curve.sizes(base), self.curve.unknowns(base)
        place, last = guess, np.inf
        for done in range(1, ITERATIONS + 1):
            at = self.curve.linear(place, base)
            if not (np.all(np.isfinite(at.values)) and np.all(np.isfinite(at.slopes))):
                raise SolveError("the equations have no finite value there.")
            slopes = at.slopes * sizes
            rows = _row_sizes(slopes)
            moved = (self.curve.unknowns(place) - z0) / sizes
            matrix = np.vstack([slopes / rows[:, None], along, held.T])
            right = np.concatenate([at.values / rows, [along @ moved - length], held.T @ moved])
            more, columns = _balanced(matrix) if self.curve.definite else _as_is(matrix)
            step = -np.linalg.lstsq(matrix / more[:, None] / columns, right / more, rcond=RANK)[0] / columns
            size = float(np.linalg.norm(step))
            if not size < 10.0 * max(1.0, length):
                raise SolveError(f"Newton's method leads away (a step of {size:.2g}).")
            place = self.curve.moved(place, at, sizes * step)
            if size < CLOSE or (size < STALLED and size > 0.5 * last):
                return place, done
            last = size
        raise SolveError(f"Newton's method does not converge (last step {last:.2g}).")


def _row_sizes(slopes: Array) -> Array:
    """By which rows are divided; those that are round-off beside the others are not blown up."""
    largest = np.max(np.abs(slopes), axis=1)
    return np.asarray(np.maximum(largest, max(ROUND_OFF * float(np.max(largest)), 1e-300)))


def _balanced(slopes: Array) -> tuple[Array, Array]:
    """Sizes of rows and columns after division by which the largest entry of each is about one [Ruiz 2001].

    A stiff state makes large entries, a soft one small ones, which are not round-off; zero rows and columns stay.
    """
    rows, columns = np.ones(len(slopes)), np.ones(slopes.shape[1])
    for _ in range(BALANCING):
        size = np.abs(slopes / rows[:, None] / columns)
        rows = np.clip(rows * np.sqrt(np.max(size, axis=1)), ROUND_OFF, 1.0)
        size = np.abs(slopes / rows[:, None] / columns)
        columns = np.clip(columns * np.sqrt(np.max(size, axis=0)), FAINT, 1.0)
    return rows, columns


def _as_is(slopes: Array) -> tuple[Array, Array]:
    return np.ones(len(slopes)), np.ones(slopes.shape[1])


def _free(slopes: Array) -> Array:
    """Columns: directions on which no equation depends."""
    _, values, V = np.linalg.svd(slopes, full_matrices=True)
    rank = int(np.sum(values > FREE * values[0])) if len(values) else 0
    return np.asarray(V[rank:].T)


def _smallest(slopes: Array, count: int) -> Array:
    """Columns: the `count` directions that change the equations least."""
    V = np.linalg.svd(slopes, full_matrices=True)[2]
    return np.asarray(V[len(V) - count :].T)


def _tangent(slopes: Array, held: Array, along: Array, definite: bool) -> tuple[Array, Array]:
    """Tangent of the curve in the direction of `along`, and the held directions, at a new point."""
    rows, columns = _balanced(slopes) if definite else _as_is(slopes)
    space = np.linalg.qr(_smallest(slopes / rows[:, None] / columns, held.shape[1] + 1) / columns[:, None])[0]
    if held.shape[1]:
        near = space.T @ held
        turn = np.linalg.svd(near, full_matrices=True)[0]
        held, tangent = space @ turn[:, :-1], space @ turn[:, -1]
    else:
        tangent = space[:, 0]
    return (tangent if tangent @ along >= 0 else -tangent), held


AnyCurve = Curve[Any]  # of equilibria, steady or periodic motions, where all are treated alike
AnyFollower = Follower[Any]
AnyNode = Node[Any]
