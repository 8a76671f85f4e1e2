"""Edges and vertices: limits of surfaces whose tube has radius zero [Meijaard 2024, Sec. 2.3]."""

from dataclasses import dataclass
from typing import ClassVar, final

from trundle.pairs.surface import Cylinder, Sphere, SpiralColumn, Surface, Torus
from trundle.pairs.sweep import Sweep, upright
from trundle.space.chain import SLIDE, Screw
from trundle.space.pose import Pose
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class CircleEdge(Surface):
    """A sharp circular rim about the y axis: a knife-edge wheel.

    Parameters
    ----------
    radius : float
        Radius (m).
    """

    round: ClassVar[bool] = True
    positive: ClassVar[tuple[str, ...]] = ("radius",)
    dimension: ClassVar[int] = 1

    radius: Expr

    def sweep(self) -> Sweep:
        return Torus(self.radius).sweep()

    def thickened(self, distance: float) -> Surface:
        return Torus(self.radius + distance, distance) if distance else self


@final
@dataclass(frozen=True)
class LineEdge(Surface):
    """A sharp straight edge along the y axis."""

    convex: ClassVar[bool] = True
    ruled: ClassVar[bool] = True
    dimension: ClassVar[int] = 1

    def sweep(self) -> Sweep:
        return Sweep(Screw("y", name="lean"), Screw("y", SLIDE, name="slide"), Pose.at((0, 0, 0)))

    def thickened(self, distance: float) -> Surface:
        return Cylinder(distance) if distance else self


@final
@dataclass(frozen=True)
class HelixEdge(Surface):
    """A sharp edge along a helix about the y axis.

    Parameters
    ----------
    radius : float
        Radius (m).
    pitch : float
        Advance along the axis for each radian (m/rad).
    """

    positive: ClassVar[tuple[str, ...]] = ("radius",)
    dimension: ClassVar[int] = 1

    radius: float
    pitch: float

    def faults(self) -> list[str]:
        return [] if self.pitch != 0 else ["HelixEdge: a pitch of zero makes a CircleEdge."]

    def sweep(self) -> Sweep:
        along = (self.radius, self.pitch, 0.0)
        lean = Screw(along, at=(0.0, 0.0, self.radius), name="lean")
        return Sweep(Screw("y", self.pitch, name="angle"), lean, Pose.at((0, 0, self.radius), upright(along=along)))

    def thickened(self, distance: float) -> Surface:
        return SpiralColumn(self.radius, self.pitch, distance) if distance else self


@final
@dataclass(frozen=True)
class Vertex(Surface):
    """A sharp point at the origin."""

    convex: ClassVar[bool] = True
    dimension: ClassVar[int] = 0

    @property
    def ball(self) -> Expr:
        return 0.0

    def sweep(self) -> Sweep:
        return Sweep(Screw("y", name="pitch"), Screw("x", name="roll"), Pose.at((0, 0, 0)))

    def thickened(self, distance: float) -> Surface:
        return Sphere(distance) if distance else self
