"""The ellipsoid: the simplest surface that cannot be swept by two screws."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import ClassVar, final

from trundle.math import atan2, cos, sin, sqrt
from trundle.pairs.chart import SurfaceCoordinate
from trundle.pairs.parametric import ParametricSurface
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class Ellipsoid(ParametricSurface):
    """An ellipsoid about the origin with half axes a, b, c (m) along x, y, z, or a hollow one.

    Its coordinates are those of a Sphere that is stretched; they are singular at its two ends on the y axis, which
    matters only where it touches anything other than a plane.

    Parameters
    ----------
    a, b, c : float
        Half axes (m).
    inside : bool
        Touched from inside: hollow.
    """

    convex: ClassVar[bool] = True
    positive: ClassVar[tuple[str, ...]] = ("a", "b", "c")

    a: Expr
    b: Expr
    c: Expr
    inside: bool = False

    def span(self) -> tuple[SurfaceCoordinate, SurfaceCoordinate]:
        return SurfaceCoordinate("pitch", -pi, pi, closed=True), SurfaceCoordinate("roll", -pi / 2, pi / 2)

    def locate(self, pitch: Expr, roll: Expr) -> Sequence[Expr]:
        return self.a * cos(roll) * sin(pitch), -self.b * sin(roll), self.c * cos(roll) * cos(pitch)

    def outward(self, pitch: Expr, roll: Expr) -> Sequence[Expr]:
        return cos(roll) * sin(pitch) / self.a, -sin(roll) / self.b, cos(roll) * cos(pitch) / self.c

    @property
    def supports(self) -> bool:
        return not self.inside

    def support(self, normal: Expr) -> Expr:
        stretched = self._stretched(normal)
        size = sqrt(sum(w * w for w in stretched))
        return [half * w / size for half, w in zip((self.a, self.b, self.c), stretched, strict=True)]

    def facing(self, normal: Expr) -> tuple[Expr, Expr]:
        x, y, z = self._stretched(normal)
        return atan2(x, z), atan2(-y, sqrt(x * x + z * z))

    def _stretched(self, normal: Expr) -> Sequence[Expr]:
        """The point of the unit sphere that belongs to a normal, up to its length."""
        return self.a * normal[0], self.b * normal[1], self.c * normal[2]
