"""Profiles of wheels and rails across the track.

A profile is a height z (upwards, m) over a place s (away from the middle of the track, m). A wheel's lower surface is
given from its nominal running circle, with the flange at negative s; a rail's from the top of its head.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import atan
from pathlib import Path
from typing import Literal, final

import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError
from trundle.rail.wheel_rail.profile_check import read_csv, read_points
from trundle.rail.wheel_rail.profile_piece import Arc, Line, Piece, Spline
from trundle.space.arrays import read_numbers
from trundle.typing import Array, Option

Kind = Literal["wheel", "rail"]
MM = 1e-3
STEEPEST = 20.0  # slope beyond which a side of a rail is cut off: no wheel touches it
FINE = 5e-5  # m: spacing of the points where a profile is resampled
FACE = 2.5e-4  # m: error of the gauge that a profile which ends too high may cause


@final
@dataclass(frozen=True, eq=False)
class Profile:
    """Pieces from the inside to the outside of the track, each with exact slope and curvature."""

    name: str
    kind: Kind
    pieces: tuple[Piece, ...] = field(repr=False)

    def __post_init__(self) -> None:
        if self.kind not in ("wheel", "rail"):
            raise ModelError(f"profile {self.name!r}: kind must be 'wheel' or 'rail', got {self.kind!r}.")
        for one, other in pairwise(self.pieces):
            if abs(one.end - other.start) > 1e-9:
                raise ModelError(
                    f"profile {self.name!r}: a piece ends at s = {one.end:g} m and the next starts at "
                    f"{other.start:g} m; pieces must follow each other."
                )

    # -- constructors --------------------------------------------------------------------------------------------------

    @classmethod
    def from_points(
        cls,
        s: ArrayLike,
        z: ArrayLike,
        kind: Kind,
        *,
        name: str = "measured",
        unit: Literal["m", "mm"] = "m",
        z_down: bool = False,
        inwards: bool = False,
        trim: bool = False,
        smooth: float = 0.0,
    ) -> "Profile":
        """Through points in either order along the profile.

        z_down: heights are given downwards, as many instruments do. inwards: places are given towards the middle of the
        track. trim: flange backs and sides that overhang are cut off. smooth: root mean square distance (m) that a
        smoothing spline may keep from the points, 0 for a spline through all.

        Parameters
        ----------
        s, z : array
            Places and heights.
        kind : {"wheel", "rail"}
            What it is.
        name : str
            Of the profile.
        unit : {"m", "mm"}
            Of the points.
        z_down : bool
            Heights are given downwards, as by many instruments.
        inwards : bool
            Places are given towards the middle of the track.
        trim : bool
            Cut off flange backs and sides that overhang.
        smooth : float
            Root mean square distance (m) that a smoothing spline may keep from the points; 0 for one through all.

        Returns
        -------
        Profile
        """
        read = (-read_numbers("s", s) if inwards else s), z
        places, heights = read_points(name, kind, *read, unit, z_down, trim)
        if not 0.0 <= smooth < 1e-3:
            raise ModelError(
                f"profile {name!r}: smooth is {smooth:g} m; it must lie between 0 and 1 mm (20e-6 is usual)."
            )
        return cls(name, kind, (Spline.through(places, heights, smooth),))

    @classmethod
    def from_csv(cls, path: Path | str, kind: Kind, **options: Option) -> "Profile":
        """From a file with two columns, place and height, separated by comma, semicolon or blanks; lines that do not
        start with two numbers are comments. Options as in `from_points`; the unit is mm unless given.

        Parameters
        ----------
        path : str or Path
            The file.
        kind : {"wheel", "rail"}
            What it is.
        **options
            As of `from_points`; the unit is mm unless given.

        Returns
        -------
        Profile
        """
        s, z = read_csv(path)
        return cls.from_points(s, z, kind, **{"name": Path(path).stem, "unit": "mm", **options})

    @classmethod
    def cone(cls, conicity: float, width: float = 0.12) -> "Profile":
        """A conical wheel without flange: the radius falls by `conicity` per length outwards.

        Parameters
        ----------
        conicity : float
            Fall of the radius per length outwards.
        width : float
            In m.

        Returns
        -------
        Profile
        """
        if not 0.0 <= conicity < 1.0:
            raise ModelError(f"Profile.cone: conicity must lie between 0 and 1, got {conicity!r}.")
        half = _size("Profile.cone", "width", width) / 2
        return cls(f"cone {conicity:g}", "wheel", (Line(-half, half, (0.0, 0.0), conicity),))

    @classmethod
    def arc(cls, radius: float, kind: Kind = "rail", width: float = 0.07) -> "Profile":
        """A rail head of one radius, or a wheel whose tread is hollow with one radius.

        Parameters
        ----------
        radius : float
            In m.
        kind : {"wheel", "rail"}
            What it is.
        width : float
            In m.

        Returns
        -------
        Profile
        """
        _size("Profile.arc", "radius", radius)
        half = _size("Profile.arc", "width", width) / 2
        if half >= radius:
            raise ModelError(f"Profile.arc: an arc of radius {radius:g} m is not {width:g} m wide.")
        centre, side = ((0.0, -radius), 1) if kind == "rail" else ((0.0, radius), -1)
        return cls(f"arc {radius:g} m", kind, (Arc(-half, half, centre, radius, side),))

    # -- changed copies ------------------------------------------------------------------------------------------------

    def inclined(self, slope: float) -> "Profile":
        """Turned about its origin so that its top leans towards the middle of the track by 1 : 1/slope, cut where it
        becomes steeper than 20 : 1, with the highest point at the height 0.

        Parameters
        ----------
        slope : float
            Such as 1/40.

        Returns
        -------
        Profile
        """
        if not -0.2 <= slope <= 0.2:
            raise ModelError(
                f"profile {self.name!r}: an inclination of {slope:g} is not that of a rail; 1/40 is usual."
            )
        angle = atan(slope)
        if all(isinstance(p, Arc | Line) for p in self.pieces):
            turned: list[Piece] = [p.turned(angle) for p in self.pieces if isinstance(p, Arc | Line)]
        else:
            s = self._fine()
            c, n = np.cos(angle), np.sin(angle)
            z = self.height(s)
            turned = [Spline.through(c * s - n * z, n * s + c * z)]
        kept = [_cut(p) for p in turned]
        return replace(self, pieces=tuple(p for p in kept if p is not None)).on_top()

    def on_top(self) -> "Profile":
        """Raised or lowered until its highest point has the height 0."""
        top = self.top[1]
        return replace(self, pieces=tuple(p.shifted(0.0, -top) for p in self.pieces))

    def worn(self, depth: Callable[[Array], ArrayLike], name: str | None = None) -> "Profile":
        """With `depth(s)` m of material taken off along the normal, as a spline through points.

        Parameters
        ----------
        depth : callable
            Depth (m) at places s (m).
        name : str, optional
            That of this profile with "worn" unless given.

        Returns
        -------
        Profile
        """
        s = self._fine()
        slope = self.slope(s)
        size, lost = np.sqrt(1 + slope**2), np.broadcast_to(np.asarray(depth(s), dtype=float), s.shape)
        into = 1.0 if self.kind == "wheel" else -1.0  # of the material, along z
        places, heights = s - into * lost * slope / size, self.height(s) + into * lost / size
        if np.any(np.diff(places) <= 0):
            at = s[int(np.argmin(np.diff(places)))]
            raise ModelError(
                f"profile {self.name!r}: the wear changes so quickly at s = {1e3 * at:.4g} mm that the worn profile "
                "crosses itself; take a smoother depth."
            )
        return Profile(name or f"{self.name}, worn", self.kind, (Spline.through(places, heights),))

    # -- evaluation ----------------------------------------------------------------------------------------------------

    @property
    def start(self) -> float:
        """Innermost place, m."""
        return self.pieces[0].start

    @property
    def end(self) -> float:
        """Outermost place, m."""
        return self.pieces[-1].end

    def height(self, s: ArrayLike, order: int = 0) -> Array:
        """Height at places s, or its derivative; nan if the profile has ended.

        Parameters
        ----------
        s : float or array
            Place across the track (m).
        order : int
            Of the derivative.

        Returns
        -------
        array
        """
        return self.heights(s, order)[0]

    def heights(self, s: ArrayLike, *orders: int) -> list[Array]:
        """Height (0), slope (1), second derivative (2) at places s; nan if the profile has ended.

        Parameters
        ----------
        s : float or array
            Place across the track (m).
        *orders : int
            Of the derivatives.

        Returns
        -------
        list of array
        """
        s = np.asarray(s, dtype=float)
        flat = s.ravel()
        found = [np.full(flat.shape, np.nan) for _ in orders]
        which = np.searchsorted(self._ends, flat, side="right")
        which[flat == self.end] = len(self.pieces)
        counts = np.bincount(which, minlength=len(self._ends) + 1)
        for i, piece in enumerate(self.pieces, 1):
            if counts[i]:
                chosen = which == i if counts[i] < len(flat) else slice(None)
                for values, order in zip(found, orders, strict=True):
                    values[chosen] = piece.height(flat[chosen], order)
        return [v.reshape(s.shape) for v in found]

    def slope(self, s: ArrayLike) -> Array:
        """dz/ds.

        Parameters
        ----------
        s : float or array
            Place across the track (m).

        Returns
        -------
        array
        """
        return self.height(s, 1)

    def curvature(self, s: ArrayLike) -> Array:
        """Of the body across the track, 1/m: positive where it bulges towards the other body.

        Parameters
        ----------
        s : float or array
            Place across the track (m).

        Returns
        -------
        array
        """
        slope, second = self.heights(s, 1, 2)
        bulge = second / (1 + slope**2) ** 1.5
        return bulge if self.kind == "wheel" else -bulge

    @cached_property
    def top(self) -> tuple[float, float]:
        """Highest point (s, z)."""
        s = self._fine()
        z = self.height(s)
        i = int(np.argmax(z))
        near = np.linspace(s[max(i - 1, 0)], s[min(i + 1, len(s) - 1)], 2001)
        heights = self.height(near)
        k = int(np.argmax(heights))
        return float(near[k]), float(heights[k])

    def gauge_face(self, depth: float = 0.014) -> float:
        """Innermost place of a rail not more than `depth` m below its top.

        Parameters
        ----------
        depth : float
            Below the top (m).

        Returns
        -------
        float
        """
        s = self._fine()
        z = self.height(s)
        i = int(np.argmax(z >= self.top[1] - depth))
        if i == 0:  # the profile ends above: its end is the innermost place there is
            return self.start
        low, high = s[i - 1], s[i]
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.height(middle) >= self.top[1] - depth else (middle, high)
        return float(high)

    def face_fault(self, depth: float) -> str:
        """Why the gauge cannot be measured at a depth below the top: points that end above it; empty if it can. The end
        of arcs and lines is meant as their side.

        Parameters
        ----------
        depth : float
            Below the top (m).

        Returns
        -------
        str
        """
        end = float(self.top[1] - self.height(self.start))
        missing = (depth - end) / max(float(self.slope(self.start)), 1e-9)
        if not isinstance(self.pieces[0], Spline) or missing < FACE:
            return ""
        return (
            f"the inner side of the rail {self.name!r} ends {1e3 * end:.3g} mm below its top, and the gauge is "
            f"measured at {1e3 * depth:.3g} mm (gauge_depth): give more of the profile, or a gauge_depth of at most "
            f"{end:.3g} m with the gauge there."
        )

    @cached_property
    def _ends(self) -> Array:
        return np.array([*(p.start for p in self.pieces), self.end])

    def _fine(self) -> Array:
        ends = self._ends
        parts = [np.linspace(a, b, max(4, round((b - a) / FINE)), endpoint=False) for a, b in pairwise(ends)]
        return np.append(np.concatenate(parts), self.end)


def _cut(piece: Piece) -> Piece | None:
    """The part of an arc, line or spline that is not steeper than STEEPEST."""
    if piece.end - piece.start < 1e-9:
        return None
    if isinstance(piece, Arc):
        reach = piece.radius * STEEPEST / np.hypot(1.0, STEEPEST)
        start, end = max(piece.start, piece.centre[0] - reach), min(piece.end, piece.centre[0] + reach)
        return replace(piece, start=start, end=end) if end > start else None
    if isinstance(piece, Line):
        return piece if abs(piece.slope) <= STEEPEST * (1 + 1e-9) else None
    return piece


def _size(owner: str, name: str, value: float) -> float:
    if not 0.0 < value < np.inf:
        raise ModelError(f"{owner}: {name} must be greater than zero, got {value!r} m.")
    return value
