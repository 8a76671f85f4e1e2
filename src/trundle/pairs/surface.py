"""Surfaces: the base class, and the seven surfaces that two screws can sweep with the normal fixed to the second one.

Every surface has the y axis as its axis. The point at zero coordinates is the one where the outward normal points up
(z), or, on cones and tangent surfaces, is inclined. `inside` puts the material on the other side: a pipe, a bowl, a
hollow tyre.
"""

from dataclasses import dataclass, fields, replace
from math import cos, hypot, inf, isfinite, pi, sin, sqrt
from typing import ClassVar, final

import casadi as ca
import numpy as np

from trundle.errors import ModelError
from trundle.messages.arguments import advised_class
from trundle.pairs.chart import Chart
from trundle.pairs.geometry import SurfaceGeometry
from trundle.pairs.sweep import Sweep, upright
from trundle.real_array import is_number
from trundle.space.chain import SLIDE, Screw
from trundle.space.inertia import LONGEST
from trundle.space.pose import Pose
from trundle.space.rotation import rotation
from trundle.typing import Expr


@dataclass(frozen=True)
class Surface(SurfaceGeometry):
    """A smooth surface, edge or vertex of a body. Subclasses are final."""

    ruled: ClassVar[bool] = False  # has straight lines along which the tangent plane does not turn
    flat: ClassVar[bool] = False
    round: ClassVar[bool] = False  # a tube about a circle: a wheel
    planar: ClassVar[bool] = False  # a curve of a PlanarPair
    carried: ClassVar[bool] = True  # the screws carry the normal: Meijaard's condition
    positive: ClassVar[tuple[str, ...]] = ()  # lengths that must be greater than zero
    convex: ClassVar[bool] = False  # lies on one side of each of its tangent planes, where it is not hollow
    dimension: ClassVar[int] = 2  # 2 a surface, 1 an edge, 0 a vertex
    by_name: ClassVar[bool] = True  # whether files use the name of its class and its sizes
    bounded: ClassVar[bool] = False  # has ends, at which contacts separate

    def chart(self) -> Chart:
        return self.sweep()

    def second_chart(self) -> Chart:
        """The chart of this surface as the second one of a pair, whose coordinates are those of the body's motion."""
        return self.sweep().half_turn()

    @property
    def swept(self) -> bool:
        """Whether two screws sweep it, so that a pair of two such surfaces is a chain of screws."""
        return True

    def contact_frame(self, up: float) -> Pose:
        """Contact axes at zero coordinates as the first surface (1) or the second one (-1) of a pair.

        Parameters
        ----------
        up : float
            1 as the first surface of a pair, -1 as the second.

        Returns
        -------
        Pose
        """
        return self.sweep().contact if up > 0 else self.sweep().half_turn().contact

    @property
    def supports(self) -> bool:
        """Whether the point with a given normal is known in closed form: `support` and `facing`."""
        return False

    def support(self, normal: Expr) -> Expr:
        """The point whose outward normal has the direction of this column, as an expression.

        Parameters
        ----------
        normal : expression
            Direction in the frame of the surface, as a column.

        Returns
        -------
        expression
            Position (m), as a column.
        """
        raise TypeError(f"{type(self).__name__} has no support in closed form")

    def facing(self, normal: Expr) -> tuple[Expr, Expr]:
        """The coordinates of that point.

        Parameters
        ----------
        normal : expression
            Direction in the frame of the surface, as a column.

        Returns
        -------
        tuple of expression
        """
        raise TypeError(f"{type(self).__name__} has no support in closed form")

    def past_ends(self, point: Expr) -> Expr:
        """Distance of a point beyond the nearest end of a bounded surface, negative before it.

        Parameters
        ----------
        point : expression
            Position (m) in the frame of the surface, as a column.

        Returns
        -------
        expression
            Distance along the surface (m).
        """
        raise TypeError(f"{type(self).__name__} has no ends")

    @property
    def symbols(self) -> tuple[Expr, ...]:
        """Sizes that depend on parameters."""
        return tuple(v for f in fields(self) if isinstance(v := getattr(self, f.name), ca.SX) and not v.is_constant())

    @property
    def ball(self) -> Expr:
        """Radius of a sphere, negative if it is hollow; None for every other surface."""
        return None

    @property
    def hollow(self) -> bool:
        """Whether the material lies on the outer side: a pipe, a bowl, a groove."""
        return any(f.name == "inside" and getattr(self, f.name) for f in fields(self))

    @property
    def turns(self) -> bool:
        """Whether it is a surface of revolution about the y axis."""
        first = self.sweep().first
        return not first.slides and isinstance(first.pitch, float) and first.pitch == 0.0

    def __post_init__(self) -> None:
        faults = []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.metadata.get("variables"):  # a function, which the class reads itself
                continue
            if isinstance(value, ca.SX) and field.type in (float, "float"):
                faults.append(
                    f"{type(self).__name__}: {field.name} shapes the equations; give a number, not a parameter."
                )
            if field.name == "inside" and not isinstance(value, bool):
                faults.append(f"{type(self).__name__}: inside is True or False, got {value!r}.")
            if isinstance(value, ca.SX) or field.name == "inside" or value == field.default == inf:
                continue
            if not is_number(value) or not isfinite(value):
                faults.append(f"{type(self).__name__}: {field.name} must be a finite number, got {value!r}.")
            elif abs(float(value)) > LONGEST:
                faults.append(
                    f"{type(self).__name__}: {field.name} is {value:g}: above {LONGEST:g} products would overflow; "
                    "use larger units."
                )
            elif field.name in self.positive and value <= 0:
                hollow = " Give inside=True for one that is touched from inside." if "inside" in vars(self) else ""
                faults.append(f"{type(self).__name__}: {field.name} must be greater than zero, got {value!r}.{hollow}")
        faults += self.faults() if not faults else []
        if faults:
            raise ModelError(faults)

    def faults(self) -> list[str]:
        """Faults of combinations of sizes, each of which is a valid number."""
        return []


@final
@advised_class(
    normal="the plane is z = 0 of its frame; turn the frame, m.ground.frame((0, 0, 0), ('y', 0.2))",
    height="the plane is z = 0 of its frame; shift the frame, m.ground.at(0, 0, 0.5)",
    friction="friction is the law of the connection, m.connect(pair, first, second, law=tr.Coulomb(0.3))",
    mu="friction is the law of the connection, m.connect(pair, first, second, law=tr.Coulomb(0.3))",
)
@dataclass(frozen=True)
class Plane(Surface):
    """The plane z = 0 with the material below."""

    convex: ClassVar[bool] = True
    ruled: ClassVar[bool] = True
    flat: ClassVar[bool] = True

    def sweep(self) -> Sweep:  # prismatic, prismatic
        return Sweep(Screw("x", SLIDE, name="x"), Screw("y", SLIDE, name="y"), Pose.at((0, 0, 0)))

    def thickened(self, distance: float) -> "Plane":
        return self


@final
@dataclass(frozen=True)
class Cylinder(Surface):
    """A round cylinder of `radius` (m) about the y axis, or with inside=True a pipe."""

    convex: ClassVar[bool] = True
    ruled: ClassVar[bool] = True
    positive: ClassVar[tuple[str, ...]] = ("radius",)

    radius: Expr  # m
    inside: bool = False

    def sweep(self) -> Sweep:  # revolute, prismatic, parallel axes
        height = -self.radius if self.inside else self.radius
        return Sweep(Screw("y", name="angle"), Screw("y", SLIDE, name="slide"), Pose.at((0, 0, height)))

    def thickened(self, distance: float) -> "Cylinder":
        return replace(self, radius=self.radius + (-distance if self.inside else distance))


@final
@dataclass(frozen=True)
class Cone(Surface):
    """A cone about the y axis that widens along y: `radius` (m) at zero coordinates, `angle` (rad) between axis and
    generator; inside=True is touched from inside.
    """

    convex: ClassVar[bool] = True
    ruled: ClassVar[bool] = True
    positive: ClassVar[tuple[str, ...]] = ("radius",)

    radius: Expr  # m
    angle: float  # half angle between axis and generator (rad)
    inside: bool = False

    def faults(self) -> list[str]:
        if 0 < abs(self.angle) < np.pi / 2:
            return []
        return [
            f"Cone: the half angle must lie between 0 (a Cylinder) and a right angle (a Plane), got {self.angle!r} rad."
        ]

    def sweep(self) -> Sweep:  # revolute, prismatic, oblique intersecting axes
        angle, height = (-self.angle, -self.radius) if self.inside else (self.angle, self.radius)
        generator = (0.0, cos(self.angle), sin(self.angle) * (-1 if self.inside else 1))
        contact = Pose.at((0, 0, height), rotation("x", angle))
        return Sweep(Screw("y", name="angle"), Screw(generator, SLIDE, name="slide"), contact)

    def thickened(self, distance: float) -> "Cone":
        return replace(self, radius=self.radius + (-distance if self.inside else distance) * cos(self.angle))


@final
@dataclass(frozen=True)
class Torus(Surface):
    """A tyre: a tube of radius `tube` whose outermost circle, about the y axis, has the radius `radius`.

    inside=True is a hollow tyre: the circle of radius `radius` is the bottom of a groove of radius `tube`.
    """

    round: ClassVar[bool] = True
    positive: ClassVar[tuple[str, ...]] = ("radius",)

    radius: Expr  # m
    tube: Expr = 0.0  # m
    inside: bool = False

    def faults(self) -> list[str]:
        if isinstance(self.tube, ca.SX) or isinstance(self.radius, ca.SX):
            return []
        if self.tube < 0:
            return [f"Torus: the radius of the tube must not be negative, got {self.tube!r}."]
        if self.inside and self.tube == 0:
            return ["Torus: a hollow tyre (inside=True) needs a tube with a radius greater than zero."]
        if not self.inside and self.tube >= self.radius:
            return [
                f"Torus: a tube of radius {self.tube!r} does not fit into a wheel of radius {self.radius!r}; "
                "equal radii make a Sphere."
            ]
        return []

    def sweep(self) -> Sweep:  # revolute, revolute, perpendicular axes
        centre = self.radius + self.tube if self.inside else self.radius - self.tube
        roll = Screw("x", at=(0.0, 0.0, centre), name="roll")
        return Sweep(Screw("y", name="pitch"), roll, Pose.at((0, 0, self.radius)))

    def thickened(self, distance: float) -> "Torus":
        return replace(self, radius=self.radius + distance, tube=self.tube + (-distance if self.inside else distance))


@final
@dataclass(frozen=True)
class Sphere(Surface):
    """A ball of `radius` (m) about the origin, or with inside=True a bowl."""

    convex: ClassVar[bool] = True
    positive: ClassVar[tuple[str, ...]] = ("radius",)

    radius: Expr  # m
    inside: bool = False

    @property
    def ball(self) -> Expr:
        return -self.radius if self.inside else self.radius

    def sweep(self) -> Sweep:  # revolute, revolute, intersecting axes
        return Sweep(Screw("y", name="pitch"), Screw("x", name="roll"), Pose.at((0, 0, self.ball)))

    def thickened(self, distance: float) -> "Sphere":
        return replace(self, radius=self.radius + (-distance if self.inside else distance))


def winding_clearance(radius: float, pitch: float) -> float:
    """Smallest distance (m) between neighbouring windings of a helix; inf if it is so steep that there is no minimum.

    Between two points a turn t apart it is sqrt(2 R^2 (1 - cos t) + p^2 t^2), which is least where its derivative
    vanishes, just before a whole turn.
    """
    ratio = (pitch / radius) ** 2
    low, high = 4.493409457909064, 2 * pi  # sin(t) / t is least at the first, where tan(t) = t
    if sin(low) + ratio * low >= 0:
        return inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if sin(middle) + ratio * middle < 0 else (low, middle)
    return sqrt(2 * radius**2 * (1 - cos(high)) + (pitch * high) ** 2)


@final
@dataclass(frozen=True)
class SpiralColumn(Surface):
    """A tube of radius `tube` around the helix of radius `radius` and pitch `pitch` (m/rad) about the y axis;
    inside=True is touched from inside.
    """

    positive: ClassVar[tuple[str, ...]] = ("radius", "tube")

    radius: float  # m
    pitch: float  # m/rad
    tube: Expr  # m
    inside: bool = False

    def faults(self) -> list[str]:
        if self.pitch == 0:
            return ["SpiralColumn: a pitch of zero makes a Torus."]
        if isinstance(self.tube, ca.SX):
            return []
        limit = self.radius + self.pitch**2 / self.radius  # radius of curvature of the helix, a / sin^2 alpha
        if self.tube >= limit:  # [Meijaard 2024, Eq. 19]
            return [
                f"SpiralColumn: a tube of radius {self.tube!r} folds over itself: it must be less than the radius of "
                f"curvature of the helix, {limit:.6g}."
            ]
        near = winding_clearance(self.radius, self.pitch)
        if 2 * self.tube >= near:
            return [
                f"SpiralColumn: neighbouring windings overlap: their centre lines are {near:.6g} m apart, less than "
                f"two tubes of {self.tube!r} m. Take a thinner tube or a larger pitch."
            ]
        return []

    def sweep(self) -> Sweep:  # screw, revolute with its axis tangent to the screw line
        along = (self.radius, self.pitch, 0.0)
        lean = Screw(along, at=(0.0, 0.0, self.radius), name="lean")
        height = self.radius - self.tube if self.inside else self.radius + self.tube
        return Sweep(Screw("y", self.pitch, name="angle"), lean, Pose.at((0, 0, height), upright(along=along)))

    def thickened(self, distance: float) -> "SpiralColumn":
        return replace(self, tube=self.tube + (-distance if self.inside else distance))


@final
@dataclass(frozen=True)
class TangentSurface(Surface):
    """The surface swept by the tangent of a helix (`radius`, m, and `pitch`, m/rad) about the y axis; the point at zero
    coordinates is at the distance `reach` (m) from the helix along the tangent. It ends in a cusp on the helix.
    inside=True is its other side.
    """

    ruled: ClassVar[bool] = True
    positive: ClassVar[tuple[str, ...]] = ("radius",)

    radius: float  # m
    pitch: float  # m/rad
    reach: Expr  # m
    inside: bool = False

    def faults(self) -> list[str]:
        if self.pitch == 0:
            return ["TangentSurface: a pitch of zero makes a Plane."]
        if not isinstance(self.reach, ca.SX) and self.reach == 0:
            return ["TangentSurface: the surface has a cusp on the helix; give a reach different from zero."]
        return []

    def sweep(self) -> Sweep:  # screw, prismatic with its axis tangent to the screw line
        size = hypot(self.radius, self.pitch)
        along = (self.radius / size, self.pitch / size, 0.0)
        side = 1.0 if self.inside else -1.0
        normal = (-side * self.pitch, side * self.radius, 0.0)  # the binormal of the helix, or its opposite
        at = (self.reach * along[0], self.reach * along[1], self.radius)
        slide = Screw(along, SLIDE, name="slide")
        return Sweep(Screw("y", self.pitch, name="angle"), slide, Pose.at(at, upright(normal, along)))

    def thickened(self, distance: float) -> "TangentSurface":
        lift = distance * self.pitch / self.radius  # along the tangent: the binormal leans
        return replace(self, reach=self.reach + (-lift if self.inside else lift))
