"""A railway wheelset on a roller rig: a drum with two round rings in the place of the track [Meijaard 2024, Sec. 3.3].

At rest in the middle both axes are parallel to y, the wheelset right above the drum. The wheels are wider towards the
middle, so that a wheelset that has moved to the left runs on a larger radius there. The point of contact is not the top
of the ring's profile: the common normal leans inwards by the angle of the cone. With an infinite ring radius the rings
are the cylindrical rails of a straight track.
"""

from dataclasses import dataclass, fields
from math import cos, inf, isfinite, pi, sin, sqrt, tan
from typing import ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.contact import NoSlip
from trundle.errors import ModelError
from trundle.laws.law import Law
from trundle.model import Model, shape
from trundle.pairs.higher import HigherPair
from trundle.pairs.lower import Pair, Revolute
from trundle.pairs.surface import Cone, Cylinder, Surface, Torus
from trundle.pairs.wheelset_guide import TrackGuide, WheelsetGuide
from trundle.rail.rig.rig_pose import RigPose, read_pose
from trundle.rail.rig.rig_solve import solve
from trundle.real_array import is_number
from trundle.space.arrays import read_together
from trundle.typing import Expr


@final
@dataclass(frozen=True)
class RollerRig:
    """Sizes in m and rad, all at the points of contact in the middle position.

    Wheels are conical, or hollow with the profile radius `wheel_profile_radius`; their tangent plane there makes the
    angle `cone_angle` with the axle. ring_radius=inf is a straight track along x with cylindrical rails.

    Parameters
    ----------
    half_gauge : float
        Lateral distance of a contact from the centre (m).
    wheel_radius, ring_radius : float
        Rolling radii of the wheels and of the rings (m).
    ring_profile_radius : float
        Of the profile of a ring (m).
    cone_angle : float
        In rad.
    wheel_profile_radius : float
        Of the hollow profile of a wheel (m); inf for a cone.
    """

    sides: ClassVar[dict[str, int]] = {"right": -1, "left": 1}  # connections of the model, and the sign of their y

    half_gauge: float
    wheel_radius: float
    ring_radius: float
    ring_profile_radius: float
    cone_angle: float
    wheel_profile_radius: float = inf

    def __post_init__(self) -> None:
        faults = _number_faults(self) or _shape_faults(self)
        if faults:
            raise ModelError(faults)

    # -- surfaces ------------------------------------------------------------------------------------------------------

    @property
    def conical(self) -> bool:
        """Whether the wheels are cones."""
        return self.wheel_profile_radius == inf

    @property
    def straight(self) -> bool:
        """Whether the rings are the rails of a straight track."""
        return self.ring_radius == inf

    @property
    def axle_height(self) -> float:
        """Height of the axle above the axis of the drum in the middle position; on a track above the contacts."""
        return self.wheel_radius + (0.0 if self.straight else self.ring_radius)

    @property
    def ring(self) -> Torus | Cylinder:
        """The surface of a ring or rail; its largest circle, or its top, lies outside the contact."""
        if self.straight:
            return Cylinder(self.ring_profile_radius)
        return Torus(self.core_radius + self.ring_profile_radius, self.ring_profile_radius)

    @property
    def core_radius(self) -> float:
        """Radius of the core circle, about which a ring is a tube."""
        return self.ring_radius - self.ring_profile_radius * cos(self.cone_angle)

    @property
    def core_height(self) -> float:
        """Height of the centre of a ring's profile above the axis of the drum; on a track above the contacts."""
        return (0.0 if self.straight else self.ring_radius) - self.ring_profile_radius * cos(self.cone_angle)

    @property
    def core_place(self) -> float:
        """Lateral distance of the core circles from the centre."""
        return self.half_gauge + self.ring_profile_radius * sin(self.cone_angle)

    def ring_place(self, side: str) -> tuple[float, float, float]:
        """Centre of a ring, in the axes of the drum; on a track a point of the axis of a rail, in those of the ground.

        Parameters
        ----------
        side : {"left", "right"}
            Which one.

        Returns
        -------
        tuple of float
        """
        return 0.0, self.sides[side] * self.core_place, self.core_height if self.straight else 0.0

    def wheel(self, side: str) -> Surface:
        """The surface of the "left" or "right" wheel.

        Parameters
        ----------
        side : {"left", "right"}
            Which one.

        Returns
        -------
        Surface
        """
        if self.conical:
            return Cone(self.wheel_radius, -self.sides[side] * self.cone_angle)
        rho = self.wheel_profile_radius
        return Torus(self.wheel_radius - rho * (1 - cos(self.cone_angle)), rho, inside=True)

    def wheel_place(self, side: str) -> tuple[float, float, float]:
        """Centre of a wheel's surface, in the axes of the wheelset; for a groove, the centre at its bottom.

        Parameters
        ----------
        side : {"left", "right"}
            Which one.

        Returns
        -------
        tuple of float
        """
        outwards = 0.0 if self.conical else self.wheel_profile_radius * sin(self.cone_angle)
        return 0.0, self.sides[side] * (self.half_gauge + outwards), 0.0

    def wheel_normal(self, along: Expr, out: Expr) -> tuple[Expr, Expr]:
        """Components outwards along the axle and away from it of the normal of a wheel's surface that goes through a
        point near it, given by the same two distances from the centre of the wheelset.

        Parameters
        ----------
        along, out : float, array or expression
            Distances of the point outwards along the axle and away from it (m).

        Returns
        -------
        tuple
        """
        sine, cosine = sin(self.cone_angle), cos(self.cone_angle)
        if self.conical:
            return sine + 0 * along, cosine + 0 * out
        rho = self.wheel_profile_radius
        to_groove = self.half_gauge + rho * sine - along, self.wheel_radius + rho * cosine - out
        size = np.hypot(*to_groove)
        return to_groove[0] / size, to_groove[1] / size

    # -- kinematics ----------------------------------------------------------------------------------------------------

    def pose(
        self,
        lateral: ArrayLike,
        yaw: ArrayLike = 0.0,
        *,
        pitch: ArrayLike = 0.0,
        drum_angle: ArrayLike | None = None,
        forward: ArrayLike | None = None,
    ) -> RigPose:
        """How the wheelset stands with both wheels on their rings; arrays are broadcast against each other.

        `drum_angle` is for a rig, `forward` (m) for a track. One pose that does not exist raises AssemblyError with the
        reason; arrays have nan there, and `touches` is False.

        Parameters
        ----------
        lateral : float or array
            Displacement of the wheelset (m).
        yaw, pitch : float or array
            Angles of the wheelset (rad).
        drum_angle : float or array, optional
            Turn of the drum (rad).
        forward : float or array, optional
            Along a track (m).

        Returns
        -------
        RigPose
        """
        name, along, other = ("forward", forward, drum_angle) if self.straight else ("drum_angle", drum_angle, forward)
        if other is not None:
            raise ModelError(
                "a straight track has no drum: give forward (m), not drum_angle."
                if self.straight
                else "a wheelset does not move forward on a rig: give drum_angle (rad), or ring_radius=inf for a track."
            )
        arrays = read_together({"lateral": lateral, "yaw": yaw, "pitch": pitch, name: 0.0 if along is None else along})
        if not all(np.all(np.isfinite(v)) for v in arrays):
            raise ModelError(f"the pose of a wheelset needs finite numbers, got lateral {lateral!r}, yaw {yaw!r}.")
        flat = [v.ravel() for v in arrays]
        return read_pose(self, solve(self, *flat[:2]), flat, arrays[0].shape)

    @property
    def roll_coefficient(self) -> float:
        """Roll per lateral displacement in the middle position (rad/m): the contact normals meet above the axle, and
        the wheelset turns about that point.
        """
        slope = tan(self.cone_angle)
        return slope / (self.half_gauge - self.wheel_radius * slope)

    @property
    def conicity(self) -> float:
        """Equivalent conicity: half the difference of the wheels' rolling radii per lateral displacement, for small
        ones.
        """
        return self._radius_coefficients()[0] * self.roll_coefficient

    @property
    def klingel_wavelength(self) -> float:
        """Wavelength (m) of Klingel's formula, with the equivalent conicity: a track, and no roll."""
        return 2 * pi * sqrt(self.wheel_radius * self.half_gauge / self.conicity)

    @property
    def wavelength(self) -> float:
        """Wavelength (m) of small kinematic oscillations on the rig, along the circumference of the ring.

        Linearised rolling without slip, with forward speed V = wheel_radius * spin, and distances s = V t: across the
        rings y' + r0 roll' = yaw, along them the difference of both sides b yaw' = -(difference of wheel radii / r0 -
        difference of ring radii / R) / 2. The ring's part vanishes as R grows; the remaining difference from Klingel is
        the velocity of roll at the contact.
        """
        wheel, ring = self._radius_coefficients()
        b, r0 = self.half_gauge, self.wheel_radius
        bending = wheel + ring * r0 / self.ring_radius
        return 2 * pi * b * sqrt(r0 / (tan(self.cone_angle) * bending))

    def _radius_coefficients(self) -> tuple[float, float]:
        """Gain of the left wheel's radius and loss of the left ring's radius at the contact, per roll (m/rad)."""
        b, rho, rho_w, sine = self.half_gauge, self.ring_profile_radius, self.wheel_profile_radius, sin(self.cone_angle)
        if self.conical:
            return b + rho * sine, rho * sine
        return (b + rho * sine) * rho_w / (rho_w - rho), (b + rho_w * sine) * rho / (rho_w - rho)

    # -- dynamics ------------------------------------------------------------------------------------------------------

    def model(
        self,
        mass: Expr,
        inertia: Expr,
        drum_inertia: Expr = None,
        *,
        drum_mass: Expr = 0.0,
        no_slip: bool = False,
        drum_law: Law | None = None,
        name: str = "",
        gravity: Expr = 9.81,
    ) -> Model:
        """The rig as a model with the coordinates "wheelset.lift", ".lateral", ".roll", ".yaw", ".pitch", "drum.angle",
        and the contacts "left" and "right", frictionless or without slip.

        mass, inertia: of the wheelset, whose mass centre is its centre; drum_inertia: about the drum's axis. drum_law
        acts on the drum's angle, for instance tr.Servo to drive it. Forward motion turns the wheels in the positive
        sense and the drum in the negative. A straight track has no drum, and "wheelset.forward" is a coordinate.

        Parameters
        ----------
        mass : float or expression
            Of the wheelset (kg).
        inertia : number, three moments or matrix
            Of the wheelset (kg m^2).
        drum_inertia : float or expression, optional
            About the axis of the drum (kg m^2).
        drum_mass : float or expression
            In kg.
        no_slip : bool
            Rolling without slip; by default without friction.
        drum_law : Law, optional
            On the angle of the drum.
        name : str
            Of the model.
        gravity : float or expression
            In m/s^2.

        Returns
        -------
        Model
        """
        no_drum = drum_inertia is None and drum_law is None and isinstance(drum_mass, float) and drum_mass == 0
        if self.straight and not no_drum:
            raise ModelError("a straight track (ring_radius inf) has no drum: leave out drum_inertia, _mass and _law.")
        if not self.straight and drum_inertia is None:
            raise ModelError("a roller rig needs the drum_inertia (kg m^2); only a straight track has no drum.")
        m = Model(name or ("wheelset on a track" if self.straight else "roller rig"), gravity=(0.0, 0.0, -gravity))
        b, r0, R = self.half_gauge, self.wheel_radius, self.ring_radius
        shapes = tuple(shape.Disc(r0, at=(0.0, sign * b, 0.0)) for sign in self.sides.values())
        axle = shape.Rod((0.0, -b, 0.0), (0.0, b, 0.0))
        wheelset = m.body("wheelset", mass, inertia, shape=(axle, *shapes))
        guide: Pair = TrackGuide() if self.straight else WheelsetGuide()
        carrier = m.ground
        if not self.straight:
            rings = tuple(shape.Disc(R, at=(0.0, sign * b, 0.0)) for sign in self.sides.values())
            drum = m.body("drum", drum_mass, (drum_inertia, drum_inertia, drum_inertia), shape=(axle, *rings))
            m.connect(Revolute("y"), m.ground, drum, law=drum_law)
            carrier = drum
        m.connect(guide, m.ground.at(0.0, 0.0, self.axle_height), wheelset)
        lies = ("z", -pi / 2) if self.straight else None  # the cylinder of a rail lies along x
        for side in self.sides:
            pair = HigherPair(self.ring, self.wheel(side))
            places = carrier.frame(self.ring_place(side), lies), wheelset.at(*self.wheel_place(side))
            m.connect(pair, *places, side, law=NoSlip() if no_slip else None)
        return m


def _number_faults(rig: RollerRig) -> list[str]:
    """Sizes that are not positive numbers."""
    faults = []
    for field in fields(rig):
        value = getattr(rig, field.name)
        endless = field.name in ("wheel_profile_radius", "ring_radius") and value == inf
        if not is_number(value) or not (isfinite(value) or endless):
            faults.append(f"RollerRig: {field.name} must be one finite number, got {value!r}.")
        elif value <= 0:
            why = "; without coning the wheelset does not centre itself" if field.name == "cone_angle" else ""
            faults.append(f"RollerRig: {field.name} must be greater than zero, got {value!r}{why}.")
    return faults


def _shape_faults(rig: RollerRig) -> list[str]:
    """Positive sizes that do not make a wheelset on rings."""
    if rig.cone_angle >= pi / 4:
        return [
            f"RollerRig: cone_angle {rig.cone_angle:g} rad is not a valid cone angle; "
            "it must be less than pi/4 (45 degrees)."
        ]
    faults = []
    b, r0, rho, rho_w = rig.half_gauge, rig.wheel_radius, rig.ring_profile_radius, rig.wheel_profile_radius
    cosine, slope = cos(rig.cone_angle), tan(rig.cone_angle)
    if r0 * slope >= b:
        faults.append(
            f"RollerRig: the contact normals meet at {b / slope:.6g} m above the contacts, not above the axle at "
            f"wheel_radius {r0:g} m; such a wheelset does not stand on its rings. Take a smaller "
            "cone_angle or a larger half_gauge."
        )
    if rho * cosine >= rig.ring_radius:
        faults.append(
            f"RollerRig: a ring with the profile radius {rho:g} m does not fit on a drum where its radius at the "
            f"contact is {rig.ring_radius:g} m: the centre of the profile would lie beyond the axis of the drum."
        )
    if rho_w <= rho:
        faults.append(
            f"RollerRig: a ring with the profile radius {rho:g} m does not fit into a hollow wheel with the profile "
            f"radius {rho_w:g} m; wheel_profile_radius must be the greater one (inf for conical wheels)."
        )
    if rho_w < inf and rho_w * (1 - cosine) >= r0:
        faults.append(
            f"RollerRig: the groove of a wheel with the profile radius {rho_w:g} m would reach the axle: its bottom "
            f"lies {rho_w * (1 - cosine):.6g} m below the contact, where the radius is {r0:g} m. Take conical wheels "
            f"(wheel_profile_radius inf), or at most {r0 / (1 - cosine):.6g} m."
        )
    return faults
