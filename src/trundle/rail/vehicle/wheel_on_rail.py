"""The force between a wheel and its rail: Hertz's normal force and creep, from the contact table of the two profiles.

Rails are at rest in the ground, or yield on their supports; the track frame only defines where they are. So slip is the
velocity of the wheel's material against the rail. The wheelset may stand a little ahead of the track frame or behind
it: it is turned into the axes that the track has where it stands (x along the track, y to the left, z up), so that
nothing depends on the frame.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, final

import casadi as ca

from trundle.derivative import derivative
from trundle.errors import ModelError
from trundle.model.body import Body, Frame, as_frame
from trundle.model.force import Force, Signals, Terms
from trundle.model.frame import MotionPart
from trundle.model.state import State
from trundle.model.table import ModelTable
from trundle.rail.vehicle.nearby import nearby
from trundle.rail.vehicle.rail_support import RailSupport
from trundle.rail.wheel_rail.contact_table import ContactTable, TableContact
from trundle.rail.wheel_rail.creep import CreepForce, CreepLaw
from trundle.rail.wheel_rail.geometry import SIDES
from trundle.rail.wheel_rail.hertz import Elastic
from trundle.rail.wheel_rail.kalker import Patch
from trundle.space.rotation import cross, dot
from trundle.typing import Expr

NO_APPROACH = 1e-20  # m: added under a root, which has no slope at zero
SLOWEST = 0.01  # m/s: creepage is slip over sqrt(v^2 + SLOWEST^2)


@final
@dataclass(frozen=True)
class WheelPlace:
    """Where a wheel and its rail are, apart from their profiles."""

    out: float  # 1 for the left wheel, -1 for the right one
    radius: float  # of the running circle, m
    tape_place: float  # of the running circle from the middle of the axle, m
    rail_origin: float  # of the rail profile's origin from the middle of the track, m
    material: Elastic

    @staticmethod
    def of(contact: ContactTable) -> "WheelPlace":
        """The place of a wheel, from its contact table.

        Parameters
        ----------
        contact : ContactTable
            Of one wheel.

        Returns
        -------
        WheelPlace
        """
        side = contact.geometry.side(contact.side)
        return WheelPlace(SIDES[side.name], side.radius, side.tape_place, side.rail_origin, contact.material)


@final
class _Pose(NamedTuple):
    """A wheelset in the axes of the track where its centre stands."""

    back: Expr  # matrix from these axes to those of the ground
    centre: Expr  # m, from the middle of the track
    axle: Expr  # direction, to the left
    v: Expr  # of the centre in the ground, m/s
    w: Expr  # of the wheel in the ground, rad/s
    at: Expr  # distance of the place along the line, m
    bend: Expr  # turn of the track's axes per metre, rad/m
    rail: Expr  # displacement of the rail on its support, m
    rail_rate: Expr  # m/s


@final
class _Against(NamedTuple):
    """A wheelset against one of its rails, which runs along the x axis; its place across is that of a straight one."""

    axes: Expr  # matrix from those of the rail to those of the track
    centre: Expr
    axle: Expr
    v: Expr  # against the rail
    w: Expr


@final
class _ContactGeometry(NamedTuple):
    """Geometry of the contact of a wheelset against its rail."""

    table: TableContact
    approach: Expr  # m, along the normal; negative where the contact is open
    arm: Expr  # from the wheelset's centre to the contact
    normal: Expr  # out of the rail


@final
class _Acting(NamedTuple):
    """Forces and energies in the contact."""

    touch: _ContactGeometry
    patch: Patch
    load: Expr  # N, normal
    creep: CreepForce
    slips: tuple[Expr, Expr, Expr]  # creepages along, across and of spin
    lost: Expr  # W, by creep
    on_track: Expr  # force on the wheel in the axes of the track, N
    force: Expr  # the same in those of the ground
    moment: Expr  # about the wheel's centre, N m
    arm: Expr  # from there to the contact, m
    stored: Expr  # J, in the elastic contact
    absorbed: Expr  # W, power of wheel and rail on the contact: lost, or stored for a while


@final
@dataclass(frozen=True, eq=False)
class WheelOnRail(Force):
    """One wheel of a wheelset on its rail.

    Parameters
    ----------
    wheel : Body
        The wheelset; its origin lies in the middle of the axle, its y axis along it to the left.
    track : Body
        Moving frame that follows the track beside the wheelset, or the ground where the track is straight along x. Its
        origin lies where the running circles touch in the middle position: the centre of the wheelset is then the
        radius above it.
    place : WheelPlace
        `WheelPlace.of(contact)` for a ContactTable of the profiles.
    table : ModelTable
        `m.table(name, contact.table)`.
    creep : CreepLaw
    bend : MotionPart, optional
        `TrackFrame.bend` of the track frame, seven numbers: its distance along the line, its turn d per metre (rad/m)
        and the derivative of this; with ten, `TrackFrame.bend_to_third_order`, the frame may be decimetres away. On a
        curve the rails run along (1, 0, 0) + d x P. Not needed on straight track.
    rough : ModelTable, optional
        Irregularities over the distance, `m.table(name, rail.irregularity_table(...))`.
    damping : float
        s/m; the normal force is that of Hertz times 1 - damping times the speed of separation.
    support : RailSupport, optional
        Compliant support of the rail; its states are `name.rail_y`, `name.rail_z` (m, from its place in the axes of the
        track) and the rates of these, `name.rail_y_speed` and `name.rail_z_speed`.
    static_load : float, optional
        Of the wheel at rest (N): for limits that depend on it.
    """

    wheel: Body
    track: Body | Frame
    place: "WheelPlace"
    table: ModelTable
    creep: CreepLaw
    bend: MotionPart | None = None
    rough: ModelTable | None = None
    damping: Expr = 1.0
    support: RailSupport | None = None
    static_load: float | None = None
    name: str = field(default="", kw_only=True)  # given by Model.apply

    def __post_init__(self) -> None:
        if not isinstance(self.creep, CreepLaw):
            raise ModelError(f"WheelOnRail: creep must be a creep law such as rail.Polach(mu=0.3), got {self.creep!r}.")
        if not isinstance(self.place, WheelPlace):
            raise ModelError(f"WheelOnRail: place must be a WheelPlace.of(contact), got {self.place!r}.")
        if self.rough is not None and self.bend is None:
            raise ModelError("WheelOnRail: irregularities need the distance along a line, TrackFrame.bend.")

    @property
    def element(self) -> str:
        return "R"

    @property
    def places(self) -> tuple[Frame, ...]:
        return (as_frame(self.wheel),)

    def named(self, name: str) -> "WheelOnRail":
        return replace(self, name=name)

    def states(self) -> Iterator[State]:
        if self.support is None:
            return
        for i, axis in enumerate(("y", "z")):
            way = "across" if axis == "y" else "up"
            text = f"displacement of the rail {way}: {self.name}"
            yield State(self.name, f"rail_{axis}", self._speed(f"rail_{axis}_speed"), 0.0, "m", text)
            text = f"speed of the rail {way}: {self.name}"
            yield State(self.name, f"rail_{axis}_speed", self._pushed(i), 0.0, "m/s", text)

    def _speed(self, kind: str) -> Callable[[Signals], Expr]:
        return lambda s: s[f"{self.name}.{kind}"]

    def _pushed(self, i: int) -> Callable[[Signals], Expr]:
        """Acceleration of the rail across or up."""

        def rate(s: Signals) -> Expr:
            assert self.support is not None
            push = -self._acting(s).on_track[1:]
            return self.support.acceleration(push, *self._rail(s))[i]

        return rate

    def _rail(self, s: Signals) -> tuple[Expr, Expr]:
        """Displacement of a rail on a support across and up (m), and its velocity (m/s)."""
        place, rate = (ca.vertcat(*(s[f"{self.name}.rail_{x}{end}"] for x in "yz")) for end in ("", "_speed"))
        return place, rate

    def _yield(self, s: Signals) -> tuple[Expr, Expr]:
        """Displacement and velocity of the rail in the axes of the track."""
        if self.support is None:
            return ca.SX.zeros(3), ca.SX.zeros(3)
        place, rate = self._rail(s)
        return ca.vertcat(0.0, place), ca.vertcat(0.0, rate)

    def terms(self, s: Signals) -> Terms:
        wheel, on = as_frame(self.wheel), self._acting(s)
        Q, Y = on.on_track[2], -self.place.out * on.on_track[1]
        t, creep, slips = on.touch.table, on.creep, on.slips
        stored, lost = ca.SX(0), on.absorbed
        if self.support is not None:
            place, rate = self._rail(s)
            stored, lost = self.support.stored(place, rate), lost + self.support.lost(rate)
        return Terms(
            wrenches=[(wheel, on.force, on.moment)],
            potential=stored,
            dissipated=lost,
            stored=on.stored,
            measures={
                "Q": (Q, "N", "vertical force of the wheel on the rail"),
                "Y": (Y, "N", "lateral force of the wheel on the rail, outwards"),
                "Y_over_Q": (Y / ca.fmax(Q, 1.0), "", "lateral over vertical force"),
                "normal_force": (on.load, "N", "normal force"),
                "longitudinal_creepage": (slips[0], "", "slip along the rail over rolling speed"),
                "lateral_creepage": (slips[1], "", "slip across the rail over rolling speed"),
                "spin_creepage": (slips[2], "1/m", "turn about the normal over rolling speed"),
                "longitudinal_creep_force": (creep.longitudinal, "N", "creep force on the wheel along the rail"),
                "lateral_creep_force": (creep.lateral, "N", "creep force on the wheel across the rail, to the left"),
                "contact_angle": (t.angle, "rad", "angle between contact plane and track plane"),
                "rolling_radius": (t.radius, "m", "radius of the wheel in the contact"),
                "rail_place": (t.place, "m", "place of the contact on the rail, outwards"),
                "approach": (on.touch.approach, "m", "approach of wheel and rail, negative where they are apart"),
                "patch_length": (2 * on.patch.a, "m", "length of the contact patch"),
                "patch_width": (2 * on.patch.b, "m", "width of the contact patch"),
                "power_lost": (on.lost, "W", "power lost by creep"),
                "contact_point": (s.position(wheel) + on.arm, "m", "place of the contact, ground axes"),
                "contact_force": (on.force, "N", "force on the wheel, ground axes"),
            },
        )

    def _acting(self, s: Signals) -> _Acting:
        track = self._pose(s, as_frame(self.wheel))
        pose = self._against_rail(track)
        touch = self._touch(pose.centre, pose.axle)
        approach = ca.fmax(touch.approach, 0.0)
        elastic = touch.table.stiffness * approach * ca.sqrt(approach + NO_APPROACH)
        along, normal = ca.SX([1.0, 0.0, 0.0]), touch.normal
        across = cross(normal, along)

        v = pose.v + cross(pose.w, touch.arm)  # of the wheel's material in the contact
        load = elastic * ca.fmax(1.0 - self.damping * dot(normal, v), 0.0)
        speed = dot(pose.v, along)
        size, ahead = ca.sqrt(speed**2 + SLOWEST**2), ca.if_else(speed < 0, -1.0, 1.0)
        slips = dot(along, v) / size, dot(across, v) / size, dot(normal, pose.w) / size
        patch = touch.table.patch(load, self.place.material)
        # The law's x axis points where the wheel rolls.
        found = self.creep.force(ahead * slips[0], ahead * slips[1], slips[2], load, patch, speed=size)
        creep = CreepForce(ahead * found.longitudinal, ahead * found.lateral, found.spin_moment)

        F = load * normal + creep.longitudinal * along + creep.lateral * across
        M = creep.spin_moment * normal
        lost = -size * (creep.longitudinal * slips[0] + creep.lateral * slips[1] + creep.spin_moment * slips[2])
        given = dot(F, v) + dot(M, pose.w)
        turned = ca.mtimes(track.back, pose.axes)
        force, moment = ca.mtimes(turned, F), ca.mtimes(turned, cross(touch.arm, F) + M)
        return _Acting(
            touch, patch, load, creep, slips, lost, ca.mtimes(pose.axes, F), force, moment,
            ca.mtimes(turned, touch.arm), 0.4 * elastic * approach, -given,
        )  # fmt: skip

    def approach(self, s: Signals) -> Expr:
        """Of wheel and rail (m), negative where they are apart: for events of a model.

        Parameters
        ----------
        s : Signals
            Signals of the model: coordinates, rates, positions, parameters, states and time.

        Returns
        -------
        expression
        """
        pose = self._against_rail(self._pose(s, as_frame(self.wheel)))
        return self._touch(pose.centre, pose.axle).approach

    def _pose(self, s: Signals, wheel: Frame) -> _Pose:
        track = as_frame(self.track)
        R = s.rotation(track)
        centre = ca.mtimes(R.T, s.position(wheel) - s.position(track))
        vectors = s.rotation(wheel)[:, 1], s.velocity(wheel), s.angular_velocity(wheel)
        if self.bend is None:
            axle, v, w = (ca.mtimes(R.T, x) for x in vectors)
            return _Pose(R, centre, axle, v, w, 0.0, ca.SX.zeros(3), *self._yield(s))
        at, bends = ca.vertsplit(self.bend.at(s), [0, 1, self.bend.size])
        turn, centre, ahead, bend = nearby(bends, centre)
        back = ca.mtimes(R, turn)
        axle, v, w = (ca.mtimes(back.T, x) for x in vectors)
        return _Pose(back, centre, axle, v, w, at + ahead, bend, *self._yield(s))

    def _against_rail(self, pose: _Pose) -> _Against:
        """The wheelset in axes that have x along the rail."""
        if self.bend is None:  # straight along x: all places are alike
            return _Against(ca.SX.eye(3), pose.centre - pose.rail, pose.axle, pose.v - pose.rail_rate, pose.w)
        d, y0 = pose.bend, self.place.out * self.place.rail_origin
        shift, slope = self._shift(pose.at)
        tangent = slope + ca.SX([1.0, 0.0, 0.0]) + y0 * ca.vertcat(-d[2], 0.0, d[0])
        x = tangent / ca.sqrt(dot(tangent, tangent))
        y = ca.vertcat(-x[1], x[0], 0.0) / ca.sqrt(x[0] ** 2 + x[1] ** 2)
        axes, origin = ca.horzcat(x, y, cross(x, y)), ca.SX([0.0, y0, 0.0])
        centre = ca.mtimes(axes.T, pose.centre - shift - pose.rail - origin) + origin
        return _Against(axes, centre, *(ca.mtimes(axes.T, a) for a in (pose.axle, pose.v - pose.rail_rate, pose.w)))

    def _shift(self, at: Expr) -> tuple[Expr, Expr]:
        """Of the rail from its place (m), at a distance, and its derivative by the distance."""
        if self.rough is None:
            return ca.SX.zeros(3), ca.SX.zeros(3)
        here = ca.SX.sym("at")
        y, z = self.rough(here)[slice(0, 2) if self.place.out > 0 else slice(2, 4)].elements()
        shift = ca.vertcat(0.0, y, z)
        found, slope = ca.substitute([shift, derivative(shift, here)], [here], [at])
        return found, slope

    def _touch(self, centre: Expr, e: Expr) -> _ContactGeometry:
        """Geometry for a centre and a direction e of the axle."""
        place, out = self.place, self.place.out
        level = ca.sqrt(e[0] ** 2 + e[1] ** 2)  # cosine of the roll
        roll = out * ca.asin(e[2])
        sin_yaw = -e[0] / level
        y = out * centre[1] - place.tape_place * (1.0 - e[1] / level)
        found = TableContact(*ca.vertsplit(self.table(y + place.radius * roll, roll)))
        # Yaw: the contact moves ahead, where the wheel's surface lies lower by radius/2 slope^2 sin(yaw)^2.
        slope = ca.tan(found.angle - roll)
        grown = (slope * sin_yaw) ** 2
        gap = centre[2] - place.radius + found.gap - found.radius * grown / 2
        up = (ca.SX([0.0, 0.0, 1.0]) - e[2] * e) / level
        forward = cross(e, up)
        sine = (up[0] - out * slope * e[0]) / forward[0]
        radial = found.radius * (1.0 + grown) * (sine * forward - ca.sqrt(1.0 - sine**2) * up)
        shift = (out * (place.rail_origin + found.place) - centre[1] - radial[1]) / e[1]
        cosine = ca.cos(found.angle)
        normal = ca.vertcat(0.0, -out * ca.sin(found.angle), cosine)
        return _ContactGeometry(found, -gap * cosine, shift * e + radial, normal)
