"""The four planar higher pairs: circle on circle, circle on line, circle on vertex, line on vertex, inner and outer
[Meijaard 2024, Sec. 2.1]. The motion is in the x, z plane of the frames; the axis is y.
"""

from dataclasses import dataclass
from math import inf
from typing import ClassVar, final

import casadi as ca

from trundle.errors import ModelError
from trundle.pairs.cam import Cam
from trundle.pairs.edge import Vertex
from trundle.pairs.higher import SurfacePair, contact_fault, seen
from trundle.pairs.surface import Cylinder, Plane, Surface
from trundle.pairs.sweep import MEET, Sweep
from trundle.space.chain import SLIDE, Chain, Named, Screw
from trundle.space.pose import Pose
from trundle.typing import Expr

ROUNDED = 1e-6  # of the length of a face, rounded at its ends so that a corner sliding off does not hit the end


@final
@dataclass(frozen=True)
class Circle(Surface):
    """A circle about the y axis, or a ring that is touched from inside.

    Parameters
    ----------
    radius : float
        Radius (m).
    inside : bool
        Touched from inside: hollow.
    """

    planar: ClassVar[bool] = True
    positive: ClassVar[tuple[str, ...]] = ("radius",)

    radius: Expr
    inside: bool = False

    @property
    def ball(self) -> Expr:
        return -self.radius if self.inside else self.radius

    def sweep(self) -> Sweep:
        return Cylinder(self.radius, self.inside).sweep()


@final
@dataclass(frozen=True)
class Line(Surface):
    """The line z = 0 with the material below."""

    planar: ClassVar[bool] = True
    ruled: ClassVar[bool] = True
    flat: ClassVar[bool] = True

    def sweep(self) -> Sweep:
        along, across = Plane().sweep().first, Plane().sweep().second
        return Sweep(Screw(along.axis, SLIDE, name="slide"), across, Pose.at((0, 0, 0)))


@final
@dataclass(frozen=True)
class Segment(Surface):
    """A face of a body: the part of the line z = 0 with |x| < length / 2, the material below. A body that slides past
    one of its ends leaves it; one that passes below the material, which is `depth` thick, does not touch it.
    """

    planar: ClassVar[bool] = True
    ruled: ClassVar[bool] = True
    flat: ClassVar[bool] = True
    bounded: ClassVar[bool] = True
    positive: ClassVar[tuple[str, ...]] = ("length", "depth")

    length: Expr  # m
    depth: Expr = inf  # m

    def sweep(self) -> Sweep:
        return Line().sweep()

    def past_ends(self, point: Expr) -> Expr:
        beside = ca.fabs(point[0]) - (1 - ROUNDED) * self.length / 2
        return ca.fmax(beside, -point[2] - self.depth) if isinstance(self.depth, ca.SX) or self.depth < inf else beside


@final
@dataclass(frozen=True)
class PlanarPair(SurfacePair):
    """Contact of two curves in the x, z plane: two freedoms. Curves are Circle, Line, Segment and Vertex, and the first
    one may be a Cam.

    Parameters
    ----------
    first : curve
        On the first body.
    second : curve
        On the second body.
    """

    first: Surface
    second: Surface
    held: ClassVar[tuple[str, ...]] = ("slip_x", "roll_y")

    def __post_init__(self) -> None:
        for curve in (self.first, self.second):
            if not isinstance(curve, Circle | Line | Segment | Vertex | Cam):
                raise ModelError(
                    "PlanarPair takes two of Circle, Line, Segment, Vertex and Cam, like tr.Circle(0.1), got "
                    f"{curve!r}."
                )
        reason = contact_fault(self.first, self.second)
        if isinstance(self.second, Cam):
            reason = "the cam is the first curve, and its follower, a Circle, Line or Vertex, the second."
        elif isinstance(self.first, Cam):
            reason = self.first.follower_fault(self.second) or reason
        if self.first.flat and self.second.flat:
            reason = "two lines lie on each other; use tr.Prismatic('x')."
        elif self.first.dimension + self.second.dimension == 0:
            reason = "two vertices that stay together are a hinge; use tr.Revolute('y')."
        elif (self.first.flat and self.second.hollow) or (self.second.flat and self.first.hollow):
            reason = "a ring (inside=True) cannot touch a line from inside."
        if reason:
            raise ModelError(f"{self.title} is not a planar pair: {reason}")

    @property
    def in_tree(self) -> bool:
        return not isinstance(self.first, Cam)

    @property
    def coordinates(self) -> tuple[Named, ...]:
        return self.chain().steps if self.in_tree else ()

    @property
    def charts(self) -> tuple[Sweep, Sweep]:
        a, b = self.first.sweep(), self.second.sweep().half_turn()
        names = [(a.first.name, "first"), (b.first.name, "second")]
        clash = a.first.name == b.first.name
        firsts = [
            Screw(s.first.axis, s.first.pitch, s.first.at, f"{which}_{name}" if clash else name)
            for s, (name, which) in zip((a, b), names, strict=True)
        ]
        still = Screw("y", SLIDE, name="")  # across the plane nothing moves
        return Sweep(firsts[0], still, a.contact), Sweep(firsts[1], still, b.contact)

    def chain(self) -> Chain:
        if not self.in_tree:
            raise ModelError(
                f"{self.title} is not a chain of screws: connect cam and follower by joints, and add "
                f"it as a contact between them."
            )
        a, b = self.charts
        end = a.contact @ Pose.at((0, 0, 0), MEET) @ b.contact.inverse()
        return Chain(a.first, seen(b.first, end), end=end)

    @property
    def locked(self) -> tuple[str, ...]:
        return ("slip_y", "roll_x", "spin", "normal")

    @property
    def held_bonds(self) -> tuple[str, ...]:
        return ("y", "z", "rx", "rz")  # the plane, whose normal is the y axis of the contact, and the contact
