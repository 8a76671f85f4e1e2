"""Meshes: couplings of two wheels, or of a wheel and a rack.

One bond is constrained: the relative motion along the line in which teeth or a belt act, which is the normal of the
contact. If the wheels are mounted on a carrier that turns, the line turns with it, and Willis' equation follows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, pi
from typing import ClassVar, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.pairs.higher import ContactPair
from trundle.pairs.mesh_quantities import mesh_quantities
from trundle.quantity import Quantity
from trundle.real_array import is_number
from trundle.space.chain import Chain
from trundle.space.rotation import Axis, align_z, cross, dot, wrap_angle
from trundle.typing import Array, Expr

MOST_TEETH = 20_000  # largest number of teeth of a ratio of integers
ASTRAY = 1e-9  # smaller parts of a motion are round-off
SAME_RATIO = 1e-14  # a smaller relative difference of a ratio from that of integers is round-off


@final
@dataclass(frozen=True)
class Wheels:
    """The frames of both sides in the ground: origins, and axes with z along the axis of the mesh (as columns)."""

    first: Expr
    second: Expr
    first_axes: tuple[Expr, Expr, Expr]
    second_axes: tuple[Expr, Expr, Expr]

    @property
    def centres(self) -> tuple[Expr, Expr]:
        """Distance of the axes, and the direction from the first to the second."""
        z = self.first_axes[2]
        d = self.second - self.first
        d = d - dot(d, z) * z
        distance = ca.norm_2(d)
        return distance, d / distance


@dataclass(frozen=True)
class Mesh(ContactPair):
    """Two bodies whose motions are coupled along one line. Subclasses are final."""

    held: ClassVar[tuple[str, ...]] = ()  # no law of friction or rolling acts on a mesh
    by_name: ClassVar[bool] = True

    def chain(self) -> Chain:
        raise ModelError(
            f"a {type(self).__name__} is not a chain of screws: connect its wheels by joints, and add it between them."
        )

    @property
    def in_tree(self) -> bool:
        return False

    @property
    def coordinates(self) -> tuple[()]:
        return ()

    def line(self, wheels: Wheels) -> tuple[Expr, Expr, Expr]:
        """A point of the line along which the second body is driven, a direction across the line, and its direction.

        Parameters
        ----------
        wheels : Wheels
            Frames of both sides in the ground.

        Returns
        -------
        tuple of expression
        """
        raise TypeError(f"{type(self).__name__} is abstract")

    def lag(self, now: Wheels, zero: Wheels) -> Expr:
        """Displacement (m) of the second body relative to the first along the line, from the poses alone; zero in the
        pose `zero`. It is determined up to whole teeth or turns; None if it cannot be determined.

        Parameters
        ----------
        now, zero : Wheels
            Frames of both sides in the ground, now and where the lag is zero.

        Returns
        -------
        expression or None
        """
        raise TypeError(f"{type(self).__name__} is abstract")

    def fit_fault(self, distance: float, askew: float, apart: float) -> str:
        """What is wrong with wheels: distance (m) of the second frame from the first axis, sine of the angle between
        the axes, and distance of the frames (m).

        Parameters
        ----------
        distance : float
            Of the second frame from the first axis (m).
        askew : float
            Sine of the angle between the axes.
        apart : float
            Distance of the frames (m).

        Returns
        -------
        str
            Empty if nothing is wrong.
        """
        return ""

    def off_axis(self, turns: Array, other: Array) -> Array:
        """The part of relative rotations (3, n) that is incompatible with the mesh; `other` is the axis of the second
        wheel, both in the axes of the first.

        Parameters
        ----------
        turns : array
            Relative angular velocities (3, n).
        other : array
            Axis of the second wheel, in the axes of the first.

        Returns
        -------
        array
        """
        return turns[:2]

    def phase_fault(self, d: Array, seen: Array) -> str:
        """What is wrong with motions that the joints allow: `d` is the position of the first frame in the second body
        and `seen` (3, n) are its velocities there, both in the axes of the mesh.

        Parameters
        ----------
        d : array
            Position of the first frame in the second body (m), in the axes of the mesh.
        seen : array
            Its velocities there (3, n).

        Returns
        -------
        str
            Empty where nothing is wrong.
        """
        rates = d[:2] @ seen[:2]
        if np.any(np.abs(rates) > ASTRAY * np.linalg.norm(d[:2]) * max(1e-300, float(np.max(np.abs(seen))))):
            return "the joints of its wheels allow the distance of their axes to change."
        return ""

    def quantities(self, owner: str) -> Iterator[Quantity]:
        yield from super().quantities(owner)
        yield from mesh_quantities(owner)


def mesh_frame(axis: Axis, what: str) -> Array:
    """Axes with z along the axis of a mesh; ModelError if it has no direction."""
    try:
        return align_z(axis)
    except ModelError as error:
        raise ModelError(f"{what}: {error}") from None


def turn(axes: tuple[Expr, Expr, Expr], along: Expr, z: Expr) -> Expr:
    """Angle of the first axis from the direction `along`, about z, in (-pi, pi]."""
    x = axes[0]
    return ca.atan2(dot(cross(z, along), x), dot(along, x))


def integer_ratio(ratio: Expr) -> tuple[int, int] | None:
    """p and q of the ratio p / q; None if it is not a ratio of integers (of teeth), or a parameter."""
    if isinstance(ratio, ca.SX):
        return None
    from fractions import Fraction

    near = Fraction(float(ratio)).limit_denominator(MOST_TEETH)
    if abs(near.numerator) > MOST_TEETH or abs(float(near) - ratio) > SAME_RATIO * abs(ratio):
        return None
    return near.numerator, near.denominator


def check_size(value: object, what: str, positive: bool) -> None:
    """ModelError unless it is a parameter or a finite number other than zero."""
    if isinstance(value, ca.SX):
        return
    good = is_number(value) and isfinite(value) and value != 0
    if not good or (positive and float(value) < 0):  # type: ignore[arg-type]
        wanted = "greater than zero" if positive else "other than zero"
        raise ModelError(f"{what} must be a finite number {wanted}, got {value!r}.")


def check_pressure_angle(value: object, gear: str) -> None:
    """ModelError unless it is an angle of teeth (rad)."""
    if not isinstance(value, float | int) or not 0 <= value < pi / 2:
        raise ModelError(
            f"{gear}: the pressure angle lies between 0 and pi/2 rad, got {value!r}; 20 degrees are tr.degrees(20)."
        )


def turned_apart(now: Wheels, zero: Wheels, first: Expr, second: Expr) -> Expr:
    """`second` times the rotation of the second wheel since the zero pose minus `first` times that of the first (rad),
    both relative to the line of centres; up to whole turns.
    """

    def apart(at: Wheels) -> Expr:
        _, c = at.centres
        z = at.first_axes[2]
        return second * turn(at.second_axes, c, z) - first * turn(at.first_axes, c, z)

    return wrap_angle(apart(now) - apart(zero))
