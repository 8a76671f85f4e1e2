"""One wheel on its rail: where the gap between the wheel's trace and the rail is lowest.

A wheel's surface of revolution touches a straight rail only where its normal has no x component: on each circle of the
wheel one such point, together its trace.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from trundle.errors import AssemblyError
from trundle.rail.wheel_rail.profile import Profile
from trundle.typing import AnyArray, Array, Flags, Index

COARSE = 5e-4  # m: distance of the points of the first search for the lowest gaps
NEXT = 1e-5  # m around the last place that are searched after a small change of the pose
APART = 1e-3  # m on the wheel: nearer points of contact are one
SLOPES = 1e-11  # two slopes that differ by less are equal
OTHER_NORMAL = 5e-3  # m: minima that are higher than the lowest one by more are left out
EDGE = 1e-9  # m from an end of a profile: there the end itself touches


@final
class WheelContact(NamedTuple):
    """Contact of one wheel; arrays over the poses. Places go outwards, angles are positive where the wheel's radius
    falls outwards.
    """

    wheel_place: Array  # from the nominal running circle, m
    rail_place: Array  # from the origin of the rail profile, m
    lateral: Array  # outwards from the middle of the track, m
    height: Array  # above the rail's origin, m
    ahead: Array  # of the axle, along the rail, m: due to yaw
    angle: Array  # between the contact plane and the track plane, rad
    radius: Array  # of the wheel, m
    wheel_curvature: Array  # across, positive for a bulge, 1/m
    rail_curvature: Array  # across, positive for a bulge, 1/m
    rolling_curvature: Array  # of the wheel along the rail, 1/m
    second_gap: Array  # m: of the next lowest minimum, inf if there is none; 0 is contact in two points
    second_place: Array  # on the wheel, m; nan if there is none


@final
class LowestGap(NamedTuple):
    """The lowest gap of each pose."""

    gap: Array  # along z, for a wheelset whose centre has the height 0, m
    arm: Array  # derivative of the gap by roll, m
    place: Array  # on the wheel, m
    trace: Array  # (3, poses) the point: along x, outwards, up
    second_gap: Array
    second_place: Array
    minima: tuple[AnyArray, Array]  # poses and places of all minima


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

    def coarse(self, lateral: Array, roll: Array, yaw: Array) -> LowestGap:
        """Lowest gaps among fixed points of the wheel."""
        gaps, point, slope = self._gaps(lateral, roll, yaw)
        best = np.argmin(gaps, axis=1)
        rows = np.arange(len(best))
        none = np.full(len(best), np.nan)
        lowest = point[:, rows, best]
        arm = _arm(lowest, slope[rows, best], lateral)
        minima = rows, self._circles.place[best]
        return LowestGap(gaps[rows, best], arm, minima[1], lowest, none, none, minima)

    def minima(self, lateral: Array, roll: Array, yaw: Array) -> tuple[AnyArray, Array]:
        """Poses and places of the local minima of the gap that may be the lowest, or the next."""
        gaps, _, _ = self._gaps(lateral, roll, yaw)
        padded = np.pad(gaps, ((0, 0), (1, 1)), constant_values=np.inf)
        low = (gaps < padded[:, :-2]) & (gaps <= padded[:, 2:])
        low &= gaps < np.min(gaps, axis=1)[:, None] + OTHER_NORMAL
        pose, index = np.nonzero(low)
        return pose, self._circles.place[index]

    def touch(
        self, minima: tuple[AnyArray, Array], lateral: Array, roll: Array, yaw: Array, *, reach: float = COARSE
    ) -> LowestGap:
        """Lowest gaps on the exact profiles: at each minimum the slope of the wheel's trace is that of the rail. Minima
        are first looked for within `reach` (m).
        """
        pose, near = minima
        at = lateral[pose], roll[pose], yaw[pose]
        place = self._equal_slopes(near, at, reach)
        all_minima = pose, place
        point, slope = self.trace(self.circles(place), *at)
        gap = point[2] - self.rail.height(point[1] - self.rail_origin)
        gap = np.where(np.isnan(gap), np.inf, gap)
        order = np.lexsort((gap, pose))
        pose, place, gap, point, slope = pose[order], place[order], gap[order], point[:, order], slope[order]
        first = np.searchsorted(pose, np.arange(len(lateral)))
        other_gap, other_place = self._second(pose, place, gap, first)
        lowest = gap[first]
        arm = _arm(point[:, first], slope[first], lateral)
        return LowestGap(lowest, arm, place[first], point[:, first], other_gap - lowest, other_place, all_minima)

    def _equal_slopes(self, near: Array, at: tuple[Array, Array, Array], reach: float) -> Array:
        """Place on the wheel around `near` where the slopes of trace and rail are equal: Illinois' method, whose
        bracket stays even where a slope jumps.
        """

        def excess(s: Array, live: Index = slice(None)) -> Array:
            point, slope = self.trace(self.circles(s), *(v[live] for v in at))
            rail = self.rail.slope(np.clip(point[1] - self.rail_origin, self.rail.start, self.rail.end))
            return np.asarray(slope - rail)

        def ends(reach: float, live: Index = slice(None)) -> tuple[Array, Array, Array, Array]:
            low = np.maximum(near[live] - reach, self.wheel.start)
            high = np.minimum(near[live] + reach, self.wheel.end)
            return low, high, excess(low, live), excess(high, live)

        low, high, f_low, f_high = ends(reach)
        lost = np.flatnonzero((f_low > 0) | (f_high < 0)) if reach < COARSE else ()
        if len(lost):
            low[lost], high[lost], f_low[lost], f_high[lost] = ends(COARSE, lost)
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

    def describe(self, found: LowestGap, shape: tuple[int, ...]) -> WheelContact:
        """All results at the points of contact."""
        x, lateral, _ = found.trace
        rail_place = lateral - self.rail_origin
        self._refuse_edge(found.place, self.wheel, "wheel", rail_place)
        self._refuse_edge(rail_place, self.rail, "rail", rail_place)
        slope = self.rail.slope(rail_place)
        angle, radius = np.arctan(slope), self.radius - self.wheel.height(found.place)
        values = (
            found.place, rail_place, lateral, self.rail.height(rail_place), x, angle, radius,
            self.wheel.curvature(found.place), self.rail.curvature(rail_place), np.cos(angle) / radius,
            found.second_gap, found.second_place,
        )  # fmt: skip
        return WheelContact(*(np.asarray(v).reshape(shape) for v in values))

    def _refuse_edge(self, place: Array, profile: Profile, what: str, rail_place: Array) -> None:
        """Refuse a contact at the end of a profile: an edge touches there, not a surface."""
        edge: Flags = (place < profile.start + EDGE) | (place > profile.end - EDGE)
        if np.any(edge):
            i = int(np.argmax(edge))
            raise AssemblyError(
                f"the {self.name} wheel {self.wheel.name!r} touches its rail {self.rail.name!r} with an end of the "
                f"{what} profile, {1e3 * place[i]:.4g} mm from its origin (the profile reaches from "
                f"{1e3 * profile.start:.4g} to {1e3 * profile.end:.4g} mm), {1e3 * rail_place[i]:.4g} mm across the "
                "rail: an edge, not a surface. Check gauge, back_to_back and the lateral displacement, or give more "
                "of the profile."
            )

    def _refuse_missing(self, gaps: Array, lateral: Array) -> None:
        missed: Flags = ~np.isfinite(gaps)
        if np.any(missed):
            y = lateral[int(np.argmax(missed))]
            at, from_, to = self.tape_place + y, self.rail_origin + self.rail.start, self.rail_origin + self.rail.end
            raise AssemblyError(
                f"the {self.name} wheel misses its rail when it is {1e3 * y:.4g} mm outwards: its running circle is "
                f"then {1e3 * at:.5g} mm from the middle of the track, and the wheel reaches from "
                f"{1e3 * (at + self.wheel.start):.5g} to {1e3 * (at + self.wheel.end):.5g} mm; the rail from "
                f"{1e3 * from_:.5g} to {1e3 * to:.5g} mm. Check gauge, back_to_back and the lateral displacement."
            )


def _arm(point: Array, slope: Array, lateral: Array) -> Array:
    """Roll lifts a point by its distance from the middle and moves it outwards by its depth, along the slope."""
    return np.asarray(point[1] - lateral + slope * point[2])
