"""A line: segments joined, with its profile; the motion of the frame that moves along it."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, final

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from trundle.errors import ModelError, SolveError
from trundle.messages.preparing import preparing
from trundle.rail.track.alignment_check import check_numbers, check_slopes, joined, notes, placed
from trundle.rail.track.gradient import Vertical, slopes
from trundle.rail.track.pose import Pose
from trundle.rail.track.rows import END, RowNumbers, local_at, make_rows
from trundle.rail.track.segment import Ends, Segment
from trundle.rail.track.track_frame import Local, TrackMotion, motion
from trundle.typing import AnyArray, Array, Expr

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trundle.rail.track.continuity import Continuity
    from trundle.rail.track.small_angles import SmallAngles


@final
class Alignment:
    """Segments one after the other, from s = 0; lengths are measured along the track.

    half_gauge (m) is half the distance of the rails, on which cant is measured. `profile` is made of Grade and
    VerticalCurve; without it the line is level. `pivot` says about which line the cant turns: the centre of the track,
    or the lower rail, so that the centre rises by half the cant. Curvature that jumps, as in a turnout, must be allowed
    by curvature_jumps=True.

    Parameters
    ----------
    segments : sequence of Segment
        In their order.
    half_gauge : float
        Half the distance of the rails (m).
    profile : sequence, optional
        Grades and vertical curves.
    position : tuple
        Of the beginning (m).
    heading : float
        At the beginning (rad); positive turns left.
    pivot : {"centre", "low rail"}
        About which cant turns the track.
    curvature_jumps : bool
        Whether the curvature may jump, as in a turnout.
    name : str
        Of the line.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        half_gauge: float = 0.75,
        *,
        profile: Sequence[Vertical] = (),
        position: Sequence[float] = (0.0, 0.0, 0.0),
        heading: float = 0.0,
        pivot: Literal["centre", "low rail"] = "centre",
        curvature_jumps: bool = False,
        name: str = "line",
    ) -> None:
        if isinstance(segments, Segment):
            raise ModelError("a line is a list of segments; put the segment into brackets.")
        self.segments = tuple(segments)
        self.half_gauge, self.name = half_gauge, name
        self.profile, self.pivot = tuple(profile), pivot
        check_numbers(self.segments, half_gauge, position, heading, pivot)
        self.starts: Array = np.concatenate([[0.0], np.cumsum([segment.length for segment in self.segments])])
        self._ends = joined(self, curvature_jumps)
        try:
            self.rows, self.owners = make_rows(
                self.segments, self._ends, self.starts, slopes(self.profile, self.length), half_gauge,
                pivot == "low rail",
            )  # fmt: skip
        except ModelError as error:
            raise placed(self, error) from error
        check_slopes(self)
        self.pose = Pose(self.rows, np.asarray(position, float), heading)
        self.notes = notes(self)

    @property
    def length(self) -> float:
        """Length of the line, m along the track."""
        return float(self.starts[-1])

    def place(self, number: int) -> str:
        """Description of a segment: its number, kind and extent.

        Parameters
        ----------
        number : int
            Of the segment.

        Returns
        -------
        str
        """
        kind = type(self.segments[number]).__name__
        return f"segment {number + 1} ({kind}, {self.starts[number]:g} to {self.starts[number + 1]:g} m)"

    def ends_before(self, number: int) -> Ends:
        """Curvature and cant where a segment begins.

        Parameters
        ----------
        number : int
            Of the segment.

        Returns
        -------
        Ends
        """
        return self._ends[number]

    def row_at(self, s: ArrayLike) -> Expr:
        """Number of the row that holds s; at a joint the one that begins there.

        Parameters
        ----------
        s : float or array
            Distance along the line (m).

        Returns
        -------
        int or array
        """
        found = np.searchsorted(self.rows[:, END], s, side="right")
        return np.minimum(found, len(self.rows) - 1)

    def local(self, s: Expr, row: AnyArray | int | None = None) -> Local:
        """Curvature, slope and cant with their derivatives at s.

        Parameters
        ----------
        s : float, array or expression
            Distance along the line (m).
        row : int or array, optional
            Row of the line in which it lies; found by s unless given.

        Returns
        -------
        Local
        """
        s = s if isinstance(s, ca.SX | ca.MX) else self.inside(s)
        return local_at(RowNumbers(self.rows, self.row_at(s) if row is None else row), s)

    def curvature(self, s: Expr) -> Expr:
        """Turn of the heading per metre of track (1/m), positive to the left.

        Parameters
        ----------
        s : float or array
            Distance along the line (m).

        Returns
        -------
        float or array
        """
        return self.local(s).k

    def cant(self, s: Expr) -> Expr:
        """Height of the right rail over the left one (m).

        Parameters
        ----------
        s : float or array
            Distance along the line (m).

        Returns
        -------
        float or array
        """
        return 2.0 * self.half_gauge * self.local(s).sin_b

    def gradient(self, s: Expr) -> Expr:
        """Rise over horizontal distance of the centre of the track.

        Parameters
        ----------
        s : float or array
            Distance along the line (m).

        Returns
        -------
        float or array
        """
        at = self.local(s)
        return at.sin_g / at.cos_g

    def heading(self, s: ArrayLike) -> Expr:
        """Direction in plan (rad), from the x axis to the left.

        Parameters
        ----------
        s : float or array
            Distance along the line (m).

        Returns
        -------
        float or array
        """
        s = self.inside(s)
        return self.pose.heading(self.row_at(s), s)

    def position(self, s: ArrayLike) -> Expr:
        """Places (m) of the centre of the track in the ground: x, y, z in the last axis.

        Parameters
        ----------
        s : float or array
            Distance along the line (m).

        Returns
        -------
        array
            Of shape (..., 3).
        """
        s = self.inside(s)
        flat = s.reshape(-1)
        return self.pose.position(flat, self.row_at(flat)).reshape(*s.shape, 3)

    def motion(self, s: Expr, speed: Expr = 0.0, acceleration: Expr = 0.0, row: int | None = None) -> TrackMotion:
        """Pose of the track frame at s, and its w, eps, v, a in its own axes, exactly.

        s (m), speed (m/s) and acceleration along the track (m/s^2) are numbers or arrays. For a symbol s, `row` says
        in which row of the line it lies (`row_at`), since formulas differ from row to row.

        Parameters
        ----------
        s : float, array or expression
            Distance along the line (m).
        speed, acceleration : float, array or expression
            Along the track (m/s, m/s^2).
        row : int, optional
            Row of the line in which a symbol s lies.

        Returns
        -------
        TrackMotion
        """
        if isinstance(s, ca.SX | ca.MX):
            if row is None:
                raise SolveError(
                    "s is a symbol: give the row of the line in which it lies, such as row=line.row_at(80.0); formulas "
                    "differ from row to row."
                )
            return motion(
                self.pose.position_in_row(row, s), self.pose.heading(row, s), self.local(s, row), speed, acceleration
            )
        s, speed, acceleration = np.broadcast_arrays(self.inside(s), *_finite(speed, acceleration))
        owner = self.row_at(s) if row is None else np.full(s.shape, row)
        flat = s.reshape(-1)
        position = self.pose.position(flat, owner.reshape(-1)).reshape(*s.shape, 3)
        return motion(position, self.pose.heading(owner, s), self.local(s, owner), speed, acceleration)

    def small_angles(
        self, s: Expr, speed: Expr = 0.0, acceleration: Expr = 0.0, as_printed: bool = False
    ) -> "SmallAngles":
        """The same motion in the small-angle form of [Zboinski 2011, Eqs. 66 to 75], with its error.

        as_printed=True keeps the signs of the paper, which do not agree with each other.

        Parameters
        ----------
        s : float or array
            Distance along the line (m).
        speed, acceleration : float or array
            Along the track (m/s, m/s^2).
        as_printed : bool
            Keep the signs of the paper.

        Returns
        -------
        SmallAngles
        """
        from trundle.rail.track.small_angles import small_angles

        return small_angles(self, s, speed, acceleration, as_printed)

    def continuity(self) -> "Continuity":
        """Where derivatives of curvature, cant and slope jump, and the effect on the motion of the frame."""
        return self._continuity

    @cached_property
    def _continuity(self) -> "Continuity":
        from trundle.rail.track.continuity import continuity

        return continuity(self)

    @preparing("the picture")
    def plot(self, path: Path | str | None = None) -> "Figure":
        """Plan, curvature and cant bands, and profile in one figure.

        Parameters
        ----------
        path : str or Path, optional
            File to write.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from trundle.rail.track.track_view import plot_alignment

        return plot_alignment(self, path)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.length:g} m, {len(self.segments)} segments"]
        lines += [f"  {self.place(i)}" for i in range(len(self.segments))]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def inside(self, s: ArrayLike) -> Array:
        """s as an array; SolveError for places beyond the ends.

        Parameters
        ----------
        s : float or array
            Distance along the line (m).

        Returns
        -------
        array
        """
        try:
            found = np.asarray(s, float)
        except (TypeError, ValueError) as error:
            raise SolveError(f"s is {s!r}; give places in metres.") from error
        slack = 1e-9 * max(1.0, self.length)
        outside = ~((found >= -slack) & (found <= self.length + slack))
        if outside.any():
            raise SolveError(
                f"s = {found[outside].flat[0]:g} m is not on the line, which goes from 0 to {self.length:g} m."
            )
        return np.asarray(np.clip(found, 0.0, self.length))


def _finite(speed: ArrayLike, acceleration: ArrayLike) -> list[Array]:
    out = []
    for name, given in (("speed", speed), ("acceleration", acceleration)):
        value = np.asarray(given, float)
        if not np.all(np.isfinite(value)):
            raise SolveError(f"the {name} must be finite.")
        out.append(value)
    return out
