"""Where the rigid wheels of a wheelset touch the rails, over lateral displacement, roll and yaw.

The rails are straight cylinders along x. A wheel's surface of revolution touches one only where its normal has no x
component: on each circle of the wheel one such point, together its trace. The lowest gap between trace and rail,
measured along z, is where the wheel touches; roll is found so that both wheels do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import AssemblyError, ModelError
from trundle.rail.conicity import Method, equivalent_conicity
from trundle.rail.profile import Profile
from trundle.space.arrays import read_together
from trundle.typing import AnyArray, Array, Flags

COARSE = 5e-4  # m: distance of the points among which lowest gaps are looked for
APART = 1e-3  # m on the wheel: nearer points of contact are one
SLOPES = 1e-11  # two slopes that differ by less are equal
RIVAL = 5e-3  # m: minima that are higher than the lowest one by more are left out
SIDES = {"left": 1.0, "right": -1.0}


@final
class WheelContact(NamedTuple):
    """Contact of one wheel; arrays over the poses. Places go outwards, angles are positive where the wheel's radius
    falls outwards.
    """

    wheel_place: Array  # from the nominal running circle, m
    rail_place: Array  # from the origin of the rail profile, m
    lateral: Array  # outwards from the middle of the track, m
    height: Array  # above the rail's origin, m
    ahead: Array  # of the axle, along the rail, m: what yaw does
    angle: Array  # between the contact plane and the track plane, rad
    radius: Array  # of the wheel, m
    wheel_curvature: Array  # across, positive for a bulge, 1/m
    rail_curvature: Array  # across, positive for a bulge, 1/m
    rolling_curvature: Array  # of the wheel along the rail, 1/m
    second_gap: Array  # m: of the next lowest minimum, inf where there is none; 0 is contact in two points
    second_place: Array  # on the wheel, m; nan where there is none


@final
@dataclass(frozen=True, eq=False)
class WheelsetContact:
    """Contacts of both wheels at lateral displacements (m, positive to the left), rolls (positive: left wheel up), yaws
    (positive to the left) and lifts of the wheelset's centre above that in the middle position.
    """

    lateral: Array
    roll: Array
    yaw: Array
    lift: Array
    left: WheelContact
    right: WheelContact

    @property
    def radius_difference(self) -> Array:
        """Rolling radius of the left wheel minus that of the right, m."""
        return self.left.radius - self.right.radius


@final
@dataclass(frozen=True, eq=False)
class ContactGeometry:
    """A pair of equal wheels on a track. Lengths in m; `right_wheel` and `right_rail` only where they differ."""

    wheel: Profile
    rail: Profile
    gauge: float = 1.435
    gauge_depth: float = 0.014  # below the top of the rail, where the gauge is measured
    back_to_back: float = 1.360
    tape_place: float = 0.070  # of the running circle from the flange back
    radius: float = 0.46  # of the running circle
    right_wheel: Profile | None = None
    right_rail: Profile | None = None
    radius_offset: float = 0.0  # left running circle's radius minus the right's

    def __post_init__(self) -> None:
        faults = []
        for what in ("gauge", "back_to_back", "radius"):
            if not 0.0 < getattr(self, what) < np.inf:
                faults.append(f"ContactGeometry: {what} must be greater than zero, got {getattr(self, what)!r} m.")
        if not faults and self.gauge > 10.0:
            faults.append(f"ContactGeometry: a gauge of {self.gauge:g} m; is it given in mm? Lengths are in m.")
        for what, kind in (("wheel", "wheel"), ("rail", "rail"), ("right_wheel", "wheel"), ("right_rail", "rail")):
            profile = getattr(self, what)
            if profile is not None and (not isinstance(profile, Profile) or profile.kind != kind):
                shown = profile.name if isinstance(profile, Profile) else profile
                faults.append(f"ContactGeometry: {what} must be a Profile of kind {kind!r}, got {shown!r}.")
        if faults:
            raise ModelError(faults)

    # -- sides ---------------------------------------------------------------------------------------------------------

    @property
    def tape_distance(self) -> float:
        """Between the running circles of both wheels, m."""
        return self.back_to_back + 2 * self.tape_place

    def side(self, name: str) -> "Side":
        """One wheel on its rail, in coordinates that go outwards."""
        other = name == "right"
        wheel = self.right_wheel if other and self.right_wheel else self.wheel
        rail = self.right_rail if other and self.right_rail else self.rail
        radius = self.radius + (-0.5 if other else 0.5) * self.radius_offset
        return Side(
            name, wheel, rail, radius, self.tape_distance / 2, self.gauge / 2 - rail.gauge_face(self.gauge_depth)
        )

    @cached_property
    def _sides(self) -> tuple["Side", "Side"]:
        return self.side("left"), self.side("right")

    # -- contact -------------------------------------------------------------------------------------------------------

    def contact(self, lateral: ArrayLike, yaw: ArrayLike = 0.0) -> WheelsetContact:
        """Both wheels on their rails, at one displacement and yaw or at arrays of them."""
        y, psi = read_together({"lateral": lateral, "yaw": yaw})
        shape, y, psi = y.shape, y.ravel(), psi.ravel()
        sides = self._sides
        roll = np.zeros_like(y)

        def both(ask: Callable[..., Any]) -> Any:
            """The same question for the left wheel, and mirrored for the right one."""
            return [
                ask(side, k, sign * y, sign * roll, sign * psi)
                for k, (side, sign) in enumerate(zip(sides, (1, -1), strict=True))
            ]

        for _ in range(8):  # by the coarse points
            one, other = both(lambda side, k, *pose: side.coarse(*pose))
            step = (one.gap - other.gap) / (one.arm + other.arm)
            roll = roll - step
            if np.max(np.abs(step)) < 1e-5:
                break
        minima = both(lambda side, k, *pose: side.minima(*pose))
        for _ in range(6):  # on the profiles
            one, other = both(lambda side, k, *pose: side.touch(minima[k], *pose))
            step = (one.gap - other.gap) / (one.arm + other.arm)
            if np.max(np.abs(step)) < 1e-10:
                break
            roll = roll - step
        lift = -0.5 * (one.gap + other.gap) - self._rest_height
        contacts = [side.describe(found, shape) for side, found in zip(sides, (one, other), strict=True)]
        y, roll, psi, lift = (v.reshape(shape) for v in (y, roll, psi, lift))
        return WheelsetContact(y, roll, psi, lift, *contacts)

    def radius_difference(self, lateral: ArrayLike) -> Array:
        """Rolling radius of the left wheel minus that of the right (m) at lateral displacements (m)."""
        return self.contact(lateral).radius_difference

    def conicity(self, amplitude: ArrayLike, method: Method = "integration", step: float = 1e-4) -> Any:
        """Equivalent conicity for amplitudes of the lateral motion (m), from displacements every `step` m."""
        y, dr = self._curve(float(np.max(np.abs(np.asarray(amplitude, dtype=float)))), step)
        return equivalent_conicity(y, dr, amplitude, method)

    def _curve(self, amplitude: float, step: float) -> tuple[Array, Array]:
        if not 0.0 < amplitude < 0.05:
            raise ModelError(f"conicity: an amplitude of {amplitude:g} m; it must lie above 0 and below 50 mm, in m.")
        n = int(np.ceil((amplitude + 1e-3) / step))
        alike = not (self.right_wheel or self.right_rail or self.radius_offset)
        if not alike:  # the wheelset runs beside the middle, and so far does the curve go
            far = np.linspace(-0.012, 0.012, 49)
            rest = far[int(np.argmin(np.abs(self.radius_difference(far))))]
            n += int(np.ceil(abs(rest) / step))
        y = np.asarray(step * np.arange(-n, n + 1), dtype=float)
        if not alike:
            return y, self.radius_difference(y)
        half = self.radius_difference(y[n:])  # both sides are alike
        return y, np.concatenate([-half[:0:-1], half])

    def flange_contact(self, side: str = "left", most: float = 0.03) -> float:
        """Lateral displacement (m, towards that side) at which tread and flange touch at once; the contact goes to
        angles above 0.5 rad there.
        """
        sign, y = SIDES[side], np.linspace(0.0, most, 301)
        for _ in range(4):
            found = getattr(self.contact(sign * y), side)
            on_flange = found.angle > 0.5
            if not np.any(on_flange):
                raise AssemblyError(
                    f"the {side} wheel {self.wheel.name!r} does not come to its flange within {1e3 * most:g} mm."
                )
            i = int(np.argmax(on_flange))
            if i == 0:
                return float(sign * y[0])
            y = np.linspace(y[i - 1], y[i], 101)
        return float(sign * y[i])

    @cached_property
    def _rest_height(self) -> float:
        left, right = self._sides
        zero = np.zeros(1)
        gaps = [side.touch(side.minima(zero, zero, zero), zero, zero, zero).gap[0] for side in (left, right)]
        return float(-0.5 * sum(gaps))

    def plot(self, path: Path | str | None = None, amplitude: float = 0.008) -> Any:
        """Contact points joined by lines, rolling-radius difference, contact angle and conicity, as a figure."""
        from trundle.rail.contact_view import plot_contact

        return plot_contact(self, path, amplitude)


@final
class Touch(NamedTuple):
    """The lowest gap of each pose."""

    gap: Array  # along z, for a wheelset whose centre has the height 0, m
    arm: Array  # derivative of the gap by roll, m
    place: Array  # on the wheel, m
    trace: Array  # (3, poses) the point: along x, outwards, up
    second_gap: Array
    second_place: Array


@final
class Circles(NamedTuple):
    """Circles of a wheel."""

    place: Array  # m, from the running circle
    height: Array
    slope: Array


@final
@dataclass(frozen=True, eq=False)
class Side:
    """One wheel on its rail; all coordinates go outwards from the middle of the track."""

    name: str
    wheel: Profile
    rail: Profile
    radius: float
    tape_place: float  # of the running circle from the middle of the wheelset
    rail_origin: float  # of the rail's origin from the middle of the track

    def trace(self, wheel: "Circles", lateral: Array, roll: Array, yaw: Array) -> tuple[Array, Array]:
        """Points (3, ...) of the wheel whose normal has no x component, one on each circle, and the slope of the
        contact plane there; heights count from the wheelset's centre.
        """
        R, along = self.radius - wheel.height, self.tape_place + wheel.place
        l_y, l_z = np.cos(yaw) * np.cos(roll), np.sin(roll)
        if not np.any(yaw):
            point = np.stack(np.broadcast_arrays(0.0 * R, lateral + along * l_y + R * l_z, along * l_z - R * l_y))
            return point, (l_z + wheel.slope * l_y) / (l_y - wheel.slope * l_z)
        l_x = -np.sin(yaw) * np.cos(roll)
        q2 = 1.0 - l_x**2
        ahead = -wheel.slope * l_x  # x component of the radius' direction e: that of the normal e + slope l is zero
        down = np.sqrt(np.maximum(1.0 - ahead**2 / q2, 0.0) / q2)
        e_y, e_z = down * l_z - ahead * l_x * l_y / q2, -down * l_y - ahead * l_x * l_z / q2
        point = np.stack(
            np.broadcast_arrays(along * l_x + R * ahead, lateral + along * l_y + R * e_y, along * l_z + R * e_z)
        )
        return point, (e_y + wheel.slope * l_y) / -(e_z + wheel.slope * l_z)

    @cached_property
    def _circles(self) -> "Circles":
        """Fixed points of the wheel, as far as they can come over the rail."""
        reach = 0.03
        low = max(self.wheel.start, self.rail_origin + self.rail.start - self.tape_place - reach)
        high = min(self.wheel.end, self.rail_origin + self.rail.end - self.tape_place + reach)
        if high <= low:
            self._refuse_missing(np.array([np.inf]), np.zeros(1))
        return self.circles(np.linspace(low, high, int(np.ceil((high - low) / COARSE)) + 1))

    def circles(self, s: Array) -> "Circles":
        """Circles of the wheel at places s."""
        return Circles(s, *self.wheel.heights(s, 0, 1))

    @cached_property
    def _rail_points(self) -> tuple[Array, Array]:
        s = np.linspace(self.rail.start, self.rail.end, 4001)
        return s, self.rail.height(s)

    def _gaps(self, lateral: Array, roll: Array, yaw: Array) -> tuple[Array, Array, Array]:
        point, slope = self.trace(self._circles, lateral[:, None], roll[:, None], yaw[:, None])
        heights = np.interp(point[1] - self.rail_origin, *self._rail_points, left=-np.inf, right=-np.inf)
        gaps = point[2] - heights
        self._refuse_missing(np.min(gaps, axis=1), lateral)
        return gaps, point, slope

    def coarse(self, lateral: Array, roll: Array, yaw: Array) -> Touch:
        """Lowest gaps among fixed points of the wheel."""
        gaps, point, slope = self._gaps(lateral, roll, yaw)
        best = np.argmin(gaps, axis=1)
        rows = np.arange(len(best))
        none = np.full(len(best), np.nan)
        lowest = point[:, rows, best]
        arm = _arm(lowest, slope[rows, best], lateral)
        return Touch(gaps[rows, best], arm, self._circles.place[best], lowest, none, none)

    def minima(self, lateral: Array, roll: Array, yaw: Array) -> tuple[AnyArray, Array]:
        """Poses and places of the local minima of the gap that may be the lowest, or the next."""
        gaps, _, _ = self._gaps(lateral, roll, yaw)
        padded = np.pad(gaps, ((0, 0), (1, 1)), constant_values=np.inf)
        low = (gaps < padded[:, :-2]) & (gaps <= padded[:, 2:])
        low &= gaps < np.min(gaps, axis=1)[:, None] + RIVAL
        pose, index = np.nonzero(low)
        return pose, self._circles.place[index]

    def touch(self, minima: tuple[AnyArray, Array], lateral: Array, roll: Array, yaw: Array) -> Touch:
        """Lowest gaps on the exact profiles: at each minimum the slope of the wheel's trace is that of the rail."""
        pose, near = minima
        at = lateral[pose], roll[pose], yaw[pose]
        place = self._equal_slopes(near, at)
        point, slope = self.trace(self.circles(place), *at)
        gap = point[2] - self.rail.height(point[1] - self.rail_origin)
        gap = np.where(np.isnan(gap), np.inf, gap)
        order = np.lexsort((gap, pose))
        pose, place, gap, point, slope = pose[order], place[order], gap[order], point[:, order], slope[order]
        first = np.searchsorted(pose, np.arange(len(lateral)))
        other_gap, other_place = self._second(pose, place, gap, first)
        lowest = gap[first]
        arm = _arm(point[:, first], slope[first], lateral)
        return Touch(lowest, arm, place[first], point[:, first], other_gap - lowest, other_place)

    def _equal_slopes(self, near: Array, at: tuple[Array, Array, Array]) -> Array:
        """Place on the wheel around `near` where the slopes of trace and rail are equal: Illinois' method, whose
        bracket stays even where a slope jumps.
        """

        def excess(s: Array, live: Any = slice(None)) -> Array:
            point, slope = self.trace(self.circles(s), *(v[live] for v in at))
            rail = self.rail.slope(np.clip(point[1] - self.rail_origin, self.rail.start, self.rail.end))
            return np.asarray(slope - rail)

        low, high = np.maximum(near - COARSE, self.wheel.start), np.minimum(near + COARSE, self.wheel.end)
        f_low, f_high = excess(low), excess(high)
        low, f_low = np.where(f_low > 0, near, low), np.minimum(f_low, 0.0)  # a minimum at an end of rail or wheel
        high, f_high = np.where(f_high < 0, near, high), np.maximum(f_high, 0.0)
        place, kept, live = near.copy(), np.zeros(len(near)), np.arange(len(near))
        for _ in range(60):
            a, b, f_a, f_b = low[live], high[live], f_low[live], f_high[live]
            with np.errstate(invalid="ignore", divide="ignore"):
                s = np.where(f_b > f_a, a - f_a * (b - a) / (f_b - f_a), 0.5 * (a + b))
            f = excess(s, live)
            place[live] = s
            above, again = f > 0, kept[live]
            low[live], high[live] = np.where(above, a, s), np.where(above, s, b)
            f_low[live] = np.where(above, np.where(again > 0, 0.5 * f_a, f_a), f)
            f_high[live] = np.where(above, f, np.where(again < 0, 0.5 * f_b, f_b))
            kept[live] = np.where(above, 1.0, -1.0)
            live = live[(np.abs(f) > SLOPES) & (high[live] - low[live] > 1e-13)]
            if not len(live):
                break
        return place

    @staticmethod
    def _second(pose: AnyArray, place: Array, gap: Array, first: AnyArray) -> tuple[Array, Array]:
        apart = np.abs(place - place[first][pose]) > APART
        second_gap, second_place = np.full(len(first), np.inf), np.full(len(first), np.nan)
        which = np.flatnonzero(apart)
        poses, rows = np.unique(pose[which], return_index=True)
        second_gap[poses], second_place[poses] = gap[which[rows]], place[which[rows]]
        return second_gap, second_place

    def describe(self, found: Touch, shape: tuple[int, ...]) -> WheelContact:
        """All that is asked of the points of contact."""
        x, lateral, _ = found.trace
        rail_place = lateral - self.rail_origin
        slope = self.rail.slope(rail_place)
        angle, radius = np.arctan(slope), self.radius - self.wheel.height(found.place)
        values = (
            found.place, rail_place, lateral, self.rail.height(rail_place), x, angle, radius,
            self.wheel.curvature(found.place), self.rail.curvature(rail_place), np.cos(angle) / radius,
            found.second_gap, found.second_place,
        )  # fmt: skip
        return WheelContact(*(np.asarray(v).reshape(shape) for v in values))

    def _refuse_missing(self, gaps: Array, lateral: Array) -> None:
        missed: Flags = ~np.isfinite(gaps)
        if np.any(missed):
            y = lateral[int(np.argmax(missed))]
            at, from_, to = self.tape_place + y, self.rail_origin + self.rail.start, self.rail_origin + self.rail.end
            raise AssemblyError(
                f"the {self.name} wheel misses its rail when it is {1e3 * y:.4g} mm outwards: its running circle is "
                f"then {1e3 * at:.5g} mm from the middle of the track, and the wheel reaches from "
                f"{1e3 * (at + self.wheel.start):.5g} to {1e3 * (at + self.wheel.end):.5g} mm; the rail from "
                f"{1e3 * from_:.5g} to {1e3 * to:.5g} mm. Look at gauge, back_to_back and the lateral displacement."
            )


def _arm(point: Array, slope: Array, lateral: Array) -> Array:
    """Roll lifts a point by its distance from the middle and moves it outwards by its depth, along the slope."""
    return np.asarray(point[1] - lateral + slope * point[2])
