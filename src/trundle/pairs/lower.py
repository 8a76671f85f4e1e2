"""The lower pairs. A pair says only which of its six bonds are free; chain, constraint rows and names follow.

The six bonds are x, y, z (translations) and rx, ry, rz (rotations) in the frame of the connection, whose z axis is
`axis`.
"""

from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.space.chain import SLIDE, Ball, Chain, Screw
from trundle.space.rotation import Axis, Matrix, align_z, axis_vector, clean

BONDS = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True)
class Pair:
    """A connection of two bodies. Subclasses are final."""

    free: ClassVar[tuple[str, ...]] = ()  # bonds that can move, in the order of the chain

    def chain(self) -> Chain:
        """The motion as screws, in the frame of the connection (z along the axis)."""
        raise TypeError(f"{type(self).__name__} is abstract")

    def frame(self) -> Matrix:
        """Orientation of the connection frame in the frames the user gave."""
        return align_z("z")

    @property
    def locked(self) -> tuple[str, ...]:
        """Bonds that are sealed by a flow: no relative motion."""
        return tuple(b for b in BONDS if b not in self.free)

    @property
    def coupling(self) -> Any:
        """Pitch that ties z to rz (m/rad); None when they are not tied."""
        return None

    @property
    def followers(self) -> tuple[str, ...]:
        """Coordinates that are found along with the motion when the pair closes a loop; none for a lower pair."""
        return ()


@dataclass(frozen=True)
class AxisPair(Pair):
    """A pair with a distinguished axis."""

    axis: Axis = "z"

    def frame(self) -> Matrix:
        return align_z(self.axis)


@final
@dataclass(frozen=True)
class Revolute(AxisPair):
    """Hinge: the second body turns about the axis."""

    free: ClassVar[tuple[str, ...]] = ("rz",)

    def chain(self) -> Chain:
        return Chain(Screw("z", name="angle"))


@final
@dataclass(frozen=True)
class Prismatic(AxisPair):
    """Slider: the second body moves along the axis without turning."""

    free: ClassVar[tuple[str, ...]] = ("z",)

    def chain(self) -> Chain:
        return Chain(Screw("z", pitch=SLIDE, name="displacement"))


@final
@dataclass(frozen=True)
class Helical(AxisPair):
    """Screw joint: turning by the angle moves the second body by pitch * angle along the axis."""

    free: ClassVar[tuple[str, ...]] = ("rz",)

    pitch: Any = 0.0  # m/rad

    def __post_init__(self) -> None:
        if not isinstance(self.pitch, ca.SX) and not (isinstance(self.pitch, float | int) and isfinite(self.pitch)):
            raise ModelError(f"the pitch of a Helical joint is a finite number of metres a radian, got {self.pitch!r}.")

    def chain(self) -> Chain:
        return Chain(Screw("z", pitch=self.pitch, name="angle"))

    @property
    def coupling(self) -> Any:
        return self.pitch


@final
@dataclass(frozen=True)
class Cylindrical(AxisPair):
    """The second body turns about the axis and slides along it."""

    free: ClassVar[tuple[str, ...]] = ("rz", "z")

    def chain(self) -> Chain:
        return Chain(Screw("z", name="angle"), Screw("z", pitch=SLIDE, name="displacement"))


@final
@dataclass(frozen=True)
class Planar(AxisPair):
    """The second body slides in the plane normal to the axis and turns about it."""

    free: ClassVar[tuple[str, ...]] = ("x", "y", "rz")

    def chain(self) -> Chain:
        return Chain(Screw("x", SLIDE, name="x"), Screw("y", SLIDE, name="y"), Screw("z", name="angle"))


@final
@dataclass(frozen=True)
class Universal(AxisPair):
    """Cardan joint: a turn about the axis of the first body, then about the x axis of the connection frame on
    the second body.
    """

    free: ClassVar[tuple[str, ...]] = ("rz", "rx")

    cross: Axis | None = None  # second axis at zero angles; normal to `axis`

    def frame(self) -> Matrix:
        if self.cross is None:
            return align_z(self.axis)
        z, x = axis_vector(self.axis), axis_vector(self.cross)
        if abs(float(z @ x)) > 1e-9:
            raise ModelError(
                f"the two axes of a Universal joint must be at right angles, got {self.axis!r} and {self.cross!r}."
            )
        return clean(np.column_stack([x, np.cross(z, x), z]))

    def chain(self) -> Chain:
        return Chain(Screw("z", name="angle"), Screw("x", name="cross_angle"))


@final
@dataclass(frozen=True)
class Spherical(Pair):
    """Ball joint by a unit quaternion: no singular pose."""

    free: ClassVar[tuple[str, ...]] = ("rx", "ry", "rz")

    def chain(self) -> Chain:
        return Chain(Ball("quaternion"))


@final
@dataclass(frozen=True)
class Fixed(Pair):
    """Weld."""

    free: ClassVar[tuple[str, ...]] = ()

    def chain(self) -> Chain:
        return Chain()


@final
@dataclass(frozen=True)
class Free(Pair):
    """No constraint: position and unit quaternion of the second body in the frame of the first."""

    free: ClassVar[tuple[str, ...]] = BONDS

    def chain(self) -> Chain:
        slides = [Screw(a, SLIDE, name=a) for a in ("x", "y", "z")]
        return Chain(*slides, Ball("quaternion"))


LOWER_PAIRS: tuple[type[Pair], ...] = (
    Revolute,
    Prismatic,
    Helical,
    Cylindrical,
    Spherical,
    Planar,
    Universal,
    Fixed,
    Free,
)
