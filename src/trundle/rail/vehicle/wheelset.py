"""A wheelset as a part of a vehicle: a hub that does not spin, the axle with its wheels, two contacts."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, cos, tan
from typing import NamedTuple, final

import numpy as np

from trundle.errors import AssemblyError, ModelError
from trundle.laws.efforts import Open
from trundle.laws.flows import Locked
from trundle.model.body import Body
from trundle.model.frame import MotionPart
from trundle.model.joint import Connection
from trundle.model.model import Model
from trundle.model.shape import Disc, Rod, Shape
from trundle.pairs.lower import Revolute
from trundle.rail.suspension.suspension import check_numbers, check_triple
from trundle.rail.vehicle.rail_support import RailSupport
from trundle.rail.vehicle.ride import TrackPlace
from trundle.rail.vehicle.wheel_on_rail import WheelOnRail, WheelPlace
from trundle.rail.wheel_rail.contact_table import EPS, ContactTable
from trundle.rail.wheel_rail.creep import CreepLaw
from trundle.rail.wheel_rail.geometry import SIDES, ContactGeometry
from trundle.rail.wheel_rail.hertz import STEEL, Elastic
from trundle.typing import Expr, State

STEEPEST_AT_REST = 0.2  # rad, of a contact in the middle of the track
REACH = 12e-3  # m: usual reach of contact tables to both sides
FLANGE, EARLY = 0.5, 8e-3  # rad of a contact on the flange, and m to one side at which usual wheelsets have it
FARTHEST = (12e-3, 16e-3, 20e-3, 25e-3, 30e-3)  # m within which a flange is looked for
BEYOND_FLANGE = 5e-3  # m: reach of contact tables beyond the place where the flange begins to touch
DEEPEST_AT_REST = 0.01  # m, of it below the running circle: the tip of a flange, which does not lean, lies deeper


@final
@dataclass(frozen=True, eq=False)
class Contact:
    """Both wheels of a wheelset on the rails: profiles with their places, creep law, material, and the length `eps` (m)
    of the soft minimum by which the contact point moves across the profiles. Rails are fixed unless they have a
    `support`, which makes them compliant under each wheel.

    Parameters
    ----------
    geometry : ContactGeometry
        Profiles and their places.
    creep : CreepLaw
        Such as Polach(mu=0.3).
    eps : float
        Length of the soft minimum (m).
    material : Elastic
        Of wheel and rail.
    support : RailSupport, optional
        Elastic support of the rails.
    """

    geometry: ContactGeometry
    creep: CreepLaw
    eps: float = EPS
    material: Elastic = STEEL
    support: RailSupport | None = None

    def __post_init__(self) -> None:
        faults: list[str] = []
        if not isinstance(self.geometry, ContactGeometry):
            faults.append(f"Contact: geometry must be a rail.ContactGeometry, got {self.geometry!r}.")
        if not isinstance(self.creep, CreepLaw):
            faults.append(f"Contact: creep must be a creep law such as rail.Polach(mu=0.3), got {self.creep!r}.")
        if self.support is not None and not isinstance(self.support, RailSupport):
            faults.append(f"Contact: support must be a rail.RailSupport(mass, stiffness), got {self.support!r}.")
        if faults:
            raise ModelError(faults)
        self._check_rest()

    def _check_rest(self) -> None:
        """In the middle of the track both wheels stand on their treads."""
        geometry = self.geometry
        try:
            rest = geometry.contact(0.0)
        except AssemblyError as error:
            raise ModelError(f"Contact: profiles and gauge do not meet: {error}") from error
        sides = rest.left, rest.right
        steepest = max(abs(float(side.angle)) for side in sides)
        deepest = max(float(side.radius) - geometry.side(name).radius for side, name in zip(sides, SIDES, strict=True))
        if steepest > STEEPEST_AT_REST or deepest > DEEPEST_AT_REST:
            lean = steepest > STEEPEST_AT_REST
            where = f"where they lean by {steepest:.2g} rad" if lean else f"{1e3 * deepest:.3g} mm deeper, on a flange"
            raise ModelError(
                f"Contact: in the middle of the track the wheels {geometry.wheel.name!r} do not stand on their treads, "
                f"but {where}: a gauge of {geometry.gauge:g} m and wheels {geometry.back_to_back:g} m apart "
                "(back_to_back) do not fit each other."
            )

    @cached_property
    def tables(self) -> dict[str, ContactTable]:
        """Of the left and the right wheel."""
        reach = _reach(self.geometry)
        return {side: ContactTable(self.geometry, side, self.eps, reach, material=self.material) for side in SIDES}


def _reach(geometry: ContactGeometry) -> float:
    """How far to one side contact tables go (m): beyond the contact with the flange, which is late on wide gauges."""
    try:
        early = geometry.contact((EARLY, -EARLY))
    except AssemblyError:  # the rails do not reach so far
        return REACH
    if early.left.angle[0] > FLANGE and early.right.angle[1] > FLANGE:
        return REACH
    wheel = geometry.wheel
    if np.max(np.abs(wheel.slope(np.linspace(wheel.start, 0.0, 200)[1:]))) < tan(FLANGE):
        return REACH
    for most in FARTHEST:
        try:
            flange = max(abs(geometry.flange_contact(side, most)) for side in SIDES)
        except AssemblyError:  # not so near, or none at all
            continue
        return max(REACH, 1e-3 * ceil(1e3 * (flange + BEYOND_FLANGE)))
    return REACH


@final
class PlacedWheelset(NamedTuple):
    """A wheelset in a model."""

    hub: Body  # moves with the axle but does not spin: where axle boxes and springs are attached
    axle: Body
    track: Body


@final
@dataclass(frozen=True, eq=False)
class Wheelset:
    """Mass (kg), moments of inertia about the axes of the axle (kg m^2; the second about the axle), contact.

    Parameters
    ----------
    mass : float or expression
        In kg.
    inertia : three numbers
        About the axes of the axle, the second about the axle (kg m^2).
    contact : Contact
        Of both wheels.
    """

    mass: float
    inertia: tuple[float, float, float]
    contact: Contact

    def __post_init__(self) -> None:
        check_triple("Wheelset", inertia=self.inertia)
        check_numbers("Wheelset", ("mass", "inertia"), mass=self.mass, inertia=self.inertia)
        if not isinstance(self.contact, Contact):
            raise ModelError(f"Wheelset: contact must be a rail.Contact(geometry, creep), got {self.contact!r}.")

    @property
    def radius(self) -> float:
        """Of the running circles, m."""
        return self.contact.geometry.radius

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Its contacts with the rails."""
        return (self.contact,)

    @property
    def shape(self) -> tuple[Shape, ...]:
        """Axle and wheels, for pictures."""
        half = self.contact.geometry.tape_distance / 2
        wheels = (Disc(self.radius, "y", (0.0, side * half, 0.0)) for side in (-1.0, 1.0))
        return Rod((0.0, -half - 0.2, 0.0), (0.0, half + 0.2, 0.0)), *wheels

    def add(self, m: Model, name: str, place: TrackPlace | Body, load: float | None = None) -> PlacedWheelset:
        """Put it into a model, at a place of a ride; or, on straight track, in a frame that moves along x.

        Coordinates are `name.x`, `name.y`, `name.z`, `name.rx` (roll), `name.rz` (yaw) of the hub in the track frame,
        and `name_spin.angle`; the contacts are called `name_left` and `name_right`.

        Parameters
        ----------
        m : Model
            To which it is added.
        name : str
            Of the wheelset.
        place : TrackPlace or Body
            Where it stands on the track, or a frame that moves along it.
        load : float, optional
            At rest, in addition to its own weight (N): for limits that depend on it. Unknown by default.

        Returns
        -------
        PlacedWheelset
        """
        hub = m.body(f"{name}_hub", mass=0.0, inertia=0.0)
        axle = m.body(f"{name}_axle", mass=self.mass, inertia=self.inertia, shape=self.shape)
        if isinstance(place, TrackPlace):
            course, rough = place.course, place.ride.rough
            frame, track = place.frame, place.track
            bend = MotionPart(course.bend, 7) if place.ride.held else MotionPart(course.bend_to_third_order, 10)
        else:
            frame, track, bend, rough = place, place, None, None
        each = None if load is None else (load + -float(m.gravity[2]) * self.mass) / 2
        free = Open()
        m.connect(Connection(free, free, free, free, Locked(), free), frame, hub, name=name)
        m.connect(Revolute("y"), hub, axle, name=f"{name}_spin")
        for side, contact in self.contact.tables.items():
            table = m.tables.get(f"rail_{side}") or m.table(f"rail_{side}", contact.table)
            if table.table is not contact.table:
                table = m.table(f"{name}_rail_{side}", contact.table)
            force = WheelOnRail(
                axle, track, WheelPlace.of(contact), table, self.contact.creep, bend, rough,
                support=self.contact.support, static_load=each,
            )  # fmt: skip
            m.apply(force, name=f"{name}_{side}")
        return PlacedWheelset(hub, axle, track)

    def start(self, name: str, speed: Expr, load: float) -> State:
        """Start values: in the middle of the track, rolling, under a load (N) in addition to its own weight. The speed
        (m/s) may be an expression of parameters, `ride.first_speed`.

        Parameters
        ----------
        name : str
            Of the wheelset.
        speed : float or expression
            In m/s.
        load : float
            In addition to its own weight (N).

        Returns
        -------
        dict
            Values by name.
        """
        sag, roll = self._at_rest(load)
        found = {f"{name}.z": self.radius - sag, f"{name}_spin.angle_rate": speed / self.radius}
        if roll:
            found[f"{name}.rx"] = roll
        if self.contact.support is not None:
            for side, out in SIDES.items():
                for axis, way in zip("yz", self._yielded(load), strict=True):
                    found[f"{name}_{side}.rail_{axis}"] = way * (out if axis == "y" else -1.0)
        return found

    def static_sag(self, load: float) -> float:
        """Lowering of the axle (m) at rest from the height of the radius, under a load (N) in addition to its own
        weight.

        Parameters
        ----------
        load : float
            In addition to its own weight (N).

        Returns
        -------
        float
        """
        return self._at_rest(load)[0]

    def _at_rest(self, load: float) -> tuple[float, float]:
        """Lowering (m) and roll (rad) in the middle of the track, where both wheels carry the same."""
        aside, down = self._yielded(load)
        left = self._lowering("left", load, aside, 0.0)
        if self.contact.geometry.alike:
            return left + down, 0.0
        roll = 0.0
        for _ in range(20):
            left, right = self._lowering("left", load, aside, roll), self._lowering("right", load, aside, -roll)
            roll += (right - left) / self.contact.geometry.tape_distance
        return (left + right) / 2 + down, roll

    def _lowering(self, side: str, load: float, aside: float, roll: float) -> float:
        """Lowering of the axle (m) at which a wheel carries half the load, when its side is lifted by a roll (rad)."""
        radius = self.contact.geometry.side(side).radius
        contact = self.contact.tables[side](radius * roll - aside, roll)
        slope = cos(contact.angle)
        normal = (load + 9.81 * self.mass) / 2 / slope
        found: float = self.radius - radius + contact.gap + (normal / contact.stiffness) ** (2 / 3) / slope
        return found

    def _yielded(self, load: float) -> tuple[float, float]:
        """Displacement of rails on supports outwards and down under a load (N), m."""
        if self.contact.support is None:
            return 0.0, 0.0
        across, up = self.contact.support.stiffness
        Q, aside = (load + 9.81 * self.mass) / 2, 0.0
        for _ in range(8):  # the contact moves across the wheel as the rail gives way
            aside = Q * tan(self.contact.tables["left"](-aside, 0.0).angle) / across
        return aside, Q / up
