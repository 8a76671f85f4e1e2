"""A sweep in numbers: points, tangents and carried normals for many displacements at once.

Arrays of displacements have any shape; vectors have one more dimension, of length 3, at the end.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.space.chain import Screw
from trundle.space.rotation import axis_vector
from trundle.typing import Array, Expr, Given

if TYPE_CHECKING:
    from trundle.pairs.sweep import Sweep


@final
@dataclass(frozen=True, eq=False)
class NumericScrew:
    """One screw: `spin` is 1 for a rotation and 0 for a slide, `advance` the displacement (m) along the axis per unit
    of the coordinate.
    """

    axis: Array
    at: Array
    spin: float
    advance: float

    def turn(self, q: Expr, v: Expr) -> Array:
        """Directions carried by the displacement q [Rodrigues' formula]."""
        angle = self.spin * np.asarray(q, dtype=float)[..., None]
        across = v @ self._cross
        turned: Array = v + np.sin(angle) * across + (1.0 - np.cos(angle)) * (across @ self._cross)
        return turned

    def move(self, q: Expr, x: Expr) -> Array:
        """Points carried by the displacement q."""
        return self.at + self.turn(q, x - self.at) + self.advance * np.asarray(q, dtype=float)[..., None] * self.axis

    def velocity(self, x: Expr) -> Array:
        """Velocity of the points x per unit rate of the coordinate."""
        return self.rate(x - self.at) + self.advance * self.axis

    def rate(self, v: Expr) -> Array:
        """Change of carried directions per unit of the coordinate."""
        rate: Array = self.spin * (v @ self._cross)
        return rate

    @cached_property
    def _cross(self) -> Array:
        """Matrix that maps a row v to the cross product of the axis with v."""
        x, y, z = self.axis
        return np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])

    @property
    def kind(self) -> str:
        """Name of the joint."""
        if self.spin == 0:
            return "Prismatic"
        return "Revolute" if self.advance == 0 else "Screw"


@final
@dataclass(frozen=True, eq=False)
class Patch:
    """Derivatives of the surface at some points, to second order. Indices are the coordinates a and b."""

    point: Array
    x_a: Array
    x_b: Array
    normal: Array
    n_a: Array
    n_b: Array
    x_aa: Array
    x_ab: Array
    x_bb: Array


class NumericSurface(ABC):
    """A surface in numbers."""

    is_edge: bool = False  # the coordinates sweep no area; one of them rotates the normal

    @property
    @abstractmethod
    def size(self) -> float:
        """A typical length (m)."""

    @property
    @abstractmethod
    def step(self) -> float:
        """A small change of the second coordinate."""

    @abstractmethod
    def at(self, a: ArrayLike, b: ArrayLike) -> Patch:
        """Point, normal and derivatives at coordinates a, b, which are broadcast against each other."""

    @abstractmethod
    def points(self, a: ArrayLike, b: ArrayLike) -> Array:
        """Only the points."""


@final
@dataclass(frozen=True, eq=False)
class NumericSweep(NumericSurface):
    """Two screws with the point and the normal that they carry."""

    first: NumericScrew
    second: NumericScrew
    point: Array
    normal: Array

    def at(self, a: ArrayLike, b: ArrayLike) -> Patch:
        """Point, normal and derivatives at displacements a, b, which are broadcast against each other."""
        a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
        inner = self.second.move(b, self.point)
        inner_b = self.second.velocity(inner)
        inner_n = self.second.turn(b, self.normal)
        point, x_b, normal = self.first.move(a, inner), self.first.turn(a, inner_b), self.first.turn(a, inner_n)
        x_a = self.first.velocity(point)
        return Patch(
            point,
            x_a,
            x_b,
            normal,
            self.first.rate(normal),
            self.first.turn(a, self.second.rate(inner_n)),
            self.first.rate(x_a),
            self.first.rate(x_b),
            self.first.turn(a, self.second.rate(inner_b)),
        )

    def points(self, a: ArrayLike, b: ArrayLike) -> Array:
        """Only the points."""
        a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
        return self.first.move(a, self.second.move(b, self.point))

    def thick(self, distance: float) -> "NumericSweep":
        """The same screws with a point farther out along the normal, with the same normals everywhere."""
        return replace(self, point=self.point + distance * self.normal)

    def area(self, b: ArrayLike) -> Array:
        """Area swept per unit of both coordinates, negative where the surface has turned over; independent of a."""
        patch = self.at(0.0, b)
        swept: Array = np.sum(np.cross(patch.x_a, patch.x_b) * patch.normal, axis=-1)
        return swept

    @property
    def step(self) -> float:
        return 1e-3 if self.second.spin else 1e-3 * self.size

    @cached_property
    def size(self) -> float:
        """A typical length: the largest of the distances from the axes and the pitches; 1 m if all are zero."""
        return typical_length(self.first, self.second, self.point)

    @cached_property
    def is_edge(self) -> bool:  # type: ignore[override]
        """Whether the screws sweep no area: the point moves along a curve or is fixed, and the normal rotates."""
        b = np.array([0.0, 0.7, 1.9]) * (1.0 if self.second.spin else self.size)
        patch = self.at(0.0, b)
        scale = self.size if self.first.spin else 1.0
        scale *= self.size if self.second.spin else 1.0
        return bool(np.all(np.linalg.norm(np.cross(patch.x_a, patch.x_b), axis=-1) < 1e-13 * scale))


def typical_length(first: NumericScrew, second: NumericScrew, point: Array, otherwise: float = 1.0) -> float:
    """The largest of the distances of point and axes from each other and the pitches; `otherwise` where there is
    none.
    """
    turning = [screw for screw in (first, second) if screw.spin]
    lengths = [float(np.linalg.norm(np.cross(screw.axis, point - screw.at))) for screw in turning]
    lengths += [abs(screw.advance) for screw in turning]
    if len(turning) == 2:
        lengths.append(float(np.linalg.norm(common_perpendicular(first, second)[1])))
    far = max(float(np.linalg.norm(v)) for v in (point, *(screw.at for screw in turning)))
    largest = max(lengths, default=0.0)
    return largest if largest > 1e-12 * far else otherwise  # what is less is round-off of the positions


def common_perpendicular(first: NumericScrew, second: NumericScrew) -> tuple[Array, Array]:
    """The point of the second axis that is closest to the first, and the vector to it from the first axis."""
    between = second.at - first.at
    across = np.cross(first.axis, second.axis)
    square = float(across @ across)
    if square < 1e-20:  # parallel: any point will do
        return second.at, between - first.axis * (first.axis @ between)
    foot = second.at + second.axis * (np.cross(between, first.axis) @ across / square)
    return foot, across * (between @ across / square)


def read_screw(screw: Screw, what: str) -> NumericScrew:
    """A screw in numbers; `what` names it in the error when a size is a symbol."""
    at = np.array([_number(value, what) for value in screw.at])
    if screw.slides:
        return NumericScrew(axis_vector(screw.axis), at, 0.0, 1.0)
    return NumericScrew(axis_vector(screw.axis), at, 1.0, _number(screw.pitch, what))


def read_sweep(sweep: "Sweep", what: str) -> NumericSweep:
    """A sweep in numbers."""
    point = np.array([_number(value, what) for value in components(sweep.contact.p)])
    return NumericSweep(
        read_screw(sweep.first, what), read_screw(sweep.second, what), point, np.array(sweep.contact.R[:, 2])
    )


def read_numbers_of(column: Expr, what: str) -> Array:
    """The entries of a CasADi column in numbers."""
    return np.array([_number(column[i], what) for i in range(column.numel())])


def components(column: Expr) -> tuple[Expr, Expr, Expr]:
    """The entries of a CasADi column, numbers where they are constant."""
    column = ca.SX(column)
    x, y, z = (float(column[i]) if column[i].is_constant() else column[i] for i in range(3))
    return x, y, z


def _number(value: Given, what: str) -> float:
    if isinstance(value, ca.SX) and not value.is_constant():
        names = ", ".join(symbol.name() for symbol in ca.symvar(value))
        raise ModelError(
            f"{what} has sizes that depend on {names}: its geometry can only be computed in numbers. "
            "Make another one with the value of the parameter."
        )
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{what}: {value!r} is not a number.") from None
